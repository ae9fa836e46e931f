import dataclasses
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch.autograd import forward_ad
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, distribute_tensor
from torch.masked import masked_tensor
from torch.testing._internal.two_tensor import TwoTensor

from msa.autograd import index_kl_loss, select_blocks, sparse_attention
from msa.schedule.backward_schedule import build_backward_schedule
from msa.schedule.testing import pack_lengths
from msa.testing.inputs import attention_inputs, index_inputs
from msa.testing.patterns import every_block

DOCUMENTS = pack_lengths(3, 2)
LONGER = pack_lengths(3, 3)
THREE_DOCUMENTS = pack_lengths(3, 1, 1)
MORE_BLOCKS = pack_lengths(129, 131)


def arguments(*names: str, num_groups: int = 4) -> dict:
    q, k, v = attention_inputs(5, 0, torch.float32, num_groups)
    index_q, index_k = index_inputs(5, 1, torch.float32, num_groups)
    everything = {
        "q": q,
        "k": k,
        "v": v,
        "lse": torch.zeros(5, 16 * num_groups),
        "index_q": index_q,
        "index_k": index_k,
        "support": every_block(DOCUMENTS, num_groups),
        "documents": DOCUMENTS,
    }
    return {name: everything[name] for name in names}


FUNCTIONS = {
    "select_blocks": (select_blocks, ("index_q", "index_k", "documents")),
    "sparse_attention": (sparse_attention, ("q", "k", "v", "support", "documents")),
    "index_kl_loss": (
        index_kl_loss,
        ("q", "k", "lse", "index_q", "index_k", "support", "documents"),
    ),
}
CALLS = [(name, argument) for name, (_, names) in FUNCTIONS.items() for argument in names]
OPERANDS = [call for call in CALLS if call[1] not in ("support", "documents")]


def rejected(function: str, error: type[Exception], *words: str, **changed) -> None:
    """Asserts that the call with `changed` arguments raises `error` with `words` in its message."""
    call, names = FUNCTIONS[function]
    kwargs = arguments(*names) | changed
    with pytest.raises(error) as caught:
        call(**kwargs)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("num_groups", [1, 2, 4, 8])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_right_arguments_are_accepted(function, num_groups):
    call, names = FUNCTIONS[function]
    call(**arguments(*names, num_groups=num_groups))


@pytest.mark.parametrize("num_groups", [0, 3, 5, 6, 7, 9, 16, 64])
@pytest.mark.parametrize(
    "function, operand", [("select_blocks", "index_q"), ("sparse_attention", "k")]
)
def test_other_numbers_of_groups_are_rejected(function, operand, num_groups):
    _, names = FUNCTIONS[function]
    changed = arguments(*names, num_groups=num_groups)
    changed["support"] = arguments("support")["support"]  # refused on its own otherwise
    words = ("[5, G, 128] with G of 1, 2, 4 or 8", f"got shape [5, {num_groups}, 128]")
    rejected(function, ValueError, f"{operand} must be", *words, **{n: changed[n] for n in names})


@pytest.mark.parametrize("function", ["sparse_attention", "index_kl_loss"])
@pytest.mark.parametrize("num_q_heads", [4, 8])
def test_a_part_of_a_group_is_rejected(function, num_q_heads):
    """As on a rank that holds some of a group's query heads beside a copy of its KV head."""
    _, names = FUNCTIONS[function]
    changed = arguments(*names, num_groups=1)
    changed["q"] = changed["q"][:, :num_q_heads]
    words = ("q must be", "16 heads, which cannot be split", f"got shape [5, {num_q_heads}, 128]")
    rejected(function, ValueError, *words, **changed)


@pytest.mark.parametrize(
    "function, operand",
    [
        *(("sparse_attention", name) for name in ("q", "v", "support")),
        *(("index_kl_loss", name) for name in ("q", "lse", "index_q", "support")),
    ],
)
@pytest.mark.parametrize("num_groups", [1, 2, 8])
def test_operands_of_different_groups_are_rejected(function, operand, num_groups):
    value = arguments(operand, num_groups=num_groups)[operand]
    expected = list(arguments(operand)[operand].shape)
    words = (f"{operand} must be", f"= {expected} for k of [5, 4, 128]", str(list(value.shape)))
    rejected(function, ValueError, *words, **{operand: value})


