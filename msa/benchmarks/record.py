"""What a run of the bench found; its JSON has these fields, units in their names."""

import dataclasses
import statistics
from typing import Any

from msa.benchmarks.device import Clock, KernelTime
from msa.benchmarks.timing import Times
from msa.testing.check import CheckResult

MSA = "msa"
"""The value of `Pass.by` for this repository's passes."""
BOTH = "forward + backward"
STEP = "step"
GRAPHED = ("select", "schedule", "tables", "kl")
"""Passes that are timed as a CUDA graph on a GPU, which can do them faster than the host launches
their kernels."""


@dataclasses.dataclass(frozen=True)
class Pass:
    """An operation, measured."""

    name: str  # what it does
    by: str  # what does it, `MSA` or a baseline
    sustained_ms: float  # median of runs back to back
    spaced_ms: float | None  # median of runs with rests between them; None on a CPU
    runs: int | None  # how many of them are back to back; None for a sum of operations
    flop: int | None  # useful FLOP, None where they are not counted
    peak_bytes: int | None = None  # how far memory grew at most, results included
    sm_mhz: float | None = None  # median SM clock of the sustained runs, None where it was not read
    power_capped: float | None = None  # share of its samples at which the power limit held it down

    @classmethod
    def of(
        cls, name: str, by: str, times: Times, flop: int | None, clock: Clock | None = None
    ) -> "Pass":
        """A pass by its times, and by a clock that watched the sustained ones."""
        spaced_ms = statistics.median(times.spaced_ms) if times.spaced_ms else None
        return cls(
            name,
            by,
            statistics.median(times.sustained_ms),
            spaced_ms,
            len(times.sustained_ms),
            flop,
            times.peak_bytes,
            clock and clock.median_mhz,
            clock and clock.power_capped,
        )

    @property
    def rate(self) -> float | None:
        """Useful FLOP per second, sustained."""
        return self.flop and self.flop / (self.sustained_ms / 1e3)

    @property
    def spaced_rate(self) -> float | None:
        """Useful FLOP per second, with rests."""
        return self.flop and self.spaced_ms and self.flop / (self.spaced_ms / 1e3)


@dataclasses.dataclass
class RowRecord:
    """A row, filled in as it is measured."""

    workload: str  # name of its documents
    kind: str  # what of a layer is measured
    groups: int  # KV groups, each of 16 query heads
    tokens: int  # of all documents
    documents: int
    causal_pairs: int  # (query, key) pairs of dense causal attention in one head
    visible_pairs: float | None = None  # those selected of a group, on average
    passes: list[Pass] = dataclasses.field(default_factory=list)  # in the order they ran
    kernels: list[KernelTime] = dataclasses.field(default_factory=list)  # the longest first
    notes: list[str] = dataclasses.field(default_factory=list)
    check: CheckResult | None = None  # None if there was none
    error: str | None = None  # what broke off the measurement

    @property
    def passed(self) -> bool:
        """Whether nothing broke, and no result was found wrong."""
        return self.error is None and (self.check is None or self.check.passed)

    def find(self, name: str, by: str = MSA) -> Pass | None:
        """The pass of a name; forward and backward can be asked for together."""
        if name == BOTH:
            parts = [self.find("forward", by), self.find("backward", by)]
            return _sum(*parts) if all(parts) else None
        return next((x for x in self.passes if (x.name, x.by) == (name, by)), None)

    def whole(self, by: str = MSA) -> Pass | None:
        """The step; where there is none forward and backward together, or else the one pass."""
        own = [x for x in self.passes if x.by == by]
        return self.find(STEP, by) or self.find(BOTH, by) or (own[-1] if len(own) == 1 else None)

    def over_msa(self, name: str, by: str, spaced: bool = False) -> float | None:
        """How many times as long a baseline takes for a pass.

        Forward and backward of attention alone stand against the whole step where a row has one.
        """
        ours = self.find(name)
        if name == BOTH:
            ours = self.find(STEP) or ours
        theirs = self.find(name, by)
        if not ours or not theirs or by == MSA:
            return None
        regime = "spaced_ms" if spaced else "sustained_ms"
        times = getattr(theirs, regime), getattr(ours, regime)
        return times[0] / times[1] if all(times) else None


@dataclasses.dataclass
class Run:
    """A run of the bench."""

    device: str  # its name
    torch_version: str
    cudnn_version: int | None  # None on a CPU
    threads: int  # of torch on the CPU
    dtype: str  # of the operands
    operators: str  # "kernels" or "plain torch"
    mode: str  # of the kernels, "fast" or "deterministic"
    seed: int  # of the random operands
    ceiling: Pass  # `torch.mm` of two square matrices
    rows: list[RowRecord] = dataclasses.field(default_factory=list)  # in the order they ran

    def to_json(self) -> dict[str, Any]:
        """The run in JSON types."""
        fields = dataclasses.asdict(self)
        for row, out in zip(self.rows, fields["rows"], strict=True):
            out["check"] = row.check and row.check.to_json()
        return fields

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Run":
        """The run that `to_json` wrote, without its checks.

        Raises:
            ValueError: `fields` are not those of a run.
        """
        try:
            rows = [
                RowRecord(
                    **{
                        **row,
                        "passes": [Pass(**part) for part in row["passes"]],
                        "kernels": [KernelTime(**kernel) for kernel in row["kernels"]],
                        "check": None,
                    }
                )
                for row in fields["rows"]
            ]
            return cls(**{**fields, "ceiling": Pass(**fields["ceiling"]), "rows": rows})
        except (KeyError, TypeError) as error:
            raise ValueError(f"expected the report of a run, as JSON; got none: {error}") from error


def _sum(*parts: Pass) -> Pass:
    """Operations one after the other."""
    spaced = [x.spaced_ms for x in parts]
    clocks = [x.sm_mhz for x in parts if x.sm_mhz]
    return Pass(
        BOTH,
        parts[0].by,
        sum(x.sustained_ms for x in parts),
        None if None in spaced else sum(spaced),
        None,
        sum(x.flop for x in parts),
        sm_mhz=min(clocks, default=None),
        power_capped=max((x.power_capped for x in parts if x.sm_mhz), default=None),
    )
