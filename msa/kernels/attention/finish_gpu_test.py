"""The kernel that ends a forward, in both modes, against float64."""

import dataclasses
import math

import pytest
import torch

from msa.kernels.attention import plan
from msa.kernels.attention.interface import (
    BOUND_FIELDS,
    FINISH_FAST,
    FINISH_FIXED,
    FIXED_ONE,
    NAN_OUT,
    NO_REFERENCE,
    SUM_ONE,
)
from msa.kernels.runtime.testing import fragment_order, needs_gpu, poison
from msa.schedule.topology import SOFTMAX_SCALE

pytestmark = needs_gpu

# Of 4 groups each.
NUM_TOKENS = pytest.mark.parametrize("num_tokens", [1, 2, 3, 7, 8, 9, 31, 32, 33, 250])
# Half a unit in the last place of bf16, and what FP32 adds to it.
BF16_ROUNDING = 2.0**-8 * 1.001
other_counts = pytest.mark.parametrize("groups", [1, 2, 8])


@dataclasses.dataclass
class Buffers:
    """What `finish` reads and writes, on the GPU: of each row, a token and head, and `flagged`.

    `pool` has the heads of a token side by side, as all else.
    """

    pool: torch.Tensor
    sums: torch.Tensor
    references: torch.Tensor
    bounds: torch.Tensor
    flags: torch.Tensor
    flagged: torch.Tensor
    out: torch.Tensor
    lse: torch.Tensor

    def copy(self) -> "Buffers":
        return Buffers(*(getattr(self, f.name).clone() for f in dataclasses.fields(self)))


def buffers(pool: torch.Tensor, sums: torch.Tensor, **others: torch.Tensor) -> Buffers:
    """The given ones, and poison for what is not given."""
    num_rows = len(sums)

    def empty(*shape: int, dtype: torch.dtype) -> torch.Tensor:
        return poison(torch.empty(shape, dtype=dtype, device="cuda"))

    result = {
        "references": empty(num_rows, 16, dtype=torch.int32),
        "bounds": empty(num_rows, BOUND_FIELDS, dtype=torch.float32),
        "flags": empty(num_rows, dtype=torch.int32),
        "flagged": empty(1, dtype=torch.int32),
        "out": empty(num_rows, 16, 128, dtype=torch.bfloat16),
        "lse": empty(num_rows, 16, dtype=torch.float32),
    }
    return Buffers(pool.cuda(), sums.cuda(), **result | {k: x.cuda() for k, x in others.items()})


def run(
    mode: int,
    b: Buffers,
    filtered: bool = False,
    heads: range | None = None,
    groups: int = 4,
) -> None:
    """Ends the rows of `heads`, of all where there are none, of `groups` for each token."""
    heads = heads or range(groups)
    of_heads = b.pool.unflatten(0, (-1, groups))[:, heads.start : heads.stop]
    num_tokens = of_heads.shape[0]
    # Between others, which are not to be touched.
    memory = poison(b.pool.new_empty((len(heads) + 2, num_tokens, *b.pool.shape[1:])))
    pool = memory[1:-1].copy_(of_heads.transpose(0, 1))
    plan.FINISH(
        b.out.device,
        mode=mode,
        pool=pool.view(len(heads) * num_tokens, -1),
        sums=b.sums.view(num_tokens, -1),
        references=b.references.view(num_tokens, -1),
        bounds=b.bounds.view(num_tokens, groups, -1),
        flags=b.flags.view(num_tokens, groups),
        filtered=int(filtered),
        flagged=b.flagged,
        out=b.out.view(num_tokens, -1, 128),
        lse=b.lse.view(num_tokens, -1),
        num_tokens=num_tokens,
        num_groups=groups,
        first_head=heads.start,
        num_heads=len(heads),
    )
    of_heads.copy_(pool.transpose(0, 1))
    for others in (memory[0], memory[-1]):
        expected = poison(torch.empty_like(others))
        assert torch.equal(others.view(torch.int16), expected.view(torch.int16))


def assert_unchanged(actual: Buffers, before: Buffers, rows=slice(None), *names: str) -> None:
    """Asserts the same bits in the fields `names`, in `rows` of those that have rows."""
    for name in names:
        rows_of_field = slice(None) if name == "flagged" else rows
        one, other = (getattr(b, name)[rows_of_field].view(torch.int16) for b in (actual, before))
        assert torch.equal(one, other), name


def assert_rounded(out: torch.Tensor, expected: torch.Tensor) -> None:
    """Asserts that bf16 `out` is `expected`, up to one rounding."""
    assert ((out.double() - expected).abs() <= BF16_ROUNDING * expected.abs()).all()


