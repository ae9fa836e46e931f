"""The index loss by the kernels: buffers, and the order of launches.

`prepare` turns the teacher's lse into what the main kernel adds to its logits, `statistics` finds
the student's softmax over each row's keys, the main kernel adds divergences and both unit
gradients in one walk, `results` rounds. A sparse and a dense loss differ in the walk alone. Nothing
waits for the device: buffers depend on shapes alone, and CTAs draw items until there is none left.
"""

import torch

from msa.kernels.index_kl.interface import (
    BOUNDS,
    COUNTERS,
    DENSE,
    GRADIENTS_FAST,
    GRADIENTS_FIXED,
    LOSS_ONLY,
    MAIN,
    NO_MAXIMUM,
    PREPARE,
    RESULTS,
    SCALE,
    SPAN_BLOCKS,
    SPARSE,
    STATISTICS,
    STATISTICS_FIXED_MERGED,
    STATISTICS_MAXIMA,
    STATISTICS_MERGED,
    STATISTICS_SUMS,
)
from msa.kernels.runtime.declared import DeclaredKernel
from msa.kernels.runtime.library import Kernel, num_sms
from msa.kernels.runtime.operands import plain
from msa.kernels.schedule.plan import build_items, build_tasks
from msa.schedule.backward_schedule import ScheduleTensors
from msa.schedule.topology import BLOCK_SIZE, GROUP_HEADS, INDEX_DIM


def _sources(hopper: str, blackwell: str) -> dict[str, Kernel]:
    later = Kernel("index_kl", blackwell)
    return {"sm_90a": Kernel("index_kl", hopper), "sm_100a": later, "sm_103a": later}


_PREPARE = DeclaredKernel(PREPARE, _sources("prepare", "prepare"))
_STATISTICS = DeclaredKernel(STATISTICS, _sources("sm90_statistics", "statistics"))
_RESULTS = DeclaredKernel(RESULTS, _sources("results", "results"))
_SCALE = DeclaredKernel(SCALE, _sources("scale", "scale"))

INDEX_KL = DeclaredKernel(MAIN, _sources("sm90", "sm100"))
"""The main pass by architecture; bf16."""

_STATISTICS_CTAS = 4  # to an SM

# Queries of a head that are walked together: more fill the chunks of an item, fewer stay in L2. The
# main pass on an H200, ms, by windows of 1024, 2048, 4096, 8192 queries: 0.597, 0.592, 0.585, 0.584
# at 8K tokens, 2.81, 2.75, 2.73, 2.75 at 32K, 18.9, 13.9, 12.6, 12.7 at 128K (random selection).
_WINDOW = 4096


