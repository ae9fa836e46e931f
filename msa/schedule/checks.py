"""Argument checks shared by the modules of this package."""

import operator

import torch

from msa.schedule.topology import GROUP_COUNTS

ANY_GROUPS = f"G of {', '.join(map(str, GROUP_COUNTS[:-1]))} or {GROUP_COUNTS[-1]}"
"""How messages state the allowed numbers of KV groups."""

# Tensor subclasses that operators do not support, and the call that returns the tensor inside.
_UNWRAP = {"DTensor": ".to_local()", "MaskedTensor": ".get_data()"}


def require_int(name: str, value: int, minimum: int) -> int:
    """Returns `value` as an int of at least `minimum`.

    Raises:
        TypeError: `value` is not an integer (a bool or a tensor is not).
        ValueError: `value` is below `minimum`.
    """
    return require_ints((name, value, minimum))[0]


def require_ints(*arguments: tuple[str, int, int]) -> tuple[int, ...]:
    """`require_int` for several (name, value, minimum): all types are checked before any value."""
    values = tuple(_as_int(name, value) for name, value, _ in arguments)
    for (name, _, minimum), value in zip(arguments, values, strict=True):
        if value < minimum:
            raise ValueError(f"{name} must be at least {minimum}, got {value}")
    return values


def require_at_most(name: str, value: int, maximum: int) -> None:
    """Raises `ValueError` if `value` is above `maximum`."""
    if value > maximum:
        raise ValueError(f"{name} must be at most {maximum}, got {value}")


def require_tensor(name: str, value: torch.Tensor, expected: str = "a tensor") -> None:
    """Raises `TypeError` unless `value` is a strided tensor that operators support.

    Sparse and nested tensors, and the subclasses `DTensor` and `MaskedTensor`, are refused.
    """
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name} must be {expected}, got {type(value).__name__}")
    # Compared by name: importing `torch.distributed.tensor` takes longer than importing everything
    # else here.
    if type(value).__name__ in _UNWRAP:
        raise TypeError(
            f"{name} must be {expected}, a plain one, got a {type(value).__name__}: pass "
            f"{name}{_UNWRAP[type(value).__name__]}"
        )
    if value.is_nested:
        raise TypeError(f"{name} must be {expected} with strides, got a nested one")
    if value.layout != torch.strided:
        raise TypeError(f"{name} must be {expected} with strides, got layout {value.layout}")


def require_values(name: str, value: torch.Tensor) -> None:
    """Raises `ValueError` if `value` is on the meta device, where tensors have no values."""
    if value.is_meta:
        raise ValueError(f"{name} must hold values, got a tensor on device {value.device}")


def as_device(name: str, value: torch.device | str | int) -> torch.device:
    """Converts `value`, a device, its name or the index of a GPU, to a `torch.device`.

    Raises:
        TypeError: `value` is none of these, such as a dtype (which `Tensor.to` also takes).
        ValueError: there is no such kind of device.
    """
    if isinstance(value, bool) or not isinstance(value, (torch.device, str, int)):
        raise TypeError(
            f"{name} must be a torch.device, its name or its index, got {type(value).__name__}"
        )
    try:
        return torch.device("cuda", value) if isinstance(value, int) else torch.device(value)
    except RuntimeError as error:
        raise ValueError(f"{name} must name a device, got {value!r}: {error}") from error


def _as_int(name: str, value: int) -> int:
    # ints first: torch.compile can trace an int that varies, but not operator.index.
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    # Not tensors: operator.index of a one-element tensor waits for its device.
    if not isinstance(value, (bool, torch.Tensor)):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name} must be an int, got {type(value).__name__}")
