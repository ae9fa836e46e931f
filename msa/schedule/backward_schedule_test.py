import dataclasses
import re

import pytest
import torch

from msa.schedule.backward_schedule import (
    MSABackwardSchedule,
    _build_backward_schedule,
    build_backward_schedule,
    schedule_tensors,
)
from msa.schedule.documents import PackedDocuments
from msa.schedule.support import build_csr, build_work_items
from msa.schedule.testing import (
    assert_same_schedule,
    first_groups,
    pack_lengths,
    random_support,
    spoil,
)

FIELDS = {
    "row_ptr": ("[G, rows + 1], G of 1, 2, 4 or 8, rows >= 1", (4, 4)),
    "q_indices": ("[G, edge_capacity], G of 1, 2, 4 or 8, edge_capacity >= 1", (4, 32)),
    "scheduler_metadata": ("[work_capacity, 6], work_capacity >= 1", (16, 6)),
    "work_count": ("[1]", (1,)),
    "cu_seqlens": ("[documents + 1], documents >= 1", (3,)),
    "document_workspace_starts": ("[documents]", (2,)),
}

WRONG_SHAPES = {
    "row_ptr": [(4, 1), (4, 0), (0, 4), (3, 4), (5, 4), (6, 4), (16, 4), (4,), (), (1, 4, 4)],
    "q_indices": [(4, 0), (0, 32), (3, 32), (5, 32), (16, 32), (128,), (), (4, 8, 4)],
    "scheduler_metadata": [(0, 6), (16, 5), (16, 7), (96,), (), (1, 16, 6)],
    "work_count": [(), (0,), (2,), (1, 1)],
    "cu_seqlens": [(), (0,), (1,), (3, 1), (2,), (4,)],
    "document_workspace_starts": [(), (0,), (1,), (3,), (2, 1)],
}

DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.uint32,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.complex64,
]


def fields(**changes) -> dict[str, torch.Tensor]:
    return {
        name: torch.zeros(shape, dtype=torch.int32) for name, (_, shape) in FIELDS.items()
    } | changes


def documents_and_support(seed: int = 0) -> tuple[PackedDocuments, torch.Tensor]:
    documents = PackedDocuments.from_document_ids(
        torch.tensor([[0] * 7 + [3] * 400 + [0] * 2 + [9] * 11, [9] * 129 + [1] * 291])
    )
    support = random_support(documents, seed, fill=0.7)
    return documents, spoil(support, documents, seed)


def test_fields_in_order():
    assert [field.name for field in dataclasses.fields(MSABackwardSchedule)] == list(FIELDS)
    given = fields()
    schedule = MSABackwardSchedule(*given.values())
    for name, value in given.items():
        assert getattr(schedule, name) is value


