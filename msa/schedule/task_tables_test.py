import dataclasses

import pytest
import torch

from msa.schedule.backward_schedule import (
    MSABackwardSchedule,
    build_backward_schedule,
    schedule_tensors,
)
from msa.schedule.cta_walk import chunk_map, rows_per_cta
from msa.schedule.documents import PackedDocuments
from msa.schedule.support import work_capacity
from msa.schedule.task_tables import (
    OVERFLOW_FLAG,
    TaskTables,
    build_table_tensors,
    build_task_tables,
    task_capacity,
    task_window,
)
from msa.schedule.testing import (
    DOCUMENTS,
    assert_same_tables,
    level_major,
    pack_lengths,
    poison_unspecified,
    queries_of_blocks,
    random_support,
    spoil,
)

EVERY_DOCUMENTS = pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS.keys())


def schedule_of(
    documents: PackedDocuments, seed: int = 0, num_groups: int = 4
) -> MSABackwardSchedule:
    support = random_support(documents, seed, num_groups=num_groups)
    return build_backward_schedule(support, documents)


def tasks_of(tables: TaskTables) -> list[tuple[list[int], list[int], list[int]]]:
    """The walked rows of the tables, as (meta, qrows, qpos)."""
    walked = int(tables.descriptor[0])
    return [
        (meta, qrows, qpos)
        for meta, qrows, qpos in zip(
            tables.task_meta[:walked].tolist(),
            tables.task_qrows[:walked].tolist(),
            tables.task_qpos[:walked].tolist(),
            strict=True,
        )
    ]


