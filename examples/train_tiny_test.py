import itertools
import math
import re

import pytest
import torch
from absl import flags
from absl.testing import flagsaver

from examples import train_tiny
from msa import BLOCK_SIZE, TOPK_BLOCKS, PackedDocuments

CONFIG = train_tiny.Config(d_model=32, d_mlp=64, batch=2, sequence=200, long_document=32)
STAGES = pytest.mark.parametrize("sparse", [False, True], ids=["warm_up", "sparse"])


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


@STAGES
def test_training_lowers_the_loss_and_moves_both_branches(sparse):
    model = make_model()
    before = {name: value.detach().clone() for name, value in model.named_parameters()}
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    history = train_tiny.train(model, optimizer, [make_microbatch()] * 6, sparse=sparse)
    assert len(history.losses) == len(history.kls) == 6
    assert {len(kls) for kls in history.kls} == {CONFIG.num_layers}
    assert all(math.isfinite(kl) for kls in history.kls for kl in kls)
    assert abs(history.losses[0] - math.log(CONFIG.vocabulary)) < 1
    assert history.losses[-1] < history.losses[0] - 0.5
    for name, value in model.named_parameters():
        assert not torch.equal(value, before[name]), name


@STAGES
def test_index_loss_falls_while_its_teacher_stands_still(sparse):
    model = make_model()
    microbatch = make_microbatch()
    index_branch = parameters(model, of_index=True).values()
    optimizer = torch.optim.AdamW(index_branch, lr=3e-3)
    losses = []
    for _ in range(5):
        _, reports = model(microbatch.tokens, microbatch.documents, sparse=sparse)
        loss = train_tiny.index_loss(reports)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.8 * losses[0]


@STAGES
def test_index_loss_reaches_the_index_branch_only(sparse):
    model = make_model()
    microbatch = make_microbatch()
    _, reports = model(microbatch.tokens, microbatch.documents, sparse=sparse)
    train_tiny.index_loss(reports).backward()
    index_branch = parameters(model, of_index=True)
    assert len(index_branch) == 4 * CONFIG.num_layers
    assert all(parameter.grad.abs().max() > 0 for parameter in index_branch.values())
    assert all(p.grad is None for p in parameters(model, of_index=False).values())


@STAGES
def test_language_loss_reaches_all_but_the_index_branch(sparse):
    model = make_model()
    microbatch = make_microbatch()
    logits, _ = model(microbatch.tokens, microbatch.documents, sparse=sparse)
    train_tiny.language_loss(logits, microbatch).backward()
    main_branch = parameters(model, of_index=False)
    assert all(parameter.grad.abs().max() > 0 for parameter in main_branch.values())
    assert all(p.grad is None for p in parameters(model, of_index=True).values())


def test_stages_agree_where_a_query_keeps_all_blocks():
    model = make_model()
    microbatch = make_microbatch()
    with torch.no_grad():
        dense, dense_reports = model(microbatch.tokens, microbatch.documents, sparse=False)
        logits, reports = model(
            microbatch.tokens, microbatch.documents, sparse=True, with_mass=True
        )
    torch.testing.assert_close(logits, dense, rtol=1e-4, atol=1e-5)
    for report, wanted in zip(reports, dense_reports, strict=True):
        torch.testing.assert_close(report.divergence, wanted.divergence, rtol=1e-3, atol=1e-5)
        torch.testing.assert_close(report.mass, torch.ones_like(report.mass), rtol=0, atol=1e-5)


def test_rows_of_the_example_begin_with_a_document_in_which_queries_skip_blocks():
    config = train_tiny.Config()
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        microbatch = train_tiny.pack_excerpts(train_tiny.load_scenes(), config, generator)
        blocks = -(-microbatch.documents.max_seqlen // BLOCK_SIZE)
        assert blocks >= 18 > TOPK_BLOCKS


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
        expected, _ = model(excerpt[None], alone, sparse=True)
        logits, _ = model(tokens, PackedDocuments.from_document_ids(ids), sparse=True)
    torch.testing.assert_close(logits[1, 45:195], expected[0], rtol=1e-4, atol=1e-5)
    assert logits[1, 40:45].count_nonzero() == 0


def test_held_out_document_is_read_by_selection():
    torch.manual_seed(0)
    model = train_tiny.Transformer(train_tiny.Config(d_model=32, d_mlp=64, num_layers=1))
    *_, held_out = train_tiny.load_scenes()
    report = train_tiny.read_held_out(model, held_out)
    skipped = [int(block) for block in report.split("in the last layer: ")[1].split()]
    assert len(set(skipped)) == 4
    assert set(skipped) <= set(range(19))  # never the query's own block
    (mass,) = re.findall(r"mass +(\S+) of", report)
    # Less than all, and more than a tenth: 16 blocks of at most 20.
    assert 0.1 < float(mass) < 1


def test_summary_shows_both_losses_of_the_first_and_the_last_step():
    history = train_tiny.History([5.5, 3.0, 2.0], [[0.5, 0.4], [0.3, 0.2], [0.1, 0.05]])
    text = train_tiny.summary("a stage", history)
    assert "a stage: step 1 -> 3" in text
    assert "5.500 -> 2.000" in text
    assert "0.500 | 0.400 -> 0.100 | 0.050" in text


def test_plot_is_a_picture(tmp_path):
    path = tmp_path / "losses.png"
    stages = [
        train_tiny.History([5.5, 2.0], [[0.5, 0.4], [0.3, 0.2]]),
        train_tiny.History([1.9], [[0.1, 0.1]]),
    ]
    train_tiny.plot(stages, path)
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--steps=0", "--steps=0.*positive"),
        ("--steps=many", "--steps=many"),
        ("--warm_up=0", "--warm_up=0.*positive"),
        ("--threads=0", "--threads=0.*positive"),
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
