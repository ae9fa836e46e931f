"""Trains a tiny MSA transformer on packed text in two stages, on a CPU, in under two minutes.

A byte-level language model of two layers and one KV group learns from the first acts of a play,
read in documents of 18 key blocks of 128 bytes and more, so that selection leaves keys out.

1. Dense warm-up: attention sees all keys of a document, and the index branch learns from it.
2. Sparse training: the index branch selects, attention sees what is selected, and the index branch
   learns from that. Attention and index loss share one schedule.

Only the index loss trains the index branch, and it trains nothing else. After each stage the model
reads one unseen document of 20 blocks: what its queries miss is what the index branch decides.
`docs/training.md` is about the two stages.
"""

import dataclasses
import os
import pathlib
import re
import time
from collections.abc import Iterable

import torch
from absl import app, flags
from torch import nn
from torch.nn import functional
from tqdm import tqdm

from examples.dense_attention import dense_attention
from msa import (
    BLOCK_SIZE,
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    TOPK_BLOCKS,
    PackedDocuments,
    build_backward_schedule,
    dense_index_kl_loss,
    index_kl_loss,
    select_blocks,
    selected_mass,
    sparse_attention,
)

_WARM_UP = flags.DEFINE_integer("warm_up", 4, "Steps of the dense warm-up.", lower_bound=1)
_STEPS = flags.DEFINE_integer("steps", 4, "Steps of sparse training after it.", lower_bound=1)
# One: threads of a pool wait for the last of them, which shares its core where anything else runs.
_THREADS = flags.DEFINE_integer("threads", 1, "Threads that torch uses.", lower_bound=1)
_SEED = flags.DEFINE_integer("seed", 0, "Seed of the weights and the batches.", lower_bound=0)
_PLOT = flags.DEFINE_string("plot", None, "Draw both losses over all steps to this .png file.")


@flags.validator(_PLOT, message="must name a .png file in a folder that exists")
def _is_picture(plot: str | None) -> bool:
    return plot is None or (plot.endswith(".png") and _from_caller(plot).parent.is_dir())


def _from_caller(path: str) -> pathlib.Path:
    """A path relative to where the user stands, which `bazel run` leaves."""
    return pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."), path)


# Acts I and II of William Shakespeare's "As You Like It" (about 1599), in the public domain.
_TEXT = pathlib.Path(__file__).with_name("as_you_like_it.txt")


@dataclasses.dataclass(frozen=True)
class Config:
    """Sizes of the model and its batches. A group's heads and their channels are fixed by MSA."""

    d_model: int = 128
    d_mlp: int = 512
    num_layers: int = 2
    num_groups: int = 1  # of 16 query heads, one KV head and one index head
    vocabulary: int = 256  # bytes
    batch: int = 1
    sequence: int = 2304
    # Tokens of a row's first document, at least: 18 key blocks, of which a query keeps 16.
    long_document: int = 17 * BLOCK_SIZE + 1
    learning_rate: float = 3e-3


# Data: text -> documents -> padded rows.


@dataclasses.dataclass(frozen=True)
class Microbatch:
    """Rows of packed documents.

    Attributes:
        tokens: int64 `[batch, sequence]`, 0 at padding.
        targets: int64 `[batch, sequence]`, the next byte of the same document; 0 at padding.
        documents: the layout of the rows, shared by every layer.
    """

    tokens: torch.Tensor
    targets: torch.Tensor
    documents: PackedDocuments


def load_scenes() -> list[torch.Tensor]:
    """The scenes of the play, each as int64 bytes."""
    scenes = re.split(rb"(?m)^(?=ACT )", _TEXT.read_bytes())[1:]
    return [torch.tensor(list(scene)) for scene in scenes]


