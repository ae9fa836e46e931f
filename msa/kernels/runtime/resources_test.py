"""The resource gate: what every kernel may use on every architecture, and what it must hold."""

import pytest

from msa.kernels.runtime.report import FAMILIES
from msa.kernels.runtime.resources import load_reports

ARCHS = ("sm_90a", "sm_100a", "sm_103a")
# ptxas gives up setmaxnreg (C7507) or runs wgmma one after the other (C7511, C7512, C7517).
FORBIDDEN_ADVISORIES = {"C7507", "C7511", "C7512", "C7517"}
# What a CTA may have, and the kilobyte that the system adds to each, which cubins count.
MAX_SHARED_BYTES = (227 + 1) * 1024
MAX_REGISTERS = 255
MAX_TMEM_COLUMNS = 512

REPORTS = {(report["kernel"], report["arch"]): report for report in load_reports()}


def test_every_room_has_kernels_for_every_architecture():
    rooms = {kernel.partition("/")[0] for kernel, _ in REPORTS}
    assert {"attention", "index_kl", "schedule", "selection"} <= rooms
    found = {(kernel.partition("/")[0], arch) for kernel, arch in REPORTS}
    assert found == {(room, arch) for room in rooms for arch in ARCHS}


@pytest.mark.parametrize("kernel, arch", REPORTS)
class TestKernel:
    def test_spills_no_more_than_it_may(self, kernel, arch):
        most = REPORTS[kernel, arch]["allowed_spill_bytes"]
        for name, use in REPORTS[kernel, arch]["functions"].items():
            assert use["spill_bytes"] <= most, name
            assert use["stack_bytes"] <= most, name
            assert use["local_bytes"] == 0, name
            assert most or "local" not in use["instructions"], name

    def test_stays_within_the_chip(self, kernel, arch):
        for name, use in REPORTS[kernel, arch]["functions"].items():
            assert 0 < use["registers"] <= MAX_REGISTERS, name
            launch = REPORTS[kernel, arch]["launch_shared_bytes"]
            assert use["shared_bytes"] + launch <= MAX_SHARED_BYTES, name
            assert use["tmem_columns"] <= MAX_TMEM_COLUMNS, name

    def test_keeps_its_asynchrony(self, kernel, arch):
        assert not FORBIDDEN_ADVISORIES & set(REPORTS[kernel, arch]["advisories"])

    def test_holds_its_instructions(self, kernel, arch):
        report = REPORTS[kernel, arch]
        functions = report["functions"].values()
        assert all(use["instructions"]["all"] > 0 for use in functions)
        required = set(report["required_instructions"])
        assert required <= set(FAMILIES)
        assert required <= {family for use in functions for family in use["instructions"]}

    def test_owns_the_tensor_memory_that_its_products_need(self, kernel, arch):
        for name, use in REPORTS[kernel, arch]["functions"].items():
            assert (use["tmem_columns"] > 0) == ("tcgen05_mma" in use["instructions"]), name
