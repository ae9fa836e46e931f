"""What the plan and the kernels of attention agree on: numbers, formats, signatures."""

import torch

from msa.kernels.runtime.signature import Array, Integer, Signature, word
from msa.kernels.schedule.interface import ITEM_FIELDS
from msa.schedule.task_tables import DESCRIPTOR_FIELDS, TASK_META_FIELDS
from msa.schedule.topology import (
    BLOCK_SIZE,
    DQ_ACCUM_DTYPE,
    GROUP_HEADS,
    HEAD_DIM,
    QUERY_CHUNK,
    TOPK_BLOCKS,
)

FORWARD_FAST = 0
"""Mode of `forward`: weights without a reference, added in bf16 and FP32."""
FORWARD_MAX = 1
"""Mode of `forward`: only the largest score, q k, of each row, its reference."""
FORWARD_SUM = 2
"""Mode of `forward`: only the sum of each row's weights below its reference, in fixed point."""
FORWARD_FIXED = 3
"""Mode of `forward`: weights over their sum, added in fixed point."""

FINISH_FAST = 0
"""Mode of `finish`: bf16 pools and FP32 sums."""
FINISH_FIXED = 1
"""Mode of `finish`: fixed-point pools and sums."""

NO_REFERENCE = -(2**31)
"""Reference, as an integer that orders as scores do, of a row and head that has seen no key."""
SUM_ONE = 2.0**30 / (TOPK_BLOCKS * BLOCK_SIZE)
"""What 1, a row's largest weight, is in the fixed-point sum of its weights."""
NAN_OUT = -(2**31)
"""The sign of that sum: of a row and head with values that are not finite, whose output is NaN."""
FIXED_ONE = 2.0**30
"""What the largest |V| is in a fixed-point pool. int32 leaves a bit for what rounding adds."""

BOUND_FIELDS = 4
"""Of a key block's or a row's bounds: largest |V|, norm of V and |K|, and one that is not used."""
V_BOUND_FLOOR = 2.0**-90
"""Least bound of |V|: its reciprocal times `FIXED_ONE` is finite."""

LARGEST_LSE = 2.0**22
"""A query and head whose lse is -inf or as large has no gradient, and no part in the index
loss.

Below, a weight `exp2(logit - lse)` is off by a factor of less than 2, by the roundings of lse and
of its product with log2(e), and integer sums have that much to spare. Just below 2^27 it could be
a factor of 2.6 million. `weights_base` of the reference is the same.
"""

STATISTICS = 2 * GROUP_HEADS
"""Of a query and group: log2(e) * lse of its heads, then SOFTMAX_SCALE * delta."""

_QUERIES = Array(torch.bfloat16, ("num_tokens", "heads", HEAD_DIM))
_GROUPS = Array(torch.bfloat16, ("num_tokens", "num_groups", HEAD_DIM))
_WORKSPACE = Array(torch.bfloat16, ("workspace_rows", "num_groups", HEAD_DIM))
_OF_QUERIES = Array(torch.float32, ("num_tokens", "heads"))
_SLOTS = Array(torch.int32, ("capacity", QUERY_CHUNK))

FORWARD = Signature(
    mode=Integer(),
    q=_QUERIES,
    k=_WORKSPACE,
    v=_WORKSPACE,
    pool=Array(torch.bfloat16, ("pools", "pool_values"), also=(torch.int32,)),
    sums=_OF_QUERIES._replace(also=(torch.int32,)),
    references=Array(torch.int32, ("num_tokens", "heads")),
    bounds=Array(torch.float32, ("num_tokens", "num_groups", BOUND_FIELDS)),
    task_qrows=_SLOTS,
    task_qpos=_SLOTS,
    items=Array(torch.int32, ("item_capacity", ITEM_FIELDS)),
    end=word("end_words"),
    counter=word("counter_words"),
    flags=Array(torch.int32, ("num_tokens", "num_groups")),
    filtered=Integer(),
    num_groups=Integer(),
    num_tokens=Integer(),
    num_kblocks=Integer(),
    first_head=Integer(),
    num_heads=Integer(),
    num_sms=Integer(),
)
"""What each means is in `forward.py`."""

FINISH = Signature(
    mode=Integer(),
    pool=Array(torch.int32, ("pools", "pool_values"), also=(torch.bfloat16,)),
    sums=Array(torch.int32, ("num_tokens", "heads"), also=(torch.float32,)),
    references=Array(torch.int32, ("num_tokens", "heads")),
    bounds=Array(torch.float32, ("num_tokens", "num_groups", BOUND_FIELDS)),
    flags=Array(torch.int32, ("num_tokens", "num_groups")),
    filtered=Integer(),
    flagged=word("flagged_words"),
    out=_QUERIES,
    lse=_OF_QUERIES,
    num_tokens=Integer(),
    num_groups=Integer(),
    first_head=Integer(),
    num_heads=Integer(),
)

