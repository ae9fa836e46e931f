import re

import pytest
import torch

from msa.schedule.documents import PackedDocuments
from msa.schedule.support import (
    build_csr,
    build_work_items,
    check_support,
    check_support_layout,
    edge_capacity,
    work_capacity,
)
from msa.schedule.testing import DOCUMENTS, pack_lengths, queries_of_blocks, random_support, spoil


def csr_of(support: torch.Tensor, documents: PackedDocuments) -> tuple[torch.Tensor, torch.Tensor]:
    return build_csr(
        support,
        documents.document_positions,
        documents.workspace_positions,
        documents.workspace_size // 128,
    )


def assert_csr(
    csr: tuple[torch.Tensor, torch.Tensor], support: torch.Tensor, documents: PackedDocuments
) -> None:
    """Each row holds the queries that selected its block, each once, ascending, and no other."""
    row_ptr, q_indices = csr
    num_rows = documents.workspace_size // 128
    assert row_ptr.dtype == q_indices.dtype == torch.int32
    num_groups = support.shape[0]
    assert row_ptr.shape == (num_groups, num_rows + 1)
    assert q_indices.shape == (num_groups, 16 * documents.num_tokens)
    pairs = queries_of_blocks(support, documents)
    positions = documents.document_positions.tolist()
    offsets, edges = row_ptr.tolist(), q_indices.tolist()
    for head in range(num_groups):
        assert offsets[head][0] == 0
        for row in range(num_rows):
            begin, end = offsets[head][row : row + 2]
            expected = [positions[query] for query in pairs.get((head, row), [])]
            assert edges[head][begin:end] == expected


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS.keys())
@pytest.mark.parametrize("num_groups", [1, 2, 4, 8])
def test_csr_holds_every_selected_pair_once(documents, num_groups):
    support = random_support(documents, seed=num_groups, num_groups=num_groups)
    check_support(support, documents)
    assert_csr(csr_of(support, documents), support, documents)


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_csr_drops_bad_ids_and_keeps_one_of_repeats(documents):
    support = random_support(documents, seed=2, fill=0.5)
    spoiled = spoil(support, documents, seed=3)
    assert not torch.equal(support, spoiled)
    assert_csr(csr_of(spoiled, documents), support, documents)


def test_csr_does_not_depend_on_the_order_of_ids():
    documents = DOCUMENTS["more blocks than slots"]
    support = random_support(documents, seed=4)
    row_ptr, q_indices = csr_of(support, documents)
    for other in (
        support.flip(-1),
        support.sort(dim=-1).values,
        support.sort(dim=-1, descending=True).values,
        support.roll(5, dims=-1).transpose(1, 2).contiguous().transpose(1, 2),
    ):
        other_row_ptr, other_q_indices = csr_of(other, documents)
        assert torch.equal(other_row_ptr, row_ptr)
        for head, edges in enumerate(row_ptr[:, -1].tolist()):
            assert torch.equal(other_q_indices[head, :edges], q_indices[head, :edges])


def test_csr_of_an_empty_support_has_empty_rows_only():
    documents = DOCUMENTS["lengths around a block"]
    support = torch.full((4, documents.num_tokens, 16), -1, dtype=torch.int32)
    row_ptr, _ = csr_of(support, documents)
    assert not row_ptr.any()
    metadata, count = build_work_items(row_ptr, documents.document_workspace_starts, 16)
    assert count.tolist() == [0]
    assert metadata.shape[1] == 6


