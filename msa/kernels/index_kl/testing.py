"""What the index losses must give, by a definition in FP64 of its own, for tests of their kernels.

Dense over a document's keys, for some queries of one index head at a time: it knows neither work
items nor the reference's walk.
"""

import dataclasses
import itertools
from collections.abc import Callable
from typing import NamedTuple

import torch

from msa.autograd import dense_index_kl_loss, index_kl_loss, sparse_attention
from msa.kernels.runtime.testing import poison_free_memory
from msa.schedule import (
    BLOCK_SIZE,
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    SOFTMAX_SCALE,
    TOPK_BLOCKS,
    MSABackwardSchedule,
    PackedDocuments,
)
from msa.testing import patterns
from msa.testing.patterns import every_block

DEVICE = "cuda"

GRADIENT_TOLERANCE = 0.007
"""`|diff| / |ref|` of the gradients of bf16 operands."""

INDEX_SCALE = INDEX_DIM**-0.5

# Heads whose |lse| is this or more are left out.
_LSE_BOUND = 2.0**22

# Queries x heads x keys of a piece of the definition: 128 MB of float64 logits.
_PIECE = 2**24


@dataclasses.dataclass(frozen=True)
class Case:
    """A call of one of the losses, on the device.

    Attributes:
        q: `[T, 16 G, 128]`.
        k: `[T, G, 128]`.
        lse: `[T, 16 G]`.
        index_q: `[T, G, 128]`.
        index_k: `[T, 1, 128]`.
        documents: the layout.
        support: `[G, T, 16]`; None for the dense loss.
        rows: the queries that have any head whose `lse` is not infinite, int64 ascending; None: all
            may have.
    """

    q: torch.Tensor
    k: torch.Tensor
    lse: torch.Tensor
    index_q: torch.Tensor
    index_k: torch.Tensor
    documents: PackedDocuments
    support: torch.Tensor | None
    rows: torch.Tensor | None = None

    @property
    def operands(self) -> tuple[torch.Tensor, ...]:
        """`q, k, lse, index_q, index_k`."""
        return self.q, self.k, self.lse, self.index_q, self.index_k

    @property
    def pairs(self) -> int:
        """Queries times index heads: what the mean is taken over."""
        return self.index_q.shape[0] * self.index_q.shape[1]

    def only(self, rows: torch.Tensor) -> "Case":
        """The case in which the heads of all queries but `rows` are left out."""
        lse = torch.full_like(self.lse, torch.inf)
        lse[rows] = self.lse[rows]
        return dataclasses.replace(self, lse=lse, rows=rows)


class Results(NamedTuple):
    """Of a loss: the mean, the divergences `[T, G]`, and the mean's gradients."""

    loss: torch.Tensor
    divergence: torch.Tensor
    grad_q: torch.Tensor
    grad_k: torch.Tensor


def pack(lengths: tuple[int, ...]) -> PackedDocuments:
    """Documents of these lengths, on the device."""
    return PackedDocuments.from_cu_seqlens(torch.tensor([0, *lengths]).cumsum(0)).to(DEVICE)


def normals(num_tokens: int, heads: int, seed: int, scale: float = 1.0) -> torch.Tensor:
    """bf16 `[T, heads, 128]`, `scale` times unit-normal values."""
    generator = torch.Generator(DEVICE).manual_seed(seed)
    values = torch.randn(num_tokens, heads, HEAD_DIM, generator=generator, device=DEVICE)
    return values.mul_(scale).bfloat16()


def make_case(
    documents: PackedDocuments,
    support: torch.Tensor | Callable | None,
    num_groups: int = 4,
    seed: int = 0,
    scale: float = 1.0,
    query_scale: float = 1.0,
) -> Case:
    """Operands of unit-normal values times `scale`, queries times `query_scale` as well.

    `support` may be a pattern of `msa.testing.patterns`; None is the dense loss.
    """
    num_tokens = documents.num_tokens
    if callable(support):
        support = support(documents, torch.Generator(DEVICE).manual_seed(seed), num_groups)
    q = normals(num_tokens, GROUP_HEADS * num_groups, 4 * seed, scale * query_scale)
    k = normals(num_tokens, num_groups, 4 * seed + 1, scale)
    index_q = normals(num_tokens, num_groups, 4 * seed + 2, scale * query_scale)
    index_k = normals(num_tokens, 1, 4 * seed + 3, scale)
    return Case(q, k, lse_of(q, k, documents, support), index_q, index_k, documents, support)


