"""Inputs, plain-Python definitions and comparisons for the tests of a schedule."""

import dataclasses

import torch

from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.documents import PackedDocuments
from msa.schedule.support import work_capacity
from msa.schedule.task_tables import TaskTables
from msa.schedule.topology import BLOCK_SIZE, NUM_INDEX_HEADS, TOPK_BLOCKS, WORK_ITEM_QUERIES


def pack_lengths(*lengths: int) -> PackedDocuments:
    """Documents of these lengths in one row without padding."""
    return PackedDocuments.from_cu_seqlens(torch.tensor([0, *lengths]).cumsum(0))


DOCUMENTS = {
    "one token": pack_lengths(1),
    "lengths around a block": pack_lengths(127, 129, 1, 2, 3, 5, 128, 256),
    "one document per query": pack_lengths(*[1] * 70),
    "more blocks than slots": pack_lengths(2200),
    "documents without tokens": pack_lengths(0, 0, 130, 0, 0, 300, 0),
    "padding": PackedDocuments.from_document_ids(
        torch.tensor([[0] * 5 + [1] * 700 + [0] * 3 + [2] * 92, [1] * 790 + [0] * 10])
    ),
}
"""Layouts of different kinds, by name."""


def random_support(
    documents: PackedDocuments,
    seed: int,
    *,
    fill: float = 1.0,
    num_groups: int = NUM_INDEX_HEADS,
) -> torch.Tensor:
    """A valid support: distinct visible ids in random order, -1 at random slots among them.

    Each query takes a random number of ids, up to the share `fill` of what it could.
    """
    generator = torch.Generator().manual_seed(seed)
    blocks = (documents.document_positions // BLOCK_SIZE + 1)[:, None]
    shape = (num_groups, documents.num_tokens)
    most_blocks = max(int(blocks.max()), TOPK_BLOCKS)
    rank = torch.rand(*shape, most_blocks, generator=generator)
    ids = rank.masked_fill(torch.arange(most_blocks) >= blocks, 1).argsort(dim=-1)
    most = (fill * blocks.clamp(max=TOPK_BLOCKS)).long().clamp(min=1)
    count = (torch.rand(*shape, 1, generator=generator) * (most + 1)).long()
    support = torch.where(torch.arange(TOPK_BLOCKS) < count, ids[..., :TOPK_BLOCKS], -1)
    slots = torch.rand(*shape, TOPK_BLOCKS, generator=generator).argsort(dim=-1)
    return support.gather(-1, slots).to(torch.int32)


def stratified_support(
    documents: PackedDocuments,
    seed: int,
    *,
    keep: float = 1.0,
    num_groups: int = NUM_INDEX_HEADS,
) -> torch.Tensor:
    """A valid support, affordable for many tokens: ids spread over all blocks, in random order.

    Each of the 16 slots draws from its own sixteenth of the blocks up to the query's own, so that
    ids are distinct, and is kept with probability `keep`. Up to 16 blocks are all drawn.
    """
    generator = torch.Generator().manual_seed(seed)
    shape = (num_groups, documents.num_tokens, TOPK_BLOCKS)
    blocks = (documents.document_positions // BLOCK_SIZE + 1)[:, None]
    slot = torch.rand(shape, generator=generator).argsort(dim=-1)
    first = slot * blocks // TOPK_BLOCKS
    choices = (slot + 1) * blocks // TOPK_BLOCKS - first
    drawn = (torch.rand(shape, generator=generator, dtype=torch.float64) * choices).long()
    kept = (choices > 0) & (torch.rand(shape, generator=generator) < keep)
    return torch.where(kept, first + drawn, -1).to(torch.int32)


def spoil(support: torch.Tensor, documents: PackedDocuments, seed: int) -> torch.Tensor:
    """The same selection with invalid or repeated ids, which a build drops, in some free slots."""
    generator = torch.Generator().manual_seed(seed)
    own = (documents.document_positions // BLOCK_SIZE).to(torch.int32)[None, :, None]
    info = torch.iinfo(torch.int32)
    candidates = torch.stack(
        torch.broadcast_tensors(
            own + 1,
            own + 1000,
            torch.tensor(-2, dtype=torch.int32),
            torch.tensor(info.min, dtype=torch.int32),
            torch.tensor(info.max, dtype=torch.int32),
            support.amax(dim=-1, keepdim=True),
            support,
        )
    )
    pick = torch.randint(len(candidates), support.shape, generator=generator)
    bad = candidates.gather(0, pick[None])[0]
    spoiled = torch.rand(support.shape, generator=generator) < 0.7
    return torch.where((support == -1) & spoiled, bad, support)


def queries_of_blocks(
    support: torch.Tensor, documents: PackedDocuments
) -> dict[tuple[int, int], list[int]]:
    """Compact query rows, ascending, of every (head, workspace key block) that has any."""
    first_blocks = (documents.workspace_positions - documents.document_positions) // BLOCK_SIZE
    positions = documents.document_positions.tolist()
    pairs: dict[tuple[int, int], list[int]] = {}
    for head, queries in enumerate(support.tolist()):
        for query, ids in enumerate(queries):
            for block in set(ids):
                if 0 <= block <= positions[query] // BLOCK_SIZE:
                    pairs.setdefault((head, int(first_blocks[query]) + block), []).append(query)
    return pairs


def level_major(schedule: MSABackwardSchedule) -> MSABackwardSchedule:
    """The same schedule with rows numbered level by level: block 0 of every document first."""
    starts = (schedule.document_workspace_starts // BLOCK_SIZE).tolist()
    num_groups, num_rows = schedule.row_ptr.shape[0], schedule.row_ptr.shape[1] - 1
    owners = [max(d for d, start in enumerate(starts) if start <= r) for r in range(num_rows)]
    order = sorted(range(num_rows), key=lambda row: (row - starts[owners[row]], owners[row]))
    row_ptr = torch.zeros_like(schedule.row_ptr)
    q_indices = torch.full_like(schedule.q_indices, -(2**31))
    items = []
    for head in range(num_groups):
        end = 0
        for number, row in enumerate(order):
            begin, stop = schedule.row_ptr[head, row : row + 2].tolist()
            q_indices[head, end : end + stop - begin] = schedule.q_indices[head, begin:stop]
            kblock = row - starts[owners[row]]
            items += [
                (
                    head,
                    number,
                    piece,
                    min(WORK_ITEM_QUERIES, stop - begin - piece),
                    owners[row],
                    kblock,
                )
                for piece in range(0, stop - begin, WORK_ITEM_QUERIES)
            ]
            end += stop - begin
            row_ptr[head, number + 1] = end
    metadata = torch.full_like(schedule.scheduler_metadata, -(2**31))
    metadata[: len(items)] = torch.tensor(items, dtype=torch.int32).view(-1, metadata.shape[1])
    assert len(items) == int(schedule.work_count)
    return dataclasses.replace(
        schedule, row_ptr=row_ptr, q_indices=q_indices, scheduler_metadata=metadata
    )


def first_groups(schedule: MSABackwardSchedule, num_groups: int) -> MSABackwardSchedule:
    """The part of a schedule for its first groups, with the capacities of a call of these alone."""
    num_rows, num_edges = schedule.row_ptr.shape[1] - 1, schedule.q_indices.shape[1]
    count = schedule.work_count.item()
    # Work items are ordered by head.
    heads = schedule.scheduler_metadata[:count, 0]
    return dataclasses.replace(
        schedule,
        row_ptr=schedule.row_ptr[:num_groups],
        q_indices=schedule.q_indices[:num_groups],
        scheduler_metadata=schedule.scheduler_metadata[
            : work_capacity(num_groups, num_rows, num_edges)
        ],
        work_count=(heads < num_groups).sum(dtype=torch.int32)[None],
    )


def poison_unspecified(schedule: MSABackwardSchedule) -> MSABackwardSchedule:
    """The same schedule with extreme values wherever its contents are unspecified."""
    metadata, q_indices = schedule.scheduler_metadata.clone(), schedule.q_indices.clone()
    metadata[int(schedule.work_count) :] = -(2**31)
    for head, edges in enumerate(schedule.row_ptr[:, -1].tolist()):
        q_indices[head, edges:] = 2**31 - 1
    return dataclasses.replace(schedule, scheduler_metadata=metadata, q_indices=q_indices)


def assert_same_schedule(actual: MSABackwardSchedule, expected: MSABackwardSchedule) -> None:
    """Asserts equal shapes, and equal values wherever they are specified; devices may differ."""
    _assert_same(schedule_tensors(actual), schedule_tensors(expected), _specified_schedule)


def assert_same_tables(actual: TaskTables, expected: TaskTables) -> None:
    """Asserts equal shapes, and equal values wherever they are specified; devices may differ."""
    _assert_same(actual, expected, _specified_tables)


def _assert_same(actual, expected, specified) -> None:
    assert [tensor.shape for tensor in actual] == [tensor.shape for tensor in expected]
    for (name, one), (_, other) in zip(
        specified(*(tensor.cpu() for tensor in actual)),
        specified(*(tensor.cpu() for tensor in expected)),
        strict=True,
    ):
        assert one.dtype == other.dtype, name
        assert torch.equal(one, other), name


def _specified_schedule(row_ptr, q_indices, scheduler_metadata, work_count, *documents):
    yield "row_ptr", row_ptr
    for head, edges in enumerate(row_ptr[:, -1].tolist()):
        yield f"q_indices[{head}]", q_indices[head, :edges]
    yield "work_count", work_count
    yield "scheduler_metadata", scheduler_metadata[: int(work_count)]
    yield from zip(("cu_seqlens", "document_workspace_starts"), documents, strict=True)


def _specified_tables(task_meta, task_qrows, task_qpos, descriptor):
    yield "descriptor", descriptor
    for name, table in (
        ("task_meta", task_meta),
        ("task_qrows", task_qrows),
        ("task_qpos", task_qpos),
    ):
        yield name, table[: int(descriptor[0])]
