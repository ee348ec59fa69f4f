"""Packages whose modules do not import each other in a circle, imports for type checkers included."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ["mcm/machine"]


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_do_not_import_each_other_in_a_circle(package: str) -> None:
    modules = {_module(path): path for path in (ROOT / package).rglob("*.py")}
    assert len(modules) > 1
    imported = {name: _imports(path) & modules.keys() for name, path in modules.items()}

    try:
        TopologicalSorter(imported).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
