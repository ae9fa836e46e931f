"""Attention by the kernels, forward and backward: their buffers and the order of their launches.

Nothing waits for the device: grids are upper bounds, and what a pass does with the rest of its
launches is decided by counts that only the device knows.

The fast forward adds weights `exp2(logit)`, which have no maximum subtracted, into two bf16 pools
and divides in the end. That is exact softmax as long as the sums stay inside FP32's exponents.
Where they do not, `finish` flags the row, and a second pass over the flagged rows finds their
maxima and adds in fixed point below them. Integer sums do not depend on their order: under
`torch.use_deterministic_algorithms(True)` the fixed-point passes compute all rows, and the backward
adds integers too.
"""

from typing import NamedTuple

import torch

from msa.kernels.formats import (
    BOUND_FIELDS,
    CHUNK_TASKS,
    CONTROL_FIELDS,
    FINISH_FAST,
    FINISH_FIXED,
    FIXED_ONE,
    FLAGGED_FIELD,
    FORWARD_FAST,
    FORWARD_FIXED,
    FORWARD_MAX,
    FORWARD_SUM,
    HEAD_COUNTER_FIELD,
    HEAD_END_FIELD,
    ITEM_FIELDS,
    NO_REFERENCE,
)
from msa.kernels.launch import build_task_tables, plain, row_statistics
from msa.kernels.library import Kernel, arch_of, num_sms
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.cta_walk import grid_launch_bound
from msa.schedule.task_tables import task_window
from msa.schedule.topology import (
    BLOCK_SIZE,
    GROUP_HEADS,
    HEAD_DIM,
    SOFTMAX_SCALE,
)


class _MainKernels(NamedTuple):
    """The two kernels of an architecture that do the products.

    Attributes:
        folder: where `forward` and `backward` are.
        backward_walks_tasks: whether the CTAs of the backward walk the rows of the task tables that
            the descriptor gives them; else they draw items, as those of every forward do.
    """

    folder: str
    backward_walks_tasks: bool


_HOPPER = _MainKernels("sm90", backward_walks_tasks=False)
_BLACKWELL = _MainKernels("sm100", backward_walks_tasks=True)
_MAIN_KERNELS = {"sm_90a": _HOPPER, "sm_100a": _BLACKWELL, "sm_103a": _BLACKWELL}

_BLOCK_BOUNDS = Kernel("common", "block_bounds")
_FINISH = Kernel("common", "finish")
_GRAD_FINALIZE = Kernel("common", "grad_finalize")
_ITEMS = Kernel("common", "items")
_PAD_BLOCKS = Kernel("common", "pad_blocks")
_TASK_MAXIMA = Kernel("common", "task_maxima")

_ROW = GROUP_HEADS * HEAD_DIM  # values of a query's heads of one group
_BLOCK = BLOCK_SIZE * HEAD_DIM  # values of a key block of one head

# A window's Q rows and pools, 12 KB a query, are to stay in L2: at 131,072 tokens windows of 2048
# took 19.4 ms, of 4096 21.2 ms (random selection; clustered 18.8 and 21.6).
_LARGEST_FORWARD_WINDOW = 2048

# A forward takes all KV heads at a time, a half, a quarter or an eighth: the most whose pools are
# within this, or 1.
_MOST_POOL_BYTES = 2**30

# The second pass computes the rows that are flagged, or all.
_ALL, _FLAGGED = 0, 1

# What maxima are raised, and to which.
_TO_ROWS, _TO_BLOCKS = 0, 1

# What 1 is in an int64 sum. Like `FIXED_ONE`, it leaves a bit for what rounding adds to a bound.
_FIXED_ONE_INT64 = 2.0**62
# Bounds from here on have scales that FP32 holds, in int64 units too.
_SMALLEST_BOUND = 2.0**-60


class _Tasks(NamedTuple):
    """Tasks in locality order: `TaskTables`, and the SMs that they are cut for."""

    meta: torch.Tensor
    qrows: torch.Tensor
    qpos: torch.Tensor
    descriptor: torch.Tensor
    num_sms: int