def fast_buffers(num_rows: int, seed: int) -> Buffers:
    """Pools and sums of very different sizes, all within range."""
    generator = torch.Generator().manual_seed(seed)
    size = torch.randint(-30, 30, (num_rows, 1, 16, 1), generator=generator)
    pool = torch.randn(num_rows, 2, 16, 128, generator=generator).ldexp(size).bfloat16()
    exponent = 120 * torch.rand(num_rows, 16, generator=generator) - 60
    return buffers(pool, exponent.exp2())


def assert_fast(b: Buffers, before: Buffers, rows=slice(None)) -> None:
    """Asserts the outputs of rows that are not flagged."""
    total = before.sums[rows].double()
    assert_rounded(b.out[rows], before.pool[rows].double().sum(1) / total[..., None])
    torch.testing.assert_close(b.lse[rows].double(), total.log(), rtol=1e-6, atol=1e-6)
    assert (b.flags[rows] == 0).all()
    assert_unchanged(b, before, rows, "pool", "sums", "references")


class TestFast:
    @NUM_TOKENS
    def test_against_float64(self, num_tokens):
        b = fast_buffers(4 * num_tokens, seed=num_tokens)
        before = b.copy()
        run(FINISH_FAST, b)
        assert_fast(b, before)
        assert_unchanged(b, before, slice(None), "flagged", "bounds")

    @other_counts
    def test_any_number_of_groups(self, groups):
        b = fast_buffers(8 * 33, seed=groups)
        before = b.copy()
        run(FINISH_FAST, b, groups=groups)
        assert_fast(b, before)

    @pytest.mark.parametrize("total", [2.0**-64, 2.0**64])
    def test_the_borders_are_within_range(self, total):
        b = fast_buffers(8, seed=1)
        b.sums[3, 5] = total
        before = b.copy()
        run(FINISH_FAST, b)
        assert_fast(b, before)

    @pytest.mark.parametrize("head", [0, 7, 15])
    @pytest.mark.parametrize(
        "total",
        [0.0, -0.0, -1.0, 2.0**-64 * 0.999, 2.0**64 * 1.001, math.inf, -math.inf, math.nan, 1e-45],
    )
    def test_a_sum_out_of_range(self, total, head):
        b = fast_buffers(12, seed=2)
        b.sums[4, head] = total
        self.check_flagged(b, [4])

    @pytest.mark.parametrize("pool", [0, 1])
    @pytest.mark.parametrize("head, channel", [(0, 0), (0, 127), (9, 64), (15, 1), (15, 127)])
    @pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
    def test_a_value_that_is_not_finite(self, value, pool, head, channel):
        b = fast_buffers(12, seed=3)
        b.pool[8, pool, head, channel] = value
        self.check_flagged(b, [8])

    @pytest.mark.parametrize("values", [(math.inf, -math.inf), (3e38, 3e38)])
    def test_values_that_do_not_add(self, values):
        b = fast_buffers(12, seed=4)
        b.pool[0, :, 3, 50] = torch.tensor(values, dtype=torch.bfloat16)
        self.check_flagged(b, [0])

    def test_many_rows_at_once(self):
        b = fast_buffers(2000, seed=5)
        flagged = torch.randperm(2000, generator=torch.Generator().manual_seed(6))[:700].tolist()
        for row in flagged[:300]:
            b.sums[row, row % 16] = 0
        for row in flagged[300:]:
            b.pool[row, row % 2, row % 16, row % 128] = math.nan
        self.check_flagged(b, flagged)

    def test_every_row(self):
        b = fast_buffers(780, seed=7)
        b.sums.zero_()
        self.check_flagged(b, list(range(780)))

    @staticmethod
    def check_flagged(b: Buffers, flagged: list[int]) -> None:
        b.flagged[0] = 5
        before = b.copy()
        run(FINISH_FAST, b)
        is_flagged = torch.zeros(len(b.flags), dtype=torch.bool, device="cuda")
        is_flagged[flagged] = True
        assert (b.flags[is_flagged] == 1).all()
        # By their bits: nothing is negative zero, as which an integer is not zero.
        assert not b.pool[is_flagged].view(torch.int16).any()
        assert not b.sums[is_flagged].view(torch.int32).any()
        assert (b.references[is_flagged] == NO_REFERENCE).all()
        assert_unchanged(b, before, is_flagged, "out", "lse")
        assert_fast(b, before, ~is_flagged)
        assert b.flagged.tolist() == [5 + len(flagged)]
        assert_unchanged(b, before, slice(None), "bounds")


