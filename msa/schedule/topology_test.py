import torch

from msa.schedule import topology


def test_numbers():
    assert {name: getattr(topology, name) for name in dir(topology) if name.isupper()} == {
        "BLOCK_SIZE": 128,
        "HEAD_DIM": 128,
        "NUM_Q_HEADS": 64,
        "NUM_KV_HEADS": 4,
        "NUM_INDEX_HEADS": 4,
        "INDEX_DIM": 128,
        "TOPK_BLOCKS": 16,
        "QUERY_CHUNK": 8,
        "SOFTMAX_SCALE": 128**-0.5,
        "DQ_ACCUM_DTYPE": torch.bfloat16,
        "ROWS_PER_CTA_SMALL": 4,
        "ROWS_PER_CTA_LARGE": 64,
        "ROWS_PER_CTA_SWITCH": 2400,
        "WORK_ITEM_QUERIES": 256,
        "MIN_TASK_WINDOW": 512,
        "MAX_TASK_WINDOWS": 32,
    }


def test_a_task_row_fills_a_tile():
    heads_per_group = topology.NUM_Q_HEADS // topology.NUM_KV_HEADS
    assert topology.QUERY_CHUNK * heads_per_group == 128
    assert topology.NUM_INDEX_HEADS == topology.NUM_KV_HEADS


def test_dq_accumulator_keeps_the_exponent_range_of_float32():
    big = torch.tensor(1e38)
    assert big.to(topology.DQ_ACCUM_DTYPE).isfinite()
    assert big.to(torch.float16).isinf()
