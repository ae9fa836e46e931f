"""Block-sparse attention, forward and backward, blockwise in plain torch.

Both passes walk the work items of the schedule: each multiplies the 16 heads of up to 256 queries
with the keys of one block that they selected. Sums over items are kept in FP32 (FP64 for FP64
inputs). Memory is linear in the number of tokens.
"""

import math

import torch

from msa.reference.precision import accumulation_dtype, below_autograd_and_autocast
from msa.reference.work_items import WorkItem, work_items
from msa.schedule.backward_schedule import MSABackwardSchedule
from msa.schedule.topology import GROUP_HEADS, HEAD_DIM, SOFTMAX_SCALE

# Exponentials use base 2, with log2(e) folded into the scale: on a CPU exp2 takes half the time of
# exp, and a hundredth of it where results underflow.
_LOG2_E = math.log2(math.e)

# Group rows multiplied at once: 8 MB of FP32 products.
_PRODUCT_ROWS = 1024


@below_autograd_and_autocast
def attention_forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, schedule: MSABackwardSchedule
) -> tuple[torch.Tensor, torch.Tensor]:
    """Softmax attention of each query over the visible keys of its selected blocks.

    An online softmax: each query and head keeps the running maximum of its logits, the sum of their
    exponentials below it and the weighted sum of values, all rescaled when the maximum grows.

    Args:
        q: bf16, FP32 or FP64 `[T, 16 G, 128]`.
        k: of the same dtype, `[T, G, 128]`.
        v: of the same dtype, `[T, G, 128]`.
        schedule: the schedule of the support.

    Returns:
        `out` `[T, 16 G, 128]` in the dtype of `q`, and natural-log `lse` `[T, 16 G]` in FP32 (FP64
        for FP64); 0 and -inf for a query without a visible key.
    """
    dtype = accumulation_dtype(q.dtype)
    num_groups = k.shape[1]
    q_rows = _group_rows(q)
    # The loop updates these results through views.
    result = torch.zeros_like(q, dtype=dtype, memory_format=torch.contiguous_format)
    lse = q.new_full(q.shape[:2], -math.inf, dtype=dtype)
    out, maximum = _group_rows(result), lse.view(-1, GROUP_HEADS)
    total = torch.zeros_like(maximum)

    for item in work_items(schedule):
        rows = item.queries * num_groups + item.head
        values = v[item.keys, item.head].to(dtype)
        logits = _logits(_gather(q_rows, rows, dtype), k, item)
        old_maximum = maximum.index_select(0, rows)
        new_maximum = torch.maximum(old_maximum, logits.amax(dim=1).view_as(old_maximum))
        # Overflowing products give logits of -inf. Until a row has another logit, its weights are
        # 0.
        base = new_maximum.masked_fill(new_maximum == -math.inf, 0)
        weights = logits.sub_(base.view(-1, 1)).exp2_()
        rescale = old_maximum.sub_(base).exp2_()

        item_total = total.index_select(0, rows).mul_(rescale)
        item_total += weights.sum(dim=1).view_as(item_total)
        item_out = _gather(out, rows, dtype).mul_(rescale.view(-1, 1)).addmm_(weights, values)
        maximum.index_copy_(0, rows, new_maximum)
        total.index_copy_(0, rows, item_total)
        out.index_copy_(0, rows, item_out.view(len(rows), -1))

    maximum.add_(total.log2()).mul_(1 / _LOG2_E)
    out.view(-1, HEAD_DIM).div_(total.masked_fill_(total == 0, 1).view(-1, 1))
    return result.to(q.dtype), lse


