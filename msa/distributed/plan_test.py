import itertools
import math
import random

import pytest
import torch

from msa.distributed import Fragment, plan_context
from msa.distributed.plan import ATTENTION_COST, SELECTION_COST

BLOCK = 128


def offsets_of(*lengths: int) -> torch.Tensor:
    return torch.tensor([0, *lengths]).cumsum(0)


def random_lengths(seed: int) -> list[int]:
    rng = random.Random(seed)
    return [
        rng.choice((0, 1, 127, 128, 129, 1000, 1024, 5000)) for _ in range(rng.randint(1, 9))
    ] + [rng.randint(1, 9000)]


def token_pairs(start: int, end: int) -> tuple[int, int]:
    """Token by token, as the contract defines costs."""
    blocks = [position // BLOCK + 1 for position in range(start, end)]
    return sum(min(count, 16) for count in blocks), sum(blocks)


def expected_fragments(lengths, world_size, chunk_tokens, attention, selection):
    """The rule step by step, over lists that are sorted anew."""

    def cost(pairs):
        return attention * pairs[0] + selection * pairs[1]

    chunks = [
        (document, start, min(start + chunk_tokens, length))
        for document, length in enumerate(lengths)
        for start in range(0, length, chunk_tokens)
    ]
    room = [math.ceil(math.ceil(sum(lengths) / world_size) / BLOCK) * BLOCK] * world_size
    pairs = [(0, 0)] * world_size
    held = [[] for _ in range(world_size)]
    while chunks:
        chunks.sort(key=lambda chunk: (-cost(token_pairs(*chunk[1:])), chunk[0], chunk[1]))
        document, start, end = chunks.pop(0)
        rank = min((r for r in range(world_size) if room[r]), key=lambda r: (cost(pairs[r]), r))
        if end - start > room[rank]:
            cuts = [c for c in range(start + 1, start + room[rank] + 1) if c % BLOCK == 0]
            cut = cuts[-1] if cuts else start + room[rank]
            chunks.append((document, cut, end))
            end = cut
        held[rank] += [(document, position) for position in range(start, end)]
        pairs[rank] = tuple(
            a + b for a, b in zip(pairs[rank], token_pairs(start, end), strict=True)
        )
        room[rank] -= end - start
    return [sorted(tokens) for tokens in held], [cost(p) for p in pairs]


@pytest.mark.parametrize("chunk_tokens", [128, 1024])
@pytest.mark.parametrize("world_size", [1, 2, 3, 8])
@pytest.mark.parametrize("seed", range(6))
def test_plans_follow_the_rule(seed, world_size, chunk_tokens):
    lengths = random_lengths(seed)
    costs = (ATTENTION_COST, SELECTION_COST) if seed % 2 else (1.0, 0.0)
    plan = plan_context(
        offsets_of(*lengths),
        world_size,
        chunk_tokens=chunk_tokens,
        attention_cost=costs[0],
        selection_cost=costs[1],
    )
    expected, expected_costs = expected_fragments(lengths, world_size, chunk_tokens, *costs)
    assert plan.costs == tuple(expected_costs)
    for fragments, tokens in zip(plan.fragments, expected, strict=True):
        found = [(f.document, p) for f in fragments for p in range(f.start, f.end)]
        assert found == tokens
        # Those that follow each other are one.
        for one, other in itertools.pairwise(fragments):
            assert one.document < other.document or one.end < other.start


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_a_partition_and_keys_are_prefixes(seed):
    lengths = random_lengths(seed)
    plan = plan_context(offsets_of(*lengths), 5, chunk_tokens=256)
    rows = [plan.token_rows(rank) for rank in range(5)]
    assert torch.equal(torch.cat(rows).sort().values, torch.arange(sum(lengths)))
    starts = offsets_of(*lengths).tolist()
    limit = math.ceil(math.ceil(sum(lengths) / 5) / BLOCK) * BLOCK
    for rank, tokens in enumerate(rows):
        assert tokens.dtype == torch.int64
        assert len(tokens) == plan.num_tokens(rank) <= limit
        assert torch.equal(tokens, tokens.sort().values)
        needed = [
            row
            for start, end in itertools.pairwise(starts)
            for inside in [tokens[(tokens >= start) & (tokens < end)]]
            if len(inside)
            for row in range(start, int(inside[-1]) + 1)
        ]
        assert plan.key_rows(rank).tolist() == needed
        assert plan.num_keys(rank) == len(needed)


def test_ties_go_to_the_lower_rank_and_the_earlier_document():
    plan = plan_context(offsets_of(128, 128, 128, 128), 2)
    assert plan.fragments == (
        (Fragment(0, 0, 128), Fragment(2, 0, 128)),
        (Fragment(1, 0, 128), Fragment(3, 0, 128)),
    )


def test_a_chunk_that_does_not_fit_is_cut_at_a_block_or_at_the_room():
    # Room for 384 each: the first chunk fills rank 0, and its rest goes to rank 1 after the second.
    plan = plan_context(offsets_of(700), 2, chunk_tokens=512)
    assert [plan.num_tokens(rank) for rank in range(2)] == [384, 316]
    # No multiple of 128 fits into what rank 0 has left.
    plan = plan_context(offsets_of(100, 100, 100), 2, chunk_tokens=128)
    assert plan.fragments == (
        (Fragment(0, 0, 100), Fragment(2, 0, 100)),
        (Fragment(1, 0, 100),),
    )
    plan = plan_context(offsets_of(100, 100, 100, 84), 3, chunk_tokens=128)
    assert plan.fragments == (
        (Fragment(0, 0, 100), Fragment(3, 0, 28)),
        (Fragment(1, 0, 100), Fragment(3, 28, 28)),
        (Fragment(2, 0, 100), Fragment(3, 56, 28)),
    )


def test_ranks_may_be_without_tokens():
    plan = plan_context(offsets_of(100), 3)
    assert [plan.num_tokens(rank) for rank in range(3)] == [100, 0, 0]
    assert plan.fragments[1] == ()
    assert plan.token_rows(2).shape == plan.key_rows(2).shape == (0,)


def test_plans_depend_on_the_values_alone():
    lengths = random_lengths(3)
    plan = plan_context(offsets_of(*lengths), 4)
    again = plan_context(offsets_of(*lengths).to(torch.int32), 4)
    assert plan == again
    assert plan.digest == again.digest
    assert plan.digest != plan_context(offsets_of(*lengths), 4, chunk_tokens=128).digest
    assert plan.digest != plan_context(offsets_of(*lengths, 1), 4).digest


def test_long_documents_are_balanced():
    plan = plan_context(offsets_of(131_072, 65_536), 8)
    assert plan.imbalance < 1.02
    assert plan.imbalance == max(plan.costs) * 8 / sum(plan.costs)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"world_size": 0}, ValueError, "world_size must be at least 1, got 0"),
        ({"world_size": 2.0}, TypeError, "world_size must be an int, got float"),
        ({"chunk_tokens": 0}, ValueError, "chunk_tokens must be at least 1, got 0"),
        ({"chunk_tokens": 100}, ValueError, "chunk_tokens must be a multiple of 128, got 100"),
        ({"attention_cost": "1"}, TypeError, "attention_cost must be a number, got str"),
        ({"attention_cost": -1}, ValueError, "attention_cost must be finite and not negative"),
        (
            {"selection_cost": math.nan},
            ValueError,
            "selection_cost must be finite and not negative",
        ),
        (
            {"attention_cost": 0, "selection_cost": 0},
            ValueError,
            "one of attention_cost and selection_cost must be above 0, got 0 for both",
        ),
        ({"cu_seqlens": [0, 5]}, TypeError, "cu_seqlens must be a tensor, got list"),
        ({"cu_seqlens": torch.tensor([0, 5, 3])}, ValueError, "cu_seqlens must not decrease"),
    ],
)
def test_wrong_arguments(options, error, message):
    arguments = {"cu_seqlens": offsets_of(300), "world_size": 2} | options
    with pytest.raises(error, match=f"^{message}"):
        plan_context(**arguments)
