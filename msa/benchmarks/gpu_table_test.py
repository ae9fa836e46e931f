import dataclasses
import json

import pytest

from msa.benchmarks import gpu_table
from msa.benchmarks.card import CardUse
from msa.benchmarks.gpu_report import (
    DenseFigures,
    LayerFigures,
    PassFigures,
    RowReport,
    SelectFigures,
)
from msa.benchmarks.gpu_rows import parse_rows
from msa.benchmarks.report import CheckResult, Cost

(ROW,) = parse_rows("uniform/2x16384:clustered")
TERA = 10**12


def figures(sustained_ms, spaced_ms, flop, peak_bytes=None, card=None):
    return PassFigures(
        Cost(sustained_ms, 60, flop, peak_bytes), Cost(spaced_ms, 7, flop, peak_bytes), card
    )


WHOLE = RowReport(
    ROW,
    num_groups=2,
    visible_pairs=63e6,
    causal_pairs=500_000_000,
    schedule=figures(0.2, 0.18, None),
    forward=figures(4.0, 3.0, 2 * TERA, 1_200_000_000, CardUse(1600.0, 0.0)),
    backward=figures(12.0, 9.0, 6 * TERA, 800_000_000, CardUse(1500.0, 0.25)),
    dense=DenseFigures(
        figures(30.0, 28.0, 18 * TERA, card=CardUse(1550.0, 0.0)),
        figures(82.0, 80.0, 45 * TERA, card=CardUse(1560.0, 0.0)),
        {"cuDNN": 2},
    ),
    check=CheckResult(64, ("out",), (), ()),
)


