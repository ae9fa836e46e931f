"""A test kernel that reads tensor memory which nothing was written to, or that it may not read."""

import cuda.bindings.driver as cuda
import cutlass.cute as cute
from cutlass import Float32, Int32
from cutlass.cute import arch
from cutlass.cute.nvgpu import tcgen05

from msa.kernels.device.primitives import WARP, name_kernels
from msa.kernels.emulation.interface import TENSOR_MEMORY

COLUMNS = 64
"""How many are allocated."""

_THREADS = 4 * WARP
_LANE = 1 << 16  # of an address


@cute.kernel
def read(column: Int32, lane: Int32, out: cute.Tensor):
    """Loads a column and, of lanes, each warp its own but for `lane` further."""
    thread = arch.thread_idx()[0]
    warp = arch.make_warp_uniform(arch.warp_idx())
    address = arch.alloc_smem(Int32, 1)
    if warp == 0:
        arch.alloc_tmem(COLUMNS, address)
    arch.sync_threads()
    tmem = arch.retrieve_tmem_ptr(Float32, 16, address)
    columns = cute.make_tensor(
        tmem + column + lane * _LANE, cute.make_layout((_THREADS, 1), stride=(_LANE, 1))
    )
    atom = cute.make_copy_atom(tcgen05.Ld32x32bOp(tcgen05.Repetition(1)), Float32)
    copy = tcgen05.make_tmem_copy(atom, columns)
    part = copy.get_slice(thread)
    places = part.partition_D(out)
    value = cute.make_rmem_tensor(places.shape, Float32)
    cute.copy(copy, part.partition_S(columns), value)
    arch.fence_view_async_tmem_load()
    cute.autovec_copy(value, places)
    arch.sync_threads()
    if warp == 0:
        arch.relinquish_tmem_alloc_permit()
        arch.dealloc_tmem(tmem, COLUMNS)


name_kernels(read)


SIGNATURE = TENSOR_MEMORY


@cute.jit
def launch(column: Int32, lane: Int32, out: cute.Pointer, stream: cuda.CUstream):
    """Reads lanes `lane` to `lane + 127` of a column into `out`, FP32 `[128]`."""
    read(column, lane, cute.make_tensor(out, cute.make_layout((_THREADS, 1)))).launch(
        grid=[1, 1, 1], block=[_THREADS, 1, 1], stream=stream
    )