@pytest.mark.parametrize("function", ["sparse_attention", "index_kl_loss"])
@pytest.mark.parametrize("num_groups", [1, 2, 8])
def test_a_schedule_of_other_groups_is_rejected(function, num_groups):
    schedule = build_backward_schedule(every_block(DOCUMENTS, num_groups), DOCUMENTS)
    words = ("schedule must be", "(groups, ", "= (4, ", f"got ({num_groups}, ")
    rejected(function, ValueError, *words, schedule=schedule)


@pytest.mark.parametrize("function, argument", CALLS)
def test_a_wrong_type_is_rejected(function, argument):
    rejected(function, TypeError, argument, "list", **{argument: [1.0]})


@pytest.mark.parametrize("function, operand", OPERANDS)
@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.int64, torch.complex64, torch.bool], ids=str
)
def test_an_unsupported_dtype_is_rejected(function, operand, dtype):
    value = arguments(operand)[operand]
    rejected(function, TypeError, operand, str(dtype), **{operand: value.to(dtype)})


@pytest.mark.parametrize("function, operand", OPERANDS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
def test_mixed_dtypes_are_rejected(function, operand, dtype):
    value = arguments(operand)[operand]
    rejected(function, TypeError, "torch.float32", str(dtype), **{operand: value.to(dtype)})


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda x: x.to_sparse(), id="sparse"),
        pytest.param(lambda x: torch.nested.nested_tensor([x]), id="nested"),
    ],
)
@pytest.mark.parametrize("function, argument", [call for call in CALLS if call[1] != "documents"])
def test_a_tensor_without_strides_is_rejected(function, argument, change):
    value = change(arguments(argument)[argument])
    rejected(function, TypeError, argument, "with strides", **{argument: value})


@pytest.fixture(scope="module")
def mesh(tmp_path_factory):
    store = tmp_path_factory.mktemp("mesh") / "store"
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=0, world_size=1
    )
    yield init_device_mesh("cpu", (1,))
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("function, argument", [call for call in CALLS if call[1] != "documents"])
def test_a_distributed_tensor_is_refused(function, argument, mesh):
    value = distribute_tensor(arguments(argument)[argument], mesh, [Replicate()])
    words = (argument, "DTensor", f"{argument}.to_local()")
    rejected(function, TypeError, *words, **{argument: value})
    rejected(
        "index_kl_loss",
        TypeError,
        "coefficient.to_local()",
        coefficient=distribute_tensor(torch.ones(()), mesh, [Replicate()]),
    )


@pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors")
def test_a_masked_tensor_is_refused():
    q = arguments("q")["q"]
    masked = masked_tensor(q, torch.ones_like(q, dtype=torch.bool))
    rejected("sparse_attention", TypeError, "q must be", "q.get_data()", q=masked)


class Tagged(torch.Tensor):
    """A subclass without a dispatch of its own."""


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    "wrap",
    [
        torch.nn.Parameter,
        torch.nn.Buffer,
        lambda x: x.as_subclass(Tagged),
        lambda x: TwoTensor(x, x.clone()),
    ],
    ids=["parameter", "buffer", "subclass", "traceable"],
)
def test_other_subclasses_are_right(function, wrap):
    call, names = FUNCTIONS[function]
    plain = arguments(*names)
    operands = [name for name in names if name not in ("support", "documents", "lse")]
    wrapped = plain | {name: wrap(plain[name].clone()) for name in operands}
    found = call(**wrapped)
    found = found.a if isinstance(found, TwoTensor) else found
    assert torch.equal(torch.Tensor(found), call(**plain))


