"""The examples in docstrings say what the functions do."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import mcm

# Modules behind an extra, and what they need.
OPTIONAL = {"mcm.engine.smt.cadical": "pysat"}
ROOT = Path(mcm.__path__[0])
MODULES = sorted(module.name for module in pkgutil.walk_packages([str(ROOT)], "mcm."))


def has_examples(name: str) -> bool:
    """Whether the text of a module has examples: to look for them in what it has loaded takes far longer."""
    path = ROOT.parent.joinpath(*name.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ">>>" in file.read_text(encoding="utf-8")


def test_modules_are_found() -> None:
    assert "mcm.syntax.precedence" in MODULES


@pytest.mark.parametrize("name", [name for name in MODULES if has_examples(name)])
def test_examples_of_a_module(name: str) -> None:
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name], reason="the extra 'fast' is not installed")
    failed, attempted = doctest.testmod(importlib.import_module(name))

    assert failed == 0
    assert attempted
