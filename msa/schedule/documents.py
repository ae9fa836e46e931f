"""The layout of a microbatch of packed documents."""

import dataclasses

import torch

from msa.schedule.checks import require_ints, require_tensor, require_values
from msa.schedule.record import Record, frozen
from msa.schedule.topology import BLOCK_SIZE

_INT32_MAX = torch.iinfo(torch.int32).max

_SIGNED_DTYPES = (torch.int8, torch.int16, torch.int32, torch.int64)
_UNSIGNED_DTYPES = (torch.uint8, torch.uint16, torch.uint32, torch.uint64)


# Each tensor's dtype, and its layout as text for messages.
_LAYOUTS = {
    "padding_mask": (torch.bool, "[batch, sequence]"),
    "token_rows": (torch.int64, "[tokens]"),
    "document_positions": (torch.int64, "[tokens]"),
    "workspace_positions": (torch.int64, "[tokens]"),
    "cu_seqlens": (torch.int32, "[documents + 1]"),
    "document_workspace_starts": (torch.int32, "[documents]"),
}


@frozen
@dataclasses.dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class PackedDocuments(Record):
    """The layout of one microbatch, built once by a class method and shared by every layer.

    Documents are ordered by their first token, row-major. Tokens are numbered in three ways: the
    *flat row* in the model's `[batch, sequence]`; the *compact row* among the `T` tokens that are
    not padding; and the *workspace row*, where documents follow each other with
    `ceil(length / 128) * 128` rows each, so that no key block of 128 rows holds keys of two
    documents.

    The constructor checks types, dtypes, shapes and devices, but not values, which would wait for
    the device.

    Attributes:
        padding_mask: bool `[batch, sequence]`, True at padding.
        token_rows: int64 `[T]`, flat `batch * sequence` row of each compact token.
        document_positions: int64 `[T]`, position of each token inside its document.
        workspace_positions: int64 `[T]`, workspace row of each token.
        cu_seqlens: int32 `[documents + 1]`, compact row where each document starts, then `T`.
        document_workspace_starts: int32 `[documents]`, workspace row where each document starts.
        workspace_size: rows of the workspace, a positive multiple of 128.
        max_seqlen: tokens of the longest document.

    Raises:
        TypeError: a field is not a tensor of its dtype, or not an int.
        ValueError: a field has another shape or value, or is on another device than `token_rows`.
    """

    padding_mask: torch.Tensor
    token_rows: torch.Tensor
    document_positions: torch.Tensor
    workspace_positions: torch.Tensor
    cu_seqlens: torch.Tensor
    document_workspace_starts: torch.Tensor
    workspace_size: int
    max_seqlen: int

    def __post_init__(self) -> None:
        for name, (dtype, layout) in _LAYOUTS.items():
            value = getattr(self, name)
            require_tensor(name, value, f"{dtype} {layout}")
            if value.dtype != dtype:
                raise TypeError(f"{name} must be {dtype} {layout}, got {value.dtype}")
        require_ints(
            ("workspace_size", self.workspace_size, BLOCK_SIZE), ("max_seqlen", self.max_seqlen, 0)
        )
        if self.workspace_size % BLOCK_SIZE:
            raise ValueError(
                f"workspace_size must be a multiple of {BLOCK_SIZE}, got {self.workspace_size}"
            )
        for name, (dtype, layout) in _LAYOUTS.items():
            value = getattr(self, name)
            if value.dim() != (2 if name == "padding_mask" else 1):
                raise ValueError(f"{name} must be {dtype} {layout}, got shape {list(value.shape)}")
            if value.device != self.device:
                raise ValueError(
                    f"{name} must be on the device of token_rows, {self.device}, got {value.device}"
                )
        documents = self.cu_seqlens.shape[0] - 1
        if documents < 1:
            raise ValueError(
                "cu_seqlens must be [documents + 1] with at least one document, "
                f"got shape {list(self.cu_seqlens.shape)}"
            )
        self._require_size("document_workspace_starts", documents, "documents, as in cu_seqlens")
        self._require_size("document_positions", self.num_tokens, "tokens, as in token_rows")
        self._require_size("workspace_positions", self.num_tokens, "tokens, as in token_rows")

    def _require_size(self, name: str, size: int, meaning: str) -> None:
        shape = getattr(self, name).shape
        if shape[0] != size:
            raise ValueError(f"{name} must be [{size}] ({meaning}), got shape {list(shape)}")

    @property
    def num_tokens(self) -> int:
        """Number of compact tokens `T`."""
        return self.token_rows.shape[0]

    @property
    def device(self) -> torch.device:
        """Device of every tensor of the layout."""
        return self.token_rows.device

    @classmethod
    @torch.inference_mode(False)
    def from_document_ids(cls, ids: torch.Tensor) -> "PackedDocuments":
        """Builds the layout of a padded batch, on the device of `ids` (one copy to the host).

        Args:
            ids: integer `[batch, sequence]`. 0 is padding, anywhere; each positive id is one
                contiguous run inside its batch row. The same id in another row is another document.

        Raises:
            TypeError: `ids` is not a tensor with strides.
            ValueError: `ids` is not integer, not 2-D, empty or on the meta device, holds no real
                token, a negative id or an interrupted document (the message gives the first bad
                flat position), or has coordinates past int32.
        """
        require_tensor("ids", ids)
        if ids.dtype not in _SIGNED_DTYPES + _UNSIGNED_DTYPES:
            raise ValueError(f"ids must have an integer dtype, got {ids.dtype}")
        if ids.dim() != 2:
            raise ValueError(f"ids must be [batch, sequence], got shape {list(ids.shape)}")
        if ids.numel() == 0:
            raise ValueError(f"ids must not be empty, got shape {list(ids.shape)}")
        if ids.numel() > _INT32_MAX:
            raise ValueError(
                f"ids must have at most {_INT32_MAX} positions, coordinates are int32, "
                f"got shape {list(ids.shape)}"
            )
        require_values("ids", ids)
        host_ids = ids.detach().cpu()
        # Unsigned ids past int64 wrap, but stay distinct; only signed ids can be negative.
        flat = host_ids.to(torch.int64).reshape(-1)
        if ids.dtype in _SIGNED_DTYPES:
            negative = flat < 0
            if negative.any():
                position = _first(negative)
                raise ValueError(
                    f"ids must be 0 (padding) or positive, got {flat[position].item()} "
                    f"at flat position {position}"
                )
        padding = flat == 0
        token_rows = torch.nonzero(~padding).squeeze(1)
        if token_rows.numel() == 0:
            raise ValueError(
                f"ids must hold at least one real token, got only padding in {list(ids.shape)}"
            )

        starts = flat != flat.roll(1)
        starts.view(ids.shape)[:, 0] = True
        starts &= ~padding
        run_starts = torch.nonzero(starts).squeeze(1)
        ordinals = starts.cumsum(0)[token_rows] - 1
        lengths = torch.bincount(ordinals, minlength=run_starts.numel())
        ends = _workspace_ends(lengths)
        if ends[-1] > _INT32_MAX:
            position = run_starts[_first(ends > _INT32_MAX)].item()
            raise ValueError(
                f"ids must need at most {_INT32_MAX} workspace rows, coordinates are int32, "
                f"got {ends[-1].item()}: the first document past that starts at "
                f"flat position {position}"
            )
        _reject_interrupted(flat, run_starts, ids.shape[1])
        return cls._from_lengths(
            lengths, ends, ordinals, token_rows, padding.view(ids.shape), ids.device
        )

    @classmethod
    @torch.inference_mode(False)
    def from_cu_seqlens(cls, cu_seqlens: torch.Tensor) -> "PackedDocuments":
        """Builds the layout of one row without padding, on the device of `cu_seqlens`.

        Copies `cu_seqlens` to the host once.

        Args:
            cu_seqlens: int32 or int64 `[documents + 1]`, where each document starts, then the
                number of tokens. A document of length 0 is allowed and owns no workspace rows.

        Raises:
            TypeError: `cu_seqlens` is not a tensor with strides.
            ValueError: `cu_seqlens` is neither int32 nor int64, is not 1-D, is on the meta device,
                holds no document or no token, does not start at 0, decreases, or has coordinates
                past int32 (the message gives the first bad index).
        """
        offsets = host_offsets(cu_seqlens)
        num_tokens = int(offsets[-1])
        # Clamped: the sum of the aligned lengths cannot wrap where offsets are far past int32.
        ends = _workspace_ends(offsets.clamp(max=_INT32_MAX + 1).diff())
        past_int32 = ends > _INT32_MAX
        if past_int32.any():
            raise ValueError(
                f"cu_seqlens must need at most {_INT32_MAX} workspace rows, coordinates are int32, "
                f"got more from index {_first(past_int32) + 1} on"
            )
        lengths = offsets.diff()
        ordinals = torch.repeat_interleave(lengths, output_size=num_tokens)
        token_rows = torch.arange(num_tokens, device="cpu")
        padding_mask = torch.zeros(1, num_tokens, dtype=torch.bool, device="cpu")
        return cls._from_lengths(
            lengths, ends, ordinals, token_rows, padding_mask, cu_seqlens.device
        )

    @classmethod
    def _from_lengths(
        cls,
        lengths: torch.Tensor,
        ends: torch.Tensor,
        ordinals: torch.Tensor,
        token_rows: torch.Tensor,
        padding_mask: torch.Tensor,
        device: torch.device,
    ) -> "PackedDocuments":
        """Derives the other fields from checked tensors on the host: the documents' lengths and
        workspace ends, and each token's document (`ordinals`)."""
        cu_seqlens = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
        workspace_starts = torch.nn.functional.pad(ends[:-1], (1, 0))
        document_positions = torch.arange(ordinals.numel(), device="cpu") - cu_seqlens[ordinals]
        return cls(
            padding_mask=padding_mask.to(device),
            token_rows=token_rows.to(device),
            document_positions=document_positions.to(device),
            workspace_positions=(workspace_starts[ordinals] + document_positions).to(device),
            cu_seqlens=cu_seqlens.to(device, torch.int32),
            document_workspace_starts=workspace_starts.to(device, torch.int32),
            workspace_size=int(ends[-1]),
            max_seqlen=int(lengths.max()),
        )

    def pack(self, x: torch.Tensor) -> torch.Tensor:
        """Gathers the tokens of `x` `[batch, sequence, ...]` into compact rows `[T, ...]`.

        Differentiable: padding gets a zero gradient.

        Raises:
            TypeError: `x` is not a tensor with strides.
            ValueError: `x` does not start with `[batch, sequence]` or is on another device.
        """
        self._require_leading("x", x, tuple(self.padding_mask.shape), "[batch, sequence, ...]")
        return x.flatten(0, 1).index_select(0, self.token_rows)

    def unpack(self, y: torch.Tensor) -> torch.Tensor:
        """Scatters compact rows `y` `[T, ...]` to `[batch, sequence, ...]`, with zeros at padding.

        Differentiable.

        Raises:
            TypeError: `y` is not a tensor with strides.
            ValueError: `y` does not start with `[T]` or is on another device.
        """
        self._require_leading("y", y, (self.num_tokens,), "[tokens, ...]")
        rows = y.new_zeros(self.padding_mask.numel(), *y.shape[1:])
        return rows.index_copy(0, self.token_rows, y).unflatten(0, self.padding_mask.shape)

    def _require_leading(
        self, name: str, tensor: torch.Tensor, leading: tuple[int, ...], layout: str
    ) -> None:
        require_tensor(name, tensor)
        if tuple(tensor.shape[: len(leading)]) != leading:
            raise ValueError(
                f"{name} must be {layout} with leading shape {list(leading)}, "
                f"got shape {list(tensor.shape)}"
            )
        if tensor.device != self.device:
            raise ValueError(
                f"{name} must be on the documents' device {self.device}, got {tensor.device}"
            )


