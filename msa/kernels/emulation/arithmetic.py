"""A test kernel of what Blackwell has besides tensor memory: arithmetic and wide accesses."""

import cuda.bindings.driver as cuda
import cutlass
import cutlass.cute as cute
from cutlass import Float32
from cutlass.cute import arch

from msa.kernels.device.primitives import name_kernels
from msa.kernels.emulation.interface import ARITHMETIC, LANES, THREADS


@cute.kernel
def compute(x: cute.Tensor, y: cute.Tensor, z: cute.Tensor, short: cute.Tensor, out: cute.Tensor):
    """A thread does it for eight elements, in pairs where there is an instruction for pairs."""
    thread = arch.thread_idx()[0]
    a, b, c = (_load(matrix, thread) for matrix in (x, y, z))
    s = short[thread]
    results = cute.make_rmem_tensor((LANES, 6), Float32)
    for i in cutlass.range_constexpr(0, LANES, 2):
        pairs = [(v[i], v[i + 1]) for v in (a, b, c)]
        for j, pair in enumerate(
            (
                arch.add_packed_f32x2(*pairs[:2]),
                arch.mul_packed_f32x2(*pairs[:2]),
                arch.fma_packed_f32x2(*pairs),
            )
        ):
            results[i, j], results[i + 1, j] = pair
    for i in cutlass.range_constexpr(LANES):
        results[i, 3] = _of_three("max.NaN", a[i], b[i], c[i])
        results[i, 4] = _of_three("min", a[i], b[i], c[i])
        results[i, 5] = s.to(Float32) + a[i]
    for j in cutlass.range_constexpr(6):
        cute.autovec_copy(results[None, j], out[None, thread, j])


def _load(matrix: cute.Tensor, thread) -> cute.Tensor:
    values = cute.make_rmem_tensor(LANES, Float32)
    cute.autovec_copy(matrix[None, thread], values)
    return values


def _of_three(opcode: str, a: Float32, b: Float32, c: Float32) -> Float32:
    return arch.inline_ptx(
        f"{opcode}.f32 {{$w0}}, {{$r0}}, {{$r1}}, {{$r2}};",
        write_only_types=[Float32],
        read_only_args=[a, b, c],
    )


name_kernels(compute)


SIGNATURE = ARITHMETIC


@cute.jit
def launch(
    x: cute.Pointer,
    y: cute.Pointer,
    z: cute.Pointer,
    short: cute.Pointer,
    out: cute.Pointer,
    stream: cuda.CUstream,
):
    """Computes x + y, x y, x y + z, max(x, y, z) which may be
    NaN, min(x, y, z), short + x.

    Args:
        x, y, z: FP32 `[128, 8]`.
        short: bf16 `[128]`.
        out: FP32 `[6, 128, 8]`.
    """
    compute(
        *(cute.make_tensor(p, cute.make_layout((LANES, THREADS))) for p in (x, y, z)),
        cute.make_tensor(short, cute.make_layout(THREADS)),
        cute.make_tensor(out, cute.make_layout((LANES, THREADS, 6))),
    ).launch(grid=[1, 1, 1], block=[THREADS, 1, 1], stream=stream)
