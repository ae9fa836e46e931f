"""Shared by the GPU tests of attention: inputs, supports, the definition on the GPU, comparisons.

Inputs are bf16; what they must give is the float64 definition of the same values.
"""

import math
from typing import NamedTuple

import pytest
import torch

from msa.autograd import sparse_attention
from msa.kernels.runtime.testing import poison_free_memory
from msa.schedule import (
    BLOCK_SIZE,
    GROUP_HEADS,
    HEAD_DIM,
    NUM_KV_HEADS,
    SOFTMAX_SCALE,
    MSABackwardSchedule,
    PackedDocuments,
)
from msa.testing import definition, patterns
from msa.testing.accuracy import compare, head_cosines
from msa.testing.modes import MODES

DEVICE = "cuda"

KEY_LEVEL = 8.0
"""Channel 0 of every key of `with_logits_around`."""

# lse is FP32, so bf16's allowance for large values is not for it: what it may be off by besides its
# tolerance is the rounding of a logit of its size, a sum of 128 products in FP32.
_LOGIT_ROUNDING = 2.0**-18

# Queries x keys of a piece of the definition: 1 GB of float64 logits.
_PIECE_PAIRS = 2**21


class Inputs(NamedTuple):
    """Of attention and its backward, `[T, heads, 128]`."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    grad_out: torch.Tensor


class Results(NamedTuple):
    """Of attention and its backward."""

    out: torch.Tensor
    lse: torch.Tensor
    dq: torch.Tensor
    dk: torch.Tensor
    dv: torch.Tensor


def unit_normal(num_tokens: int, seed: int, num_groups: int = NUM_KV_HEADS) -> Inputs:
    """Unit-normal bf16 inputs, made on the device."""
    generator = torch.Generator(DEVICE).manual_seed(seed)
    q_heads = GROUP_HEADS * num_groups
    heads = (q_heads, num_groups, num_groups, q_heads)
    return Inputs(
        *(
            torch.randn(
                num_tokens,
                count,
                HEAD_DIM,
                generator=generator,
                dtype=torch.bfloat16,
                device=DEVICE,
            )
            for count in heads
        )
    )


def with_logits_around(
    inputs: Inputs, offsets: torch.Tensor | float, levels: torch.Tensor | float = KEY_LEVEL
) -> tuple[Inputs, dict[str, torch.Tensor]]:
    """Adds `offsets` to the logits of each query and head, through channel 0 of q and k.

    Args:
        inputs: unit-normal ones; those returned share `v` and `grad_out`.
        offsets: broadcast to `[T, 16 G]`; rounded as bf16 is.
        levels: of the keys, broadcast to `[T, G]`; a key at another level than `KEY_LEVEL` gets
            that share of the offset.

    Returns:
        The inputs, and the units of their gradients for `assert_right`: those of channel 0 grow
        with the operand that it is multiplied with.
    """
    q, k = inputs.q.clone(), inputs.k.clone()
    q[..., 0] = torch.as_tensor(offsets, device=DEVICE) / (KEY_LEVEL * SOFTMAX_SCALE)
    k[..., 0] = torch.as_tensor(levels, device=DEVICE)
    units = {
        name: torch.ones(HEAD_DIM, device=DEVICE, dtype=torch.float64) for name in ("dq", "dk")
    }
    units["dq"][0] = KEY_LEVEL
    units["dk"][0] = q[..., 0].abs().max().clamp(min=1)
    return inputs._replace(q=q, k=k), units


def with_large_value(inputs: Inputs) -> tuple[Inputs, dict[str, torch.Tensor]]:
    """Sets one element of v to 128; for inputs of more than 100 tokens.

    Returns:
        The inputs, and the units of their results for `assert_right`: larger where the element may
        take part, in one channel of `out`, and in `dq` and `dk` through products with all channels.
    """
    v = inputs.v.clone()
    v[100, 1, 20] = 128
    group = slice(GROUP_HEADS, 2 * GROUP_HEADS)
    out, dq = torch.ones(2, *inputs.q.shape[1:], device=DEVICE, dtype=torch.float64)
    dk = torch.ones(v.shape[1:], device=DEVICE, dtype=torch.float64)
    out[group, 20] = 128 / 4
    dq[group] = dk[1] = 128 / HEAD_DIM**0.5
    return inputs._replace(v=v), {"out": out, "dq": dq, "dk": dk}


def first_block_hot(documents: PackedDocuments) -> torch.Tensor:
    """Random blocks, block 0 among them for every query; on the documents' device."""
    return patterns.hot(documents, torch.Generator(documents.device).manual_seed(1))


every_mode = pytest.mark.parametrize("mode", MODES.values(), ids=MODES.keys())
"""A test for each mode."""


def run(
    inputs: Inputs,
    support: torch.Tensor,
    documents: PackedDocuments,
    schedule: MSABackwardSchedule | None = None,
) -> Results:
    """Attention and its gradients by the public function, of operands on one device."""
    leaves = [x.detach().requires_grad_() for x in inputs[:3]]
    out, lse = sparse_attention(*leaves, support, documents, schedule=schedule, return_lse=True)
    return Results(out.detach(), lse, *torch.autograd.grad(out, leaves, inputs.grad_out))