def lse_of(
    q: torch.Tensor, k: torch.Tensor, documents: PackedDocuments, support: torch.Tensor | None
) -> torch.Tensor:
    """FP32 `lse` `[T, 16 G]` of attention over `support`, or over all keys where it is None."""
    lengths = documents.cu_seqlens.diff()
    if support is None and int(lengths.max()) <= TOPK_BLOCKS * BLOCK_SIZE:
        support = every_block(documents.to("cpu"), k.shape[1]).to(DEVICE)
    if support is not None:
        return sparse_attention(q, k, k, support, documents, return_lse=True)[1]
    lse = torch.empty(q.shape[:2], device=q.device)
    for start, rows, group in _pieces(documents, k.shape[1], None):
        heads = slice(GROUP_HEADS * group, GROUP_HEADS * (group + 1))
        keys = k[start : int(rows[-1]) + 1, group].float()
        logits = q[rows, heads].float() @ keys.t() * SOFTMAX_SCALE
        future = torch.arange(len(keys), device=q.device) > (rows - start)[:, None]
        lse[rows, heads] = logits.masked_fill_(future[:, None], -torch.inf).logsumexp(-1)
    return lse


def call(case: Case, coefficient=1.0, schedule: MSABackwardSchedule | None = None, leaves=None):
    """`loss, divergence` of the public function; `leaves` in place of the index operands."""
    index = leaves or (case.index_q, case.index_k)
    options = {"coefficient": coefficient, "return_divergence": True}
    if case.support is None:
        return dense_index_kl_loss(*case.operands[:3], *index, case.documents, **options)
    return index_kl_loss(
        *case.operands[:3], *index, case.support, case.documents, schedule=schedule, **options
    )


def run(case: Case, coefficient=1.0, schedule: MSABackwardSchedule | None = None) -> Results:
    """The loss and its gradients by the public function."""
    leaves = [x.detach().requires_grad_() for x in (case.index_q, case.index_k)]
    loss, divergence = call(case, coefficient, schedule, leaves)
    return Results(loss.detach(), divergence, *torch.autograd.grad(loss, leaves))


def run_poisoned(case: Case, coefficient=1.0) -> Results:
    """`run` in memory that holds NaN."""
    poison_free_memory(1 << 28)
    return run(case, coefficient)


def define(case: Case, rows: torch.Tensor | None = None) -> Results:
    """What `run` must give, in FP64.

    Args:
        case: the call.
        rows: the queries that are looked at, int64 ascending; all where None. The loss is the sum
            of these over the number of all, and `grad_k` what these give.
    """
    num_tokens, groups = case.index_q.shape[:2]
    divergence = torch.zeros(num_tokens, groups, device=case.q.device, dtype=torch.float64)
    grad_q = torch.zeros_like(case.index_q, dtype=torch.float64)
    grad_k = torch.zeros_like(case.index_k, dtype=torch.float64)
    for start, some, group in _pieces(case.documents, groups, rows):
        end = int(some[-1]) + 1
        hidden = _hidden(case, start, some, group)
        teacher, is_kept = _teacher(case, start, some, group, hidden)
        index_q = case.index_q[some, group].double()
        index_k = case.index_k[start:end, 0].double()
        logits = (index_q @ index_k.t() * INDEX_SCALE).masked_fill_(hidden, -torch.inf)
        student_log = logits.log_softmax(-1)
        terms = torch.xlogy(teacher, teacher) - teacher * student_log
        terms.masked_fill_(hidden | (teacher == 0), 0)
        divergence[some, group] = terms.sum(-1).masked_fill(~is_kept, 0)
        difference = student_log.exp() - teacher
        difference.masked_fill_(hidden | ~is_kept[:, None], 0).mul_(INDEX_SCALE / case.pairs)
        grad_q[some, group] = difference @ index_k
        grad_k[start:end, 0] += difference.t() @ index_q
    return Results(divergence.sum() / case.pairs, divergence, grad_q, grad_k)


