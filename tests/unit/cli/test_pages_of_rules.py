"""`mcm rules ID`: the page of every rule can be asked for, and names tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import mcm
from mcm.cli.rules import command

if TYPE_CHECKING:
    from click.testing import Result

# What no test of a finite execution can show, and what speaks of nothing that tests declare.
WITHOUT_TESTS = {"LIVE-1", "AS-3"}
RULES = sorted({(m, i) for m in mcm.models() for entry in mcm.rules(m) for i in entry.rule.identifiers})
FIRST = {identifier: model for model, identifier in reversed(RULES)}


def shown(*words: str) -> Result:
    return CliRunner().invoke(command, words)


@pytest.mark.slow
@pytest.mark.parametrize("identifier", sorted(set(FIRST) - WITHOUT_TESTS))
def test_a_rule_has_its_source_and_its_tests(identifier: str) -> None:
    result = shown(FIRST[identifier], identifier)
    assert result.exit_code == 0, result.output
    assert "  Source: " in result.output
    assert "  Tests:\n    litmus/" in result.output


@pytest.mark.parametrize("identifier", sorted(mcm.FAULT_RULES))
def test_a_rule_of_the_language_has_its_tests(identifier: str) -> None:
    result = shown(identifier)
    assert result.exit_code == 0
    assert "  Tests:\n    litmus/" in result.output


def test_a_rule_with_a_small_letter_is_no_model() -> None:
    assert shown("opencl-3.0", "HOST-4q").exit_code == 0
    late = shown("HOST-4q", "rc11")
    assert late.exit_code == 2
    assert "'rc11' names a model" in late.output
