import dataclasses
import math
import re

import pytest
import torch

from msa.schedule.documents import PackedDocuments

INT32_MAX = 2**31 - 1
LENGTHS = (1, 127, 128, 129, 256)

DTYPES = {
    "padding_mask": torch.bool,
    "token_rows": torch.int64,
    "document_positions": torch.int64,
    "workspace_positions": torch.int64,
    "cu_seqlens": torch.int32,
    "document_workspace_starts": torch.int32,
}


def ids_of(*rows: list[tuple[int, int]]) -> torch.Tensor:
    """Document ids from (id, length) runs per batch row."""
    return torch.tensor([[i for i, length in row for _ in range(length)] for row in rows])


LAYOUTS = {
    "one token": ids_of([(1, 1)]),
    "lengths around a block": ids_of([(i + 1, length) for i, length in enumerate(LENGTHS)]),
    "padding left": ids_of([(0, 77), (5, 129), (2, 1)]),
    "padding right": ids_of([(5, 129), (2, 1), (0, 77)]),
    "padding between": ids_of([(5, 129), (0, 1), (2, 1), (0, 128), (9, 256)]),
    "the same id in two rows": ids_of([(1, 100), (0, 30)], [(1, 130)]),
    "a run across the end of a row": ids_of([(1, 2), (7, 3)], [(7, 4), (1, 1)]),
    "a row of padding": ids_of([(1, 5)], [(0, 5)], [(2, 5)]),
    "descending ids": ids_of([(9, 3), (4, 130), (1, 2)]),
    "ids past int32": ids_of([(2**63 - 1, 3), (0, 2), (2**62, 4), (1, 1)]),
    "one token each": torch.arange(1, 9).view(2, 4),
}


def expected_layout(ids: torch.Tensor) -> dict:
    """The expected layout, from a loop over the tokens."""
    documents: list[list[int]] = []
    for row, row_ids in enumerate(ids.tolist()):
        last = 0
        for column, document_id in enumerate(row_ids):
            if document_id and document_id != last:
                documents.append([])
            if document_id:
                documents[-1].append(row * ids.shape[1] + column)
            last = document_id
    lengths = [len(rows) for rows in documents]
    aligned = [math.ceil(length / 128) * 128 for length in lengths]
    starts = [sum(aligned[:d]) for d in range(len(documents))]
    return {
        "padding_mask": (ids == 0).tolist(),
        "token_rows": [row for rows in documents for row in rows],
        "document_positions": [p for length in lengths for p in range(length)],
        "workspace_positions": [
            start + p for start, length in zip(starts, lengths, strict=True) for p in range(length)
        ],
        "cu_seqlens": [sum(lengths[:d]) for d in range(len(documents) + 1)],
        "document_workspace_starts": starts,
        "workspace_size": sum(aligned),
        "max_seqlen": max(lengths),
        "num_tokens": sum(lengths),
    }


def as_lists(documents: PackedDocuments) -> dict:
    values = {name: getattr(documents, name).tolist() for name in DTYPES}
    ints = ("workspace_size", "max_seqlen", "num_tokens")
    return values | {name: getattr(documents, name) for name in ints}


@pytest.mark.parametrize("ids", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_layout_from_document_ids(ids):
    documents = PackedDocuments.from_document_ids(ids)
    assert as_lists(documents) == expected_layout(ids)
    assert {name: getattr(documents, name).dtype for name in DTYPES} == DTYPES
    assert type(documents.workspace_size) is type(documents.max_seqlen) is int


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
@pytest.mark.parametrize("lengths", [LENGTHS, LENGTHS[::-1], (1,), (1,) * 300, (3, 128, 5)])
def test_layout_from_cu_seqlens(lengths, dtype):
    cu_seqlens = torch.tensor([0, *lengths], dtype=dtype).cumsum(0, dtype=dtype)
    documents = PackedDocuments.from_cu_seqlens(cu_seqlens)
    ids = ids_of([(i + 1, length) for i, length in enumerate(lengths)])
    assert as_lists(documents) == expected_layout(ids)
    assert {name: getattr(documents, name).dtype for name in DTYPES} == DTYPES


def test_documents_without_tokens_own_no_workspace_rows():
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 0, 129, 129, 129, 130, 130]))
    assert documents.document_workspace_starts.tolist() == [0, 0, 256, 256, 256, 384]
    assert documents.cu_seqlens.tolist() == [0, 0, 129, 129, 129, 130, 130]
    assert documents.workspace_size == 384
    assert documents.workspace_positions.tolist() == [*range(129), 256]
    assert documents.document_positions.tolist() == [*range(129), 0]


