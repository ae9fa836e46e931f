"""Base of the records of a microbatch: frozen dataclasses whose tensors move together."""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, Self, TypeVar

import torch

from msa.schedule.checks import as_device

_Class = TypeVar("_Class", bound=type)


class Record:
    """Base of a frozen dataclass with tensors among its fields, all on one device.

    Even under `torch.inference_mode()`, its methods return tensors that can be used for training.
    """

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]  # of the subclasses

    @torch.inference_mode(False)
    def to(self, device: torch.device | str | int, non_blocking: bool = False) -> Self:
        """Returns the record with its tensors on `device`, each moved as by `torch.Tensor.to`.

        Args:
            device: the target; a tensor that is there already is not copied.
            non_blocking: copy from pinned memory to a GPU without waiting, ordered by the current
                stream. From a GPU to the host, values are valid once that stream has been
                synchronized.

        Raises:
            TypeError: `device` is not a device, its name or its index, or `non_blocking` not a
                bool.
            ValueError: `device` names no device.
        """
        device = as_device("device", device)
        if not isinstance(non_blocking, bool):
            raise TypeError(f"non_blocking must be a bool, got {type(non_blocking).__name__}")
        return self._map(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    @torch.inference_mode(False)
    def pin_memory(self) -> Self:
        """Returns the record with its tensors, which must be on the host, in page-locked memory.

        A `DataLoader` with `pin_memory=True` calls this.
        """
        return self._map(torch.Tensor.pin_memory)

    def _map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> Self:
        changed = {
            field.name: function(value)
            for field in dataclasses.fields(self)
            if isinstance(value := getattr(self, field.name), torch.Tensor)
        }
        return dataclasses.replace(self, **changed)


def frozen(cls: _Class) -> _Class:
    """Decorates a frozen dataclass with slots: assignment and deletion name the attribute.

    The methods that Python 3.11 generates fail at `super()` for a name that is not a field: adding
    slots creates a second class, while their closures refer to the first.
    """

    def refuse_assignment(self, name: str, value: object) -> NoReturn:
        raise dataclasses.FrozenInstanceError(
            f"cannot assign to {name!r}: {type(self).__name__} is frozen"
        )

    def refuse_deletion(self, name: str) -> NoReturn:
        raise dataclasses.FrozenInstanceError(
            f"cannot delete {name!r}: {type(self).__name__} is frozen"
        )

    for name, method in (("__setattr__", refuse_assignment), ("__delattr__", refuse_deletion)):
        setattr(cls, name, method)
    return cls