def expected_tasks(schedule: MSABackwardSchedule, window: int) -> list:
    """The expected tasks, from a loop over the work items."""
    tasks = []
    row_ptr, q_indices = schedule.row_ptr.tolist(), schedule.q_indices.tolist()
    items = schedule.scheduler_metadata[: int(schedule.work_count)].tolist()
    for head, row, begin, count, document, kblock in items:
        first = row_ptr[head][row] + begin
        queries = q_indices[head][first : first + count]
        compact_start = int(schedule.cu_seqlens[document])
        workspace_start = int(schedule.document_workspace_starts[document])
        for chunk in range(0, count, 8):
            lanes = queries[chunk : chunk + 8]
            padding = [-1] * (8 - len(lanes))
            meta = [0, head, workspace_start // 128 + kblock, len(lanes)]
            qrows = [compact_start + query for query in lanes] + padding
            tasks.append((meta, qrows, [workspace_start + query for query in lanes] + padding))
    return sorted(tasks, key=lambda task: (task[0][1], task[1][0] // window, task[0][2]))


@EVERY_DOCUMENTS
def test_every_selected_pair_is_in_exactly_one_task(documents):
    support = random_support(documents, seed=1, fill=0.6)
    spoiled = spoil(support, documents, seed=2)
    tables = build_task_tables(build_backward_schedule(spoiled, documents), num_sms=132)
    workspace_rows = documents.workspace_positions.tolist()
    pairs = []
    for (zero, head, kblock, valid), qrows, qpos in tasks_of(tables):
        assert zero == 0
        assert 1 <= valid <= 8
        assert qrows[valid:] == qpos[valid:] == [-1] * (8 - valid)
        assert qpos[:valid] == [workspace_rows[query] for query in qrows[:valid]]
        assert qrows[:valid] == sorted(set(qrows[:valid]))
        pairs += [(head, kblock, query) for query in qrows[:valid]]
    expected = [
        (head, kblock, query)
        for (head, kblock), queries in queries_of_blocks(support, documents).items()
        for query in queries
    ]
    assert sorted(pairs) == sorted(expected)


@EVERY_DOCUMENTS
@pytest.mark.parametrize("window, num_groups", [(1, 8), (100, 1), (512, 2), (2**31, 4)])
def test_locality_order(documents, window, num_groups):
    schedule = schedule_of(documents, num_groups=num_groups)
    tables = build_task_tables(schedule, num_sms=132, window=window)
    assert tasks_of(tables) == expected_tasks(schedule, window)


def test_pieces_of_a_row_in_one_window_keep_their_order():
    documents = pack_lengths(2000)
    support = torch.full((4, 2000, 16), -1, dtype=torch.int32)
    support[1, :, 3] = 0
    tables = build_task_tables(build_backward_schedule(support, documents), num_sms=1, window=4096)
    assert tables.task_qrows[:250].flatten().tolist() == list(range(2000))


def test_windows_part_the_runs_of_a_key_block():
    documents = pack_lengths(1024)
    support = torch.full((4, 1024, 16), -1, dtype=torch.int32)
    support[0, :, 0] = 0
    support[0, 512:, 1] = 3
    tables = build_task_tables(build_backward_schedule(support, documents), num_sms=1, window=512)
    # Block 0 of the first 512 queries, then of the others, then block 3 of these.
    assert tables.task_meta[:192, 2].tolist() == [0] * 128 + [3] * 64
    assert tables.task_qrows[:192, 0].tolist() == [*range(0, 1024, 8), *range(512, 1024, 8)]


@EVERY_DOCUMENTS
@pytest.mark.parametrize("num_groups", [1, 2, 4])
def test_a_group_has_the_same_tasks_whichever_are_beside_it(documents, num_groups):
    support = random_support(documents, seed=3, num_groups=8)
    together = build_task_tables(build_backward_schedule(support, documents), num_sms=132)
    alone = build_task_tables(build_backward_schedule(support[:num_groups], documents), num_sms=132)
    # Tasks are sorted by head first.
    assert tasks_of(alone) == [task for task in tasks_of(together) if task[0][1] < num_groups]


@EVERY_DOCUMENTS
@pytest.mark.parametrize("window", [16, 512])
def test_level_major_rows_give_the_same_tasks(documents, window):
    schedule = schedule_of(documents, seed=3)
    renumbered = level_major(schedule)
    tables = build_task_tables(schedule, num_sms=132, window=window)
    other = build_task_tables(renumbered, num_sms=132, window=window)
    assert tasks_of(tables) == tasks_of(other)
    assert torch.equal(tables.descriptor, other.descriptor)


def test_level_major_rows_differ_from_workspace_rows():
    schedule = schedule_of(DOCUMENTS["padding"], seed=3)
    count = int(schedule.work_count)
    renumbered = level_major(schedule).scheduler_metadata[:count]
    assert not torch.equal(renumbered, schedule.scheduler_metadata[:count])


@EVERY_DOCUMENTS
@pytest.mark.parametrize("num_sms, num_groups", [(1, 1), (132, 2), (1, 4), (132, 8)])
def test_descriptor_and_shapes(documents, num_sms, num_groups):
    schedule = schedule_of(documents, seed=4, num_groups=num_groups)
    tables = build_task_tables(schedule, num_sms=num_sms)
    # 16 slots a token in 8 a task, and a partial task of each work item.
    items = num_groups * (documents.workspace_size // 128 + -(-documents.num_tokens // 16))
    capacity = num_groups * 16 * documents.num_tokens // 8 + items
    assert tables.task_meta.shape == (capacity, 4)
    assert tables.task_qrows.shape == tables.task_qpos.shape == (capacity, 8)
    assert tables.descriptor.shape == (8,)
    assert {table.dtype for table in tables} == {torch.int32}

    counts = schedule.scheduler_metadata[: int(schedule.work_count), 3]
    needed = sum(-(-count // 8) for count in counts.tolist())
    walk = (rows_per_cta(needed), *chunk_map(needed, rows_per_cta(needed), num_sms))
    assert tables.descriptor.tolist() == [needed, *walk, int(schedule.work_count), needed, 0]


def test_no_task_where_nothing_is_selected():
    documents = DOCUMENTS["lengths around a block"]
    support = torch.full((4, documents.num_tokens, 16), -1, dtype=torch.int32)
    tables = build_task_tables(build_backward_schedule(support, documents), num_sms=148)
    assert tables.descriptor.tolist() == [0, 4, 0, 1, 0, 0, 0, 0]


def test_what_is_unspecified_is_not_read():
    schedule = schedule_of(DOCUMENTS["padding"], seed=5)
    tables = build_task_tables(schedule, num_sms=132)
    other = build_task_tables(poison_unspecified(schedule), num_sms=132)
    assert tasks_of(tables) == tasks_of(other)
    assert torch.equal(tables.descriptor, other.descriptor)


def test_noncontiguous_fields():
    schedule = schedule_of(DOCUMENTS["padding"], seed=5)
    strided = {
        field.name: getattr(schedule, field.name).repeat_interleave(2, dim=-1)[..., ::2]
        for field in dataclasses.fields(schedule)
    }
    tables = build_task_tables(schedule, num_sms=132)
    other = build_task_tables(MSABackwardSchedule(**strided), num_sms=132)
    for table, same in zip(tables, other, strict=True):
        assert torch.equal(table, same)


@pytest.mark.parametrize("documents_name", ["one token", "padding"])
@pytest.mark.parametrize("offset", ["below 0", "above capacity", "int32 min", "int32 max"])
def test_a_work_count_outside_its_capacity_walks_nothing(documents_name, offset):
    schedule = schedule_of(DOCUMENTS[documents_name], seed=6)
    count = {
        "below 0": -1,
        "above capacity": schedule.scheduler_metadata.shape[0] + 1,
        "int32 min": -(2**31),
        "int32 max": 2**31 - 1,
    }[offset]
    broken = dataclasses.replace(schedule, work_count=torch.tensor([count], dtype=torch.int32))
    tables = build_task_tables(broken, num_sms=132)
    assert tables.descriptor.tolist() == [0, 4, 0, 1, 0, count, 0, OVERFLOW_FLAG]


def test_more_tasks_than_the_capacity_walk_nothing():
    documents = pack_lengths(20)
    support = torch.full((4, 20, 16), -1, dtype=torch.int32)
    support[0, 0, 0] = 0
    schedule = build_backward_schedule(support, documents)
    capacity = task_capacity(4, 16 * 20, work_capacity(4, 1, 16 * 20))
    assert build_task_tables(schedule, num_sms=2).task_meta.shape[0] == capacity
    for tasks, fits in ((capacity, True), (capacity + 1, False)):
        metadata = schedule.scheduler_metadata.clone()
        metadata[0, 3] = 8 * tasks
        broken = dataclasses.replace(schedule, scheduler_metadata=metadata)
        descriptor = build_task_tables(broken, num_sms=2).descriptor.tolist()
        assert descriptor[6] == tasks
        if fits:
            assert descriptor[0] == tasks
            assert descriptor[7] == 0
        else:
            assert descriptor == [0, 4, 0, 1, 0, 1, tasks, OVERFLOW_FLAG]


def test_tasks_needed_saturate():
    schedule = schedule_of(pack_lengths(20))
    metadata = schedule.scheduler_metadata.clone()
    metadata[:, 3] = 2**31 - 1
    count = torch.tensor([metadata.shape[0]], dtype=torch.int32)
    broken = dataclasses.replace(schedule, scheduler_metadata=metadata, work_count=count)
    descriptor = build_task_tables(broken, num_sms=2).descriptor.tolist()
    assert descriptor == [0, 4, 0, 1, 0, int(count), 2**31 - 1, OVERFLOW_FLAG]


@pytest.mark.parametrize("garbage", [-(2**31), -1, 1, 5, 1000, 2**31 - 1])
def test_a_work_count_that_reaches_unspecified_items_stays_in_bounds(garbage):
    schedule = schedule_of(DOCUMENTS["lengths around a block"], seed=7)
    metadata = schedule.scheduler_metadata.clone()
    metadata[int(schedule.work_count) :] = garbage
    for count in range(int(schedule.work_count) + 1, metadata.shape[0] + 1, 40):
        broken = dataclasses.replace(
            schedule,
            scheduler_metadata=metadata,
            work_count=torch.tensor([count], dtype=torch.int32),
        )
        descriptor = build_task_tables(broken, num_sms=132).descriptor.tolist()
        assert descriptor[0] == (0 if descriptor[7] else descriptor[6])
        assert min(descriptor) >= 0


def test_builds_without_looking_at_a_value():
    schedule = schedule_of(DOCUMENTS["padding"])
    tables = build_task_tables(schedule, num_sms=132)
    meta = [field.to("meta") for field in schedule_tensors(schedule)]
    traced = build_table_tensors(*meta, 132, 512)
    assert [table.shape for table in traced] == [table.shape for table in tables]


def test_operator_is_well_behaved():
    fields = schedule_tensors(schedule_of(DOCUMENTS["padding"]))
    torch.library.opcheck(torch.ops.msa.build_task_tables.default, (*fields, 132, 64))


def test_compiles_to_one_graph():
    schedule = schedule_of(DOCUMENTS["padding"])
    compiled = torch.compile(build_task_tables, fullgraph=True, backend="aot_eager")
    tables = build_task_tables(schedule, num_sms=132, window=64)
    for table, same in zip(tables, compiled(schedule, num_sms=132, window=64), strict=True):
        assert torch.equal(table, same)


@pytest.mark.parametrize(
    ("num_tokens", "window"),
    [
        (0, 512),
        (1, 512),
        (16_384, 512),
        (16_385, 1024),
        (32_768, 1024),
        (32_769, 2048),
        (196_608, 8192),
        (2**31 - 1, 2**26),
    ],
)
def test_task_window(num_tokens, window):
    assert task_window(num_tokens) == window


def test_capacities_past_int32_are_rejected():
    """Task rows are counted in int32: of 8 groups, at half as many tokens as of 4."""

    def schedule(num_groups, num_tokens):
        num_rows = -(-num_tokens // 128)
        shapes = (
            (num_groups, num_rows + 1),
            (num_groups, 16 * num_tokens),
            (work_capacity(num_groups, num_rows, 16 * num_tokens), 6),
            *((1,), (2,), (1,)),
        )
        return MSABackwardSchedule(
            *(torch.empty(shape, dtype=torch.int32, device="meta") for shape in shapes)
        )

    most = 2**27 - 1  # tokens whose slots int32 offsets count
    build_task_tables(schedule(4, most), num_sms=1)
    build_task_tables(schedule(8, most // 2), num_sms=1)
    with pytest.raises(ValueError, match=r"^schedule must have capacity for at most 2147483647"):
        build_task_tables(schedule(8, most), num_sms=1)


def test_rejected_arguments():
    schedule = schedule_of(pack_lengths(3))
    for name, good in (("num_sms", {"window": 512}), ("window", {"num_sms": 1})):
        for value in (0, -1):
            with pytest.raises(ValueError, match=f"^{name} must be at least 1, got {value}$"):
                build_task_tables(schedule, **good, **{name: value})
        for value in (2**63, 2**70):
            with pytest.raises(ValueError, match=f"^{name} must be at most .*, got {value}$"):
                build_task_tables(schedule, **good, **{name: value})
        for value in (1.0, "1", None, True):
            with pytest.raises(TypeError, match=f"^{name} must be an int, got "):
                build_task_tables(schedule, **good, **{name: value})
            with pytest.raises(TypeError, match=f"^{name} must be an int, got "):
                build_task_tables(schedule, **dict.fromkeys(good, -1), **{name: value})
    with pytest.raises(TypeError, match=r"^schedule must be an MSABackwardSchedule, got tuple$"):
        build_task_tables((), num_sms=1)
    with pytest.raises(ValueError, match=r"^num_tokens must be at least 0, got -1$"):
        task_window(-1)
    with pytest.raises(TypeError, match=r"^num_tokens must be an int, got float$"):
        task_window(1e5)


def test_tables_built_under_inference_mode_hold_ordinary_tensors():
    schedule = schedule_of(pack_lengths(3, 150))
    with torch.inference_mode():
        tables = build_task_tables(schedule, num_sms=4)
    for tensor in tables:
        assert not tensor.is_inference()
    assert_same_tables(tables, build_task_tables(schedule, num_sms=4))
