"""The resource gate: what every kernel may use on every architecture, and what it must hold."""

import pytest

from msa.kernels.runtime.resources import load_reports

ARCHS = ("sm_90a", "sm_100a", "sm_103a")


def everywhere(*families: str) -> dict[str, set[str]]:
    return {arch: set(families) for arch in ARCHS}


def attention(*on_blackwell: str) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """A kernel for each architecture that does products, with what it has on Blackwell beside what
    both have there.
    """
    copies = {"bulk_load", "bulk_reduce"}
    hopper = copies | {"wgmma", "setmaxnreg"}
    blackwell = copies | {"tcgen05_mma", "tmem_load", "tmem_store", *on_blackwell}
    return {"sm_90a": hopper}, {"sm_100a": blackwell, "sm_103a": blackwell}


_FORWARDS = attention()
_BACKWARDS = attention("setmaxnreg")

# By kernel and architecture, the instruction families that its functions must have between them.
REQUIRED = {
    "attention/backward_sm90": _BACKWARDS[0],
    "attention/backward_sm100": _BACKWARDS[1],
    "attention/block_bounds": everywhere("global_load_128"),
    "schedule/csr_build": everywhere("match"),
    "attention/delta": everywhere("global_load_128"),
    "attention/finish": everywhere("global_load_128", "global_store_128"),
    "attention/forward_sm90": _FORWARDS[0],
    "attention/forward_sm100": _FORWARDS[1],
    "attention/grad_finalize": everywhere("global_load_128", "global_store_128"),
    "index_kl/sm90": {"sm_90a": {"bulk_load", "bulk_reduce", "setmaxnreg", "wgmma"}},
    "index_kl/sm100": {
        "sm_100a": {"bulk_load", "tcgen05_mma", "tmem_load", "tmem_store"},
        "sm_103a": {"bulk_load", "tcgen05_mma", "tmem_load", "tmem_store"},
    },
    "schedule/items": everywhere("global_load_128", "global_store_128"),
    "attention/pad_blocks": everywhere("global_load_128", "global_store_128"),
    "index_kl/prepare": everywhere("global_load_128", "global_store_128"),
    "index_kl/results": everywhere("global_load_128", "global_store_128"),
    "index_kl/scale": everywhere("global_load_128", "global_store_128"),
    "selection/sm90": {"sm_90a": {"bulk_load", "global_store_128", "wgmma"}},
    "selection/sm100": {
        "sm_100a": {"bulk_load", "global_store_128", "tcgen05_mma", "tmem_load"},
        "sm_103a": {"bulk_load", "global_store_128", "tcgen05_mma", "tmem_load"},
    },
    "index_kl/sm90_statistics": {"sm_90a": {"bulk_load", "wgmma"}},
    "index_kl/statistics": {"sm_100a": set(), "sm_103a": set()},
    "schedule/task_build": everywhere("match"),
    "attention/task_maxima": everywhere(),
}
KERNELS = [(kernel, arch) for kernel, required in REQUIRED.items() for arch in required]
# ptxas gives up setmaxnreg (C7507) or runs wgmma one after the other (C7511, C7512, C7517).
FORBIDDEN_ADVISORIES = {"C7507", "C7511", "C7512", "C7517"}
# Three words of the index loss's student, once a chunk of 64 queries: stored and loaded.
SPILL_BYTES = {("index_kl/sm90", "sm_90a"): 32}
# What a CTA may have, and the kilobyte that the system adds to each, which cubins count.
MAX_SHARED_BYTES = (227 + 1) * 1024
MAX_REGISTERS = 255
MAX_TMEM_COLUMNS = 512

REPORTS = {(report["kernel"], report["arch"]): report for report in load_reports()}


def test_every_kernel_is_there_for_its_architectures():
    assert set(REPORTS) == set(KERNELS)


@pytest.mark.parametrize("kernel, arch", KERNELS)
class TestKernel:
    def test_spills_no_more_than_it_is_known_to(self, kernel, arch):
        most = SPILL_BYTES.get((kernel, arch), 0)
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
        functions = REPORTS[kernel, arch]["functions"].values()
        assert all(use["instructions"]["all"] > 0 for use in functions)
        families = {family for use in functions for family in use["instructions"]}
        assert REQUIRED[kernel][arch] <= families

    def test_owns_the_tensor_memory_that_its_products_need(self, kernel, arch):
        for name, use in REPORTS[kernel, arch]["functions"].items():
            assert (use["tmem_columns"] > 0) == ("tcgen05_mma" in use["instructions"]), name
