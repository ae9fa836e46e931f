"""What the plan and the kernels of the index loss agree on: numbers, formats, signatures."""

import torch

from msa.kernels.runtime.signature import Array, Integer, Signature
from msa.kernels.schedule.interface import QUAD_SLOTS
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, HEAD_DIM, INDEX_DIM

CHUNK_QUADS = 16
"""Quads of a chunk: what the student takes at a time of an item."""
CHUNK_QUERIES = CHUNK_QUADS * QUAD_SLOTS

SPAN_BLOCKS = 4
"""Of the dense walk: an item is a head, a key block, and the queries that see it of so many blocks
of the document, counted from its start."""
SPAN_QUERIES = SPAN_BLOCKS * BLOCK_SIZE

SPARSE, DENSE = 0, 1
"""Walks: the items of a schedule, or all that a layout implies."""

STATISTICS_MERGED = 0
"""Mode of `statistics`: maxima and sums in one pass, in any order."""
STATISTICS_MAXIMA = 1
"""Mode of `statistics`: the largest logit of each row."""
STATISTICS_SUMS = 2
"""Mode of `statistics`: sums of weights below these, in fixed point."""
STATISTICS_FIXED_MERGED = 3
"""Mode of `statistics`: makes merged words of both."""
WEIGHT_ONE = 2.0**36
"""What 1, the largest weight, is in these sums."""

LOSS_ONLY = 0
"""Mode of the main kernel: the divergence alone."""
GRADIENTS_FAST = 1
"""Mode of the main kernel, and of `results`: gradients added in FP32, in any order."""
GRADIENTS_FIXED = 2
"""Mode of the main kernel, and of `results`: gradients added in fixed point."""

DIVERGENCE_ONE = 2.0**32
"""What a bit of divergence is in its sum, int64."""

BOUNDS = 2
"""Of a document: the largest magnitude in its keys and in its queries of the index branch."""

COUNTERS = 4
"""Words to draw items from: one for each launch that walks, at most three, and one not used."""

_WALK = {
    "quad_rows": Array(torch.int32, ("quads", QUAD_SLOTS)),
    "quad_positions": Array(torch.int32, ("quads", QUAD_SLOTS)),
    "items": Array(torch.int32, ("item_words",)),
    "control": Array(torch.int32, ("control_words",)),
    "cu_seqlens": Array(torch.int32, ("offsets",)),
    "workspace_starts": Array(torch.int32, ("starts",)),
    "counters": Array(torch.int32, (COUNTERS,)),
}
"""Of a sparse walk: quads, `[capacity, ITEM_FIELDS]` items and `[CONTROL_FIELDS]` control words as
attention's kernels have them. Of a dense one `items` `[documents + 1]` says how many items of one
head come before those of each document, and the rest but `cu_seqlens` is not read."""

_SIZES = {
    "walk": Integer(),
    "documents": Integer(),
    "groups": Integer(),
    "tokens": Integer(),
    "ctas": Integer(),
}

PREPARE = Signature(
    lse=Array(torch.float32, ("tokens", "heads")),
    index_q=Array(torch.bfloat16, ("tokens", "groups", INDEX_DIM)),
    index_k=Array(torch.bfloat16, ("tokens", 1, INDEX_DIM)),
    cu_seqlens=Array(torch.int32, ("offsets",)),
    bases=Array(torch.float32, ("tokens", "groups", GROUP_HEADS)),
    bounds=Array(torch.int32, ("bound_words",)),
    documents=Integer(),
    groups=Integer(),
    tokens=Integer(),
    with_bounds=Integer(),
)
"""`bases` say of each query and head what `exp2(scale * log2(e) * q k + base)` takes to be the
probability over the number of heads that are left of the group, in the order of `BASE_ORDER`: -inf
for a head that is left out, NaN for all of a group where none is left. `bounds`, `[documents,
BOUNDS]` of FP32 bits, 0 before, are raised if asked for."""

