"""Dense attention against its definition, and the page that shows it."""

import inspect
import pathlib
import re
import types

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from examples.dense_attention import dense_attention
from msa import SOFTMAX_SCALE, PackedDocuments

_PAGE = pathlib.Path(__file__).parents[1] / "docs" / "training.md"
LENGTHS = (1, 130, 0, 300)


def operands(groups: int) -> tuple[list[torch.Tensor], PackedDocuments]:
    generator = torch.Generator().manual_seed(0)
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, *LENGTHS]).cumsum(0))
    q, k, v = (
        torch.randn(sum(LENGTHS), heads, 128, generator=generator, dtype=torch.float64)
        for heads in (16 * groups, groups, groups)
    )
    return [q, k, v], documents


def definition(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Softmax over all pairs of the pack, masked by document and order."""
    document = torch.repeat_interleave(torch.arange(len(LENGTHS)), torch.tensor(LENGTHS))
    visible = (document[:, None] == document).tril()
    group = torch.arange(q.shape[1]) // 16
    logits = torch.einsum("qhc,khc->hqk", q, k[:, group]) * SOFTMAX_SCALE
    logits = logits.masked_fill(~visible, -torch.inf)
    out = torch.einsum("hqk,khc->qhc", logits.softmax(-1), v[:, group])
    return out, logits.logsumexp(-1).t()


@pytest.mark.parametrize("groups", [1, 2])
def test_out_lse_and_gradients_are_those_of_the_definition(groups):
    values, documents = operands(groups)
    leaves = [x.clone().requires_grad_() for x in values]
    wanted_leaves = [x.clone().requires_grad_() for x in values]
    out, lse = dense_attention(*leaves, documents)
    wanted, wanted_lse = definition(*wanted_leaves)
    torch.testing.assert_close(out, wanted, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(lse, wanted_lse.detach(), rtol=1e-9, atol=1e-9)
    grad = values[0].flip(0)
    for name, found, right in zip(
        "qkv",
        torch.autograd.grad(out, leaves, grad),
        torch.autograd.grad(wanted, wanted_leaves, grad),
        strict=True,
    ):
        torch.testing.assert_close(found, right, rtol=1e-8, atol=1e-8, msg=f"d{name}")


def test_lse_is_fp32_for_bf16_and_has_no_gradient():
    values, documents = operands(1)
    _, lse = dense_attention(*(x.bfloat16().requires_grad_() for x in values), documents)
    assert lse.dtype == torch.float32
    assert not lse.requires_grad


def test_arguments_fit_the_gpu_function():
    with FakeTensorMode():  # shapes and dtypes, without a GPU
        offsets = torch.empty(3, dtype=torch.int32, device="cuda")
        documents = types.SimpleNamespace(cu_seqlens=offsets, max_seqlen=15)
        q, k, v = (
            torch.empty(20, heads, 128, dtype=torch.bfloat16, device="cuda") for heads in (32, 2, 2)
        )
        out, lse = dense_attention(q, k, v, documents)
    assert (out.shape, out.dtype) == (q.shape, q.dtype)
    assert (lse.shape, lse.dtype) == (q.shape[:2], torch.float32)


def examples() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", _PAGE.read_text(), re.DOTALL | re.MULTILINE)


def test_the_page_shows_this_very_function():
    shown, _ = examples()
    assert (
        shown.strip()
        == inspect.getsource(inspect.getmodule(dense_attention)).split('"""', 2)[2].strip()
    )


def test_both_stages_of_the_page_run():
    shown, stages = examples()
    values, documents = operands(1)
    generator = torch.Generator().manual_seed(1)
    index = [torch.randn(sum(LENGTHS), 1, 128, generator=generator) for _ in range(2)]
    names: dict = {}
    exec(compile(shown + stages, str(_PAGE), "exec"), names)
    coefficient = torch.tensor(0.5)
    for stage in ("warm_up", "sparse"):
        leaves = [x.float().requires_grad_() for x in (*values, *index)]
        out, loss, divergence, mass = names[stage](*leaves, documents, coefficient)
        torch.testing.assert_close(loss, coefficient * divergence.mean())
        # Documents below 16 blocks keep everything: selection is the same attention.
        torch.testing.assert_close(mass, torch.ones_like(mass), rtol=1e-5, atol=1e-5)
        (out.square().mean() + loss).backward()
        assert all(x.grad.isfinite().all() and x.grad.any() for x in leaves)
