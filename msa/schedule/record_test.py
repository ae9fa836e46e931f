import copy
import dataclasses
import gc
import pickle
import weakref

import pytest
import torch

from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.documents import PackedDocuments
from msa.schedule.record import Record
from msa.schedule.testing import DOCUMENTS, random_support

LAYOUT = DOCUMENTS["padding"]
RECORDS = {
    "documents": LAYOUT,
    "schedule": build_backward_schedule(random_support(LAYOUT, seed=0), LAYOUT),
}

each_record = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS.keys())


def values(record: Record) -> dict:
    return {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}


def tensors(record: Record) -> dict[str, torch.Tensor]:
    return {name: x for name, x in values(record).items() if isinstance(x, torch.Tensor)}


def assert_equal(found: Record, expected: Record) -> None:
    assert type(found) is type(expected)
    for (name, one), other in zip(values(found).items(), values(expected).values(), strict=True):
        if isinstance(other, torch.Tensor):
            assert one.dtype == other.dtype, name
            assert torch.equal(one, other), name
        else:
            assert type(one) is type(other), name
            assert one == other, name


@each_record
@pytest.mark.parametrize("name", ["cu_seqlens", "note"])
def test_assignment_and_deletion_name_the_attribute(record, name):
    kind = type(record).__name__
    with pytest.raises(dataclasses.FrozenInstanceError) as error:
        setattr(record, name, 1)
    assert str(error.value) == f"cannot assign to {name!r}: {kind} is frozen"
    with pytest.raises(dataclasses.FrozenInstanceError) as error:
        delattr(record, name)
    assert str(error.value) == f"cannot delete {name!r}: {kind} is frozen"
    assert not hasattr(record, "__dict__")


@each_record
def test_records_compare_by_identity(record):
    other = copy.copy(record)
    assert record == record
    assert record != other
    assert len({record, record, other}) == 2


@each_record
def test_weak_references_end_with_the_record(record):
    other = copy.copy(record)
    reference = weakref.ref(other)
    assert reference() is other
    del other
    gc.collect()
    assert reference() is None


@each_record
@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda record: pickle.loads(pickle.dumps(record))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_duplicates_hold_the_same_values(record, duplicate):
    assert_equal(duplicate(record), record)


@each_record
def test_deep_copies_share_no_memory(record):
    other = tensors(copy.deepcopy(record))
    for name, tensor in tensors(record).items():
        assert other[name].data_ptr() != tensor.data_ptr(), name


@each_record
def test_the_worker_of_a_data_loader_sends_records(record):
    loader = torch.utils.data.DataLoader([record], batch_size=None, num_workers=1)
    (sent,) = loader
    assert_equal(sent, record)


@each_record
def test_to_moves_every_tensor_and_keeps_the_rest(record):
    moved = record.to("meta")
    before = tensors(record)
    for name, value in values(moved).items():
        if name in before:
            assert value.device.type == "meta", name
            assert value.shape == before[name].shape, name
            assert value.dtype == before[name].dtype, name
            assert before[name].device.type == "cpu", name
        else:
            assert value == getattr(record, name), name


@each_record
@pytest.mark.parametrize("device", ["cpu", torch.device("cpu")], ids=repr)
def test_to_copies_no_tensor_that_is_there(record, device):
    assert all(
        one is other
        for one, other in zip(
            tensors(record.to(device)).values(), tensors(record).values(), strict=True
        )
    )


@each_record
@pytest.mark.parametrize("non_blocking", [False, True])
def test_to_passes_non_blocking_to_every_copy(record, non_blocking, monkeypatch):
    calls = []

    def to(tensor, device, non_blocking):
        calls.append((device, non_blocking))
        return tensor.clone()

    monkeypatch.setattr(torch.Tensor, "to", to)
    moved = record.to("cuda:1", non_blocking=non_blocking)
    monkeypatch.undo()
    assert calls == [(torch.device("cuda:1"), non_blocking)] * len(tensors(record))
    assert_equal(moved, record)


@each_record
@pytest.mark.parametrize("device", [torch.uint8, torch.ones(1), None, True, 1.0], ids=repr)
def test_to_takes_nothing_but_a_device(record, device):
    message = r"^device must be a torch\.device, its name or its index, got "
    with pytest.raises(TypeError, match=message):
        record.to(device)


@each_record
@pytest.mark.parametrize("device", ["gpu", "", -1], ids=repr)
def test_to_takes_no_device_that_there_cannot_be(record, device):
    with pytest.raises(ValueError, match=rf"^device must name a device, got {device!r}: "):
        record.to(device)


@each_record
def test_non_blocking_is_a_bool(record):
    with pytest.raises(TypeError, match=r"^non_blocking must be a bool, got str$"):
        record.to("cpu", "cuda")


@each_record
def test_pin_memory_pins_every_tensor(record, monkeypatch):
    pinned = []

    def pin_memory(tensor):
        pinned.append(tensor.clone())
        return pinned[-1]

    monkeypatch.setattr(torch.Tensor, "pin_memory", pin_memory)
    found = record.pin_memory()
    monkeypatch.undo()
    assert_equal(found, record)
    assert [id(x) for x in tensors(found).values()] == [id(x) for x in pinned]


@each_record
def test_records_moved_and_pinned_under_inference_mode_can_train(record, monkeypatch):
    monkeypatch.setattr(torch.Tensor, "pin_memory", torch.Tensor.clone)
    with torch.inference_mode():
        moved = record.to("meta")
        pinned = record.pin_memory()
    for name, tensor in (*tensors(moved).items(), *tensors(pinned).items()):
        assert not tensor.is_inference(), name


def test_records_move_inside_a_compiled_graph():
    torch.compiler.reset()

    def pack(x: torch.Tensor, documents: PackedDocuments) -> torch.Tensor:
        return documents.to(x.device).pack(x)

    x = torch.arange(LAYOUT.padding_mask.numel()).view(LAYOUT.padding_mask.shape)
    compiled = torch.compile(pack, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(x, LAYOUT), LAYOUT.token_rows)
