"""Which operators the public functions choose, and what they say about it."""

import os
import subprocess
import sys
import warnings

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

import msa
from msa.autograd import (
    attention,
    dispatch,
    index_kl,
    index_kl_loss,
    select_blocks,
    selection,
    sparse_attention,
)
from msa.schedule.testing import pack_lengths
from msa.testing.inputs import attention_inputs, index_inputs

DOCUMENTS = pack_lengths(3, 130)
PUBLIC = ("select_blocks", "sparse_attention", "index_kl_loss")
PAIRS = (*PUBLIC, "sparse_attention_backward", "index_kl_loss_backward")
"""The operators that have another one in plain torch."""


class Ran(TorchDispatchMode):
    """Records the operators of `msa` that run."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "msa":
            self.names.append(func._schema.name.removeprefix("msa::"))
        return func(*args, **(kwargs or {}))


def leaves(dtype: torch.dtype = torch.float32) -> list[torch.Tensor]:
    inputs = (*attention_inputs(133, 0, dtype), *index_inputs(133, 1, dtype))
    return [x.requires_grad_() for x in inputs]


def attend(q, k, v, index_q, index_k) -> torch.Tensor:
    support = select_blocks(index_q, index_k, DOCUMENTS)
    out, lse = sparse_attention(q, k, v, support, DOCUMENTS, return_lse=True)
    return out.sum() + index_kl_loss(q, k, lse, index_q, index_k, support, DOCUMENTS)


@pytest.mark.parametrize("name", PAIRS)
def test_operators_that_read_the_host_say_so(name):
    default = getattr(torch.ops.msa, name).default
    reference = getattr(torch.ops.msa, f"{name}_reference").default
    assert torch.Tag.cudagraph_unsafe in reference.tags
    assert torch.Tag.cudagraph_unsafe not in default.tags
    arguments = str(default._schema).partition("(")[2]
    assert str(reference._schema).partition("(")[2] == arguments


@pytest.mark.parametrize("name", ["build_backward_schedule", "build_task_tables"])
def test_the_schedule_reads_nothing_on_the_host(name):
    assert torch.Tag.cudagraph_unsafe not in getattr(torch.ops.msa, name).default.tags


def test_on_a_cpu_the_default_operators_run():
    with Ran() as ran:
        attend(*leaves()).backward()
    assert sorted(ran.names) == sorted((*PAIRS, *["build_backward_schedule"] * 2))


def test_the_reference_is_forced_for_a_backward_that_is_called_outside_too():
    expected = leaves()
    attend(*expected).backward()
    inputs = leaves()
    with Ran() as ran:
        with msa.backend("reference"):
            loss = attend(*inputs)
            with msa.backend("auto"):
                select_blocks(*inputs[3:], DOCUMENTS)
        loss.backward()
        select_blocks(*inputs[3:], DOCUMENTS)
    counts = {name: ran.names.count(name) for name in ran.names}
    assert counts.pop("build_backward_schedule") == 2
    assert counts.pop("select_blocks") == 2
    assert counts == {f"{name}_reference": 1 for name in PAIRS}
    for found, wanted in zip(inputs, expected, strict=True):
        assert torch.equal(found.grad, wanted.grad)


def test_the_backend_is_reset_after_an_error():
    with pytest.raises(ZeroDivisionError), msa.backend("reference"):
        raise ZeroDivisionError
    with Ran() as ran:
        select_blocks(*leaves()[3:], DOCUMENTS)
    assert ran.names == ["select_blocks"]


@pytest.mark.parametrize(
    "name, error, found",
    [
        ("cuda", ValueError, "'cuda'"),
        ("", ValueError, "''"),
        (None, TypeError, "NoneType"),
        (1, TypeError, "int"),
    ],
)
def test_an_unknown_backend_is_refused_by_name(name, error, found):
    with (
        pytest.raises(error, match=f"backend must be 'auto' or 'reference', got {found}"),
        msa.backend(name),
    ):
        pass


# Prints what a call runs.
_CALL = """
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import msa


class Ran(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func)
        return func(*args, **(kwargs or {}))


documents = msa.PackedDocuments.from_cu_seqlens(torch.tensor([0, 1]))
with Ran():
    msa.select_blocks(torch.ones(1, 4, 128), torch.ones(1, 1, 128), documents)