def define(inputs: Inputs, support: torch.Tensor, documents: PackedDocuments) -> Results:
    """What `run` must give: the dense definition in float64."""
    q, k, v = (x.detach().double().requires_grad_() for x in inputs[:3])
    parts = []
    dk, dv = torch.zeros_like(k), torch.zeros_like(v)
    rows = torch.arange(documents.num_tokens, device=q.device)
    for queries in rows.split(max(1, _PIECE_PAIRS // documents.num_tokens)):
        out, lse = definition.attention_rows(q, k, v, support, documents, queries)
        grads = torch.autograd.grad(out, (q, k, v), inputs.grad_out[queries].double())
        parts.append((out.detach(), lse.detach(), grads[0][queries]))
        dk += grads[1]
        dv += grads[2]
    return Results(*(torch.cat(part) for part in zip(*parts, strict=True)), dk, dv)


def assert_close(
    name: str,
    found: torch.Tensor,
    wanted: torch.Tensor,
    case: str,
    unit: torch.Tensor | float = 1.0,
    slack: float = 1.0,
) -> None:
    """Asserts that a result is within the tolerances of bf16 inputs, and of the dtype it must be.

    Args:
        name: of the result, a field of `Results`.
        found: the result.
        wanted: its definition.
        case: what to name where it fails.
        unit: what its values are multiples of, where inputs are not unit-normal.
        slack: how many times the tolerances are allowed.
    """
    assert found.dtype == (torch.float32 if name == "lse" else torch.bfloat16), f"{case}: {name}"
    comparison = compare(name, found.double() / unit, wanted / unit, torch.bfloat16, slack=slack)
    assert comparison.passed, f"{case}: {comparison}"
    if name == "lse":
        allowed = comparison.tolerance.absolute + _LOGIT_ROUNDING * wanted.abs()
        wrong = (found != wanted) & ~((found - wanted).abs() <= allowed)
        assert not wrong.any(), f"{case}: lse differs in {int(wrong.sum())} elements"
    else:
        cosines = head_cosines(found.double() / unit, wanted / unit)
        least = comparison.tolerance.cosine
        assert (cosines >= least).all(), (
            f"{case}: {name} of heads, cosines below {least}: {cosines}"
        )


def assert_right(
    found: Results,
    wanted: Results,
    case: str,
    slack: float = 1.0,
    **units: torch.Tensor | float,
) -> None:
    """Asserts all results: close, and exactly zero where no query and key see each other.

    Args:
        found: what `run` gave.
        wanted: what `define` gave.
        case: what to name where it fails.
        slack: see `assert_close`.
        **units: by field of `Results`, see `assert_close`.
    """
    for name, one, other in zip(Results._fields, found, wanted, strict=True):
        assert one.shape == other.shape, f"{case}: {name}"
        assert one.is_contiguous(), f"{case}: {name}"
        assert_close(name, one, other, case, units.get(name, 1.0), slack)
    blind = wanted.lse.isneginf()
    unseen = (wanted.dv == 0).all(dim=-1)
    for name, rows in (("out", blind), ("dq", blind), ("dk", unseen), ("dv", unseen)):
        assert not getattr(found, name)[rows].any(), f"{case}: {name} where nothing is seen"


def check(
    inputs: Inputs,
    support: torch.Tensor,
    documents: PackedDocuments,
    case: str,
    modes: tuple[str, ...] = tuple(MODES),
    slack: float = 1.0,
    **units: torch.Tensor | float,
) -> Results:
    """Asserts that every mode is right, in memory that was poisoned; returns the definition.

    Args:
        inputs: on the device.
        support: on any device, as `documents`.
        documents: layout of the tokens.
        case: what to name where it fails.
        modes: which of `MODES`.
        slack: see `assert_right`.
        **units: see `assert_right`.
    """
    support, documents = support.to(DEVICE), documents.to(DEVICE)
    wanted = define(inputs, support, documents)
    for mode in modes:
        poison_free_memory()
        with MODES[mode]():
            found = run(inputs, support, documents)
        assert_right(found, wanted, f"{case}, {mode}", slack, **units)
    return wanted


def define_block(
    inputs: Inputs,
    found: Results,
    support: torch.Tensor,
    documents: PackedDocuments,
    head: int,
    keys: slice,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`dk` and `dv` of one key block in float64, from all queries that selected it.

    The weights and deltas of the queries are those of `found`, its `lse` and `out`, so that these
    need not be defined for all queries: whether they are right is for `expected.attention` to say.

    Args:
        inputs: bf16, of `T` tokens.
        found: their results.
        support: int32 `[G, T, 16]`.
        documents: layout of the tokens.
        head: KV head of the block.
        keys: compact rows of the block, up to its document's end.

    Returns:
        Both `[keys, 128]`.
    """
    tokens = torch.arange(documents.num_tokens, device=support.device)
    starts = tokens - documents.document_positions
    block = documents.document_positions[keys.start] // BLOCK_SIZE
    selected = (support[head] == block).any(dim=-1)
    selected &= (starts == starts[keys.start]) & (tokens >= keys.start)
    k, v = (x[keys, head].double() for x in (inputs.k, inputs.v))
    dk, dv = torch.zeros_like(k), torch.zeros_like(v)
    heads = slice(head * GROUP_HEADS, (head + 1) * GROUP_HEADS)
    for queries in selected.nonzero()[:, 0].split(_PIECE_PAIRS // BLOCK_SIZE):
        q, grad_out, out = (
            x[queries, heads].double() for x in (inputs.q, inputs.grad_out, found.out)
        )
        hidden = tokens[keys] > queries[:, None]
        logits = (q @ k.T * SOFTMAX_SCALE).masked_fill(hidden[:, None], -math.inf)
        weights = (logits - found.lse[queries, heads, None].double()).exp()
        delta = (grad_out * out).sum(dim=-1, keepdim=True)
        ds = weights * (grad_out @ v.T - delta)
        dk += SOFTMAX_SCALE * torch.einsum("nht,nhc->tc", ds, q)
        dv += torch.einsum("nht,nhc->tc", weights, grad_out)
    return dk, dv
