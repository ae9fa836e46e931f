"""From a support (the key blocks that each query selected) to the work items of the backward.

The support is transposed into one CSR map per index head, from key block to the queries that
selected it, and each CSR row is cut into work items. Shapes depend only on argument shapes and
Python ints, and only `check_support` waits for a device.
"""

import torch

from msa.schedule.checks import ANY_GROUPS, require_tensor, require_values
from msa.schedule.documents import PackedDocuments
from msa.schedule.topology import BLOCK_SIZE, GROUP_COUNTS, TOPK_BLOCKS, WORK_ITEM_QUERIES


def check_support_types(support: torch.Tensor, documents: PackedDocuments) -> None:
    """Raises `TypeError` unless these are an int32 tensor and a `PackedDocuments`."""
    if not isinstance(documents, PackedDocuments):
        raise TypeError(f"documents must be a PackedDocuments, got {type(documents).__name__}")
    require_tensor("support", support, "an int32 tensor")
    if support.dtype != torch.int32:
        raise TypeError(f"support must be int32, got {support.dtype}")


def check_support_layout(support: torch.Tensor, documents: PackedDocuments) -> None:
    """Checks a support's dtype, shape and device, but not its values.

    Raises:
        TypeError: `support` is not an int32 tensor, or `documents` not a `PackedDocuments`.
        ValueError: `support` is not `[G, T, 16]` for 1, 2, 4 or 8 groups and the documents' `T`, or
            on another device.
    """
    check_support_types(support, documents)
    num_tokens = documents.num_tokens
    if (
        support.dim() != 3
        or support.shape[0] not in GROUP_COUNTS
        or tuple(support.shape[1:]) != (num_tokens, TOPK_BLOCKS)
    ):
        raise ValueError(
            f"support must be [groups, tokens, slots] = [G, {num_tokens}, {TOPK_BLOCKS}] with "
            f"{ANY_GROUPS}, got shape {list(support.shape)}"
        )
    if support.device != documents.device:
        raise ValueError(
            f"support must be on the documents' device {documents.device}, got {support.device}"
        )


