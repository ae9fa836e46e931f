"""The resource gate: what every kernel may use on every architecture, and what it must hold."""

import pytest

from msa.kernels.resources import load_reports

ARCHS = ("sm_90a", "sm_100a", "sm_103a")
# Instruction families that a kernel's functions must have between them.
REQUIRED = {
    "csr_build": {"match"},
    "delta": {"global_load_128"},
    "task_build": {"match"},
}
# ptxas gives up setmaxnreg (C7507) or runs wgmma one after the other (C7511, C7512, C7517).
FORBIDDEN_ADVISORIES = {"C7507", "C7511", "C7512", "C7517"}
MAX_SHARED_BYTES = 227 * 1024
MAX_REGISTERS = 255
MAX_TMEM_COLUMNS = 512

REPORTS = {(report["kernel"], report["arch"]): report for report in load_reports()}


def test_every_kernel_is_there_for_every_architecture():
    assert set(REPORTS) == {(kernel, arch) for kernel in REQUIRED for arch in ARCHS}


@pytest.mark.parametrize("kernel, arch", [(k, a) for k in REQUIRED for a in ARCHS])
class TestKernel:
    def test_spills_nothing(self, kernel, arch):
        for name, use in REPORTS[kernel, arch]["functions"].items():
            assert use["spill_bytes"] == 0, name
            assert use["stack_bytes"] == 0, name
            assert use["local_bytes"] == 0, name
            assert "local" not in use["instructions"], name

    def test_stays_within_the_chip(self, kernel, arch):
        for name, use in REPORTS[kernel, arch]["functions"].items():
            assert 0 < use["registers"] <= MAX_REGISTERS, name
            assert use["shared_bytes"] <= MAX_SHARED_BYTES, name
            assert use["tmem_columns"] <= MAX_TMEM_COLUMNS, name

    def test_keeps_its_asynchrony(self, kernel, arch):
        assert not FORBIDDEN_ADVISORIES & set(REPORTS[kernel, arch]["advisories"])

    def test_holds_its_instructions(self, kernel, arch):
        functions = REPORTS[kernel, arch]["functions"].values()
        assert all(use["instructions"]["all"] > 0 for use in functions)
        assert REQUIRED[kernel] <= {family for use in functions for family in use["instructions"]}
