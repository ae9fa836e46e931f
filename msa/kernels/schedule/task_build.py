"""From work items to the tasks of the backward in locality order, on the device.

The device build of `msa.schedule.build_task_tables`, equal to it bit for bit up to what is
unspecified. A task is sorted as a word, its key above its number; the key joins head, window and
key block into one integer. Tasks of one key stay in the order of their work items.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Int32, Int64
from cutlass.cute import arch

from msa.kernels.device.primitives import (
    cta_exclusive_scan,
    name_kernels,
    shared,
    upper_bound,
    vector,
)
from msa.kernels.schedule.interface import TASK_BUILD
from msa.kernels.schedule.radix_sort import RadixPass, Scratch, Words
from msa.schedule.backward_schedule import WORK_ITEM_FIELDS
from msa.schedule.cta_walk import walk_chunk_map, walk_rows_per_cta
from msa.schedule.task_tables import DESCRIPTOR_FIELDS, OVERFLOW_FLAG, TASK_META_FIELDS
from msa.schedule.topology import BLOCK_SIZE, QUERY_CHUNK

SIGNATURE = TASK_BUILD
_THREADS = 256
_SCAN_THREADS = 1024
_INT32_MAX = 2**31 - 1
assert _THREADS % QUERY_CHUNK == 0  # a CTA gathers whole tasks


class _Schedule(NamedTuple):
    """The fields of an `MSABackwardSchedule`, and its extents."""

    row_ptr: cute.Pointer
    q_indices: cute.Pointer
    scheduler_metadata: cute.Pointer
    work_count: cute.Pointer
    cu_seqlens: cute.Pointer
    document_workspace_starts: cute.Pointer
    num_groups: Int32
    num_rows: Int32
    edge_capacity: Int32
    num_edges: Int64
    work_capacity: Int32
    num_documents: Int32


class _Tasks(NamedTuple):
    """Tasks in source order: `ends` per work item, the item of each task, and their number."""

    ends: cute.Pointer
    items: cute.Pointer
    size: cute.Pointer


@cute.jit
def _select(condition, if_true, if_false) -> Int32:
    return cutlass.select_(condition, Int32(if_true), Int32(if_false))


@cute.kernel
def task_ends(
    schedule: _Schedule, capacity: Int32, num_sms: Int32, tasks: _Tasks, descriptor: cute.Pointer
):
    """Counts tasks up to and including each work item, and writes the descriptor. One CTA."""
    thread = arch.thread_idx()[0]
    warp_sums = shared(Int64, (_SCAN_THREADS // 32,))
    work_count = vector(schedule.work_count)[0]
    num_items = work_count
    if work_count < 0 or work_count > schedule.work_capacity:
        num_items = Int32(0)
    needed = Int64(0)
    for base in cutlass.range(0, num_items, _SCAN_THREADS):
        item = base + thread
        count = Int64(0)
        if item < num_items:
            queries = _item(schedule, item)[3]
            count = (Int64(queries) + (QUERY_CHUNK - 1)) // QUERY_CHUNK
        before, total = cta_exclusive_scan(count, warp_sums)
        if item < num_items:
            vector(tasks.ends)[item] = Int32(needed + before + count)
        needed += total
    if thread == 0:
        fits = work_count == num_items and needed <= Int64(capacity)
        num_tasks = _select(fits, needed, 0)
        vector(tasks.size)[0] = num_tasks
        rows = walk_rows_per_cta(num_tasks, _select)
        fields = (
            num_tasks,
            rows,
            *walk_chunk_map(num_tasks, rows, num_sms, _select),
            work_count,
            Int32(cutlass.min(needed, Int64(_INT32_MAX))),
            _select(fits, 0, OVERFLOW_FLAG),
        )
        for i in cutlass.range_constexpr(DESCRIPTOR_FIELDS):
            vector(descriptor)[i] = fields[i]


@cute.kernel
def task_keys(
    schedule: _Schedule,
    num_windows: Int32,
    window: Int32,
    tasks: _Tasks,
    task_bits: Int32,
    out: Words,
):
    """Writes each task below its key, `(head * windows + window) * rows + key block`."""
    task = arch.block_idx()[0] * _THREADS + arch.thread_idx()[0]
    if task < vector(tasks.size)[0]:
        item = upper_bound(vector(tasks.ends), vector(schedule.work_count)[0], task)
        vector(tasks.items)[task] = item
        head, edge, _, document, kblock = _locate(schedule, tasks, task, item)
        row = vector(schedule.cu_seqlens)[document] + _position(schedule, edge)
        head_window = Int64(head) * num_windows + row // window
        key = head_window * schedule.num_rows + kblock
        vector(out.words)[task] = key << Int64(task_bits) | Int64(task)


@cute.kernel
def gather_tasks(
    schedule: _Schedule,
    tasks: _Tasks,
    task_bits: Int32,
    order: Words,
    task_meta: cute.Pointer,
    task_qrows: cute.Pointer,
    task_qpos: cute.Pointer,
):
    """Writes the tables, a thread for each query of a task."""
    thread = arch.block_idx()[0] * _THREADS + arch.thread_idx()[0]
    index = thread // QUERY_CHUNK
    lane = thread % QUERY_CHUNK
    if index < vector(tasks.size)[0]:
        task = Int32(vector(order.words)[index]) & ((Int32(1) << task_bits) - 1)
        item = vector(tasks.items)[task]
        head, edge, left, document, kblock = _locate(schedule, tasks, task, item)
        valid = cutlass.min(left, QUERY_CHUNK)
        row = Int32(-1)
        workspace_row = Int32(-1)
        if lane < valid:
            position = _position(schedule, edge + lane)
            row = vector(schedule.cu_seqlens)[document] + position
            workspace_row = vector(schedule.document_workspace_starts)[document] + position
        at = Int64(index) * QUERY_CHUNK + lane
        vector(task_qrows + at)[0] = row
        vector(task_qpos + at)[0] = workspace_row
        if lane == 0:
            meta = vector(task_meta + Int64(index) * TASK_META_FIELDS)
            fields = (Int32(0), head, kblock, valid)
            for i in cutlass.range_constexpr(TASK_META_FIELDS):
                meta[i] = fields[i]


@cute.jit
def _locate(schedule, tasks, task: Int32, item: Int32):
    """A task's head, first edge, queries from there on, document and workspace key block."""
    head, row, begin, count, document, kblock = _item(schedule, item)
    before = Int32(0)
    if item > 0:
        before = vector(tasks.ends)[item - 1]
    skipped = (task - before) * QUERY_CHUNK
    row_start = vector(schedule.row_ptr + Int64(head) * (schedule.num_rows + 1))[row]
    edge = Int64(head) * schedule.edge_capacity + (row_start + begin + skipped)
    first_kblock = vector(schedule.document_workspace_starts)[document] // BLOCK_SIZE
    return head, edge, count - skipped, document, first_kblock + kblock


