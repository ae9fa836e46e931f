"""A small tcgen05 kernel, the emulator's own test: two chained products, each tile by one CTA.

    S = A Bᵀ,  A and B from shared memory (SS), K in steps of 64 over two stages
    O = bf16(S) W, bf16(S) from tensor memory (TS), for each 128 columns of S by themselves

It has what the attention kernels have: TMA loads, a ring of stages that the MMA's commits empty,
operands of either major, accumulators and an operand in tensor memory, both shapes of its loads.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Float32, Int32, Int64
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync, tcgen05
from cutlass.memory import SmemAllocator
from cutlass.utils import blackwell_helpers

from msa.kernels.device.pipeline import two_stages
from msa.kernels.device.primitives import WARP, name_kernels
from msa.kernels.device.sm100 import TILE, TMEM_COLUMNS, accumulators, commit, issue, tiled_mma
from msa.kernels.device.tiles import View
from msa.kernels.emulation.interface import GEMM

STEP = 64
"""Of K, a stage."""

_STAGES = 2
_STAGE_BYTES = 2 * 2 * TILE * STEP
_WEIGHT_BYTES = 2 * TILE * TILE
_EPILOGUE_WARPS = 4
_LOAD_WARP, _MMA_WARP = 4, 5
_THREADS = 6 * WARP
# Columns of tensor memory: S, O, and bf16(S) two elements a column.
_S, _O, _P = 0, TILE, 2 * TILE


class _Shared(NamedTuple):
    """Shared memory: the operands, their barriers, and where the address in tensor memory is."""

    a: cute.Tensor
    b: cute.Tensor
    w: cute.Tensor
    full: cute.Pointer
    empty: cute.Pointer
    weights_full: cute.Pointer
    s_full: cute.Pointer
    p_full: cute.Pointer
    o_full: cute.Pointer
    tmem: cute.Pointer


@cute.kernel
def gemm_tile(a: View, b: View, w: View, s: cute.Tensor, o: cute.Tensor, num_steps: Int32):
    """Gives each warp its role."""
    shared = _allocate()
    warp = arch.make_warp_uniform(arch.warp_idx())
    if warp == _MMA_WARP:
        arch.alloc_tmem(TMEM_COLUMNS, shared.tmem)
    if arch.thread_idx()[0] == 0:
        for stage in cutlass.range_constexpr(_STAGES):
            arch.mbarrier_init(shared.full + stage, 1)
            arch.mbarrier_init(shared.empty + stage, 1)
        for barrier in (shared.weights_full, shared.s_full, shared.o_full):
            arch.mbarrier_init(barrier, 1)
        arch.mbarrier_init(shared.p_full, _EPILOGUE_WARPS)
    arch.mbarrier_init_fence()
    arch.sync_threads()
    tmem = arch.retrieve_tmem_ptr(Float32, 16, shared.tmem)
    if warp == _LOAD_WARP:
        _load(a, b, w, shared, num_steps)
    elif warp == _MMA_WARP:
        _multiply(shared, tmem, num_steps)
    else:
        _store(shared, tmem, s, o)
    arch.sync_threads()
    if warp == _MMA_WARP:
        arch.relinquish_tmem_alloc_permit()
        arch.dealloc_tmem(tmem, TMEM_COLUMNS)


name_kernels(gemm_tile)


def _allocate() -> _Shared:
    allocator = SmemAllocator()

    def stages(layout):
        return allocator.allocate_tensor(BFloat16, layout.outer, 1024, layout.inner)

    barriers = allocator.allocate_array(Int64, 2 * _STAGES + 4)
    singles = barriers + 2 * _STAGES
    return _Shared(
        a=stages(_a_stages()),
        b=stages(_b_stages()),
        w=stages(_w_stages()),
        full=barriers,
        empty=barriers + _STAGES,
        weights_full=singles,
        s_full=singles + 1,
        p_full=singles + 2,
        o_full=singles + 3,
        tmem=allocator.allocate_array(Int32, 1),
    )


@cute.jit
def _load(a: View, b: View, w: View, shared: _Shared, num_steps: Int32) -> None:
    """The loading warp: W once, A and B step by step."""
    row, column, _ = arch.block_idx()
    a_to, a_from = _partition(a, shared.a, (TILE, STEP))
    b_to, b_from = _partition(b, shared.b, (TILE, STEP))
    w_to, w_from = _partition(w, shared.w, (TILE, TILE))
    with arch.elect_one():
        arch.mbarrier_arrive_and_expect_tx(shared.weights_full, _WEIGHT_BYTES)
    cute.copy(w.atom, w_from[None, 0, 0], w_to[None, 0], tma_bar_ptr=shared.weights_full)
    for step in cutlass.range(num_steps, unroll=1):
        stage, phase = two_stages(step)
        arch.mbarrier_wait(shared.empty + stage, phase ^ 1)
        full = shared.full + stage
        with arch.elect_one():
            arch.mbarrier_arrive_and_expect_tx(full, _STAGE_BYTES)
        cute.copy(a.atom, a_from[None, row, step], a_to[None, stage], tma_bar_ptr=full)
        cute.copy(b.atom, b_from[None, column, step], b_to[None, stage], tma_bar_ptr=full)


@cute.jit
def _multiply(shared: _Shared, tmem: cute.Pointer, num_steps: Int32) -> None:
    """The MMA warp: S over the steps; O when the other warps have rounded S."""
    mma = _s_mma()
    sums = accumulators(mma, tmem + _S)
    a = mma.make_fragment_A(shared.a)
    b = mma.make_fragment_B(shared.b)
    for step in cutlass.range(num_steps, unroll=1):
        stage, phase = two_stages(step)
        arch.mbarrier_wait(shared.full + stage, phase)
        issue(mma, sums, a[None, None, None, stage], b[None, None, None, stage], step > 0)
        commit(shared.empty + stage)
    commit(shared.s_full)

    mma = _o_mma()
    p = _p_operand(mma, tmem)
    w = mma.make_fragment_B(shared.w)
    arch.mbarrier_wait(shared.weights_full, 0)
    arch.mbarrier_wait(shared.p_full, 0)
    issue(mma, accumulators(mma, tmem + _O), p, w[None, None, None, 0], False)
    commit(shared.o_full)


@cute.jit
def _store(shared: _Shared, tmem: cute.Pointer, s: cute.Tensor, o: cute.Tensor) -> None:
    """The other warps: S to memory, bf16(S) to tensor memory, O to memory."""
    thread = arch.thread_idx()[0]
    tile = arch.block_idx()[0], arch.block_idx()[1]
    arch.mbarrier_wait(shared.s_full, 0)
    load = tcgen05.Ld32x32bOp(tcgen05.Repetition(64))
    values, places = _read(load, tmem + _S, s, tile, thread)
    cute.autovec_copy(values, places)

    rounded = cute.make_rmem_tensor(values.shape, BFloat16)
    rounded.store(values.load().to(BFloat16))
    columns = _columns(tmem + _P, TILE // 2)
    atom = cute.make_copy_atom(tcgen05.St32x32bOp(tcgen05.Repetition(64)), Float32)
    copy = tcgen05.make_tmem_copy(atom, columns)
    to = copy.get_slice(thread).partition_D(columns)
    words = cute.make_tensor(
        cute.recast_ptr(rounded.iterator, dtype=Float32),
        copy.get_slice(thread).partition_S(cute.make_identity_tensor((TILE, TILE // 2))).shape,
    )
    cute.copy(copy, words, to)
    arch.fence_view_async_tmem_store()
    arch.sync_warp()
    with arch.elect_one():
        arch.mbarrier_arrive(shared.p_full)

    arch.mbarrier_wait(shared.o_full, 0)
    load = tcgen05.Ld16x256bOp(tcgen05.Repetition(16))
    values, places = _read(load, tmem + _O, o, tile, thread)
    cute.autovec_copy(values, places)


def _read(op, tmem: cute.Pointer, matrix: cute.Tensor, tile, thread: Int32):
    """A thread's values of an accumulator, and where they belong in the tile of `matrix`."""
    columns = _columns(tmem, TILE)
    copy = tcgen05.make_tmem_copy(cute.make_copy_atom(op, Float32), columns)
    part = copy.get_slice(thread)
    places = part.partition_D(cute.local_tile(matrix, (TILE, TILE), tile))
    values = cute.make_rmem_tensor(places.shape, Float32)
    cute.copy(copy, part.partition_S(columns), values)
    arch.fence_view_async_tmem_load()
    return values, places


