"""The examples in docstrings say what the functions do."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import mcm

# Modules behind an extra, and what they need.
OPTIONAL = {"mcm.engine.smt.cadical": "pysat"}
ROOT = Path(mcm.__path__[0])
# Only those are loaded and looked through: that takes long, and most have no examples.
MODULES = [
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in sorted(ROOT.rglob("*.py"))
    if ">>>" in path.read_text(encoding="utf-8")
]


def test_modules_are_found() -> None:
    assert "mcm.syntax.precedence" in MODULES


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name], reason="the extra 'fast' is not installed")
    failed, attempted = doctest.testmod(importlib.import_module(name.removesuffix(".__init__")))

    assert failed == 0
    assert attempted
