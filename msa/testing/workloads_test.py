import pytest
import torch

from msa.testing.workloads import parse_workload

CASES = ("2", "3", "8", "9", "14", "21", "28", "30")


@pytest.mark.parametrize("case", CASES)
def test_packed_microbatches_fill_192k_tokens_without_empty_documents(case):
    workload = parse_workload(f"packed_192k/{case}")
    assert workload.num_tokens == 196608
    lengths = torch.tensor(workload.offsets).diff()
    assert workload.offsets[0] == 0
    assert (lengths > 0).all()
    assert str(workload) == f"packed_192k/{case}"


def test_uniform_documents_have_one_length():
    assert parse_workload("uniform/3x77").offsets == (0, 77, 154, 231)


@pytest.mark.parametrize(
    ("tokens", "offsets"),
    [
        (1, (0, 1)),
        (99, (0, 99)),
        (100, (0, 100)),  # no empty document after a border
        (101, (0, 100, 101)),
        (300, (0, 100, 200, 300)),
    ],
)
def test_cut_keeps_the_first_tokens(tokens, offsets):
    assert parse_workload("uniform/3x100").cut(tokens).offsets == offsets


@pytest.mark.parametrize("tokens", [0, -1, 301])
def test_cut_rejects_what_is_not_there(tokens):
    with pytest.raises(ValueError, match=f"1 to 300 tokens of uniform/3x100, got {tokens}"):
        parse_workload("uniform/3x100").cut(tokens)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "2",
        "packed_192k",
        "packed_192k/",
        "packed_192k/1",
        "uniform/3",
        "uniform/0x5",
        "uniform/5x0",
        "uniform/-1x5",
        "uniform/3x5x7",
        "uniform/3x5 ",
        "uniform/٣x5",
    ],
)
def test_unknown_names_are_rejected_with_the_known_ones(name):
    with pytest.raises(ValueError, match=f"case of {', '.join(CASES)}, or uniform/"):
        parse_workload(name)


def test_more_tokens_than_a_schedule_can_count_are_rejected():
    with pytest.raises(ValueError, match="at most 134217727 tokens, got 1000000 x 1000000"):
        parse_workload("uniform/1000000x1000000")


def test_documents_have_the_lengths_of_the_offsets():
    documents = parse_workload("packed_192k/3").cut(4096).documents(torch.device("cpu"))
    assert documents.cu_seqlens.tolist() == [0, 2886, 3885, 4096]
    assert documents.num_tokens == 4096
