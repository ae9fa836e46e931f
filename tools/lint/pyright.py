"""Runs pyright over the workspace, which finds the third-party packages that Bazel builds with."""

import os
import pathlib
import sys


def main(arguments: list[str]) -> None:
    """Becomes pyright, at its locked version; `pyrightconfig.json` says what it checks."""
    workspace = pathlib.Path(os.environ["BUILD_WORKSPACE_DIRECTORY"])
    os.chdir(workspace)
    program = workspace / "tools/lint/run"
    search_path = os.pathsep.join(path for path in sys.path if path)
    os.execve(
        program,
        [str(program), "pyright", f"--pythonpath={sys.executable}", *arguments],
        {**os.environ, "PYTHONPATH": search_path},
    )


if __name__ == "__main__":
    main(sys.argv[1:])
