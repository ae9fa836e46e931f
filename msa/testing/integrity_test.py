import dataclasses

import pytest
import torch

from msa.autograd import select_blocks
from msa.schedule import PackedDocuments, build_backward_schedule, build_task_tables
from msa.testing.inputs import random_operands
from msa.testing.integrity import IntegrityError, check_schedule, check_selection

QUERIES = torch.tensor([0, 300, 301, 2600, 2899])


@pytest.fixture(scope="module", params=[torch.float32, torch.bfloat16, torch.float64])
def selection(request):
    documents = PackedDocuments.from_cu_seqlens(torch.tensor([0, 300, 2900]))
    generator = torch.Generator().manual_seed(0)
    operands = random_operands(2900, request.param, generator, attention=False)
    support = select_blocks(operands.index_q, operands.index_k, documents)
    return support, operands.index_q, operands.index_k, documents


def damaged(selection, head, query, ids):
    support = selection[0].clone()
    support[head, query] = -1
    support[head, query, : len(ids)] = torch.tensor(ids, dtype=torch.int32)
    return support, *selection[1:]


def test_what_select_blocks_returns_passes(selection):
    check_selection(*selection, QUERIES)


def test_the_order_of_ids_is_free(selection):
    support, *rest = selection
    check_selection(support.flip(-1), *rest, QUERIES)


def test_a_worse_block_in_the_place_of_a_better_one_fails(selection):
    # Query 2899 has 21 candidates, of which 5 are left out.
    kept = selection[0][2, 2899].tolist()
    left_out = (set(range(21)) - set(kept)).pop()
    worse = sorted([left_out, *kept[1:]])
    with pytest.raises(IntegrityError, match=r"best-scoring blocks .* \(2, 2899\)"):
        check_selection(*damaged(selection, 2, 2899, worse), QUERIES)


def test_too_few_blocks_fail(selection):
    kept = selection[0][1, 2600].tolist()
    with pytest.raises(IntegrityError, match=r"min\(16, candidates\) blocks .* \(1, 2600\)"):
        check_selection(*damaged(selection, 1, 2600, kept[1:]), QUERIES)
    with pytest.raises(IntegrityError, match=r"min\(16, candidates\) blocks .* \(3, 0\)"):
        check_selection(*damaged(selection, 3, 0, []), QUERIES)


def test_a_selection_without_the_own_block_fails(selection):
    kept = selection[0][0, 2899].tolist()
    left_out = (set(range(21)) - set(kept)).pop()
    without = sorted({left_out, *kept} - {20})
    with pytest.raises(IntegrityError, match=r"its own blocks .* \(0, 2899\)"):
        check_selection(*damaged(selection, 0, 2899, without), QUERIES)


def test_queries_outside_the_sample_are_not_looked_at(selection):
    check_selection(*damaged(selection, 0, 2601, []), QUERIES)


def test_a_schedule_of_its_support_passes_and_of_another_fails(selection):
    support, _, _, documents = selection
    schedule = build_backward_schedule(support, documents)
    tables = build_task_tables(schedule, num_sms=132)
    check_schedule(support, schedule, tables)
    other = damaged(selection, 0, 2899, [20])[0]
    with pytest.raises(IntegrityError, match=r"in CSR, .* in work items, .* in tasks"):
        check_schedule(other, schedule, tables)


def test_a_schedule_that_overflows_or_loses_tasks_fails(selection):
    support, _, _, documents = selection
    schedule = build_backward_schedule(support, documents)
    tables = build_task_tables(schedule, num_sms=132)
    for index, value in ((7, 1), (0, int(tables.descriptor[0]) - 1)):
        descriptor = tables.descriptor.clone()
        descriptor[index] = value
        with pytest.raises(IntegrityError, match="schedule must hold"):
            check_schedule(support, schedule, tables._replace(descriptor=descriptor))
    fewer_items = dataclasses.replace(schedule, work_count=schedule.work_count - 1)
    with pytest.raises(IntegrityError, match="schedule must hold"):
        check_schedule(support, fewer_items, tables)
