"""Argument checks shared by the modules of this package."""

import operator


def require_int(name: str, value: int, minimum: int) -> int:
    """Returns `value` as an int of at least `minimum`.

    Raises:
        TypeError: `value` is not an integer (a bool is not one).
        ValueError: `value` is below `minimum`.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} must be an int, got {type(value).__name__}")
    value = operator.index(value)
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}")
    return value
