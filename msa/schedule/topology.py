"""The constants of MiniMax Sparse Attention, each defined here alone."""

import torch

# Attention shape.
BLOCK_SIZE = 128
"""Keys per document-local block; documents start at multiples of it in the workspace."""
HEAD_DIM = 128
"""Channels of q, k and v."""
NUM_Q_HEADS = 64
"""Query heads of a whole model's main branch."""
NUM_KV_HEADS = 4
"""Key/value heads of a whole model; query heads `16 * g ... 16 * g + 15` read KV head `g`."""
GROUP_HEADS = NUM_Q_HEADS // NUM_KV_HEADS
"""Query heads of a KV group, which read its one KV head."""
GROUP_COUNTS = (1, 2, 4, 8)
"""How many KV groups a call may hold: the model's, or those of a tensor-parallel rank."""
SOFTMAX_SCALE = HEAD_DIM**-0.5
"""Scale of the main branch's logits."""

# Index branch.
NUM_INDEX_HEADS = 4
"""Index heads of a whole model; index head `g` selects the key blocks of KV head `g`,
independently of the others."""
INDEX_DIM = 128
"""Channels of the index branch."""
assert NUM_INDEX_HEADS == NUM_KV_HEADS  # one for one
TOPK_BLOCKS = 16
"""Blocks kept per query and index head, forced ones included."""

# Backward schedule.
WORK_ITEM_QUERIES = 256
"""Most queries in one work item; a longer CSR row is cut into several."""
QUERY_CHUNK = 8
"""Queries of one backward task row: 8 queries x 16 heads fill a 128-row tile."""
MIN_TASK_WINDOW = 512
"""Fewest compact query rows that share one locality window of the task order."""
MAX_TASK_WINDOWS = 32
"""Most locality windows of a call. Windows that grow with the number of tokens keep runs of tasks
of one key block long, which is faster (measured)."""

# CTA walk.
ROWS_PER_CTA_SMALL = 4
"""Task rows that one CTA walks when there are few."""
ROWS_PER_CTA_LARGE = 64
"""Task rows that one CTA walks when there are many."""
ROWS_PER_CTA_SWITCH = 2400
"""Up to and including this many task rows, a CTA walks `ROWS_PER_CTA_SMALL` of them."""

# Accumulation.
DQ_ACCUM_DTYPE = torch.bfloat16
"""Accumulator of dQ in the fast backward, which adds in packed 16-bit atomics: bfloat16 keeps
FP32's exponent range, where float16 turns into inf past 65504."""
