"""Device functions that the Blackwell attention kernels have in common.

Tensor memory has 128 lanes of 512 columns of 32 bits. A product of 128 rows puts row `i` of its
sums into lane `i`; warp `w` of a warpgroup reaches lanes `32 * w` to `32 * w + 31`.
"""

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32
from cutlass.cute import arch
from cutlass.cute.nvgpu import tcgen05
from cutlass.experimental.primitives.nvvm_wrapper import tcgen05_fence
from cutlass.utils import blackwell_helpers

from msa.kernels.device.primitives import WARP

TILE = 128
"""Rows, columns and depth of a product."""

TMEM_COLUMNS = 512
"""All that an SM has."""

_LANES = 1 << 16  # from a lane to the next, in the addresses of tensor memory


# Products.


def tiled_mma(a_major, b_major, a_source, columns: int = TILE) -> cute.TiledMma:
    """A product of bf16 operands, 128 x `columns`, in FP32.

    An operand is K-major where the elements that are summed over lie next to each other.
    """
    return blackwell_helpers.make_trivial_tiled_mma(
        BFloat16,
        BFloat16,
        a_major,
        b_major,
        Float32,
        tcgen05.CtaGroup.ONE,
        (TILE, columns),
        a_source,
    )


def accumulators(mma: cute.TiledMma, tmem: cute.Pointer) -> cute.Tensor:
    """The sums of a product, its columns from `tmem` on."""
    rows, columns, _ = mma.shape_mnk
    fragment = mma.make_fragment_C(mma.partition_shape_C((rows, columns)))
    return cute.make_tensor(tmem, fragment.layout)


def shared_operand_a(
    mma: cute.TiledMma, tiles: cute.Pointer, stage, depth: int = TILE
) -> cute.Tensor:
    """Stage `stage` of tiles in rows of 64, swizzled by 128 bytes, as A of a product over `depth`.

    K-major, a tile is `[part of K][rows][64]`; else, `[part of the rows][K][64]`.
    """
    stages = blackwell_helpers.make_smem_layout_a(mma, _tiler(mma, depth), BFloat16, _MANY)
    fragment = mma.make_fragment_A(cute.make_tensor(tiles, stages.outer))
    return fragment[None, None, None, stage]


def shared_operand_b(
    mma: cute.TiledMma, tiles: cute.Pointer, stage, depth: int = TILE
) -> cute.Tensor:
    """The same as B, whose rows are the product's columns."""
    stages = blackwell_helpers.make_smem_layout_b(mma, _tiler(mma, depth), BFloat16, _MANY)
    fragment = mma.make_fragment_B(cute.make_tensor(tiles, stages.outer))
    return fragment[None, None, None, stage]


_MANY = 4  # stages, whose number does not matter to a layout


def _tiler(mma: cute.TiledMma, depth: int) -> tuple:
    rows, columns, _ = mma.shape_mnk
    return rows, columns, depth


