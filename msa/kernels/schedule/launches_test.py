"""What builds a schedule and walks it launches, against the kernels' signatures; on a CPU."""

import torch

from msa.kernels.runtime.launches import (
    assert_mistakes_are_refused,
    launches,  # noqa: F401, a fixture
)
from msa.kernels.schedule import plan
from msa.schedule import PackedDocuments
from msa.schedule.backward_schedule import ScheduleTensors
from msa.schedule.testing import pack_lengths, random_support


def run(documents: PackedDocuments) -> None:
    """From a support to items, all and those of a flagged row."""
    schedule = ScheduleTensors(
        *plan.build_schedule_tensors(
            random_support(documents, seed=0),
            documents.document_positions,
            documents.workspace_positions,
            documents.document_workspace_starts,
            documents.workspace_size,
        ),
        documents.cu_seqlens,
        documents.document_workspace_starts,
    )
    tasks = plan.build_tasks(schedule, window=512)
    items = plan.build_items(tasks, num_groups=4)
    flags = torch.zeros(documents.num_tokens, 4, dtype=torch.int32)
    plan.cut_flagged(tasks, items, flags, flags.new_ones(1), first_head=2, num_heads=2)


def test_every_launch_is_as_declared(launches):  # noqa: F811
    # One pass of the sort, and several.
    for lengths in ((130, 3, 260), [1] * 300):
        run(pack_lengths(*lengths))
    kernels = [plan.CSR_BUILD, plan.TASK_BUILD, plan.ITEMS, plan.ITEMS] * 2
    assert [launch.signature for launch in launches] == [kernel.signature for kernel in kernels]


def test_a_swapped_or_missing_argument_is_refused(launches):  # noqa: F811
    run(pack_lengths(*[1] * 300))
    for launch in launches:
        assert_mistakes_are_refused(launch)