@pytest.mark.parametrize(
    "dtype",
    [
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.uint8,
        torch.uint16,
        torch.uint32,
        torch.uint64,
    ],
)
def test_any_integer_dtype_gives_the_same_layout(dtype):
    ids = ids_of([(0, 2), (127, 130), (1, 3)], [(3, 100), (0, 30), (1, 5)])
    assert as_lists(PackedDocuments.from_document_ids(ids.to(dtype))) == expected_layout(ids)


def test_unsigned_ids_past_int64_are_not_negative():
    ids = torch.tensor([[2**64 - 1, 2**64 - 1, 2**63, 0, 7]], dtype=torch.uint64)
    documents = PackedDocuments.from_document_ids(ids)
    assert documents.cu_seqlens.tolist() == [0, 2, 3, 4]
    assert documents.token_rows.tolist() == [0, 1, 2, 4]


def test_strided_ids():
    ids = ids_of([(0, 2), (4, 130), (1, 3)], [(3, 100), (0, 30), (1, 5)])
    strided = ids.t().contiguous().t()
    assert as_lists(PackedDocuments.from_document_ids(strided)) == expected_layout(ids)


@pytest.mark.parametrize("padding", [0, 1, 77, 128])
def test_padding_never_shifts_a_block_border(padding):
    plain = PackedDocuments.from_document_ids(ids_of([(1, 129), (2, 200)]))
    padded = PackedDocuments.from_document_ids(
        ids_of([(0, padding), (1, 129), (0, padding), (2, 200), (0, padding)])
    )
    for name in DTYPES.keys() - {"padding_mask", "token_rows"}:
        assert torch.equal(getattr(plain, name), getattr(padded, name)), name
    assert padded.workspace_size == plain.workspace_size


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (torch.tensor([1, 1]), "ids must be [batch, sequence], got shape [2]"),
        (torch.ones(1, 2, 2, dtype=torch.int64), "got shape [1, 2, 2]"),
        (torch.tensor(1), "got shape []"),
        (torch.zeros(0, 5, dtype=torch.int64), "ids must not be empty, got shape [0, 5]"),
        (torch.zeros(2, 0, dtype=torch.int64), "ids must not be empty, got shape [2, 0]"),
        (torch.ones(1, 2, dtype=torch.bool), "integer dtype, got torch.bool"),
        (torch.ones(1, 2), "integer dtype, got torch.float32"),
        (torch.ones(1, 2, dtype=torch.bfloat16), "integer dtype, got torch.bfloat16"),
        (torch.ones(1, 2, dtype=torch.complex64), "integer dtype, got torch.complex64"),
        (torch.tensor([[1, 1, 0], [2, -3, -1]]), "got -3 at flat position 4"),
        (torch.tensor([[-(2**63), 1]]), f"got {-(2**63)} at flat position 0"),
        (torch.zeros(2, 3, dtype=torch.int32), "at least one real token, got only padding"),
        (torch.tensor([[1, 2, 1]]), "document 1 interrupted and resumed at flat position 2"),
        (torch.tensor([[1, 0, 1]]), "document 1 interrupted and resumed at flat position 2"),
        # Several: the first position that resumes, whatever the order of the ids.
        (
            torch.tensor([[7, 7, 8, 8, 9], [9, 5, 9, 3, 5]]),
            "document 9 interrupted and resumed at flat position 7",
        ),
        (
            torch.tensor([[3, 4, 4, 3, 4], [1, 2, 1, 2, 2]]),
            "document 3 interrupted and resumed at flat position 3",
        ),
        (
            torch.ones(1, 1, dtype=torch.int8).expand(2**16, 2**16),
            f"at most {INT32_MAX} positions",
        ),
    ],
)
def test_rejected_document_ids(ids, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        PackedDocuments.from_document_ids(ids)
    assert str(error.value).startswith("ids must ")


def test_rejected_document_ids_whose_workspace_is_past_int32():
    # Documents of one token take 128 workspace rows each.
    ids = torch.ones(1, 1, dtype=torch.int8).expand(2**24, 1)
    with pytest.raises(ValueError, match=rf"starts at flat position {2**24 - 1}$"):
        PackedDocuments.from_document_ids(ids)


@pytest.mark.parametrize(
    ("cu_seqlens", "message"),
    [
        (torch.tensor([[0, 1]]), "got shape [1, 2]"),
        (torch.tensor(0), "got shape []"),
        (torch.tensor([], dtype=torch.int64), "got shape [0]"),
        (torch.tensor([0]), "at least one document, got shape [1]"),
        (torch.tensor([False, True]), "int32 or int64, got torch.bool"),
        (torch.tensor([0.0, 1.0]), "int32 or int64, got torch.float32"),
        (torch.tensor([0, 1]).to(torch.complex64), "int32 or int64, got torch.complex64"),
        (torch.tensor([0, 1], dtype=torch.int16), "int32 or int64, got torch.int16"),
        (torch.tensor([1, 2]), "start at 0, got 1 at index 0"),
        (torch.tensor([-1, 2]), "start at 0, got -1 at index 0"),
        (torch.tensor([0, 5, 4, 3]), "not decrease, got 4 after 5 at index 2"),
        (torch.tensor([0, -5]), "not decrease, got -5 after 0 at index 1"),
        (torch.tensor([0, 2**63 - 1, -(2**63)]), f"got {-(2**63)} after {2**63 - 1} at index 2"),
        (torch.tensor([0, 0, 0]), "at least one real token"),
        (torch.tensor([0, 5, 2**40]), "got more from index 2 on"),
        (torch.tensor([0, 5, 2**31, 2**31, 2**63 - 1]), "got more from index 2 on"),
        # The tokens fit, the aligned workspace rows do not.
        (torch.tensor([0, 1, INT32_MAX], dtype=torch.int32), "got more from index 2 on"),
        (torch.tensor([0, INT32_MAX, 2**40]), "got more from index 1 on"),
        (torch.tensor([0, 2**63 - 1]), "got more from index 1 on"),
    ],
)
def test_rejected_cu_seqlens(cu_seqlens, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        PackedDocuments.from_cu_seqlens(cu_seqlens)
    assert str(error.value).startswith("cu_seqlens must ")


def test_rejected_objects_that_are_not_tensors():
    with pytest.raises(TypeError, match=r"^ids must be a tensor, got list$"):
        PackedDocuments.from_document_ids([[1]])
    with pytest.raises(TypeError, match=r"^cu_seqlens must be a tensor, got list$"):
        PackedDocuments.from_cu_seqlens([0, 1])


SPARSE_OR_NESTED = {
    "sparse": lambda x: x.to_sparse(),
    "nested": lambda x: torch.nested.nested_tensor([x]),
}


@pytest.mark.parametrize("change", SPARSE_OR_NESTED.values(), ids=SPARSE_OR_NESTED)
def test_rejected_tensors_without_strides(change):
    ids = change(torch.ones(1, 3, dtype=torch.int64))
    with pytest.raises(TypeError, match=r"^ids must be a tensor with strides, got "):
        PackedDocuments.from_document_ids(ids)
    with pytest.raises(TypeError, match=r"^cu_seqlens must be a tensor with strides, got "):
        PackedDocuments.from_cu_seqlens(change(torch.tensor([0, 3])))
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 3]))
    with pytest.raises(TypeError, match=r"^x must be a tensor with strides, got "):
        documents.pack(change(torch.ones(1, 3)))


