from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.many_states import ManyStates
from mcm.answer.result import Checked, Invalid, Observation, Unreadable, Verdict
from mcm.answer.shown_states import ManyShownStates, ShownState
from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Source, Span
from mcm.report.colour import Palette
from mcm.report.text import render_tests, render_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.answer.result import Judged, Problem, Undecided
    from mcm.program.header import Expectation


def test_verdict_condition_and_states(make: Callable[..., Judged]) -> None:
    assert render_text(make()) == (
        "SB under opencl-3.0: allowed\n"
        "  exists (0:r0=0 /\\ 1:r0=0)\n"
        "  Sometimes, in 1 of 2 states\n"
        "\n"
        "      0:r0  1:r0  x\n"
        "    *    0     0  1\n"
        "         0   -12  1"
    )


def test_a_race_shows_both_source_lines(make: Callable[..., Judged], race: Problem) -> None:
    text = render_text(make(undefined=(race,), verdict=Verdict.UNDEFINED))

    assert text.startswith("SB under opencl-3.0: undefined (data race)\n")
    assert text.endswith(
        "  data race [DR-1]\n"
        "    P0 writes  MP.litmus:4  *x = 1;\n"
        "                            ^^^^^^\n"
        "    P1 reads   MP.litmus:7  int r0 = *x;\n"
        "                                     ^^\n"
        "    neither access is atomic; no happens-before orders them"
    )


def test_what_is_too_wide_for_a_table_is_told_by_array(make: Callable[..., Judged]) -> None:
    same: dict[str, int | float | str] = {f"out[{i}]": i % 3 if i < 4 else 7 for i in range(40)}
    states = tuple(
        ShownState({"0:r0": r0, **same}, satisfies=r0 == 1, thin_air=False, executions=None) for r0 in (0, 1)
    )
    in_all = "        out[0..3] = 0, 1, 2, 0\n        out[4..39] = 7 each\n"

    assert f"the same in all 2 states:\n{in_all}      0:r0\n         0\n    *    1" in render_text(make(states=states))
    one = ShownState(same, satisfies=False, thin_air=True, executions=None)
    assert f"the only state:\n{in_all}        (thin air)" in render_text(make(states=(one,)))
    counted = replace(one, thin_air=False, executions=3)
    assert f"the only state:\n{in_all}      executions\n               3" in render_text(make(states=(counted,)))
    plain = replace(one, thin_air=False)
    assert render_text(make(states=(plain,))).endswith(f"the only state:\n{in_all}".rstrip())
    assert f"a state:\n{in_all}" in render_text(make(states=(plain,), reason="timeout"))


def test_many_states_too_wide_for_a_table_are_told_alike(make: Callable[..., Judged]) -> None:
    size = 40
    packed = ManyStates(((5,),) * size + ((0, 1),), ("\0" * size + "\0", "\0" * size + "\1"), b"\0\1", None)
    names = (*(f"out[{i}]" for i in range(size)), "x")
    states = ManyShownStates(names, packed.values, packed)  # type: ignore[arg-type]

    told = "the same in all 2 states:\n        out[0..39] = 5 each\n      x\n      0\n    * 1"
    assert told in render_text(make(states=states))


def test_bounded_and_thin_air_are_said(make: Callable[..., Judged], race: Problem) -> None:
    state = replace(make().states[0], thin_air=True, executions=2)

    text = render_text(make(bounded=(race.sites[0].span,), bound=1, states=(state,)))

    assert "0:r0  1:r0  x  executions\n    *    0     0  1           2  (thin air)" in text
    assert "note: bounded: the loop at MP.litmus:4 was cut after 1 iteration;" in text
    assert "note: thin air:" in text


@pytest.mark.parametrize(
    ("met", "words"),
    [(True, "as expected"), (False, "NOT as expected"), (None, "cannot be told from this answer")],
)
def test_the_expectation_is_stated_and_judged(
    make: Callable[..., Judged], expect: Callable[..., Expectation], met: bool | None, words: str
) -> None:
    text = render_text(make(expected=expect(observation="Never", race=False, divergence=True), as_expected=met))

    assert text.endswith(f"  expected Never no-race divergence: {words}")


def test_an_answer_that_is_not_complete_says_so(make: Callable[..., Judged], undecided: Undecided) -> None:
    text = render_text(undecided)
    with_states = render_text(replace(undecided, states=make().states))

    assert text.startswith("SB under opencl-3.0: undecided (timeout)\n")
    assert "note: the search ended early (timeout)\n" in f"{text}\n"
    assert "the search ended early (timeout); what is listed was found before that" in with_states


def test_where_only_states_are_missing_the_verdict_is_about_all(make: Callable[..., Judged]) -> None:
    text = render_text(make(reason="timeout", time_limit=5))

    assert text.startswith("SB under opencl-3.0: allowed\n")
    assert (
        "not all states are listed (timeout: 5 s, see --timeout; --no-states asks for none); the verdict is about"
        in text
    )


def test_input_errors_are_drawn(warning: Diagnostic) -> None:
    text = render_text(Invalid(file="SB.litmus", model="opencl-3.0", bound=2, test="SB", diagnostics=(warning,)))

    assert text.startswith("SB under opencl-3.0: invalid\n\nMP.litmus:7:3: warning[W101]: no region is named\n")
    assert "\n    int r0 = *x;\n    ^^^^^^" in text


def test_an_unreadable_file_is_named_with_its_reason() -> None:
    complaint = Diagnostic("E001", "no such file", Span(Source("SB.litmus", ""), 0, 0))

    text = render_text(Unreadable(file="SB.litmus", model="opencl-3.0", bound=2, diagnostics=(complaint,)))

    assert text == "SB.litmus: cannot be read\n\nSB.litmus:1:1: error[E001]: no such file"


def test_colour_adds_escape_codes_and_nothing_else(make: Callable[..., Judged], race: Problem) -> None:
    result = make(undefined=(race,), verdict=Verdict.UNDEFINED)
    plain, coloured = render_text(result), render_text(result, Palette(enabled=True))

    assert "\x1b" not in plain
    assert "\x1b[1;31mundefined (data race)\x1b[0m" in coloured


def test_several_results_end_in_a_summary(make: Callable[..., Judged], expect: Callable[..., Expectation]) -> None:
    never = make(
        test="MP",
        file="MP.litmus",
        verdict=Verdict.FORBIDDEN,
        observation=Observation.NEVER,
        states=(),
        expected=expect(observation="Never"),
        as_expected=True,
    )
    wrong = replace(never, file="MP2.litmus", as_expected=False)

    pieces = list(render_tests([Checked((result,)) for result in (make(), never, wrong)], Palette()))

    assert len(pieces) == 4
    assert pieces[-1].splitlines()[-5:] == [
        "SB.litmus   SB  opencl-3.0  allowed    Sometimes, in 1 of 2 states",
        "MP.litmus   MP  opencl-3.0  forbidden  Never                        as expected",
        "MP2.litmus  MP  opencl-3.0  forbidden  Never                        NOT as expected",
        "",
        "3 tests: 1 allowed, 2 forbidden; 1 of 2 as expected (1 NOT)",
    ]


def test_quiet_is_the_summary_alone(make: Callable[..., Judged]) -> None:
    pieces = render_tests([Checked((make(),))], Palette(), quiet=True)
    assert "".join(pieces) == "SB.litmus  SB  opencl-3.0  allowed  Sometimes, in 1 of 2 states\n\n1 test: 1 allowed\n"
