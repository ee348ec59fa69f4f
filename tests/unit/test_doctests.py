"""The examples in docstrings say what the functions do."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import mcm

# Modules behind an extra, and what they need.
OPTIONAL = {"mcm.engine.smt.cadical": "pysat"}
MODULES = sorted(module.name for module in pkgutil.walk_packages(mcm.__path__, "mcm."))


def test_modules_are_found() -> None:
    assert "mcm.syntax.precedence" in MODULES


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    if name.endswith("__main__"):
        return
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name], reason="the extra 'fast' is not installed")
    failed, _ = doctest.testmod(importlib.import_module(name))

    assert failed == 0
