"""The modes of the attention forward on Hopper, and the parts of a tile that they are made of."""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64
from cutlass.cute import arch
from cutlass.cute.nvgpu import OperandMajorMode, cpasync
from cutlass.cute.nvgpu.warp import StMatrix8x8x16bOp
from cutlass.cute.nvgpu.warpgroup import OperandSource

from msa.kernels.attention.forward import (
    FAST,
    FEW_KEYS,
    FIXED,
    LARGEST_SUMMAND,
    MAX,
    SUM,
    Operands,
    drop_unflagged,
    fixed_scale,
    mark_nan,
    maximum,
    read_reference,
    reduce_into,
    select,
)
from msa.kernels.attention.forward_sm90_memory import (
    QUAD_BYTES,
    SLOT_BYTES,
    STAGES,
    Shared,
    group_queries,
    group_slots,
)
from msa.kernels.attention.interface import BOUND_FIELDS, SUM_ONE
from msa.kernels.device.instructions import bulk_add, floor, nearest, ordered_bits
from msa.kernels.device.primitives import WARP, vector
from msa.kernels.device.sm90 import (
    WARPGROUP_WARPS,
    partition_slots,
    reduce_columns,
    reduce_lanes,
    slots_view,
    tiled_mma,
)
from msa.kernels.device.tiles import SCALE_LOG2, View
from msa.kernels.schedule.interface import QUAD_SLOTS
from msa.schedule.topology import GROUP_HEADS, HEAD_DIM

_POOL_BYTES = 2 * SLOT_BYTES


class Slot(NamedTuple):
    """A warp's slot of a quad in a stage.

    Attributes:
        group, stage, warp: of the slot.
        target, last_key: see `slot_target`.
        row: the row of `[T, 16 G]` whose results this lane has once a thread's two rows are
            reduced over the lanes that share them.
        has_row: whether this lane is to add them to memory: one lane of each row that there is.
    """

    group: Int32
    stage: Int32
    warp: Int32
    target: Int32
    last_key: Int32
    row: Int64
    has_row: Boolean


class Parameters(NamedTuple):
    """Of a thread's two rows: what scores are relative to, and in FIXED the scales of O."""

    references: tuple[Float32, Float32]
    scales: tuple[Float32, Float32]


class Mode:
    """What the kernel asks of a mode, and what most of them answer; see forward.py.

    A loader calls `clear_adds`, `pool_half`, `admit`, `record_add`, `add_stage` and `wait_adds`. A
    consumer calls, for each quad, `load_parameters` and

        step(scores, slot, parameters)
            Leaves weights in the place of the masked scores, where there is a product with V.
            Returns results of a thread's two rows, which `combine` joins over the lanes of a row,
            and the parameters.
        epilogue(pool, operands, shared, slot, out, result, parameters)
            With values only: puts O in the place of the queries, or adds it; returns the result.
        reduce_row(operands, slot, result)
            Adds the result of a row to memory.
    """

    has_values = False
    """Whether there is a product with V."""

    def pool_view(self, operands: Operands) -> View | None:
        """The pool, for the loader's adds."""
        return None

    def pool_half(self, kblock: Int32) -> Int32:
        """The half of the pool that a key block adds to."""
        return Int32(0)

    def admit(self, operands: Operands, token: Int32, head: Int32) -> Int32:
        """The token of a slot, or -1 if the pass leaves it out."""
        return drop_unflagged(operands, token, head)

    def clear_adds(self, shared: Shared, group: Int32) -> None:
        """Nothing is to be added before the first quads."""

    def record_add(self, operands, shared, group, stage, target, half) -> None:
        """Keeps where the O of a lane's slot is to be added, once the consumers have written it."""

    def add_stage(self, pool: View | None, shared: Shared, group: Int32, stage: Int32) -> None:
        """Adds what the consumers left in a stage, and waits until it has been read."""

    def wait_adds(self) -> None:
        """Waits until all that was added has arrived."""

    def load_parameters(self, operands: Operands, row: Int64) -> Parameters:
        """Starts to load what a thread's two rows need, `row` and `row + 8`.

        The latency passes under the product.
        """
        return Parameters((Float32(0), Float32(0)), (Float32(0), Float32(0)))

    @staticmethod
    def combine(a: Float32, b: Float32) -> Float32:
        """Combines the results of a row's columns."""
        return a + b


