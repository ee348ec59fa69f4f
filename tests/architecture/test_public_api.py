"""What `import mcm` offers, and who must do with it."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import mcm

ROOT = Path(__file__).parents[2]

# The command line's contract stands in pyproject.toml; these are the benchmark and what tests of whole files share.
CLIENTS = [
    *sorted((ROOT / "bench").rglob("*.py")),
    ROOT / "tests/corpus/test_json_output.py",
    ROOT / "tests/corpus/test_peers.py",
    ROOT / "tests/oracle/comparison.py",
    ROOT / "tests/spec/shipped_tests.py",
    ROOT / "tests/golden/conftest.py",
    ROOT / "tests/golden/golden_shell.py",
]
# The benchmark measures the worker processes of the command line, so it starts those.
ALLOWED = {"mcm", "mcm.cli.main", "mcm.cli.work", "mcm.cli.workers"}


def imported_from(node: ast.AST) -> str | None:
    return node.module if isinstance(node, ast.ImportFrom) else None


def stated_to_type_checkers() -> dict[str, str]:
    """The module of each name, from the imports that only type checkers read."""
    tree = ast.parse(Path(mcm.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.name: imported_from(node) or ""
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_types_and_values_come_from_the_same_modules() -> None:
    stated = stated_to_type_checkers()

    assert sorted([*stated, "__version__"]) == sorted(mcm.__all__)
    assert {name: getattr(mcm, name) for name in stated} == {
        name: getattr(import_module(module), name) for name, module in stated.items()
    }


def test_no_public_name_is_that_of_a_submodule() -> None:
    # Importing the submodule would replace the name.
    folder = Path(mcm.__file__).parent
    submodules = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}

    assert submodules & set(mcm.__all__) == set()


def test_importing_the_package_loads_next_to_nothing() -> None:
    command = "import sys, mcm; print([name for name in sys.modules if name.startswith('mcm')])"

    shown = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout

    assert shown.strip() == "['mcm.version', 'mcm']"


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="module 'mcm' has no attribute 'chek'"):
        _ = mcm.chek


@pytest.mark.parametrize("path", CLIENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_clients_use_the_public_api(path: Path) -> None:
    modules = {imported_from(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))}

    assert {module for module in modules if module and module.split(".")[0] == "mcm"} <= ALLOWED
