"""The rows of the GPU table: which documents, and which blocks their queries keep or select."""

from typing import NamedTuple

from msa.benchmarks.patterns import PATTERNS
from msa.benchmarks.workloads import Workload, parse_workload

ALL = "all"
"""Stands for the rows of the whole table."""

SELECT = "select"
"""Stands for a pattern in rows of the selection itself."""

LAYER = "layer"
"""Stands for a pattern in rows of a layer's whole training step, over what it selects itself."""

KL_PATTERNS = {f"kl_{name}": name for name in PATTERNS}
"""Stand for a pattern in rows of the index loss alone, over a selection of that pattern."""

KL_DENSE = "kl_dense"
"""Stands for a pattern in rows of the index loss over all keys."""

KINDS = (*PATTERNS, SELECT, LAYER, *KL_PATTERNS, KL_DENSE)
"""What the pattern of a row can be."""

_NAMES = (
    "uniform/1x32768:clustered",
    "uniform/1x32768:random",
    "uniform/1x131072:clustered",
    "uniform/1x131072:random",
    "packed_192k/2:clustered",
    "packed_192k/8:clustered",
    "packed_192k/9:clustered",
    "uniform/1x8192:select",
    "uniform/1x32768:select",
    "uniform/1x131072:select",
    "packed_192k/2:select",
    "packed_192k/9:select",
    "uniform/1x8192:kl_random",
    "uniform/1x32768:kl_random",
    "uniform/1x32768:kl_clustered",
    "uniform/1x131072:kl_random",
    "packed_192k/2:kl_clustered",
    "packed_192k/9:kl_clustered",
    "uniform/1x8192:kl_dense",
    "uniform/1x32768:layer",
    "uniform/1x131072:layer",
)


class Row(NamedTuple):
    """A row, by its documents and the name of its pattern; its own name is `workload:pattern`."""

    workload: Workload
    pattern: str

    def __str__(self) -> str:
        return f"{self.workload}:{self.pattern}"


def parse_rows(names: str) -> tuple[Row, ...]:
    """Returns the rows of a list of names with commas between them, or those of `all`.

    Raises:
        ValueError: a name is not `<workload>:<pattern>`.
    """
    return tuple(map(_parse_row, _NAMES if names == ALL else names.split(",")))


def _parse_row(name: str) -> Row:
    workload, _, pattern = name.partition(":")
    if pattern not in KINDS:
        raise ValueError(
            f"expected {ALL}, or some of <workload>:<pattern> with commas between them, with a "
            f"pattern of {', '.join(KINDS)}, got {name!r}"
        )
    return Row(parse_workload(workload), pattern)
