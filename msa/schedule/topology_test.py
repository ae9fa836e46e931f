import torch

from msa.schedule import topology


def test_numbers():
    assert {name: getattr(topology, name) for name in dir(topology) if name.isupper()} == {
        "BLOCK_SIZE": 128,
        "HEAD_DIM": 128,
        "NUM_Q_HEADS": 64,
        "NUM_KV_HEADS": 4,
        "GROUP_HEADS": 16,
        "GROUP_COUNTS": (1, 2, 4, 8),
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
    assert topology.QUERY_CHUNK * topology.GROUP_HEADS == 128


def test_the_whole_model_is_one_of_the_group_counts():
    assert topology.NUM_INDEX_HEADS == topology.NUM_KV_HEADS
    assert topology.NUM_Q_HEADS == topology.GROUP_HEADS * topology.NUM_KV_HEADS
    assert topology.NUM_KV_HEADS in topology.GROUP_COUNTS


def test_dq_accumulator_keeps_the_exponent_range_of_float32():
    big = torch.tensor(1e38)
    assert big.to(topology.DQ_ACCUM_DTYPE).isfinite()
    assert big.to(torch.float16).isinf()
