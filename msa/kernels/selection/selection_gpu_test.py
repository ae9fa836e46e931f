"""Selection by the kernels is exact, whatever the documents, heads, layouts and forced blocks."""

import itertools

import pytest
import torch

from msa.kernels.runtime.testing import (
    needs_gpu,
    poison_free_memory,
    strided,
)
from msa.kernels.selection import plan
from msa.kernels.selection.testing import Case, assert_selects, offsets_of
from msa.schedule.topology import BLOCK_SIZE, GROUP_COUNTS, INDEX_DIM, TOPK_BLOCKS
from msa.testing.workloads import parse_workload

pytestmark = needs_gpu

# Few tiles, that are halved; documents of all kinds; and so many tiles that they are not.
FEW = offsets_of(4225)
PACK = offsets_of(0, 1, 129, 0, 2048, 2049, 3000, 127, 2176, 0, 5, 2305, 0)
MANY = offsets_of(5000, 1, 15000, 0, 2500)
LAYOUTS = {"few": FEW, "pack": PACK, "many": MANY}


def select(case: Case) -> torch.Tensor:
    """The support, from poisoned memory."""
    poison_free_memory(1 << 28)
    return plan.select_blocks(
        case.index_q, case.index_k, case.cu_seqlens, case.init_blocks, case.local_blocks
    )


