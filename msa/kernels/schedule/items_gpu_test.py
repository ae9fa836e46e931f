"""The items of a walk against their definition, task by task."""

import dataclasses

import pytest
import torch

from msa.kernels.runtime.testing import needs_gpu, poison, poison_free_memory
from msa.kernels.schedule import plan
from msa.kernels.schedule.interface import (
    CHUNK_TASKS,
    CONTROL_FIELDS,
    FLAGGED_FIELD,
    HEAD_COUNTER_FIELD,
    HEAD_END_FIELD,
    ITEM_FIELDS,
    ITEM_TASKS,
    MAX_GROUPS,
)
from msa.schedule.backward_schedule import MSABackwardSchedule, build_backward_schedule
from msa.schedule.documents import PackedDocuments
from msa.schedule.task_tables import TaskTables, build_task_tables
from msa.schedule.testing import (
    DOCUMENTS,
    pack_lengths,
    poison_unspecified,
    random_support,
    stratified_support,
)

pytestmark = needs_gpu

EVERY_DOCUMENTS = pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS.keys())


def define_items(
    tables: TaskTables, flags: torch.Tensor | None = None, heads: range = range(MAX_GROUPS)
) -> torch.Tensor:
    """The items of tables on the CPU; of `flags` `[T, G]`, those of `heads` where a row has one."""
    num_tasks = int(tables.descriptor[0])
    tasks = [tuple(task) for task in tables.task_meta[:num_tasks].tolist()]
    if flags is not None:
        rows, flags = tables.task_qrows[:num_tasks].tolist(), flags.tolist()
    items = []
    end = 0
    while end < num_tasks:
        first = end
        _, head, kblock, _ = tasks[first]
        # Up to 16 tasks of one head and key block.
        most = min(first + ITEM_TASKS, num_tasks)
        while end < most and tasks[end][1:3] == (head, kblock):
            end += 1
        valid = tasks[end - 1][3]
        if flags is None or (
            head in heads
            and any(row >= 0 and flags[row][head] for task in rows[first:end] for row in task)
        ):
            items.append((2 * first, 2 * (end - first) - (valid <= 4), head, kblock))
    return torch.tensor(items, dtype=torch.int32).view(-1, ITEM_FIELDS)


