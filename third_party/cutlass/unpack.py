"""Unpacks wheels into one folder and compiles their modules: unpack.py FOLDER WHEEL..."""

import compileall
import py_compile
import sys
import zipfile


def main(folder: str, *wheels: str) -> None:
    """Merges `wheels` into `folder`."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    # A kernel's compiler imports some 700 modules from a read-only folder: without this, each run
    # would compile them anew. By hash and without their path, so that the folder is the same
    # wherever it is made.
    compileall.compile_dir(
        folder,
        quiet=2,
        stripdir=folder,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
