"""The names and operators that `msa` offers, and what importing it loads."""

import json
import subprocess
import sys

import pytest
import torch

import msa
import msa.autograd
import msa.schedule
from msa.testing.inputs import attention_inputs, index_inputs


def _run(code: str, *arguments: str) -> str:
    """What `code` prints in a fresh interpreter that finds what this one finds."""
    code = f"import sys; sys.path[:] = {sys.path!r}\n{code}"
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _modules_after(statements: str) -> set[str]:
    """Modules of the project that a fresh interpreter has loaded after `statements`."""
    report = "import json; print(json.dumps([m for m in sys.modules if m.split('.')[0] == 'msa']))"
    return set(json.loads(_run(f"{statements}\n{report}")))


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


def test_importing_the_schedule_loads_no_operator_but_its_own():
    loaded = _modules_after(
        "import msa.schedule, torch\n"
        "assert torch.ops.msa.build_task_tables.default\n"
        "assert not hasattr(torch.ops.msa, '__wrapped__')"
    )
    assert "msa.schedule" in loaded
    assert not {m for m in loaded - {"msa"} if not f"{m}.".startswith("msa.schedule.")}


def test_a_step_without_compilation_loads_no_compiler():
    """torch._dynamo is as much code as torch itself."""
    names = ("index_q", "index_k", "q", "k", "v")
    _run(
        "import torch\n"
        "from msa import PackedDocuments, index_kl_loss, select_blocks, sparse_attention\n"
        "documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 9]))\n"
        + "".join(
            f"{name} = torch.randn(9, {heads}, 128, requires_grad=True)\n"
            for name, heads in zip(names, (4, 1, 64, 4, 4), strict=True)
        )
        + "support = select_blocks(index_q, index_k, documents)\n"
        "out, lse = sparse_attention(q, k, v, support, documents, return_lse=True)\n"
        "loss = out.sum() + index_kl_loss(q, k, lse, index_q, index_k, support, documents)\n"
        "loss.backward()\n"
        "assert 'torch._dynamo' not in sys.modules"
    )


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'sparse_atention'"):
        _ = msa.sparse_atention
    with pytest.raises(AttributeError, match="no attribute 'sparse_atention'"):
        _ = torch.ops.msa.sparse_atention


class _Layer(torch.nn.Module):
    """Selection, then attention, over a layout that is part of the program."""

    def __init__(self, documents: msa.PackedDocuments):
        super().__init__()
        self.documents = documents

    def forward(self, q, k, v, index_q, index_k):
        support = msa.select_blocks(index_q, index_k, self.documents)
        return msa.sparse_attention(q, k, v, support, self.documents)


_WITHOUT_THE_OPERATORS = """
import sys

import torch

held = torch.ops.msa
import msa


def loaded():
    return "msa.autograd" in sys.modules


program, inputs, expected = sys.argv[1:]
"""

_SAVED_PROGRAM = """
assert not loaded()
program = torch.export.load(program)
assert torch.equal(program.module()(*torch.load(inputs)), torch.load(expected))
"""

_NAMESPACE = """
assert torch.ops.msa is held
assert not loaded()
assert {"select_blocks", "sparse_attention", "index_kl_loss"} <= set(dir(held))
assert loaded()
assert hasattr(held, "sparse_attention")
assert not hasattr(held, "sparse_atention")
assert held.sparse_attention is torch.ops.msa.sparse_attention
"""

# What a policy saves is not run again in the backward.
_CHECKPOINT_POLICY = """
import functools

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

assert not loaded()
saved = [torch.ops.msa.sparse_attention.default]
assert loaded()
policy = functools.partial(create_selective_checkpoint_contexts, saved)


class Calls(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function.name())
        return function(*args, **(kwargs or {}))


documents = msa.PackedDocuments.from_cu_seqlens(torch.tensor([0, 3, 40]))
q, k, v, index_q, index_k = (x.requires_grad_() for x in torch.load(inputs))


def layer(q, k, v, index_q, index_k):
    support = msa.select_blocks(index_q, index_k, documents)
    return msa.sparse_attention(q, k, v, support, documents)


with Calls() as calls:
    out = checkpoint(layer, q, k, v, index_q, index_k, use_reentrant=False, context_fn=policy)
    out.sum().backward()
assert calls.names.count("msa::select_blocks") == 2
assert calls.names.count("msa::sparse_attention") == 1
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> list[str]:
    """A saved program, its inputs and its output."""
    folder = tmp_path_factory.mktemp("program")
    paths = [str(folder / name) for name in ("program.pt2", "inputs.pt", "expected.pt")]
    layer = _Layer(msa.PackedDocuments.from_cu_seqlens(torch.tensor([0, 3, 40])))
    inputs = (
        *attention_inputs(40, seed=0, dtype=torch.float32),
        *index_inputs(40, seed=0, dtype=torch.float32),
    )
    torch.export.save(torch.export.export(layer, inputs), paths[0])
    torch.save(inputs, paths[1])
    torch.save(layer(*inputs), paths[2])
    return paths


@pytest.mark.parametrize(
    "use",
    [_SAVED_PROGRAM, _NAMESPACE, _CHECKPOINT_POLICY],
    ids=["saved program", "namespace", "checkpoint policy"],
)
def test_operators_resolve_after_importing_msa_alone(use, files):
    _run(_WITHOUT_THE_OPERATORS + use, *files)