def test_rejected_tensors_without_values():
    with pytest.raises(ValueError, match=r"^ids must hold values, got a tensor on device meta$"):
        PackedDocuments.from_document_ids(torch.ones(1, 3, dtype=torch.int64, device="meta"))
    with pytest.raises(ValueError, match=r"^cu_seqlens must hold values, got "):
        PackedDocuments.from_cu_seqlens(torch.zeros(2, dtype=torch.int64, device="meta"))


def layouts(device: str) -> list[PackedDocuments]:
    return [
        PackedDocuments.from_document_ids(torch.tensor([[1, 1, 0, 2]], device=device)),
        PackedDocuments.from_cu_seqlens(torch.tensor([0, 2, 3], device=device)),
    ]


def test_the_default_device_changes_nothing():
    expected = layouts("cpu")
    with torch.device("meta"):
        found = layouts("cpu")
    for one, other in zip(found, expected, strict=True):
        for name in DTYPES:
            assert torch.equal(getattr(one, name), getattr(other, name)), name


def test_layouts_built_under_inference_mode_serve_training():
    with torch.inference_mode():
        documents = layouts("cpu")
    for built in documents:
        x = torch.randn(*built.padding_mask.shape, 2, requires_grad=True)
        built.unpack(built.pack(x)).sum().backward()
        assert torch.equal(x.grad[..., 0], (~built.padding_mask).float())


