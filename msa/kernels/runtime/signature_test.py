"""A signature passes arguments in order, and refuses what it does not describe."""

import pytest
import torch

from msa.kernels.runtime.signature import Array, Integer, Scratch, Signature, word

SIGNATURE = Signature(
    rows=Array(torch.bfloat16, ("tokens", "heads", 128), strided=True),
    sums=Array(torch.float32, ("heads", "blocks")),
    maxima=Array(torch.float32, ("blocks",)),
    tokens=Integer(),
    heads=Integer(),
)


def arguments(**changed) -> dict:
    """Three tokens, two heads, five blocks."""
    return {
        "rows": torch.zeros(3, 2, 128, dtype=torch.bfloat16),
        "sums": torch.zeros(2, 5),
        "maxima": torch.zeros(5),
        "tokens": 3,
        "heads": 2,
    } | changed


def test_words_stand_in_order():
    given = arguments()
    words = SIGNATURE.words(dict(reversed(given.items())))
    assert words == [*(given[name].data_ptr() for name in ("rows", "sums", "maxima")), 3, 2]


@pytest.mark.parametrize("changed", [{"more": 1}, {}])
def test_names_are_those_of_the_signature(changed):
    given = arguments(**changed)
    if not changed:
        del given["heads"]
    with pytest.raises(TypeError, match="expected the arguments rows, sums, maxima, tokens, heads"):
        SIGNATURE.words(given)


def test_check_takes_what_fits():
    SIGNATURE.check(arguments())
    fused = torch.zeros(3, 6, 128, dtype=torch.bfloat16)
    SIGNATURE.check(arguments(rows=fused[:, 2:4]))


@pytest.mark.parametrize(
    "changed, error, words",
    [
        ({"tokens": 3.0}, TypeError, "tokens must be an int, got float"),
        ({"tokens": 2**31}, ValueError, "tokens must fit int32, got 2147483648"),
        ({"sums": [1]}, TypeError, "sums must be a tensor, got list"),
        ({"sums": torch.zeros(2, 5).double()}, TypeError, "sums must be torch.float32, got"),
        ({"tokens": 4}, ValueError, r"rows must be \[tokens = 4, heads = 2, 128\], got shape"),
        ({"maxima": torch.zeros(6)}, ValueError, r"maxima must be \[blocks = 5\], got shape \[6\]"),
        ({"maxima": torch.zeros(5, 1)}, ValueError, r"maxima must be \[blocks = 5\], got shape"),
        ({"sums": torch.zeros(5, 2).t()}, ValueError, "sums must be contiguous, got shape"),
        (
            {"rows": torch.zeros(3, 2, 256, dtype=torch.bfloat16)[..., ::2]},
            ValueError,
            "rows must be contiguous in its last dimension, got shape",
        ),
        ({"maxima": torch.zeros(6)[1:]}, ValueError, "maxima must be aligned to 16 bytes, got 0x"),
        ({"maxima": torch.zeros(5, device="meta")}, ValueError, "maxima must be on cpu, got meta"),
    ],
)
def test_check_names_what_does_not_fit(changed, error, words):
    with pytest.raises(error, match=words):
        SIGNATURE.check(arguments(**changed))


def test_an_array_may_be_of_modes_or_left_out():
    signature = Signature(
        sums=Array(torch.float32, ("rows",), also=(torch.int32,)),
        scale=Array(torch.float32, ("rows",), optional=True),
        first=word("words"),
    )
    words = torch.zeros(4, dtype=torch.int32)
    given = {"sums": torch.zeros(4), "scale": 0, "first": words[1:]}
    signature.check(given)
    signature.check(given | {"sums": words, "scale": torch.ones(4)})
    assert signature.words(given)[1] == 0
    for wrong in ({"sums": torch.zeros(4).double()}, {"sums": 0}, {"scale": 1}):
        with pytest.raises(TypeError):
            signature.check(given | wrong)


def test_scratch_stands_in_order():
    signature = Signature(words=Scratch(torch.int64), counts=Scratch(torch.int32))
    signature.check({"words": 256, "counts": 512})
    with pytest.raises(ValueError, match="counts must be aligned to 16 bytes and not before other"):
        signature.check({"words": 512, "counts": 256})
    with pytest.raises(ValueError, match="words must be aligned to 16 bytes"):
        signature.check({"words": 8, "counts": 256})
    with pytest.raises(TypeError, match="counts must be an address, got Tensor"):
        signature.check({"words": 256, "counts": torch.zeros(1)})
