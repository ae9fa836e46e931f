"""Instructions that the DSL has no words for, and roundings."""

import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass.cute import arch


def ptx(text: str, results, *arguments):
    """Inline PTX: `{$w0}` and so on are its results, of the types given, `{$r0}` its arguments."""
    return arch.inline_ptx(text, write_only_types=results, read_only_args=list(arguments))


def floor(value: Float32) -> Float32:
    """The greatest whole number up to `value`."""
    return ptx("cvt.rmi.f32.f32 {$w0}, {$r0};", [Float32], value)


def nearest(value: Float32, dtype: type[cutlass.Numeric]):
    """The nearest integer, ties to even, clamped."""
    return ptx(f"cvt.rni.s{dtype.width}.f32 {{$w0}}, {{$r0}};", [dtype], value)


def bulk_add(kind: str, target: Int64, source: Int32, size) -> None:
    """Adds shared to global memory, as a part of the calling lane's bulk group."""
    ptx(
        f"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.{kind} "
        "[{$r0}], [{$r1}], {$r2};",
        None,
        target,
        source,
        Int32(size),
    )


def bulk_load(target: Int32, source: Int64, size: Int32, full: cute.Pointer) -> None:
    """Loads `size` bytes of global into shared memory; they count for the barrier `full`."""
    ptx(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[{$r0}], [{$r1}], {$r2}, [{$r3}];",
        None,
        target,
        source,
        size,
        full.toint(),
    )


def pack(low: Float32, high: Float32) -> Int32:
    """Two values as bf16, in one register."""
    return ptx("cvt.rn.bf16x2.f32 {$w0}, {$r1}, {$r0};", [Int32], low, high)


def unpack(pair: Int32) -> tuple[Float32, Float32]:
    """The two bf16 values of a register."""
    low = ptx("shl.b32 {$w0}, {$r0}, 16;", [Float32], pair)
    return low, ptx("and.b32 {$w0}, {$r0}, 0xffff0000;", [Float32], pair)


def store_shared(address: Int32, values: list) -> None:
    """Stores two or four values of 32 or 64 bits at once."""
    operands = ", ".join(f"{{$r{i + 1}}}" for i in range(len(values)))
    text = f"st.shared.v{len(values)}.b{values[0].width} [{{$r0}}], {{{operands}}};"
    ptx(text, None, address, *values)


def load_matrices(address: Int32) -> tuple:
    """Four 8 x 8 matrices of bf16 from shared memory, a row of one at each lane's address."""
    return ptx(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{$w0}, {$w1}, {$w2}, {$w3}}, [{$r0}];",
        [Int32] * 4,
        address,
    )


def store_matrices(address: Int32, a: Int32, b: Int32, c: Int32, d: Int32) -> None:
    """The opposite of `load_matrices`."""
    ptx(
        "stmatrix.sync.aligned.m8n8.x4.shared.b16 [{$r0}], {{$r1}, {$r2}, {$r3}, {$r4}};",
        None,
        address,
        a,
        b,
        c,
        d,
    )


def ordered_bits(bits: Int32) -> Int32:
    """From the bits of a float to an integer of the same order, and back; NaN is the greatest."""
    return bits ^ ((bits >> 31) & 0x7FFFFFFF)