def test_device_is_that_of_the_tensors():
    documents = PackedDocuments.from_document_ids(LAYOUTS["padding between"])
    assert documents.device == torch.device("cpu")
    assert documents.to("meta").device == torch.device("meta")


def fields(**changes) -> dict:
    """The fields of a right layout of 5 tokens and 2 documents, but for `changes`."""
    documents = PackedDocuments.from_document_ids(ids_of([(1, 2), (0, 1)], [(1, 3)]))
    names = (field.name for field in dataclasses.fields(documents))
    return {name: getattr(documents, name) for name in names} | changes


def test_the_constructor_takes_right_fields():
    PackedDocuments(**fields())
    PackedDocuments(*fields().values())


@pytest.mark.parametrize("name", DTYPES)
def test_the_constructor_rejects_other_types_first(name):
    # The other fields are wrong in shape: types are judged before.
    wrong = {other: torch.zeros(1, 1, 1, dtype=dtype) for other, dtype in DTYPES.items()}
    wrong["workspace_size"] = 1
    for value, found in (
        (3, "int"),
        (None, "NoneType"),
        ([0, 1], "list"),
        (torch.zeros(1, 1, 1), "torch.float32"),
        (torch.zeros(1, 1, 1, dtype=torch.int16), "torch.int16"),
    ):
        with pytest.raises(TypeError, match=rf"^{name} must be {DTYPES[name]} \[.*, got {found}$"):
            PackedDocuments(**fields(**wrong | {name: value}))


@pytest.mark.parametrize("name", ["workspace_size", "max_seqlen"])
@pytest.mark.parametrize("value", [1.0, True, "128", None, torch.tensor(128)], ids=repr)
def test_the_constructor_takes_nothing_but_ints_for_sizes(name, value):
    wrong_shape = {"cu_seqlens": torch.zeros(1, dtype=torch.int32)}
    with pytest.raises(TypeError, match=rf"^{name} must be an int, got {type(value).__name__}$"):
        PackedDocuments(**fields(**wrong_shape | {name: value}))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("workspace_size", 0, "must be at least 128, got 0"),
        ("workspace_size", 300, "must be a multiple of 128, got 300"),
        ("max_seqlen", -1, "must be at least 0, got -1"),
        ("padding_mask", (6,), "[batch, sequence], got shape [6]"),
        ("token_rows", (5, 1), "[tokens], got shape [5, 1]"),
        ("token_rows", (), "[tokens], got shape []"),
        ("token_rows", (4,), "document_positions must be [4] (tokens, as in token_rows)"),
        ("document_positions", (6,), "[5] (tokens, as in token_rows), got shape [6]"),
        ("workspace_positions", (0,), "[5] (tokens, as in token_rows), got shape [0]"),
        ("cu_seqlens", (1, 3), "[documents + 1], got shape [1, 3]"),
        ("cu_seqlens", (0,), "at least one document, got shape [0]"),
        ("cu_seqlens", (1,), "at least one document, got shape [1]"),
        ("document_workspace_starts", (3,), "[2] (documents, as in cu_seqlens), got shape [3]"),
        ("document_workspace_starts", (2, 1), "[documents], got shape [2, 1]"),
    ],
)
def test_the_constructor_rejects_other_shapes_and_sizes(name, value, message):
    if isinstance(value, tuple):
        value = torch.zeros(value, dtype=DTYPES[name])
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        PackedDocuments(**fields(**{name: value}))
    assert name in str(error.value)


