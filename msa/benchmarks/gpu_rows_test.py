import pytest

from msa.benchmarks.gpu_rows import parse_rows


def test_all_are_two_lengths_of_one_document_and_real_microbatches():
    rows = parse_rows("all")
    assert list(map(str, rows)) == [
        "uniform/1x32768:clustered",
        "uniform/1x32768:random",
        "uniform/1x131072:clustered",
        "uniform/1x131072:random",
        "packed_192k/2:clustered",
        "packed_192k/8:clustered",
        "packed_192k/9:clustered",
        "uniform/1x8192:select",
        "uniform/1x32768:select",
        "uniform/1x131072:select",
        "packed_192k/2:select",
        "packed_192k/9:select",
        "uniform/1x8192:kl_random",
        "uniform/1x32768:kl_random",
        "uniform/1x32768:kl_clustered",
        "uniform/1x131072:kl_random",
        "packed_192k/2:kl_clustered",
        "packed_192k/9:kl_clustered",
        "uniform/1x8192:kl_dense",
        "uniform/1x32768:layer",
        "uniform/1x131072:layer",
    ]
    lengths = [32768] * 2 + [131072] * 2 + [196608] * 3 + [8192, 32768, 131072] + [196608] * 2
    lengths += [8192, 32768, 32768, 131072] + [196608] * 2 + [8192, 32768, 131072]
    assert [row.workload.num_tokens for row in rows] == lengths


def test_rows_keep_the_order_they_are_named_in():
    rows = parse_rows("packed_192k/3:random,uniform/2x100:recent")
    assert [(row.workload.name, row.pattern) for row in rows] == [
        ("packed_192k/3", "random"),
        ("uniform/2x100", "recent"),
    ]
    assert rows[1].workload.offsets == (0, 100, 200)


@pytest.mark.parametrize("name", ["", "uniform/1x5", "uniform/1x5:", "uniform/1x5:indexer", "all,"])
def test_a_name_without_a_known_pattern_is_rejected(name):
    expected = (
        "<workload>:<pattern> .* pattern of random, recent, clustered, hot, select, layer, "
        "kl_random, kl_recent, kl_clustered, kl_hot, kl_dense, got"
    )
    with pytest.raises(ValueError, match=expected):
        parse_rows(name)


@pytest.mark.parametrize("name", ["packed_192k/1:random", ":random", "uniform/0x5:random"])
def test_an_unknown_workload_is_rejected_with_the_known_ones(name):
    with pytest.raises(ValueError, match="packed_192k/<case>, with a case of 2, 3"):
        parse_rows(f"uniform/1x5:random,{name}")
