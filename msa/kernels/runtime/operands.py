"""Operands as kernels take them, and scratch memory.

Buffers come from torch's allocator, so that calls can be captured in a CUDA graph.
"""

import torch

_ALIGNMENT = 16


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor, or a copy of it, contiguous and aligned as kernels take it."""
    tensor = tensor.contiguous()
    return tensor if tensor.data_ptr() % _ALIGNMENT == 0 else tensor.clone()


def scratch(device: torch.device, *sizes: int) -> tuple[torch.Tensor, list[int]]:
    """One int32 buffer, to be held until the launch, and the aligned addresses of its parts."""
    offsets = [0]
    for size in sizes:
        words = _ALIGNMENT // 4
        offsets.append(offsets[-1] + -(-size // words) * words)
    buffer = torch.empty(offsets[-1], dtype=torch.int32, device=device)
    return buffer, [buffer.data_ptr() + 4 * offset for offset in offsets[:-1]]
