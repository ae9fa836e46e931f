"""Operands as kernels take them, and scratch memory.

Buffers come from torch's allocator, so that calls can be captured in a CUDA graph.
"""

import torch

from msa.kernels.runtime.signature import VECTOR_BYTES

_VECTOR_WORDS = VECTOR_BYTES // 4


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy of it, contiguous and aligned as kernels take it."""
    tensor = tensor.contiguous()
    return tensor if tensor.data_ptr() % VECTOR_BYTES == 0 else tensor.clone()


def scratch(device: torch.device, *sizes: int) -> tuple[torch.Tensor, list[int]]:
    """One buffer of int32, to be held until the launch, and the aligned addresses of its parts.

    Addresses, not tensors, whose making would cost the host a third of a launch.
    """
    total, offsets = 0, []
    for size in sizes:
        offsets.append(4 * total)
        total += -(-size // _VECTOR_WORDS) * _VECTOR_WORDS
    buffer = torch.empty(total, dtype=torch.int32, device=device)
    start = buffer.data_ptr()
    return buffer, [start + offset for offset in offsets]