@below_autograd_and_autocast
def attention_backward(
    grad_out: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    schedule: MSABackwardSchedule,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients of `attention_forward`, with the probabilities recomputed from `lse`.

    With `P = exp(scale * q kᵀ - lse)`, `dP = dO vᵀ` and `delta = rowsum(dO * O)`:
    `dS = P * (dP - delta)`, `dq = scale * dS k`, `dk = scale * dSᵀ q`, `dv = Pᵀ dO`; dk and dv are
    sums over the 16 heads that read a KV head. Where `lse` is too large for that (see
    `weights_base`), `P` is 0.

    Args:
        grad_out: `[T, 16 G, 128]` in the dtype of `out`.
        q: as in the forward.
        k: as in the forward.
        v: as in the forward.
        out: from the forward.
        lse: from the forward.
        schedule: as in the forward.

    Returns:
        `dq`, `dk`, `dv` in the shapes and dtype of `q`, `k`, `v`; exactly 0 for a query without a
        visible key and for a key that no query sees.
    """
    dtype = accumulation_dtype(q.dtype)
    num_groups = k.shape[1]
    q_rows = _group_rows(q)
    grad_rows = _group_rows(grad_out)
    delta = _row_sums_of_products(grad_rows, _group_rows(out), dtype)
    lse_base2 = (weights_base(lse) * _LOG2_E).reshape(-1, GROUP_HEADS)
    dq = torch.zeros_like(q, dtype=dtype, memory_format=torch.contiguous_format)
    dq_rows = _group_rows(dq)
    dk = torch.zeros_like(k, dtype=dtype, memory_format=torch.contiguous_format)
    dv = torch.zeros_like(v, dtype=dtype, memory_format=torch.contiguous_format)

    for item in work_items(schedule):
        rows = item.queries * num_groups + item.head
        queries = _gather(q_rows, rows, dtype)
        grads = _gather(grad_rows, rows, dtype)
        keys = k[item.keys, item.head].to(dtype)
        values = v[item.keys, item.head].to(dtype)
        logits = _logits(queries, k, item)
        weights = logits.sub_(lse_base2.index_select(0, rows).view(-1, 1)).exp2_()
        dv[item.keys, item.head].addmm_(weights.t(), grads)
        ds = (grads @ values.t()).sub_(delta.index_select(0, rows).view(-1, 1)).mul_(weights)
        dk[item.keys, item.head].addmm_(ds.t(), queries)
        dq_rows.index_add_(0, rows, (ds @ keys).view(len(rows), -1))

    return (
        dq.mul_(SOFTMAX_SCALE).to(q.dtype),
        dk.mul_(SOFTMAX_SCALE).to(k.dtype),
        dv.to(v.dtype),
    )


def mean_probabilities(
    q: torch.Tensor, k: torch.Tensor, lse: torch.Tensor, item: WorkItem
) -> torch.Tensor:
    """`exp(scale * q k - lse)` of a work item, `[queries, keys]`: the mean of the group's 16 heads.

    A head whose `lse` is too large for weights (see `weights_base`) counts as 0.

    Args:
        q: `[T, 16 G, 128]`, contiguous.
        k: `[T, G, 128]`.
        lse: `[T, 16 G]`, contiguous, of the forward over the same support.
        item: which queries, keys and heads.
    """
    rows = item.queries * k.shape[1] + item.head
    logits = _logits(_gather(_group_rows(q), rows, lse.dtype), k, item)
    base = weights_base(lse.view(-1, GROUP_HEADS).index_select(0, rows)).view(-1, 1) * _LOG2_E
    weights = logits.sub_(base).exp2_().masked_fill_(base == math.inf, 0)  # not inf - inf
    return weights.unflatten(0, (-1, GROUP_HEADS)).mean(dim=1)


def softmax_base(lse: torch.Tensor) -> torch.Tensor:
    """`lse` with inf in place of -inf, so that a row of -inf logits has weights of 0, not NaN."""
    return lse.masked_fill(lse == -math.inf, math.inf)


def weights_base(lse: torch.Tensor) -> torch.Tensor:
    """`softmax_base`, with inf also where `lse` is too large to compute weights from it.

    The limit is 2^22 in size for FP32 and 2^51 for FP64. Below it, the rounding of logits and `lse`
    changes a weight by a factor of about 2 at most; far above it, by any factor up to inf.
    """
    return softmax_base(lse).masked_fill(lse.abs() >= 0.5 / torch.finfo(lse.dtype).eps, math.inf)


def _group_rows(x: torch.Tensor) -> torch.Tensor:
    """`[T, 16 G, 128]` as `[T * G, 16 * 128]`: row `G t + g` is group `g` of token `t`."""
    return x.reshape(-1, GROUP_HEADS * HEAD_DIM)


def _gather(group_rows: torch.Tensor, rows: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Group rows `rows`, one matrix row per head: `[rows * 16, 128]`."""
    return group_rows.index_select(0, rows).to(dtype).view(-1, HEAD_DIM)


def _logits(queries: torch.Tensor, k: torch.Tensor, item: WorkItem) -> torch.Tensor:
    """Scaled base-2 logits `[queries * 16, keys]` of a work item, -inf at hidden keys."""
    keys = k[item.keys, item.head].to(queries.dtype) * (SOFTMAX_SCALE * _LOG2_E)
    logits = queries @ keys.t()
    if item.hidden is not None:
        logits.unflatten(0, (-1, GROUP_HEADS)).masked_fill_(item.hidden[:, None], -math.inf)
    return logits


def _row_sums_of_products(a: torch.Tensor, b: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """`rowsum(a * b)` `[T * G, 16]` of group rows, without a product of their full size."""
    sums = a.new_empty((a.shape[0], GROUP_HEADS), dtype=dtype)
    parts = (x.split(_PRODUCT_ROWS) for x in (a, b, sums))
    for part_a, part_b, part_sums in zip(*parts, strict=True):
        products = part_a.to(dtype) * part_b.to(dtype)
        torch.sum(products.unflatten(1, (GROUP_HEADS, HEAD_DIM)), dim=2, out=part_sums)
    return sums