# Layouts and views.


def _s_mma() -> cute.TiledMma:
    return tiled_mma(OperandMajorMode.MN, OperandMajorMode.K, tcgen05.OperandSource.SMEM)


def _o_mma() -> cute.TiledMma:
    return tiled_mma(OperandMajorMode.K, OperandMajorMode.MN, tcgen05.OperandSource.TMEM)


def _a_stages() -> cute.ComposedLayout:
    return blackwell_helpers.make_smem_layout_a(_s_mma(), (TILE, TILE, STEP), BFloat16, _STAGES)


def _b_stages() -> cute.ComposedLayout:
    return blackwell_helpers.make_smem_layout_b(_s_mma(), (TILE, TILE, STEP), BFloat16, _STAGES)


def _w_stages() -> cute.ComposedLayout:
    return blackwell_helpers.make_smem_layout_b(_o_mma(), (TILE, TILE, TILE), BFloat16, 1)


def _p_operand(mma: cute.TiledMma, tmem: cute.Pointer) -> cute.Tensor:
    """bf16(S), as A of the second product."""
    fragment = mma.make_fragment_A(mma.partition_shape_A((TILE, TILE)))
    return cute.make_tensor(cute.recast_ptr(tmem + _P, dtype=BFloat16), fragment.layout)


def _columns(tmem: cute.Pointer, columns: int) -> cute.Tensor:
    """Tensor memory as `[lane, column]` of 32 bits."""
    return cute.make_tensor(tmem, cute.make_layout((TILE, columns), stride=(1 << 16, 1)))


