"""The dense definition of MSA for chosen queries, against which everything else is tested.

Built from document positions and the support alone, without the schedule and the blockwise
operators, in the dtype of its inputs; tests pass float64. Results are differentiable by plain
autograd. Memory grows with queries x tokens: ask for as many queries as fit.
"""

import math

import torch

from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import (
    BLOCK_SIZE,
    GROUP_HEADS,
    INDEX_DIM,
    SOFTMAX_SCALE,
    TOPK_BLOCKS,
)


def causal_keys(documents: PackedDocuments, queries: torch.Tensor) -> torch.Tensor:
    """bool `[n, T]`: the keys of each query's own document at or before it.

    Args:
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, compact rows.
    """
    tokens = torch.arange(documents.num_tokens, device=documents.device)
    document_starts = tokens - documents.document_positions
    same_document = document_starts[queries, None] == document_starts
    return same_document & (tokens <= queries[:, None])


def visible_keys(
    support: torch.Tensor, documents: PackedDocuments, queries: torch.Tensor
) -> torch.Tensor:
    """bool `[G, n, T]`: the causal keys of each query that lie in a block it selected.

    An id of a block without such keys, or -1, selects nothing.

    Args:
        support: int32 `[G, T, 16]`, document-local block ids in any order.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, compact rows.
    """
    key_blocks = documents.document_positions // BLOCK_SIZE
    selected = torch.zeros(
        support.shape[0],
        queries.numel(),
        documents.num_tokens,
        dtype=torch.bool,
        device=support.device,
    )
    for slot in range(TOPK_BLOCKS):
        selected |= support[:, queries, slot, None] == key_blocks
    return selected & causal_keys(documents, queries)


def attention_rows(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    queries: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`out` `[n, 16 G, 128]` and natural-log `lse` `[n, 16 G]` of the queries at rows `queries`.

    A query that sees no key has `out` 0, `lse` -inf and zero gradients.

    Args:
        q: `[T, 16 G, 128]`.
        k: `[T, G, 128]`.
        v: `[T, G, 128]`.
        support: int32 `[G, T, 16]`.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, compact rows.
    """
    probabilities, lse = softmax(*_attention_logits(q, k, support, documents, queries))
    out = torch.einsum("nght,tgc->nghc", probabilities, v)
    return out.flatten(1, 2), lse.flatten(1, 2)


def selection_rows(
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    documents: PackedDocuments,
    queries: torch.Tensor,
    *,
    init_blocks: int = 0,
    local_blocks: int = 1,
) -> torch.Tensor:
    """Blocks that the queries at rows `queries` select: int32 `[G, n, 16]`, ascending, then -1.

    NaN ranks equal to +inf, and ties go to the lower id.

    Args:
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, compact rows.
        init_blocks: blocks at the document's start that are kept whatever they score.
        local_blocks: blocks up to the query's own that are kept whatever they score.
    """
    scores = torch.einsum("ngc,tc->gnt", index_q[queries], index_k[:, 0])
    scores = torch.where(scores.isnan(), math.inf, scores)
    causal = causal_keys(documents, queries)
    key_blocks = documents.document_positions // BLOCK_SIZE
    support = torch.full((index_q.shape[1], queries.numel(), TOPK_BLOCKS), -1, dtype=torch.int32)
    for row, query in enumerate(queries.tolist()):
        own = int(key_blocks[query])
        keys_of = [causal[row] & (key_blocks == block) for block in range(own + 1)]
        for head in range(index_q.shape[1]):
            ranking = sorted(
                (
                    not (block < init_blocks or block > own - local_blocks),
                    -scores[head, row, keys].max().item(),
                    block,
                )
                for block, keys in enumerate(keys_of)
            )
            kept = sorted(block for _, _, block in ranking[:TOPK_BLOCKS])
            support[head, row, : len(kept)] = torch.tensor(kept, dtype=torch.int32)
    return support.to(index_q.device)


def index_kl_rows(
    q: torch.Tensor,
    k: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    queries: torch.Tensor,
    lse_bound: float = 2.0**51,
) -> torch.Tensor:
    """KL divergence `[n, G]` of the index branch from the main branch, per query and index head.

    The main branch's distribution is the mean over those heads of a group whose log-sum-exp is
    below `lse_bound` in size, and has no gradient. A query without such a head has 0, and so has
    one that sees no key.

    Args:
        q: `[T, 16 G, 128]`.
        k: `[T, G, 128]`.
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`.
        support: int32 `[G, T, 16]`.
        documents: layout of the `T` tokens.
        queries: int64 `[n]`, compact rows.
        lse_bound: 2^51 for FP64 inputs, 2^22 for what is computed in FP32.
    """
    logits, visible = _attention_logits(q, k, support, documents, queries)
    index_logits = torch.einsum("ngc,tc->ngt", index_q[queries], index_k[:, 0])
    return divergence(logits, index_logits / math.sqrt(INDEX_DIM), visible, lse_bound)


def divergence(
    logits: torch.Tensor, index_logits: torch.Tensor, visible: torch.Tensor, lse_bound: float
) -> torch.Tensor:
    """KL divergence `[n, G]` of logits over `m` keys each; see `index_kl_rows`.

    Args:
        logits: of the main branch, `[n, G, 16, m]`, scaled; they have no gradient.
        index_logits: `[n, G, m]`, scaled.
        visible: bool `[n, G, 1, m]`, which keys take part.
        lse_bound: see there.
    """
    with torch.no_grad():
        probabilities, lse = softmax(logits, visible)
        kept = (lse.abs() < lse_bound).unsqueeze(-1)
        teacher = probabilities.masked_fill(~kept, 0).sum(dim=2) / kept.sum(dim=2).clamp(min=1)
    visible = visible.squeeze(2)
    hidden_or_empty = ~visible & visible.any(dim=-1, keepdim=True)
    student_log = index_logits.masked_fill(hidden_or_empty, -math.inf).log_softmax(dim=-1)
    terms = torch.xlogy(teacher, teacher) - teacher * student_log.masked_fill(~visible, 0)
    return terms.sum(dim=-1)


def _attention_logits(
    q: torch.Tensor,
    k: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    queries: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scaled logits `[n, G, 16, T]` and which of their keys are visible, bool `[n, G, 1, T]`."""
    grouped = q[queries].unflatten(1, (-1, GROUP_HEADS))
    logits = torch.einsum("nghc,tgc->nght", grouped, k) * SOFTMAX_SCALE
    visible = visible_keys(support, documents, queries)
    return logits, visible.transpose(0, 1).unsqueeze(2)


def softmax(logits: torch.Tensor, visible: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Softmax over the visible keys, 0 where none is, and the log-sum-exp."""
    empty = ~visible.any(dim=-1, keepdim=True)
    # An empty row takes the softmax of finite logits, so that its gradient is 0 and not NaN.
    logits = logits.masked_fill(~visible & ~empty, -math.inf)
    probabilities = logits.softmax(dim=-1).masked_fill(~visible, 0)
    return probabilities, logits.logsumexp(dim=-1).masked_fill(empty.squeeze(-1), -math.inf)
