"""The KL loss that trains the index branch, and its gradients, blockwise in plain torch.

For the selected keys, both walk the work items of the schedule, as attention does; for all causal
keys, work items that are derived from the layout of the documents. Memory is linear in the number
of tokens.
"""

import functools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch

from msa.reference.attention import mean_probabilities, softmax_base
from msa.reference.precision import accumulation_dtype, below_autograd_and_autocast
from msa.reference.work_items import WorkItem, dense_work_items, work_items
from msa.schedule.backward_schedule import MSABackwardSchedule
from msa.schedule.topology import INDEX_DIM

_INDEX_SCALE = INDEX_DIM**-0.5

# Yields the same items on every call.
_Walk = Callable[[], Iterator[WorkItem]]


@below_autograd_and_autocast
def index_kl(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    with_gradients: bool,
    schedule: MSABackwardSchedule,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Sum over queries and index heads of the KL divergence of the index branch from attention.

    Over the visible keys of a query's selected blocks, `P̄` is the mean of the attention
    probabilities of those of a group's 16 heads whose `lse` is below 2^22 in size (FP64: 2^51, see
    `weights_base`), and `P_idx` the softmax of `index_q . index_k / sqrt(128)`; the divergence is
    `sum P̄ (log P̄ - log P_idx)`, and its gradient with respect to the index logits `P_idx - P̄`. A
    query without such a head, or without a visible key, adds 0 and has no gradient.

    `P̄` and `P_idx` are normalised by their own sums, which rounding moves away from 1 where logits
    are large. So the divergence is never negative, and the gradient is consistent with it.

    Args:
        q: bf16, FP32 or FP64 `[T, 16 G, 128]`.
        k: of the same dtype, `[T, G, 128]`.
        lse: FP32 (FP64 for FP64) `[T, 16 G]`, from the attention forward over the same support.
        index_q: of the dtype of `q`, `[T, G, 128]`.
        index_k: of the dtype of `q`, `[T, 1, 128]`.
        with_gradients: whether to compute the gradients.
        schedule: the schedule of the support.

    Returns:
        The sum, a scalar, and `divergence` `[T, G]`, of each query and index head, both FP32 (FP64
        for FP64); and the gradients of the sum with respect to `index_q` and `index_k`, of their
        shapes and dtype, or `[0]` without gradients.
    """
    walk = functools.partial(work_items, schedule)
    return _index_kl(q, k, lse, index_q, index_k, with_gradients, walk)


@below_autograd_and_autocast
def dense_index_kl(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    with_gradients: bool,
    cu_seqlens: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """`index_kl` over all keys of a query's document up to itself.

    Args:
        q: as there, and so the next four; `lse` is that of dense causal attention.
        k: `[T, G, 128]`.
        lse: `[T, 16 G]`.
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`.
        with_gradients: as there.
        cu_seqlens: int32 `[documents + 1]`.
    """
    walk = functools.partial(dense_work_items, cu_seqlens, k.shape[1])
    return _index_kl(q, k, lse, index_q, index_k, with_gradients, walk)


def _index_kl(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    with_gradients: bool,
    walk: _Walk,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    q, lse = q.contiguous(), lse.contiguous()
    student = _student_statistics(index_q, index_k, walk)
    divergence, teacher_sum = (torch.zeros_like(student.maximum) for _ in range(2))
    for item in walk():
        teacher = mean_probabilities(q, k, lse, item)
        student_log = _student_log(index_q, index_k, student, item)
        terms = torch.xlogy(teacher, teacher) - teacher * student_log
        terms.masked_fill_(teacher == 0, 0)  # not 0 * -inf, at hidden keys and others
        divergence[:, item.head].index_add_(0, item.queries, terms.sum(dim=1))
        teacher_sum[:, item.head].index_add_(0, item.queries, teacher.sum(dim=1))
    # Dividing by the teacher's sum normalises it and makes it the mean over the heads that count.
    total = teacher_sum.masked_fill(teacher_sum == 0, 1)
    divergence.div_(total).sub_(total.log_())
    if not with_gradients:
        return divergence.sum(), divergence, index_q.new_empty(0), index_k.new_empty(0)

    # A second walk, since the gradient of index_k needs each query's complete teacher_sum.
    dtype = divergence.dtype
    grad_q = torch.zeros_like(index_q, dtype=dtype, memory_format=torch.contiguous_format)
    grad_k = torch.zeros_like(index_k, dtype=dtype, memory_format=torch.contiguous_format)
    for item in walk():
        item_sum = teacher_sum[item.queries, item.head, None]
        teacher = mean_probabilities(q, k, lse, item).div_(item_sum)
        grad_logits = _student_log(index_q, index_k, student, item).exp_().sub_(teacher)
        grad_logits.masked_fill_(item_sum == 0, 0)
        queries = index_q[item.queries, item.head].to(dtype)
        keys = index_k[item.keys, 0].to(dtype)
        grad_q[:, item.head].index_add_(0, item.queries, grad_logits @ keys)
        grad_k[item.keys, 0].addmm_(grad_logits.t(), queries)
    grad_q, grad_k = (grad.mul_(_INDEX_SCALE).to(index_q.dtype) for grad in (grad_q, grad_k))
    return divergence.sum(), divergence, grad_q, grad_k


@below_autograd_and_autocast
def scale_unit_gradients(
    unit_q: torch.Tensor, unit_k: torch.Tensor, grad_total: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Scales the gradients of the sum of divergences by the gradient of that sum, `grad_total`.

    Args:
        unit_q: gradient of the sum with respect to `index_q`.
        unit_k: the same of `index_k`.
        grad_total: scalar, FP32 (FP64 for FP64). Where it is 0 so are the results, whatever the
            other operands hold.

    Returns:
        `grad_total * unit_q` and `grad_total * unit_k`, rounded once to the dtype of each.
    """
    # Not 0-dimensional: such a factor would first be rounded to the dtype of the other operand.
    factor = grad_total.view(1, 1, 1)
    is_zero = factor == 0
    grad_q, grad_k = (
        torch.mul(unit, factor, out=torch.empty_like(unit)).masked_fill_(is_zero, 0)
        for unit in (unit_q, unit_k)
    )
    return grad_q, grad_k


class _Student(NamedTuple):
    """Softmax statistics of the index branch, `[T, G]`.

    Attributes:
        maximum: the largest index logit, -inf without a visible key.
        exp_sum: the sum of the exponentials below it.
    """

    maximum: torch.Tensor
    exp_sum: torch.Tensor


def _student_statistics(index_q: torch.Tensor, index_k: torch.Tensor, walk: _Walk) -> _Student:
    exp_sum = index_q.new_zeros(index_q.shape[:2], dtype=accumulation_dtype(index_q.dtype))
    maximum = torch.full_like(exp_sum, -math.inf)
    for item in walk():
        logits = _index_logits(index_q, index_k, item)
        old_maximum = maximum[item.queries, item.head]
        new_maximum = torch.maximum(old_maximum, logits.amax(dim=1))
        base = softmax_base(new_maximum)
        item_sum = logits.sub_(base[:, None]).exp_().sum(dim=1)
        item_sum += exp_sum[item.queries, item.head] * old_maximum.sub_(base).exp_()
        maximum[item.queries, item.head] = new_maximum
        exp_sum[item.queries, item.head] = item_sum
    return _Student(maximum, exp_sum)


def _index_logits(index_q: torch.Tensor, index_k: torch.Tensor, item: WorkItem) -> torch.Tensor:
    """Scaled logits `[queries, keys]` of a work item in the index branch, -inf at hidden keys."""
    dtype = accumulation_dtype(index_q.dtype)
    keys = index_k[item.keys, 0].to(dtype) * _INDEX_SCALE
    logits = index_q[item.queries, item.head].to(dtype) @ keys.t()
    if item.hidden is not None:
        logits.masked_fill_(item.hidden, -math.inf)
    return logits


def _student_log(
    index_q: torch.Tensor, index_k: torch.Tensor, student: _Student, item: WorkItem
) -> torch.Tensor:
    """Log-probabilities `[queries, keys]` of a work item in the index branch, -inf where hidden.

    The maximum and the log of the sum are subtracted one after the other: the rounding of one
    log-sum-exp would dominate where logits are large.
    """
    maximum, exp_sum = (x[item.queries, item.head, None] for x in student)
    log_sum = exp_sum.masked_fill(exp_sum == 0, 1).log_()
    return _index_logits(index_q, index_k, item).sub_(softmax_base(maximum)).sub_(log_sum)
