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

import torch

from msa.kernels.attention import fixed_point, interface
from msa.kernels.attention.interface import (
    BOUND_FIELDS,
    FINISH_FAST,
    FINISH_FIXED,
    FORWARD_FAST,
    FORWARD_FIXED,
    FORWARD_MAX,
    FORWARD_SUM,
    NO_REFERENCE,
)
from msa.kernels.runtime.declared import by_family, on_blackwell, on_every_arch, on_hopper
from msa.kernels.runtime.operands import plain
from msa.kernels.schedule.interface import (
    ALL_ROWS,
    FLAGGED_FIELD,
    FLAGGED_ROWS,
    HEAD_COUNTER_FIELD,
    HEAD_END_FIELD,
)
from msa.kernels.schedule.plan import Tasks, build_items, build_tasks, cut_flagged
from msa.schedule.backward_schedule import ScheduleTensors
from msa.schedule.checks import ANY_GROUPS
from msa.schedule.cta_walk import grid_launch_bound
from msa.schedule.task_tables import task_window
from msa.schedule.topology import (
    BLOCK_SIZE,
    DQ_ACCUM_DTYPE,
    GROUP_COUNTS,
    GROUP_HEADS,
    HEAD_DIM,
)

FORWARD = by_family(interface.FORWARD, "attention", "forward_sm90", "forward_sm100")
FINISH = on_every_arch(interface.FINISH, "attention", "finish")
BLOCK_BOUNDS = on_every_arch(interface.BLOCK_BOUNDS, "attention", "block_bounds")
TASK_MAXIMA = on_every_arch(interface.TASK_MAXIMA, "attention", "task_maxima")
PAD_BLOCKS = on_every_arch(interface.PAD_BLOCKS, "attention", "pad_blocks")
DELTA = on_every_arch(interface.DELTA, "attention", "delta")
BACKWARD_OF_ITEMS = on_hopper(interface.BACKWARD_OF_ITEMS, "attention", "backward_sm90")
BACKWARD_OF_TASKS = on_blackwell(interface.BACKWARD_OF_TASKS, "attention", "backward_sm100")
GRAD_FINALIZE = on_every_arch(interface.GRAD_FINALIZE, "attention", "grad_finalize")

_ROW = GROUP_HEADS * HEAD_DIM  # values of a query's heads of one group
_BLOCK = BLOCK_SIZE * HEAD_DIM  # values of a key block of one head

# A window's Q rows and pools, 12 KB a query, are to stay in L2: at 131,072 tokens windows of 2048
# took 19.4 ms, of 4096 21.2 ms (random selection; clustered 18.8 and 21.6).
_LARGEST_FORWARD_WINDOW = 2048

# A forward takes all KV heads at a time, a half, a quarter or an eighth: the most whose pools are
# within this, or 1.
_MOST_POOL_BYTES = 2**30

# What maxima are raised, and to which.
_TO_ROWS, _TO_BLOCKS = 0, 1


def has_kernels(device: torch.device) -> bool:
    """Whether there are attention kernels for `device`; they take bf16."""
    return FORWARD.runs_on(device)


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
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, schedule: ScheduleTensors
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
        FORWARD(
            device,
            mode=mode,
            q=q,
            k=k,
            v=v,
            pool=pool,
            sums=sums,
            references=references,
            bounds=bounds,
            task_qrows=tasks.qrows,
            task_qpos=tasks.qpos,
            items=items.items,
            end=end,
            counter=counter,
            flags=flags,
            filtered=rows,
            num_groups=num_groups,
            num_tokens=num_tokens,
            num_kblocks=num_kblocks,
            first_head=first_head,
            num_heads=heads,
            num_sms=tasks.num_sms,
        )

    def finish(mode: int, rows: int, num_flagged: torch.Tensor, first_head: int) -> None:
        FINISH(
            device,
            mode=mode,
            pool=pool,
            sums=sums,
            references=references,
            bounds=bounds,
            flags=flags,
            filtered=rows,
            flagged=num_flagged,
            out=out,
            lse=lse,
            num_tokens=num_tokens,
            num_groups=num_groups,
            first_head=first_head,
            num_heads=heads,
        )

    def weigh(rows: int, control: torch.Tensor) -> None:
        """Finds the references, and the sums of weights, that fixed point needs."""
        _raise_bounds(k, v, tasks, rows, control[FLAGGED_FIELD:], bounds)
        attend(FORWARD_MAX, rows, control, control[1:])
        attend(FORWARD_SUM, rows, control, control[2:])

    if deterministic:
        references.fill_(NO_REFERENCE)
        weigh(ALL_ROWS, items.control)
    for first_head in range(0, num_groups, heads):
        pool.zero_()
        end = items.control[HEAD_END_FIELD + first_head + heads - 1 :]
        counter = items.control[HEAD_COUNTER_FIELD + first_head :]
        num_flagged = items.control[FLAGGED_FIELD + first_head :]
        if deterministic:
            attend(FORWARD_FIXED, ALL_ROWS, end, counter, first_head)
            finish(FINISH_FIXED, ALL_ROWS, num_flagged, first_head)
        else:
            attend(FORWARD_FAST, ALL_ROWS, end, counter, first_head)
            finish(FINISH_FAST, ALL_ROWS, num_flagged, first_head)
            control = cut_flagged(tasks, items, flags, num_flagged, first_head, heads)
            weigh(FLAGGED_ROWS, control)
            attend(FORWARD_FIXED, FLAGGED_ROWS, control, control[3:], first_head)
            finish(FINISH_FIXED, FLAGGED_ROWS, num_flagged, first_head)
    return out, lse