def _item(schedule, item):
    """The six fields of a work item, its indices bounded.

    A `work_count` that is too high for its schedule leads to items that may hold anything.
    """
    fields = vector(schedule.scheduler_metadata + Int64(item) * WORK_ITEM_FIELDS)
    return (
        _bounded(fields[0], schedule.num_groups),
        _bounded(fields[1], schedule.num_rows),
        fields[2],
        cutlass.max(fields[3], Int32(0)),
        _bounded(fields[4], schedule.num_documents),
        fields[5],
    )


def _position(schedule, edge):
    """The query position of an edge, counted over all heads."""
    edge = _bounded(edge, schedule.num_edges)
    return vector(schedule.q_indices + edge)[0]


def _bounded(index, size):
    return cutlass.max(cutlass.min(index, size - 1), type(size)(0))


name_kernels(task_ends, task_keys, gather_tasks)


@cute.jit
def launch(
    row_ptr: cute.Pointer,
    q_indices: cute.Pointer,
    scheduler_metadata: cute.Pointer,
    work_count: cute.Pointer,
    cu_seqlens: cute.Pointer,
    document_workspace_starts: cute.Pointer,
    num_groups: Int32,
    num_rows: Int32,
    edge_capacity: Int32,
    work_capacity: Int32,
    num_documents: Int32,
    capacity: Int32,
    num_sms: Int32,
    num_windows: Int32,
    window: Int32,
    task_bits: Int32,
    task_meta: cute.Pointer,
    task_qrows: cute.Pointer,
    task_qpos: cute.Pointer,
    descriptor: cute.Pointer,
    ends: cute.Pointer,
    items: cute.Pointer,
    words: cute.Pointer,
    size: cute.Pointer,
    counts: cute.Pointer,
    totals: cute.Pointer,
    warps: Int32,
    passes: Int32,
    bits: Int32,
    stream: cuda.CUstream,
):
    """Builds the task tables; shapes as in `TaskTables`.

    Scratch: `ends` int32 `[work_capacity]`; `items` int32 `[capacity]`; `words` int64
    `[2, capacity]`; `size` int32 `[1]`; `counts` and `totals` int32 as the sort plan says, whose
    `warps`, `passes` and `bits` these are.
    """
    schedule = _Schedule(
        row_ptr,
        q_indices,
        scheduler_metadata,
        work_count,
        cu_seqlens,
        document_workspace_starts,
        num_groups,
        num_rows,
        edge_capacity,
        Int64(num_groups) * edge_capacity,
        work_capacity,
        num_documents,
    )
    tasks = _Tasks(ends, items, size)
    block = [_THREADS, 1, 1]
    task_ends(schedule, capacity, num_sms, tasks, descriptor).launch(
        grid=[1, 1, 1], block=[_SCAN_THREADS, 1, 1], stream=stream
    )
    task_keys(
        schedule, num_windows, window, tasks, task_bits, _before(Int32(0), words, capacity, size)
    ).launch(grid=[cute.ceil_div(capacity, _THREADS), 1, 1], block=block, stream=stream)
    for sort_pass in cutlass.range(passes):
        RadixPass()(
            _before(sort_pass, words, capacity, size),
            capacity,
            1,
            warps,
            task_bits + sort_pass * bits,
            bits,
            Scratch(counts, totals),
            _before(sort_pass + 1, words, capacity, size),
            stream,
        )
    order = _before(passes, words, capacity, size)
    gather_tasks(schedule, tasks, task_bits, order, task_meta, task_qrows, task_qpos).launch(
        grid=[cute.ceil_div(capacity, _THREADS // QUERY_CHUNK), 1, 1], block=block, stream=stream
    )


def _before(sort_pass, words: cute.Pointer, capacity: Int32, size: cute.Pointer) -> Words:
    """The words before pass `sort_pass`: two buffers take turns."""
    return Words(words + sort_pass % 2 * capacity, size)
