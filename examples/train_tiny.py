"""Trains a tiny MSA transformer on packed text, on a CPU, in about a minute.

A byte-level language model of two layers learns from the first acts of a play. It shows how the
pieces of `msa` go together: documents packed into padded rows, one selection and one schedule a
layer that attention and the index loss share, and an index branch that this loss alone trains.

Training documents have up to three key blocks of 128 bytes, so that selection keeps all of them: a
step over a document that outgrows the 16 blocks of a query takes tens of seconds on a CPU. At the
end the model reads one unseen document of 20 blocks, where the index branch decides what the late
queries see.
"""

import dataclasses
import os
import pathlib
import re
import time

import torch
from absl import app, flags
from torch import nn
from torch.nn import functional
from tqdm import tqdm

from msa import (
    BLOCK_SIZE,
    HEAD_DIM,
    INDEX_DIM,
    NUM_INDEX_HEADS,
    NUM_KV_HEADS,
    NUM_Q_HEADS,
    TOPK_BLOCKS,
    PackedDocuments,
    build_backward_schedule,
    index_kl_loss,
    select_blocks,
    sparse_attention,
)

_STEPS = flags.DEFINE_integer("steps", 60, "Training steps.", lower_bound=1)
_SEED = flags.DEFINE_integer("seed", 0, "Seed of the weights and the batches.", lower_bound=0)
_PLOT = flags.DEFINE_string("plot", None, "Draw both losses over the steps to this .png file.")


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
    """Sizes of the model and its batches. Heads and their channels are fixed by MSA."""

    d_model: int = 128
    d_mlp: int = 512
    num_layers: int = 2
    vocabulary: int = 256  # bytes
    batch: int = 2
    sequence: int = 384
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
    """Fills rows with random excerpts of the scenes, each a document, with padding around them."""

    def randint(low: int, high: int) -> int:
        """Both bounds included."""
        return int(torch.randint(low, high + 1, (), generator=generator))

    tokens = torch.zeros(config.batch, config.sequence, dtype=torch.int64)
    targets = torch.zeros_like(tokens)
    ids = torch.zeros_like(tokens)
    shortest = 32
    for row in range(config.batch):
        start, document = randint(0, 8), 0
        while start + shortest <= config.sequence:
            length = randint(shortest, config.sequence - start)
            scene = scenes[randint(0, len(scenes) - 1)]
            # A byte more than the document, so that its last token has a target too.
            first = randint(0, len(scene) - length - 1)
            excerpt = scene[first : first + length + 1]
            document += 1
            tokens[row, start : start + length] = excerpt[:-1]
            targets[row, start : start + length] = excerpt[1:]
            ids[row, start : start + length] = document
            start += length + randint(0, 8)
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


class SparseAttention(nn.Module):
    """MSA: the index branch selects key blocks, the main branch attends to them."""

    def __init__(self, config: Config):
        super().__init__()
        self.q = nn.Linear(config.d_model, NUM_Q_HEADS * HEAD_DIM, bias=False)
        self.k = nn.Linear(config.d_model, NUM_KV_HEADS * HEAD_DIM, bias=False)
        self.v = nn.Linear(config.d_model, NUM_KV_HEADS * HEAD_DIM, bias=False)
        self.out = nn.Linear(NUM_Q_HEADS * HEAD_DIM, config.d_model, bias=False)
        self.q_norm = nn.RMSNorm(HEAD_DIM)
        self.k_norm = nn.RMSNorm(HEAD_DIM)
        self.index_q = nn.Linear(config.d_model, NUM_INDEX_HEADS * INDEX_DIM, bias=False)
        self.index_k = nn.Linear(config.d_model, INDEX_DIM, bias=False)
        self.index_q_norm = nn.RMSNorm(INDEX_DIM)
        self.index_k_norm = nn.RMSNorm(INDEX_DIM)

    def forward(
        self, x: torch.Tensor, documents: PackedDocuments, rope: Rope
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Returns the output `[T, d_model]`, the index loss and the support `[4, T, 16]`."""
        # Detached: the index loss teaches the index branch to follow attention, and must not teach
        # the layers below to be easy to follow. Nothing else trains the branch, as a selection has
        # no gradient.
        index_x = x.detach()
        index_q = rope(self.index_q_norm(self.index_q(index_x).unflatten(-1, (-1, INDEX_DIM))))
        index_k = rope(self.index_k_norm(self.index_k(index_x).unflatten(-1, (-1, INDEX_DIM))))
        support = select_blocks(index_q, index_k, documents)
        schedule = build_backward_schedule(support, documents)

        q = rope(self.q_norm(self.q(x).unflatten(-1, (-1, HEAD_DIM))))
        k = rope(self.k_norm(self.k(x).unflatten(-1, (-1, HEAD_DIM))))
        v = self.v(x).unflatten(-1, (-1, HEAD_DIM))
        out, lse = sparse_attention(q, k, v, support, documents, schedule=schedule, return_lse=True)
        # Attention is the teacher here: q, k and lse get no gradient from this loss.
        kl = index_kl_loss(q, k, lse, index_q, index_k, support, documents, schedule=schedule)
        return self.out(out.flatten(1)), kl, support


class Layer(nn.Module):
    """A pre-norm transformer layer."""

    def __init__(self, config: Config):
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.d_model)
        self.attention = SparseAttention(config)
        self.mlp = nn.Sequential(
            nn.RMSNorm(config.d_model),
            nn.Linear(config.d_model, config.d_mlp),
            nn.GELU(),
            nn.Linear(config.d_mlp, config.d_model),
        )

    def forward(
        self, x: torch.Tensor, documents: PackedDocuments, rope: Rope
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Returns the new `x` `[T, d_model]`, the index loss and the support."""
        attended, kl, support = self.attention(self.attention_norm(x), documents, rope)
        x = x + attended
        return x + self.mlp(x), kl, support


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
        self, tokens: torch.Tensor, documents: PackedDocuments
    ) -> tuple[torch.Tensor, torch.Tensor, list[torch.Tensor]]:
        """Predicts the next byte.

        Returns:
            Logits `[batch, sequence, vocabulary]`, 0 at padding; the index loss, a mean over the
            layers, in nats per query and index head; and the support of each layer.
        """
        rope = Rope(documents)
        x = documents.pack(self.embedding(tokens))
        kls, supports = [], []
        for layer in self.layers:
            x, kl, support = layer(x, documents, rope)
            kls.append(kl)
            supports.append(support)
        return documents.unpack(self.head(x)), torch.stack(kls).mean(), supports