def _view(make_atom, pointer: cute.Pointer, layout: cute.Layout, stages, tiler, mma) -> View:
    matrix = cute.make_tensor(pointer, layout)
    stage = cute.slice_(stages, (None, None, None, 0))
    load = cpasync.CopyBulkTensorTileG2SOp()
    return View(*make_atom(load, matrix, stage, tiler, mma))


def _partition(view: View, stages: cute.Tensor, tile):
    """The sides of an operand's copy: `[box, stage]` in shared memory, `[box, row, step]`."""
    boxes = cute.group_modes(cute.flat_divide(view.tensor, tile), 0, 2)
    near = cute.group_modes(stages, 0, 3)
    return cpasync.tma_partition(view.atom, 0, cute.make_layout(1), near, boxes)


SIGNATURE = GEMM


@cute.jit
def launch(
    a: cute.Pointer,
    b: cute.Pointer,
    w: cute.Pointer,
    s: cute.Pointer,
    o: cute.Pointer,
    rows: Int32,
    columns: Int32,
    depth: Int32,
    stream: cuda.CUstream,
):
    """Computes S and O.

    Args:
        a: bf16 `[depth, rows]`, A transposed.
        b: bf16 `[columns, depth]`.
        w: bf16 `[128, 128]`.
        s, o: FP32 `[rows, columns]`, S and O.
        rows, columns: multiples of 128.
        depth: a multiple of 64, of at least 64.
    """
    tiler = (TILE, TILE, STEP)
    a_view = _view(
        cute.nvgpu.make_tiled_tma_atom_A,
        a,
        cute.make_layout((rows, depth), stride=(1, rows)),
        _a_stages(),
        tiler,
        _s_mma(),
    )
    b_view = _view(
        cute.nvgpu.make_tiled_tma_atom_B,
        b,
        cute.make_layout((columns, depth), stride=(depth, 1)),
        _b_stages(),
        tiler,
        _s_mma(),
    )
    w_view = _view(
        cute.nvgpu.make_tiled_tma_atom_B,
        w,
        cute.make_layout((TILE, TILE), stride=(1, TILE)),
        _w_stages(),
        (TILE, TILE, TILE),
        _o_mma(),
    )
    results = cute.make_layout((rows, columns), stride=(columns, 1))
    gemm_tile(
        a_view,
        b_view,
        w_view,
        cute.make_tensor(s, results),
        cute.make_tensor(o, results),
        depth // STEP,
    ).launch(grid=[rows // TILE, columns // TILE, 1], block=[_THREADS, 1, 1], stream=stream)
