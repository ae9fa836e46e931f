"""A host function that is not what its signature says does not compile."""

import cuda.bindings.driver as cuda
import cutlass.cute as cute
import pytest
import torch
from cutlass import BFloat16, Int32, Int64

from msa.kernels.runtime.signature import Array, Integer, Signature
from msa.kernels.runtime.stand_ins import check_host_function, stand_ins

SIGNATURE = Signature(
    rows=Array(torch.bfloat16, ("tokens", 128)),
    ids=Array(torch.int32, ("tokens",)),
    tokens=Integer(),
)


@cute.jit
def as_declared(rows: cute.Pointer, ids: cute.Pointer, tokens: Int32, stream: cuda.CUstream):
    pass


@cute.jit
def in_another_order(ids: cute.Pointer, rows: cute.Pointer, tokens: Int32, stream: cuda.CUstream):
    pass


@cute.jit
def of_another_type(rows: cute.Pointer, ids: cute.Pointer, tokens: Int64, stream: cuda.CUstream):
    pass


@cute.jit
def without_an_argument(rows: cute.Pointer, tokens: Int32, stream: cuda.CUstream):
    pass


def test_what_is_declared_passes():
    check_host_function(as_declared, SIGNATURE)


@pytest.mark.parametrize("function", [in_another_order, of_another_type, without_an_argument])
def test_what_is_not_is_refused_with_both_lists(function):
    expected = r"must take \(rows: Pointer, ids: Pointer, tokens: Int32, stream: CUstream\)"
    with pytest.raises(TypeError, match=expected):
        check_host_function(function, SIGNATURE)


def test_stand_ins_have_the_declared_types():
    rows, ids, tokens, _ = stand_ins(SIGNATURE)
    assert (rows.dtype, ids.dtype) == (BFloat16, Int32)
    assert isinstance(tokens, Int32)
