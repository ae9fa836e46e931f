"""What a kernel takes, said once: the names, dtypes and shapes of its arguments.

The build checks a kernel's host function against its signature and takes the stand-ins to compile
with from it (`stand_ins.py`); launches are by keyword (`declared.py`), and tests check them against
it.
"""

from typing import NamedTuple

import torch

_ALIGNMENT = 16
_INT32_MAX = 2**31 - 1


class Array(NamedTuple):
    """A tensor: contiguous, and aligned to 16 bytes.

    Attributes:
        dtype: its dtype.
        shape: of each dimension its extent, or the name of the integer argument that it equals, or
            another name, which stands for the same extent wherever it does.
        strided: whether only the last dimension need be contiguous; strides are arguments of
            their own.
    """

    dtype: torch.dtype
    shape: tuple[int | str, ...]
    strided: bool = False


class Integer(NamedTuple):
    """An int32."""


class Signature:
    """The arguments of a kernel's host function, but for the stream, which comes last."""

    def __init__(self, **arguments: Array | Integer):
        self.arguments = arguments
        # Integers first: names in shapes refer to them.
        self._integers = [n for n, kind in arguments.items() if isinstance(kind, Integer)]
        self._strided = [i for i, k in enumerate(arguments.values()) if getattr(k, "strided", 0)]
        self._arrays = [(n, kind) for n, kind in arguments.items() if isinstance(kind, Array)]

    def words(self, arguments: dict[str, torch.Tensor | int]) -> list[torch.Tensor | int]:
        """What is passed for `arguments`, in order: of a strided tensor, its address.

        Raises:
            TypeError: an argument is missing or is not known.
        """
        if arguments.keys() != self.arguments.keys():
            raise TypeError(
                f"expected the arguments {', '.join(self.arguments)}, got {', '.join(arguments)}"
            )
        words = [arguments[name] for name in self.arguments]
        for place in self._strided:
            words[place] = words[place].data_ptr()
        return words

    def check(self, arguments: dict[str, torch.Tensor | int]) -> None:
        """Checks `arguments` against all that is said of them.

        Raises:
            TypeError: an argument has another type or dtype.
            ValueError: an argument has another shape, layout, alignment or device than the others,
                or does not fit int32.
        """
        sizes: dict[str, int] = {}
        for name in self._integers:
            sizes[name] = value = arguments[name]
            if type(value) is not int:
                raise TypeError(f"{name} must be an int, got {type(value).__name__}")
            if not -_INT32_MAX - 1 <= value <= _INT32_MAX:
                raise ValueError(f"{name} must fit int32, got {value}")
        device = None
        for name, kind in self._arrays:
            tensor = arguments[name]
            if not isinstance(tensor, torch.Tensor):
                raise TypeError(f"{name} must be a tensor, got {type(tensor).__name__}")
            if tensor.dtype is not kind.dtype:
                raise TypeError(f"{name} must be {kind.dtype}, got {tensor.dtype}")
            _check_shape(name, kind, tensor, sizes)
            _check_layout(name, kind, tensor)
            device = device or tensor.device
            if tensor.device != device:
                raise ValueError(f"{name} must be on {device}, got {tensor.device}")
            if tensor.data_ptr() % _ALIGNMENT:
                raise ValueError(
                    f"{name} must be aligned to {_ALIGNMENT} bytes, got {tensor.data_ptr():#x}"
                )


def _check_shape(name: str, kind: Array, tensor: torch.Tensor, sizes: dict[str, int]) -> None:
    shape = tensor.shape
    if len(shape) == len(kind.shape) and all(
        extent == (size if isinstance(size, int) else sizes.setdefault(size, extent))
        for extent, size in zip(shape, kind.shape, strict=True)
    ):
        return
    expected = ", ".join(
        f"{size} = {sizes[size]}" if size in sizes else str(size) for size in kind.shape
    )
    raise ValueError(f"{name} must be [{expected}], got shape {list(shape)}")


def _check_layout(name: str, kind: Array, tensor: torch.Tensor) -> None:
    if kind.strided:
        if tensor.stride(-1) == 1:
            return
        expected = "contiguous in its last dimension"
    else:
        if tensor.is_contiguous():
            return
        expected = "contiguous"
    raise ValueError(
        f"{name} must be {expected}, got shape {list(tensor.shape)} and strides "
        f"{list(tensor.stride())}"
    )
