"""The argument checks of the public functions, each rule once, before any launch.

Types and dtypes come first (`TypeError`), then shapes and devices (`ValueError`). Nothing here
reads a tensor's values.
"""

import numbers
import sys

import torch
from torch._C._functorch import (
    get_unwrapped,
    is_functorch_wrapped_tensor,
    is_gradtrackingtensor,
)
from torch.autograd import forward_ad

from msa.reference.precision import accumulation_dtype
from msa.schedule.backward_schedule import MSABackwardSchedule, build_backward_schedule
from msa.schedule.checks import ANY_GROUPS, require_ints, require_tensor
from msa.schedule.documents import PackedDocuments
from msa.schedule.support import check_support_layout, check_support_types, edge_capacity
from msa.schedule.topology import (
    BLOCK_SIZE,
    GROUP_COUNTS,
    GROUP_HEADS,
    HEAD_DIM,
    INDEX_DIM,
    TOPK_BLOCKS,
)

DTYPES = (torch.bfloat16, torch.float32, torch.float64)

_AUTOCAST_DEVICES = ("cpu", "cuda")

_LAYOUT = "[tokens, heads, channels]"
_WHOLE_GROUPS = f"with whole groups of {GROUP_HEADS} heads, which cannot be split,"


# Each operand's layout as text, its heads per group (0: one head for all groups) and its channels.
_LAYOUTS = {
    "q": (f"{_LAYOUT}, {_WHOLE_GROUPS}", GROUP_HEADS, (HEAD_DIM,)),
    "k": (_LAYOUT, 1, (HEAD_DIM,)),
    "v": (_LAYOUT, 1, (HEAD_DIM,)),
    "lse": (f"[tokens, heads], {_WHOLE_GROUPS}", GROUP_HEADS, ()),
    "index_q": (_LAYOUT, 1, (INDEX_DIM,)),
    "index_k": (_LAYOUT, 0, (INDEX_DIM,)),
}