def ordered(score: torch.Tensor) -> torch.Tensor:
    """The integers that order as FP32 scores do."""
    bits = score.view(torch.int32)
    return torch.where(bits < 0, bits ^ 0x7FFFFFFF, bits)


def fixed_buffers(num_rows: int, seed: int) -> tuple[Buffers, torch.Tensor, torch.Tensor]:
    """Buffers with values and weights of any size, the pool in rows, and the references."""
    generator = torch.Generator().manual_seed(seed)

    def draw(shape: tuple[int, ...], least_bits: float) -> torch.Tensor:
        """Integers up to 2**30, their logarithms evenly distributed."""
        exponent = least_bits + (30 - least_bits) * torch.rand(shape, generator=generator)
        return exponent.exp2().to(torch.int32)

    sign = torch.randint(2, (num_rows, 16, 128), generator=generator, dtype=torch.int32) * 2 - 1
    rows = draw((num_rows, 16, 128), 0) * sign
    size = 10.0 ** torch.randint(-2, 13, (num_rows, 16), generator=generator)
    score = torch.randn(num_rows, 16, generator=generator) * size
    bounds = torch.full((num_rows, BOUND_FIELDS), math.nan)  # of which the first counts
    bounds[:, 0] = 10.0 ** torch.randint(-2, 3, (num_rows,), generator=generator)
    b = buffers(
        fragment_order(rows),
        draw((num_rows, 16), 10),
        references=ordered(score),
        bounds=bounds,
    )
    return b, rows.cuda(), score.cuda()


def assert_fixed(b: Buffers, before: Buffers, rows, score, chosen=slice(None)) -> None:
    """Asserts the outputs of `chosen` rows, or rows and heads, and that no input is written."""
    total = before.sums[chosen].double()
    bound = before.bounds[:, :1, None].expand(rows.shape)[chosen].double()
    assert_rounded(b.out[chosen], rows[chosen].double() * bound / FIXED_ONE)
    logit = score[chosen].double() * SOFTMAX_SCALE
    lse = logit + (total / SUM_ONE).log()
    # Sums of FP32 terms that may cancel.
    assert ((b.lse[chosen] - lse).abs() <= 5e-7 * (logit.abs() + 30)).all()
    assert_inputs_unchanged(b, before)


def assert_inputs_unchanged(b: Buffers, before: Buffers) -> None:
    inputs = ("pool", "sums", "references", "bounds", "flags", "flagged")
    assert_unchanged(b, before, slice(None), *inputs)


