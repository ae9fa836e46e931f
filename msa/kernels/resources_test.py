"""The resource gate: what every kernel may use on every architecture, and what it must hold."""

import pytest

from msa.kernels.resources import load_reports

HOPPER = ("sm_90a",)
EVERY_ARCH = ("sm_90a", "sm_100a", "sm_103a")
# By kernel, the architectures that have it, and the instruction families that its functions must
# have between them.
REQUIRED = {
    "backward": (HOPPER, {"wgmma", "bulk_load", "bulk_reduce", "setmaxnreg"}),
    "block_bounds": (EVERY_ARCH, {"global_load_128"}),
    "csr_build": (EVERY_ARCH, {"match"}),
    "delta": (EVERY_ARCH, {"global_load_128"}),
    "finish": (EVERY_ARCH, {"global_load_128", "global_store_128"}),
    "forward": (HOPPER, {"wgmma", "bulk_load", "bulk_reduce", "setmaxnreg"}),
    "grad_finalize": (EVERY_ARCH, {"global_load_128", "global_store_128"}),
    "items": (EVERY_ARCH, {"global_load_128", "global_store_128"}),
    "pad_blocks": (EVERY_ARCH, {"global_load_128", "global_store_128"}),
    "task_build": (EVERY_ARCH, {"match"}),
    "task_maxima": (EVERY_ARCH, set()),
}
KERNELS = [(kernel, arch) for kernel, (archs, _) in REQUIRED.items() for arch in archs]
# ptxas gives up setmaxnreg (C7507) or runs wgmma one after the other (C7511, C7512, C7517).
FORBIDDEN_ADVISORIES = {"C7507", "C7511", "C7512", "C7517"}
MAX_SHARED_BYTES = 227 * 1024
MAX_REGISTERS = 255
MAX_TMEM_COLUMNS = 512

REPORTS = {(report["kernel"], report["arch"]): report for report in load_reports()}


def test_every_kernel_is_there_for_its_architectures():
    assert set(REPORTS) == set(KERNELS)


@pytest.mark.parametrize("kernel, arch", KERNELS)
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
        _, required = REQUIRED[kernel]
        assert required <= {family for use in functions for family in use["instructions"]}
