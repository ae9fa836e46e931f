"""Packs files into a .tar.gz whose bytes depend on their names and contents alone.

Run as `pack.py ARCHIVE [NAME=FILE...]`; `@FILE` stands for the arguments in that file, one a line.
"""

import argparse
import gzip
import pathlib
import tarfile
from collections.abc import Mapping


def pack(archive: pathlib.Path, files: Mapping[str, pathlib.Path]) -> None:
    """Writes `files`, by their names inside, to `archive`."""
    # No time and no name of its own in the gzip header.
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = files[name].stat().st_size
            with files[name].open("rb") as file:
                tar.addfile(member, file)


def main() -> None:
    """Packs what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, fromfile_prefix_chars="@")
    parser.add_argument("archive", type=pathlib.Path)
    parser.add_argument("files", nargs="*", metavar="NAME=FILE")
    arguments = parser.parse_args()
    pairs = (pair.split("=", maxsplit=1) for pair in arguments.files)
    pack(arguments.archive, {name: pathlib.Path(path) for name, path in pairs})


if __name__ == "__main__":
    main()
