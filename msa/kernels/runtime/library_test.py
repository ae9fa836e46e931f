"""What a process is told whose GPU, libraries and driver do not fit together; no GPU takes part."""

import contextlib
import ctypes
import json
import threading
import types
import typing

import pytest
import torch

from msa.kernels.runtime import library
from msa.kernels.runtime.library import Kernel, arch_of, load_kernels

KERNEL = Kernel("schedule", "csr_build")
TARGET = "//msa/kernels/schedule:csr_build"
SETTING = "--//msa/kernels:archs="
GPU = r"cuda:0 \(Stand-in, compute capability 9\.0\)"
INSUFFICIENT_DRIVER = 35


class StandInRuntime:
    """The CUDA runtime of a machine whose driver is of CUDA 12.8; modules have two functions."""

    functions = (0xA, 0xB)
    asked_about: typing.ClassVar[list[int]] = []
    answer = 0

    @classmethod
    def cudaLibraryGetKernelCount(cls, count, module) -> int:
        count._obj.value = len(cls.functions)
        return 0

    @classmethod
    def cudaLibraryEnumerateKernels(cls, functions, count, module) -> int:
        functions[: count.value] = cls.functions
        return 0

    @classmethod
    def cudaFuncGetAttributes(cls, attributes, function) -> int:
        cls.asked_about.append(function.value)
        return cls.answer

    @staticmethod
    def cudaGetErrorString(code: int) -> bytes:
        return b"error %d in words" % code

    @staticmethod
    def cudaDriverGetVersion(version) -> None:
        version._obj.value = 12080


@pytest.fixture(autouse=True)
def _machine(monkeypatch, tmp_path):
    """A machine with a Hopper GPU and no libraries yet."""
    caches = (
        library.arch_of,
        library._function,
        library._load_function,
        library._library,
    )
    for cache in caches:
        cache.cache_clear()
    capability(monkeypatch, 9, 0)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda index: "Stand-in")
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(library, "_FOLDER", tmp_path)
    monkeypatch.setattr(library, "_cudart", StandInRuntime)
    monkeypatch.setattr(StandInRuntime, "asked_about", [])
    yield
    for cache in caches:
        cache.cache_clear()


def capability(monkeypatch, major: int, minor: int) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda index: (major, minor))


def install(folder, arch: str = "sm_90a", report: str | None = None) -> None:
    """Puts a library, of any bytes, and its report where they belong."""
    path = folder / "schedule" / f"csr_build.{arch}.so"
    path.parent.mkdir()
    path.write_bytes(b"no library at all")
    path.with_suffix(".json").write_text(report or json.dumps({"entry": "entry"}))


def fake_library(monkeypatch, **functions) -> None:
    """Lets every library load, with these functions."""
    loaded = types.SimpleNamespace(**functions)
    monkeypatch.setattr(ctypes, "CDLL", lambda path: loaded)


def returning(code: int):
    """A library's own function that writes `code` to where its last argument points."""

    def function(addresses):
        ctypes.c_int32.from_address(addresses[len(addresses) - 1]).value = code

    return function


def load() -> None:
    library._function(KERNEL, 0)


@pytest.mark.parametrize(
    ("version", "arch"),
    [
        ((9, 0), "sm_90a"),
        ((10, 0), "sm_100a"),
        ((10, 3), "sm_103a"),
        ((8, 0), None),
        ((12, 0), None),
    ],
)
def test_arch(monkeypatch, version, arch):
    capability(monkeypatch, *version)
    assert arch_of(torch.device("cuda", 0)) == arch


def test_no_arch_without_a_gpu():
    assert arch_of(torch.device("cpu")) is None
    assert arch_of(torch.device("meta")) is None


def test_no_arch_on_a_gpu_of_another_vendor_that_counts_alike(monkeypatch):
    monkeypatch.setattr(torch.version, "hip", "6.4")
    assert arch_of(torch.device("cuda", 0)) is None


def test_a_gpu_without_kernels(monkeypatch):
    capability(monkeypatch, 8, 0)
    with pytest.raises(RuntimeError, match=r"csr_build .*9\.0, 10\.0, 10\.3, got cuda:0 .*8\.0"):
        load()


@pytest.mark.parametrize(
    ("version", "arch"), [((9, 0), "sm_90a"), ((10, 0), "sm_100a"), ((10, 3), "sm_103a")]
)
def test_a_library_that_is_not_there(monkeypatch, tmp_path, version, arch):
    capability(monkeypatch, *version)
    install(tmp_path, arch="sm_89")
    path = tmp_path / "schedule" / f"csr_build.{arch}.so"
    with pytest.raises(RuntimeError) as caught:
        load()
    gpu = ("cuda:0 (Stand-in", ".".join(map(str, version)))
    for part in (*gpu, str(path), SETTING + arch, "bazel build //msa:wheel"):
        assert part in str(caught.value)


def test_a_library_without_its_report(tmp_path):
    install(tmp_path)
    report = tmp_path / "schedule" / "csr_build.sm_90a.json"
    report.unlink()
    with pytest.raises(RuntimeError, match=rf"{GPU}.*{report}.*{TARGET}"):
        load()