def test_lse_that_a_wrapper_cast_is_refused_with_advice():
    cast = {name: value.bfloat16() for name, value in arguments("q", "k", "lse").items()}
    cast |= {name: value.bfloat16() for name, value in arguments("index_q", "index_k").items()}
    words = ("lse must be torch.float32", "torch.bfloat16", "cast_forward_inputs=False")
    rejected("index_kl_loss", TypeError, *words, **cast)


def test_lse_is_in_full_precision():
    _, names = FUNCTIONS["index_kl_loss"]
    for dtype, wrong in ((torch.bfloat16, torch.bfloat16), (torch.float64, torch.float32)):
        cast = {
            name: value.to(dtype)
            for name, value in arguments(*names).items()
            if name in ("q", "k", "index_q", "index_k")
        }
        lse = torch.zeros(5, 64, dtype=wrong)
        rejected("index_kl_loss", TypeError, "lse", str(wrong), lse=lse, **cast)


@pytest.mark.parametrize("function, operand", OPERANDS)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda x: x[None], id="rank above"),
        pytest.param(lambda x: x[..., 0], id="rank below"),
        pytest.param(lambda x: x.repeat_interleave(3, dim=1), id="heads"),
        pytest.param(lambda x: x[..., :-1], id="channels"),
        pytest.param(lambda x: x[:-1], id="fewer tokens"),
        pytest.param(lambda x: torch.cat((x, x[:1])), id="more tokens"),
        pytest.param(lambda x: x[:0], id="no tokens"),
    ],
)
def test_a_wrong_shape_is_rejected(function, operand, change):
    value = change(arguments(operand)[operand])
    rejected(function, ValueError, operand, str(list(value.shape)), **{operand: value})


@pytest.mark.parametrize("function, argument", [call for call in CALLS if call[1] != "documents"])
def test_another_device_is_rejected(function, argument):
    value = arguments(argument)[argument].to("meta")
    rejected(function, ValueError, argument, "cpu", "meta", **{argument: value})


@pytest.mark.parametrize("function", FUNCTIONS)
def test_documents_on_another_device_are_rejected(function):
    rejected(function, ValueError, "cpu", "meta", documents=DOCUMENTS.to("meta"))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_documents_of_other_tokens_are_rejected(function):
    rejected(function, ValueError, "6", documents=LONGER)


@pytest.mark.parametrize("function", ["sparse_attention", "index_kl_loss"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.uint8], ids=str)
def test_a_support_of_another_dtype_is_rejected(function, dtype):
    support = every_block(DOCUMENTS).to(dtype)
    rejected(function, TypeError, "support", str(dtype), support=support)


@pytest.mark.parametrize("function", ["sparse_attention", "index_kl_loss"])
@pytest.mark.parametrize(
    "shape", [(1, 5, 16), (4, 6, 16), (4, 5, 15), (5, 4, 16), (5, 16)], ids=str
)
def test_a_support_of_another_shape_is_rejected(function, shape):
    support = torch.zeros(shape, dtype=torch.int32)
    rejected(function, ValueError, "support", str(list(shape)), support=support)


@pytest.mark.parametrize("function", ["sparse_attention", "index_kl_loss"])
def test_a_schedule_of_another_type_is_rejected(function):
    schedule = build_backward_schedule(every_block(DOCUMENTS), DOCUMENTS)
    fields = dataclasses.fields(schedule)
    flat = tuple(getattr(schedule, field.name) for field in fields)
    rejected(function, TypeError, "schedule", "tuple", schedule=flat)


@pytest.mark.parametrize("function", ["sparse_attention", "index_kl_loss"])
@pytest.mark.parametrize(
    "other", [LONGER, THREE_DOCUMENTS, MORE_BLOCKS], ids=["tokens", "documents", "blocks"]
)
def test_a_schedule_of_other_documents_is_rejected(function, other):
    schedule = build_backward_schedule(every_block(other), other)
    rejected(function, ValueError, "schedule", schedule=schedule)


