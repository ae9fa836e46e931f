"""The float64 definition of what the passes compute, at sampled queries.

`out`, `lse` and dq of a query depend on that query alone. dk and dv are sums over all queries, so
gradients are checked for an output gradient that is zero except at the sample: then the sample
gives dk and dv whole.
"""

import torch

from msa.benchmarks.sampling import pieces
from msa.reference import definition
from msa.schedule import PackedDocuments


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
        support: int32 `[G, T, 16]`.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, ascending compact rows.

    Returns:
        float64 `out` `[n, 16 G, 128]`, `lse` `[n, 16 G]`, `dq` `[n, 16 G, 128]`, and `dk`, `dv`
        `[T, G, 128]`.
    """
    rows = {"out": [], "lse": [], "dq": []}
    dk = torch.zeros_like(k, dtype=torch.float64)
    dv = torch.zeros_like(v, dtype=torch.float64)
    for layout, document, positions in pieces(documents, queries):
        q64 = _leaf_at(positions, q[document])
        k64, v64 = (x[document].detach().double().requires_grad_() for x in (k, v))
        out, lse = definition.attention_rows(q64, k64, v64, support[:, document], layout, positions)
        grads = torch.autograd.grad(out, (q64, k64, v64), grad_out[document][positions].double())
        rows["out"].append(out.detach())
        rows["lse"].append(lse.detach())
        rows["dq"].append(grads[0][positions])
        dk[document] += grads[1]
        dv[document] += grads[2]
    return {name: torch.cat(parts) for name, parts in rows.items()} | {"dk": dk, "dv": dv}


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
        support: int32 `[G, T, 16]`.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, ascending compact rows.

    Returns:
        float64 `[n, G, 128]`.
    """
    grads = []
    for layout, document, positions in pieces(documents, queries):
        index_q64 = _leaf_at(positions, index_q[document])
        divergences = definition.index_kl_rows(
            _leaf_at(positions, q[document]),
            k[document].detach().double(),
            index_q64,
            index_k[document].detach().double(),
            support[:, document],
            layout,
            positions,
        )
        grads.append(torch.autograd.grad(divergences.sum(), index_q64)[0][positions])
    return torch.cat(grads)


def _leaf_at(rows: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """A float64 leaf with rows `rows` of a large `x`; the others are zeros, never touched."""
    leaf = torch.zeros(x.shape, dtype=torch.float64, device=x.device)
    leaf[rows] = x[rows].detach().double()
    return leaf.requires_grad_()
