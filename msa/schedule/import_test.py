"""The package imports where no kernel toolkit is, and brings nothing else of the project."""

import os
import subprocess
import sys

import msa.schedule

_IMPORT = """
import sys

import torch  # which looks for triton itself, where it is built for CUDA

BLOCKED = {"cutlass", "cuda", "triton"}
sys.modules.update(dict.fromkeys(BLOCKED))  # an import of what is None here raises
for name in BLOCKED:
    try:
        __import__(name)
    except ImportError:
        continue
    raise AssertionError(f"{name} could be imported")

import msa.schedule

loaded = {name for name in sys.modules if name.partition(".")[0] == "msa"}
extra = {name for name in loaded - {"msa"} if not (name + ".").startswith("msa.schedule.")}
assert not extra, f"also loaded: {sorted(extra)}"
"""

PUBLIC = {
    "BLOCK_SIZE",
    "HEAD_DIM",
    "NUM_Q_HEADS",
    "NUM_KV_HEADS",
    "NUM_INDEX_HEADS",
    "INDEX_DIM",
    "TOPK_BLOCKS",
    "QUERY_CHUNK",
    "SOFTMAX_SCALE",
    "DQ_ACCUM_DTYPE",
    "ROWS_PER_CTA_SMALL",
    "ROWS_PER_CTA_LARGE",
    "ROWS_PER_CTA_SWITCH",
    "WORK_ITEM_QUERIES",
    "rows_per_cta",
    "chunk_map",
    "cta_rows",
    "grid_launch_bound",
    "MSABackwardSchedule",
    "PackedDocuments",
    "check_support",
    "build_backward_schedule",
    "task_window",
    "TaskTables",
    "build_task_tables",
}


def test_imports_without_kernel_toolkits():
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", _IMPORT]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr


def test_public_names():
    assert set(msa.schedule.__all__) >= PUBLIC
    for name in msa.schedule.__all__:
        assert getattr(msa.schedule, name) is not None
