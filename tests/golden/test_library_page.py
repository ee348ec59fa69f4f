"""What the page about the library shows is what happens."""

from __future__ import annotations

import doctest
from inspect import isfunction

import pytest
from golden_shell import ROOT

import mcm
from mcm import api

PAGE = ROOT / "docs" / "library.md"


def test_the_examples_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)

    failed, tried = doctest.testfile(str(PAGE), module_relative=False)

    assert tried > 20
    assert failed == 0


FUNCTIONS = sorted(set(mcm.__all__) & {name for name, value in vars(api).items() if isfunction(value)})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_of_the_api_stands_on_the_page(name: str) -> None:
    assert f"{name}(" in PAGE.read_text(encoding="utf-8") or name == "shared_session"
