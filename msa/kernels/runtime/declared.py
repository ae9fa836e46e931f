"""Kernels as operators find and launch them: by signature, on the architecture of a device."""

from collections.abc import Mapping

import torch

from msa.kernels.runtime.library import Kernel, arch_of
from msa.kernels.runtime.signature import Signature


class DeclaredKernel:
    """A kernel by its signature, and what it is compiled from on each architecture.

    Attributes:
        signature: of the host function, the same on all architectures.
        sources: by architecture, the compiled kernel; where there is none, it does not run.
    """

    def __init__(self, signature: Signature, sources: Mapping[str, Kernel]):
        self.signature = signature
        self.sources = dict(sources)

    def __call__(self, device: torch.device, **arguments: torch.Tensor | int) -> None:
        """Launches on the current stream of `device`, without waiting for it.

        Args:
            device: where all tensors are.
            **arguments: those of the signature.

        Raises:
            TypeError: an argument is missing or is not known.
            RuntimeError: the library is not there or does not fit, or CUDA refuses the launch.
        """
        self.sources[arch_of(device)](device, *self.signature.words(arguments))
