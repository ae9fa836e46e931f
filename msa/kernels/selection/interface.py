"""What the plan and the kernels of selection agree on: numbers, formats, signatures."""

import torch

from msa.kernels.runtime.signature import Array, Integer, Signature
from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM, TOPK_BLOCKS

TILE_ROWS = 256
"""Rows of a tile; a row is an index head and a query, and a tile the same queries of all heads."""
HALF_TILE_ROWS = TILE_ROWS // 2
"""Rows of a tile where there are so few that two parts of an SM share its key blocks."""

UNSCORED_POSITIONS = TOPK_BLOCKS * BLOCK_SIZE
"""Queries before this position keep every block that they see; tiles begin here."""

MAX_TOKENS = 2**24 - 1
"""Of a call: `tiles` lists documents with scored queries in shared memory."""

TILE_FIELDS = 4
"""Of a tile: compact row of its first query, of its document's first key, position of its first
query, queries."""
CONTROL_FIELDS = 4
"""Of the tiles' control words: how many there are, rows of each; two are not used."""

TILES = Signature(
    cu_seqlens=Array(torch.int32, ("offsets",)),
    tiles=Array(torch.int32, ("capacity", TILE_FIELDS)),
    control=Array(torch.int32, (CONTROL_FIELDS,)),
    support=Array(torch.int32, ("heads", "tokens", TOPK_BLOCKS)),
    offsets=Integer(),
    tokens=Integer(),
    heads=Integer(),
    init_blocks=Integer(),
    local_blocks=Integer(),
    few_tiles=Integer(),
)
"""`tiles`: the support of queries that need no score, and the tiles of the others.

Below `few_tiles` tiles of `TILE_ROWS` rows they are cut into tiles of `HALF_TILE_ROWS`.
"""

SELECT = Signature(
    index_q=Array(torch.bfloat16, ("tokens", "heads", INDEX_DIM), strided=True),
    index_k=Array(torch.bfloat16, ("tokens", 1, INDEX_DIM), strided=True),
    tiles=Array(torch.int32, ("capacity", TILE_FIELDS)),
    control=Array(torch.int32, (CONTROL_FIELDS,)),
    support=Array(torch.int32, ("heads", "tokens", TOPK_BLOCKS)),
    tokens=Integer(),
    heads=Integer(),
    query_stride=Integer(),
    head_stride=Integer(),
    key_stride=Integer(),
    init_blocks=Integer(),
    local_blocks=Integer(),
    ctas=Integer(),
)
"""`sm90`, `sm100`: the support of the queries in the tiles. Strides count 16 bytes."""

STRIDE_UNIT = 8
"""bf16 elements in the 16 bytes that strides count."""
