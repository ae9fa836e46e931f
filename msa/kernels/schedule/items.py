"""The items of a walk: runs of tasks of one (head, key block), for CTAs to draw one by one.

A *quad* is half a task: the slots of quad `i` are `task_qrows.view(-1, 4)[i]`. An item is at most
16 consecutive tasks of one head and key block, the stretch that a CTA walks with K and V loaded
once; its last quad is the last one that has a query. A *run*, all such tasks, is cut at every 16th
from its start: so the items of a head, and with them the order of the backward's FP32 sums, do not
depend on other heads. Tasks come in chunks of 1024, a CTA to a chunk and a thread to a task: one
launch counts the items that begin in each chunk, and a second, which sums the counts before it,
writes them.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Boolean, Int32, Int64, Uint32, Uint64
from cutlass.cute import arch

from msa.kernels.device.primitives import (
    WARP,
    cta_exclusive_scan,
    name_kernels,
    shared,
    vector,
)
from msa.kernels.schedule.interface import (
    CHUNK_TASKS,
    FLAGGED_FIELD,
    HEAD_COUNTER_FIELD,
    HEAD_END_FIELD,
    ITEM_FIELDS,
    ITEM_TASKS,
    ITEMS,
    MAX_GROUPS,
    QUAD_SLOTS,
)
from msa.schedule.task_tables import TASK_META_FIELDS
from msa.schedule.topology import QUERY_CHUNK

SIGNATURE = ITEMS
_WARPS = CHUNK_TASKS // WARP
assert CHUNK_TASKS % WARP == 0 and _WARPS <= WARP  # a lane finds the last start of a warp
assert ITEM_TASKS <= WARP  # the bits from a task on, and a word past the chunk, hold so many
assert MAX_GROUPS % 4 == 0  # control words are written four at a time


class _Tasks(NamedTuple):
    """Fields of `TaskTables`, and which of their rows count."""

    meta: cute.Pointer
    qrows: cute.Pointer
    descriptor: cute.Pointer
    flags: cute.Pointer
    filtered: Int32
    flagged: cute.Pointer
    num_groups: Int32
    first_head: Int32
    num_heads: Int32


class _Scratch(NamedTuple):
    """Shared: integers for each warp; and a bit for each task, with a word for what follows."""

    warps: cute.Tensor
    tops: cute.Tensor
    earlier_tops: cute.Tensor
    starts: cute.Tensor
    hits: cute.Tensor


@cute.kernel
def count_items(tasks: _Tasks, chunk_counts: cute.Pointer):
    """Writes how many items each chunk has."""
    scratch = _allocate()
    total = Int32(0)
    if arch.block_idx()[0] * CHUNK_TASKS < _num_tasks(tasks):
        is_item = _item(tasks, scratch)[0]
        _, total = cta_exclusive_scan(Int32(is_item), scratch.warps)
    if arch.thread_idx()[0] == 0:
        vector(chunk_counts)[arch.block_idx()[0]] = total


@cute.kernel
def write_items(
    tasks: _Tasks, chunk_counts: cute.Pointer, items: cute.Pointer, control: cute.Pointer
):
    """Writes each chunk's items after those of the chunks before it.

    Of `control`, who writes the first item of a head writes where it begins, the last CTA the rest.
    """
    scratch = _allocate()
    thread = arch.thread_idx()[0]
    chunk = arch.block_idx()[0]
    has_tasks = chunk * CHUNK_TASKS < _num_tasks(tasks)
    is_last = chunk + 1 == arch.grid_dim()[0]
    if has_tasks or is_last:
        counted = Int32(0)
        for earlier in cutlass.range(thread, chunk, CHUNK_TASKS):
            counted += vector(chunk_counts)[earlier]
        _, num_items = cta_exclusive_scan(counted, scratch.warps)
        if has_tasks:
            task = chunk * CHUNK_TASKS + thread
            is_item, num_tasks, head, kblock = _item(tasks, scratch)
            before, total = cta_exclusive_scan(Int32(is_item), scratch.warps)
            if is_item:
                num_quads = 2 * num_tasks
                if _meta(tasks, task + num_tasks - 1)[3] <= QUAD_SLOTS:
                    num_quads -= 1
                item = num_items + before
                _store(
                    items + Int64(item) * ITEM_FIELDS,
                    (2 * task, num_quads, head, kblock),
                )
                if tasks.filtered == 0:
                    _begin_heads(tasks, control, _head_before(tasks, task), head, item)
            num_items += total
        if is_last and thread == 0:
            zero = Int32(0)
            _store(control, (num_items, zero, zero, zero))
            _store(control + FLAGGED_FIELD, (_num_flagged(tasks), zero, zero, zero))
            for i in cutlass.range_constexpr(4, MAX_GROUPS, 4):
                _store(control + FLAGGED_FIELD + i, (zero,) * 4)
            if tasks.filtered == 0:
                last = _head_before(tasks, _num_tasks(tasks))
                _begin_heads(tasks, control, last, tasks.num_groups, num_items)


def _allocate() -> _Scratch:
    warps, bits = (_WARPS,), (_WARPS + 1,)
    return _Scratch(
        *(shared(Int32, warps) for _ in range(3)), *(shared(Uint32, bits) for _ in range(2))
    )


@cute.jit
def _head_before(tasks: _Tasks, task: Int32) -> Int32:
    """The head of the task before, -1 if there is none."""
    head = Int32(-1)
    if task > 0:
        head = _meta(tasks, task - 1)[1]
    return head


@cute.jit
def _begin_heads(
    tasks: _Tasks, control: cute.Pointer, before: Int32, head: Int32, item: Int32
) -> None:
    """Writes that the items of the heads after `before` up to `head` begin at `item`."""
    for i in cutlass.range(before, head, unroll=1):
        if i >= 0:
            vector(control)[HEAD_END_FIELD + i] = item
        if i + 1 < tasks.num_groups:
            vector(control)[HEAD_COUNTER_FIELD + i + 1] = item


@cute.jit
def _num_flagged(tasks: _Tasks) -> Int32:
    """How many rows are flagged; 0 for a build of all items, which comes before the count."""
    flagged = Int32(0)
    if tasks.filtered != 0:
        flagged = vector(tasks.flagged)[0]
    return flagged


@cute.jit
def _num_tasks(tasks: _Tasks) -> Int32:
    """How many tasks to cut: none at all where rows are asked for and none is flagged."""
    num_tasks = vector(tasks.descriptor)[0]
    if tasks.filtered != 0 and _num_flagged(tasks) == 0:
        num_tasks = Int32(0)
    return num_tasks


@cute.jit
def _item(tasks: _Tasks, scratch: _Scratch):
    """`(is_item, num_tasks, head, kblock)`: whether an item starts at this thread's task, and it.

    All threads call this together. Behind the last task, every one starts a run.
    """
    thread = arch.thread_idx()[0]
    lane = arch.lane_idx()
    warp = arch.warp_idx()
    first = arch.block_idx()[0] * CHUNK_TASKS
    num_tasks = _num_tasks(tasks)
    is_task = first + thread < num_tasks
    head = Int32(0)
    kblock = Int32(0)
    if is_task:
        meta = _meta(tasks, first + thread)
        head = meta[1]
        kblock = meta[2]
    starts = Uint32(arch.vote_ballot_sync(_is_start(tasks, first + thread, num_tasks)))
    hits = Uint32(arch.vote_ballot_sync(_is_hit(tasks, first + thread, num_tasks)))
    # The run of the first task may have started in the chunk before.
    earlier = Uint32(
        arch.vote_ballot_sync(_is_start(tasks, first + thread - CHUNK_TASKS, num_tasks))
    )
    if lane == 0:
        scratch.tops[warp] = _top_bit(starts, warp)
        scratch.earlier_tops[warp] = _top_bit(earlier, warp)
        scratch.starts[warp] = starts
        scratch.hits[warp] = hits
    if warp == 0:
        # The last item of the chunk may end past it.
        behind = first + CHUNK_TASKS + lane
        starts_behind = Uint32(arch.vote_ballot_sync(_is_start(tasks, behind, num_tasks)))
        hits_behind = Uint32(arch.vote_ballot_sync(_is_hit(tasks, behind, num_tasks)))
        if lane == 0:
            scratch.starts[_WARPS] = starts_behind
            scratch.hits[_WARPS] = hits_behind
    arch.sync_threads()

    start = _last_start(scratch.tops, warp)
    start = cutlass.max(start, _top_bit(starts & arch.lanemask_le(), warp))
    if (scratch.starts[0] & 1) == 0:
        base = first - CHUNK_TASKS
        earlier_start = _last_start(scratch.earlier_tops, Int32(_WARPS))
        while earlier_start < 0:  # a run of more than a chunk
            base -= CHUNK_TASKS
            earlier = Uint32(arch.vote_ballot_sync(_is_start(tasks, base + thread, num_tasks)))
            arch.sync_threads()
            if lane == 0:
                scratch.earlier_tops[warp] = _top_bit(earlier, warp)
            arch.sync_threads()
            earlier_start = _last_start(scratch.earlier_tops, Int32(_WARPS))
        if start < 0:
            start = base + earlier_start - first
    is_cut = (thread - start) % ITEM_TASKS == 0

    # A one for each task from this one up to the next start, or for 16.
    next_starts = Uint32(_bits_from(scratch.starts, warp, lane) >> 1) | (1 << (ITEM_TASKS - 1))
    tasks_of_item = next_starts ^ (next_starts - 1)
    is_hit = Uint32(_bits_from(scratch.hits, warp, lane)) & tasks_of_item != 0
    size = Int32(arch.popc(tasks_of_item))
    return is_task and is_cut and is_hit, size, head, kblock


@cute.jit
def _is_start(tasks: _Tasks, task: Int32, num_tasks: Int32) -> Boolean:
    """Whether a run starts at a task; one does at any that is none."""
    is_start = Boolean(True)
    if task > 0 and task < num_tasks:
        meta = _meta(tasks, task)
        before = _meta(tasks, task - 1)
        is_start = meta[1] != before[1] or meta[2] != before[2]
    return is_start


@cute.jit
def _is_hit(tasks: _Tasks, task: Int32, num_tasks: Int32) -> Boolean:
    """Whether a task makes its item one that is asked for."""
    is_hit = Boolean(tasks.filtered == 0)
    if tasks.filtered != 0 and task < num_tasks:
        head = _meta(tasks, task)[1]
        if head >= tasks.first_head and head < tasks.first_head + tasks.num_heads:
            is_hit = _has_flagged(tasks, task, head)
    return is_hit


@cute.jit
def _last_start(tops: cute.Tensor, warps: Int32) -> Int32:
    """The last start in the first `warps` warps, -1 without one."""
    top = Int32(-1)
    if arch.lane_idx() < warps:
        top = tops[arch.lane_idx()]
    return arch.warp_redux_sync(top, "max")


@cute.jit
def _has_flagged(tasks: _Tasks, task: Int32, head: Int32) -> Boolean:
    """Whether the task has a query of which the row of this head is flagged."""
    memory = cute.make_tensor(
        tasks.qrows + Int64(task) * QUERY_CHUNK, cute.make_layout(QUERY_CHUNK)
    )
    rows = cute.make_rmem_tensor((QUERY_CHUNK,), Int32)
    cute.autovec_copy(memory, rows)
    any_flag = Int32(0)
    for i in cutlass.range_constexpr(QUERY_CHUNK):
        flag = Int32(0)
        if rows[i] >= 0:
            flag = vector(tasks.flags)[rows[i] * tasks.num_groups + head]
        any_flag |= flag
    return any_flag != 0


@cute.jit
def _top_bit(word: Uint32, warp: Int32) -> Int32:
    """Index of the top one of a warp's word among all bits, -1 without one."""
    index = warp * WARP + (WARP - 1 - Int32(arch.clz(word)))
    if word == 0:
        index = Int32(-1)
    return index


