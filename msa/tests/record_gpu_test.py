"""Layouts and schedules on their way to a GPU, and built there under inference mode."""

import dataclasses

import pytest
import torch

import msa.autograd  # noqa: F401  (puts the kernels behind the schedule's operators)
from msa.kernels.runtime.testing import needs_gpu, without_waiting
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.record import Record
from msa.schedule.task_tables import build_task_tables
from msa.schedule.testing import DOCUMENTS, random_support

pytestmark = needs_gpu

LAYOUT = DOCUMENTS["padding"]
SUPPORT = random_support(LAYOUT, seed=0)
RECORDS = {"documents": LAYOUT, "schedule": build_backward_schedule(SUPPORT, LAYOUT)}

each_record = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS.keys())


def tensors(record: Record) -> list[torch.Tensor]:
    values = (getattr(record, field.name) for field in dataclasses.fields(record))
    return [value for value in values if isinstance(value, torch.Tensor)]


@each_record
def test_a_data_loader_pins_every_tensor(record):
    (pinned,) = torch.utils.data.DataLoader([record], batch_size=None, pin_memory=True)
    assert type(pinned) is type(record)
    for found, expected in zip(tensors(pinned), tensors(record), strict=True):
        assert found.is_pinned()
        assert torch.equal(found, expected)


@each_record
def test_pinned_records_move_without_waiting(record):
    pinned = record.pin_memory()
    pinned.to("cuda", non_blocking=True)
    with without_waiting():
        moved = pinned.to("cuda", non_blocking=True)
    for found, expected in zip(tensors(moved), tensors(record), strict=True):
        assert found.device.type == "cuda"
        assert torch.equal(found.cpu(), expected)


def test_what_inference_mode_builds_are_ordinary_tensors():
    documents, support = LAYOUT.to("cuda"), SUPPORT.to("cuda")
    with torch.inference_mode():
        schedule = build_backward_schedule(support.clone(), documents)
        tables = build_task_tables(schedule, num_sms=132)
    for tensor in (*tensors(schedule), *tables):
        assert not tensor.is_inference()
