"""Dense attention over packed documents, and the lse that `dense_index_kl_loss` wants."""

import torch

from msa import SOFTMAX_SCALE, PackedDocuments


def dense_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, documents: PackedDocuments
) -> tuple[torch.Tensor, torch.Tensor]:
    """Causal softmax attention inside each document, over all of its keys.

    Args:
        q: `[T, 16 G, 128]`; bf16 on a GPU (torch 2.11 or newer), bf16, FP32 or FP64 on a CPU.
        k: `[T, G, 128]`, of the same dtype.
        v: `[T, G, 128]`, of the same dtype.
        documents: layout of the `T` tokens.

    Returns:
        out `[T, 16 G, 128]` of that dtype, differentiable; and lse `[T, 16 G]`, natural-log, FP32
        (FP64 for FP64), not differentiable.
    """
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    if q.is_cuda:
        from torch.nn.attention.varlen import AuxRequest, varlen_attn

        offsets, longest = documents.cu_seqlens, documents.max_seqlen
        out, lse = varlen_attn(
            *(q, k, v, offsets, offsets, longest, longest),
            scale=SOFTMAX_SCALE,
            window_size=(-1, 0),  # causal
            return_aux=AuxRequest(lse=True),
        )
        return out, lse.detach().t()
    outs, lses = [], []
    lengths = [length for length in documents.cu_seqlens.diff().tolist() if length]
    for document in zip(*(x.split(lengths) for x in (q, k, v)), strict=True):
        out, lse = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            *(x.transpose(0, 1)[None] for x in document), is_causal=True, scale=SOFTMAX_SCALE
        )
        outs.append(out[0].transpose(0, 1))
        lses.append(lse[0].detach().t())
    return torch.cat(outs), torch.cat(lses)