def _pieces(documents: PackedDocuments, groups: int, rows: torch.Tensor | None):
    """Yields `(start of a document, some of its rows, group)`, so that all logits fit."""
    offsets = documents.cu_seqlens.tolist()
    if rows is None:
        rows = torch.arange(documents.num_tokens, device=documents.device)
    bounds = torch.searchsorted(rows, documents.cu_seqlens.to(rows)).tolist()
    for start, first, last in zip(offsets, bounds, bounds[1:], strict=False):
        inside = rows[first:last]
        if first == last:
            continue
        length = int(inside[-1]) + 1 - start
        pieces = inside.split(max(1, _PIECE // (GROUP_HEADS * length)))
        for some, group in itertools.product(pieces, range(groups)):
            yield start, some, group


def _hidden(case: Case, start: int, rows: torch.Tensor, group: int) -> torch.Tensor:
    """bool `[rows, keys]`, the keys of the document up to the last row that a row does not see."""
    positions = rows - start
    keys = torch.arange(int(positions[-1]) + 1, device=rows.device)
    hidden = keys > positions[:, None]
    if case.support is None:
        return hidden
    own = (positions // BLOCK_SIZE)[:, None]
    ids = case.support[group, rows].long()
    ids = torch.where((ids >= 0) & (ids <= own), ids, own + 1)  # into a block that none sees
    selected = torch.zeros(len(rows), int(own[-1]) + 2, dtype=torch.bool, device=rows.device)
    selected.scatter_(1, ids, True)
    return hidden | ~selected[:, keys // BLOCK_SIZE]


def _teacher(
    case: Case, start: int, rows: torch.Tensor, group: int, hidden: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The mean of the heads that are kept `[rows, keys]`, and whether there is one and a key."""
    heads = slice(GROUP_HEADS * group, GROUP_HEADS * (group + 1))
    keys = case.k[start : start + hidden.shape[1], group].double()
    logits = case.q[rows, heads].double() @ keys.t() * SOFTMAX_SCALE
    weights = logits.masked_fill_(hidden[:, None], -torch.inf).softmax(-1)
    kept = case.lse[rows, heads].abs() < _LSE_BOUND
    mean = weights.masked_fill_(~kept[..., None], 0).sum(1) / kept.sum(1, keepdim=True).clamp(min=1)
    return mean, kept.any(1) & ~hidden.all(1)


def one_key(case: Case) -> tuple[float, float]:
    """The size of the gradients of the sum that a (query, key) pair gives to query and key."""
    return tuple(
        INDEX_SCALE * x.double().norm(dim=-1).nan_to_num().max().item()
        for x in (case.index_k, case.index_q)
    )


def assert_gradients(
    found: Results,
    wanted: Results,
    case: Case,
    rows: torch.Tensor | slice = slice(None),
    tolerance: float = GRADIENT_TOLERANCE,
) -> None:
    """Asserts that gradients at some rows are finite, bf16, and as near as the contract says."""
    for name, unit in zip(("grad_q", "grad_k"), one_key(case), strict=True):
        gradient, truth = getattr(found, name)[rows], getattr(wanted, name)[rows]
        assert gradient.dtype == torch.bfloat16, name
        assert gradient.isfinite().all(), f"{name} is not finite"
        difference, norm = (gradient.double() - truth).norm().item(), truth.norm().item()
        zero = 1e-5 * unit / case.pairs * gradient[..., 0].numel() ** 0.5
        assert difference <= tolerance * norm + zero, f"{name}: {difference:.3e} of {norm:.3e}"


def assert_divergence(found: torch.Tensor, wanted: torch.Tensor) -> None:
    """Asserts that divergences are near, and not below 0 beyond rounding."""
    assert found.dtype == torch.float32
    wrong = ~((found - wanted).abs() <= 1e-3 * wanted + 1e-4)  # NaN is wrong, too
    assert not wrong.any(), (
        f"{int(wrong.sum())} divergences, at first {wrong.nonzero()[0].tolist()}: expected "
        f"{wanted[wrong][0].item()}, got {found[wrong][0].item()}"
    )


def assert_right(found: Results, case: Case, tolerance: float = GRADIENT_TOLERANCE) -> None:
    """Asserts that `found` is what `case` must give, of a coefficient of 1."""
    wanted = define(case, case.rows)
    loss = wanted.loss.item()
    assert found.loss.dtype == torch.float32
    assert abs(found.loss.item() - loss) <= 1e-3 * loss + 1e-5, f"expected {loss}, got {found.loss}"
    assert_divergence(found.divergence, wanted.divergence)
    assert_gradients(found, wanted, case, tolerance=tolerance)


def assert_right_at(found: Results, case: Case, rows: torch.Tensor) -> None:
    """The same of what some queries have for themselves: divergences and rows of `grad_q`."""
    wanted = define(case, rows)
    assert_divergence(found.divergence[rows], wanted.divergence[rows])
    assert_gradients(found, wanted._replace(grad_k=found.grad_k), case, rows)


def sample(num_tokens: int, count: int, seed: int = 0) -> torch.Tensor:
    """Some rows, ascending, the last ones among them."""
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randint(num_tokens, (count,), generator=generator)
    return torch.cat([rows, torch.arange(max(0, num_tokens - 40), num_tokens)]).unique().to(DEVICE)


PATTERNS = {"random": patterns.random, "clustered": patterns.clustered, "dense": None}
"""What a case may be of: selections, or the dense loss."""
