"""The KL loss that trains the index branch, forward and backward, blockwise in plain torch.

Over the selected keys both passes walk the work items of the schedule as attention does; over all
causal keys those that the layout implies. Memory is linear in the number of tokens.
"""

import functools
import math
from collections.abc import Callable, Iterator

import torch

from msa.reference.attention import mean_probabilities, softmax_base
from msa.reference.precision import accumulation_dtype, below_autograd_and_autocast
from msa.reference.work_items import WorkItem, dense_work_items, work_items
from msa.schedule.backward_schedule import MSABackwardSchedule
from msa.schedule.topology import INDEX_DIM

_INDEX_SCALE = INDEX_DIM**-0.5

# Yields the same items whenever it is called.
_Walk = Callable[[], Iterator[WorkItem]]


@below_autograd_and_autocast
def index_kl_forward(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    schedule: MSABackwardSchedule,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Sum over queries and index heads of the KL divergence of the index branch from attention.

    Over the visible keys of a query's selected blocks, `P̄` is the mean of the attention
    probabilities of those of a group's 16 heads whose `lse` is below 2^22 in size (FP64: 2^51, see
    `weights_base`), and `P_idx` the softmax of `index_q . index_k / sqrt(128)`; the divergence is
    `sum P̄ (log P̄ - log P_idx)`. A query without such a head, or without a visible key, adds 0.

    Both are divided by their own sums, which rounding puts off 1 where logits are large: so the
    divergence is never negative, and its gradient is the backward's.

    Args:
        q: bf16, FP32 or FP64 `[T, 16 G, 128]`.
        k: of the same dtype, `[T, G, 128]`.
        lse: FP32 (FP64 for FP64) `[T, 16 G]`, from the attention forward over the same support.
        index_q: of the dtype of `q`, `[T, G, 128]`.
        index_k: of the dtype of `q`, `[T, 1, 128]`.
        schedule: the schedule of the support.

    Returns:
        The sum, a scalar; `divergence` `[T, G]`, of each query and index head; and `statistics`
        `[3, T, G]` for the backward: the largest index logit (-inf without a visible key), the sum
        of the exponentials below it and that of the teacher's weights; all FP32 (FP64 for FP64).
    """
    return _forward(q, k, lse, index_q, index_k, functools.partial(work_items, schedule))


@below_autograd_and_autocast
def dense_index_kl_forward(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    cu_seqlens: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """`index_kl_forward` over all keys of a query's document up to itself.

    Args:
        q: as there, and so the next four; `lse` is that of dense causal attention.
        k: `[T, G, 128]`.
        lse: `[T, 16 G]`.
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`.
        cu_seqlens: int32 `[documents + 1]`.
    """
    walk = functools.partial(dense_work_items, cu_seqlens, k.shape[1])
    return _forward(q, k, lse, index_q, index_k, walk)


def _forward(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    walk: _Walk,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q, lse = q.contiguous(), lse.contiguous()
    dtype = accumulation_dtype(q.dtype)
    statistics = index_q.new_zeros((3, *index_q.shape[:2]), dtype=dtype)
    maximum, student_sum, teacher_sum = statistics
    maximum.fill_(-math.inf)
    for item in walk():
        logits = _index_logits(index_q, index_k, item)
        old_maximum = maximum[item.queries, item.head]
        new_maximum = torch.maximum(old_maximum, logits.amax(dim=1))
        base = softmax_base(new_maximum)
        item_sum = logits.sub_(base[:, None]).exp_().sum(dim=1)
        item_sum += student_sum[item.queries, item.head] * old_maximum.sub_(base).exp_()
        maximum[item.queries, item.head] = new_maximum
        student_sum[item.queries, item.head] = item_sum

    divergence = torch.zeros_like(maximum)
    for item in walk():
        teacher = mean_probabilities(q, k, lse, item)
        student_log = _student_log(index_q, index_k, statistics, item)
        terms = torch.xlogy(teacher, teacher) - teacher * student_log
        terms.masked_fill_(teacher == 0, 0)  # not 0 * -inf, at hidden keys and others
        divergence[:, item.head].index_add_(0, item.queries, terms.sum(dim=1))
        teacher_sum[:, item.head].index_add_(0, item.queries, teacher.sum(dim=1))
    # Of the mean over the heads left and not over all 16, and normalised: divided by its sum.
    total = teacher_sum.masked_fill(teacher_sum == 0, 1)
    divergence.div_(total).sub_(total.log_())
    return divergence.sum(), divergence, statistics


@below_autograd_and_autocast
def index_kl_backward(
    grad_sum: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    statistics: torch.Tensor,
    schedule: MSABackwardSchedule,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of `index_kl_forward`'s sum with respect to `index_q` and `index_k`.

    The gradient of a query's divergence with respect to its index logits is `P_idx - P̄`, and 0
    where no head is left in the mean.

    Args:
        grad_sum: scalar, the gradient of the sum. Where it is 0 so are the gradients, whatever the
            operands hold.
        q: as in the forward.
        k: as in the forward.
        lse: as in the forward.
        index_q: as in the forward.
        index_k: as in the forward.
        statistics: from the forward.
        schedule: as in the forward.

    Returns:
        Gradients in the shapes and dtype of `index_q` and `index_k`.
    """
    walk = functools.partial(work_items, schedule)
    return _backward(grad_sum, q, k, lse, index_q, index_k, statistics, walk)


@below_autograd_and_autocast
def dense_index_kl_backward(
    grad_sum: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    statistics: torch.Tensor,
    cu_seqlens: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of `dense_index_kl_forward`'s sum, as `index_kl_backward` those of the other."""
    walk = functools.partial(dense_work_items, cu_seqlens, k.shape[1])
    return _backward(grad_sum, q, k, lse, index_q, index_k, statistics, walk)


def _backward(
    grad_sum: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    statistics: torch.Tensor,
    walk: _Walk,
) -> tuple[torch.Tensor, torch.Tensor]:
    q, lse = q.contiguous(), lse.contiguous()
    dtype = statistics.dtype
    teacher_sum = statistics[2]
    grad_q = torch.zeros_like(index_q, dtype=dtype, memory_format=torch.contiguous_format)
    grad_k = torch.zeros_like(index_k, dtype=dtype, memory_format=torch.contiguous_format)
    for item in walk():
        student = _student_log(index_q, index_k, statistics, item).exp_()
        item_sum = teacher_sum[item.queries, item.head, None]
        teacher = mean_probabilities(q, k, lse, item).div_(item_sum)
        grad_logits = student.sub_(teacher).masked_fill_(item_sum == 0, 0)
        queries = index_q[item.queries, item.head].to(dtype)
        keys = index_k[item.keys, 0].to(dtype)
        grad_q[:, item.head].index_add_(0, item.queries, grad_logits @ keys)
        grad_k[item.keys, 0].addmm_(grad_logits.t(), queries)
    scale = grad_sum * _INDEX_SCALE
    for grad in (grad_q, grad_k):
        grad.mul_(scale).masked_fill_(grad_sum == 0, 0)
    return grad_q.to(index_q.dtype), grad_k.to(index_k.dtype)


def _index_logits(index_q: torch.Tensor, index_k: torch.Tensor, item: WorkItem) -> torch.Tensor:
    """Scaled logits `[queries, keys]` of a work item in the index branch, -inf at hidden keys."""
    dtype = accumulation_dtype(index_q.dtype)
    keys = index_k[item.keys, 0].to(dtype) * _INDEX_SCALE
    logits = index_q[item.queries, item.head].to(dtype) @ keys.t()
    if item.hidden is not None:
        logits.masked_fill_(item.hidden, -math.inf)
    return logits


def _student_log(
    index_q: torch.Tensor, index_k: torch.Tensor, statistics: torch.Tensor, item: WorkItem
) -> torch.Tensor:
    """Log-probabilities `[queries, keys]` of a work item in the index branch, -inf where hidden.

    Not by one log-sum-exp: of large logits its own rounding would be all that is left.
    """
    maximum, student_sum, _ = statistics[:, item.queries, item.head, None]
    log_sum = student_sum.masked_fill(student_sum == 0, 1).log_()
    return _index_logits(index_q, index_k, item).sub_(softmax_base(maximum)).sub_(log_sum)