def tmem_operand_a(mma: cute.TiledMma, tmem: cute.Pointer) -> cute.Tensor:
    """A in bf16, two elements of a row to a column: 64 of K in 32 columns from `tmem` on, and the
    other 64 in 32 columns from `tmem + 64` on.
    """
    fragment = mma.make_fragment_A(mma.partition_shape_A((TILE, TILE)))
    (element, tiles, steps), (strides, _, step) = fragment.layout.shape, fragment.layout.stride
    layout = cute.make_layout(
        (element, tiles, (steps // 2, 2)), stride=(strides, 0, (step, 2 * (TILE // 2)))
    )
    return cute.make_tensor(cute.recast_ptr(tmem, dtype=BFloat16), layout)


@cute.jit
def issue(mma: cute.TiledMma, sums: cute.Tensor, a: cute.Tensor, b: cute.Tensor, accumulate):
    """Issues `sums = a b`, or `sums += a b`; a run-time `accumulate` is a predicate.

    By a whole warp, which elects a thread for it.
    """
    mma.set(tcgen05.Field.ACCUMULATE, accumulate)
    for k in cutlass.range_constexpr(cute.size(a, mode=[2])):
        cute.gemm(mma, sums, a[None, None, k], b[None, None, k], sums)
        mma.set(tcgen05.Field.ACCUMULATE, True)


@cute.jit
def commit(barrier: cute.Pointer) -> None:
    """Arrives at `barrier` when all products that this warp has issued are complete."""
    with arch.elect_one():
        tcgen05.commit(barrier)


# Waiting.


def fence_before_sync() -> None:
    """Between this thread's accesses of tensor memory and the arrival that publishes them."""
    tcgen05_fence("before_thread_sync")


def fence_after_sync() -> None:
    """Between a wait and the accesses of tensor memory that it allows."""
    tcgen05_fence("after_thread_sync")


@cute.jit
def wait_tmem(barrier: cute.Pointer, phase: Int32) -> None:
    """Waits until another warp, or a commit, has done with a region of tensor memory."""
    arch.mbarrier_wait(barrier, phase)
    fence_after_sync()


@cute.jit
def arrive(barrier: cute.Pointer) -> None:
    """One arrival of a warp, whose lanes have all come here."""
    arch.sync_warp()
    with arch.elect_one():
        arch.mbarrier_arrive(barrier)


@cute.jit
def arrive_tmem(barrier: cute.Pointer) -> None:
    """The same where lanes have accessed tensor memory, and waited for that."""
    fence_before_sync()
    arrive(barrier)


# Loads and stores of tensor memory, by a warp, of the lanes that belong to it. They are in flight
# until the warp waits for them: `fence_view_async_tmem_load`, `fence_view_async_tmem_store`.


def warp_lanes(tmem: cute.Pointer, warp: Int32) -> cute.Pointer:
    """The address of the lanes of warp `warp`, a number that the compiler knows to be uniform."""
    lanes = WARP * _LANES
    return tmem + cute.assume(warp % 4 * lanes, divby=lanes)


@cute.jit
def load_rows(tmem: cute.Pointer, columns: cutlass.Constexpr[int]) -> cute.Tensor:
    """Issues the load of `columns` values of a lane by each thread; returns FP32 `[columns]`."""
    op = tcgen05.Ld32x32bOp(tcgen05.Repetition(columns))
    return _load(op, tmem, columns)


@cute.jit
def load_fragments(tmem: cute.Pointer, columns: cutlass.Constexpr[int]) -> cute.Tensor:
    """Issues the load of `columns` values of a warp's 32 lanes, as two fragments of 16 lanes.

    Returns FP32 `[4, columns / 8, 2]`, pieces of each fragment in fragment order.
    """
    op = tcgen05.Ld16x256bOp(tcgen05.Repetition(columns // 8))
    values = _load(op, tmem, columns)
    return cute.make_tensor(values.iterator, cute.make_layout((4, columns // 8, 2)))


@cute.jit
def store_rows(tmem: cute.Pointer, words: cute.Tensor) -> None:
    """Issues the store of 32-bit `words` `[columns]` of a lane; see `load_rows`."""
    columns = cute.size(words)
    op = tcgen05.St32x32bOp(tcgen05.Repetition(columns))
    target = _lanes(cute.recast_ptr(tmem, dtype=Int32), columns)
    copy = tcgen05.make_tmem_copy(cute.make_copy_atom(op, Int32), target)
    part = copy.get_slice(0)
    shape = part.partition_S(cute.make_identity_tensor((TILE, columns))).shape
    cute.copy(copy, cute.make_tensor(words.iterator, shape), part.partition_D(target))


def _load(op, tmem: cute.Pointer, columns: int) -> cute.Tensor:
    source = _lanes(tmem, columns)
    copy = tcgen05.make_tmem_copy(cute.make_copy_atom(op, Float32), source)
    part = copy.get_slice(0)
    shape = part.partition_D(cute.make_identity_tensor((TILE, columns))).shape
    values = cute.make_rmem_tensor(shape, Float32)
    cute.copy(copy, part.partition_S(source), values)
    return cute.make_tensor(values.iterator, cute.make_layout(cute.size(values)))


def _lanes(tmem: cute.Pointer, columns: int) -> cute.Tensor:
    """Tensor memory as `[lane, column]`."""
    return cute.make_tensor(tmem, cute.make_layout((TILE, columns), stride=(_LANES, 1)))
