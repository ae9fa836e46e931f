"""Writes a wheel from the arguments of rules_python 0.22's `py_wheel`.

Debian's package of these rules leaves this program out; `rules_python.py` puts it in its place. It
takes those arguments alone that `//msa:wheel` needs. The wheel's bytes depend on them and on the
files' contents. Format:
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import argparse
import base64
import hashlib
import pathlib
import zipfile

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first that a zip archive can state
_REGULAR_FILE = 0o100644


def record_line(name: str, data: bytes) -> str:
    """A file's line in RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write_wheel(wheel: pathlib.Path, files: dict[str, bytes], record: str) -> None:
    """Writes `files`, by their names inside, and their RECORD, of the name `record`."""
    lines = [record_line(name, data) for name, data in files.items()]
    contents = "".join([*lines, f"{record},,\n"]).encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [*files.items(), (record, contents)]:
            member = zipfile.ZipInfo(name, _EPOCH)
            member.external_attr = _REGULAR_FILE << 16
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)


def _pair(argument: str) -> tuple[str, pathlib.Path]:
    """`name inside;path`."""
    name, _, path = argument.partition(";")
    return name, pathlib.Path(path)


def main() -> None:
    """Writes the wheel that the command line describes."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("name", "version", "python_tag", "abi", "platform"):
        parser.add_argument(f"--{name}", required=True)
    for name in ("out", "name_file", "input_file_list", "metadata_file"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("--description_file", type=pathlib.Path)
    parser.add_argument("--extra_distinfo_file", action="append", default=[], type=_pair)
    arguments = parser.parse_args()

    tag = f"{arguments.python_tag}-{arguments.abi}-{arguments.platform}"
    stem = f"{arguments.name.replace('-', '_')}-{arguments.version}"
    folder = f"{stem}.dist-info"
    pairs = map(_pair, arguments.input_file_list.read_text().splitlines())
    files = {name: path.read_bytes() for name, path in sorted(pairs)}
    files[f"{folder}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: msa_training\nRoot-Is-Purelib: false\nTag: {tag}\n"
    ).encode()
    metadata = arguments.metadata_file.read_text() + f"Version: {arguments.version}\n"
    if arguments.description_file:
        metadata += "Description-Content-Type: text/markdown\n\n"
        metadata += arguments.description_file.read_text()
    files[f"{folder}/METADATA"] = metadata.encode()
    for name, path in sorted(arguments.extra_distinfo_file):
        files[f"{folder}/{name}"] = path.read_bytes()
    write_wheel(arguments.out, files, f"{folder}/RECORD")
    arguments.name_file.write_text(f"{stem}-{tag}.whl")


if __name__ == "__main__":
    main()