class _Fast(Mode):
    """Weights without a reference; O and their sums are added as floats."""

    has_values = True

    def pool_view(self, operands: Operands) -> View:
        add = cpasync.CopyReduceBulkTensorTileS2GOp()
        return slots_view(add, operands.pool, operands.num_pools * 2)

    def pool_half(self, kblock: Int32) -> Int32:
        return Int32(arch.popc(kblock)) & 1

    def admit(self, operands: Operands, token: Int32, head: Int32) -> Int32:
        return token

    @cute.jit
    def clear_adds(self, shared: Shared, group: Int32) -> None:
        lane = arch.lane_idx()
        if lane < QUAD_SLOTS:
            for stage in cutlass.range_constexpr(STAGES):
                shared.adds[lane, stage, group] = -1
        arch.sync_warp()

    def record_add(self, operands, shared, group, stage, target, half) -> None:
        to = operands.pool_row(target) * 2 + half
        shared.adds[arch.lane_idx(), stage, group] = cutlass.select_(target < 0, -1, to)

    @cute.jit
    def add_stage(self, pool: View, shared: Shared, group: Int32, stage: Int32) -> None:
        boxes = partition_slots(pool, group_slots(shared.queries, group))
        for i in cutlass.range_constexpr(QUAD_SLOTS):
            to = shared.adds[i, stage, group]
            if to >= 0:
                cute.copy(boxes.atom, boxes.shared[None, i, stage], boxes.memory[None, to])
        arch.cp_async_bulk_commit_group()
        arch.cp_async_bulk_wait_group(0, read=True)
        arch.sync_warp()

    def wait_adds(self) -> None:
        arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def step(self, scores: cute.Tensor, slot: Slot, parameters: Parameters) -> tuple:
        """Leaves weights, relative to a fraction of a power of two where keys are few."""
        exponents = parameters.references
        if slot.last_key < FEW_KEYS:
            exponents = _fractions(scores)
        _exponentiate(scores, exponents)
        return reduce_columns(scores, self.combine), Parameters(exponents, parameters.scales)

    @cute.jit
    def epilogue(
        self,
        pool: View,
        operands: Operands,
        shared: Shared,
        slot: Slot,
        out: cute.Tensor,
        total: Float32,
        parameters: Parameters,
    ) -> Float32:
        """Puts O in bf16 where the queries were; returns the sum of weights.

        Where keys are few, also adds what rounding leaves.
        """
        if slot.last_key < FEW_KEYS and slot.target >= 0:
            factors = [cute.math.exp2(x, fastmath=True) for x in parameters.references]
            _scale_rows(out, factors)
            total = total * select(arch.lane_idx() % 2 == 1, factors[1], factors[0])
            to = operands.pool_row(slot.target) * 2 + (~slot.target & 1)
            _add_residual(pool, shared, slot, to, out)
        _stage_out(shared, slot, to_bf16(out, out.shape))
        return total

    @cute.jit
    def reduce_row(self, operands: Operands, slot: Slot, total: Float32) -> None:
        """Adds a row's sum of weights."""
        if slot.has_row:
            reduce_into(operands.sums + slot.row, total, Float32, "add")


class _Max(Mode):
    """Raises the references to the largest scores."""

    combine = staticmethod(maximum)

    def step(self, scores: cute.Tensor, slot: Slot, parameters: Parameters) -> tuple:
        """Finds the largest scores."""
        return reduce_columns(scores, maximum), parameters

    @cute.jit
    def reduce_row(self, operands: Operands, slot: Slot, top: Float32) -> None:
        """Raises a row's reference."""
        if slot.has_row:
            bits = ordered_bits(top.bitcast(Int32))
            reduce_into(operands.references + slot.row, bits, Int32, "max")