def pack_excerpts(
    scenes: list[torch.Tensor], config: Config, generator: torch.Generator
) -> Microbatch:
    """Fills rows with random excerpts of the scenes, each a document, with padding around them.

    A row begins with a long document; shorter ones follow where there is room.
    """

    def randint(low: int, high: int) -> int:
        """Both bounds included."""
        return int(torch.randint(low, high + 1, (), generator=generator))

    tokens = torch.zeros(config.batch, config.sequence, dtype=torch.int64)
    targets = torch.zeros_like(tokens)
    ids = torch.zeros_like(tokens)
    for row in range(config.batch):
        start, document, shortest = randint(0, 8), 0, config.long_document
        while start + shortest <= config.sequence:
            length = randint(shortest, config.sequence - start)
            # A byte more than the document, so that its last token has a target too.
            long_enough = [scene for scene in scenes if len(scene) > length]
            scene = long_enough[randint(0, len(long_enough) - 1)]
            first = randint(0, len(scene) - length - 1)
            excerpt = scene[first : first + length + 1]
            document += 1
            tokens[row, start : start + length] = excerpt[:-1]
            targets[row, start : start + length] = excerpt[1:]
            ids[row, start : start + length] = document
            start += length + randint(0, 8)
            shortest = 32
    return Microbatch(tokens, targets, PackedDocuments.from_document_ids(ids))


def one_document(scene: torch.Tensor, num_tokens: int) -> Microbatch:
    """The first `num_tokens` bytes of a scene as one document, without padding."""
    excerpt = scene[None, : num_tokens + 1]
    documents = PackedDocuments.from_document_ids(torch.ones_like(excerpt[:, :-1]))
    return Microbatch(excerpt[:, :-1], excerpt[:, 1:], documents)


# Model: everything between the embedding and the logits works on compact rows `[T, ...]`.