@pytest.mark.parametrize("function", ["sparse_attention", "index_kl_loss"])
def test_a_schedule_on_another_device_is_rejected(function):
    schedule = build_backward_schedule(every_block(DOCUMENTS), DOCUMENTS)
    fields = dataclasses.fields(schedule)
    moved = {field.name: getattr(schedule, field.name).to("meta") for field in fields}
    rejected(
        function, ValueError, "schedule", "meta", schedule=dataclasses.replace(schedule, **moved)
    )


@pytest.mark.parametrize("forced", ["init_blocks", "local_blocks"])
@pytest.mark.parametrize("value", [1.0, "1", True, None])
def test_a_number_of_forced_blocks_is_an_int(forced, value):
    rejected("select_blocks", TypeError, forced, type(value).__name__, **{forced: value})


@pytest.mark.parametrize(
    "init_blocks, local_blocks, words",
    [
        (-1, 1, ("init_blocks", "-1")),
        (0, -1, ("local_blocks", "-1")),
        (16, 1, ("init_blocks", "local_blocks", "16")),
        (0, 17, ("local_blocks", "16", "17")),
    ],
)
def test_forced_blocks_fit_into_the_selection(init_blocks, local_blocks, words):
    rejected(
        "select_blocks", ValueError, *words, init_blocks=init_blocks, local_blocks=local_blocks
    )


@pytest.mark.parametrize(
    "coefficient", ["1", None, True, 1j, torch.tensor(True), torch.tensor(1j)], ids=repr
)
def test_a_coefficient_is_a_real_number(coefficient):
    rejected("index_kl_loss", TypeError, "coefficient", coefficient=coefficient)


@pytest.mark.parametrize(
    "coefficient", [10**400, -(10**400), Fraction(10**400, 3)], ids=["large", "small", "fraction"]
)
def test_a_coefficient_is_within_the_range_of_floats(coefficient):
    rejected("index_kl_loss", ValueError, "coefficient", "1.798e+308", coefficient=coefficient)


@pytest.mark.parametrize(
    "coefficient", [Decimal("0.5"), np.bool_(True), np.ones(()), np.complex64(1)], ids=repr
)
def test_a_coefficient_is_no_other_number(coefficient):
    rejected("index_kl_loss", TypeError, "coefficient", coefficient=coefficient)


def test_a_tensor_coefficient_is_where_the_operands_are_or_on_the_cpu():
    coefficient = torch.ones((), device="meta")
    rejected("index_kl_loss", ValueError, "coefficient", "cpu", "meta", coefficient=coefficient)


@pytest.mark.parametrize("shape", [(1,), (4,), (0,)], ids=str)
def test_a_tensor_coefficient_is_a_scalar(shape):
    coefficient = torch.ones(shape)
    rejected("index_kl_loss", ValueError, "coefficient", str(list(shape)), coefficient=coefficient)


@pytest.mark.parametrize("function, argument", CALLS)
def test_types_come_before_everything_else(function, argument):
    # Every other tensor has a wrong shape.
    _, names = FUNCTIONS[function]
    changed = {
        name: value[..., :-1] if isinstance(value, torch.Tensor) else value
        for name, value in arguments(*names).items()
    }
    rejected(function, TypeError, argument, **changed | {argument: 1})


def test_types_come_before_values_of_forced_blocks():
    rejected("select_blocks", TypeError, "documents", documents=None, init_blocks=-1)
    rejected("select_blocks", TypeError, "local_blocks", init_blocks=-1, local_blocks="1")


@pytest.mark.parametrize(
    "function, operand",
    [
        *(("sparse_attention", name) for name in ("q", "k", "v")),
        *(("index_kl_loss", name) for name in ("index_q", "index_k")),
    ],
)
@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_tangent_is_refused(function, operand, requires_grad):
    value = arguments(operand)[operand].detach().requires_grad_(requires_grad)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(value, torch.ones_like(value))
        rejected(function, NotImplementedError, function, operand, **{operand: dual})
    call, names = FUNCTIONS[function]
    with pytest.raises(NotImplementedError, match=f"{function} .* {operand}"):
        torch.func.jvp(
            lambda x: call(**arguments(*names) | {operand: x}), (value,), (torch.ones_like(value),)
        )


