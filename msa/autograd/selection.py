"""The selection operator `msa::select_blocks`, and its public function."""

import torch

from msa.autograd import arguments, dispatch
from msa.reference import selection
from msa.schedule.documents import PackedDocuments
from msa.schedule.profiling import recorded
from msa.schedule.topology import TOPK_BLOCKS


@recorded
def select_blocks(
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    documents: PackedDocuments,
    *,
    init_blocks: int = 0,
    local_blocks: int = 1,
) -> torch.Tensor:
    """Selects at most 16 key blocks per query and index head.

    A block of a query's own document scores the largest `index_q . index_k` over its keys at or
    before the query. Kept are the first `init_blocks` blocks, the last `local_blocks` up to the
    query's own, and the best of the rest; ties go to the lower id. The result is bitwise repeatable
    and not differentiable; no head, document or query affects the result of another.

    Args:
        index_q: bf16, FP32 or FP64 `[T, G, 128]` of 1, 2, 4 or 8 groups; each index head
            selects on its own.
        index_k: of the same dtype, `[T, 1, 128]`, shared by the index heads.
        documents: layout of the `T` tokens.
        init_blocks: blocks forced at the start of the document.
        local_blocks: blocks forced up to the query's own.

    Returns:
        int32 `[G, T, 16]`: `min(16, position // 128 + 1)` distinct document-local block ids,
        ascending, then -1.

    Raises:
        TypeError: an argument has a wrong type or dtype.
        ValueError: an operand has a wrong shape or device, or the numbers of forced blocks are
            negative or sum to more than 16.
    """
    index_q, index_k = arguments.cast_operands(index_q=index_q, index_k=index_k)
    arguments.check_documents_type(documents)
    init_blocks, local_blocks = arguments.check_forced_blocks(init_blocks, local_blocks)
    arguments.check_layouts(documents, index_q=index_q, index_k=index_k)
    # Detached, since torch.func refuses to differentiate an operator that has no derivative.
    index_q, index_k = index_q.detach(), index_k.detach()
    operator = _OPERATORS.of(index_q)
    return operator(index_q, index_k, documents.cu_seqlens, init_blocks, local_blocks)


def _fake(index_q, index_k, cu_seqlens, init_blocks, local_blocks):
    num_tokens, num_heads, _ = index_q.shape
    return cu_seqlens.new_empty(num_heads, num_tokens, TOPK_BLOCKS)


_OPERATORS = dispatch.define(
    "select_blocks",
    "(Tensor index_q, Tensor index_k, Tensor cu_seqlens, SymInt init_blocks, SymInt local_blocks) "
    "-> Tensor",
    selection.select_blocks,
    _fake,
)