def build_items(
    tables: TaskTables,
    flags: torch.Tensor | None = None,
    num_flagged: int | None = None,
    heads: range = range(MAX_GROUPS),
    groups: int = 4,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Items and control by the kernel, of tables on the CPU, in poisoned memory."""
    tables = TaskTables(*(table.cuda() for table in tables))
    capacity = tables.task_meta.shape[0]
    # The count of flagged rows stands where `finish` counts it.
    counts = poison(torch.empty(CONTROL_FIELDS, dtype=torch.int32, device="cuda"))
    if flags is not None:
        counts[FLAGGED_FIELD] = int(flags.count_nonzero()) if num_flagged is None else num_flagged
    items = poison(counts.new_empty(capacity, ITEM_FIELDS))
    control = poison(counts.new_empty(CONTROL_FIELDS))
    chunk_counts = poison(counts.new_empty(-(-capacity // CHUNK_TASKS)))
    plan.ITEMS(
        items.device,
        task_meta=tables.task_meta,
        task_qrows=tables.task_qrows,
        descriptor=tables.descriptor,
        flags=0 if flags is None else flags.cuda(),
        filtered=int(flags is not None),
        flagged=counts[FLAGGED_FIELD:],
        num_groups=groups,
        first_head=heads.start,
        num_heads=len(heads),
        capacity=capacity,
        chunk_counts=chunk_counts,
        items=items,
        control=control,
    )
    return items.cpu(), control.cpu()


def assert_right(
    tables: TaskTables,
    flags: torch.Tensor | None = None,
    heads: range = range(MAX_GROUPS),
    groups: int = 4,
) -> torch.Tensor:
    """Checks the items that the kernel builds, and returns them."""
    items, control = build_items(tables, flags, heads=heads, groups=groups)
    expected = define_items(tables, flags, heads)
    num_flagged = 0 if flags is None else int(flags.count_nonzero())
    zeros = [0] * (MAX_GROUPS - 1)
    assert control[:HEAD_END_FIELD].tolist() == [len(expected), 0, 0, 0, num_flagged, *zeros]
    by_head = poison(torch.empty_like(control[HEAD_END_FIELD:]))
    if flags is None:
        ends = torch.tensor([int((expected[:, 2] <= head).sum()) for head in range(groups)])
        by_head[:groups] = ends
        counters = by_head[HEAD_COUNTER_FIELD - HEAD_END_FIELD :]
        counters[0], counters[1:groups] = 0, ends[:-1]
    assert torch.equal(control[HEAD_END_FIELD:], by_head)
    assert torch.equal(items[: len(expected)], expected)
    untouched = items[len(expected) :]
    assert torch.equal(untouched, poison(torch.empty_like(untouched)))
    return expected


def build_tables(schedule: MSABackwardSchedule, window: int = 512) -> TaskTables:
    """The tables of a schedule, with poison behind the last task."""
    tables = build_task_tables(poison_unspecified(schedule), num_sms=132, window=window)
    for table in tables[:3]:
        poison(table[int(tables.descriptor[0]) :])
    return tables


def some_blocks(documents: PackedDocuments) -> torch.Tensor:
    return random_support(documents, seed=1)


def every_block(documents: PackedDocuments) -> torch.Tensor:
    return stratified_support(documents, seed=2)


def no_block(documents: PackedDocuments) -> torch.Tensor:
    return torch.full((4, documents.num_tokens, 16), -1, dtype=torch.int32)


def the_first_block(documents: PackedDocuments) -> torch.Tensor:
    """Of every head but head 2."""
    support = no_block(documents)
    support[[0, 1, 3], :, 11] = 0
    return support


EVERY_SUPPORT = pytest.mark.parametrize(
    "support_of", [some_blocks, every_block, no_block, the_first_block]
)


@EVERY_DOCUMENTS
@EVERY_SUPPORT
@pytest.mark.parametrize("window", [16, 512])
def test_all_items(documents, support_of, window):
    schedule = build_backward_schedule(support_of(documents), documents)
    poison_free_memory(1 << 26)
    assert_right(build_tables(schedule, window))


@EVERY_DOCUMENTS
@pytest.mark.parametrize("share", [0.003, 0.1, 1.0])
def test_items_with_flagged_rows(documents, share):
    tables = build_tables(build_backward_schedule(every_block(documents), documents))
    generator = torch.Generator().manual_seed(3)
    drawn = torch.rand(documents.num_tokens, 4, generator=generator)
    flags = (drawn < share).to(torch.int32) * 0x100  # whatever is not zero is a flag
    flags[-1, -1] = -1
    poison_free_memory(1 << 26)
    items = assert_right(tables, flags)
    assert len(items) > 0
    if share < 0.01 and documents.num_tokens > 1000:
        assert len(items) < len(define_items(tables))


@EVERY_DOCUMENTS
@pytest.mark.parametrize("heads", [range(1), range(1, 2), range(2, 4), range(3, 4)], ids=str)
def test_items_of_some_heads_with_flagged_rows(documents, heads):
    tables = build_tables(build_backward_schedule(every_block(documents), documents))
    flags = torch.ones(documents.num_tokens, 4, dtype=torch.int32)
    poison_free_memory(1 << 26)
    items = assert_right(tables, flags, heads)
    assert items[:, 2].unique().tolist() == list(heads)


@pytest.mark.parametrize("groups", [1, 2, 8])
@pytest.mark.parametrize("name", ["more blocks than slots", "lengths around a block"])
def test_any_number_of_groups(name, groups):
    documents = DOCUMENTS[name]
    support = random_support(documents, seed=7, num_groups=MAX_GROUPS)
    support[[3, 6]] = -1
    schedule = build_backward_schedule(support[:groups], documents)
    tables = build_tables(schedule, window=256)
    poison_free_memory(1 << 26)
    items = assert_right(tables, groups=groups)
    of_all = build_items(build_tables(build_backward_schedule(support, documents), 256), groups=8)
    assert torch.equal(items, of_all[0][: len(items)])
    generator = torch.Generator().manual_seed(8)
    flags = torch.rand(documents.num_tokens, groups, generator=generator) < 0.1
    heads = range(groups // 2, groups)
    assert len(assert_right(tables, flags.to(torch.int32), heads, groups)) > 0


@pytest.mark.parametrize("slot", range(8))
def test_a_flag_counts_in_every_slot_of_a_task(slot):
    documents = pack_lengths(300)
    tables = build_tables(build_backward_schedule(every_block(documents), documents))
    full = [task for task, (*_, valid) in enumerate(tables.task_meta.tolist()) if valid == 8]
    row, head = int(tables.task_qrows[full[5], slot]), int(tables.task_meta[full[5], 1])
    flags = torch.zeros(documents.num_tokens, 4, dtype=torch.int32)
    flags[row, head] = 1
    items = assert_right(tables, flags)
    assert items[:, 2].unique().tolist() == [head]


@EVERY_DOCUMENTS
def test_nothing_is_left_where_no_row_is_flagged(documents):
    tables = build_tables(build_backward_schedule(every_block(documents), documents))
    assert len(assert_right(tables, torch.zeros(documents.num_tokens, 4, dtype=torch.int32))) == 0
    # The count alone says so, without a look at the flags.
    flags = torch.ones(documents.num_tokens, 4, dtype=torch.int32)
    items, control = build_items(tables, flags, num_flagged=0)
    assert control[:HEAD_END_FIELD].tolist() == [0] * HEAD_END_FIELD
    assert torch.equal(items, poison(torch.empty_like(items)))


def test_the_count_of_flagged_rows_may_stand_in_the_same_control():
    documents = pack_lengths(700)
    tables = build_tables(build_backward_schedule(every_block(documents), documents))
    flags = torch.zeros(documents.num_tokens, 4, dtype=torch.int32)
    flags[250, 0] = 1
    expected = define_items(tables, flags)
    device = TaskTables(*(table.cuda() for table in tables))
    capacity = tables.task_meta.shape[0]
    others = CONTROL_FIELDS - FLAGGED_FIELD - 1
    control = torch.tensor([5, 6, 7, 8, 1] + [9] * others, dtype=torch.int32, device="cuda")
    items, chunk_counts = control.new_empty(capacity, 4), control.new_empty(-(-capacity // 1024))
    plan.ITEMS(
        control.device,
        task_meta=device.task_meta,
        task_qrows=device.task_qrows,
        descriptor=device.descriptor,
        flags=flags.cuda(),
        filtered=1,
        flagged=control[FLAGGED_FIELD:],
        num_groups=4,
        first_head=0,
        num_heads=4,
        capacity=capacity,
        chunk_counts=chunk_counts,
        items=items,
        control=control,
    )
    zeros, untouched = [0] * (MAX_GROUPS - 1), [9] * (CONTROL_FIELDS - HEAD_END_FIELD)
    assert control.tolist() == [len(expected), 0, 0, 0, 1, *zeros, *untouched]
    assert torch.equal(items[: len(expected)].cpu(), expected)


def cut_oddly(schedule: MSABackwardSchedule, seed: int) -> MSABackwardSchedule:
    """The same rows in work items of 1 to 13 queries, so that tasks of any size lie in a run."""
    generator = torch.Generator().manual_seed(seed)
    items = []
    for head, row, begin, count, *rest in schedule.scheduler_metadata[
        : int(schedule.work_count)
    ].tolist():
        end = begin + count
        while begin < end:
            size = min(int(torch.randint(1, 14, (), generator=generator)), end - begin)
            items.append((head, row, begin, size, *rest))
            begin += size
    return dataclasses.replace(
        schedule,
        scheduler_metadata=torch.tensor([*items, (0,) * 6], dtype=torch.int32),
        work_count=torch.tensor([len(items)], dtype=torch.int32),
    )


@EVERY_DOCUMENTS
@pytest.mark.parametrize("filtered", [False, True])
def test_partial_tasks_anywhere(documents, filtered):
    schedule = build_backward_schedule(some_blocks(documents), documents)
    tables = build_tables(cut_oddly(schedule, seed=4))
    flags = None
    if filtered:
        generator = torch.Generator().manual_seed(5)
        flags = torch.rand(documents.num_tokens, 4, generator=generator) < 0.02
        flags = flags.to(torch.int32)
    poison_free_memory(1 << 26)
    assert_right(tables, flags)


@pytest.mark.parametrize("head", [0, 5, 7])
def test_a_head_has_the_items_that_it_has_among_others(head):
    documents = pack_lengths(2200, 9000)
    support = stratified_support(documents, seed=9, num_groups=MAX_GROUPS)
    items = []
    for of_heads, groups in ((support[head : head + 1], 1), (support, MAX_GROUPS)):
        tables = build_tables(build_backward_schedule(of_heads, documents))
        found = assert_right(tables, groups=groups)
        found = found[found[:, 2] == (head if groups > 1 else 0)]
        # Counted from the first quad of the head.
        items.append(torch.cat((found[:, :1] - found[0, 0], found[:, 1:2], found[:, 3:]), dim=1))
    assert torch.equal(*items)


@pytest.mark.parametrize("num_tokens", [8192, 8193, 9999, 20_001])
def test_a_run_longer_than_a_chunk(num_tokens):
    documents = pack_lengths(num_tokens)
    schedule = build_backward_schedule(the_first_block(documents), documents)
    items = assert_right(build_tables(schedule, window=1 << 20))
    assert items[:, 3].unique().tolist() == [0]
    assert (items[:, 1] == 2 * ITEM_TASKS).sum() > 3 * 60


def test_more_chunks_than_a_cta_has_threads():
    capacity = 1100 * CHUNK_TASKS + 77
    generator = torch.Generator().manual_seed(6)
    runs = torch.randint(1, 40, (capacity // 10,), generator=generator)
    meta = torch.zeros(capacity, 4, dtype=torch.int32)
    kblock = torch.arange(len(runs), dtype=torch.int32).repeat_interleave(runs)[:capacity]
    meta[:, 1], meta[:, 2] = kblock * 4 // (kblock[-1] + 1), kblock
    meta[:, 3] = torch.randint(1, 9, (capacity,), generator=generator)
    descriptor = torch.zeros(8, dtype=torch.int32)
    descriptor[0] = capacity - 50 * CHUNK_TASKS  # the last chunks are empty
    assert_right(TaskTables(meta, meta.new_zeros(capacity, 8), meta, descriptor))


@pytest.mark.parametrize("filtered", [False, True])
def test_a_schedule_that_contradicts_itself_has_no_items(filtered):
    documents = DOCUMENTS["padding"]
    schedule = build_backward_schedule(every_block(documents), documents)
    broken = dataclasses.replace(schedule, work_count=torch.tensor([-1], dtype=torch.int32))
    tables = build_task_tables(broken, num_sms=132)
    flags = torch.ones(documents.num_tokens, 4, dtype=torch.int32) if filtered else None
    assert len(assert_right(tables, flags)) == 0