def _first(mask: torch.Tensor) -> int:
    """Index of the first True of a bool vector that has one."""
    return int(mask.to(torch.uint8).argmax())


def host_offsets(cu_seqlens: torch.Tensor) -> torch.Tensor:
    """int64 `[documents + 1]` on the host: where documents start, then the number of tokens.

    Raises:
        TypeError: `cu_seqlens` is not a tensor with strides.
        ValueError: `cu_seqlens` is neither int32 nor int64, is not 1-D, is on the meta device,
            holds no document or no token, does not start at 0, or decreases (the message gives the
            first bad index).
    """
    require_tensor("cu_seqlens", cu_seqlens)
    if cu_seqlens.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"cu_seqlens must be int32 or int64, got {cu_seqlens.dtype}")
    if cu_seqlens.dim() != 1 or cu_seqlens.numel() < 2:
        raise ValueError(
            "cu_seqlens must be [documents + 1] with at least one document, "
            f"got shape {list(cu_seqlens.shape)}"
        )
    require_values("cu_seqlens", cu_seqlens)
    offsets = cu_seqlens.detach().cpu().to(torch.int64)
    if offsets[0] != 0:
        raise ValueError(f"cu_seqlens must start at 0, got {offsets[0].item()} at index 0")
    # Compared, not subtracted: a difference of two int64 can wrap.
    decreasing = offsets[1:] < offsets[:-1]
    if decreasing.any():
        index = _first(decreasing) + 1
        raise ValueError(
            f"cu_seqlens must not decrease, got {offsets[index].item()} "
            f"after {offsets[index - 1].item()} at index {index}"
        )
    if int(offsets[-1]) == 0:
        raise ValueError("cu_seqlens must hold at least one real token, got only 0")
    return offsets


def _workspace_ends(lengths: torch.Tensor) -> torch.Tensor:
    """Workspace row past the end of each document: sums of lengths rounded up to blocks."""
    return ((lengths + (BLOCK_SIZE - 1)) // BLOCK_SIZE * BLOCK_SIZE).cumsum(0)


def _reject_interrupted(flat: torch.Tensor, run_starts: torch.Tensor, sequence: int) -> None:
    """Raises where an id comes back in its batch row after another id or padding."""
    ids, order = flat[run_starts].sort(stable=True)
    # Two stable sorts order the runs by (row, id, position), for ids of any size.
    rows, by_row = (run_starts[order] // sequence).sort(stable=True)
    ids, order = ids[by_row], order[by_row]
    again = (ids[1:] == ids[:-1]) & (rows[1:] == rows[:-1])
    if again.any():
        position = int(run_starts[order[1:][again]].min())
        raise ValueError(
            "ids must hold each document as one contiguous run of its row, got document "
            f"{flat[position].item()} interrupted and resumed at flat position {position}"
        )
