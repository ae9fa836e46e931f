"""Prints how evenly plans divide packed microbatches: `bazel run //msa/distributed:balance`.

Of each microbatch and number of ranks, the cost of the costliest rank over the mean, and the share
of all keys that a rank needs at most, by three rules:

    plan        `plan_context`
    contiguous  equal numbers of tokens, in order
    head-tail   of each document, cut into two pieces a rank, the n-th and the n-th from its end

A rank that needs all keys of a call receives as many as an all-gather would bring.
"""

import itertools
import math
from collections.abc import Iterator

import tabulate
import torch
from absl import app, flags

from msa.distributed.plan import Fragment, cost_of, plan_context
from msa.testing.workloads import PACKED_PREFIX, packed_cases, parse_workload

_RANKS = flags.DEFINE_list("ranks", ["2", "4", "8", "16", "32", "64"], "Numbers of ranks.")
_CHUNK = flags.DEFINE_integer("chunk_tokens", 1024, "Tokens of a chunk of the plan.")

Split = list[list[Fragment]]


def planned(offsets: tuple[int, ...], ranks: int, chunk_tokens: int) -> Split:
    """The fragments of `plan_context`."""
    plan = plan_context(torch.tensor(offsets), ranks, chunk_tokens=chunk_tokens)
    return [list(fragments) for fragments in plan.fragments]


def contiguous(offsets: tuple[int, ...], ranks: int) -> Split:
    """Equal numbers of tokens to each rank, in order."""
    ends = [offsets[-1] * (rank + 1) // ranks for rank in range(ranks)]
    split: Split = []
    for begin, end in zip([0, *ends], ends, strict=False):
        bounds = [(d, max(a, begin), min(b, end)) for d, a, b in _documents(offsets)]
        split.append([Fragment(d, a - offsets[d], b - a) for d, a, b in bounds if a < b])
    return split


def head_tail(offsets: tuple[int, ...], ranks: int) -> Split:
    """Of each document the n-th and the n-th last of two pieces a rank."""
    split: Split = [[] for _ in range(ranks)]
    for document, first, after in _documents(offsets):
        cuts = [(after - first) * piece // (2 * ranks) for piece in range(2 * ranks + 1)]
        for piece, (start, end) in enumerate(itertools.pairwise(cuts)):
            if start < end:
                rank = min(piece, 2 * ranks - 1 - piece)
                split[rank].append(Fragment(document, start, end - start))
    return split


def imbalance(split: Split) -> float:
    """The largest cost of a rank over the mean."""
    costs = [cost_of(fragments) for fragments in split]
    return max(costs) * len(costs) / math.fsum(costs)


def key_share(split: Split, num_tokens: int) -> float:
    """The largest share of all keys that a rank needs: of each document, up to its last token."""

    def keys(fragments: list[Fragment]) -> int:
        ends: dict[int, int] = {}
        for fragment in fragments:
            ends[fragment.document] = max(fragment.end, ends.get(fragment.document, 0))
        return sum(ends.values())

    return max(map(keys, split)) / num_tokens


def rows(ranks: list[int], chunk_tokens: int) -> Iterator[list]:
    """The lines of the table."""
    for case in packed_cases():
        workload = parse_workload(PACKED_PREFIX + case)
        offsets = workload.offsets
        for number in ranks:
            splits = (
                planned(offsets, number, chunk_tokens),
                contiguous(offsets, number),
                head_tail(offsets, number),
            )
            shares = [100 * key_share(split, offsets[-1]) for split in splits]
            yield [workload.name, len(offsets) - 1, number, *map(imbalance, splits), *shares]


def _documents(offsets: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    for document, (first, after) in enumerate(itertools.pairwise(offsets)):
        yield document, first, after


def main(_: list[str]) -> None:
    """Prints the table."""
    names = ("plan", "contiguous", "head-tail")
    headers = ["microbatch", "documents", "ranks", *names, *(f"% of keys, {n}" for n in names)]
    table = rows([int(number) for number in _RANKS.value], _CHUNK.value)
    formats = ("", "", "", ".3f", ".3f", ".3f", ".0f", ".0f", ".0f")
    print(tabulate.tabulate(table, headers, floatfmt=formats))


if __name__ == "__main__":
    app.run(main)
