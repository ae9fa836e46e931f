"""The attention operators, `msa::sparse_attention` and its backward, and their public function."""

from typing import Literal, overload

import torch

from msa.autograd import arguments, dispatch
from msa.reference.attention import attention_backward, attention_forward
from msa.reference.precision import accumulation_dtype
from msa.schedule.backward_schedule import MSABackwardSchedule, schedule_tensors
from msa.schedule.documents import PackedDocuments
from msa.schedule.profiling import recorded


@overload
def sparse_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    *,
    schedule: MSABackwardSchedule | None = None,
    return_lse: Literal[False] = False,
) -> torch.Tensor: ...


@overload
def sparse_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    *,
    schedule: MSABackwardSchedule | None = None,
    return_lse: Literal[True],
) -> tuple[torch.Tensor, torch.Tensor]: ...


@recorded
def sparse_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    support: torch.Tensor,
    documents: PackedDocuments,
    *,
    schedule: MSABackwardSchedule | None = None,
    return_lse: bool = False,
) -> torch.Tensor | tuple[torch.Tensor, torch.Tensor]:
    """Attends from each query to the keys of its selected blocks, causally, inside its document.

    Softmax over exactly those keys, with scale `128 ** -0.5`. Query heads `16 g ... 16 g + 15` read
    KV head `g` and the blocks of `support[g]`; a tensor-parallel rank may hold some of the groups,
    but only whole ones. Gradients reach `q`, `k` and `v`, once: a second derivative raises. A query
    and head whose `lse` is 2^22 or more in size (FP64: 2^51) gets and gives no gradient: the
    difference of a logit and such an `lse` is too imprecise for a weight.

    With kernels, bf16 sums are added in any order, so the last bits of results differ from run to
    run, except under `torch.use_deterministic_algorithms(True)`.

    Args:
        q: bf16, FP32 or FP64 `[T, 16 G, 128]` of 1, 2, 4 or 8 groups, of any strides.
        k: of the same dtype, `[T, G, 128]`.
        v: of the same dtype, `[T, G, 128]`.
        support: int32 `[G, T, 16]`, document-local block ids in any order, -1 in unused slots. A
            bad id (see `check_support`) is dropped.
        documents: layout of the `T` tokens.
        schedule: `build_backward_schedule(support, documents)`, if the caller has it; built if
            None. Only its sizes are checked: the caller must pass that of this support and these
            documents.
        return_lse: return `lse` as well.

    Returns:
        `out` `[T, 16 G, 128]` in the dtype of `q` (autocast's where it is on), 0 for a query
        without a visible key; with `return_lse` also the natural-log `lse` `[T, 16 G]` in FP32
        (FP64 for FP64), -inf there, not differentiable.

    Raises:
        TypeError: an argument has a wrong type or dtype.
        ValueError: an argument has a wrong shape or device, or a schedule has other numbers of
            groups, tokens, blocks or documents.
        NotImplementedError: an operand carries a forward-mode tangent, or is one that `torch.func`
            differentiates.
    """
    q, k, v = arguments.cast_operands(q=q, k=k, v=v)
    arguments.check_schedule_types(schedule, support, documents)
    arguments.refuse_forward_mode("sparse_attention", q=q, k=k, v=v)
    arguments.refuse_function_transforms("sparse_attention", q=q, k=k, v=v)
    schedule = arguments.prepare_schedule(schedule, support, documents, q=q, k=k, v=v)
    out, lse = _FORWARD.of(q)(q, k, v, *schedule_tensors(schedule))
    return (out, lse) if return_lse else out


def _forward_fake(q, k, v, *schedule):
    return q.new_empty(q.shape), q.new_empty(q.shape[:2], dtype=accumulation_dtype(q.dtype))


_FORWARD = dispatch.define(
    "sparse_attention",
    f"(Tensor q, Tensor k, Tensor v, {dispatch.SCHEDULE_SCHEMA}) -> (Tensor, Tensor)",
    dispatch.flat(attention_forward),
    _forward_fake,
)


def _backward_fake(grad_out, q, k, v, *saved):
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


_BACKWARD = dispatch.define(
    "sparse_attention_backward",
    "(Tensor grad_out, Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, "
    f"{dispatch.SCHEDULE_SCHEMA}) -> (Tensor, Tensor, Tensor)",
    dispatch.flat(attention_backward),
    _backward_fake,
)


def _save(ctx, inputs, output) -> None:
    q, k, v, *schedule = inputs
    out, lse = output
    ctx.mark_non_differentiable(lse)
    ctx.save_for_backward(q, k, v, out, lse, *schedule)


def _grads(backward, ctx, grad_out, grad_lse):
    return *backward(grad_out, *ctx.saved_tensors), *dispatch.NO_SCHEDULE_GRADS


dispatch.differentiate(_FORWARD, _BACKWARD, _save, _grads)