class Rope:
    """Rotary embedding by the position of each token in its document, for every layer."""

    def __init__(self, documents: PackedDocuments):
        frequencies = 10000.0 ** -torch.linspace(0, 1, HEAD_DIM // 2, device=documents.device)
        angles = documents.document_positions[:, None, None] * frequencies
        self._cos, self._sin = angles.cos(), angles.sin()

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Rotates `x` `[T, heads, 128]`."""
        a, b = x.chunk(2, dim=-1)
        return torch.cat((a * self._cos - b * self._sin, a * self._sin + b * self._cos), dim=-1)


@dataclasses.dataclass(frozen=True)
class IndexReport:
    """What one layer's index branch did.

    Attributes:
        loss: its loss, a scalar: the KL divergence from attention, in nats per query and head.
        divergence: FP32 `[T, G]`, that of each query and index head.
        support: int32 `[G, T, 16]`, the selection; None in the dense warm-up.
        mass: FP32 `[T, 16 G]`, the share of dense attention's mass that the selection holds; None
            where it was not asked for.
    """

    loss: torch.Tensor
    divergence: torch.Tensor
    support: torch.Tensor | None = None
    mass: torch.Tensor | None = None


class Attention(nn.Module):
    """MSA: the index branch selects key blocks, the main branch attends to them."""

    def __init__(self, config: Config):
        super().__init__()
        groups, heads = config.num_groups, GROUP_HEADS * config.num_groups
        self.q = nn.Linear(config.d_model, heads * HEAD_DIM, bias=False)
        self.k = nn.Linear(config.d_model, groups * HEAD_DIM, bias=False)
        self.v = nn.Linear(config.d_model, groups * HEAD_DIM, bias=False)
        self.out = nn.Linear(heads * HEAD_DIM, config.d_model, bias=False)
        self.q_norm = nn.RMSNorm(HEAD_DIM)
        self.k_norm = nn.RMSNorm(HEAD_DIM)
        self.index_q = nn.Linear(config.d_model, groups * INDEX_DIM, bias=False)
        self.index_k = nn.Linear(config.d_model, INDEX_DIM, bias=False)
        self.index_q_norm = nn.RMSNorm(INDEX_DIM)
        self.index_k_norm = nn.RMSNorm(INDEX_DIM)

    def forward(
        self,
        x: torch.Tensor,
        documents: PackedDocuments,
        rope: Rope,
        *,
        sparse: bool,
        with_mass: bool,
    ) -> tuple[torch.Tensor, IndexReport]:
        """Returns the output `[T, d_model]` and what the index branch did."""
        # Detached: the index loss teaches the index branch to follow attention, and must not teach
        # the layers below to be easy to follow. Nothing else trains the branch, as a selection has
        # no gradient.
        index_x = x.detach()
        index_q = rope(self.index_q_norm(self.index_q(index_x).unflatten(-1, (-1, INDEX_DIM))))
        index_k = rope(self.index_k_norm(self.index_k(index_x).unflatten(-1, (-1, INDEX_DIM))))
        q = rope(self.q_norm(self.q(x).unflatten(-1, (-1, HEAD_DIM))))
        k = rope(self.k_norm(self.k(x).unflatten(-1, (-1, HEAD_DIM))))
        v = self.v(x).unflatten(-1, (-1, HEAD_DIM))
        # Attention is the teacher of the index branch: q, k and lse get no gradient from its loss.
        if sparse:
            support = select_blocks(index_q, index_k, documents)
            schedule = build_backward_schedule(support, documents)
            out, lse = sparse_attention(
                q, k, v, support, documents, schedule=schedule, return_lse=True
            )
            loss, divergence = index_kl_loss(
                *(q, k, lse, index_q, index_k, support, documents),
                schedule=schedule,
                return_divergence=True,
            )
            mass = None
            if with_mass:
                with torch.no_grad():
                    mass = selected_mass(lse, dense_attention(q, k, v, documents)[1])
            report = IndexReport(loss, divergence, support, mass)
        else:
            out, lse = dense_attention(q, k, v, documents)
            report = IndexReport(
                *dense_index_kl_loss(q, k, lse, index_q, index_k, documents, return_divergence=True)
            )
        return self.out(out.flatten(1)), report


class Layer(nn.Module):
    """A pre-norm transformer layer."""

    def __init__(self, config: Config):
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.d_model)
        self.attention = Attention(config)
        self.mlp = nn.Sequential(
            nn.RMSNorm(config.d_model),
            nn.Linear(config.d_model, config.d_mlp),
            nn.GELU(),
            nn.Linear(config.d_mlp, config.d_model),
        )

    def forward(
        self, x: torch.Tensor, documents: PackedDocuments, rope: Rope, **stage: bool
    ) -> tuple[torch.Tensor, IndexReport]:
        """Returns the new `x` `[T, d_model]` and what the index branch did."""
        attended, report = self.attention(self.attention_norm(x), documents, rope, **stage)
        x = x + attended
        return x + self.mlp(x), report


class Transformer(nn.Module):
    """A language model over packed documents."""

    def __init__(self, config: Config):
        super().__init__()
        self.embedding = nn.Embedding(config.vocabulary, config.d_model)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_layers))
        self.head = nn.Sequential(
            nn.RMSNorm(config.d_model), nn.Linear(config.d_model, config.vocabulary)
        )

    def forward(
        self,
        tokens: torch.Tensor,
        documents: PackedDocuments,
        *,
        sparse: bool,
        with_mass: bool = False,
    ) -> tuple[torch.Tensor, list[IndexReport]]:
        """Predicts the next byte.

        Args:
            tokens: int64 `[batch, sequence]`.
            documents: their layout.
            sparse: attend to selected blocks; else to all keys, as in the warm-up.
            with_mass: report the share of dense attention's mass that a selection holds.

        Returns:
            Logits `[batch, sequence, vocabulary]`, 0 at padding, and each layer's report.
        """
        rope = Rope(documents)
        x = documents.pack(self.embedding(tokens))
        reports = []
        for layer in self.layers:
            x, report = layer(x, documents, rope, sparse=sparse, with_mass=with_mass)
            reports.append(report)
        return documents.unpack(self.head(x)), reports


# Training.


def language_loss(logits: torch.Tensor, microbatch: Microbatch) -> torch.Tensor:
    """Cross-entropy in nats per byte, over the tokens that are not padding."""
    documents = microbatch.documents
    return functional.cross_entropy(documents.pack(logits), documents.pack(microbatch.targets))


def index_loss(reports: list[IndexReport]) -> torch.Tensor:
    """The sum of the layers' index losses. They share no parameter, so no weights are needed."""
    return torch.stack([report.loss for report in reports]).sum()


@dataclasses.dataclass
class History:
    """What training reports of each step: the language loss, and the KL of each layer, in nats."""

    losses: list[float] = dataclasses.field(default_factory=list)
    kls: list[list[float]] = dataclasses.field(default_factory=list)


def train(
    model: Transformer,
    optimizer: torch.optim.Optimizer,
    microbatches: Iterable[Microbatch],
    *,
    sparse: bool,
) -> History:
    """Trains both branches, each by its own loss, in one backward pass a step: one stage."""
    history = History()
    progress = tqdm(microbatches, unit="step")
    for microbatch in progress:
        logits, reports = model(microbatch.tokens, microbatch.documents, sparse=sparse)
        loss = language_loss(logits, microbatch)
        optimizer.zero_grad()
        # No parameter gets a gradient from both losses.
        (loss + index_loss(reports)).backward()
        optimizer.step()

        kls = [report.divergence.mean().item() for report in reports]
        history.losses.append(loss.item())
        history.kls.append(kls)
        progress.set_postfix(loss=f"{loss.item():.3f}", kl=by_layer(kls))
    return history


# Reports.


def by_layer(values: Iterable[float]) -> str:
    """One number a layer."""
    return " | ".join(f"{value:.3f}" for value in values)


def summary(stage: str, history: History) -> str:
    """Both losses of a stage's first and last step."""
    return (
        f"{stage}: step 1 -> {len(history.losses)}\n"
        f"  language loss  {history.losses[0]:.3f} -> {history.losses[-1]:.3f} nats per byte\n"
        f"  KL by layer    {by_layer(history.kls[0])} -> {by_layer(history.kls[-1])} "
        "nats per query and index head"
    )


@torch.no_grad()
def read_held_out(model: Transformer, scene: torch.Tensor) -> str:
    """Reads one document of more blocks than a query keeps, and says what its queries saw."""
    num_blocks = TOPK_BLOCKS + 4
    microbatch = one_document(scene, num_blocks * BLOCK_SIZE)
    logits, reports = model(microbatch.tokens, microbatch.documents, sparse=True, with_mass=True)
    # Queries before these keep all of their blocks.
    late = slice(TOPK_BLOCKS * BLOCK_SIZE, None)
    skipped = [
        " ".join(str(block) for block in range(num_blocks) if block not in kept)
        for kept in reports[-1].support[:, -1].tolist()
    ]
    return (
        f"  unseen         {language_loss(logits, microbatch):.3f} nats per byte on one document "
        f"of {num_blocks} blocks, read by selection;\n"
        f"                 of the queries past block {TOPK_BLOCKS}, by layer:\n"
        f"    KL           {by_layer(r.divergence[late].mean().item() for r in reports)}\n"
        f"    mass         {by_layer(r.mass[late].mean().item() for r in reports)} "
        "of dense attention's is in the selected blocks\n"
        f"    skipped      by the last query, in the last layer: {' | '.join(skipped)}"
    )


def plot(histories: list[History], path: pathlib.Path) -> None:
    """Draws the language loss and each layer's KL over the steps, with lines between stages."""
    from matplotlib import figure  # takes a second to import

    picture = figure.Figure(figsize=(9, 3.5), layout="constrained")
    panels = picture.subplots(1, 2)
    curves = {
        "Language loss (nats per byte)": [loss for h in histories for loss in h.losses],
        "KL by layer (nats per query and index head)": [kls for h in histories for kls in h.kls],
    }
    for panel, (title, values) in zip(panels, curves.items(), strict=True):
        panel.plot(range(1, len(values) + 1), values)
        panel.set(title=title, xlabel="step")
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
        panel.axvline(len(histories[0].losses) + 0.5, color="gray", linestyle="--")
    picture.savefig(path, dpi=120)


def main(argv: list[str]) -> None:
    """Trains in both stages; reads the held-out document after each."""
    if len(argv) > 1:
        raise app.UsageError(f"expected flags only, got {' '.join(argv[1:])}")
    torch.set_num_threads(_THREADS.value)
    print(f"torch uses {torch.get_num_threads()} thread(s): --threads", flush=True)
    start = time.perf_counter()
    config = Config()
    *scenes, held_out = load_scenes()
    torch.manual_seed(_SEED.value)
    model = Transformer(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate, betas=(0.9, 0.95))
    generator = torch.Generator().manual_seed(_SEED.value)
    stages = {"dense warm-up": _WARM_UP.value, "sparse training": _STEPS.value}
    histories = []
    for stage, steps in stages.items():
        microbatches = [pack_excerpts(scenes, config, generator) for _ in range(steps)]
        history = train(model, optimizer, microbatches, sparse=stage == "sparse training")
        histories.append(history)
        print(summary(stage, history))
        print(read_held_out(model, held_out), flush=True)
    if _PLOT.value:
        path = _from_caller(_PLOT.value)
        plot(histories, path)
        print(f"plot: {path}")
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    app.run(main)