def test_csr_of_one_repeated_id():
    documents = pack_lengths(200)
    support = torch.zeros(4, 200, 16, dtype=torch.int32)
    row_ptr, q_indices = csr_of(support, documents)
    assert row_ptr.tolist() == [[0, 200, 200]] * 4
    assert q_indices[:, :200].tolist() == [list(range(200))] * 4


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS.keys())
@pytest.mark.parametrize("num_groups", [1, 2, 4, 8])
def test_work_items_cover_every_edge_once(documents, num_groups):
    support = random_support(documents, seed=5, num_groups=num_groups)
    row_ptr, q_indices = csr_of(support, documents)
    starts = documents.document_workspace_starts
    metadata, count = build_work_items(row_ptr, starts, q_indices.shape[1])
    num_rows = documents.workspace_size // 128
    assert metadata.dtype == count.dtype == torch.int32
    assert count.shape == (1,)
    assert metadata.shape == (num_groups * (num_rows + -(-16 * documents.num_tokens // 256)), 6)
    assert 0 <= count <= metadata.shape[0]

    items = metadata[: int(count)].tolist()
    expected = [
        (head, row, begin, min(256, size - begin))
        for head, sizes in enumerate(row_ptr.diff(dim=1).tolist())
        for row, size in enumerate(sizes)
        for begin in range(0, size, 256)
    ]
    assert [tuple(item[:4]) for item in items] == expected
    lengths = documents.cu_seqlens.diff().tolist()
    for _, row, _, _, document, kblock in items:
        assert starts[document] // 128 + kblock == row
        assert 0 <= kblock < -(-lengths[document] // 128)


def test_long_rows_are_cut_into_pieces_of_256():
    documents = pack_lengths(513)
    support = torch.full((4, 513, 16), -1, dtype=torch.int32)
    support[2, :, 7] = 0
    row_ptr, q_indices = csr_of(support, documents)
    metadata, count = build_work_items(
        row_ptr, documents.document_workspace_starts, q_indices.shape[1]
    )
    assert metadata[: int(count)].tolist() == [
        [2, 0, 0, 256, 0, 0],
        [2, 0, 256, 256, 0, 0],
        [2, 0, 512, 1, 0, 0],
    ]


@pytest.mark.parametrize("num_groups", [1, 2, 4, 8])
def test_capacities_are_reached_by_no_support(num_groups):
    assert edge_capacity(1000) == 16_000
    assert work_capacity(num_groups, 8, 16_000) == num_groups * (8 + 63)
    # Each row just past a whole number of pieces: the most work items for its edges.
    row_ptr = (torch.arange(9, dtype=torch.int32) * 257).repeat(num_groups, 1)
    starts = torch.tensor([0], dtype=torch.int32)
    _, count = build_work_items(row_ptr, starts, 8 * 257)
    assert count.item() == num_groups * 8 * 2 <= work_capacity(num_groups, 8, 8 * 257)


def test_builds_without_looking_at_a_value():
    documents = DOCUMENTS["padding"].to("meta")
    support = torch.empty(4, documents.num_tokens, 16, dtype=torch.int32, device="meta")
    row_ptr, q_indices = csr_of(support, documents)
    metadata, count = build_work_items(
        row_ptr, documents.document_workspace_starts, q_indices.shape[1]
    )
    assert {row_ptr.device.type, q_indices.device.type, metadata.device.type} == {"meta"}
    assert count.shape == (1,)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([((1, 140, 3), -2)], "got -2 at (head, query, slot) = (1, 140, 3), which is below -1"),
        ([((3, 0, 15), -(2**31))], f"got {-(2**31)} at (head, query, slot) = (3, 0, 15)"),
        ([((0, 140, 4), 3)], "got 3 at (head, query, slot) = (0, 140, 4), which is outside"),
        ([((0, 130, 4), 1)], "got 1 at (head, query, slot) = (0, 130, 4), which is outside"),
        ([((2, 127, 0), 1)], "got 1 at (head, query, slot) = (2, 127, 0), which is past"),
        ([((2, 128, 5), 0), ((2, 128, 9), 0)], "got 0 at (head, query, slot) = (2, 128, 9)"),
        # The first in the order of head, query, slot.
        ([((0, 9, 9), 9), ((0, 9, 2), 8), ((0, 8, 15), 7)], "got 7 at"),
        ([((1, 0, 0), 5), ((0, 199, 15), 6)], "got 6 at"),
    ],
)
def test_check_support_names_the_first_bad_slot(entries, message):
    documents = pack_lengths(129, 10, 61)
    support = torch.full((4, 200, 16), -1, dtype=torch.int32)
    for slot, block in entries:
        support[slot] = block
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        check_support(support, documents)
    assert str(error.value).startswith("support must ")


@pytest.mark.parametrize("documents", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_check_support_rejects_what_the_csr_drops(documents):
    support = random_support(documents, seed=6, fill=0.5)
    check_support(support, documents)
    spoiled = spoil(support, documents, seed=7)
    seen: set[tuple[int, int, int]] = set()
    first = None
    positions = documents.document_positions.tolist()
    for head, queries in enumerate(spoiled.tolist()):
        for query, ids in enumerate(queries):
            for slot, block in enumerate(ids):
                visible = 0 <= block <= positions[query] // 128
                if block != -1 and (not visible or (head, query, block) in seen):
                    first = first or (head, query, slot)
                seen.add((head, query, block))
    with pytest.raises(ValueError, match=re.escape(f"(head, query, slot) = {first}")):
        check_support(spoiled, documents)


@pytest.mark.parametrize("check", [check_support, check_support_layout])
def test_rejected_layouts(check):
    documents = pack_lengths(10)
    good = torch.full((4, 10, 16), -1, dtype=torch.int32)
    check(good, documents)
    for dtype in (torch.int64, torch.int16, torch.float32, torch.bool):
        with pytest.raises(TypeError, match=f"^support must be int32, got {dtype}$"):
            check(good.to(dtype), documents)
    # The dtype is wrong as well as the shape: the dtype comes first.
    with pytest.raises(TypeError, match=r"^support must be int32"):
        check(torch.zeros(3), documents)
    for num_groups in (1, 2, 8):
        check(torch.full((num_groups, 10, 16), -1, dtype=torch.int32), documents)
    for shape in (
        *((num_groups, 10, 16) for num_groups in (0, 3, 5, 6, 7, 9, 16)),
        *((4, 10, 15), (4, 9, 16), (2, 11, 16), (4, 160), (1, 4, 10, 16), ()),
    ):
        words = f"[G, 10, 16] with G of 1, 2, 4 or 8, got shape {list(shape)}"
        with pytest.raises(ValueError, match=rf"^support must be .*{re.escape(words)}$"):
            check(torch.full(shape, -1, dtype=torch.int32), documents)
    with pytest.raises(TypeError, match=r"^support must be an int32 tensor, got list$"):
        check([[[]]], documents)
    with pytest.raises(TypeError, match=r"^documents must be a PackedDocuments, got Tensor$"):
        check(good, documents.cu_seqlens)
    with pytest.raises(ValueError, match=r"^support must be on .* cpu, got meta$"):
        check(good.to("meta"), documents)
    for change in (lambda x: x.to_sparse(), lambda x: torch.nested.nested_tensor([x])):
        with pytest.raises(TypeError, match=r"^support must be an int32 tensor with strides, got"):
            check(change(good), documents)


def test_values_are_not_checked_where_there_are_none():
    documents = pack_lengths(10).to("meta")
    support = torch.full((4, 10, 16), -1, dtype=torch.int32, device="meta")
    check_support_layout(support, documents)
    with pytest.raises(ValueError, match=r"^support must hold values, got a tensor on device meta"):
        check_support(support, documents)
