"""What the plan and the kernels of selection agree on: numbers, formats, the signature."""

import torch

from msa.kernels.runtime.signature import VECTOR_BYTES, Array, Integer, Signature
from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM, TOPK_BLOCKS

TILE_ROWS = 256
"""Rows of a tile; a row is an index head and a query, and a tile the same queries of all heads."""
HALF_TILE_ROWS = TILE_ROWS // 2
"""Rows of a tile where there are few."""
FEW_TILES_PER_CTA = 1.5
"""On Hopper there are few below this. Halves of an SM then share the key blocks of half a tile: at
8K tokens (96 tiles) that takes 0.056 ms instead of 0.095, at 16K (224) it loses."""

UNSCORED_POSITIONS = TOPK_BLOCKS * BLOCK_SIZE
"""Queries before this position keep every block that they see; tiles begin here."""

MAX_TOKENS = 2**24 - 1
"""Of a call: documents with scored queries are listed in shared memory."""

TILE_FIELDS = 4
"""Of a tile: compact row of its first query, of its document's first key, position of its first
query, queries. What stands before the tiles in their place is how many there are, and rows of
each; two fields are not used."""

STRIDE_UNIT = VECTOR_BYTES // 2
"""bf16 elements in the 16 bytes that strides count."""

SIGNATURE = Signature(
    index_q=Array(torch.bfloat16, ("tokens", "heads", INDEX_DIM), strided=True),
    index_k=Array(torch.bfloat16, ("tokens", 1, INDEX_DIM), strided=True),
    cu_seqlens=Array(torch.int32, ("offsets",)),
    tiles=Array(torch.int32, ("capacity", TILE_FIELDS)),
    support=Array(torch.int32, ("heads", "tokens", TOPK_BLOCKS)),
    offsets=Integer(),
    tokens=Integer(),
    heads=Integer(),
    query_stride=Integer(),
    head_stride=Integer(),
    key_stride=Integer(),
    init_blocks=Integer(),
    local_blocks=Integer(),
    ctas=Integer(),
)
"""Strides count 16 bytes. `ctas` score blocks; there are none where no query needs a score."""
