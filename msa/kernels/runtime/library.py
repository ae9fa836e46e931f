"""Loads the compiled kernels and calls them.

A kernel is a shared library and its report, made by `cute_kernel` for each architecture. Each is
loaded once a process, from its source's folder, and made ready once for each device, at its
first launch or by `load_kernels`. Neither the DSL nor a compiler takes part: torch, whose CUDA 13
runtime the libraries use, is all that a process needs.
"""

import ctypes
import functools
import json
import pathlib
import struct
import threading
from typing import NamedTuple

import torch

ARCHS = {(9, 0): "sm_90a", (10, 0): "sm_100a", (10, 3): "sm_103a"}
"""The architecture that a kernel is compiled for, by compute capability."""
HOPPER, BLACKWELL = ("sm_90a",), ("sm_100a", "sm_103a")
"""These architectures by family."""
# Of all rooms.
_FOLDER = pathlib.Path(__file__).parents[1]
_CUDART = "libcudart.so.13"
# The driver that brings it.
_DRIVER = 580
# What chooses the architectures that //msa carries libraries for.
_SETTING = "--//msa/kernels:archs"
_FUNC_ATTRIBUTES_BYTES = 256  # more than a cudaFuncAttributes
_H200_SMS = 132

_blocks = threading.local()
# Held while a kernel is made ready: threads that launch one at the same time load it once.
_loading = threading.Lock()


class Kernel(NamedTuple):
    """A compiled kernel by its source, `msa/kernels/<folder>/<name>.py`."""

    folder: str
    name: str

    def launch(self, device: torch.device, words: list[int]) -> None:
        """Launches on the current stream of `device`, without waiting for it.

        Args:
            device: where all tensors are; it need not be the current device.
            words: what the host function takes but for the stream: addresses and integers, of which
                `DeclaredKernel` makes sure.

        Raises:
            RuntimeError: the library is not there or does not fit, or CUDA refuses the launch.
        """
        if device.index != torch.cuda.current_device():
            with torch.cuda.device(device):
                self.launch(device, words)
            return
        index = device.index
        function = _function(self, index)
        size = len(words) + 2
        pack, slots, addresses = _argument_block(size)
        # The stream's handle without the Stream object, whose making costs as much as a launch.
        pack(slots, 0, *words, torch._C._cuda_getCurrentRawStream(index), 0)
        function(addresses, size)
        if slots[-1]:
            raise RuntimeError(f"{self.name}: launch on {device} failed: {_error(slots[-1])}")


def _argument_block(size: int):
    """What a host function takes: a slot for each argument and for its result, what fills them, and
    their addresses.

    Made once for each thread and size: a call holds them no longer than it runs.
    """
    blocks = _blocks.__dict__
    if size not in blocks:
        slots = (ctypes.c_int64 * size)()
        first = ctypes.addressof(slots)
        addresses = (ctypes.c_int64 * size)(*range(first, first + 8 * size, 8))
        blocks[size] = struct.Struct(f"{size}q").pack_into, slots, addresses
    return blocks[size]


@functools.cache
def arch_of(device: torch.device) -> str | None:
    """The architecture that kernels run as on `device`, None where there are none for it."""
    # Of another vendor, (9, 0) is another chip.
    if device.type != "cuda" or torch.version.hip is not None:
        return None
    return ARCHS.get(torch.cuda.get_device_capability(device.index))


def num_sms(device: torch.device) -> int:
    """How many streaming multiprocessors the GPU `device` has; for the meta device, an H200's."""
    return _H200_SMS if device.type == "meta" else _num_sms_of_gpu(device.index)


@functools.cache
def _num_sms_of_gpu(index: int) -> int:
    return torch.cuda.get_device_properties(index).multi_processor_count


def load_kernels(device: torch.device) -> None:
    """Makes every kernel for `device` ready, so that no launch on it loads one.

    Loading waits for what the device does. Where there are no kernels for it, nothing is done.

    Raises:
        RuntimeError: the libraries are not there or do not fit.
    """
    arch = arch_of(device)
    if arch is None:
        return
    paths = sorted(_FOLDER.glob(f"*/*.{arch}.so"))
    if not paths:
        raise RuntimeError(
            f"expected kernels for {arch} below {_FOLDER}, which has none; {_remedy(arch)}"
        )
    with torch.cuda.device(device):
        for path in paths:
            kernel = Kernel(path.parent.name, path.name.removesuffix(f".{arch}.so"))
            _function(kernel, torch.cuda.current_device())


def _remedy(arch: str) -> str:
    """What brings libraries."""
    return (
        f"install the wheel that `bazel build //msa:wheel` makes, or depend on //msa and build "
        f"with {_SETTING}={arch}"
    )


