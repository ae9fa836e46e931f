"""The operators of the schedule on a GPU: they run the kernels, on torch's terms."""

import os
import subprocess
import sys

import torch

from msa.autograd import dispatch
from msa.kernels.runtime.testing import needs_gpu, poison, schedule_to
from msa.schedule.backward_schedule import (
    MSABackwardSchedule,
    build_backward_schedule,
    schedule_tensors,
)
from msa.schedule.documents import PackedDocuments
from msa.schedule.task_tables import TaskTables, build_task_tables
from msa.schedule.testing import (
    assert_same_schedule,
    assert_same_tables,
    pack_lengths,
    spoil,
    stratified_support,
)

pytestmark = needs_gpu

DOCUMENTS = pack_lengths(385, 1, 2, 3, 129, 2200)

# Runs where neither the DSL nor a compiler can be found.
_HIDDEN = """
import importlib.abc
import shutil
import sys

HIDDEN = {"cutlass", "cuda"}


class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] in HIDDEN:
            raise ImportError(f"{fullname} is hidden")


sys.meta_path.insert(0, Blocker())
assert shutil.which("nvcc") is None

import torch

import msa.autograd
from msa.kernels.attention.plan import row_statistics
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.task_tables import build_task_tables
from msa.schedule.testing import (
    assert_same_schedule,
    assert_same_tables,
    pack_lengths,
    stratified_support,
)

documents = pack_lengths(385, 1, 2200)
support = stratified_support(documents, seed=1, keep=0.5)
schedule = build_backward_schedule(support, documents)
device_schedule = build_backward_schedule(support.cuda(), documents.to("cuda"))
assert_same_schedule(device_schedule, schedule)
tables = build_task_tables(schedule, num_sms=132)
assert_same_tables(build_task_tables(device_schedule, num_sms=132), tables)
out = torch.ones(3, 64, 128, dtype=torch.bfloat16, device="cuda")
statistics = row_statistics(out, out, torch.ones(3, 64, device="cuda"))
assert ((statistics[..., 16:] - 128**0.5).abs() < 1e-5).all()  # delta 128, scale 128 ** -0.5
assert not HIDDEN & {name.partition(".")[0] for name in sys.modules}
"""


def support_of(seed: int) -> torch.Tensor:
    return spoil(stratified_support(DOCUMENTS, seed, keep=0.6), DOCUMENTS, seed)


def build(
    support: torch.Tensor, documents: PackedDocuments
) -> tuple[MSABackwardSchedule, TaskTables]:
    schedule = build_backward_schedule(support, documents)
    return schedule, build_task_tables(schedule, num_sms=132, window=256)


def assert_same(actual, expected) -> None:
    assert_same_schedule(actual[0], expected[0])
    assert_same_tables(actual[1], expected[1])


def test_operators_run_the_kernels(monkeypatch):
    calls = []
    for name in ("build_backward_schedule", "build_task_tables"):
        kernels = dispatch._KERNELS[name]

        def counted(*arguments, name=name, run=kernels.run):
            calls.append(name)
            return run(*arguments)

        monkeypatch.setitem(dispatch._KERNELS, name, kernels._replace(run=counted))
    results = build(support_of(1).cuda(), DOCUMENTS.to("cuda"))
    assert calls == ["build_backward_schedule", "build_task_tables"]
    assert_same(results, build(support_of(1), DOCUMENTS))
    with dispatch.backend("reference"):
        results = build(support_of(1).cuda(), DOCUMENTS.to("cuda"))
    assert len(calls) == 2
    assert_same(results, build(support_of(1), DOCUMENTS))


def test_operators_keep_their_schemas():
    documents = DOCUMENTS.to("cuda")
    schedule = schedule_to(build_backward_schedule(support_of(2), DOCUMENTS), "cuda")
    for operator, arguments in (
        (
            torch.ops.msa.build_backward_schedule.default,
            (
                support_of(2).cuda(),
                documents.document_positions,
                documents.workspace_positions,
                documents.document_workspace_starts,
                documents.workspace_size,
            ),
        ),
        (torch.ops.msa.build_task_tables.default, (*schedule_tensors(schedule), 132, 512)),
    ):
        torch.library.opcheck(operator, arguments, test_utils=("test_schema", "test_faketensor"))


def test_replays_of_a_graph_follow_the_support():
    support, documents = support_of(5).cuda(), DOCUMENTS.to("cuda")
    build(support, documents)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        schedule, tables = build(support, documents)
    for seed in range(6, 12):
        for result in (*schedule_tensors(schedule)[:4], *tables):
            poison(result)
        support.copy_(support_of(seed))
        graph.replay()
        assert_same((schedule, tables), build(support_of(seed), DOCUMENTS))
    support.fill_(-1)
    graph.replay()
    assert tables.descriptor.tolist() == [0, 4, 0, 1, 0, 0, 0, 0]


def test_runs_without_the_dsl_and_a_compiler():
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("CUDA_HOME", "CUDA_PATH", "PATH")
    }
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    process = subprocess.run(
        [sys.executable, "-c", _HIDDEN],
        env=environment | {"PATH": os.path.dirname(sys.executable)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
