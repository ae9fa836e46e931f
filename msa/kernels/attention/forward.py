"""What the attention forwards of all architectures have in common.

Key-outer. An *item* is a run of tiles, queries of 16 heads each, that meet one block of 128 keys of
one KV head (below just head). For any reference `r` that all tiles of a row share,
`sum(exp(s - r) v) / sum(exp(s - r))` is the exact softmax, so that tiles only add: into a pool of
8 KB for each (token, head), and into a sum for each row. Another kernel divides. What is added, and
against which reference, is the mode:

- `FAST`: reference 0; adds in bf16 to one of two pools, and in FP32 to the sums. Both have 8 bits
  of exponent, so that accuracy does not depend on the reference until something leaves their range,
  and then the kernel that divides sees it. The order of the adds is free.
- `MAX`: nothing of V, only the maximum of each row's scores, not scaled, into `references`. Scores
  minus that are exact where they matter, however large they are.
- `SUM`: likewise only each row's sum of weights, below that maximum. It is an integer, as in what
  follows: integers add up to the same in any order.
- `FIXED`: the same weights, and integers as summands that are divided by that sum. Behind `MAX`
  and `SUM` this is the deterministic forward, and a second pass over rows that left the range.

The pool of a (token, head) begins at byte `8192 * ((head - first_head) * T + token)`: a launch over
the items of some heads needs no others. FAST: bf16 `[2, 16, 128]`, of which an item adds to the
half `popcount(kblock) % 2`. FIXED: int32 in *fragment order*, the 16 bytes
`32 * i + lane` holding channels `8 * i + 2 * (lane % 4) + {0, 1}` of query head `lane // 4`, then
those of query head `lane // 4 + 8`; the bound of V is `FIXED_ONE` there. A row that meets a value
of V that is not finite gets `NAN_OUT` into its sum of weights.
"""

from typing import NamedTuple

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute import arch

from msa.kernels.attention.interface import (
    FIXED_ONE,
    FORWARD_FAST,
    FORWARD_FIXED,
    FORWARD_MAX,
    FORWARD_SUM,
    NAN_OUT,
    SUM_ONE,
    V_BOUND_FLOOR,
)
from msa.kernels.device.instructions import ordered_bits
from msa.kernels.device.primitives import split_groups, vector
from msa.kernels.schedule.interface import ITEM_FIELDS
from msa.schedule.topology import BLOCK_SIZE

FAST, MAX, SUM, FIXED = FORWARD_FAST, FORWARD_MAX, FORWARD_SUM, FORWARD_FIXED

# An output of few keys is large, and may be all of one tile: were its largest weight rounded, its O
# once more for the pool, and again after the division, it could be two units in its last place off.
# A tile of so few keys, one in 64 in long documents, takes weights of which the largest is a power
# of two and adds what rounding O leaves, too.
FEW_KEYS = 32

# A tile's weights add up to at most 1, and rounding to bf16 adds little to that.
LARGEST_SUMMAND = 1.01 * FIXED_ONE
_LOWEST_REFERENCE = -(2.0 - 2.0**-23) * 2.0**127


class Operands(NamedTuple):
    """What is read or added without a descriptor; see `forward`."""

    pool: cute.Pointer
    sums: cute.Pointer
    references: cute.Pointer
    bounds: cute.Pointer
    task_qrows: cute.Pointer
    task_qpos: cute.Pointer
    items: cute.Pointer
    end: cute.Pointer
    counter: cute.Pointer
    flags: cute.Pointer
    filtered: Int32
    num_groups: Int32
    num_tokens: Int32
    first_head: Int32
    num_heads: Int32

    @property
    def num_pools(self) -> Int32:
        """How many (token, head) `pool` is for."""
        return self.num_heads * self.num_tokens

    def row(self, token: Int32, head: Int32) -> Int32:
        """The number of a (token, head) in all that has one for each."""
        return token * self.num_groups + head

    def pool_row(self, target: Int32) -> Int32:
        """Where the pool of a slot's target is; see `slot_target`."""
        token, head = split_groups(target >> 1, self.num_groups)
        return (head - self.first_head) * self.num_tokens + token


@cute.jit
def draw_item(operands: Operands, num_items: Int32) -> tuple:
    """A warp's next item: a field in each of lanes 0 to 3; its size, head and key block.

    The size is 0 where there is no more.
    """
    lane = arch.lane_idx()
    drawn = Int32(0)
    if lane == 0:
        drawn = arch.atomic_add(operands.counter, Int32(1))
    drawn = arch.shuffle_sync(drawn, 0)
    field = Int32(0)
    if drawn < num_items and lane < ITEM_FIELDS:
        field = vector(operands.items + Int64(drawn) * ITEM_FIELDS)[lane]
    size, head, kblock = (arch.shuffle_sync(field, i) for i in range(1, ITEM_FIELDS))
    return field, size, head, kblock


@cute.jit
def drop_unflagged(operands: Operands, token: Int32, head: Int32) -> Int32:
    """The token of a slot, or -1 if the pass is filtered and its row of the head not flagged."""
    flag = Int32(1)
    if operands.filtered != 0 and token >= 0:
        flag = vector(operands.flags)[operands.row(token, head)]
    if flag == 0:
        token = Int32(-1)
    return token