"""


@pytest.mark.parametrize("value", ["reference", "triton"])
def test_the_environment_chooses_the_backend(value):
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}{_CALL}"],
        capture_output=True,
        text=True,
        env=os.environ | {"MSA_BACKEND": value},
        check=False,
        timeout=120,
    )
    if value == "reference":
        assert "msa.select_blocks_reference.default" in done.stdout.splitlines(), done.stderr
    else:
        assert "MSA_BACKEND must be 'auto' or 'reference', got 'triton'" in done.stderr


@pytest.mark.parametrize("suffix", ["", "_reference"])
def test_checkpoint_policies_can_name_the_operators(suffix):
    kept = [getattr(torch.ops.msa, f"{name}{suffix}").default for name in PUBLIC]
    kept.append(torch.ops.msa.build_backward_schedule.default)

    def policy(ctx, operator, *args, **kwargs):
        must = operator in kept
        return CheckpointPolicy.MUST_SAVE if must else CheckpointPolicy.PREFER_RECOMPUTE

    expected, inputs = leaves(), leaves()
    attend(*expected).backward()
    with msa.backend("reference" if suffix else "auto"):
        loss = checkpoint(
            attend,
            *inputs,
            use_reentrant=False,
            context_fn=lambda: create_selective_checkpoint_contexts(policy),
        )
        with Ran() as ran:
            loss.backward()
    # Nothing that is kept runs again.
    assert sorted(ran.names) == [
        f"index_kl_loss_backward{suffix}",
        f"sparse_attention_backward{suffix}",
    ]
    for found, wanted in zip(inputs, expected, strict=True):
        assert torch.equal(found.grad, wanted.grad)


class StandIn:
    """A GPU that is not there, for tensors that hold nothing."""

    def __init__(self, monkeypatch, version: tuple[int, int]):
        archs = {(9, 0): "sm_90a", (10, 0): "sm_100a"}
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: version)
        monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Stand-in")
        monkeypatch.setattr(dispatch, "arch_of", lambda device: archs.get(version))
        # What a call on another GPU was told holds no longer.
        dispatch._no_kernel.cache_clear()
        dispatch._warn.cache_clear()

    def run(self, dtype: torch.dtype) -> tuple[list[str], list[str]]:
        """The operators that `attend` runs, and the messages of its warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with FakeTensorMode(), torch.device("cuda:0"):
                operands = [torch.empty(5, heads, 128, dtype=dtype) for heads in (64, 4, 4, 4, 1)]
                fields = [torch.empty(1, dtype=torch.int32) for _ in range(6)]
                with Ran() as ran:
                    self._calls(operands, fields)
        ours = [w for w in caught if w.category is msa.MsaFallbackWarning]
        return ran.names, [str(w.message) for w in ours]

    def _calls(self, operands, fields) -> None:
        q, k, v, index_q, index_k = operands
        selection._OPERATORS.of(index_q)(index_q, index_k, fields[4], 0, 1)
        _, lse = attention._FORWARD.of(q)(q, k, v, *fields)
        index_kl._FORWARD.of(q)(q, k, lse, index_q, index_k, False, *fields)


@pytest.fixture
def stand_in(monkeypatch):
    def make(version):
        return StandIn(monkeypatch, version)

    yield make
    dispatch._no_kernel.cache_clear()
    dispatch._warn.cache_clear()


@pytest.mark.parametrize("version", [(9, 0), (10, 0)])
def test_bf16_on_a_gpu_with_kernels_runs_them(stand_in, version):
    names, messages = stand_in(version).run(torch.bfloat16)
    assert "sparse_attention" in names
    assert not [m for m in messages if m.startswith("sparse_attention")]


@pytest.mark.parametrize(
    "version, dtype, reason",
    [
        ((9, 0), torch.float32, "torch.float32"),
        ((9, 0), torch.float64, "torch.float64"),
        ((8, 0), torch.bfloat16, "compute capability 8.0"),
    ],
    ids=str,
)
def test_another_gpu_or_dtype_runs_in_plain_torch_and_says_so_once(
    stand_in, version, dtype, reason
):
    gpu = stand_in(version)
    for first in (True, False):
        names, messages = gpu.run(dtype)
        assert names == [f"{name}_reference" for name in PUBLIC]
        found = [m for m in messages if m.startswith("sparse_attention") and reason in m]
        assert len(found) == first
        assert len(messages) == (len(PUBLIC) if first else 0)


def test_the_warning_points_at_the_call(stand_in):
    stand_in((8, 0))
    with FakeTensorMode(), torch.device("cuda:0"):
        documents = msa.PackedDocuments(
            torch.empty(1, 133, dtype=torch.bool),
            *(torch.empty(133, dtype=torch.int64) for _ in range(3)),
            *(torch.empty(size, dtype=torch.int32) for size in (2, 1)),
            workspace_size=256,
            max_seqlen=133,
        )
        index_q, index_k = (torch.empty(133, heads, 128) for heads in (4, 1))
        with pytest.warns(msa.MsaFallbackWarning) as caught:
            select_blocks(index_q, index_k, documents)
    assert caught[0].filename == __file__


def test_a_forced_reference_does_not_warn(stand_in):
    with msa.backend("reference"):
        names, messages = stand_in((9, 0)).run(torch.bfloat16)
    assert names == [f"{name}_reference" for name in PUBLIC]
    assert not messages
