"""Checks the results of a layer's passes on a sample of their queries."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import torch

from msa.schedule import MSABackwardSchedule, PackedDocuments, TaskTables, check_support
from msa.testing import expected, integrity
from msa.testing.accuracy import Comparison, compare
from msa.testing.inputs import Operands
from msa.testing.sampling import sample_queries


@dataclasses.dataclass
class Results:
    """Results of the passes that ran, None for one that did not.

    Attributes:
        support: what attention ran over, int32 `[G, T, 16]`.
        selected: whether `select_blocks` chose it.
        schedule: of the support.
        tables: of the schedule.
        out: `[T, 16 G, 128]`.
        lse: `[T, 16 G]`.
        backward: `grad_out -> (dq, dk, dv)`.
        index_q_grad: of the index loss, `[T, G, 128]`.
    """

    support: torch.Tensor | None = None
    selected: bool = False
    schedule: MSABackwardSchedule | None = None
    tables: TaskTables | None = None
    out: torch.Tensor | None = None
    lse: torch.Tensor | None = None
    backward: Callable[[torch.Tensor], tuple[torch.Tensor, ...]] | None = None
    index_q_grad: torch.Tensor | None = None


@dataclasses.dataclass(frozen=True)
class CheckResult:
    """What the check looked at, and what it found.

    Attributes:
        checked: in words.
        queries: sampled queries.
        comparisons: with the float64 definition at these.
        failures: in words; none if all is well.
    """

    checked: tuple[str, ...]
    queries: int
    comparisons: tuple[Comparison, ...]
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.failures

    def __str__(self) -> str:
        if self.failures:
            return "check: FAILED: " + "; ".join(self.failures)
        text = f"check: passed ({', '.join(self.checked)})"
        if self.comparisons:
            errors = (
                f"{found.tensor} {found.relative:.1e} of {found.tolerance.relative:.0e}"
                for found in self.comparisons
            )
            text += (
                f"\n{self.queries} queries against the float64 definition, |diff|/|ref| of what is "
                f"allowed:\n{', '.join(errors)}"
            )
        return text

    def to_json(self) -> dict[str, Any]:
        """The result in JSON types; null stands for a difference that is not finite."""
        result = {"passed": self.passed, **dataclasses.asdict(self)}
        for comparison in result["comparisons"]:
            for measure in ("absolute", "relative"):
                if not math.isfinite(comparison[measure]):
                    comparison[measure] = None
        return result


def check_results(
    results: Results, operands: Operands, documents: PackedDocuments, seed: int
) -> CheckResult:
    """Checks results: selection and schedule by their rules, values by the definition.

    Args:
        results: what ran, a support at least.
        operands: of the run.
        documents: layout of its tokens.
        seed: of the sample.
    """
    queries = sample_queries(documents, seed)
    checked = ["support"]
    try:
        check_support(results.support, documents)
        if results.selected:
            checked.append(f"the selection of {len(queries)} queries")
            integrity.check_selection(
                results.support, operands.index_q, operands.index_k, documents, queries
            )
        if results.schedule is not None:
            checked.append("schedule")
            integrity.check_schedule(results.support, results.schedule, results.tables)
    except (ValueError, integrity.IntegrityError) as error:
        # Results over a wrong support or schedule are meaningless.
        return CheckResult(tuple(checked), len(queries), (), (str(error),))

    comparisons = tuple(_comparisons(results, operands, documents, queries))
    failures = tuple(
        f"{found.tensor} is off by {found.absolute:.2e} at most and {found.relative:.2e} in norm, "
        f"allowed are {found.tolerance.absolute:.2e} and {found.tolerance.relative:.2e}"
        for found in comparisons
        if not found.passed
    )
    return CheckResult(tuple(checked), len(queries), comparisons, failures)


def _comparisons(
    results: Results, operands: Operands, documents: PackedDocuments, queries: torch.Tensor
) -> list[Comparison]:
    if results.out is None:
        return []
    index_q, index_k, q, k, v, grad_out = operands
    found = {"out": results.out[queries], "lse": results.lse[queries]}
    definition = expected.attention(q, k, v, grad_out, results.support, documents, queries)
    if results.backward is not None:
        # dk and dv are sums over all queries, so grad_out is zeroed outside the sample.
        dq, dk, dv = results.backward(expected.only_at(queries, grad_out))
        found |= {"dq": dq[queries], "dk": dk, "dv": dv}
    if results.index_q_grad is not None:
        # Undo the loss's division by its G T terms, so that gradients have the same size at any T.
        terms = index_q.shape[1] * documents.num_tokens
        found["d index_q"] = results.index_q_grad[queries].double() * terms
        definition["d index_q"] = expected.index_q_grad(
            q, k, index_q, index_k, results.support, documents, queries
        )
    return [compare(name, actual, definition[name], q.dtype) for name, actual in found.items()]