DIFFERENTIATED = [
    *(("sparse_attention", name) for name in ("q", "k", "v")),
    *(("index_kl_loss", name) for name in ("index_q", "index_k")),
]


@pytest.mark.parametrize("function, operand", DIFFERENTIATED)
@pytest.mark.parametrize(
    "transform",
    [
        lambda f, x: torch.func.grad(f)(x),
        lambda f, x: torch.func.vjp(f, x),
        lambda f, x: torch.func.vmap(torch.func.grad(f))(x[None]),
        lambda f, x: torch.func.grad(lambda y: torch.func.vmap(f)(y[None]).sum())(x),
        lambda f, x: torch.func.jacrev(f)(x),
    ],
    ids=["grad", "vjp", "vmap of grad", "grad of vmap", "jacrev"],
)
def test_a_derivative_by_torch_func_is_refused(function, operand, transform):
    call, names = FUNCTIONS[function]
    others = arguments(*names)
    value = others.pop(operand)
    with pytest.raises(NotImplementedError, match=rf"{function} .* {operand}: use torch.autograd"):
        transform(lambda x: call(**others, **{operand: x}).sum(), value)


def test_the_selection_runs_where_torch_func_differentiates():
    index_q, index_k = arguments("index_q", "index_k").values()
    expected = select_blocks(index_q, index_k, DOCUMENTS)

    def loss(index_q):
        support = select_blocks(index_q, index_k, DOCUMENTS)
        return (support * index_q.sum()).sum(), support

    gradient, support = torch.func.grad(loss, has_aux=True)(index_q)
    assert torch.equal(support, expected)
    assert torch.equal(gradient, torch.full_like(index_q, expected.sum()))
    _, tangent = torch.func.jvp(
        lambda x: select_blocks(x, index_k, DOCUMENTS).double(), (index_q,), (index_q,)
    )
    assert not tangent.any()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_torch_func_may_differentiate_around_the_functions(function):
    # The operands are constants there, or detached, or of another transform.
    call, names = FUNCTIONS[function]
    operands = arguments(*names)
    operand = DIFFERENTIATED[-1][1] if function != "sparse_attention" else "q"
    expected = call(**operands).sum().float()
    constant = torch.func.grad(lambda x: x * call(**operands).sum())(torch.ones(()))
    torch.testing.assert_close(constant, expected)

    def detached(x, y):
        return y * call(**operands | {operand: x.detach()}).sum()

    found = torch.func.grad(detached, argnums=1)(operands[operand], torch.ones(()))
    torch.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("ignore:There is a performance drop")
@pytest.mark.parametrize("function", FUNCTIONS)
def test_vmap_is_a_loop(function):
    call, names = FUNCTIONS[function]
    operands = arguments(*names)
    batches = {
        name: torch.stack((value, value.flip(0)))
        for name, value in operands.items()
        if name not in ("support", "documents", "lse")
    }
    found = torch.func.vmap(lambda batch: call(**operands | batch))(batches)
    for index in range(2):
        alone = {name: batch[index] for name, batch in batches.items()}
        torch.testing.assert_close(found[index], call(**operands | alone))


@pytest.mark.parametrize("function", ["sparse_attention", "index_kl_loss"])
def test_types_of_the_options_come_before_shapes(function):
    q = torch.zeros(5, 64, 127)
    rejected(function, TypeError, "schedule", q=q, schedule=1)
    if function == "index_kl_loss":
        rejected(function, TypeError, "coefficient", q=q, coefficient="1")
        vector = torch.ones(1)
        rejected(function, TypeError, "schedule", coefficient=vector, schedule=1)
        rejected(function, TypeError, "support", coefficient=vector, support=[1])
        rejected(function, TypeError, "support", coefficient=10**400, support=[1])
        rejected(function, TypeError, "documents", coefficient=10**400, documents=None)
        rejected(function, TypeError, "schedule", coefficient=10**400, schedule=1)
