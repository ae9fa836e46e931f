"""How close a result must come to the float64 definition."""

import dataclasses

import torch


@dataclasses.dataclass(frozen=True)
class Tolerance:
    """How far a tensor may be from its definition.

    Attributes:
        absolute: largest difference of an element, plus `2**-7` of its size if that exceeds 16.
        relative: norm of the difference over the norm of the definition.
    """

    absolute: float
    relative: float

    @property
    def cosine(self) -> float:
        """Least cosine of a head with its definition: that of an orthogonal error of twice the
        relative tolerance."""
        return 1 - (2 * self.relative) ** 2 / 2


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How far a tensor is from its definition: `absolute` and `relative` as in `Tolerance`."""

    tensor: str
    absolute: float
    relative: float
    tolerance: Tolerance
    passed: bool


TENSORS = ("out", "lse", "dq", "dk", "dv", "d index_q")
"""What is compared."""

TOLERANCES = {
    torch.bfloat16: {
        "out": Tolerance(0.025, 0.006),
        "lse": Tolerance(0.002, 0.001),
        "dq": Tolerance(0.035, 0.007),
        "dk": Tolerance(0.075, 0.007),
        "dv": Tolerance(0.1, 0.007),
        "d index_q": Tolerance(0.035, 0.007),
    },
    torch.float32: dict.fromkeys(TENSORS, Tolerance(1e-4, 1e-5)),
    torch.float64: dict.fromkeys(TENSORS, Tolerance(1e-11, 1e-12)),
}
"""Tolerances by the dtype of unit-normal inputs, and by tensor."""

# bf16 has 8 significant bits: past 16, rounding a value alone can exceed the absolute tolerances.
_LARGE = 16.0
_LARGE_RELATIVE = 2.0**-7

# A definition of at most this norm is zero up to rounding, such as dq of a query that sees one key.
_ZERO_NORM = 1e-10


def compare(
    tensor: str,
    actual: torch.Tensor,
    expected: torch.Tensor,
    dtype: torch.dtype,
    *,
    slack: float = 1.0,
) -> Comparison:
    """Compares a result with its float64 definition. Equal infinities agree; a NaN fails.

    Args:
        tensor: its name, one of `TENSORS`.
        actual: the result.
        expected: the definition, of the same shape.
        dtype: of the inputs.
        slack: factor of the tolerances, for inputs that are far from unit-normal.
    """
    tolerance = TOLERANCES[dtype][tensor]
    tolerance = Tolerance(slack * tolerance.absolute, slack * tolerance.relative)
    actual = actual.detach().double()
    difference = torch.where(actual == expected, 0, (actual - expected).abs())
    size = expected.abs().masked_fill(expected.isinf(), 0)
    allowed = tolerance.absolute + torch.where(size > _LARGE, size * _LARGE_RELATIVE, 0)
    norm = size.norm()
    relative = (difference.norm() / norm).item() if norm > _ZERO_NORM else 0.0
    passed = bool((difference <= allowed).all()) and relative <= tolerance.relative
    return Comparison(tensor, difference.max().item(), relative, tolerance, passed)


def head_cosines(actual: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Cosine of each head of a result with its definition; 1 where the definition is zero.

    A wrong head among 64 hardly changes the norm over all heads.

    Args:
        actual: the result, `[T, heads, channels]`.
        expected: the definition, of the same shape.

    Returns:
        float64 `[heads]`.
    """
    actual, expected = (x.detach().double().movedim(1, 0).flatten(1) for x in (actual, expected))
    norms = expected.norm(dim=1)
    cosines = (actual * expected).sum(dim=1) / (actual.norm(dim=1) * norms)
    return torch.where(norms > _ZERO_NORM, cosines, 1)