BASE_ORDER = tuple(8 * j + 2 * c + x for c in range(4) for j in range(2) for x in range(2))
"""Heads in the order of `bases`: those that a lane of an accumulator's row holds are neighbours."""

STATISTICS = Signature(
    mode=Integer(),
    index_q=Array(torch.bfloat16, ("tokens", "groups", INDEX_DIM)),
    index_k=Array(torch.bfloat16, ("tokens", 1, INDEX_DIM)),
    maxima=Array(torch.int32, ("maxima_words",)),
    sums=Array(torch.int64, ("tokens", "groups")),
    counter=Integer(),
    **_WALK,
    **_SIZES,
)
"""Statistics of the student's softmax, in powers of two. Merged, a word of `sums` is the maximum's
FP32 bits and below them those of the sum of weights, 0 before. Else `maxima`, `[tokens,
groups]` of FP32 bits whose order is that of integers, `NO_MAXIMUM` before, and `sums` in units of
`1 / WEIGHT_ONE`, 0 before, which are merged in the end. `counter` is the word of `counters` to draw
from, 0 before."""

NO_MAXIMUM = -(2**31)
"""Below the ordered bits of every number."""

MAIN = Signature(
    mode=Integer(),
    q=Array(torch.bfloat16, ("tokens", "heads", HEAD_DIM)),
    k=Array(torch.bfloat16, ("tokens", "groups", HEAD_DIM)),
    bases=Array(torch.float32, ("tokens", "groups", GROUP_HEADS)),
    index_q=Array(torch.bfloat16, ("tokens", "groups", INDEX_DIM)),
    index_k=Array(torch.bfloat16, ("tokens", 1, INDEX_DIM)),
    sums=Array(torch.int64, ("tokens", "groups")),
    bounds=Array(torch.int32, ("bound_words",)),
    divergences=Array(torch.int64, ("tokens", "groups")),
    dq_sums=Array(torch.int32, ("dq_words",)),
    dk_sums=Array(torch.int32, ("dk_words",)),
    counter=Integer(),
    **_WALK,
    **_SIZES,
)
"""Adds to `divergences`, in units of `1 / DIVERGENCE_ONE` of a bit, and to `dq_sums` `[tokens,
groups, 128]` and `dk_sums` `[tokens, 128]`: FP32, or int32 and int64 in units of `gradient_scales`.
A row's channels stand in the order of `pool_place`. All are 0 before."""

RESULTS = Signature(
    mode=Integer(),
    divergences=Array(torch.int64, ("tokens", "groups")),
    dq_sums=Array(torch.int32, ("dq_words",)),
    dk_sums=Array(torch.int32, ("dk_words",)),
    bounds=Array(torch.int32, ("bound_words",)),
    cu_seqlens=Array(torch.int32, ("offsets",)),
    divergence=Array(torch.float32, ("tokens", "groups")),
    unit_q=Array(torch.bfloat16, ("dq_elements",)),
    unit_k=Array(torch.bfloat16, ("dk_elements",)),
    documents=Integer(),
    groups=Integer(),
    tokens=Integer(),
)
"""Divergences in FP32 nats, and unit gradients of their sum in bf16."""

SCALE = Signature(
    unit_q=Array(torch.bfloat16, ("tokens", "groups", INDEX_DIM)),
    unit_k=Array(torch.bfloat16, ("tokens", 1, INDEX_DIM)),
    factor=Array(torch.float32, ()),
    grad_q=Array(torch.bfloat16, ("tokens", "groups", INDEX_DIM)),
    grad_k=Array(torch.bfloat16, ("tokens", 1, INDEX_DIM)),
    groups=Integer(),
    tokens=Integer(),
)
"""Unit gradients times a factor, rounded once; 0 where it is 0, whatever the units are."""


def pool_place(channel: int) -> int:
    """Where a channel stands in a row of a pool: the four of a lane are neighbours."""
    block, y, c, x = channel // 16, channel // 8 % 2, channel // 2 % 4, channel % 2
    return 16 * block + 4 * c + 2 * y + x