class _Sum(Mode):
    """Adds the sums of weights below the references, as integers."""

    def load_parameters(self, operands: Operands, row: Int64) -> Parameters:
        # An empty slot may take any row's.
        references = _load_references(operands, cutlass.max(row, Int64(0)))
        return Parameters(references, (Float32(0), Float32(0)))

    def step(self, scores: cute.Tensor, slot: Slot, parameters: Parameters) -> tuple:
        """Leaves weights relative to the references."""
        _exponentiate_below(scores, parameters.references)
        return reduce_columns(scores, self.combine), parameters

    @cute.jit
    def reduce_row(self, operands: Operands, slot: Slot, total: Float32) -> None:
        """Adds a row's sum of weights."""
        if slot.has_row:
            units = nearest(total * SUM_ONE, Int32)
            reduce_into(operands.sums + slot.row, units, Int32, "add")


class _Fixed(_Sum):
    """Adds O as integers, with the references and sums that MAX and SUM left."""

    has_values = True

    def load_parameters(self, operands: Operands, row: Int64) -> Parameters:
        at = cutlass.max(row, Int64(0))
        references = _load_references(operands, at)
        # Weights are relative to the largest, as in SUM: that one is exact.
        bound = vector(operands.bounds + at // GROUP_HEADS * BOUND_FIELDS)[0]
        sums = vector(cute.recast_ptr(operands.sums, dtype=Int32) + at)
        return Parameters(references, tuple(fixed_scale(bound, sums[i]) for i in (0, 8)))

    @cute.jit
    def epilogue(
        self,
        pool: View | None,
        operands: Operands,
        shared: Shared,
        slot: Slot,
        out: cute.Tensor,
        total: Float32,
        parameters: Parameters,
    ) -> Float32:
        """Adds O, and marks rows that met a value that is not finite."""
        scales = parameters.scales
        _add_integers(operands, shared, slot, out, scales)
        peak = reduce_lanes(reduce_columns(out, _max_magnitude), _max_magnitude)
        scale = select(arch.lane_idx() % 2 == 1, scales[1], scales[0])
        if slot.target >= 0 and not (peak * scale <= LARGEST_SUMMAND):
            mark_nan(operands.sums + slot.row)
        return total

    def reduce_row(self, operands: Operands, slot: Slot, total: Float32) -> None:
        """Nothing: the sums of weights are those of SUM."""


MODES = {FAST: _Fast(), MAX: _Max(), SUM: _Sum(), FIXED: _Fixed()}


def _load_references(operands: Operands, row: Int64) -> tuple[Float32, Float32]:
    numbers = vector(operands.references + row)
    return tuple(read_reference(numbers[i]) for i in (0, 8))


# The parts.


def pv_mma() -> cute.TiledMma:
    """O = P V, with P from registers."""
    return tiled_mma(HEAD_DIM, OperandMajorMode.K, OperandMajorMode.MN, OperandSource.RMEM)


def _exponentiate(scores: cute.Tensor, exponents) -> None:
    """P = exp2(S * scale - exponent) in place, with the exponents of a thread's two rows."""
    for i in range(cute.size(scores)):
        exponent = scores[i] * SCALE_LOG2 - exponents[i // 2 % 2]
        scores[i] = cute.math.exp2(exponent, fastmath=True)


def _exponentiate_below(scores: cute.Tensor, references) -> None:
    """P = exp2((S - reference) * scale) in place: exactly 1 where they are equal."""
    for i in range(cute.size(scores)):
        exponent = (scores[i] - references[i // 2 % 2]) * SCALE_LOG2
        scores[i] = cute.math.exp2(exponent, fastmath=True)


@cute.jit
def _fractions(scores: cute.Tensor) -> tuple[Float32, Float32]:
    """What of the two rows' largest scores, as exponents of two, is not whole."""
    fractions = []
    for top in reduce_columns(scores, maximum):
        for offset in (1, 2):
            top = maximum(top, arch.shuffle_sync_bfly(top, offset=offset))
        top = top * SCALE_LOG2
        fractions.append(top - floor(top))
    return tuple(fractions)


def _scale_rows(values: cute.Tensor, factors) -> None:
    for i in range(cute.size(values)):
        values[i] = values[i] * factors[i // 2 % 2]


def to_bf16(values: cute.Tensor, shape) -> cute.Tensor:
    """The same values in bf16 and the same order, in another shape."""
    rounded = cute.make_rmem_tensor(shape, BFloat16)
    line = cute.make_layout(cute.size(values))
    values = cute.make_tensor(values.iterator, line)
    cute.make_tensor(rounded.iterator, line).store(values.load().to(BFloat16))
    return rounded


def _max_magnitude(a: Float32, b: Float32) -> Float32:
    """The greater of two magnitudes, or NaN if one is."""
    return maximum(maximum(a, -a), maximum(b, -b))


def _stage_out(shared: Shared, slot: Slot, out: cute.Tensor) -> None:
    """Writes O, rounded to bf16, over the slot's queries, for TMA to add.

    By stmatrix: 16-byte stores from registers to the pool held up the next tile (3.78 ms, not
    3.55).
    """
    atom = cute.make_copy_atom(StMatrix8x8x16bOp(False, 4), BFloat16)
    copy = cute.make_tiled_copy_C(atom, pv_mma())
    thread = arch.thread_idx()[0] % (WARPGROUP_WARPS * WARP)
    quads = copy.get_slice(thread).partition_D(group_queries(shared.queries, slot.group))
    cute.copy(copy, copy.retile(out), quads[None, None, None, slot.stage])
    arch.fence_view_async_shared()


@cute.jit
def _add_residual(pool: View, shared: Shared, slot: Slot, to: Int32, out: cute.Tensor) -> None:
    """Adds what rounding takes from a warp's O to the half pool `to`, not that of the rest."""
    rounded = to_bf16(out, out.shape)
    residual = cute.make_rmem_tensor(out.shape, BFloat16)
    residual.store((out.load() - rounded.load().to(Float32)).to(BFloat16))
    _stage_out(shared, slot, residual)
    arch.sync_warp()
    boxes = partition_slots(pool, group_slots(shared.queries, slot.group))
    cute.copy(boxes.atom, boxes.shared[None, slot.warp, slot.stage], boxes.memory[None, to])
    arch.cp_async_bulk_commit_group()
    arch.cp_async_bulk_wait_group(0, read=True)
    arch.sync_warp()


@cute.jit
def _add_integers(
    operands: Operands,
    shared: Shared,
    slot: Slot,
    out: cute.Tensor,
    scales: tuple[Float32, Float32],
) -> None:
    """Adds a warp's O as integers, in fragment order: 8 KB, in two halves through its slot's 4."""
    lane = arch.lane_idx()
    stage = slot.group * STAGES + slot.stage
    address = shared.queries.iterator.toint() + stage * QUAD_BYTES + slot.warp * SLOT_BYTES
    pool = operands.pool.toint() + Int64(operands.pool_row(slot.target)) * _POOL_BYTES
    pieces = cute.make_tensor(
        cute.make_ptr(Int32, address, cute.AddressSpace.smem, assumed_align=16),
        cute.make_layout((4, WARP, SLOT_BYTES // (16 * WARP))),
    )
    for half in cutlass.range_constexpr(2):
        for i in cutlass.range_constexpr(cute.size(pieces, mode=[2])):
            piece = cute.make_rmem_tensor(4, Int32)
            for j in cutlass.range_constexpr(4):
                piece[j] = nearest(out[half * 32 + i * 4 + j] * scales[j // 2], Int32)
            cute.autovec_copy(piece, pieces[None, lane, i])
        arch.fence_view_async_shared()
        arch.sync_warp()
        if slot.target >= 0 and lane == 0:
            bulk_add("s32", pool + half * SLOT_BYTES, address, SLOT_BYTES)
        arch.cp_async_bulk_commit_group()
        arch.cp_async_bulk_wait_group(0, read=True)
        arch.sync_warp()
