"""Checks the results of a run on a sample of its queries."""

import torch

from msa.benchmarks import expected, integrity
from msa.benchmarks.operands import Operands, Results
from msa.benchmarks.report import CheckResult
from msa.benchmarks.sampling import sample_queries
from msa.reference.accuracy import Comparison, compare
from msa.schedule import PackedDocuments, check_support


def check_results(
    results: Results, operands: Operands, documents: PackedDocuments, seed: int
) -> CheckResult:
    """Checks whatever ran: selection and schedule by their own rules, numbers by the definition.

    Args:
        results: what ran.
        operands: of the run.
        documents: layout of its tokens.
        seed: of the sample.
    """
    queries = sample_queries(documents, seed)
    sampled, failures = [], []
    try:
        check_support(results.support, documents)
        integrity.check_schedule(results.support, results.schedule, results.tables)
        if results.selected is not None:
            sampled.append("selection")
            check_support(results.selected, documents)
            integrity.check_selection(
                results.selected, operands.index_q, operands.index_k, documents, queries
            )
    except (ValueError, integrity.IntegrityError) as error:
        failures.append(str(error))

    comparisons = _comparisons(results, operands, documents, queries)
    failures += [
        f"{found.tensor} is off by {found.absolute:.2e} at most and {found.relative:.2e} in norm, "
        f"allowed are {found.tolerance.absolute:.2e} and {found.tolerance.relative:.2e}"
        for found in comparisons
        if not found.passed
    ]
    sampled += [found.tensor for found in comparisons]
    return CheckResult(len(queries), tuple(sampled), tuple(comparisons), tuple(failures))


def _comparisons(
    results: Results, operands: Operands, documents: PackedDocuments, queries: torch.Tensor
) -> list[Comparison]:
    if results.out is None:
        return []
    index_q, index_k, q, k, v, grad_out = operands
    found = {"out": results.out[queries], "lse": results.lse[queries]}
    definition = expected.attention(q, k, v, grad_out, results.support, documents, queries)
    if results.backward is not None:
        # dk and dv sum over all queries: those outside the sample take no part.
        dq, dk, dv = results.backward(expected.only_at(queries, grad_out))
        found |= {"dq": dq[queries], "dk": dk, "dv": dv}
    if results.index_q_grad is not None:
        # The loss divides by its G T terms. Undone, a gradient has the same size at any T.
        terms = index_q.shape[1] * documents.num_tokens
        found["d index_q"] = results.index_q_grad[queries].double() * terms
        definition["d index_q"] = expected.index_q_grad(
            q, k, index_q, index_k, results.support, documents, queries
        )
    return [compare(name, actual, definition[name], q.dtype) for name, actual in found.items()]
