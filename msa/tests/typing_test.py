"""What type checkers see through the lazy package."""

import ast
import importlib
import json
import pathlib

from mypy import api as mypy

import msa

_PACKAGE = pathlib.Path(msa.__file__).parent


def test_what_type_checkers_see_is_what_there_is():
    (block,) = (
        node
        for node in ast.parse((_PACKAGE / "__init__.py").read_text()).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    assert sorted(seen) == sorted(msa.__all__)
    for name, module in seen.items():
        assert getattr(importlib.import_module(module), name) is getattr(msa, name), name


# The numbers of lines that a checker refuses are in `_REFUSED`.
_USER = """\
import torch
import msa
from msa import PackedDocuments, sparse_attention
from msa import sparse_atention

def attend(q: torch.Tensor, support: torch.Tensor, documents: PackedDocuments) -> None:
    out, lse = sparse_attention(q, q, q, support, documents, return_lse=True)
    sparse_attention(q, q, q, support)
    sparse_attention(q, q, q, support, documents, return_ls=True)
    sparse_attention(q, q, q, support, 3)
    size: int = msa.BLOCK_SIZE + documents.workspace_size
    name: str = msa.BLOCK_SIZE
    PackedDocuments(q, q, q, q, q, q, 128, 1)
    PackedDocuments(q, q)
    msa.build_task_tables(msa.build_backward_schedule(support, documents), num_sms=1)
    msa.build_task_tables(documents, num_sms=1)
    msa.documents
    sparse_attention(q, q, q, support, documents).square()
    sparse_attention(q, q, q, support, documents, return_lse=True).square()
"""
_REFUSED = {
    4: "attr-defined",
    8: "call-overload",
    9: "call-overload",
    10: "call-overload",
    12: "assignment",
    14: "call-arg",
    16: "arg-type",
    17: "attr-defined",
    19: "attr-defined",
}


def test_type_checkers_see_signatures(tmp_path, monkeypatch):
    # torch's own sources would take a checker half a minute.
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = True\nfollow_imports = silent\n"
        "[mypy-torch.*]\nfollow_imports = skip\nignore_missing_imports = True\n"
    )
    (tmp_path / "user.py").write_text(_USER)
    monkeypatch.setenv("MYPYPATH", str(_PACKAGE.parent))
    monkeypatch.chdir(tmp_path)
    options = ["--config-file=mypy.ini", "--cache-dir=cache", "--output=json", "user.py"]
    output, trouble, _ = mypy.run(options)
    assert not trouble
    found = {line["line"]: line["code"] for line in map(json.loads, output.splitlines())}
    assert found == _REFUSED
    assert (_PACKAGE / "py.typed").exists()
