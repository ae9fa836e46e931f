"""csr_build and task_build against the host reference, bit for bit."""

import dataclasses

import pytest
import torch

from msa.kernels.runtime.testing import every_layout, needs_gpu, poison_free_memory, schedule_to
from msa.kernels.schedule import plan as launch
from msa.schedule.backward_schedule import (
    MSABackwardSchedule,
    build_backward_schedule,
    schedule_tensors,
)
from msa.schedule.documents import PackedDocuments
from msa.schedule.task_tables import TaskTables, build_task_tables, task_capacity, task_window
from msa.schedule.testing import (
    assert_same_schedule,
    assert_same_tables,
    first_groups,
    level_major,
    pack_lengths,
    poison_unspecified,
    random_support,
    spoil,
    stratified_support,
)

pytestmark = needs_gpu

DOCUMENTS = {
    "1": pack_lengths(1),
    "127": pack_lengths(127),
    "128": pack_lengths(128),
    "129": pack_lengths(129),
    "385": pack_lengths(385),
    "all of these": pack_lengths(385, 1, 127, 129, 128),
    "30 of 1 to 3": pack_lengths(*[1, 2, 3] * 10),
    "130 of one token": pack_lengths(*[1] * 130),
    "more blocks than slots": pack_lengths(2200),
    "some without tokens": pack_lengths(0, 0, 130, 0, 0, 300, 0),
    "padding": PackedDocuments.from_document_ids(
        torch.tensor([[0] * 5 + [1] * 700 + [0] * 3 + [2] * 92, [1] * 790 + [0] * 10])
    ),
}


def every_slot(documents: PackedDocuments) -> torch.Tensor:
    return stratified_support(documents, seed=1)


def some_slots(documents: PackedDocuments) -> torch.Tensor:
    return random_support(documents, seed=2)


def bad_ids(documents: PackedDocuments) -> torch.Tensor:
    return spoil(random_support(documents, seed=3, fill=0.6), documents, seed=4)


def no_slot(documents: PackedDocuments) -> torch.Tensor:
    return torch.full((4, documents.num_tokens, 16), -1, dtype=torch.int32)


def the_first_block(documents: PackedDocuments) -> torch.Tensor:
    """Leaves every other row empty, and head 2 altogether."""
    support = no_slot(documents)
    support[[0, 1, 3], :, 11] = 0
    return support


def the_own_block_in_every_slot(documents: PackedDocuments) -> torch.Tensor:
    own = documents.document_positions // 128
    return own[None, :, None].expand(4, -1, 16).to(torch.int32)


EVERY_DOCUMENTS = pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS.keys())
EVERY_SUPPORT = pytest.mark.parametrize(
    "support_of",
    [every_slot, some_slots, bad_ids, no_slot, the_first_block, the_own_block_in_every_slot],
)


def build_schedule(support: torch.Tensor, documents: PackedDocuments) -> MSABackwardSchedule:
    """The schedule by the kernel, of a support and documents that are on the GPU."""
    return MSABackwardSchedule(
        *launch.build_schedule_tensors(
            support,
            documents.document_positions,
            documents.workspace_positions,
            documents.document_workspace_starts,
            documents.workspace_size,
        ),
        cu_seqlens=documents.cu_seqlens,
        document_workspace_starts=documents.document_workspace_starts,
    )


def build_tables(schedule: MSABackwardSchedule, num_sms: int, window: int) -> TaskTables:
    """The tables by the kernel, of a schedule that is on the GPU."""
    return TaskTables(*launch.build_task_tables(*schedule_tensors(schedule), num_sms, window))


@EVERY_DOCUMENTS
@EVERY_SUPPORT
def test_schedule(documents, support_of):
    support = support_of(documents)
    device_support, device_documents = support.cuda(), documents.to("cuda")
    poison_free_memory()
    schedule = build_schedule(device_support, device_documents)
    assert_same_schedule(schedule, build_backward_schedule(support, documents))


@EVERY_DOCUMENTS
@EVERY_SUPPORT
@pytest.mark.parametrize("window", [16, 512])
def test_tables(documents, support_of, window):
    schedule = build_backward_schedule(support_of(documents), documents)
    device_schedule = schedule_to(poison_unspecified(schedule), "cuda")
    poison_free_memory()
    tables = build_tables(device_schedule, 132, window)
    assert_same_tables(tables, build_task_tables(schedule, num_sms=132, window=window))


