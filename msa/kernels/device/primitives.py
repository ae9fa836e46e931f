"""Device functions that the shared kernels have in common."""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import Int32
from cutlass.cute import arch

from msa.kernels.runtime.signature import VECTOR_BYTES
from msa.schedule.topology import BLOCK_SIZE, GROUP_COUNTS

WARP = 32
BF16_VECTOR = VECTOR_BYTES // 2
"""bf16 values of the widest access of a thread."""
assert all(count & count - 1 == 0 for count in GROUP_COUNTS)  # powers of two


class Documents(NamedTuple):
    """Compact and workspace row where each of `size` documents starts, int32."""

    cu_seqlens: cute.Pointer
    workspace_starts: cute.Pointer
    size: Int32


def vector(pointer: cute.Pointer) -> cute.Tensor:
    """The elements at a pointer, indexed by 32 bits; the bounds are the caller's."""
    return cute.make_tensor(pointer, cute.make_layout(1 << 30))


def split_groups(index: Int32, num_groups: Int32) -> tuple[Int32, Int32]:
    """Quotient and remainder by a number of groups, which is a power of two."""
    return index >> Int32(arch.popc(num_groups - 1)), index & (num_groups - 1)


def shared(dtype: type[cutlass.Numeric], shape: tuple[int, ...]) -> cute.Tensor:
    """A tensor in the CTA's shared memory, the first extent fastest."""
    layout = cute.make_layout(shape)
    return cute.make_tensor(arch.alloc_smem(dtype, cute.size(layout), alignment=16), layout)


@cute.jit
def warp_inclusive_scan(value):
    """Sum of `value` over the lanes up to and including this one."""
    for step in cutlass.range_constexpr(5):
        below = arch.shuffle_sync_up(value, offset=1 << step)
        if arch.lane_idx() >= (1 << step):
            value += below
    return value


@cute.jit
def cta_exclusive_scan(value, warp_sums: cute.Tensor):
    """Sum of `value` over the threads before this one, and over all threads.

    `warp_sums` is shared, one element a warp, and free again on return.
    """
    lane = arch.lane_idx()
    warp = arch.warp_idx()
    inclusive = warp_inclusive_scan(value)
    if lane == WARP - 1:
        warp_sums[warp] = inclusive
    arch.sync_threads()
    # Every warp scans the sums of all warps: that is shorter than one warp's scan and a barrier.
    sums = value - value
    if lane < cute.size(warp_sums):
        sums = warp_sums[lane]
    sums = warp_inclusive_scan(sums)
    total = arch.shuffle_sync(sums, offset=WARP - 1)
    before = arch.shuffle_sync(sums, offset=cutlass.max(warp - 1, 0))
    if warp == 0:
        before = value - value
    arch.sync_threads()
    return before + inclusive - value, total


@cute.jit
def upper_bound(values: cute.Tensor, size: Int32, key: Int32) -> Int32:
    """First index of the ascending `values[0:size]` whose value exceeds `key`, else `size`."""
    low = Int32(0)
    high = size
    while low < high:
        middle = (low + high) // 2
        if values[middle] > key:
            high = middle
        else:
            low = middle + 1
    return low


@cute.jit
def block_rows(documents: Documents, kblock: Int32):
    """Compact row of a workspace key block's first key, and the keys from there to the document's
    end, which lies in the block where they are fewer than 128."""
    starts = vector(documents.workspace_starts)
    # Documents without tokens share a start with the next that has any, which owns the block.
    document = upper_bound(starts, documents.size, kblock * BLOCK_SIZE) - 1
    first = vector(documents.cu_seqlens)[document]
    end = vector(documents.cu_seqlens)[document + 1]
    row = first + (kblock * BLOCK_SIZE - starts[document])
    return row, end - row


def name_kernels(*kernels) -> None:
    """Calls device functions `msa_<name>_<number>`, instead of by all their arguments' types."""
    for kernel in kernels:
        kernel.set_name_prefix(
            f"msa_{kernel.__name__}", remove_cutlass_symbol=True, keep_mangled_name=False
        )
