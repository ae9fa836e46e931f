"""The rows that can be measured: documents, and passes of a layer."""

from typing import NamedTuple

from msa.testing.patterns import PATTERNS
from msa.testing.workloads import Workload, parse_workload

INDEXER = "indexer"
"""The selection that `select_blocks` makes of random index vectors."""

ATTENTION = ("forward", "backward")


class Kind(NamedTuple):
    """What a row measures.

    Attributes:
        selection: where its support comes from, `INDEXER` or one of `PATTERNS`; None: all keys.
        passes: what is measured, in the order in which it runs.
        baselines: whether dense attention and other packages are measured as well.
    """

    selection: str | None
    passes: tuple[str, ...]
    baselines: bool = False

    @property
    def has_attention(self) -> bool:
        """Whether it needs the operands of attention."""
        return not {"forward", "kl"}.isdisjoint(self.passes)


_SCHEDULE = ("schedule", "tables")

KINDS = {
    INDEXER: Kind(INDEXER, ("select", *_SCHEDULE, *ATTENTION), baselines=True),
    **{name: Kind(name, (*_SCHEDULE, *ATTENTION), baselines=True) for name in PATTERNS},
    "layer": Kind(INDEXER, ("select", "schedule", "forward", "kl", "backward", "step"), True),
    "select": Kind(INDEXER, ("select",)),
    **{f"schedule_{name}": Kind(name, _SCHEDULE) for name in PATTERNS},
    **{f"kl_{name}": Kind(name, ("kl",)) for name in PATTERNS},
    "kl_dense": Kind(None, ("kl",)),
}
"""By name. `kl` is the index loss with its gradients, `step` a layer's whole training step: all of
its passes in one."""


def _names(workload: str, *kinds: str) -> list[str]:
    return [f"{workload}:{kind}" for kind in kinds]


SETS = {
    "all": (
        *_names("uniform/1x8192", "select", "kl_random", "kl_dense"),
        *_names("uniform/1x32768", "clustered", "random", "select", "kl_random", "kl_clustered"),
        *_names("uniform/1x131072", "clustered", "random", "select", "kl_random"),
        *_names("packed_192k/2", "clustered", "select", "kl_clustered"),
        *_names("packed_192k/8", "clustered"),
        *_names("packed_192k/9", "clustered", "select", "kl_clustered"),
        *_names("uniform/1x1048576", "schedule_random"),
        *_names("uniform/1x32768", "layer"),
        *_names("uniform/1x131072", "layer"),
    ),
    "lengths": tuple(f"uniform/1x{2**log}:layer" for log in range(13, 21)),
}
"""Names that stand for several rows: `lengths` are whole layers of 8K to 1M tokens."""


class Row(NamedTuple):
    """A row by its documents and the name of its kind; its own name is `workload:kind`."""

    workload: Workload
    kind: str

    def __str__(self) -> str:
        return f"{self.workload}:{self.kind}"


def parse_rows(names: str) -> tuple[Row, ...]:
    """Returns the rows of a list of names with commas between them, sets among them.

    Raises:
        ValueError: a name is neither a set nor `<workload>:<kind>`.
    """
    return tuple(_parse_row(row) for name in names.split(",") for row in SETS.get(name, (name,)))


def _parse_row(name: str) -> Row:
    workload, _, kind = name.partition(":")
    if kind not in KINDS:
        raise ValueError(
            f"expected some of {', '.join(SETS)} and <workload>:<kind>, with commas between them "
            f"and a kind of {', '.join(KINDS)}, got {name!r}"
        )
    return Row(parse_workload(workload), kind)
