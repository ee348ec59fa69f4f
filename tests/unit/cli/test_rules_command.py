from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.catalogue import registry
from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ended


def test_the_rules_of_the_default_model(mcm: Callable[..., Ended]) -> None:
    ended = mcm("rules")

    assert ended.out.startswith("Rules of opencl-3.0:\n")
    assert "  COH-RR  " in ended.out


def test_a_rule_in_full(mcm: Callable[..., Ended]) -> None:
    ended = mcm("rules", "COH-RR")

    assert ended.out.startswith("COH-RR in opencl-3.0\n")
    assert "  Source: " in ended.out
    assert "irreflexive" in ended.out
    assert "litmus/opencl/spec/COH-RR.litmus" in ended.out


def test_a_rule_is_found_in_the_model_that_states_it(mcm: Callable[..., Ended]) -> None:
    assert mcm("rules", "SC-PSC").out.startswith("SC-PSC in rc11\n")
    assert mcm("rules", "c20", "SC-PSC").out.startswith("SC-PSC in c20\n")


def test_a_rule_of_the_language(mcm: Callable[..., Ended]) -> None:
    assert mcm("rules", "BAR-DIV").out.startswith("BAR-DIV in every model\n")


def test_several_rules_are_shown_one_after_the_other(mcm: Callable[..., Ended]) -> None:
    ended = mcm("rules", "COH-RR", "BAR-DIV", "COH-RR")

    assert ended.code == ExitCode.AS_EXPECTED
    assert [line for line in ended.out.splitlines() if " in " in line and not line.startswith(" ")] == [
        "COH-RR in opencl-3.0",
        "BAR-DIV in every model",
    ]
    assert mcm("rules", "opencl-3.1", "SCOPE-8", "SB-1").out.count(" in opencl-3.1\n") == 2


def test_a_model_comes_before_the_rules(mcm: Callable[..., Ended]) -> None:
    ended = mcm("rules", "COH-RR", "sc")

    assert (ended.code, ended.out) == (ExitCode.BAD_INPUT, "")
    assert "'sc' names a model, and one model comes before the rules" in ended.err


def test_unknown_words(mcm: Callable[..., Ended]) -> None:
    for arguments in (["COH-XX"], ["sc", "COH-RR"], ["opencl-9"], ["SB-1", "COH-XX"]):
        ended = mcm("rules", *arguments)
        assert ended.code == ExitCode.BAD_INPUT
        assert ended.out == ""
        assert "Error: " in ended.err


def test_models_are_listed(mcm: Callable[..., Ended]) -> None:
    lines = mcm("models").out.splitlines()

    assert [line.split()[0] for line in lines] == list(registry.names())


def test_the_vocabulary_is_listed(mcm: Callable[..., Ended]) -> None:
    out = mcm("models", "--vocabulary").out

    assert "  rf " in out
    assert "reads-from" in out


def test_a_rule_in_small_letters_is_no_unknown_model(mcm: Callable[..., Ended]) -> None:
    ended = mcm("rules", "cohrr")

    assert ended.code == 2
    assert "there is neither a model nor a rule 'cohrr'; did you mean 'COH-RR'?" in ended.err


def test_a_rule_may_be_written_as_its_relation_is(mcm: Callable[..., Ended]) -> None:
    assert mcm("rules", "sw-g-1").out == mcm("rules", "SW-G-1").out
    assert mcm("rules", "opencl-3.1", "sw-g-1").out.startswith("SW-G-1 in opencl-3.1")


def test_what_is_neither_a_model_nor_a_rule_is_said(mcm: Callable[..., Ended]) -> None:
    assert "there is neither a model nor a rule 'hb'; `mcm models` and `mcm rules` list them" in mcm("rules", "hb").err
    assert "no rule 'hb' in opencl-3.0" in mcm("rules", "opencl-3.0", "hb").err