class TestFixedPoint:
    @NUM_TOKENS
    def test_against_float64(self, num_tokens):
        b, rows, score = fixed_buffers(4 * num_tokens, seed=num_tokens)
        before = b.copy()
        run(FINISH_FIXED, b)
        assert_fixed(b, before, rows, score)

    @other_counts
    def test_any_number_of_groups(self, groups):
        b, rows, score = fixed_buffers(8 * 33, seed=groups)
        before = b.copy()
        run(FINISH_FIXED, b, groups=groups)
        assert_fixed(b, before, rows, score)

    def test_every_value_finds_its_place(self):
        # Distinct in their row, and exact in bf16: bits 0 to 7 of the place, or the others.
        place = torch.arange(16 * 128, dtype=torch.int32).view(16, 128)
        rows = torch.stack([place % 256, place // 256] * 2)
        sums = torch.ones(4, 16, dtype=torch.int32)
        bounds = torch.full((4, BOUND_FIELDS), FIXED_ONE)
        b = buffers(fragment_order(rows), sums, references=0 * sums, bounds=bounds)
        run(FINISH_FIXED, b)
        assert torch.equal(b.out.cpu(), rows.bfloat16())

    @pytest.mark.parametrize("reference", [None, -math.inf], ids=["none", "-inf"])
    def test_heads_without_a_key_or_with_logits_of_minus_infinity(self, reference):
        b, rows, score = fixed_buffers(64, seed=1)
        dead = torch.rand(64, 16, generator=torch.Generator().manual_seed(2)).cuda() < 0.3
        dead[5] = True
        rows[dead] = 0
        b.pool = fragment_order(rows.cpu()).cuda()
        b.sums[dead] = 0
        b.references[dead] = NO_REFERENCE if reference is None else ordered(torch.tensor(reference))
        before = b.copy()
        run(FINISH_FIXED, b)
        assert not b.out[dead].view(torch.int16).any()
        assert b.lse[dead].isneginf().all()
        assert_fixed(b, before, rows, score, ~dead)

    @pytest.mark.parametrize("head", [0, 6, 8, 15])
    @pytest.mark.parametrize(
        "reference, total",
        [
            (math.nan, 2**20),
            (math.nan, 0),
            (math.inf, 0),
            (1.5, 0),
            (1.5, NAN_OUT),
        ],
    )
    def test_a_head_that_came_to_nothing_is_nan(self, reference, total, head):
        b, *_ = fixed_buffers(8, seed=3)
        clean = b.copy()
        run(FINISH_FIXED, clean)
        b.references[2, head] = ordered(torch.tensor(reference))
        b.sums[2, head] = total
        before = b.copy()
        run(FINISH_FIXED, b)
        assert b.out[2, head].isnan().all()
        assert b.lse[2, head].isnan()
        b.out[2, head], b.lse[2, head] = clean.out[2, head], clean.lse[2, head]
        assert_unchanged(b, clean, slice(None), "out", "lse")
        assert_inputs_unchanged(b, before)

    @pytest.mark.parametrize("head", [0, 6, 8, 15])
    def test_a_head_with_values_that_are_not_finite_keeps_its_lse(self, head):
        b, *_ = fixed_buffers(8, seed=10)
        clean = b.copy()
        run(FINISH_FIXED, clean)
        b.sums[2, head] |= NAN_OUT
        before = b.copy()
        run(FINISH_FIXED, b)
        assert b.out[2, head].isnan().all()
        b.out[2, head] = clean.out[2, head]
        assert_unchanged(b, clean, slice(None), "out", "lse")
        assert_inputs_unchanged(b, before)

    def test_the_largest_integer_is_nan_too(self):
        b, *_ = fixed_buffers(4, seed=7)
        b.references[1, 9] = 2**31 - 1
        run(FINISH_FIXED, b)
        assert b.lse.isnan().nonzero().tolist() == [[1, 9]]

    @NUM_TOKENS
    @pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
    def test_only_flagged_rows(self, num_tokens, share):
        b, rows, score = fixed_buffers(4 * num_tokens, seed=num_tokens)
        drawn = torch.rand(4 * num_tokens, generator=torch.Generator().manual_seed(4)).cuda()
        flagged = drawn < share
        b.flags = flagged.to(torch.int32) * (2 - 3 * (drawn < 0.3).to(torch.int32))  # 2 or -1
        before = b.copy()
        run(FINISH_FIXED, b, filtered=True)
        assert_fixed(b, before, rows, score, flagged)
        assert_unchanged(b, before, ~flagged, "out", "lse")

    def test_no_values_but_zero(self):
        b, _, score = fixed_buffers(8, seed=5)
        b.pool.zero_()
        b.bounds.zero_()
        before = b.copy()
        run(FINISH_FIXED, b)
        assert not b.out.double().any()
        assert_fixed(b, before, torch.zeros_like(b.out), score)


@pytest.mark.parametrize(
    "groups, heads",
    [
        (4, range(1)),
        (4, range(2, 3)),
        (4, range(3, 4)),
        (4, range(2)),
        (4, range(2, 4)),
        (1, range(1)),
        (2, range(1, 2)),
        (8, range(4, 8)),
        (8, range(5, 6)),
    ],
    ids=str,
)
@pytest.mark.parametrize("num_tokens", [1, 33, 250])
@pytest.mark.parametrize("mode, filtered", [(FINISH_FAST, 0), (FINISH_FIXED, 0), (FINISH_FIXED, 1)])
def test_some_heads_alone(mode, filtered, num_tokens, groups, heads):
    """Has the same results as all heads together, and touches no others."""
    num_rows = groups * num_tokens
    b = (
        fast_buffers(num_rows, seed=8)
        if mode == FINISH_FAST
        else fixed_buffers(num_rows, seed=8)[0]
    )
    generator = torch.Generator().manual_seed(9)
    drawn = torch.rand(num_rows, generator=generator).cuda() < 0.3
    if mode == FINISH_FAST:
        b.sums[drawn, 5] = 0
    b.flags = drawn.to(torch.int32)
    b.flagged.zero_()
    before, expected = b.copy(), b.copy()
    run(mode, expected, filtered, groups=groups)
    run(mode, b, filtered, heads, groups)
    names = ("pool", "sums", "references", "flags", "out", "lse")
    is_theirs = torch.zeros(num_tokens, groups, dtype=torch.bool, device="cuda")
    is_theirs[:, heads.start : heads.stop] = True
    is_theirs = is_theirs.view(-1)
    assert_unchanged(b, expected, is_theirs, *names)
    assert_unchanged(b, before, ~is_theirs, *names)
    if mode == FINISH_FAST:
        assert b.flagged.tolist() == [int((drawn & is_theirs).sum())]
