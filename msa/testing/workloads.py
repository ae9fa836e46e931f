"""The token layouts that the bench can run: packed training microbatches and uniform documents."""

import bisect
import dataclasses
import functools
import importlib.resources
import json
import re

import torch

from msa.schedule import PackedDocuments, edge_capacity

PACKED_PREFIX = "packed_192k/"
"""Names `packed_192k/<case>`: the microbatches of `packed_training_shapes.json`."""

_UNIFORM = re.compile(r"uniform/([1-9][0-9]*)x([1-9][0-9]*)", re.ASCII)
_INT32_MAX = torch.iinfo(torch.int32).max


@dataclasses.dataclass(frozen=True)
class Workload:
    """Documents packed one after the other.

    Attributes:
        name: the name it was parsed from.
        offsets: where each document starts, then the number of tokens.
    """

    name: str
    offsets: tuple[int, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def num_tokens(self) -> int:
        """Tokens of all documents."""
        return self.offsets[-1]

    def cut(self, num_tokens: int) -> "Workload":
        """Returns the first `num_tokens` tokens; a document that reaches past them is cut short.

        Raises:
            ValueError: the workload has fewer tokens, or `num_tokens` is below 1.
        """
        if not 1 <= num_tokens <= self.num_tokens:
            raise ValueError(
                f"expected 1 to {self.num_tokens} tokens of {self.name}, got {num_tokens}"
            )
        kept = self.offsets[: bisect.bisect_left(self.offsets, num_tokens)]
        return dataclasses.replace(self, offsets=(*kept, num_tokens))

    def documents(self, device: torch.device) -> PackedDocuments:
        """Returns the layout, on `device`."""
        return PackedDocuments.from_cu_seqlens(torch.tensor(self.offsets)).to(device)


def parse_workload(name: str) -> Workload:
    """Returns the workload `packed_192k/<case>` or `uniform/<documents>x<length>`.

    Raises:
        ValueError: `name` is neither, or the schedule's int32 offsets cannot count its edges.
    """
    if name.startswith(PACKED_PREFIX) and (case := name[len(PACKED_PREFIX) :]) in packed_cases():
        return Workload(name, tuple(packed_cases()[case]))
    if match := _UNIFORM.fullmatch(name):
        documents, length = map(int, match.groups())
        if edge_capacity(documents * length) > _INT32_MAX:
            limit = _INT32_MAX // edge_capacity(1)
            raise ValueError(f"expected at most {limit} tokens, got {documents} x {length}")
        return Workload(name, tuple(range(0, documents * length + 1, length)))
    raise ValueError(
        f"expected {PACKED_PREFIX}<case>, with a case of {', '.join(packed_cases())}, "
        "or uniform/<documents>x<length>"
    )


@functools.cache
def packed_cases() -> dict[str, list[int]]:
    """Document offsets by case of `packed_training_shapes.json`."""
    data = importlib.resources.files("msa.testing") / "packed_training_shapes.json"
    return json.loads(data.read_text(encoding="utf-8"))["cases"]
