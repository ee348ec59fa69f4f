"""Values that all final states share: where a table of states would be too wide, they are told by array instead."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from mcm.answer.shown_states import ManyShownStates
from mcm.base.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.answer.machine_comparison import ComparedState
    from mcm.answer.result import Found
    from mcm.answer.shown_states import ShownState

# The longest line of text.
_LINE: Final = 110

# So many values that are the same, one after the other, are told as one.
_MANY: Final = 8

# `out[3]`, `K[12]:r0` and `12:r0`: what stands before the number, the number, and what stands behind it.
_NUMBERED: Final = re.compile(r"(.*\[|)(\d+)(\].*|:.*)")


def shared_values(states: Sequence[ShownState] | Sequence[ComparedState]) -> dict[str, str]:
    """The values that are the same in all of these states, by name."""
    if isinstance(states, ManyShownStates):
        return {name: str(shown[0]) for name, shown in zip(states.names, states.shown, strict=True) if len(shown) == 1}
    first, *others = (state.values for state in states)
    return {name: str(value) for name, value in first.items() if all(other.get(name) == value for other in others)}


def shared_in_words(shared: Mapping[str, str], result: Found, number: int) -> Iterator[str]:
    """A heading, and lines that tell values that so many states of a result share."""
    alone = "the only state:" if result.reason is None else "a state:"
    yield alone if number == 1 else f"the same in all {number} states:"
    named = {visible(result.shown_name(name)): visible(value) for name, value in shared.items()}
    yield from (f"  {line}" for line in by_array(named))


def by_array(values: Mapping[str, str]) -> Iterator[str]:
    """Lines that tell these values: `out[0..3] = 1, 2, 3, 4`, `K[0..63]:i = 0 each`, `n = 4`.

    >>> list(by_array({"a[0]": "5", "K[0]:i": "0", "a[1]": "7", "K[1]:i": "0", "n": "2", "a[4]": "9"}))
    ['a[0..1] = 5, 7', 'a[4] = 9', 'K[0..1]:i = 0 each', 'n = 2']
    """
    families: dict[tuple[str, str], dict[int, str]] = {}
    for name, value in values.items():
        found = _NUMBERED.fullmatch(name)
        # A name without a number is a family of one.
        before, number, behind = found.groups() if found else (name, "-1", "")
        families.setdefault((before, behind), {})[int(number)] = value
    for (before, behind), members in families.items():
        for run in _runs(members):
            first, last = run[0], run[-1]
            which = "" if first < 0 else str(first) if first == last else f"{first}..{last}"
            told = f"{before}{which}{behind} = {_together([members[number] for number in run])}"
            yield from wrap(told, _LINE, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _runs(members: Mapping[int, str]) -> Iterator[list[int]]:
    """The numbers in ascending order, cut where one is missing, and around many that have the same value."""
    run: list[int] = []
    last = 0
    for block in _blocks(members):
        if run and (block[0] != run[-1] + 1 or max(last, len(block)) >= _MANY):
            yield run
            run = []
        run += block
        last = len(block)
    yield run


def _blocks(members: Mapping[int, str]) -> Iterator[list[int]]:
    """Numbers that follow each other and have the same value."""
    block: list[int] = []
    for number in sorted(members):
        if block and (number != block[-1] + 1 or members[number] != members[block[-1]]):
            yield block
            block = []
        block.append(number)
    yield block


def _together(values: list[str]) -> str:
    if len(values) > 1 and len(set(values)) == 1:
        return f"{values[0]} each"
    return ", ".join(values)
