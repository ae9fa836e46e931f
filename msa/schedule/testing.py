"""Inputs and plain-Python definitions for the tests of this package."""

import torch

from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import BLOCK_SIZE, NUM_INDEX_HEADS, TOPK_BLOCKS


def pack_lengths(*lengths: int) -> PackedDocuments:
    """Documents of these lengths in one row without padding."""
    return PackedDocuments.from_cu_seqlens(torch.tensor([0, *lengths]).cumsum(0))


def random_support(documents: PackedDocuments, seed: int, *, fill: float = 1.0) -> torch.Tensor:
    """A valid support: distinct visible ids in random order, -1 at random slots among them.

    Each query takes a random number of ids, up to the share `fill` of what it could.
    """
    generator = torch.Generator().manual_seed(seed)
    support = torch.full((NUM_INDEX_HEADS, documents.num_tokens, TOPK_BLOCKS), -1)
    for head in range(NUM_INDEX_HEADS):
        for query, position in enumerate(documents.document_positions.tolist()):
            blocks = position // BLOCK_SIZE + 1
            most = max(1, int(fill * min(blocks, TOPK_BLOCKS)))
            count = int(torch.randint(most + 1, (), generator=generator))
            ids = torch.randperm(blocks, generator=generator)[:count]
            slots = torch.randperm(TOPK_BLOCKS, generator=generator)[:count]
            support[head, query, slots] = ids
    return support.to(torch.int32)


def spoil(support: torch.Tensor, documents: PackedDocuments, seed: int) -> torch.Tensor:
    """The same selection with bad ids, repeats of good ones included, in some of the free slots."""
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


def selected_pairs(
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
