"""The modes of the attention forward on Blackwell, and the parts of a tile that they consist of."""

from typing import NamedTuple

import cutlass
import cutlass.cute as cute
from cutlass import BFloat16, Boolean, Float32, Int32, Int64, const_expr
from cutlass.cute import arch
from cutlass.cute.nvgpu import cpasync

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
from msa.kernels.attention.forward_sm100_memory import (
    CHUNK,
    GROUPS,
    PART_BYTES,
    SLOT_PART_BYTES,
    STAGES,
    Shared,
    part_boxes,
)
from msa.kernels.attention.interface import BOUND_FIELDS, SUM_ONE
from msa.kernels.device.instructions import (
    bulk_add,
    floor,
    nearest,
    ordered_bits,
    ptx,
    store_shared,
)
from msa.kernels.device.pipeline import two_stages
from msa.kernels.device.primitives import WARP, vector
from msa.kernels.device.sm100 import TILE, arrive, arrive_tmem, load_fragments, load_rows, wait_tmem
from msa.kernels.device.tiles import SCALE_LOG2, SPAN, Boxes, View, partition_boxes, queries_view
from msa.schedule.topology import GROUP_HEADS, HEAD_DIM

_POOL_BYTES = 4 * GROUP_HEADS * HEAD_DIM


class Row(NamedTuple):
    """A thread's row of a tile.

    Attributes:
        group: the warpgroup.
        tile: of the CTA.
        target, last_key: of its slot, see `slot_target`.
        number: the row of `[T, 16 G]`.
        out: its O, in tensor memory.
    """

    group: Int32
    tile: Int32
    target: Int32
    last_key: Int32
    number: Int64
    out: cute.Pointer


class Mode:
    """What the kernel asks of a mode, and what most of them answer; see forward.py.

    A warpgroup calls, for each tile and a row to a thread, `load_parameters`, then for each chunk
    of scores

        step(values, reference, result)
            Joins the scores of a chunk, masked, to the row's result, and leaves weights in their
            place where there is a product with V. Returns the result.

    and in the end

        epilogue(operands, shared, row, result, reference, scale)
            Adds the result of the row to memory and, with values, hands O to the adding warp.
    """

    has_values = False
    """Whether there is a product with V."""
    start = 0.0
    """The result of no scores."""
    parts = 2
    """In how many parts the output of a tile leaves."""

    def pool_view(self, operands: Operands) -> View | None:
        """The pool, for the adding warp."""
        return None

    def pool_half(self, kblock: Int32) -> Int32:
        """The half of the pool that a key block adds to."""
        return Int32(0)

    def admit(self, operands: Operands, token: Int32, head: Int32) -> Int32:
        """The token of a slot, or -1 if the pass leaves it out."""
        return drop_unflagged(operands, token, head)

    def part_copies(self, pool: View | None, shared: Shared) -> Boxes | None:
        """The adding warp's copies of the parts."""
        return None

    def load_parameters(self, operands: Operands, row: Int64) -> tuple[Float32, Float32]:
        """Starts to load what a row's scores are relative to, and in FIXED the scale of O.

        The latency passes under the product.
        """
        return Float32(0), Float32(0)

    def few_keys_reference(
        self, values: cute.Tensor, last_key: Int32, reference: Float32
    ) -> Float32:
        """The reference of a row of which the first chunk, masked, may hold all keys."""
        return reference