@pytest.mark.parametrize("groups", [1, 2, 4, 8])
@pytest.mark.parametrize("lengths", [[385, 1, 127, 129, 128], [2200], [1] * 300, [33_000]], ids=str)
def test_a_group_has_the_schedule_and_tables_that_it_has_among_others(lengths, groups):
    documents = pack_lengths(*lengths)
    support = spoil(
        stratified_support(documents, seed=7, keep=0.5, num_groups=8), documents, seed=8
    )
    device_documents = documents.to("cuda")
    poison_free_memory()
    of_all = build_schedule(support.cuda(), device_documents)
    schedule = build_schedule(support[:groups].cuda(), device_documents)
    assert_same_schedule(schedule, build_backward_schedule(support[:groups], documents))
    assert_same_schedule(schedule, first_groups(of_all, groups))
    tables = build_tables(schedule, 132, 256)
    definition = build_backward_schedule(support[:groups], documents)
    assert_same_tables(tables, build_task_tables(definition, num_sms=132, window=256))
    # Tasks are ordered by head.
    num_tasks = int(tables.descriptor[0])
    for found, table in zip(tables[:3], build_tables(of_all, 132, 256)[:3], strict=True):
        assert torch.equal(found[:num_tasks], table[:num_tasks])


@pytest.mark.parametrize("groups", [1, 2, 8])
def test_more_rows_than_one_pass_sorts_of_any_number_of_groups(groups):
    documents = pack_lengths(*[1] * 65_537)
    support = stratified_support(documents, seed=9, num_groups=groups)
    schedule = build_schedule(support.cuda(), documents.to("cuda"))
    assert_same_schedule(schedule, build_backward_schedule(support, documents))


@pytest.mark.parametrize("num_sms", [1, 2, 132, 148])
@pytest.mark.parametrize("num_tokens", [700, 2200, 9000])
def test_walk(num_tokens, num_sms):
    documents = pack_lengths(num_tokens)
    schedule = build_backward_schedule(every_slot(documents), documents)
    device_schedule = schedule_to(schedule, "cuda")
    poison_free_memory()
    tables = build_tables(device_schedule, num_sms, 512)
    assert_same_tables(tables, build_task_tables(schedule, num_sms=num_sms, window=512))


@pytest.mark.parametrize(
    "window", [1, 7, 8, 100, 512, 2048, 2**20, 2**30, 2**31 - 1, 2**31, 2**32, 2**40]
)
@pytest.mark.parametrize("name", ["1", "padding", "130 of one token"])
def test_windows(name, window):
    schedule = build_backward_schedule(bad_ids(DOCUMENTS[name]), DOCUMENTS[name])
    device_schedule = schedule_to(schedule, "cuda")
    poison_free_memory()
    tables = build_tables(device_schedule, 132, window)
    assert_same_tables(tables, build_task_tables(schedule, num_sms=132, window=window))


@EVERY_DOCUMENTS
@pytest.mark.parametrize("window", [16, 512])
def test_level_major_rows(documents, window):
    schedule = level_major(build_backward_schedule(some_slots(documents), documents))
    device_schedule = schedule_to(schedule, "cuda")
    poison_free_memory()
    tables = build_tables(device_schedule, 132, window)
    assert_same_tables(tables, build_task_tables(schedule, num_sms=132, window=window))


@pytest.mark.parametrize(
    "lengths",
    [
        [1] * 256,
        [1] * 257,
        [1] * 65_536,
        [1] * 65_537,
        [128 * 256],
        [128 * 256 + 1],
        [196_608],
        [999_999, 1, 48_576],
    ],
    ids=[
        "256 rows",
        "257 rows",
        "65,536 rows",
        "65,537 rows",
        "256 rows of a document",
        "257 rows of a document",
        "a document of 196,608",
        "1,048,576 tokens",
    ],
)
@pytest.mark.parametrize("keep", [1.0, 0.4])
def test_more_rows_than_one_pass_sorts(lengths, keep):
    documents = pack_lengths(*lengths)
    support = stratified_support(documents, seed=5, keep=keep)
    if keep < 1:
        support = spoil(support, documents, seed=6)
    device_support, device_documents = support.cuda(), documents.to("cuda")
    window = task_window(documents.num_tokens)
    poison_free_memory(8 << 30)
    device_schedule = build_schedule(device_support, device_documents)
    tables = build_tables(device_schedule, 132, window)
    schedule = build_backward_schedule(support, documents)
    assert_same_schedule(device_schedule, schedule)
    assert_same_tables(tables, build_task_tables(schedule, num_sms=132, window=window))


