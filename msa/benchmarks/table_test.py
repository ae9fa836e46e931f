import dataclasses

from msa.benchmarks import table
from msa.benchmarks.report import CheckResult, Cost, PassCost, Report
from msa.reference.accuracy import Comparison, Tolerance

REPORT = Report(
    workload="packed_192k/3",
    tokens=4096,
    documents=3,
    longest_document=2886,
    pattern="indexer",
    visible_pairs=4281023.0,
    causal_pairs=4687807,
    backend="auto",
    dtype="float32",
    device="a processor",
    threads=2,
    torch_version="2.9",
    seed=7,
    ceiling_size=2048,
    ceiling=1e11,
    passes=(
        PassCost("schedule", Cost(12.0, 10, None, None)),
        PassCost(
            "forward",
            Cost(2000.0, 3, 140_000_000_000, 3 * 2**20),
            Cost(3000.0, 2, 150_000_000_000, 2**20),
        ),
        PassCost(
            "backward",
            Cost(8000.0, 1, 350_000_000_000, 2**30),
            Cost(9000.0, 1, 360_000_000_000, None),
        ),
    ),
    check=None,
)


def cells(text, name):
    (row,) = (line for line in text.splitlines() if line.startswith(name + " "))
    return row.split()[1:]


def test_a_row_has_time_work_rate_share_memory_and_the_same_of_dense_attention():
    text = table.table(REPORT)
    sparse = ["3", "2,000.00", "140.00", "70.00", "70.0%", "3"]
    assert cells(text, "forward") == [*sparse, "3,000.00", "50.00", "1", "1.50"]
    assert cells(text, "backward")[6:] == ["9,000.00", "40.00", "-", "1.12"]
    assert cells(text, "schedule") == ["10", "12.00", "-", "-", "-", "-", "-", "-", "-", "-"]
    total = "- 10,000.00 490.00 49.00 49.0% - 12,000.00 42.50 - 1.20"
    assert cells(text, "forward+backward") == total.split()


def test_columns_stand_below_their_titles():
    lines = table.table(REPORT).splitlines()
    assert len({len(line) for line in lines}) == 1


def test_fast_devices_count_in_tflop():
    text = table.table(dataclasses.replace(REPORT, ceiling=7e14))
    assert "TFLOP/s" in text
    assert cells(text, "forward")[2] == "0.14"


def test_the_header_tells_what_ran():
    text = table.header(REPORT)
    for part in ("packed_192k/3", "4,096 tokens", "indexer", "4,281,023", "91.3%", "4,687,807"):
        assert part in text
    for part in ("float32", "auto", "2.9", "seed 7", "a processor", "2 CPU threads", "100.0 GFLOP"):
        assert part in text


def test_comparisons_stand_beside_what_is_allowed():
    found = Comparison("dq", 1e-3, 2e-4, Tolerance(0.035, 0.007), True)
    text = table.comparisons(CheckResult(64, ("dq",), (found,), ()))
    assert cells(text, "dq") == ["1.00e-03", "3.50e-02", "2.00e-04", "7.00e-03"]
