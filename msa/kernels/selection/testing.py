"""What selection must give, by an independent definition in FP64, for the tests of its kernels."""

import dataclasses

import torch

from msa.schedule.topology import BLOCK_SIZE, INDEX_DIM, TOPK_BLOCKS

MARGIN = 2.0**-16
"""Blocks may be exchanged whose scores lie closer than this, times the sum of magnitudes."""

_QUERIES_AT_A_TIME = 512
_UNSEEN_RANK = 1 << 30
_FORCED, _FREE, _UNSEEN = 0, 1, 2  # in the order in which blocks are kept


@dataclasses.dataclass(frozen=True)
class Case:
    """A call of `select_blocks`.

    Attributes:
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`.
        offsets: where each document starts, then T.
        init_blocks: forced blocks at the start.
        local_blocks: forced blocks at the end.
    """

    index_q: torch.Tensor
    index_k: torch.Tensor
    offsets: tuple[int, ...]
    init_blocks: int = 0
    local_blocks: int = 1

    @property
    def cu_seqlens(self) -> torch.Tensor:
        """int32 `[documents + 1]`."""
        return torch.tensor(self.offsets, dtype=torch.int32, device=self.index_q.device)

    @property
    def positions(self) -> torch.Tensor:
        """int64 `[T]`, of each token in its document."""
        offsets = self.cu_seqlens.long()
        rows = torch.arange(self.offsets[-1], device=offsets.device)
        return rows - offsets[torch.searchsorted(offsets, rows, right=True) - 1]


def offsets_of(*lengths: int) -> tuple[int, ...]:
    """Document offsets by lengths."""
    offsets = [0]
    for length in lengths:
        offsets.append(offsets[-1] + length)
    return tuple(offsets)


def assert_selects(
    support: torch.Tensor, case: Case, *, exact: bool, rows: torch.Tensor | None = None
) -> None:
    """Asserts that `support` is right: as a whole in form, at `rows`, or all, in what it keeps.

    `exact` is for integer inputs; else blocks may be exchanged within the margin.
    """
    _assert_form(support, case)
    if rows is None:
        rows = torch.arange(case.offsets[-1], device=support.device)
    bounds = zip(case.offsets[:-1], case.offsets[1:], strict=True)
    for start, end in bounds:
        inside = rows[(rows >= start) & (rows < end)]
        for some in inside.split(_QUERIES_AT_A_TIME) if len(inside) else ():
            _assert_rows(support, case, start, some, exact)


def _assert_form(support: torch.Tensor, case: Case) -> None:
    """Whether there are `min(16, candidates)` ids, ascending, then -1, up to the query's own."""
    assert support.dtype == torch.int32
    assert tuple(support.shape) == (case.index_q.shape[1], case.offsets[-1], TOPK_BLOCKS)
    own = (case.positions // BLOCK_SIZE)[:, None]
    slots = torch.arange(TOPK_BLOCKS, device=support.device)
    is_kept = slots <= own
    assert ((support >= 0) == is_kept).all()
    assert (support[..., 1:] > support[..., :-1])[:, is_kept[:, 1:]].all()
    assert (support.masked_fill(~is_kept, -1) <= own).all()
    assert (support[:, ~is_kept] == -1).all()


def _assert_rows(
    support: torch.Tensor, case: Case, start: int, rows: torch.Tensor, exact: bool
) -> None:
    positions = rows - start
    keys = case.index_k[start : start + int(positions[-1]) + 1, 0]
    queries = case.index_q[rows]
    scores = _block_maxima(queries.double(), keys.double(), positions)
    ranks = _ranks(scores, positions // BLOCK_SIZE, case)
    kept = torch.zeros_like(ranks, dtype=torch.bool)
    ids = support[:, rows].transpose(0, 1).long()
    kept.scatter_(-1, ids.clamp(min=0), True)
    unlike = (kept != (ranks < TOPK_BLOCKS)) & (ranks < _UNSEEN_RANK)
    if exact:
        assert not unlike.any(), _describe(unlike, rows, ids, ranks, scores)
        return
    wrong = unlike.any(-1).nonzero()
    if not len(wrong):
        return
    weights = _block_maxima(queries.double().abs(), keys.double().abs(), positions)
    for i, head in wrong.tolist():
        score, weight, row = scores[i, head], weights[i, head], unlike[i, head]
        here, there = (row & kept[i, head]).nonzero(), (row & ~kept[i, head]).nonzero()
        gap = score[there.t()] - score[here]
        allowed = MARGIN * torch.maximum(weight[there.t()], weight[here])
        assert (gap <= allowed).all(), _describe(unlike, rows, ids, ranks, scores)


def _block_maxima(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor
) -> torch.Tensor:
    """`[n, G, blocks]` of queries `[n, G, 128]` and keys up to the last query's; -inf unseen."""
    keys = torch.nn.functional.pad(keys, (0, 0, 0, -len(keys) % BLOCK_SIZE))
    products = (queries.reshape(-1, INDEX_DIM) @ keys.t()).view(*queries.shape[:2], -1)
    future = torch.arange(len(keys), device=keys.device) > positions[:, None]
    products.masked_fill_(future[:, None], -torch.inf)
    return products.unflatten(-1, (-1, BLOCK_SIZE)).amax(-1)


def _ranks(scores: torch.Tensor, own: torch.Tensor, case: Case) -> torch.Tensor:
    """The place of each block in the order in which they are kept; a large one if it is unseen."""
    own = own[:, None, None]
    blocks = torch.arange(scores.shape[-1], device=scores.device).expand_as(scores)
    kind = torch.full_like(blocks, _FREE)
    kind[(blocks < case.init_blocks) | (blocks > own - case.local_blocks)] = _FORCED
    kind[blocks > own] = _UNSEEN
    # NaN as inf, and -0 as 0. Of equal scores and kinds the lower id comes first.
    values = torch.where(scores.isnan(), torch.inf, scores) + 0.0
    order = values.sort(dim=-1, descending=True, stable=True).indices
    order = order.gather(-1, kind.gather(-1, order).sort(dim=-1, stable=True).indices)
    ranks = torch.empty_like(order).scatter_(-1, order, blocks)
    return ranks.masked_fill(blocks > own, _UNSEEN_RANK)


def _describe(unlike, rows, ids, ranks, scores) -> str:
    i, head = unlike.any(-1).nonzero()[0].tolist()
    expected = (ranks[i, head] < TOPK_BLOCKS).nonzero().flatten().tolist()
    blocks = unlike[i, head].nonzero().flatten()
    return (
        f"{int(unlike.any(-1).sum())} rows; query {int(rows[i])}, head {head}: expected "
        f"{expected}, got {ids[i, head].tolist()}; scores of blocks {blocks.tolist()} are "
        f"{scores[i, head, blocks].tolist()}"
    )
