"""The signatures of the emulation's own test kernels."""

import torch

from msa.kernels.runtime.signature import Array, Integer, Signature

THREADS = 128
LANES = 8
"""FP32 of a 256-bit access."""
WIDE_BYTES = 4 * LANES

_VALUES = Array(torch.float32, (THREADS, LANES), alignment=WIDE_BYTES)

ARITHMETIC = Signature(
    x=_VALUES,
    y=_VALUES,
    z=_VALUES,
    short=Array(torch.bfloat16, (THREADS,)),
    out=Array(torch.float32, (6, THREADS, LANES), alignment=WIDE_BYTES),
)

GEMM = Signature(
    a=Array(torch.bfloat16, ("depth", "rows")),
    b=Array(torch.bfloat16, ("columns", "depth")),
    w=Array(torch.bfloat16, (128, 128)),
    s=Array(torch.float32, ("rows", "columns")),
    o=Array(torch.float32, ("rows", "columns")),
    rows=Integer(),
    columns=Integer(),
    depth=Integer(),
)

TENSOR_MEMORY = Signature(
    column=Integer(),
    lane=Integer(),
    out=Array(torch.float32, (THREADS,)),
)
