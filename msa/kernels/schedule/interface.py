"""What the kernels of the schedule hand to those that walk it: items, and control words."""

from msa.schedule.topology import GROUP_COUNTS, QUERY_CHUNK

QUAD_SLOTS = QUERY_CHUNK // 2
"""Query slots of a quad, which is half a task."""
assert 2 * QUAD_SLOTS == QUERY_CHUNK

ITEM_FIELDS = 4
"""Of a walk's item: first quad, quads, head, workspace key block. A quad is half a task."""
ITEM_TASKS = 16
"""Most tasks of an item, which begins at every so many of a run of one head and key block."""
CHUNK_TASKS = 1024
"""Tasks to a CTA, which finds the items that begin there."""

MAX_GROUPS = max(GROUP_COUNTS)
"""Most KV heads of a call, each with its group of query heads: those that there are words for."""
FLAGGED_FIELD = 4
"""Of a walk's control words, behind the number of items and three counters to draw items from: the
first of those, one for each KV head, that count flagged rows of it, or it and others."""
HEAD_END_FIELD = FLAGGED_FIELD + MAX_GROUPS
"""The first of the words, one for each KV head, that say where its items end."""
HEAD_COUNTER_FIELD = HEAD_END_FIELD + MAX_GROUPS
"""The first of the counters, one for each KV head, to draw items of it, or it and others, from."""
CONTROL_FIELDS = HEAD_COUNTER_FIELD + MAX_GROUPS
"""How many control words a walk has."""

ALL_ROWS, FLAGGED_ROWS = 0, 1
"""Which rows a pass takes: all, or those that are flagged."""