@pytest.mark.parametrize("num_groups", [1, 2, 4, 8])
def test_smallest_shapes(num_groups):
    MSABackwardSchedule(
        **fields(
            row_ptr=torch.zeros(num_groups, 2, dtype=torch.int32),
            q_indices=torch.zeros(num_groups, 1, dtype=torch.int32),
            scheduler_metadata=torch.zeros(1, 6, dtype=torch.int32),
            cu_seqlens=torch.zeros(2, dtype=torch.int32),
            document_workspace_starts=torch.zeros(1, dtype=torch.int32),
        )
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", FIELDS)
def test_rejects_every_other_dtype(name, dtype):
    layout, shape = FIELDS[name]
    with pytest.raises(TypeError) as error:
        MSABackwardSchedule(**fields(**{name: torch.zeros(shape, dtype=dtype)}))
    message = str(error.value)
    assert message.startswith(f"{name} must be int32 {layout}")
    assert message.endswith(f"got {dtype}")


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", [None, 0, [0]])
def test_rejects_what_is_not_a_tensor(name, value):
    layout, _ = FIELDS[name]
    with pytest.raises(TypeError) as error:
        MSABackwardSchedule(**fields(**{name: value}))
    message = str(error.value)
    assert message.startswith(f"{name} must be int32 {layout}")
    assert message.endswith(f"got {type(value).__name__}")


@pytest.mark.parametrize(
    ("name", "shape"), [(name, shape) for name, shapes in WRONG_SHAPES.items() for shape in shapes]
)
def test_rejects_every_other_shape(name, shape):
    with pytest.raises(ValueError) as error:
        MSABackwardSchedule(**fields(**{name: torch.zeros(shape, dtype=torch.int32)}))
    message = str(error.value)
    if name == "cu_seqlens" and len(shape) == 1 and shape[0] >= 2:
        # A valid shape for another number of documents: the message names the other field.
        name, shape = "document_workspace_starts", FIELDS["document_workspace_starts"][1]
    layout, _ = FIELDS[name]
    assert message.startswith(f"{name} must be int32 {layout}")
    assert message.endswith(f"got shape {list(shape)}")


@pytest.mark.parametrize("num_groups", [1, 2, 8])
def test_rejects_fields_of_different_groups(num_groups):
    row_ptr = torch.zeros(num_groups, 4, dtype=torch.int32)
    words = re.escape(f"with G = {num_groups} as in row_ptr, got shape [4, 32]")
    with pytest.raises(ValueError, match=f"^q_indices must be int32 .*{words}$"):
        MSABackwardSchedule(**fields(row_ptr=row_ptr))


def test_dtypes_come_before_shapes():
    with pytest.raises(TypeError, match=r"^document_workspace_starts must be int32"):
        MSABackwardSchedule(
            **fields(
                row_ptr=torch.zeros(1, dtype=torch.int32),
                document_workspace_starts=torch.zeros(2),
            )
        )


@pytest.mark.parametrize("name", list(FIELDS)[1:])
def test_rejects_another_device(name):
    other = torch.zeros(FIELDS[name][1], dtype=torch.int32, device="meta")
    with pytest.raises(ValueError, match=rf"^{name} must be on the device of row_ptr, cpu, got"):
        MSABackwardSchedule(**fields(**{name: other}))


def test_values_are_not_checked():
    garbage = {
        name: torch.full(shape, -(2**31), dtype=torch.int32) for name, (_, shape) in FIELDS.items()
    }
    MSABackwardSchedule(**garbage)
    MSABackwardSchedule(**{name: value.to("meta") for name, value in garbage.items()})


def test_schedule_of_a_support():
    documents, support = documents_and_support()
    schedule = build_backward_schedule(support, documents)
    rows = documents.workspace_size // 128
    row_ptr, q_indices = build_csr(
        support, documents.document_positions, documents.workspace_positions, rows
    )
    metadata, count = build_work_items(
        row_ptr, documents.document_workspace_starts, 16 * documents.num_tokens
    )
    assert torch.equal(schedule.row_ptr, row_ptr)
    assert torch.equal(schedule.q_indices, q_indices)
    assert torch.equal(schedule.scheduler_metadata, metadata)
    assert torch.equal(schedule.work_count, count)
    assert schedule.cu_seqlens is documents.cu_seqlens
    assert schedule.document_workspace_starts is documents.document_workspace_starts
    assert schedule.work_count.item() > 0


@pytest.mark.parametrize("num_groups", [1, 2, 4])
def test_the_schedule_of_a_group_does_not_depend_on_the_others(num_groups):
    documents, _ = documents_and_support()
    support = random_support(documents, seed=3, num_groups=8)
    expected = first_groups(build_backward_schedule(support, documents), num_groups)
    actual = build_backward_schedule(support[:num_groups], documents)
    assert_same_schedule(actual, expected)
    # A group's index only appears as the index head of its work items.
    other = build_backward_schedule(support[:num_groups].roll(1, dims=0), documents)
    for head in range(num_groups):
        rows, edges = actual.row_ptr[head], actual.q_indices[head]
        place = (head + 1) % num_groups
        assert torch.equal(other.row_ptr[place], rows)
        assert torch.equal(other.q_indices[place, : rows[-1]], edges[: rows[-1]])


def test_schedule_is_repeatable():
    documents, support = documents_and_support()
    first = build_backward_schedule(support, documents)
    second = build_backward_schedule(support.clone(), documents)
    for name in FIELDS:
        assert torch.equal(getattr(first, name), getattr(second, name))


def test_rejects_a_support_of_another_layout():
    documents = pack_lengths(10)
    with pytest.raises(TypeError, match=r"^support must be int32, got torch.int64$"):
        build_backward_schedule(torch.zeros(4, 10, 16, dtype=torch.int64), documents)
    with pytest.raises(ValueError, match=re.escape("got shape [4, 11, 16]")):
        build_backward_schedule(torch.zeros(4, 11, 16, dtype=torch.int32), documents)


def test_rejects_more_slots_than_offsets_count():
    tokens = 2**27
    layout = {
        "padding_mask": torch.empty(1, tokens, dtype=torch.bool, device="meta"),
        "token_rows": torch.empty(tokens, dtype=torch.int64, device="meta"),
        "document_positions": torch.empty(tokens, dtype=torch.int64, device="meta"),
        "workspace_positions": torch.empty(tokens, dtype=torch.int64, device="meta"),
        "cu_seqlens": torch.empty(2, dtype=torch.int32, device="meta"),
        "document_workspace_starts": torch.empty(1, dtype=torch.int32, device="meta"),
    }
    documents = PackedDocuments(**layout, workspace_size=tokens, max_seqlen=tokens)
    support = torch.empty(4, tokens, 16, dtype=torch.int32, device="meta")
    with pytest.raises(ValueError, match=r"^support must have at most 2147483647 slots"):
        build_backward_schedule(support, documents)


def test_operator_is_well_behaved():
    documents, support = documents_and_support()
    torch.library.opcheck(
        _build_backward_schedule,
        (
            support,
            documents.document_positions,
            documents.workspace_positions,
            documents.document_workspace_starts,
            documents.workspace_size,
        ),
    )


@pytest.mark.parametrize("dynamic", [False, True])
def test_compiles_to_one_graph(dynamic):
    compiled = torch.compile(
        build_backward_schedule, fullgraph=True, backend="aot_eager", dynamic=dynamic
    )
    for documents, support in (
        documents_and_support(),
        (pack_lengths(300, 5), random_support(pack_lengths(300, 5), 1)),
    ):
        expected = build_backward_schedule(support, documents)
        schedule = compiled(support, documents)
        assert isinstance(schedule, MSABackwardSchedule)
        for name in FIELDS:
            assert torch.equal(getattr(schedule, name), getattr(expected, name))


def test_schedules_built_under_inference_mode_hold_ordinary_tensors():
    documents = pack_lengths(3, 150)
    support = random_support(documents, seed=0)
    with torch.inference_mode():
        schedule = build_backward_schedule(support.clone(), pack_lengths(3, 150))
    for tensor in schedule_tensors(schedule):
        assert not tensor.is_inference()
    assert_same_schedule(schedule, build_backward_schedule(support, documents))