def integers(num_tokens: int, heads: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Operands whose sums are exact, with many ties."""
    generator = torch.Generator("cuda").manual_seed(seed)

    def draw(*shape):
        values = torch.randint(-1, 2, shape, generator=generator, device="cuda")
        is_set = torch.rand(shape, generator=generator, device="cuda") < 0.2
        return (values * is_set).bfloat16()

    return draw(num_tokens, heads, INDEX_DIM), draw(num_tokens, 1, INDEX_DIM)


def normals(num_tokens: int, heads: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator("cuda").manual_seed(seed)

    def draw(*shape):
        return torch.randn(shape, generator=generator, device="cuda").bfloat16()

    return draw(num_tokens, heads, INDEX_DIM), draw(num_tokens, 1, INDEX_DIM)


def special(num_tokens: int, heads: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Integers with NaN, inf, -inf and -0 in keys and queries."""
    q, k = integers(num_tokens, heads, seed=1)
    generator = torch.Generator("cuda").manual_seed(2)
    for value in (torch.nan, torch.inf, -torch.inf):
        rows, channels = torch.randint(
            num_tokens, (2, num_tokens // 700 + 1), generator=generator, device="cuda"
        )
        k[rows, 0, channels % INDEX_DIM] = value
    q[::97] = 0
    q[5::89] = -q[5::89].abs()
    q[7::101] = -0.0
    q[11::997, :, 3] = -torch.inf
    q[13::991, :, 5] = torch.nan
    return q, k


def ramp(num_tokens: int, heads: int, direction: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Scores that rise, or fall, with the key's block, which are small integers."""
    q = torch.zeros(num_tokens, heads, INDEX_DIM, device="cuda", dtype=torch.bfloat16)
    k = torch.zeros(num_tokens, 1, INDEX_DIM, device="cuda", dtype=torch.bfloat16)
    blocks = torch.arange(num_tokens, device="cuda") // BLOCK_SIZE
    # bf16 has 8 bits of mantissa: two digits.
    q[..., 0], q[..., 1] = direction * 64, direction
    k[:, 0, 0], k[:, 0, 1] = blocks // 64, blocks % 64
    return q, k


@pytest.mark.parametrize("heads", GROUP_COUNTS)
@pytest.mark.parametrize("local_blocks", [0, 1, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("operands", [integers, special])
def test_exact(operands, layout, local_blocks, heads):
    offsets = LAYOUTS[layout]
    case = Case(*operands(offsets[-1], heads), offsets, 0, local_blocks)
    assert_selects(select(case), case, exact=True)


@pytest.mark.parametrize("init_blocks", range(TOPK_BLOCKS + 1))
def test_forced_blocks_in_every_combination(init_blocks):
    offsets = offsets_of(2700, 100, 2310)
    for local_blocks in range(TOPK_BLOCKS - init_blocks + 1):
        case = Case(*special(offsets[-1], 4), offsets, init_blocks, local_blocks)
        assert_selects(select(case), case, exact=True)


@pytest.mark.parametrize(
    "num_tokens",
    [1, 2, 127, 128, 129, 2047, 2048, 2049, 2111, 2112, 2113, 2175, 2176, 2177, 8192, 16384, 16385],
)
@pytest.mark.parametrize("local_blocks", [0, 1])
def test_lengths(num_tokens, local_blocks):
    case = Case(*integers(num_tokens, 4), offsets_of(num_tokens), 1, local_blocks)
    assert_selects(select(case), case, exact=True)


@pytest.mark.parametrize("direction", [1, 0, -1])
@pytest.mark.parametrize("offsets", [offsets_of(8192), offsets_of(20480)])
def test_scores_that_rise_or_fall_or_are_equal(direction, offsets):
    case = Case(*ramp(offsets[-1], 4, direction), offsets)
    assert_selects(select(case), case, exact=True)


@pytest.mark.parametrize("heads", GROUP_COUNTS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_scores_within_the_margin(layout, heads):
    offsets = LAYOUTS[layout]
    case = Case(*normals(offsets[-1], heads), offsets)
    assert_selects(select(case), case, exact=False)


@pytest.mark.parametrize("num_tokens", [32768, 131073])
def test_long_documents(num_tokens):
    rows = torch.randint(num_tokens, (512,), generator=torch.Generator().manual_seed(3)).cuda()
    rows = torch.cat([rows, torch.arange(num_tokens - 200, num_tokens, device="cuda")]).unique()
    for operands, exact in ((integers, True), (special, True), (normals, False)):
        case = Case(*operands(num_tokens, 4), offsets_of(num_tokens), 1, 2)
        assert_selects(select(case), case, exact=exact, rows=rows)


@pytest.mark.parametrize("name", ["packed_192k/2", "packed_192k/9", "packed_192k/14"])
def test_packs_of_training(name):
    offsets = parse_workload(name).offsets
    num_tokens = offsets[-1]
    rows = torch.randint(num_tokens, (4096,), generator=torch.Generator().manual_seed(4)).cuda()
    case = Case(*special(num_tokens, 4), offsets, 1, 1)
    assert_selects(select(case), case, exact=True, rows=rows.unique())


def test_thousands_of_documents():
    lengths = torch.randint(0, 40, (9000,), generator=torch.Generator().manual_seed(5)).tolist()
    lengths[4000] = 2500
    offsets = offsets_of(*lengths)
    case = Case(*integers(offsets[-1], 4), offsets)
    rows = torch.arange(offsets[4000], offsets[4001], device="cuda")
    assert_selects(select(case), case, exact=True, rows=rows)


def test_runs_and_heads_and_packs_agree_bit_for_bit():
    q, k = normals(MANY[-1], 8)
    whole = select(Case(q, k, MANY))
    assert torch.equal(whole, select(Case(q, k, MANY)))
    for heads in (1, 2, 4):
        for first in range(0, 8, heads):
            some = q[:, first : first + heads]
            assert torch.equal(whole[first : first + heads], select(Case(some, k, MANY)))
    for start, end in itertools.pairwise(MANY):
        if end > start:
            alone = select(Case(q[start:end], k[start:end], offsets_of(end - start)))
            assert torch.equal(whole[:, start:end], alone)


def fused(tensor: torch.Tensor) -> torch.Tensor:
    """A slice of the heads of a larger tensor."""
    heads = tensor.shape[1]
    memory = tensor.new_full((tensor.shape[0], heads + 3, INDEX_DIM), torch.nan)
    return memory[:, 1 : 1 + heads].copy_(tensor)


def channels_apart(tensor: torch.Tensor) -> torch.Tensor:
    """Rows 136 elements apart: 16 bytes more than they need."""
    memory = tensor.new_full((*tensor.shape[:2], INDEX_DIM + 8), torch.nan)
    return memory[..., :INDEX_DIM].copy_(tensor)


def heads_first(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.transpose(0, 1).contiguous().transpose(0, 1)


def not_aligned(tensor: torch.Tensor) -> torch.Tensor:
    """Rows 132 elements apart, which are not multiples of 16 bytes."""
    memory = tensor.new_full((*tensor.shape[:2], INDEX_DIM + 4), torch.nan)
    return memory[..., :INDEX_DIM].copy_(tensor)


def shifted(tensor: torch.Tensor) -> torch.Tensor:
    memory = tensor.new_zeros(tensor.numel() + 1)
    return memory[1:].view(tensor.shape).copy_(tensor)


IN_PLACE = [fused, channels_apart, heads_first]


@pytest.mark.parametrize("heads", [1, 4])
@pytest.mark.parametrize("layout", [*IN_PLACE, not_aligned, shifted, strided])
def test_layouts(layout, heads):
    q, k = normals(MANY[-1], heads)
    expected = select(Case(q, k, MANY))
    assert torch.equal(select(Case(layout(q), layout(k), MANY)), expected)


def test_one_key_row_for_all():
    q, k = normals(FEW[-1], 4)
    same = k[:1].expand_as(k)
    assert torch.equal(select(Case(q, same, FEW)), select(Case(q, same.contiguous(), FEW)))


@pytest.mark.parametrize("layout", IN_PLACE)
@pytest.mark.parametrize("num_tokens", [200_000, 1_048_576])
def test_memory(layout, num_tokens):
    offsets = offsets_of(num_tokens)
    q, k = (layout(x) for x in normals(num_tokens, 4))
    cu_seqlens = Case(q, k, offsets).cu_seqlens
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    support = plan.select_blocks(q, k, cu_seqlens, 0, 1)
    torch.cuda.synchronize()
    extra = torch.cuda.max_memory_allocated() - before - support.numel() * 4
    assert extra <= 64 * 2**20 + 64 * num_tokens
    rows = torch.randint(num_tokens, (64,), generator=torch.Generator().manual_seed(6)).cuda()
    assert_selects(support, Case(q, k, offsets), exact=False, rows=rows.unique())


def test_a_graph_follows_its_operands():
    q, k = normals(MANY[-1], 4)
    cu_seqlens = Case(q, k, MANY).cu_seqlens
    plan.select_blocks(q, k, cu_seqlens, 1, 1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        support = plan.select_blocks(q, k, cu_seqlens, 1, 1)
    # As many documents, of other lengths: at first many tiles, then few.
    for seed, offsets in enumerate([MANY, offsets_of(2500, 17000, 0, 1, 3000), MANY]):
        other_q, other_k = normals(MANY[-1], 4, seed)
        q.copy_(other_q)
        k.copy_(other_k)
        case = Case(q, k, (*offsets[:5], MANY[-1]), 1, 1)
        cu_seqlens.copy_(case.cu_seqlens)
        support.fill_(-77)
        graph.replay()
        assert torch.equal(support, select(case))


def test_too_many_tokens():
    q = torch.empty(1, 1, INDEX_DIM, device="cuda", dtype=torch.bfloat16).expand(2**24, -1, -1)
    cu_seqlens = torch.tensor([0, 2**24], dtype=torch.int32, device="cuda")
    with pytest.raises(ValueError, match="index_q must have at most 16777215 tokens"):
        plan.select_blocks(q, q, cu_seqlens, 0, 1)
