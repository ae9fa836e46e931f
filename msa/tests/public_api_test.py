"""The names that `msa` offers, and what importing it loads."""

import json
import subprocess
import sys

import pytest

import msa
import msa.autograd
import msa.schedule


def _modules_after(statement: str) -> set[str]:
    """Modules of the project that a fresh interpreter has loaded after `statement`."""
    code = (
        f"import json, sys; sys.path[:] = {sys.path!r}; {statement}\n"
        "print(json.dumps([m for m in sys.modules if m.split('.')[0] in ('msa', 'torch')]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(json.loads(done.stdout))


def test_every_name_is_the_one_of_its_home():
    for name in msa.__all__:
        homes = [home for home in (msa.schedule, msa.autograd) if name in home.__all__]
        assert len(homes) == 1, name
        assert getattr(msa, name) is getattr(homes[0], name)


def test_a_model_needs_four_names():
    names = {"PackedDocuments", "select_blocks", "sparse_attention", "index_kl_loss"}
    assert names <= set(msa.__all__)
    assert names <= set(dir(msa))


def test_importing_msa_loads_nothing_else():
    assert _modules_after("import msa") == {"msa"}


def test_importing_the_schedule_loads_no_operator():
    loaded = _modules_after("import msa.schedule")
    assert "msa.schedule" in loaded
    assert not {m for m in loaded if m.startswith(("msa.autograd", "msa.reference"))}


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'sparse_atention'"):
        _ = msa.sparse_atention
