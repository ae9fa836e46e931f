"""What the GPU table found."""

import dataclasses
from typing import Any

from msa.benchmarks.card import CardUse
from msa.benchmarks.gpu_rows import Row
from msa.benchmarks.report import CheckResult, Cost

REGIMES = ("sustained", "spaced")
"""How passes are timed: see `timing.Regimes`."""


@dataclasses.dataclass(frozen=True)
class PassFigures:
    """A pass, as far as a row tells of it.

    Attributes:
        sustained: its cost back to back, on a hot card.
        spaced: its cost with pauses.
        card: the card during the sustained runs, None where it was not read.
    """

    sustained: Cost
    spaced: Cost
    card: CardUse | None = None

    def to_json(self) -> dict[str, Any]:
        """The figures in JSON types."""
        costs = {regime: _cost_json(getattr(self, regime)) for regime in REGIMES}
        return {**costs, "card": self.card and self.card._asdict()}


@dataclasses.dataclass(frozen=True)
class DenseFigures:
    """Dense causal attention over the documents of a row.

    Attributes:
        forward: of all documents.
        backward: of all documents.
        backends: how many documents ran on each of torch's backends.
    """

    forward: PassFigures
    backward: PassFigures
    backends: dict[str, int]


@dataclasses.dataclass(frozen=True)
class SelectFigures:
    """Block selection over the documents of a row, and what it stands beside.

    Attributes:
        select: with all that it launches.
        product: a matrix product in the same run.
        topk: `torch.topk` over ready scores of the same blocks.
    """

    select: PassFigures
    product: PassFigures
    topk: PassFigures

    def over_product(self, regime: str) -> float:
        """Its rate over that of the matrix product."""
        return getattr(self.select, regime).rate / getattr(self.product, regime).rate

    def to_json(self) -> dict[str, Any]:
        """The figures in JSON types."""
        passes = {name: getattr(self, name).to_json() for name in ("select", "product", "topk")}
        return {**passes, "over_product": {regime: self.over_product(regime) for regime in REGIMES}}


@dataclasses.dataclass(frozen=True)
class LayerFigures:
    """A layer's training step: selection, schedule, attention and index loss, with gradients.

    Attributes:
        step: the whole of it.
        parts: each part alone, by its name, in order.
    """

    step: PassFigures
    parts: dict[str, PassFigures]

    def share(self, part: str, regime: str) -> float:
        """Time of a part alone over that of the step."""
        return (
            getattr(self.parts[part], regime).milliseconds / getattr(self.step, regime).milliseconds
        )

    def to_json(self) -> dict[str, Any]:
        """The figures in JSON types."""
        return {
            "step": self.step.to_json(),
            "parts": {name: part.to_json() for name, part in self.parts.items()},
            "shares": {
                regime: {name: self.share(name, regime) for name in self.parts}
                for regime in REGIMES
            },
        }


@dataclasses.dataclass
class RowReport:
    """A row, filled in as it is measured: None stands for what was not, or not yet.

    Attributes:
        row: what was measured.
        num_groups: KV groups, each of 16 query heads.
        visible_pairs: selected visible (query, key) pairs of a group, on average over the groups.
        causal_pairs: (query, key) pairs of dense causal attention in one head.
        schedule: CSR, work items and task tables.
        forward: with all that it launches.
        backward: with all that it launches.
        dense: the same documents in dense attention.
        select: the selection of a row that is about it alone.
        kl: the index loss and its gradients, of a row that is about them alone.
        layer: the step of a row that is about it.
        check: of the results.
        error: what broke off the measurement.
    """

    row: Row
    num_groups: int
    visible_pairs: float | None = None
    causal_pairs: int | None = None
    schedule: PassFigures | None = None
    forward: PassFigures | None = None
    backward: PassFigures | None = None
    dense: DenseFigures | None = None
    select: SelectFigures | None = None
    kl: PassFigures | None = None
    layer: LayerFigures | None = None
    check: CheckResult | None = None
    error: str | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing broke, and no result was found wrong."""
        return self.error is None and (self.check is None or self.check.passed)

    def schedule_share(self, regime: str) -> float | None:
        """Time of the schedule over that of forward and backward."""
        if self.schedule is None or self.backward is None:
            return None
        return getattr(self.schedule, regime).milliseconds / _sum_ms(self, regime)

    def dense_over_sparse(self, regime: str) -> float | None:
        """How many times as long dense attention takes, forward and backward.

        As sparse attention does or, in a row of a whole step, as that does.
        """
        if self.dense is None or (self.backward is None and self.layer is None):
            return None
        if self.layer:
            sparse = getattr(self.layer.step, regime).milliseconds
        else:
            sparse = _sum_ms(self, regime)
        return _sum_ms(self.dense, regime) / sparse

    def to_json(self) -> dict[str, Any]:
        """The row in JSON types; units are in the names, rates are useful FLOP per second."""
        workload = self.row.workload
        return {
            "workload": workload.name,
            "pattern": self.row.pattern,
            "groups": self.num_groups,
            "tokens": workload.num_tokens,
            "documents": len(workload.offsets) - 1,
            "visible_pairs": self.visible_pairs,
            "causal_pairs": self.causal_pairs,
            "schedule": self.schedule and self.schedule.to_json(),
            "schedule_share": {regime: self.schedule_share(regime) for regime in REGIMES},
            "forward": self.forward and self.forward.to_json(),
            "backward": self.backward and self.backward.to_json(),
            "dense": self.dense
            and {
                "backends": self.dense.backends,
                "forward": self.dense.forward.to_json(),
                "backward": self.dense.backward.to_json(),
            },
            "dense_over_sparse": {regime: self.dense_over_sparse(regime) for regime in REGIMES},
            "select": self.select and self.select.to_json(),
            "kl": self.kl and self.kl.to_json(),
            "layer": self.layer and self.layer.to_json(),
            "check": self.check and self.check.to_json(),
            "error": self.error,
        }


def _cost_json(cost: Cost) -> dict[str, Any]:
    return {**dataclasses.asdict(cost), "flop_per_second": cost.rate}


def _sum_ms(figures: RowReport | DenseFigures, regime: str) -> float:
    costs = (getattr(part, regime) for part in (figures.forward, figures.backward))
    return sum(cost.milliseconds for cost in costs)
