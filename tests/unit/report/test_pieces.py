"""Reports of many final states come in pieces, which are the report of the same states kept one by one."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from mcm.answer.many_states import PackedValues, many_states
from mcm.answer.result import Checked
from mcm.answer.shown_states import ManyShownStates
from mcm.report.colour import Palette
from mcm.report.herd import herd_pieces, render_herd
from mcm.report.json_format import json_pieces, render_json
from mcm.report.machine_comparison import machine_comparison_pieces
from mcm.report.pieces import gathered, pieces
from mcm.report.text import render_tests, render_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mcm.answer.result import Judged
    from mcm.program.types import Value

NAMES = ("0:r0", 'a "name" of \u00e9', "x")


def results(make: Callable[..., Judged], count: int, *, counted: bool) -> tuple[Judged, Judged]:
    """A result with so many states packed, and the same with the states one by one."""

    def satisfies(values: Sequence[Value]) -> bool:
        return values[0] == 1

    packed = PackedValues(len(NAMES))
    found = {packed.pack((n % 100, n // 100, 0.5)): n + 1 if counted else None for n in range(count)}
    states = many_states(packed, found, satisfies)
    shown = ManyShownStates(NAMES, tuple(tuple(map(_shown, known)) for known in states.values), states)
    return make(states=shown), make(states=tuple(shown))


def _shown(value: Value) -> int | float | str:
    # An infinity, which JSON has not, and a name that has to be escaped.
    return float("inf") if value == 0.5 else f"&y\u00e9{value}" if value == 2 else value


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("count", [1, 999, 1000, 2001])
def test_packed_states_are_told_as_others(make: Callable[..., Judged], count: int, *, counted: bool) -> None:
    packed, plain = results(make, count, counted=counted)
    assert render_json([packed, packed]) == render_json([plain, plain])
    assert render_text(packed) == render_text(plain)
    assert render_herd(packed) == render_herd(plain)


def test_the_pieces_are_small_and_the_whole_is_json(make: Callable[..., Judged]) -> None:
    packed, plain = results(make, 6000, counted=False)
    for found in (
        list(json_pieces([packed])),
        list(told_as_text(packed)),
        list(herd_pieces(packed)),
    ):
        assert len(found) > 1
        assert max(map(len, found)) < 400_000
    states = json.loads(render_json([packed]))["results"][0]["states"]
    assert len(states) == len(plain.states)


def told_as_json(result: Judged) -> Iterator[str]:
    return json_pieces([result])


def told_as_text(result: Judged) -> Iterator[str]:
    return render_tests([Checked(results=(result,))], Palette())


@pytest.mark.parametrize(("told", "most"), [(told_as_json, 1_500_000), (told_as_text, 600_000), (herd_pieces, 600_000)])
def test_the_memory_of_a_report_does_not_grow_with_the_states(
    make: Callable[..., Judged], told: Callable[[Judged], Iterator[str]], most: int
) -> None:
    packed, _ = results(make, 10_000, counted=False)
    tracemalloc.start()
    try:
        length = sum(map(len, told(packed)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert length > 250_000
    # That is a piece; 10,000 lines are more, and 10,000 states as JSON much more.
    assert peak < most


def test_states_that_look_like_the_key_of_states(make: Callable[..., Judged]) -> None:
    packed, plain = results(make, 5, counted=False)
    named = {"file": '"states": []', "test": '\n  "states": []'}
    assert render_json([replace(packed, **named)]) == render_json([replace(plain, **named)])


@pytest.mark.parametrize("count", [0, 1, 1000, 1001, 2500])
def test_lines_in_pieces(count: int) -> None:
    lines = [str(number) for number in range(count)]
    assert "".join(pieces(lines)) == "\n".join(lines)
    assert "".join(pieces(lines, ",")) == ",".join(lines)
    assert len(list(pieces(lines))) == -(-count // 1000)


def test_small_texts_come_in_one_piece_and_long_ones_in_several() -> None:
    assert list(gathered(["a", "", "b"])) == ["ab"]
    assert list(gathered([])) == []
    texts = ["x" * 40_000] * 5
    assert [len(text) for text in gathered(texts)] == [80_000, 80_000, 40_000]


def test_what_is_finished_is_told_before_the_next_is_waited_for(make: Callable[..., Judged]) -> None:
    """The documents, and the lines of `-q`: each has what came before the next result is asked for."""
    result, asked = make(), []

    def several() -> Iterator[Judged]:
        for number in range(3):
            asked.append(number)
            yield result

    for report in (
        json_pieces(several()),
        machine_comparison_pieces(several()),
        render_tests((Checked((one,)) for one in several()), Palette(), quiet=True),
    ):
        asked.clear()
        assert "SB" in next(iter(report))
        assert asked == [0]