def check_support(support: torch.Tensor, documents: PackedDocuments) -> None:
    """Checks a support, values included; this waits for the device.

    Args:
        support: int32 `[G, T, 16]`, document-local block ids in any order, -1 in unused slots.
        documents: layout of the `T` tokens.

    Raises:
        TypeError: `support` is not an int32 tensor, or `documents` not a `PackedDocuments`.
        ValueError: the shape or device is wrong, the device is meta, or an id is below -1, outside
            the document, past the query's own block, or repeated; the message gives the first bad
            (head, query, slot).
    """
    check_support_layout(support, documents)
    require_values("support", support)
    bad = (support != -1) & ~_kept(support, documents.document_positions)
    if not bad.any():
        return
    head, query, slot = torch.nonzero(bad)[0].tolist()
    block = support[head, query, slot].item()
    position = documents.document_positions[query].item()
    own = position // BLOCK_SIZE
    document = torch.searchsorted(documents.cu_seqlens, query, right=True) - 1
    length = (documents.cu_seqlens[document + 1] - documents.cu_seqlens[document]).item()
    blocks = -(-length // BLOCK_SIZE)
    if block < -1:
        reason = "is below -1"
    elif block >= blocks:
        reason = f"is outside the query's document of {blocks} blocks"
    elif block > own:
        reason = f"is past the query's own block {own}"
    else:
        reason = "repeats an earlier slot"
    raise ValueError(
        "support must hold distinct ids of key blocks up to the query's own, or -1: "
        f"got {block} at (head, query, slot) = {(head, query, slot)}, which {reason}"
    )


def edge_capacity(num_tokens: int) -> int:
    """Most (query, key block) pairs of one index head."""
    return num_tokens * TOPK_BLOCKS


def work_capacity(num_groups: int, num_rows: int, num_edges: int) -> int:
    """Most work items: per index head, the full ones and a partial one for each CSR row.

    Args:
        num_groups: index heads.
        num_rows: key blocks of the workspace.
        num_edges: edge capacity of one index head.
    """
    return num_groups * (num_rows + -(-num_edges // WORK_ITEM_QUERIES))


def build_csr(
    support: torch.Tensor,
    document_positions: torch.Tensor,
    workspace_positions: torch.Tensor,
    num_rows: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Transposes a support into one CSR map per index head, from key block to queries.

    Rows are the key blocks of the workspace in order. A bad id (see `check_support`) is dropped, a
    repeated one kept once.

    Args:
        support: int32 `[G, T, 16]`.
        document_positions: int64 `[T]`.
        workspace_positions: int64 `[T]`.
        num_rows: key blocks of the workspace.

    Returns:
        `row_ptr` int32 `[G, num_rows + 1]` and `q_indices` int32 `[G, 16 T]`, document-local query
        positions, ascending inside a row; unspecified past the last row.
    """
    num_groups, num_tokens, _ = support.shape
    first_rows = (workspace_positions - document_positions) // BLOCK_SIZE
    # Dropped slots go to an extra row after the last one, so that each head has 16 T sort keys and
    # one 1-D sort serves all heads. It is stable, which keeps queries ascending inside a row, and a
    # radix sort on integers. There are fewer than 2**24 key blocks, so keys of 8 heads fit int32.
    rows = torch.where(
        _kept(support, document_positions),
        support + first_rows.to(torch.int32)[None, :, None],
        num_rows,
    )
    heads = torch.arange(num_groups, dtype=torch.int32, device=support.device)
    keys = (rows + heads[:, None, None] * (num_rows + 1)).reshape(-1)
    keys, order = keys.sort(stable=True)

    boundaries = torch.arange(
        num_groups * (num_rows + 1), dtype=torch.int32, device=support.device
    ).view(num_groups, num_rows + 1)
    head_starts = heads.to(torch.int64)[:, None] * edge_capacity(num_tokens)
    row_ptr = torch.searchsorted(keys, boundaries) - head_starts

    queries = (order // TOPK_BLOCKS % num_tokens).view(num_groups, edge_capacity(num_tokens))
    return row_ptr.to(torch.int32), document_positions.to(torch.int32)[queries]


def build_work_items(
    row_ptr: torch.Tensor, document_workspace_starts: torch.Tensor, num_edges: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cuts CSR rows of the workspace order into work items of at most 256 queries.

    Args:
        row_ptr: int32 `[G, rows + 1]`.
        document_workspace_starts: int32 `[documents]`.
        num_edges: edge capacity of one index head.

    Returns:
        `scheduler_metadata` int32 `[work_capacity, 6]`, items `(index_head, row_linear, q_begin,
        q_count, document_ordinal, document_local_kblock)` ordered by (head, row, begin), then
        zeros; and `work_count` int32 `[1]`.
    """
    device = row_ptr.device
    num_groups, num_rows = row_ptr.shape[0], row_ptr.shape[1] - 1
    row_counts = row_ptr.diff(dim=1).reshape(-1).to(torch.int64)
    row_items = -(-row_counts // WORK_ITEM_QUERIES)
    item_ends = row_items.cumsum(0)

    item = torch.arange(work_capacity(num_groups, num_rows, num_edges), device=device)
    valid = item < item_ends[-1]
    head_row = torch.where(valid, torch.searchsorted(item_ends, item, right=True), 0)
    head, row = head_row // num_rows, head_row % num_rows
    begin = (item - (item_ends - row_items)[head_row]) * WORK_ITEM_QUERIES
    count = (row_counts[head_row] - begin).clamp(max=WORK_ITEM_QUERIES)
    # Documents without tokens share their start with the next document, which owns the row.
    document_rows = document_workspace_starts // BLOCK_SIZE
    document = torch.searchsorted(document_rows, row.to(torch.int32), right=True) - 1
    kblock = row - document_rows[document]
    items = torch.stack((head, row, begin, count, document, kblock), dim=1)
    return (
        torch.where(valid[:, None], items, 0).to(torch.int32),
        item_ends[-1:].to(torch.int32),
    )


def _kept(support: torch.Tensor, document_positions: torch.Tensor) -> torch.Tensor:
    """bool `[G, T, 16]`: slots with a block up to the query's own that no earlier slot holds."""
    own_blocks = (document_positions // BLOCK_SIZE).to(torch.int32)
    kept = (support >= 0) & (support <= own_blocks[None, :, None])
    for slot in range(1, TOPK_BLOCKS):
        repeated = (support[..., :slot] == support[..., slot : slot + 1]).any(dim=-1)
        kept[..., slot] &= ~repeated
    return kept
