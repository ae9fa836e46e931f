import pytest

from msa.benchmarks.rows import KINDS, SETS, parse_rows


def test_all_are_two_lengths_of_one_document_and_real_microbatches():
    rows = parse_rows("all")
    assert tuple(map(str, rows)) == SETS["all"]
    tokens = {row.workload.num_tokens for row in rows}
    assert tokens == {8192, 32768, 131072, 196608, 2**20}
    groups = [{"clustered", "random"}, {"select"}, {"layer"}, {"kl_random", "kl_clustered"}]
    for kinds in groups:
        assert kinds <= {row.kind for row in rows}


def test_lengths_are_whole_layers_of_8k_to_1m_tokens():
    rows = parse_rows("lengths")
    assert [row.workload.num_tokens for row in rows] == [8192 * 2**i for i in range(8)]
    assert {row.kind for row in rows} == {"layer"}


def test_rows_keep_the_order_they_are_named_in():
    rows = parse_rows("packed_192k/3:random,lengths,uniform/2x100:recent")
    assert [(row.workload.name, row.kind) for row in (rows[0], rows[-1])] == [
        ("packed_192k/3", "random"),
        ("uniform/2x100", "recent"),
    ]
    assert len(rows) == 10
    assert rows[-1].workload.offsets == (0, 100, 200)


def test_every_kind_has_its_passes_in_the_order_they_run():
    order = ["select", "schedule", "tables", "forward", "kl", "backward", "step"]
    for name, kind in KINDS.items():
        assert sorted(kind.passes, key=order.index) == list(kind.passes), name


@pytest.mark.parametrize("name", ["", "uniform/1x5", "uniform/1x5:", "uniform/1x5:dense", "all,"])
def test_a_name_without_a_known_kind_is_rejected(name):
    expected = (
        "some of all, lengths and <workload>:<kind>, .* kind of indexer, random, recent, "
        "clustered, hot, layer, select, schedule_random, .* kl_random, .* kl_dense, got"
    )
    with pytest.raises(ValueError, match=expected):
        parse_rows(name)


@pytest.mark.parametrize("name", ["packed_192k/1:random", ":random", "uniform/0x5:random"])
def test_an_unknown_workload_is_rejected_with_the_known_ones(name):
    with pytest.raises(ValueError, match="packed_192k/<case>, with a case of 2, 3"):
        parse_rows(f"uniform/1x5:random,{name}")