@functools.cache
def _function(kernel: Kernel, index: int):
    """The host function of a kernel, ready for the GPU `index`, which is the current one."""
    with _loading:
        return _load_function(kernel, index)


@functools.cache
def _load_function(kernel: Kernel, index: int):
    device = torch.device("cuda", index)
    capability = ".".join(map(str, torch.cuda.get_device_capability(index)))
    gpu = f"{device} ({torch.cuda.get_device_name(index)}, compute capability {capability})"
    arch = arch_of(device)
    if arch is None:
        raise RuntimeError(
            f"kernel {kernel.name} must run on a GPU of compute capability "
            f"{', '.join(f'{major}.{minor}' for major, minor in ARCHS)}, got {gpu}"
        )
    try:
        library, module, report = _library(kernel, arch)
    except RuntimeError as error:
        raise RuntimeError(f"kernel {kernel.name} cannot run on {gpu}: {error}") from error
    result = ctypes.c_int32(0)
    _call(getattr(library, f"_mlir_{kernel.name}_cuda_load_to_device"), module, index, result)
    if result.value:
        raise RuntimeError(
            f"kernel {kernel.name} cannot be loaded on {gpu}: {_error(result.value)}"
        )
    _load_device_code(module)
    function = getattr(library, report["entry"])
    function.argtypes = [ctypes.c_void_p, ctypes.c_int32]
    function.restype = None
    return function


@functools.cache
def _library(kernel: Kernel, arch: str):
    """A kernel's library, its module, which lives as long, and its report."""
    path = _FOLDER / kernel.folder / f"{kernel.name}.{arch}.so"
    target = f"//msa/kernels/{kernel.folder}:{kernel.name}"
    if not path.exists():
        raise RuntimeError(
            f"expected its library for {arch}, {path}, which is not there; {_remedy(arch)}"
        )
    try:
        report = json.loads(path.with_suffix(".json").read_text())
        library = ctypes.CDLL(str(path))
        initialize = getattr(library, f"_mlir_{kernel.name}_cuda_init")
        getattr(library, report["entry"])
    except (OSError, AttributeError, KeyError, ValueError) as error:
        remedy = f"build {target} again, or the wheel, //msa:wheel"
        if not str(torch.version.cuda).startswith("13."):
            remedy = "install torch for CUDA 13"
        raise RuntimeError(
            f"expected in {path} a library that fits this process (torch {torch.__version__}, "
            f"which brings CUDA {torch.version.cuda}; {_CUDART} is needed), got "
            f"{type(error).__name__}: {error}; {remedy}"
        ) from error
    module = ctypes.c_void_p(0)
    result = ctypes.c_int32(0)
    _call(initialize, module, result)
    if result.value:
        raise RuntimeError(
            f"{path} does not load: {_error(result.value)}; expected an NVIDIA driver for CUDA "
            f"13.0 or newer, which is version {_DRIVER} or newer, got one for {_driver_version()}"
        )
    return library, module, report


def _load_device_code(module: ctypes.c_void_p) -> None:
    """Loads a module's device functions onto the current GPU, as their first launches would.

    CUDA loads a function when it is first asked about, and waits for the GPU while it does.
    """
    runtime = _cudart()
    count = ctypes.c_uint(0)
    _check(runtime.cudaLibraryGetKernelCount(ctypes.byref(count), module))
    functions = (ctypes.c_void_p * count.value)()
    _check(runtime.cudaLibraryEnumerateKernels(functions, count, module))
    attributes = (ctypes.c_char * _FUNC_ATTRIBUTES_BYTES)()
    for function in functions:
        _check(runtime.cudaFuncGetAttributes(attributes, ctypes.c_void_p(function)))


def _check(code: int) -> None:
    if code:
        raise RuntimeError(f"device code does not load: {_error(code)}")


def _call(function, module: ctypes.c_void_p, *arguments) -> None:
    """Calls one of a library's own functions: with addresses, first of the module's address."""
    pointer = ctypes.c_void_p(ctypes.addressof(module))
    boxed = [ctypes.c_int32(a) if isinstance(a, int) else a for a in arguments]
    function((ctypes.c_void_p * (1 + len(boxed)))(*map(ctypes.addressof, [pointer, *boxed])))


@functools.cache
def _cudart() -> ctypes.CDLL:
    runtime = ctypes.CDLL(_CUDART)
    runtime.cudaGetErrorString.restype = ctypes.c_char_p
    return runtime


def _error(code: int) -> str:
    return f"CUDA error {code} ({_cudart().cudaGetErrorString(code).decode()})"


def _driver_version() -> str:
    version = ctypes.c_int32(0)
    _cudart().cudaDriverGetVersion(ctypes.byref(version))
    return f"CUDA {version.value // 1000}.{version.value % 1000 // 10}"