class _Fast(Mode):
    """Weights without a reference; O and their sums are added as floats."""

    has_values = True

    def pool_view(self, operands: Operands) -> View:
        add = cpasync.CopyReduceBulkTensorTileS2GOp()
        return queries_view(add, operands.pool, operands.num_pools * 2)  # of two halves

    def pool_half(self, kblock: Int32) -> Int32:
        return Int32(arch.popc(kblock)) & 1

    def admit(self, operands: Operands, token: Int32, head: Int32) -> Int32:
        return token

    def part_copies(self, pool: View, shared: Shared) -> Boxes:
        return partition_boxes(pool, (GROUP_HEADS, SPAN), shared.out, part_boxes())

    def add_part(self, boxes, operands, shared, row, target, slot: int, part: int) -> None:
        """Adds a slot's part of a tile to a row of the pool."""
        source = boxes.shared[None, slot, part % STAGES]
        to = boxes.memory[None, row * 2 + (target & 1), part]
        cute.copy(boxes.atom, source, to)

    def few_keys_reference(
        self, values: cute.Tensor, last_key: Int32, reference: Float32
    ) -> Float32:
        fraction = _fraction(_reduce(values, maximum))
        return select(last_key < FEW_KEYS, fraction, reference)

    def step(self, values: cute.Tensor, reference: Float32, result: Float32) -> Float32:
        """The reference is an exponent of two."""
        _exponentiate(values, reference)
        return result + _sum(values)

    @cute.jit
    def epilogue(
        self,
        operands: Operands,
        shared: Shared,
        row: Row,
        result: Float32,
        reference: Float32,
        scale: Float32,
    ) -> None:
        _, phase = two_stages(row.tile)
        factor = cute.math.exp2(reference, fastmath=True)
        if row.target >= 0:
            reduce_into(operands.sums + row.number, result * factor, Float32, "add")
        wait_tmem(shared.barriers.sums_full + row.group, phase)
        if arch.vote_any_sync(row.last_key < FEW_KEYS):
            _add_residual(operands, row.out, row.target, row.last_key < FEW_KEYS, factor)
        self.round_out(shared, row.out, row.group, row.tile, factor)

    @cute.jit
    def round_out(
        self, shared: Shared, sums: cute.Pointer, group: Int32, tile: Int32, factor: Float32
    ) -> None:
        """Leaves a row of O times a factor in bf16 for TMA to add, in swizzled rows."""
        row = arch.thread_idx()[0] % TILE
        out = load_rows(sums, SPAN)
        for part in cutlass.range_constexpr(self.parts):
            arch.fence_view_async_tmem_load()
            words = to_bf16(_scaled(out, factor))
            if const_expr(part + 1 < self.parts):
                out = load_rows(sums + (part + 1) * SPAN, SPAN)
            else:
                arrive_tmem(shared.barriers.sums_empty + group)
            address = wait_turn(shared, part, tile, group, self.parts)
            address += row * (2 * SPAN) + row % 8 * 16
            for i in cutlass.range_constexpr(SPAN // 8):
                store_shared(address ^ (16 * i), [words[4 * i + j] for j in range(4)])
            arch.fence_view_async_shared()
            arrive(shared.barriers.part_full + part % STAGES)


class _Max(Mode):
    """The largest score of each row."""

    start = -Float32.inf

    def step(self, values: cute.Tensor, reference: Float32, result: Float32) -> Float32:
        return maximum(result, _reduce(values, maximum))

    @cute.jit
    def epilogue(
        self,
        operands: Operands,
        shared: Shared,
        row: Row,
        result: Float32,
        reference: Float32,
        scale: Float32,
    ) -> None:
        if row.target >= 0:
            top = ordered_bits(result.bitcast(Int32))
            reduce_into(operands.references + row.number, top, Int32, "max")


class _BelowReference(Mode):
    """Weights below the row's largest score, which MAX has found; that one is exactly 1."""

    def load_parameters(self, operands: Operands, row: Int64) -> tuple[Float32, Float32]:
        # An empty slot may take any row's.
        at = cutlass.max(row, Int64(0))
        return read_reference(vector(operands.references + at)[0]), Float32(0)

    def step(self, values: cute.Tensor, reference: Float32, result: Float32) -> Float32:
        """The reference is a score."""
        _exponentiate_below(values, reference)
        return result + _sum(values)


class _Sum(_BelowReference):
    """The sum of these weights, as an integer."""

    @cute.jit
    def epilogue(
        self,
        operands: Operands,
        shared: Shared,
        row: Row,
        result: Float32,
        reference: Float32,
        scale: Float32,
    ) -> None:
        if row.target >= 0:
            total = nearest(result * SUM_ONE, Int32)
            reduce_into(operands.sums + row.number, total, Int32, "add")


class _Fixed(_BelowReference):
    """O of these weights, divided by their sum, is added as integers."""

    has_values = True
    parts = 4

    def add_part(self, boxes, operands, shared, row, target, slot: int, part: int) -> None:
        """Adds a slot's part of a tile to a row of the pool."""
        source = shared.out.toint() + part % STAGES * PART_BYTES + slot * SLOT_PART_BYTES
        pool = operands.pool.toint() + Int64(row) * _POOL_BYTES + part * SLOT_PART_BYTES
        with arch.elect_one():
            bulk_add("s32", pool, source, SLOT_PART_BYTES)

    def load_parameters(self, operands: Operands, row: Int64) -> tuple[Float32, Float32]:
        at = cutlass.max(row, Int64(0))
        reference = read_reference(vector(operands.references + at)[0])
        bound = vector(operands.bounds + at // GROUP_HEADS * BOUND_FIELDS)[0]
        total = vector(cute.recast_ptr(operands.sums, dtype=Int32) + at)[0]
        return reference, fixed_scale(bound, total)

    @cute.jit
    def epilogue(
        self,
        operands: Operands,
        shared: Shared,
        row: Row,
        result: Float32,
        reference: Float32,
        scale: Float32,
    ) -> None:
        _, phase = two_stages(row.tile)
        wait_tmem(shared.barriers.sums_full + row.group, phase)
        self.scale_out(operands, shared, row.out, row.group, row.tile, row.target, scale)

    @cute.jit
    def scale_out(
        self,
        operands: Operands,
        shared: Shared,
        sums: cute.Pointer,
        group: Int32,
        tile: Int32,
        target: Int32,
        scale: Float32,
    ) -> None:
        """Leaves O as integers, in fragment order.

        A lane has rows `lane // 4` and 8 more of either slot of its warp.
        """
        lane = arch.lane_idx()
        slot = arch.thread_idx()[0] % TILE // WARP * 2
        channels = HEAD_DIM // self.parts
        scales = [
            [arch.shuffle_sync(scale, GROUP_HEADS * i + 8 * j + lane // 4) for j in range(2)]
            for i in range(2)
        ]
        peaks = cute.make_rmem_tensor((2, 2), Float32)
        peaks.fill(0.0)
        out = load_fragments(sums, channels)
        for part in cutlass.range_constexpr(self.parts):
            arch.fence_view_async_tmem_load()
            values = out
            if const_expr(part + 1 < self.parts):
                out = load_fragments(sums + (part + 1) * channels, channels)
            else:
                arrive_tmem(shared.barriers.sums_empty + group)
            address = wait_turn(shared, part, tile, group, self.parts)
            address += slot * SLOT_PART_BYTES + lane * 16
            for i in cutlass.range_constexpr(2):
                for piece in cutlass.range_constexpr(channels // 8):
                    terms = []
                    for j in cutlass.range_constexpr(4):
                        value = values[j, piece, i]
                        peaks[j // 2, i] = _max_magnitude(peaks[j // 2, i], value)
                        terms.append(nearest(value * scales[i][j // 2], Int32))
                    offset = i * SLOT_PART_BYTES + piece * (16 * WARP)
                    store_shared(address + offset, terms)
            arch.fence_view_async_shared()
            arrive(shared.barriers.part_full + part % STAGES)
        for i in cutlass.range_constexpr(2):
            slot_target = arch.shuffle_sync(target, GROUP_HEADS * i)
            for j in cutlass.range_constexpr(2):
                peak = peaks[j, i]
                for offset in cutlass.range_constexpr(1, 3):
                    peak = maximum(peak, arch.shuffle_sync_bfly(peak, offset=offset))
                is_fine = peak * scales[i][j] <= LARGEST_SUMMAND
                if lane % 4 == 0 and slot_target >= 0 and not is_fine:
                    row = Int64(slot_target >> 1) * GROUP_HEADS + 8 * j + lane // 4
                    mark_nan(operands.sums + row)


MODES = {FAST: _Fast(), MAX: _Max(), SUM: _Sum(), FIXED: _Fixed()}


# Turns of the output's stages.


@cute.jit
def wait_turn(
    shared: Shared,
    part: cutlass.Constexpr[int],
    tile: Int32,
    group: Int32,
    parts: cutlass.Constexpr[int],
) -> Int32:
    """Waits for a part's stage, which is returned as an address.

    Each warpgroup has barriers of its own for its turns: with one for both, a warpgroup could
    take the end of the turn before the last for that of the last. The first turn is given.
    """
    stage = part % STAGES
    turn = tile // GROUPS * (parts // STAGES) + part // STAGES
    arch.mbarrier_wait(shared.barriers.part_turn + stage * GROUPS + group, (turn + group + 1) & 1)
    return shared.out.toint() + stage * PART_BYTES


# The parts of a tile, a row to a thread.


@cute.jit
def mask(scores: cute.Tensor, last_key: Int32) -> None:
    """Selects, so that nothing past the last visible key counts, be it NaN."""
    for i in cutlass.range_constexpr(cute.size(scores)):
        scores[i] = cutlass.select_(i > last_key, -Float32.inf, scores[i])


def _exponentiate(scores: cute.Tensor, exponent: Float32) -> None:
    """P = exp2(S * scale - exponent) in place."""
    scale = Float32(SCALE_LOG2)
    for i in range(0, cute.size(scores), 2):
        pair = (scores[i], scores[i + 1])
        pair = arch.fma_packed_f32x2(pair, (scale, scale), (-exponent, -exponent))
        for j in range(2):
            scores[i + j] = cute.math.exp2(pair[j], fastmath=True)


def _exponentiate_below(scores: cute.Tensor, reference: Float32) -> None:
    """P = exp2((S - reference) * scale) in place: exactly 1 where they are equal."""
    scale = Float32(SCALE_LOG2)
    for i in range(0, cute.size(scores), 2):
        pair = (scores[i], scores[i + 1])
        pair = arch.add_packed_f32x2(pair, (-reference, -reference))
        pair = arch.mul_packed_f32x2(pair, (scale, scale))
        for j in range(2):
            scores[i + j] = cute.math.exp2(pair[j], fastmath=True)


def _reduce(values: cute.Tensor, combine) -> Float32:
    """Reduces in four chains, which do not wait for each other."""
    chains = [values[i] for i in range(4)]
    for i in range(4, cute.size(values)):
        chains[i % 4] = combine(chains[i % 4], values[i])
    return combine(combine(chains[0], chains[1]), combine(chains[2], chains[3]))


def _scaled(values: cute.Tensor, factor: Float32) -> cute.Tensor:
    scaled = cute.make_rmem_tensor(values.shape, Float32)
    for i in range(0, cute.size(values), 2):
        pair = arch.mul_packed_f32x2((values[i], values[i + 1]), (factor, factor))
        scaled[i], scaled[i + 1] = pair
    return scaled


def _sum(values: cute.Tensor) -> Float32:
    """The sum, in pairs as the hardware adds them."""
    pairs = [(values[i], values[i + 1]) for i in range(0, cute.size(values), 2)]
    chains = pairs[:2]
    for i, pair in enumerate(pairs[2:]):
        chains[i % 2] = arch.add_packed_f32x2(chains[i % 2], pair)
    even, odd = arch.add_packed_f32x2(*chains)
    return even + odd


def _fraction(score: Float32) -> Float32:
    """What of a score, as an exponent of two, is not whole."""
    exponent = score * SCALE_LOG2
    return exponent - floor(exponent)


def to_bf16(values: cute.Tensor) -> cute.Tensor:
    """The values in bf16, two to a word."""
    rounded = cute.make_rmem_tensor(values.shape, BFloat16)
    rounded.store(values.load().to(BFloat16))
    return cute.recast_tensor(rounded, Int32)


def _max_magnitude(a: Float32, b: Float32) -> Float32:
    """The greater of a magnitude and that of a value, or NaN if one is."""
    return maximum(a, maximum(b, -b))


# Memory.


@cute.jit
def _add_residual(
    operands: Operands, sums: cute.Pointer, target: Int32, has_few: Boolean, factor: Float32
) -> None:
    """Adds what rounding takes from a row of O to the half of the pool that the rest is not for.

    So few rows have it that they need not be staged for TMA.
    """
    head = arch.lane_idx() % GROUP_HEADS
    half = operands.pool_row(target) * 2 + (~target & 1)
    row = operands.pool.toint() + (Int64(half) * GROUP_HEADS + head) * (2 * HEAD_DIM)
    for part in cutlass.range(HEAD_DIM // CHUNK, unroll=1):
        out = load_rows(sums + part * CHUNK, CHUNK)
        arch.fence_view_async_tmem_load()
        if has_few and target >= 0:
            out = _scaled(out, factor)
            rounded = cute.make_rmem_tensor(out.shape, BFloat16)
            rounded.store(out.load().to(BFloat16))
            out.store(out.load() - rounded.load().to(Float32))
            words = to_bf16(out)
            for i in cutlass.range_constexpr(CHUNK // 8):
                ptx(
                    "red.relaxed.gpu.global.add.noftz.v4.bf16x2 "
                    "[{$r0}], {{$r1}, {$r2}, {$r3}, {$r4}};",
                    None,
                    row + (part * (2 * CHUNK) + 16 * i),
                    *(words[4 * i + j] for j in range(4)),
                )