@pytest.mark.parametrize("name", [name for name in DTYPES if name != "token_rows"])
def test_the_constructor_rejects_fields_on_two_devices(name):
    value = fields()[name].to("meta")
    message = rf"^{name} must be on the device of token_rows, cpu, got meta$"
    with pytest.raises(ValueError, match=message):
        PackedDocuments(**fields(**{name: value}))


@pytest.mark.parametrize("ids", LAYOUTS.values(), ids=LAYOUTS.keys())
@pytest.mark.parametrize("trailing", [(), (3,), (2, 5)])
def test_pack_and_unpack(ids, trailing):
    documents = PackedDocuments.from_document_ids(ids)
    x = torch.arange(1.0, ids.numel() * math.prod(trailing) + 1).view(*ids.shape, *trailing)
    packed = documents.pack(x)
    assert torch.equal(packed, x[ids != 0])
    unpacked = documents.unpack(packed)
    assert torch.equal(unpacked[ids != 0], packed)
    assert torch.equal(unpacked[ids == 0], torch.zeros_like(x[ids == 0]))


def test_pack_and_unpack_keep_dtypes_and_never_read_padding():
    ids = LAYOUTS["padding between"]
    documents = PackedDocuments.from_document_ids(ids)
    x = torch.full((*ids.shape, 2), torch.nan, dtype=torch.bfloat16)
    x[ids != 0] = 1
    assert documents.pack(x).dtype == torch.bfloat16
    assert torch.equal(documents.pack(x), torch.ones(documents.num_tokens, 2).bfloat16())
    assert torch.equal(documents.unpack(documents.pack(ids)), ids)


def test_pack_takes_strided_tensors():
    ids = LAYOUTS["the same id in two rows"]
    documents = PackedDocuments.from_document_ids(ids)
    x = torch.randn(3, *ids.shape, generator=torch.Generator().manual_seed(0)).permute(1, 2, 0)
    assert torch.equal(documents.pack(x), x[ids != 0])


def test_pack_and_unpack_are_differentiable():
    ids = ids_of([(0, 2), (1, 3), (0, 1), (2, 2)], [(1, 6), (0, 2)])
    documents = PackedDocuments.from_document_ids(ids)
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(*ids.shape, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    y = torch.randn(11, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    assert torch.autograd.gradcheck(documents.pack, x)
    assert torch.autograd.gradcheck(documents.unpack, y)


def test_pack_and_unpack_reject_other_shapes():
    documents = PackedDocuments.from_document_ids(ids_of([(0, 2), (1, 3)], [(1, 5)]))
    for shape in ((2, 4), (5, 2), (10,), ()):
        with pytest.raises(ValueError, match=r"^x must be \[batch, sequence, \.\.\.\] .*\[2, 5\]"):
            documents.pack(torch.zeros(shape))
    for shape in ((2, 5), (9,), ()):
        with pytest.raises(ValueError, match=r"^y must be \[tokens, \.\.\.\] .*\[8\]"):
            documents.unpack(torch.zeros(shape))
    with pytest.raises(ValueError, match=r"^x must be on the documents' device cpu, got meta$"):
        documents.pack(torch.zeros(2, 5, device="meta"))
    with pytest.raises(TypeError, match=r"^y must be a tensor, got list$"):
        documents.unpack([0.0] * 8)


def test_pack_and_unpack_compile_to_one_graph():
    documents = PackedDocuments.from_document_ids(LAYOUTS["padding between"])

    def double(x: torch.Tensor, documents: PackedDocuments) -> torch.Tensor:
        return documents.unpack(documents.pack(x) * 2)

    compiled = torch.compile(double, fullgraph=True, backend="aot_eager")
    x = torch.ones(*documents.padding_mask.shape, 2, requires_grad=True)
    compiled(x, documents).sum().backward()
    expected = 2.0 * ~documents.padding_mask
    assert torch.equal(x.grad, expected[..., None].expand_as(x))
