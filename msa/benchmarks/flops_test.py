from msa.benchmarks import flops


def test_flop_by_the_convention():
    """Per pair of a group, averaged over four groups: 32768 forward, 81920 backward."""
    assert flops.forward_flop(4) == 32768
    assert flops.backward_flop(4) == 81920
    assert flops.selection_flop(4) == 2 * 128 * 4
    assert flops.index_kl_flop(1) == 2 * 128 * (16 + 3)