def attention_backward(
    grad_out: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    schedule: ScheduleTensors,
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
    grad_out, q = plain(grad_out), plain(q)
    dk, dv = (q.new_empty(k.shape) for _ in range(2))
    statistics = row_statistics(grad_out, out, lse)
    k, v, num_kblocks = _in_blocks(k, v, schedule)
    tasks = build_tasks(schedule, task_window(num_tokens))
    if BACKWARD_OF_TASKS.runs_on(device):
        kernel, num_ctas = BACKWARD_OF_TASKS, grid_launch_bound(tasks.meta.shape[0], tasks.num_sms)
        walk = {
            "task_meta": tasks.meta,
            "task_qrows": tasks.qrows,
            "task_qpos": tasks.qpos,
            "descriptor": tasks.descriptor,
        }
    else:
        kernel, num_ctas = BACKWARD_OF_ITEMS, tasks.num_sms
        items, _, control = build_items(tasks, num_groups)
        walk = {
            "task_qrows": tasks.qrows,
            "task_qpos": tasks.qpos,
            "items": items,
            "control": control,
            "counter": control[1:],
        }
    dq_scale = kv_scale = 0  # of fixed point
    if deterministic:
        bounds = lse.new_zeros((num_tokens, num_groups, BOUND_FIELDS))
        _raise_bounds(k, v, tasks, ALL_ROWS, tasks.descriptor, bounds)
        dq_bound, key_terms = fixed_point.gradient_bounds(grad_out, q, bounds)
        block_terms = lse.new_zeros((num_groups, num_kblocks, BOUND_FIELDS))
        _raise_maxima(_TO_BLOCKS, tasks, ALL_ROWS, tasks.descriptor, block_terms, key_terms)
        dq_scale = fixed_point.dq_scale(dq_bound, lse, statistics)
        kv_scale = fixed_point.kv_scale(block_terms, num_tokens)
    pools = torch.zeros(
        (2, num_groups * num_kblocks, _BLOCK),
        dtype=torch.int64 if deterministic else torch.float32,
        device=device,
    )
    if deterministic:
        dq = q.new_empty(q.shape)
        dq_sums = torch.zeros(q.shape, dtype=torch.int32, device=device)
    else:
        dq = dq_sums = torch.zeros_like(q, dtype=DQ_ACCUM_DTYPE)  # the sums are the result
    kernel(
        device,
        deterministic=int(deterministic),
        q=q,
        k=k,
        v=v,
        grad_out=grad_out,
        statistics=statistics,
        **walk,
        dq=dq_sums,
        dk_pool=pools[0],
        dv_pool=pools[1],
        dq_scale=dq_scale,
        kv_scale=kv_scale,
        num_groups=num_groups,
        num_tokens=num_tokens,
        num_kblocks=num_kblocks,
        num_ctas=num_ctas,
    )
    GRAD_FINALIZE(
        device,
        deterministic=int(deterministic),
        dk_pool=pools[0],
        dv_pool=pools[1],
        kv_scale=kv_scale,
        dq_pool=dq_sums if deterministic else 0,
        dq_scale=dq_scale,
        cu_seqlens=plain(schedule.cu_seqlens),
        document_workspace_starts=plain(schedule.document_workspace_starts),
        num_documents=schedule.document_workspace_starts.shape[0],
        num_groups=num_groups,
        num_tokens=num_tokens,
        num_kblocks=num_kblocks,
        dq=dq,
        dk=dk,
        dv=dv,
    )
    return dq, dk, dv


def _in_blocks(
    k: torch.Tensor, v: torch.Tensor, schedule: ScheduleTensors
) -> tuple[torch.Tensor, torch.Tensor, int]:
    """K and V in workspace rows, zero past each document's end, and the number of key blocks."""
    num_kblocks = schedule.row_ptr.shape[1] - 1
    k, v = plain(k), plain(v)
    if k.shape[0] == num_kblocks * BLOCK_SIZE:
        return k, v, num_kblocks  # documents of whole blocks: workspace rows are compact rows
    padded_k, padded_v = (k.new_empty((num_kblocks * BLOCK_SIZE, *k.shape[1:])) for _ in range(2))
    PAD_BLOCKS(
        k.device,
        k=k,
        v=v,
        cu_seqlens=plain(schedule.cu_seqlens),
        document_workspace_starts=plain(schedule.document_workspace_starts),
        num_documents=schedule.document_workspace_starts.shape[0],
        num_groups=k.shape[1],
        num_kblocks=num_kblocks,
        padded_k=padded_k,
        padded_v=padded_v,
    )
    return padded_k, padded_v, num_kblocks


def _raise_bounds(
    k: torch.Tensor,
    v: torch.Tensor,
    tasks: Tasks,
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
    BLOCK_BOUNDS(
        k.device,
        k=k,
        v=v,
        wanted=num_flagged,
        filtered=rows,
        num_groups=num_groups,
        num_kblocks=num_kblocks,
        bounds=blocks,
    )
    _raise_maxima(_TO_ROWS, tasks, rows, num_flagged, blocks, bounds)


def _raise_maxima(
    direction: int,
    tasks: Tasks,
    rows: int,
    num_flagged: torch.Tensor,
    blocks: torch.Tensor,
    bounds: torch.Tensor,
) -> None:
    """Raises `bounds` of queries to `blocks` that they selected, or the reverse."""
    TASK_MAXIMA(
        blocks.device,
        to_blocks=direction,
        task_meta=tasks.meta,
        task_qrows=tasks.qrows,
        descriptor=tasks.descriptor,
        wanted=num_flagged,
        filtered=rows,
        num_groups=blocks.shape[0],
        num_kblocks=blocks.shape[1],
        num_sms=tasks.num_sms,
        blocks=blocks,
        rows=bounds,
    )


def row_statistics(grad_out: torch.Tensor, out: torch.Tensor, lse: torch.Tensor) -> torch.Tensor:
    """What the backward reads of each query and group: 16 of `lse * log2(e)`, 16 of scaled delta.

    That is `SOFTMAX_SCALE * delta`, where `delta = rowsum(dO * O)` is summed in FP32. An lse of
    -inf, or of 2^22 and more in size, counts as inf: such a query and head has no gradient.

    Args:
        grad_out: bf16 `[T, 16 G, 128]`.
        out: bf16 `[T, 16 G, 128]`.
        lse: FP32 `[T, 16 G]`, natural-log.

    Returns:
        FP32 `[T, G, 32]`.

    Raises:
        TypeError: an operand has another dtype.
        ValueError: an operand has another shape, or is on another device than `grad_out`.
    """
    for name, operand, dtype in (
        ("grad_out", grad_out, torch.bfloat16),
        ("out", out, torch.bfloat16),
        ("lse", lse, torch.float32),
    ):
        if operand.dtype != dtype:
            raise TypeError(f"{name} must be {dtype}, got {operand.dtype}")
    shape = tuple(grad_out.shape)
    num_groups = shape[1] // GROUP_HEADS if len(shape) == 3 else 0
    if num_groups not in GROUP_COUNTS or shape[1:] != (num_groups * GROUP_HEADS, HEAD_DIM):
        raise ValueError(
            f"grad_out must be [tokens, {GROUP_HEADS} G, {HEAD_DIM}] with {ANY_GROUPS}, got shape "
            f"{list(shape)}"
        )
    for name, operand, expected in (("out", out, shape), ("lse", lse, shape[:2])):
        if tuple(operand.shape) != expected:
            raise ValueError(f"{name} must be {list(expected)}, got shape {list(operand.shape)}")
        if operand.device != grad_out.device:
            raise ValueError(f"{name} must be on {grad_out.device}, got {operand.device}")
    statistics = lse.new_empty(shape[0], num_groups, 2 * GROUP_HEADS)
    DELTA(
        grad_out.device,
        grad_out=plain(grad_out),
        out=plain(out),
        lse=plain(lse),
        statistics=statistics,
        num_rows=shape[0] * num_groups,
    )
    return statistics