def index_kl(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    with_gradients: bool,
    schedule: ScheduleTensors,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operator `msa::index_kl_loss` on a GPU that has kernels.

    Beside results, and copies of operands that are not contiguous or not aligned, this takes for
    each KV group about 600 bytes a token for the sums and 270 for the items of the walk, and 0.5 KB
    a token: about 4 KB a token for 4 groups. The deterministic mode takes 0.6 KB more.

    Args:
        q: bf16 `[T, 16 G, 128]`.
        k: bf16 `[T, G, 128]`.
        lse: FP32 `[T, 16 G]`.
        index_q: bf16 `[T, G, 128]`.
        index_k: bf16 `[T, 1, 128]`.
        with_gradients: whether gradients are asked for; else the last two results are empty.
        schedule: the schedule of the support.

    Returns:
        The sum of divergences FP32, a scalar; divergences FP32 `[T, G]`; and the gradients of the
        sum with respect to `index_q` and `index_k`, bf16 in their shapes.
    """
    tasks = build_tasks(schedule, _WINDOW)
    items = build_items(tasks, k.shape[1])
    walk = {
        "quad_rows": tasks.qrows.view(-1, 4),
        "quad_positions": tasks.qpos.view(-1, 4),
        "items": items.items.view(-1),
        "control": items.control,
        "cu_seqlens": plain(schedule.cu_seqlens),
        "workspace_starts": plain(schedule.document_workspace_starts),
        "walk": SPARSE,
    }
    return _run(q, k, lse, index_q, index_k, with_gradients, walk)


def dense_index_kl(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    with_gradients: bool,
    cu_seqlens: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """The operator `msa::dense_index_kl_loss` on a GPU that has kernels.

    Memory is that of `index_kl` less the items.

    Args:
        q: as there, and so the next five.
        k: bf16 `[T, G, 128]`.
        lse: FP32 `[T, 16 G]`, of dense attention.
        index_q: bf16 `[T, G, 128]`.
        index_k: bf16 `[T, 1, 128]`.
        with_gradients: as there.
        cu_seqlens: int32 `[documents + 1]`.

    Returns:
        As `index_kl`.
    """
    none = cu_seqlens.new_empty((1, 4))
    walk = {
        "quad_rows": none,
        "quad_positions": none,
        "items": dense_item_starts(cu_seqlens),
        "control": none.view(-1),
        "cu_seqlens": plain(cu_seqlens),
        "workspace_starts": none.view(-1),
        "walk": DENSE,
    }
    return _run(q, k, lse, index_q, index_k, with_gradients, walk)


def scale_unit_gradients(
    unit_q: torch.Tensor,
    unit_k: torch.Tensor,
    grad_total: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The operators `msa::index_kl_loss_backward` and of the dense loss, on such a GPU.

    Args:
        unit_q: bf16 `[T, G, 128]`, gradient of the sum of divergences.
        unit_k: bf16 `[T, 1, 128]`.
        grad_total: FP32, a scalar on the device.
        index_q: not read, nor is the last.
        index_k: bf16 `[T, 1, 128]`.

    Returns:
        `grad_total * unit_q` and `grad_total * unit_k`, bf16; 0 where `grad_total` is.
    """
    unit_q, unit_k, grad_total = map(plain, (unit_q, unit_k, grad_total))
    grad_q, grad_k = torch.empty_like(unit_q), torch.empty_like(unit_k)
    tokens, groups, _ = unit_q.shape
    if tokens > 0:
        _SCALE(
            unit_q.device,
            unit_q=unit_q,
            unit_k=unit_k,
            factor=grad_total,
            grad_q=grad_q,
            grad_k=grad_k,
            groups=groups,
            tokens=tokens,
        )
    return grad_q, grad_k


def dense_item_starts(cu_seqlens: torch.Tensor) -> torch.Tensor:
    """How many items of one head come before those of each document, and in all: see `walk`."""
    blocks = (cu_seqlens.diff() + (BLOCK_SIZE - 1)) // BLOCK_SIZE
    spans = blocks // SPAN_BLOCKS
    # A whole span sees its own blocks and all before it; one that is not sees all blocks.
    rest = blocks * (blocks % SPAN_BLOCKS != 0)
    items = torch.addcmul(rest, spans, spans + 1, value=SPAN_BLOCKS // 2)
    starts = cu_seqlens.new_zeros(cu_seqlens.shape[0])
    torch.cumsum(items, 0, dtype=torch.int32, out=starts[1:])
    return starts


def _run(
    q: torch.Tensor,
    k: torch.Tensor,
    lse: torch.Tensor,
    index_q: torch.Tensor,
    index_k: torch.Tensor,
    with_gradients: bool,
    walk: dict[str, torch.Tensor | int],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    device, (tokens, groups, _) = q.device, k.shape
    fixed = torch.are_deterministic_algorithms_enabled()
    mode = LOSS_ONLY
    if with_gradients:
        mode = GRADIENTS_FIXED if fixed else GRADIENTS_FAST
    divergence = lse.new_empty((tokens, groups))
    unit_q, unit_k = (
        operand.new_empty(operand.shape if with_gradients else (0,))
        for operand in (index_q, index_k)
    )
    if tokens == 0:
        return lse.new_zeros(()), divergence, unit_q, unit_k
    q, k, lse, index_q, index_k = map(plain, (q, k, lse, index_q, index_k))
    documents = walk["cu_seqlens"].shape[0] - 1
    sms = num_sms(device)
    sizes = {"documents": documents, "groups": groups, "tokens": tokens}
    rows = tokens if with_gradients else 0
    divergences, sums, dq_sums, dk_sums, bounds, counters = _zeros(
        device,
        2 * tokens * groups,
        2 * tokens * groups,
        rows * groups * INDEX_DIM,
        rows * INDEX_DIM * (2 if fixed else 1),
        documents * BOUNDS if fixed else 1,
        COUNTERS,
    )
    walk |= {"counters": counters}
    bases = lse.new_empty((tokens, groups, GROUP_HEADS))
    _PREPARE(
        device,
        lse=lse,
        index_q=index_q,
        index_k=index_k,
        cu_seqlens=walk["cu_seqlens"],
        bases=bases,
        bounds=bounds,
        with_bounds=int(fixed and with_gradients),
        **sizes,
    )
    divergences, sums = (x.view(torch.int64).view(tokens, groups) for x in (divergences, sums))
    if fixed:
        maxima = torch.full((tokens * groups,), NO_MAXIMUM, dtype=torch.int32, device=device)
        passes = (STATISTICS_MAXIMA, STATISTICS_SUMS, STATISTICS_FIXED_MERGED)
    else:
        maxima = counters  # not read
        passes = (STATISTICS_MERGED,)
    for counter, statistics_mode in enumerate(passes):
        _STATISTICS(
            device,
            mode=statistics_mode,
            index_q=index_q,
            index_k=index_k,
            maxima=maxima,
            sums=sums,
            counter=counter,
            ctas=_STATISTICS_CTAS * sms,
            **walk,
            **sizes,
        )
    INDEX_KL(
        device,
        mode=mode,
        q=q,
        k=k,
        bases=bases,
        index_q=index_q,
        index_k=index_k,
        sums=sums,
        bounds=bounds,
        divergences=divergences,
        dq_sums=dq_sums,
        dk_sums=dk_sums,
        counter=len(passes),
        ctas=sms,
        **walk,
        **sizes,
    )
    _RESULTS(
        device,
        mode=mode,
        divergences=divergences,
        dq_sums=dq_sums,
        dk_sums=dk_sums,
        bounds=bounds,
        cu_seqlens=walk["cu_seqlens"],
        divergence=divergence,
        unit_q=unit_q.view(-1),
        unit_k=unit_k.view(-1),
        **sizes,
    )
    return divergence.sum(), divergence, unit_q, unit_k


def _zeros(device: torch.device, *sizes: int) -> list[torch.Tensor]:
    """int32 zeros of so many elements each, aligned, by one fill."""
    padded = [-(-size // 4) * 4 for size in sizes]
    parts = torch.zeros(sum(padded), dtype=torch.int32, device=device).split_with_sizes(padded)
    return [part[:size] for part, size in zip(parts, sizes, strict=True)]
