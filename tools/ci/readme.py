"""What CI reads from pages: `readme.py commands PAGE`, `example PAGE`, `check PAGE...`.

`commands` prints the commands of the first `sh` block, a line each, and `example` the first
`python` block, for CI to run. `check` fails unless every relative link, and every path in code
font that looks like one of the repository's, exists.
"""

import pathlib
import re
import sys

_BLOCK = r"^```%s\n(.*?)^```"
_LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)[^)]*\)")
_PATH = re.compile(r"`((?:msa|examples|third_party|tools)/[\w./-]+)`")


def commands(readme: pathlib.Path) -> list[str]:
    """The lines of the first `sh` block."""
    return _first_block("sh", readme).splitlines()


def example(readme: pathlib.Path) -> str:
    """The first `python` block."""
    return _first_block("python", readme)


def _first_block(language: str, page: pathlib.Path) -> str:
    block = re.search(_BLOCK % language, page.read_text(), re.DOTALL | re.MULTILINE)
    if block is None:
        raise SystemExit(f"{page}: no ```{language} block")
    return block.group(1)


def missing(page: pathlib.Path) -> list[str]:
    """Linked or named paths that do not exist, relative to the page's folder."""
    text = page.read_text()
    named = set(_LINK.findall(text)) | set(_PATH.findall(text))
    return sorted(path for path in named if not (page.parent / path).exists())


def main(action: str, *pages: str) -> None:
    """Runs one of the three actions."""
    for page in map(pathlib.Path, pages):
        if action == "commands":
            print("\n".join(commands(page)))
        elif action == "example":
            print(example(page), end="")
        elif found := missing(page):
            raise SystemExit(f"{page} names what does not exist: {', '.join(found)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
