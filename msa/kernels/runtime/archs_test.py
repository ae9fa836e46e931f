"""What `//msa/kernels:archs` chooses, as the build graph says it; nothing is compiled."""

import pathlib

import pytest

_FOLDER = pathlib.Path(__file__).parent


def libraries(name: str) -> set[str]:
    """The lines of a `carried_libraries`."""
    return set((_FOLDER / f"{name}.txt").read_text().splitlines())


def of(*archs: str) -> set[str]:
    """The libraries for these architectures among all that there are."""
    return {path for path in libraries("all_libraries") if path.split(".")[-2] in archs}


def test_there_are_libraries_for_every_architecture():
    for arch, chip in (("sm_90a", "sm90"), ("sm_100a", "sm100"), ("sm_103a", "sm100")):
        expected = {
            f"msa/kernels/schedule/csr_build.{arch}.so",
            f"msa/kernels/attention/forward_{chip}.{arch}.so",
        }
        assert expected <= of(arch)
    assert of("sm_90a", "sm_100a", "sm_103a") == libraries("all_libraries")


@pytest.mark.parametrize("archs", [("sm_90a",), ("sm_100a",), ("sm_103a",), ("sm_90a", "sm_103a")])
def test_a_list_carries_its_architectures(archs):
    assert libraries("carried_" + "_".join(archs)) == of(*archs)


def test_none_carries_nothing():
    assert libraries("carried_none") == set()


@pytest.mark.parametrize("name", ["resources", "testing"])
def test_the_gate_and_gpu_suites_have_all(name):
    assert libraries(f"{name}_of_none") == libraries("all_libraries")