# Training.


def language_loss(logits: torch.Tensor, microbatch: Microbatch) -> torch.Tensor:
    """Cross-entropy in nats per byte, over the tokens that are not padding."""
    documents = microbatch.documents
    return functional.cross_entropy(documents.pack(logits), documents.pack(microbatch.targets))


@dataclasses.dataclass
class History:
    """What training reports: both losses of each step, in nats, and its speed."""

    losses: list[float] = dataclasses.field(default_factory=list)
    kls: list[float] = dataclasses.field(default_factory=list)
    num_tokens: int = 0
    seconds: float = 0.0


def train(
    model: Transformer, scenes: list[torch.Tensor], config: Config, steps: int, seed: int
) -> History:
    """Trains both branches, each by its own loss, in one backward pass a step."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate)
    history = History()
    start = time.perf_counter()
    progress = tqdm(range(steps), unit="step")
    for _ in progress:
        microbatch = pack_excerpts(scenes, config, generator)
        logits, kl, _ = model(microbatch.tokens, microbatch.documents)
        loss = language_loss(logits, microbatch)
        optimizer.zero_grad()
        # No parameter gets a gradient from both losses, so that there is nothing to weigh.
        (loss + kl).backward()
        optimizer.step()

        history.losses.append(loss.item())
        history.kls.append(kl.item())
        history.num_tokens += microbatch.documents.num_tokens
        progress.set_postfix(loss=f"{loss.item():.3f}", kl=f"{kl.item():.3f}")
    history.seconds = time.perf_counter() - start
    return history


# Reports.


def summary(history: History) -> str:
    """Both losses, from the first step to the mean of the last ones, and the speed."""
    num_last = min(10, len(history.losses))

    def fall(values: list[float]) -> str:
        return f"{values[0]:.3f} -> {sum(values[-num_last:]) / num_last:.3f}"

    return (
        f"loss    {fall(history.losses)} nats per byte "
        f"(first step -> mean of the last {num_last})\n"
        f"KL      {fall(history.kls)} nats per query and index head (likewise)\n"
        f"speed   {history.num_tokens / history.seconds:.0f} tokens/s "
        f"({history.num_tokens} tokens in {history.seconds:.0f} s)"
    )


@torch.no_grad()
def read_held_out(model: Transformer, scene: torch.Tensor) -> str:
    """Reads one document of more blocks than a query keeps, and says what its last query saw."""
    num_blocks = TOPK_BLOCKS + 4
    microbatch = one_document(scene, num_blocks * BLOCK_SIZE)
    logits, kl, supports = model(microbatch.tokens, microbatch.documents)
    skipped = [
        " ".join(str(block) for block in range(num_blocks) if block not in kept)
        for kept in supports[-1][:, -1].tolist()
    ]
    return (
        f"unseen  {language_loss(logits, microbatch):.3f} nats per byte, KL {kl:.3f}, "
        f"on one document of {num_blocks} blocks\n"
        f"        blocks that its last query skipped, by index head: {' | '.join(skipped)}"
    )


def plot(history: History, path: pathlib.Path) -> None:
    """Draws both losses over the steps."""
    from matplotlib import figure  # takes a second to import

    picture = figure.Figure(figsize=(9, 3.5), layout="constrained")
    panels = picture.subplots(1, 2)
    curves = {
        "Language loss (nats per byte)": history.losses,
        "Index KL (nats per query and index head)": history.kls,
    }
    for panel, (title, values) in zip(panels, curves.items(), strict=True):
        panel.plot(range(1, len(values) + 1), values)
        panel.set(title=title, xlabel="step")
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
    picture.savefig(path, dpi=120)


def main(argv: list[str]) -> None:
    """Trains, then reads the held-out document."""
    if len(argv) > 1:
        raise app.UsageError(f"expected flags only, got {' '.join(argv[1:])}")
    config = Config()
    *scenes, held_out = load_scenes()
    torch.manual_seed(_SEED.value)
    model = Transformer(config)
    history = train(model, scenes, config, _STEPS.value, _SEED.value)
    print(summary(history))
    if _PLOT.value:
        path = _from_caller(_PLOT.value)
        plot(history, path)
        print(f"plot    {path}")
    print(read_held_out(model, held_out))


if __name__ == "__main__":
    app.run(main)
