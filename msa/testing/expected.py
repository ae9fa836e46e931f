"""The float64 definition of what the passes compute, at sampled queries of any number of tokens.

A query's keys are gathered by its support, some 10 MB a query and group. `out`, `lse` and dq of
a query depend on that query alone. dk and dv are sums over all queries, so gradients are those for
an output gradient that is zero except at the sample: then the sample gives dk and dv whole.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch

from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, INDEX_DIM, SOFTMAX_SCALE
from msa.testing import definition

_QUERIES_AT_A_TIME = 16


class _Keys(NamedTuple):
    """What some queries see.

    Attributes:
        queries: int64 `[n]`, compact rows.
        rows: int64 `[n, G, 2048]`, compact rows of the keys of each slot.
        visible: bool `[n, G, 1, 2048]`, which of them take part.
    """

    queries: torch.Tensor
    rows: torch.Tensor
    visible: torch.Tensor

    def of(self, x: torch.Tensor) -> torch.Tensor:
        """Rows of `x` `[T, G or 1, 128]` at the keys, float64 `[n, G, 2048, 128]`."""
        heads = torch.arange(self.rows.shape[1], device=x.device)[:, None]
        return x[self.rows, heads if x.shape[1] > 1 else 0].double()


def only_at(rows: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """`x` at the leading indices `rows`, zeros elsewhere."""
    result = torch.zeros_like(x)
    result[rows] = x[rows]
    return result


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    grad_out: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    queries: torch.Tensor,
) -> dict[str, torch.Tensor]:
    """Attention of `queries`, and its gradients for a `grad_out` that is zero at all others.

    Args:
        q: `[T, 16 G, 128]`.
        k: `[T, G, 128]`.
        v: `[T, G, 128]`.
        grad_out: `[T, 16 G, 128]`.
        support: int32 `[G, T, 16]`, valid by `check_support`.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, compact rows.

    Returns:
        float64 `out` `[n, 16 G, 128]`, `lse` `[n, 16 G]`, `dq` `[n, 16 G, 128]`, and `dk`, `dv`
        `[T, G, 128]`.
    """
    rows = {"out": [], "lse": [], "dq": []}
    sums = {name: torch.zeros_like(k, dtype=torch.float64) for name in ("dk", "dv")}
    heads = torch.arange(k.shape[1], device=k.device)[:, None]
    for seen in _seen_by(support, documents, queries):
        q64 = q[seen.queries].detach().double().requires_grad_()
        k64, v64 = (seen.of(x.detach()).requires_grad_() for x in (k, v))
        probabilities, lse = definition.softmax(_logits(q64, k64), seen.visible)
        out = torch.einsum("nght,ngtc->nghc", probabilities, v64).flatten(1, 2)
        grads = torch.autograd.grad(out, (q64, k64, v64), grad_out[seen.queries].double())
        for name, part in zip(rows, (out, lse.flatten(1, 2), grads[0]), strict=True):
            rows[name].append(part.detach())
        for total, part in zip(sums.values(), grads[1:], strict=True):
            total.index_put_((seen.rows, heads), part, accumulate=True)
    return {name: torch.cat(parts) for name, parts in rows.items()} | sums


def index_q_grad(
    q: torch.Tensor,
    k: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    queries: torch.Tensor,
) -> torch.Tensor:
    """Gradients of the summed KL divergences of `queries` for their `index_q`.

    Args:
        q: `[T, 16 G, 128]`.
        k: `[T, G, 128]`.
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`.
        support: int32 `[G, T, 16]`, valid by `check_support`.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, compact rows.

    Returns:
        float64 `[n, G, 128]`.
    """
    grads = []
    for seen in _seen_by(support, documents, queries):
        leaf = index_q[seen.queries].detach().double().requires_grad_()
        index_logits = torch.einsum("ngc,ngtc->ngt", leaf, seen.of(index_k.detach()))
        divergences = definition.divergence(
            _logits(q[seen.queries].detach().double(), seen.of(k.detach())),
            index_logits / math.sqrt(INDEX_DIM),
            seen.visible,
            lse_bound=math.inf,
        )
        grads += torch.autograd.grad(divergences.sum(), leaf)
    return torch.cat(grads)


def _logits(q: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Scaled logits `[n, G, 16, 2048]` of `q` `[n, 16 G, 128]` and keys `[n, G, 2048, 128]`."""
    return torch.einsum("nghc,ngtc->nght", q.unflatten(1, (-1, GROUP_HEADS)), keys) * SOFTMAX_SCALE


def _seen_by(
    support: torch.Tensor, documents: PackedDocuments, queries: torch.Tensor
) -> Iterator[_Keys]:
    """What the queries see, some of them at a time."""
    for some in queries.split(_QUERIES_AT_A_TIME):
        positions = documents.document_positions[some]
        ids = support[:, some].long().transpose(0, 1)[..., None]  # [n, G, 16, 1]
        keys = ids * BLOCK_SIZE + torch.arange(BLOCK_SIZE, device=ids.device)
        visible = (ids >= 0) & (keys <= positions[:, None, None, None])
        rows = keys.masked_fill(~visible, 0) + (some - positions)[:, None, None, None]
        yield _Keys(some, rows.flatten(2), visible.flatten(2).unsqueeze(2))