class _Items(NamedTuple):
    """Tasks cut into items, for CTAs to draw.

    Attributes:
        items: int32 `[capacity, ITEM_FIELDS]`, `(first_quad, num_quads, head, workspace_kblock)`.
        chunk_counts: int32, scratch of their build.
        control: int32 `[CONTROL_FIELDS]`, see there.
    """

    items: torch.Tensor
    chunk_counts: torch.Tensor
    control: torch.Tensor


def has_kernels(device: torch.device) -> bool:
    """Whether there are attention kernels for `device`; they take bf16."""
    return arch_of(device) in _MAIN_KERNELS


def forward_window(num_tokens: int) -> int:
    """The locality window of a forward, in compact query rows."""
    return min(task_window(num_tokens), _LARGEST_FORWARD_WINDOW)


def heads_at_a_time(num_groups: int, num_tokens: int) -> int:
    """How many of `num_groups` KV heads a forward takes at a time."""
    heads = num_groups
    while heads > 1 and heads * num_tokens * 4 * _ROW > _MOST_POOL_BYTES:
        heads //= 2
    return heads


def attention_forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, schedule: MSABackwardSchedule
) -> tuple[torch.Tensor, torch.Tensor]:
    """The operator `msa::sparse_attention` on a GPU that has kernels.

    Beside inputs and outputs this takes pools of 8 KB a token and KV head but at most 1 GB, or of
    8 KB a token where that is more; and for each KV head about 512 bytes a token, and 512 a
    workspace row where documents do not end on block borders.

    Args:
        q: bf16 `[T, 16 G, 128]`.
        k: bf16 `[T, G, 128]`.
        v: bf16 `[T, G, 128]`.
        schedule: the schedule of the support.

    Returns:
        `out` bf16 `[T, 16 G, 128]` and natural-log `lse` FP32 `[T, 16 G]`; 0 and -inf for a query
        without a visible key, or with logits of -inf alone.
    """
    deterministic = torch.are_deterministic_algorithms_enabled()
    device, (num_tokens, num_groups, _) = q.device, k.shape
    heads = heads_at_a_time(num_groups, num_tokens)
    kernel = Kernel(_MAIN_KERNELS[arch_of(device)].folder, "forward")
    q = plain(q)
    k, v, num_kblocks = _in_blocks(k, v, schedule)
    tasks = build_tasks(schedule, forward_window(num_tokens))
    items = build_items(tasks, num_groups)
    out = q.new_empty(q.shape)
    lse = q.new_empty(q.shape[:2], dtype=torch.float32)
    sums = torch.zeros(lse.shape, dtype=torch.int32, device=device)
    pool = sums.new_empty((heads * num_tokens, _ROW))
    references = sums.new_empty(lse.shape)  # the fast finish sets those that are read
    flags = sums.new_empty((num_tokens, num_groups))
    bounds = lse.new_zeros((num_tokens, num_groups, BOUND_FIELDS))

    def attend(
        mode: int, rows: int, end: torch.Tensor, counter: torch.Tensor, first_head: int = 0
    ) -> None:
        kernel(
            device,
            mode,
            q,
            k,
            v,
            pool,
            sums,
            references,
            bounds,
            tasks.qrows,
            tasks.qpos,
            items.items,
            end,
            counter,
            flags,
            rows,
            num_groups,
            num_tokens,
            num_kblocks,
            first_head,
            heads,
            tasks.num_sms,
        )

    def finish(mode: int, rows: int, first_head: int) -> None:
        _FINISH(
            device,
            mode,
            pool,
            sums,
            references,
            bounds,
            flags,
            rows,
            items.control[FLAGGED_FIELD + first_head :],
            out,
            lse,
            num_tokens,
            num_groups,
            first_head,
            heads,
        )

    def weigh(rows: int, control: torch.Tensor) -> None:
        """Finds the references, and the sums of weights, that fixed point needs."""
        _raise_bounds(k, v, tasks, rows, control[FLAGGED_FIELD:], bounds)
        attend(FORWARD_MAX, rows, control, control[1:])
        attend(FORWARD_SUM, rows, control, control[2:])

    if deterministic:
        references.fill_(NO_REFERENCE)
        weigh(_ALL, items.control)
    for first_head in range(0, num_groups, heads):
        pool.zero_()
        end = items.control[HEAD_END_FIELD + first_head + heads - 1 :]
        counter = items.control[HEAD_COUNTER_FIELD + first_head :]
        if deterministic:
            attend(FORWARD_FIXED, _ALL, end, counter, first_head)
            finish(FINISH_FIXED, _ALL, first_head)
        else:
            attend(FORWARD_FAST, _ALL, end, counter, first_head)
            finish(FINISH_FAST, _ALL, first_head)
            control = _cut_flagged(tasks, items, flags, first_head, heads)
            weigh(_FLAGGED, control)
            attend(FORWARD_FIXED, _FLAGGED, control, control[3:], first_head)
            finish(FINISH_FIXED, _FLAGGED, first_head)
    return out, lse


