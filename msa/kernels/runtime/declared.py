"""Kernels as operators find and launch them: by signature, on the architecture of a device."""

from collections.abc import Mapping

import torch

from msa.kernels.runtime.library import ARCHS, BLACKWELL, HOPPER, Kernel, arch_of
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

    def runs_on(self, device: torch.device) -> bool:
        """Whether it is compiled for `device`."""
        return arch_of(device) in self.sources

    def __call__(self, device: torch.device, **arguments: torch.Tensor | int) -> None:
        """Launches on the current stream of `device`, without waiting for it.

        On the meta device nothing is launched: a plan runs there to say what memory it takes.

        Args:
            device: where all tensors are.
            **arguments: those of the signature; only tests check that they are as it says
                (`Signature.check`).

        Raises:
            TypeError: an argument is missing or is not known.
            RuntimeError: the library is not there or does not fit, or CUDA refuses the launch.
        """
        if device.type != "meta":
            self.sources[arch_of(device)].launch(device, self.signature.words(arguments))


def on_every_arch(signature: Signature, room: str, name: str) -> DeclaredKernel:
    """The kernel `<room>/<name>.py`."""
    return DeclaredKernel(signature, dict.fromkeys(ARCHS.values(), Kernel(room, name)))


def on_hopper(signature: Signature, room: str, name: str) -> DeclaredKernel:
    """The kernel `<room>/<name>.py`, which is compiled for Hopper alone."""
    return DeclaredKernel(signature, dict.fromkeys(HOPPER, Kernel(room, name)))


def on_blackwell(signature: Signature, room: str, name: str) -> DeclaredKernel:
    """The kernel `<room>/<name>.py`, which is compiled for Blackwell alone."""
    return DeclaredKernel(signature, dict.fromkeys(BLACKWELL, Kernel(room, name)))


def by_family(signature: Signature, room: str, hopper: str, blackwell: str) -> DeclaredKernel:
    """Two kernels of one signature, for Hopper and for Blackwell."""
    return DeclaredKernel(
        signature,
        on_hopper(signature, room, hopper).sources
        | on_blackwell(signature, room, blackwell).sources,
    )