@every_layout
@pytest.mark.parametrize("name", ["385", "padding"])
def test_operands_of_any_layout(name, layout):
    documents = DOCUMENTS[name]
    support = bad_ids(documents)
    device_documents = documents.to("cuda")
    device_documents = dataclasses.replace(
        device_documents,
        **{
            field: layout(getattr(device_documents, field))
            for field in ("document_positions", "workspace_positions", "document_workspace_starts")
        },
    )
    device_support = layout(support.cuda())
    before = device_support.clone()
    device_schedule = build_schedule(device_support, device_documents)
    schedule = build_backward_schedule(support, documents)
    assert_same_schedule(device_schedule, schedule)
    assert torch.equal(device_support, before)

    laid_out = schedule_to(poison_unspecified(schedule), "cuda", layout)
    tables = build_task_tables(schedule, num_sms=132, window=64)
    assert_same_tables(build_tables(laid_out, 132, 64), tables)


@pytest.mark.parametrize("name", ["1", "padding"])
@pytest.mark.parametrize("offset", ["below 0", "above capacity", "int32 min", "int32 max"])
def test_a_work_count_outside_its_capacity(name, offset):
    schedule = build_backward_schedule(some_slots(DOCUMENTS[name]), DOCUMENTS[name])
    count = {
        "below 0": -1,
        "above capacity": schedule.scheduler_metadata.shape[0] + 1,
        "int32 min": -(2**31),
        "int32 max": 2**31 - 1,
    }[offset]
    broken = dataclasses.replace(schedule, work_count=torch.tensor([count], dtype=torch.int32))
    device_schedule = schedule_to(broken, "cuda")
    poison_free_memory()
    tables = build_tables(device_schedule, 132, 512)
    assert_same_tables(tables, build_task_tables(broken, num_sms=132, window=512))
    assert int(tables.descriptor[0]) == 0


@pytest.mark.parametrize("count", ["one more task", "int32 max"])
def test_more_tasks_than_the_capacity(count):
    schedule = build_backward_schedule(some_slots(pack_lengths(20)), pack_lengths(20))
    capacity = task_capacity(*schedule.q_indices.shape, schedule.scheduler_metadata.shape[0])
    metadata = schedule.scheduler_metadata.clone()
    if count == "one more task":
        metadata[: int(schedule.work_count), 3] = 8
        metadata[0, 3] += 8 * (capacity + 1 - int(schedule.work_count))
    else:
        metadata[: int(schedule.work_count), 3] = 2**31 - 1
    broken = dataclasses.replace(schedule, scheduler_metadata=metadata)
    device_schedule = schedule_to(broken, "cuda")
    poison_free_memory()
    tables = build_tables(device_schedule, 132, 512)
    assert_same_tables(tables, build_task_tables(broken, num_sms=132, window=512))
    assert int(tables.descriptor[0]) == 0


@pytest.mark.parametrize("garbage", [-(2**31), -1, 1, 5, 1000, 2**31 - 1])
def test_a_work_count_that_reaches_unspecified_items_stays_in_bounds(garbage):
    documents = DOCUMENTS["all of these"]
    schedule = build_backward_schedule(some_slots(documents), documents)
    metadata = schedule.scheduler_metadata.clone()
    metadata[int(schedule.work_count) :] = garbage
    for count in range(int(schedule.work_count) + 1, metadata.shape[0] + 1, 20):
        broken = dataclasses.replace(
            schedule,
            scheduler_metadata=metadata,
            work_count=torch.tensor([count], dtype=torch.int32),
        )
        tables = build_tables(schedule_to(broken, "cuda"), 132, 512)
        expected = build_task_tables(broken, num_sms=132, window=512)
        assert torch.equal(tables.descriptor.cpu(), expected.descriptor)


def test_200_calls_of_alternating_shapes():
    cases = []
    for name in ("padding", "130 of one token", "more blocks than slots", "1"):
        documents = DOCUMENTS[name]
        support = bad_ids(documents)
        schedule = build_backward_schedule(support, documents)
        tables = build_task_tables(schedule, num_sms=132, window=512)
        cases.append((support.cuda(), documents.to("cuda"), schedule, tables))

    def call(number):
        device_support, device_documents, schedule, tables = cases[number % len(cases)]
        device_schedule = build_schedule(device_support, device_documents)
        assert_same_tables(build_tables(device_schedule, 132, 512), tables)
        assert_same_schedule(device_schedule, schedule)

    call(0)
    poison_free_memory()
    allocated = torch.cuda.memory_allocated()
    for number in range(200):
        call(number)
        assert torch.cuda.memory_allocated() == allocated