def attention_backward(
    grad_out: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    schedule: MSABackwardSchedule,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operator `msa::sparse_attention_backward` on a GPU that has kernels.

    Args:
        grad_out: bf16 `[T, 16 G, 128]`.
        q: this and the next two are the operands of the forward.
        k: bf16 `[T, G, 128]`.
        v: bf16 `[T, G, 128]`.
        out: this and the next are the results of the forward.
        lse: FP32 `[T, 16 G]`.
        schedule: the schedule of the support.

    Returns:
        The gradients of `q`, `k` and `v`.
    """
    deterministic = torch.are_deterministic_algorithms_enabled()
    device, (num_tokens, num_groups, _) = q.device, k.shape
    folder, walks_tasks = _MAIN_KERNELS[arch_of(device)]
    grad_out, q = plain(grad_out), plain(q)
    dk, dv = (q.new_empty(k.shape) for _ in range(2))
    statistics = row_statistics(grad_out, out, lse)
    k, v, num_kblocks = _in_blocks(k, v, schedule)
    tasks = build_tasks(schedule, task_window(num_tokens))
    if walks_tasks:
        num_ctas = grid_launch_bound(tasks.meta.shape[0], tasks.num_sms)
        walk = tasks.meta, tasks.qrows, tasks.qpos, tasks.descriptor
    else:
        num_ctas = tasks.num_sms
        items, _, control = build_items(tasks, num_groups)
        walk = tasks.qrows, tasks.qpos, items, control, control[1:]
    dq_scale = kv_scale = lse  # not read but in fixed point
    if deterministic:
        bounds = lse.new_zeros((num_tokens, num_groups, BOUND_FIELDS))
        _raise_bounds(k, v, tasks, _ALL, tasks.descriptor, bounds)
        dq_bound, key_terms = _gradient_bounds(grad_out, q, bounds)
        block_terms = lse.new_zeros((num_groups, num_kblocks, BOUND_FIELDS))
        _raise_maxima(_TO_BLOCKS, tasks, _ALL, tasks.descriptor, block_terms, key_terms)
        dq_scale = _dq_scale(dq_bound, lse, statistics)
        kv_scale = _kv_scale(block_terms, num_tokens)
    pools = torch.zeros(
        (2, num_groups * num_kblocks, _BLOCK),
        dtype=torch.int64 if deterministic else torch.float32,
        device=device,
    )
    if deterministic:
        dq = q.new_empty(q.shape)
        dq_sums = torch.zeros(q.shape, dtype=torch.int32, device=device)
    else:
        dq = dq_sums = torch.zeros_like(q)
    Kernel(folder, "backward")(
        device,
        int(deterministic),
        q,
        k,
        v,
        grad_out,
        statistics,
        *walk,
        dq_sums,
        pools[0],
        pools[1],
        dq_scale,
        kv_scale,
        num_groups,
        num_tokens,
        num_kblocks,
        num_ctas,
    )
    _GRAD_FINALIZE(
        device,
        int(deterministic),
        pools[0],
        pools[1],
        kv_scale,
        dq_sums,
        dq_scale,
        plain(schedule.cu_seqlens),
        plain(schedule.document_workspace_starts),
        schedule.document_workspace_starts.shape[0],
        num_groups,
        num_tokens,
        num_kblocks,
        dq,
        dk,
        dv,
    )
    return dq, dk, dv


def build_tasks(schedule: MSABackwardSchedule, window: int) -> _Tasks:
    """The tasks of a schedule in locality order, for the SMs of its device."""
    sms = num_sms(schedule.row_ptr.device)
    return _Tasks(*build_task_tables(*schedule_tensors(schedule), sms, window), sms)


def build_items(tasks: _Tasks, num_groups: int) -> _Items:
    """All items of the tasks."""
    capacity = tasks.meta.shape[0]
    items = _Items(
        tasks.meta.new_empty((capacity, ITEM_FIELDS)),
        tasks.meta.new_empty(-(-capacity // CHUNK_TASKS)),
        tasks.meta.new_empty(CONTROL_FIELDS),
    )
    _cut(tasks, items, _ALL, items.control, items.control, num_groups, 0, num_groups)
    return items


def _cut_flagged(
    tasks: _Tasks, items: _Items, flags: torch.Tensor, first_head: int, num_heads: int
) -> torch.Tensor:
    """Cuts the items of some heads that hold a flagged row; returns their control words.

    They take the place of the first of all items, which are of these heads or those before, so that
    they have been walked: of items with a flagged row there are no more than of all.
    """
    flagged = items._replace(control=torch.empty_like(items.control))
    num_flagged = items.control[FLAGGED_FIELD + first_head :]
    _cut(tasks, flagged, _FLAGGED, flags, num_flagged, flags.shape[1], first_head, num_heads)
    return flagged.control


def _cut(
    tasks: _Tasks,
    items: _Items,
    rows: int,
    flags: torch.Tensor,
    num_flagged: torch.Tensor,
    num_groups: int,
    first_head: int,
    num_heads: int,
) -> None:
    """Writes items. Where all rows are asked for, the content of flags and of their number is not
    used, nor are the first head and the number of heads: any integers do.
    """
    _ITEMS(
        items.items.device,
        tasks.meta,
        tasks.qrows,
        tasks.descriptor,
        flags,
        rows,
        num_flagged,
        num_groups,
        first_head,
        num_heads,
        items.items.shape[0],
        items.chunk_counts,
        items.items,
        items.control,
    )


def _in_blocks(
    k: torch.Tensor, v: torch.Tensor, schedule: MSABackwardSchedule
) -> tuple[torch.Tensor, torch.Tensor, int]:
    """K and V in workspace rows, zero behind each document's end, and the number of key blocks."""
    num_kblocks = schedule.row_ptr.shape[1] - 1
    k, v = plain(k), plain(v)
    if k.shape[0] == num_kblocks * BLOCK_SIZE:
        return k, v, num_kblocks  # documents of whole blocks: workspace rows are compact rows
    padded_k, padded_v = (k.new_empty((num_kblocks * BLOCK_SIZE, *k.shape[1:])) for _ in range(2))
    _PAD_BLOCKS(
        k.device,
        k,
        v,
        plain(schedule.cu_seqlens),
        plain(schedule.document_workspace_starts),
        schedule.document_workspace_starts.shape[0],
        k.shape[1],
        num_kblocks,
        padded_k,
        padded_v,
    )
    return padded_k, padded_v, num_kblocks


def _raise_bounds(
    k: torch.Tensor,
    v: torch.Tensor,
    tasks: _Tasks,
    rows: int,
    num_flagged: torch.Tensor,
    bounds: torch.Tensor,
) -> None:
    """Raises `bounds` `[T, G, BOUND_FIELDS]` to those of the keys and values that a query meets.

    Does nothing where flagged rows are asked for and there is none. Where all are, any integer does
    for the number of those.
    """
    num_groups, num_kblocks = k.shape[1], k.shape[0] // BLOCK_SIZE
    blocks = bounds.new_empty((num_groups, num_kblocks, BOUND_FIELDS))
    _BLOCK_BOUNDS(k.device, k, v, num_flagged, rows, num_groups, num_kblocks, blocks)
    _raise_maxima(_TO_ROWS, tasks, rows, num_flagged, blocks, bounds)


def _raise_maxima(
    direction: int,
    tasks: _Tasks,
    rows: int,
    num_flagged: torch.Tensor,
    blocks: torch.Tensor,
    bounds: torch.Tensor,
) -> None:
    """Raises `bounds` of queries to `blocks` that they selected, or the reverse."""
    _TASK_MAXIMA(
        blocks.device,
        direction,
        tasks.meta,
        tasks.qrows,
        tasks.descriptor,
        num_flagged,
        rows,
        *blocks.shape[:2],
        tasks.num_sms,
        blocks,
        bounds,
    )


def _gradient_bounds(
    grad_out: torch.Tensor, q: torch.Tensor, bounds: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """What sums of a backward's terms can come to, whatever their order.

    A row's weights sum to 1, and its `|dP|` and `|delta|` are at most `|dO| max|v|`
    (Cauchy-Schwarz), so that its `|dS|` sum to at most `2 scale |dO| max|v|`. All is of what is
    finite.

    Args:
        grad_out: bf16 `[T, 16 G, 128]`.
        q: bf16 `[T, 16 G, 128]`.
        bounds: FP32 `[T, G, BOUND_FIELDS]`, of the keys and values that a query meets.

    Returns:
        FP32 `[T, 16 G]` for the sums of dQ; and `[T, G, BOUND_FIELDS]` for one term of a key's dK
        and dV, the first two.
    """
    _, v_norm, k_max, _ = bounds.repeat_interleave(GROUP_HEADS, dim=1).unbind(-1)
    ds = _finite(2 * SOFTMAX_SCALE * _norms(grad_out, 2) * v_norm)
    terms = torch.stack((ds * _norms(q, torch.inf), _norms(grad_out, torch.inf)), -1)
    terms = _finite(terms).unflatten(1, (-1, GROUP_HEADS)).amax(2)
    return _finite(ds * k_max), torch.nn.functional.pad(terms, (0, BOUND_FIELDS - 2))


def _dq_scale(dq_bound: torch.Tensor, lse: torch.Tensor, statistics: torch.Tensor) -> torch.Tensor:
    """What 1 is in a row's int32 sums of dQ, FP32 `[T, 16 G]`.

    It is NaN with the row's delta, which is part of every term.
    """
    delta = statistics[..., GROUP_HEADS:].reshape(lse.shape)
    scale = FIXED_ONE / dq_bound.clamp(min=_SMALLEST_BOUND) + 0 * delta
    return torch.where(lse == -torch.inf, 1.0, scale)  # no key of any weight: no term


def _kv_scale(block_terms: torch.Tensor, num_tokens: int) -> torch.Tensor:
    """What 1 is in a block's int64 sums of dK and dV, FP32 `[2, G, num_kblocks]`.

    `block_terms` `[G, num_kblocks, BOUND_FIELDS]` are bounds of one term, of which a key has at
    most one of each row of its group.
    """
    terms = block_terms[..., :2].permute(2, 0, 1).contiguous()
    bound = _finite(terms * (GROUP_HEADS * num_tokens))
    return _FIXED_ONE_INT64 / bound.clamp(min=_SMALLEST_BOUND)


def _norms(x: torch.Tensor, order: float) -> torch.Tensor:
    """Norms over the channels, FP32 `[T, heads]`, 0 where one is not finite."""
    largest = torch.linalg.vector_norm(x, torch.inf, dim=-1, dtype=torch.float32)
    norms = largest
    if order == 2:
        # Squares may overflow where their root does not.
        norms = torch.linalg.vector_norm(x, 2, dim=-1, dtype=torch.float32)
        norms = torch.minimum(norms, HEAD_DIM**0.5 * largest)
    return torch.where(largest.isfinite(), _finite(norms), 0.0)


def _finite(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(max=torch.finfo(torch.float32).max)
