"""What CI reads from pages: `readme.py commands PAGE`, `example PAGE`, `check PAGE...`.

`commands` prints the commands of the first `sh` block, a line each, and `example` the first
`python` block, for CI to run. `check` fails unless every relative link, and every path in code
font that looks like one of the repository's, exists.
"""

import pathlib
import re
import sys

_ROOT = pathlib.Path(__file__).parents[2]
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
    """Paths that do not exist: linked, from the page's folder, or named, from the repository's."""
    text = page.read_text()
    linked = {path for path in _LINK.findall(text) if not (page.parent / path).exists()}
    named = {path for path in _PATH.findall(text) if not (_ROOT / path).exists()}
    return sorted(linked | named)


def main(action: str, *names: str) -> None:
    """Runs one of the three actions, on pages or on those of a folder."""
    paths = map(pathlib.Path, names)
    for page in (page for path in paths for page in sorted(path.glob("*.md")) or [path]):
        if action == "commands":
            print("\n".join(commands(page)))
        elif action == "example":
            print(example(page), end="")
        elif found := missing(page):
            raise SystemExit(f"{page} names what does not exist: {', '.join(found)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