BLOCK_BOUNDS = Signature(
    k=_WORKSPACE,
    v=_WORKSPACE,
    wanted=word("wanted_words"),
    filtered=Integer(),
    num_groups=Integer(),
    num_kblocks=Integer(),
    bounds=Array(torch.float32, ("num_groups", "num_kblocks", BOUND_FIELDS)),
)

TASK_MAXIMA = Signature(
    to_blocks=Integer(),
    task_meta=Array(torch.int32, ("capacity", TASK_META_FIELDS)),
    task_qrows=_SLOTS,
    descriptor=Array(torch.int32, (DESCRIPTOR_FIELDS,)),
    wanted=word("wanted_words"),
    filtered=Integer(),
    num_groups=Integer(),
    num_kblocks=Integer(),
    num_sms=Integer(),
    blocks=Array(torch.float32, ("num_groups", "num_kblocks", BOUND_FIELDS)),
    rows=Array(torch.float32, ("tokens", "num_groups", BOUND_FIELDS)),
)

PAD_BLOCKS = Signature(
    k=Array(torch.bfloat16, ("tokens", "num_groups", HEAD_DIM)),
    v=Array(torch.bfloat16, ("tokens", "num_groups", HEAD_DIM)),
    cu_seqlens=Array(torch.int32, ("document_offsets",)),
    document_workspace_starts=Array(torch.int32, ("num_documents",)),
    num_documents=Integer(),
    num_groups=Integer(),
    num_kblocks=Integer(),
    padded_k=_WORKSPACE,
    padded_v=_WORKSPACE,
)

DELTA = Signature(
    grad_out=Array(torch.bfloat16, ("tokens", "heads", HEAD_DIM)),
    out=Array(torch.bfloat16, ("tokens", "heads", HEAD_DIM)),
    lse=Array(torch.float32, ("tokens", "heads")),
    statistics=Array(torch.float32, ("tokens", "groups", STATISTICS)),
    num_rows=Integer(),
)

# A block of a pool has the sums of its keys and channels.
_POOL = Array(torch.float32, ("pool_blocks", BLOCK_SIZE * HEAD_DIM), also=(torch.int64,))
_KV_SCALE = Array(torch.float32, (2, "num_groups", "num_kblocks"), optional=True)
_DQ_SCALE = _OF_QUERIES._replace(optional=True)

_PRODUCTS = {
    "deterministic": Integer(),
    "q": _QUERIES,
    "k": _WORKSPACE,
    "v": _WORKSPACE,
    "grad_out": _QUERIES,
    "statistics": Array(torch.float32, ("num_tokens", "num_groups", STATISTICS)),
}
_GRADIENTS = {
    "dq": _QUERIES._replace(dtype=DQ_ACCUM_DTYPE, also=(torch.int32,)),
    "dk_pool": _POOL,
    "dv_pool": _POOL,
    "dq_scale": _DQ_SCALE,
    "kv_scale": _KV_SCALE,
    "num_groups": Integer(),
    "num_tokens": Integer(),
    "num_kblocks": Integer(),
    "num_ctas": Integer(),
}

BACKWARD_OF_ITEMS = Signature(
    **_PRODUCTS,
    task_qrows=_SLOTS,
    task_qpos=_SLOTS,
    items=Array(torch.int32, ("item_capacity", ITEM_FIELDS)),
    control=Array(torch.int32, ("control_words",)),
    counter=word("counter_words"),
    **_GRADIENTS,
)
"""Of a backward whose CTAs draw items."""

BACKWARD_OF_TASKS = Signature(
    **_PRODUCTS,
    task_meta=Array(torch.int32, ("capacity", TASK_META_FIELDS)),
    task_qrows=_SLOTS,
    task_qpos=_SLOTS,
    descriptor=Array(torch.int32, (DESCRIPTOR_FIELDS,)),
    **_GRADIENTS,
)
"""Of a backward whose CTAs walk the rows of the task tables that the descriptor gives them."""

GRAD_FINALIZE = Signature(
    deterministic=Integer(),
    dk_pool=_POOL,
    dv_pool=_POOL,
    kv_scale=_KV_SCALE,
    dq_pool=Array(torch.int32, ("num_tokens", "heads", HEAD_DIM), optional=True),
    dq_scale=_DQ_SCALE,
    cu_seqlens=Array(torch.int32, ("document_offsets",)),
    document_workspace_starts=Array(torch.int32, ("num_documents",)),
    num_documents=Integer(),
    num_groups=Integer(),
    num_tokens=Integer(),
    num_kblocks=Integer(),
    dq=_QUERIES._replace(optional=True),
    dk=_GROUPS,
    dv=_GROUPS,
)
"""Scales, `dq_pool` and `dq` are of the deterministic mode."""
