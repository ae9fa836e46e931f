import itertools
import math

import pytest
import torch
from absl import flags
from absl.testing import flagsaver

from examples import train_tiny
from msa import BLOCK_SIZE, NUM_INDEX_HEADS, PackedDocuments

CONFIG = train_tiny.Config(d_model=32, d_mlp=64, batch=2, sequence=200)


def make_model() -> train_tiny.Transformer:
    torch.manual_seed(0)
    return train_tiny.Transformer(CONFIG)


def make_microbatch() -> train_tiny.Microbatch:
    generator = torch.Generator().manual_seed(0)
    return train_tiny.pack_excerpts(train_tiny.load_scenes(), CONFIG, generator)


def parameters(model: torch.nn.Module, *, of_index: bool) -> dict[str, torch.nn.Parameter]:
    return {
        name: parameter
        for name, parameter in model.named_parameters()
        if ("index" in name) == of_index
    }


def test_training_lowers_the_loss_and_moves_both_branches():
    model = make_model()
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    history = train_tiny.train(model, train_tiny.load_scenes(), CONFIG, steps=6, seed=0)
    assert len(history.losses) == len(history.kls) == 6
    assert all(math.isfinite(value) for value in history.losses + history.kls)
    assert abs(history.losses[0] - math.log(CONFIG.vocabulary)) < 1
    assert history.losses[-1] < history.losses[0] - 0.5
    for name, value in model.named_parameters():
        assert not torch.equal(value, before[name]), name


def test_index_loss_falls_while_its_teacher_stands_still():
    model = make_model()
    microbatch = make_microbatch()
    index_branch = parameters(model, of_index=True).values()
    optimizer = torch.optim.AdamW(index_branch, lr=3e-3)
    kls = []
    for _ in range(5):
        _, kl, _ = model(microbatch.tokens, microbatch.documents)
        optimizer.zero_grad()
        kl.backward()
        optimizer.step()
        kls.append(kl.item())
    assert kls == sorted(kls, reverse=True)
    assert kls[-1] < 0.8 * kls[0]


def test_index_loss_reaches_the_index_branch_only():
    model = make_model()
    microbatch = make_microbatch()
    _, kl, _ = model(microbatch.tokens, microbatch.documents)
    kl.backward()
    index_branch = parameters(model, of_index=True)
    assert len(index_branch) == 4 * CONFIG.num_layers
    assert all(parameter.grad.abs().max() > 0 for parameter in index_branch.values())
    assert all(p.grad is None for p in parameters(model, of_index=False).values())


def test_language_loss_reaches_all_but_the_index_branch():
    model = make_model()
    microbatch = make_microbatch()
    logits, _, _ = model(microbatch.tokens, microbatch.documents)
    train_tiny.language_loss(logits, microbatch).backward()
    main_branch = parameters(model, of_index=False)
    assert all(parameter.grad.abs().max() > 0 for parameter in main_branch.values())
    assert all(p.grad is None for p in parameters(model, of_index=True).values())


def test_rows_hold_several_documents_and_padding():
    documents = make_microbatch().documents
    assert documents.cu_seqlens.numel() - 1 > CONFIG.batch
    assert documents.padding_mask.any()
    assert documents.max_seqlen > BLOCK_SIZE


def test_target_is_the_next_byte_of_the_same_document():
    scenes = train_tiny.load_scenes()
    play = b"|".join(bytes(scene.tolist()) for scene in scenes)
    microbatch = make_microbatch()
    documents = microbatch.documents
    tokens, targets = documents.pack(microbatch.tokens), documents.pack(microbatch.targets)
    offsets = documents.cu_seqlens.tolist()
    for start, end in itertools.pairwise(offsets):
        text = bytes([*tokens[start:end].tolist(), int(targets[end - 1])])
        assert text in play
        assert targets[start:end].tolist() == list(text[1:])


def test_a_document_does_not_depend_on_where_it_is_packed():
    model = make_model()
    excerpt = train_tiny.load_scenes()[0][:150]
    alone = PackedDocuments.from_document_ids(torch.ones(1, 150, dtype=torch.int64))
    tokens = torch.randint(256, (2, 200), generator=torch.Generator().manual_seed(0))
    tokens[1, 45:195] = excerpt
    ids = torch.zeros_like(tokens)
    ids[0, :] = 1
    ids[1, 2:40] = 1
    ids[1, 45:195] = 2
    with torch.no_grad():
        expected, _, _ = model(excerpt[None], alone)
        logits, _, _ = model(tokens, PackedDocuments.from_document_ids(ids))
    torch.testing.assert_close(logits[1, 45:195], expected[0], rtol=1e-4, atol=1e-5)
    assert logits[1, 40:45].count_nonzero() == 0


def test_last_query_of_the_held_out_document_skips_four_blocks_in_each_head():
    torch.manual_seed(0)
    model = train_tiny.Transformer(train_tiny.Config(d_model=32, d_mlp=64, num_layers=1))
    *_, held_out = train_tiny.load_scenes()
    report = train_tiny.read_held_out(model, held_out)
    heads = [list(map(int, head.split())) for head in report.split(": ")[-1].split("|")]
    assert len(heads) == NUM_INDEX_HEADS
    for skipped in heads:
        assert len(set(skipped)) == 4
        assert set(skipped) <= set(range(19))  # never the query's own block


def test_summary_shows_both_losses_and_the_speed():
    history = train_tiny.History([5.5, 3.0, 2.0], [0.5, 0.2, 0.1], num_tokens=1200, seconds=4.0)
    text = train_tiny.summary(history)
    assert "5.500 -> 3.500" in text
    assert "0.500 -> 0.267" in text
    assert "300 tokens/s" in text


def test_plot_is_a_picture(tmp_path):
    path = tmp_path / "losses.png"
    train_tiny.plot(train_tiny.History([5.5, 2.0], [0.5, 0.1]), path)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--steps=0", "--steps=0.*positive"),
        ("--steps=many", "--steps=many"),
        ("--seed=-1", "--seed=-1.*non-negative"),
        ("--plot=losses.jpg", "--plot=losses.jpg.*must name a .png file"),
        ("--plot=no/such/folder/losses.png", "--plot=no.*in a folder that exists"),
    ],
)
def test_wrong_flags_are_named(argument, message):
    with flagsaver.flagsaver(), pytest.raises(flags.IllegalFlagValueError, match=message):
        flags.FLAGS(["train_tiny", argument])


def test_flags_fit():
    with flagsaver.flagsaver():
        assert flags.FLAGS(["train_tiny", "--steps=1", "--seed=3", "--plot=a.png"]) == [
            "train_tiny"
        ]