@cute.jit
def _bits_from(words: cute.Tensor, warp: Int32, lane: Int32) -> Uint64:
    """The bits from this thread's on, at least 33 of them."""
    return (Uint64(words[warp + 1]) << Uint64(WARP) | Uint64(words[warp])) >> Uint64(lane)


@cute.jit
def _meta(tasks: _Tasks, task: Int32) -> cute.Tensor:
    layout = cute.make_layout(TASK_META_FIELDS)
    fields = cute.make_rmem_tensor((TASK_META_FIELDS,), Int32)
    memory = cute.make_tensor(tasks.meta + Int64(task) * TASK_META_FIELDS, layout)
    cute.autovec_copy(memory, fields)
    return fields


@cute.jit
def _store(target: cute.Pointer, fields: tuple) -> None:
    """Writes four integers by one access."""
    values = cute.make_rmem_tensor((len(fields),), Int32)
    for i in cutlass.range_constexpr(len(fields)):
        values[i] = fields[i]
    cute.autovec_copy(values, cute.make_tensor(target, cute.make_layout(len(fields))))


name_kernels(count_items, write_items)


@cute.jit
def launch(
    task_meta: cute.Pointer,
    task_qrows: cute.Pointer,
    descriptor: cute.Pointer,
    flags: cute.Pointer,
    filtered: Int32,
    flagged: cute.Pointer,
    num_groups: Int32,
    first_head: Int32,
    num_heads: Int32,
    capacity: Int32,
    chunk_counts: cute.Pointer,
    items: cute.Pointer,
    control: cute.Pointer,
    stream: cuda.CUstream,
):
    """Cuts tasks into int32 `items` `[capacity, 4]`, in the order of the tasks.

    An item is `(first quad, quads, head, workspace key block)`. Where `filtered`, only items of
    `num_heads` heads from `first_head` on stay that hold a query row of which the head's `flags`,
    int32 `[T, num_groups]`, is not zero; `flagged`, int32 `[1]`, says how many are not. Otherwise
    none of these is read.

    `control`, int32 `[CONTROL_FIELDS]`, becomes the number of items, three zeros to draw from, and
    at `FLAGGED_FIELD` the number of flagged rows, 0 unless `filtered`, and zeros after it. Unless
    `filtered`, it also says where the items of each head begin, at `HEAD_COUNTER_FIELD`, for them
    to be drawn from there, and end, at `HEAD_END_FIELD`.

    `task_meta`, `task_qrows` and `descriptor` are those of `TaskTables`, of `capacity` rows.
    Scratch: `chunk_counts`, int32, one for every 1024 of `capacity`.
    """
    tasks = _Tasks(
        task_meta,
        task_qrows,
        descriptor,
        flags,
        filtered,
        flagged,
        num_groups,
        first_head,
        num_heads,
    )
    grid = [cute.ceil_div(capacity, CHUNK_TASKS), 1, 1]
    block = [CHUNK_TASKS, 1, 1]
    count_items(tasks, chunk_counts).launch(grid=grid, block=block, stream=stream)
    write_items(tasks, chunk_counts, items, control).launch(grid=grid, block=block, stream=stream)
