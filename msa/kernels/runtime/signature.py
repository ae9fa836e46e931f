"""What a kernel takes, said once: the names, dtypes and shapes of its arguments.

The build checks a kernel's host function against its signature and takes the stand-ins to compile
with from it (`stand_ins.py`); launches are by keyword (`declared.py`), and tests check them against
it.
"""

from typing import NamedTuple

import torch

VECTOR_BYTES = 16
"""Of the widest access of a thread: tensors are aligned to it."""
_INT32_MAX = 2**31 - 1


class Array(NamedTuple):
    """A tensor: contiguous, and aligned.

    Attributes:
        dtype: its dtype; where modes differ, the one that the kernel is compiled for.
        shape: of each dimension its extent, or the name of the integer argument that it equals, or
            another name, which stands for the same extent wherever it does.
        strided: whether only the last dimension need be contiguous; strides are arguments of
            their own.
        alignment: of its first element, in bytes.
        also: other dtypes that it has in some modes.
        optional: whether 0 may stand for it, where the mode does not touch it.
    """

    dtype: torch.dtype
    shape: tuple[int | str, ...]
    strided: bool = False
    alignment: int = VECTOR_BYTES
    also: tuple[torch.dtype, ...] = ()
    optional: bool = False


def word(extent: str) -> Array:
    """An int32 that may stand among others, `extent` of them from it on."""
    return Array(torch.int32, (extent,), alignment=4)


class Scratch(NamedTuple):
    """Memory of the launch's own, by its address: aligned, the parts of one buffer in their order.

    Attributes:
        dtype: of its elements.
    """

    dtype: torch.dtype


class Integer(NamedTuple):
    """An int32."""


class Signature:
    """The arguments of a kernel's host function, but for the stream, which comes last."""

    def __init__(self, **arguments: Array | Integer | Scratch):
        self.arguments = arguments
        # Integers first: names in shapes refer to them.
        self._integers = [n for n, kind in arguments.items() if isinstance(kind, Integer)]
        self._scratch = [n for n, kind in arguments.items() if isinstance(kind, Scratch)]
        self._arrays = [(n, kind) for n, kind in arguments.items() if isinstance(kind, Array)]
        self._names = list(arguments)

    def words(self, arguments: dict[str, torch.Tensor | int]) -> list[int]:
        """What is passed for `arguments`, in order: integers, and addresses.

        Raises:
            TypeError: an argument is missing or is not known.
        """
        if list(arguments) != self._names:
            if arguments.keys() != self.arguments.keys():
                raise TypeError(
                    f"expected the arguments {', '.join(self._names)}, got {', '.join(arguments)}"
                )
            arguments = {name: arguments[name] for name in self._names}
        return [value if type(value) is int else value.data_ptr() for value in arguments.values()]

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
        end = 0
        for name in self._scratch:
            address = arguments[name]
            if type(address) is not int:
                raise TypeError(f"{name} must be an address, got {type(address).__name__}")
            if address % VECTOR_BYTES or address < end:
                raise ValueError(
                    f"{name} must be aligned to {VECTOR_BYTES} bytes and not before other scratch, "
                    f"at {end:#x}, got {address:#x}"
                )
            end = address
        device = None
        for name, kind in self._arrays:
            tensor = arguments[name]
            if kind.optional and type(tensor) is int and tensor == 0:
                continue
            if not isinstance(tensor, torch.Tensor):
                raise TypeError(f"{name} must be a tensor, got {type(tensor).__name__}")
            if tensor.dtype not in (kind.dtype, *kind.also):
                expected = " or ".join(map(str, (kind.dtype, *kind.also)))
                raise TypeError(f"{name} must be {expected}, got {tensor.dtype}")
            _check_shape(name, kind, tensor, sizes)
            _check_layout(name, kind, tensor)
            device = device or tensor.device
            if tensor.device != device:
                raise ValueError(f"{name} must be on {device}, got {tensor.device}")
            if tensor.data_ptr() % kind.alignment:
                raise ValueError(
                    f"{name} must be aligned to {kind.alignment} bytes, got {tensor.data_ptr():#x}"
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