def test_a_file_that_is_no_library(tmp_path):
    install(tmp_path)
    with pytest.raises(RuntimeError, match=rf"{GPU}.*csr_build\.sm_90a\.so.*{TARGET} again"):
        load()


def test_torch_for_another_cuda(monkeypatch, tmp_path):
    monkeypatch.setattr(torch.version, "cuda", "12.8")
    install(tmp_path)
    with pytest.raises(RuntimeError, match=rf"{GPU}.*brings CUDA 12\.8.*torch for CUDA 13$"):
        load()


def test_a_library_of_another_kernel(monkeypatch, tmp_path):
    install(tmp_path)
    fake_library(monkeypatch, _mlir_delta_cuda_init=None, entry=None)
    with pytest.raises(RuntimeError, match=rf"{GPU}.*_mlir_csr_build_cuda_init.*{TARGET} again"):
        load()


@pytest.mark.parametrize("report", ['{"entry": "another"}', '{"kernel": "csr_build"}'])
def test_a_report_of_another_library(monkeypatch, tmp_path, report):
    install(tmp_path, report=report)
    fake_library(monkeypatch, _mlir_csr_build_cuda_init=returning(0), entry=None)
    with pytest.raises(RuntimeError, match=rf"{GPU}.*csr_build\.sm_90a\.so.*{TARGET} again"):
        load()


def test_a_driver_that_is_too_old(monkeypatch, tmp_path):
    install(tmp_path)
    fake_library(monkeypatch, _mlir_csr_build_cuda_init=returning(INSUFFICIENT_DRIVER), entry=None)
    expected = rf"{GPU}.*error 35 in words.*CUDA 13\.0 .*580 or newer, got one for CUDA 12\.8"
    with pytest.raises(RuntimeError, match=expected):
        load()


def test_a_gpu_that_refuses_the_library(monkeypatch, tmp_path):
    install(tmp_path)
    fake_library(
        monkeypatch,
        _mlir_csr_build_cuda_init=returning(0),
        _mlir_csr_build_cuda_load_to_device=returning(209),
        entry=None,
    )
    with pytest.raises(RuntimeError, match=rf"csr_build .*{GPU}.*error 209 in words"):
        load()


def loadable(monkeypatch, tmp_path, load_to_device=None) -> None:
    install(tmp_path)
    fake_library(
        monkeypatch,
        _mlir_csr_build_cuda_init=returning(0),
        _mlir_csr_build_cuda_load_to_device=load_to_device or returning(0),
        entry=types.SimpleNamespace(),
    )


def test_a_kernel_is_ready_when_all_its_device_functions_are(monkeypatch, tmp_path):
    loadable(monkeypatch, tmp_path)
    load()
    assert StandInRuntime.asked_about == [0xA, 0xB]


def test_device_code_that_does_not_load(monkeypatch, tmp_path):
    loadable(monkeypatch, tmp_path)
    monkeypatch.setattr(StandInRuntime, "answer", 2)
    with pytest.raises(RuntimeError, match="does not load: CUDA error 2"):
        load()


def test_threads_that_come_together_load_a_kernel_once(monkeypatch, tmp_path):
    loads = []
    others_wait = threading.Barrier(3)

    def load_to_device(addresses):
        loads.append(threading.get_ident())
        with contextlib.suppress(threading.BrokenBarrierError):
            others_wait.wait(timeout=0.2)  # time for the others to come
        returning(0)(addresses)

    loadable(monkeypatch, tmp_path, load_to_device)
    threads = [threading.Thread(target=load) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loads) == 1


@pytest.fixture
def _current_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device", lambda device: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)


@pytest.mark.usefixtures("_current_gpu")
def test_all_kernels_of_a_gpu_are_loaded_at_once(monkeypatch, tmp_path):
    loaded = []
    monkeypatch.setattr(library, "_function", lambda kernel, index: loaded.append((kernel, index)))
    for name in (
        "attention/forward_sm90.sm_90a",
        "attention/forward_sm100.sm_100a",
        "schedule/items.sm_90a",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.so").touch()
    load_kernels(torch.device("cuda", 0))
    assert loaded == [(Kernel("attention", "forward_sm90"), 0), (Kernel("schedule", "items"), 0)]


@pytest.mark.usefixtures("_current_gpu")
def test_no_library_of_a_gpu_is_there():
    with pytest.raises(RuntimeError, match=rf"kernels for sm_90a.*{SETTING}sm_90a"):
        load_kernels(torch.device("cuda", 0))


@pytest.mark.usefixtures("_current_gpu")
def test_where_there_are_no_kernels_nothing_is_loaded(monkeypatch):
    load_kernels(torch.device("cpu"))
    capability(monkeypatch, 8, 0)
    load_kernels(torch.device("cuda", 0))
    assert StandInRuntime.asked_about == []


def test_a_launch_that_fails(monkeypatch):
    def refuse(addresses, count):
        ctypes.c_int32.from_address(addresses[count - 1]).value = 1

    monkeypatch.setattr(library, "_function", lambda kernel, index: refuse)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", lambda index: 0, raising=False)
    with pytest.raises(RuntimeError, match=r"csr_build.*cuda:0.*error 1 in words"):
        KERNEL.launch(torch.device("cuda", 0), [0, 5])
