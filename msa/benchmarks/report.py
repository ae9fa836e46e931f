"""What a run of the bench found."""

import dataclasses
import math
from typing import Any

from msa.benchmarks.timing import Measurement
from msa.reference.accuracy import Comparison


@dataclasses.dataclass(frozen=True)
class Cost:
    """What one operation costs.

    Attributes:
        milliseconds: median of its runs.
        runs: how many there were, None for a sum of operations.
        flop: useful FLOP, None where they are not counted.
        peak_bytes: how far memory grew at most, None where unknown.
    """

    milliseconds: float
    runs: int | None
    flop: int | None
    peak_bytes: int | None

    @classmethod
    def of(cls, measurement: Measurement, flop: int | None) -> "Cost":
        """The cost of a measured operation that does `flop`."""
        runs = len(measurement.times_ms)
        return cls(measurement.median_ms, runs, flop, measurement.peak_bytes)

    @property
    def rate(self) -> float | None:
        """Useful FLOP per second."""
        return None if self.flop is None else self.flop / (self.milliseconds / 1e3)

    def __add__(self, other: "Cost") -> "Cost":
        """Time and work of two operations that do count theirs."""
        milliseconds = self.milliseconds + other.milliseconds
        return Cost(milliseconds, None, self.flop + other.flop, None)


@dataclasses.dataclass(frozen=True)
class PassCost:
    """A pass of sparse attention, beside the same pass of dense attention where there is one."""

    name: str
    sparse: Cost
    dense: Cost | None = None

    @property
    def dense_over_sparse(self) -> float | None:
        """How many times as long dense attention takes."""
        return None if self.dense is None else self.dense.milliseconds / self.sparse.milliseconds

    def __add__(self, other: "PassCost") -> "PassCost":
        """Two passes with a dense counterpart, one after the other."""
        return PassCost(
            f"{self.name}+{other.name}", self.sparse + other.sparse, self.dense + other.dense
        )


@dataclasses.dataclass(frozen=True)
class CheckResult:
    """What the check looked at, and what it found.

    Attributes:
        queries: sampled queries.
        sampled: what of them was checked, beside support and schedule as a whole.
        comparisons: with the float64 definition.
        failures: in words; none if all is well.
    """

    queries: int
    sampled: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.failures

    def __str__(self) -> str:
        if self.failures:
            return "check: FAILED: " + "; ".join(self.failures)
        checked = "support, schedule"
        if self.sampled:
            checked += (
                f"; on a sample of {self.queries} queries: {', '.join(self.sampled)} "
                "against the float64 definition"
            )
        return f"check: passed ({checked})"

    def to_json(self) -> dict[str, Any]:
        """The result in JSON types; null stands for a difference that is not finite."""
        result = {"passed": self.passed, **dataclasses.asdict(self)}
        for comparison in result["comparisons"]:
            for measure in ("absolute", "relative"):
                if not math.isfinite(comparison[measure]):
                    comparison[measure] = None
        return result


@dataclasses.dataclass(frozen=True)
class Report:
    """A run of the bench.

    Attributes:
        workload: name of the workload.
        tokens: of all documents.
        documents: how many.
        longest_document: its tokens.
        pattern: where the selection came from.
        visible_pairs: selected visible (query, key) pairs of a group, on average over the groups.
        causal_pairs: (query, key) pairs of dense causal attention in one head.
        backend: which operators ran.
        dtype: of the operands.
        device: its name.
        threads: of torch on the CPU.
        torch_version: of torch.
        seed: of the random operands.
        ceiling_size: rows of the square matrices whose product is the ceiling.
        ceiling: FLOP per second of that product.
        passes: in the order they ran.
        check: its result, None if it was not asked for.
    """

    workload: str
    tokens: int
    documents: int
    longest_document: int
    pattern: str
    visible_pairs: float
    causal_pairs: int
    backend: str
    dtype: str
    device: str
    threads: int
    torch_version: str
    seed: int
    ceiling_size: int
    ceiling: float
    passes: tuple[PassCost, ...]
    check: CheckResult | None

    @property
    def kept(self) -> float:
        """Share of the causal pairs that the selection keeps."""
        return self.visible_pairs / self.causal_pairs

    @property
    def rows(self) -> tuple[PassCost, ...]:
        """The passes, and forward and backward together where both ran."""
        by_name = {cost.name: cost for cost in self.passes}
        if "forward" in by_name and "backward" in by_name:
            return (*self.passes, by_name["forward"] + by_name["backward"])
        return self.passes

    def to_json(self) -> dict[str, Any]:
        """The report in JSON types; units are in the names, rates are useful FLOP per second."""
        fields = {name: getattr(self, name) for name in _plain_fields(type(self))}
        return {
            **fields,
            "kept": self.kept,
            "ceiling": {"size": self.ceiling_size, "flop_per_second": self.ceiling},
            "passes": [
                {
                    "name": row.name,
                    **self._cost_json(row.sparse),
                    "dense": row.dense and self._cost_json(row.dense),
                    "dense_over_sparse": row.dense_over_sparse,
                }
                for row in self.rows
            ],
            "check": self.check and self.check.to_json(),
        }

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Report":
        """The report that `to_json` told of, without its check.

        Raises:
            ValueError: `fields` are not those of a report; the message names one that is missing.
        """
        try:
            ceiling = fields["ceiling"]
            return cls(
                **{name: fields[name] for name in _plain_fields(cls)},
                ceiling_size=ceiling["size"],
                ceiling=ceiling["flop_per_second"],
                # A sum of passes has no runs of its own.
                passes=tuple(
                    PassCost(row["name"], _cost_of(row), row["dense"] and _cost_of(row["dense"]))
                    for row in fields["passes"]
                    if row["runs"] is not None
                ),
                check=None,
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"expected the report of a run, as JSON; got none: {error}") from error

    def _cost_json(self, cost: Cost) -> dict[str, Any]:
        return {
            **dataclasses.asdict(cost),
            "flop_per_second": cost.rate,
            "share_of_ceiling": cost.rate and cost.rate / self.ceiling,
        }


def _plain_fields(report: type[Report]) -> list[str]:
    """Fields whose values are those of the JSON under the same name."""
    nested = ("ceiling", "ceiling_size", "passes", "check")
    return [field.name for field in dataclasses.fields(report) if field.name not in nested]


def _cost_of(fields: dict[str, Any]) -> Cost:
    return Cost(**{field.name: fields[field.name] for field in dataclasses.fields(Cost)})