@cute.jit
def slot_target(
    operands: Operands, token: Int32, position: Int32, head: Int32, kblock: Int32, half: Int32
) -> tuple:
    """Where a slot's results go to, twice its `Operands.row` and the half of the pool, or -1 if
    nowhere; and the last key that it sees.
    """
    last_key = position - kblock * BLOCK_SIZE
    target = operands.row(token, head) * 2 + half
    if token < 0 or last_key < 0:
        target = Int32(-1)
        last_key = Int32(BLOCK_SIZE)  # spares the mask
    return target, last_key


def select(condition, if_true: Float32, if_false: Float32) -> Float32:
    """One of two values, without a branch."""
    return Float32(cutlass.select_(condition, if_true, if_false))


def maximum(a: Float32, b: Float32) -> Float32:
    """The greater, or NaN if one is."""
    return arch.fmax(a, b, nan=True)


def reduce_into(pointer: cute.Pointer, value, dtype: type[cutlass.Numeric] | str, op: str) -> None:
    """Combines a value with one in global memory, which no thread waits for."""
    arch.red(pointer, value, op=op, dtype=dtype, sem="relaxed", scope="gpu")


def read_reference(number: Int32) -> Float32:
    """The reference that MAX left as an integer.

    It is finite, so that they weigh nothing, where all scores of a row are -inf.
    """
    return maximum(ordered_bits(number).bitcast(Float32), Float32(_LOWEST_REFERENCE))


def fixed_scale(bound: Float32, total: Int32) -> Float32:
    """What makes integers of a row's summands in FIXED, and divides by its sum of weights.

    That is at least the largest weight, 1, but where all scores are -inf.
    """
    unit = FIXED_ONE / maximum(bound, Float32(V_BOUND_FLOOR))
    total = cutlass.max(total & ~NAN_OUT, Int32(int(SUM_ONE)))
    return unit * (SUM_ONE / Float32(total))


def mark_nan(sums: cute.Pointer) -> None:
    """Says of a row in FIXED that its output is NaN, which an integer cannot."""
    reduce_into(sums, Int32(NAN_OUT), "b32", "or")


def make_forward(kernel: type):
    """Makes a host function `launch` of `kernel`, whose objects each launch one mode.

    It walks items, all or those of some heads, in a mode, and adds to what the buffers hold.

    Args of `launch`, where G is `num_groups`, the number of all heads:
        mode: `FAST`, `MAX`, `SUM` or `FIXED`.
        q: bf16 `[T, 16 G, 128]`, in compact rows.
        k, v: bf16 `[128 * num_kblocks, G, 128]`, in workspace rows; zeros past a document's end.
        pool: 8 KB for each (token, head) of the items, as at the top; for FAST and FIXED.
        sums: `[T, 16 G]` of each row's weights; FAST adds in FP32, SUM in int32, FIXED reads those
            and sets `NAN_OUT`.
        references: int32 `[T, 16 G]`, each row's `max(q k)` as an integer of the same order (a
            float's bits, all but the sign inverted if that is set); INT32_MIN before the first key.
            MAX raises them, SUM and FIXED read them.
        bounds: FP32 `[T, G, BOUND_FIELDS]`, whose first are at least every finite |v| of the key
            blocks that a (token, head) selected; for FIXED.
        task_qrows, task_qpos: int32 `[2 * capacity, 4]`, the compact and the workspace row of each
            query slot of a quad, half of a tile, -1 if it is empty.
        items: int32 `[capacity, 4]`, (first quad, number of quads, head, key block); the first quad
            is even, the number of quads positive.
        end: int32 `[1]`: where the items end.
        counter: int32 `[1]`: the next item.
        flags: int32 `[T, G]`; with `filtered` nonzero, all modes but FAST take the slots of a
            (token, head) whose flag is 0 for empty.
        first_head: the first head that `pool` is for.
        num_heads: how many those are; FAST and FIXED take no items of others.
    """

    @cute.jit
    def launch(
        mode: Int32,
        q: cute.Pointer,
        k: cute.Pointer,
        v: cute.Pointer,
        pool: cute.Pointer,
        sums: cute.Pointer,
        references: cute.Pointer,
        bounds: cute.Pointer,
        task_qrows: cute.Pointer,
        task_qpos: cute.Pointer,
        items: cute.Pointer,
        end: cute.Pointer,
        counter: cute.Pointer,
        flags: cute.Pointer,
        filtered: Int32,
        num_groups: Int32,
        num_tokens: Int32,
        num_kblocks: Int32,
        first_head: Int32,
        num_heads: Int32,
        num_sms: Int32,
        stream: cuda.CUstream,
    ):
        operands = Operands(
            pool,
            sums,
            references,
            bounds,
            task_qrows,
            task_qpos,
            items,
            end,
            counter,
            flags,
            filtered,
            num_groups,
            num_tokens,
            first_head,
            num_heads,
        )
        if mode == FAST:
            kernel(FAST)(q, k, v, operands, num_kblocks, num_sms, stream)
        elif mode == MAX:
            kernel(MAX)(q, k, v, operands, num_kblocks, num_sms, stream)
        elif mode == SUM:
            kernel(SUM)(q, k, v, operands, num_kblocks, num_sms, stream)
        else:
            kernel(FIXED)(q, k, v, operands, num_kblocks, num_sms, stream)

    return launch