SELECTION = RowReport(
    parse_rows("uniform/1x32768:select")[0],
    num_groups=4,
    causal_pairs=500_000_000,
    select=SelectFigures(
        figures(0.75, 0.5, TERA // 2, card=CardUse(1500.0, 0.5)),
        figures(1.5, 1.25, TERA),
        figures(1.7, 1.6, None),
    ),
)


KL = RowReport(
    parse_rows("uniform/1x8192:kl_dense")[0],
    num_groups=4,
    kl=figures(1.5, 1.25, TERA // 2, 900_000_000, CardUse(1500.0, 0.5)),
)


LAYER = dataclasses.replace(
    WHOLE,
    row=parse_rows("uniform/2x16384:layer")[0],
    schedule=None,
    forward=None,
    backward=None,
    layer=LayerFigures(
        figures(20.0, 16.0, 8 * TERA, 2_100_000_000, CardUse(1500.0, 0.0)),
        {
            "select": figures(1.0, 0.8, TERA),
            "schedule": figures(0.2, 0.16, None),
            "kl": figures(4.0, 3.0, TERA),
        },
    ),
)


def changed(**changes):
    return dataclasses.replace(WHOLE, **changes)


def test_a_row_has_both_regimes_of_every_pass_and_their_ratio():
    sustained, spaced = gpu_table.lines(WHOLE).splitlines()
    assert sustained.split() == [
        *("uniform/2x16384", "2", "32,768", "2", "clustered", "sustained", "0.200", "1.2%"),
        *("4.00", "500", "12.00", "500", "1500*"),
        *("30.00", "600", "82.00", "549", "1550"),
        *("7.00", "1.20", "0.80", "passed"),
    ]
    assert spaced.split() == [
        *("spaced", "0.180", "1.5%"),
        *("3.00", "667", "9.00", "667"),
        *("28.00", "643", "80.00", "562"),
        "9.00",
    ]


def test_a_row_of_selection_stands_beside_a_product_and_top_k():
    sustained, spaced = gpu_table.lines(SELECTION).splitlines()
    assert sustained.split()[:6] == ["uniform/1x32768", "1", "32,768", "4", "select", "sustained"]
    assert "0.750 ms 667 TF/s, 1.00 of a matrix product, 1500* MHz; torch.topk" in sustained
    assert "0.500 ms 1,000 TF/s, 1.25 of a matrix product, - MHz; torch.topk" in spaced
    assert spaced.endswith("over ready scores 1.600 ms")


def test_a_row_of_the_index_loss():
    sustained, spaced = gpu_table.lines(KL).splitlines()
    assert sustained.split()[4:6] == ["kl_dense", "sustained"]
    assert sustained.endswith("1.500 ms 333 TF/s; 1500* MHz, 0.90 GB, check -")
    assert spaced.endswith("1.250 ms 400 TF/s; - MHz")


def test_a_row_of_a_layer_has_the_share_of_each_part_and_the_ratio_of_the_whole():
    sustained, spaced = gpu_table.lines(LAYER).splitlines()
    assert sustained.endswith(
        "20.000 ms 400 TF/s, ratio 5.60; select 5.0%, schedule 1.0%, kl 20.0%; "
        "1500 MHz, 2.10 GB, check passed"
    )
    assert spaced.endswith(
        "16.000 ms 500 TF/s, ratio 6.75; select 5.0%, schedule 1.0%, kl 18.8%; - MHz"
    )
    report = json.loads(json.dumps(LAYER.to_json()))
    assert report["dense_over_sparse"] == {"sustained": 5.6, "spaced": 6.75}
    assert report["layer"]["shares"]["sustained"] == {"select": 0.05, "schedule": 0.01, "kl": 0.2}


def test_a_row_of_its_own_kind_tells_what_went_wrong():
    wrong = CheckResult(64, ("d index_q",), (), ("d index_q is off by much",))
    report = dataclasses.replace(LAYER, check=wrong, error="check: RuntimeError: a bug")
    *_, check, error = gpu_table.lines(report).splitlines()
    assert check.strip() == "check: FAILED: d index_q is off by much"
    assert error.strip() == "FAILED: check: RuntimeError: a bug"


def test_columns_stand_below_their_titles():
    groups, titles = gpu_table.titles().splitlines()
    sustained, spaced = gpu_table.lines(WHOLE).splitlines()
    assert len(titles) == len(sustained) == len(groups) + len("   check")
    assert spaced.index("spaced") == sustained.index("sustained") == titles.index("regime")
    ratio = titles.index("ratio") + len("ratio")
    assert (sustained[:ratio][-4:], spaced[:ratio]) == ("7.00", spaced)


def test_what_was_not_measured_is_a_dash():
    sustained, spaced = gpu_table.lines(RowReport(ROW, 4)).splitlines()
    assert sustained.split()[6:] == ["-"] * 16
    assert spaced.split() == ["spaced", *["-"] * 11]


def test_a_row_that_broke_off_shows_what_it_has_and_why():
    broken = changed(backward=None, dense=None, check=None, error="backward: RuntimeError: a bug")
    sustained, _, why = gpu_table.lines(broken).splitlines()
    assert sustained.split()[6:12] == ["0.200", "-", "4.00", "500", "-", "-"]
    assert sustained.split()[12] == "1600"
    assert why.strip() == "FAILED: backward: RuntimeError: a bug"
    assert not broken.passed


def test_a_wrong_result_is_told():
    wrong = changed(check=CheckResult(64, ("out",), (), ("out is off by much",)))
    sustained, _, why = gpu_table.lines(wrong).splitlines()
    assert sustained.split()[-1] == "FAILED"
    assert why.strip() == "check: FAILED: out is off by much"
    assert not wrong.passed
    assert WHOLE.passed


def test_other_backends_of_dense_attention_are_told():
    mixed = changed(dense=dataclasses.replace(WHOLE.dense, backends={"flash": 5, "cuDNN": 2}))
    assert gpu_table.lines(mixed).endswith(
        "documents of dense attention by backend: flash 5, cuDNN 2"
    )


def test_json_has_all_numbers():
    report = json.loads(json.dumps(WHOLE.to_json()))
    assert (report["tokens"], report["documents"], report["groups"]) == (32768, 2, 2)
    assert report["pattern"] == "clustered"
    assert report["forward"]["sustained"] == {
        "milliseconds": 4.0,
        "runs": 60,
        "flop": 2 * TERA,
        "peak_bytes": 1_200_000_000,
        "flop_per_second": 5e14,
    }
    assert report["backward"]["spaced"]["flop_per_second"] == pytest.approx(6 * TERA / 9e-3)
    assert report["backward"]["card"] == {"sm_mhz": 1500.0, "power_capped": 0.25}
    assert report["schedule"]["card"] is None
    assert report["schedule_share"] == {"sustained": 0.2 / 16, "spaced": 0.18 / 12}
    assert report["dense"]["backends"] == {"cuDNN": 2}
    assert report["dense"]["backward"]["sustained"]["milliseconds"] == 82.0
    assert report["dense_over_sparse"] == {"sustained": 7.0, "spaced": 9.0}
    assert report["check"]["passed"] is True


def test_json_of_a_row_that_broke_off_has_nulls():
    report = RowReport(ROW, 4, error="inputs: RuntimeError: out of memory").to_json()
    assert report["error"] == "inputs: RuntimeError: out of memory"
    assert report["dense_over_sparse"] == {"sustained": None, "spaced": None}
    for name in ("schedule", "forward", "backward", "dense", "check", "visible_pairs"):
        assert report[name] is None
