"""Packs a wheel's files, and others, into a .tar.gz whose bytes depend on names and contents alone.

Run as `pack.py ARCHIVE WHEEL [NAME=FILE...]`; `@FILE` stands for the arguments in that file, one a
line.
"""

import argparse
import gzip
import io
import pathlib
import tarfile
import zipfile
from collections.abc import Mapping


def pack(archive: pathlib.Path, wheel: pathlib.Path, files: Mapping[str, pathlib.Path]) -> None:
    """Writes to `archive` what `wheel` holds, and `files` by their names inside.

    Raises:
        ValueError: a file of the wheel is another one in `files`.
    """
    with zipfile.ZipFile(wheel) as zipped:
        contents = {name: zipped.read(name) for name in zipped.namelist()}
    for name, path in files.items():
        data = path.read_bytes()
        if contents.setdefault(name, data) != data:
            raise ValueError(f"{name} must be what {wheel} has of that name, got {path}")
    # No time and no name of its own in the gzip header.
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name in sorted(contents):
            member = tarfile.TarInfo(name)
            member.size = len(contents[name])
            tar.addfile(member, io.BytesIO(contents[name]))


def main() -> None:
    """Packs what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("files", nargs="*", metavar="NAME=FILE")
    arguments = parser.parse_args()
    pairs = (pair.split("=", maxsplit=1) for pair in arguments.files)
    pack(arguments.archive, arguments.wheel, {name: pathlib.Path(path) for name, path in pairs})


if __name__ == "__main__":
    main()