def cast_operands(**operands: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Checks the types of the operands named in the call, and casts them where autocast is on.

    Returns:
        The operands, in the order given.

    Raises:
        TypeError: an operand is not a tensor with strides, is not bf16, FP32 or FP64 after the
            cast, or differs in dtype from the first.
    """
    for name, operand in operands.items():
        require_tensor(name, operand)
    cast = [_autocast(operand) for operand in operands.values()]
    first = cast[0].dtype
    for name, operand in zip(operands, cast, strict=True):
        dtype = operand.dtype
        if dtype not in DTYPES:
            raise TypeError(f"{name} must be bfloat16, float32 or float64, got {dtype}")
        if dtype != first:
            raise TypeError(
                f"{name} must have the dtype of {next(iter(operands))}, {first}, got {dtype}"
            )
    return tuple(cast)


def check_lse_type(lse: torch.Tensor, q: torch.Tensor) -> None:
    """Checks that `lse` has the dtype in which attention over `q` returns it.

    Raises:
        TypeError: `lse` is not a tensor, or not FP32 (FP64 where `q` is FP64).
    """
    require_tensor("lse", lse)
    expected = accumulation_dtype(q.dtype)
    if lse.dtype != expected:
        raise TypeError(
            f"lse must be {expected} where q is {q.dtype}, got {lse.dtype}: pass lse as "
            "sparse_attention returned it. A wrapper that casts the inputs of a module, as FSDP's "
            "cast_forward_inputs does, must leave it out: set cast_forward_inputs=False, or call "
            "sparse_attention inside of the wrapped module"
        )


def refuse_forward_mode(function: str, **operands: torch.Tensor) -> None:
    """Refuses operands that carry a tangent, which an operator would drop silently.

    Raises:
        NotImplementedError: an operand of `function` carries one.
    """
    for name, operand in operands.items():
        if forward_ad.unpack_dual(operand).tangent is not None:
            raise NotImplementedError(
                f"{function} has no forward-mode derivative: {name} must not carry a tangent"
            )


def refuse_function_transforms(function: str, **operands: torch.Tensor) -> None:
    """Refuses operands that `torch.func` differentiates: the operators support autograd only.

    Raises:
        NotImplementedError: an operand of `function` is an input of `torch.func.grad`, `vjp` or a
            transform built on them.
    """
    # A compiler traces with its own tensors, whose wrappers say nothing about the caller's.
    if torch.compiler.is_compiling() or not torch.is_grad_enabled():
        return
    for name, operand in operands.items():
        if _is_tracked(operand):
            raise NotImplementedError(
                f"{function} has no derivative under torch.func, which differentiates with respect "
                f"to {name}: use torch.autograd, as in {name}.requires_grad_() and "
                "torch.autograd.grad(loss, inputs)"
            )


def check_coefficient(coefficient: float | torch.Tensor) -> float | torch.Tensor:
    """Checks the type of a factor, and returns it as a float or a tensor.

    Raises:
        TypeError: it is neither a real number nor a tensor of real numbers.
        ValueError: it is a number past the largest float.
    """
    if torch.compiler.is_compiling() and type(coefficient).__name__ == "ndarray":
        coefficient = torch.as_tensor(coefficient)  # torch.compile passes NumPy scalars as arrays
    if isinstance(coefficient, torch.Tensor):
        require_tensor("coefficient", coefficient)
        if coefficient.dtype == torch.bool or coefficient.is_complex():
            raise TypeError(f"coefficient must be real, got {coefficient.dtype}")
        return coefficient
    if isinstance(coefficient, bool) or not isinstance(coefficient, numbers.Real):
        raise TypeError(
            f"coefficient must be a number or a scalar tensor, got {type(coefficient).__name__}"
        )
    try:
        return float(coefficient)
    except OverflowError:
        raise ValueError(
            f"coefficient must be within the range of a float, up to {sys.float_info.max:.4g} in "
            f"size, got a larger {type(coefficient).__name__}"
        ) from None


def check_coefficient_layout(coefficient: float | torch.Tensor, documents: PackedDocuments) -> None:
    """Checks the shape and device of a factor that is a tensor.

    Raises:
        ValueError: it is not 0-dimensional, or neither on the CPU nor on the documents' device.
    """
    if isinstance(coefficient, torch.Tensor):
        if coefficient.dim() != 0:
            raise ValueError(
                f"coefficient must be a scalar tensor, got shape {list(coefficient.shape)}"
            )
        if coefficient.device.type != "cpu":
            _require_device("coefficient", coefficient, documents.device)


def check_documents_type(documents: PackedDocuments) -> None:
    """Raises `TypeError` unless `documents` is a `PackedDocuments`."""
    if not isinstance(documents, PackedDocuments):
        raise TypeError(f"documents must be a PackedDocuments, got {type(documents).__name__}")


def check_forced_blocks(init_blocks: int, local_blocks: int) -> tuple[int, int]:
    """Checks the numbers of forced blocks, and returns them as ints.

    Raises:
        TypeError: one of them is not an int.
        ValueError: one of them is negative, or together they exceed the 16 blocks that are kept.
    """
    init_blocks, local_blocks = require_ints(
        ("init_blocks", init_blocks, 0), ("local_blocks", local_blocks, 0)
    )
    if init_blocks + local_blocks > TOPK_BLOCKS:
        raise ValueError(
            f"init_blocks + local_blocks must be at most {TOPK_BLOCKS}, "
            f"got {init_blocks} + {local_blocks}"
        )
    return init_blocks, local_blocks


def check_layouts(documents: PackedDocuments, **operands: torch.Tensor) -> None:
    """Checks the shapes and devices of the operands named in the call.

    The heads of `k`, or of `index_q` in a call without it, are the groups of the call.

    Raises:
        ValueError: the groups are not 1, 2, 4 or 8; an operand has another rank, number of heads or
            channels, another number of tokens than `documents`, or is on another device.
    """
    owner = "k" if "k" in operands else "index_q"
    num_tokens, device = documents.num_tokens, documents.device
    groups_of = operands[owner].shape
    if len(groups_of) != 3 or groups_of[1] not in GROUP_COUNTS:
        raise ValueError(
            f"{owner} must be [tokens, groups, channels] = "
            f"[{num_tokens}, G, {HEAD_DIM}] with {ANY_GROUPS}, "
            f"got shape {list(groups_of)}"
        )
    for name, operand in operands.items():
        layout, heads, channels = _LAYOUTS[name]
        expected = (num_tokens, heads * groups_of[1] or 1, *channels)
        if tuple(operand.shape) != expected:
            context = "" if name == owner else f" for {owner} of {list(groups_of)}"
            raise ValueError(
                f"{name} must be {layout} = {list(expected)}{context}, "
                f"got shape {list(operand.shape)}"
            )
        _require_device(name, operand, device)


def check_schedule_types(
    schedule: MSABackwardSchedule | None, support: torch.Tensor, documents: PackedDocuments
) -> None:
    """Checks the types of the schedule, the support and the documents.

    Raises:
        TypeError: `schedule` is neither an `MSABackwardSchedule` nor None, `documents` not a
            `PackedDocuments`, or `support` not an int32 tensor.
    """
    if schedule is not None and not isinstance(schedule, MSABackwardSchedule):
        raise TypeError(
            f"schedule must be an MSABackwardSchedule or None, got {type(schedule).__name__}"
        )
    check_support_types(support, documents)


def prepare_schedule(
    schedule: MSABackwardSchedule | None,
    support: torch.Tensor,
    documents: PackedDocuments,
    **operands: torch.Tensor,
) -> MSABackwardSchedule:
    """Checks the layouts of arguments whose types are checked; returns the schedule of `support`.

    A `schedule` of None is built. A given one must have the shapes of a schedule for these
    documents; its values, which would show whether it belongs to this support, are not read.

    Raises:
        ValueError: `support` is not `[G, T, 16]` for the `G` groups of `k`, `schedule` is of
            another number of groups, tokens, blocks or documents, a layout of the operands is
            wrong, or something is on another device than `documents`.
    """
    check_support_layout(support, documents)
    check_layouts(documents, **operands)
    groups_of = operands["k"].shape
    if support.shape[0] != groups_of[1]:
        expected = [groups_of[1], *support.shape[1:]]
        raise ValueError(
            f"support must be [groups, tokens, slots] = {expected} for k of {list(groups_of)}, "
            f"got shape {list(support.shape)}"
        )
    if schedule is None:
        return build_backward_schedule(support, documents)
    _check_schedule_layout(schedule, support, documents)
    return schedule


def _check_schedule_layout(
    schedule: MSABackwardSchedule, support: torch.Tensor, documents: PackedDocuments
) -> None:
    expected = (
        support.shape[0],
        edge_capacity(documents.num_tokens),
        documents.workspace_size // BLOCK_SIZE,
        documents.cu_seqlens.shape[0] - 1,
    )
    found = (
        *schedule.q_indices.shape,
        schedule.row_ptr.shape[1] - 1,
        schedule.cu_seqlens.shape[0] - 1,
    )
    if found != expected:
        raise ValueError(
            "schedule must be built from this support and these documents, with "
            f"(groups, edge capacity, rows, documents) = {expected}, got {found}"
        )
    _require_device("schedule", schedule.row_ptr, documents.device)


def _is_tracked(operand: torch.Tensor) -> bool:
    """Whether `torch.func` differentiates with respect to `operand` or a tensor inside it."""
    while is_functorch_wrapped_tensor(operand):
        if is_gradtrackingtensor(operand) and operand.requires_grad:
            return True
        operand = get_unwrapped(operand)
    return False


def _autocast(operand: torch.Tensor) -> torch.Tensor:
    device_type = operand.device.type
    # Not torch.amp.is_autocast_available: torch.compile of torch 2.11 cannot trace it.
    if (
        operand.is_floating_point()
        and device_type in _AUTOCAST_DEVICES
        and torch.is_autocast_enabled(device_type)
    ):
        return operand.to(torch.get_autocast_dtype(device_type))
    return operand


def _require_device(name: str, value: torch.Tensor, device: torch.device) -> None:
    if value.device != device:
        raise ValueError(f"{name} must be on the documents' device {device}, got {value.device}")
