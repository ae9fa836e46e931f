"""Compiles device code to PTX for sm_90a: nvrtc.py LIBRARY SOURCE PTX, where LIBRARY is NVRTC's.

Nothing but the library takes part: no host compiler, and no headers.
"""

import ctypes
import pathlib
import sys

# Functions that nothing calls yet are kept with relocatable device code alone.
_OPTIONS = ("--gpu-architecture=compute_90a", "--std=c++17", "--relocatable-device-code=true")


def compile_to_ptx(library: str, name: str, source: str) -> str:
    """Returns the PTX of `source`; `name` stands for it in messages.

    Raises:
        SystemExit: it does not compile; with the compiler's output.
    """
    # With its builtins, which it loads by their plain name, from the same folder.
    (builtins,) = pathlib.Path(library).parent.glob("libnvrtc-builtins.so.*")
    ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
    nvrtc = ctypes.CDLL(library)
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    program = ctypes.c_void_p()

    def check(status: int) -> None:
        if status:
            raise SystemExit(f"{name}: {nvrtc.nvrtcGetErrorString(status).decode()}")

    def read(what: str) -> str:
        size = ctypes.c_size_t()
        check(getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        text = ctypes.create_string_buffer(size.value)
        check(getattr(nvrtc, f"nvrtcGet{what}")(program, text))
        return text.value.decode()

    check(
        nvrtc.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), name.encode(), 0, None, None
        )
    )
    options = (ctypes.c_char_p * len(_OPTIONS))(*(option.encode() for option in _OPTIONS))
    if nvrtc.nvrtcCompileProgram(program, len(options), options):
        raise SystemExit(f"{name} does not compile:\n{read('ProgramLog')}")
    return read("PTX")


def main(library: str, source: str, ptx: str) -> None:
    """Compiles, and writes the PTX."""
    path = pathlib.Path(source)
    pathlib.Path(ptx).write_text(compile_to_ptx(library, path.name, path.read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
