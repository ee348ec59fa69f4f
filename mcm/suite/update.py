"""Expectations that were not met, written anew where they stand."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.answer.suite import Standing
from mcm.base.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.suite import Judgement


class Change(Struct, frozen=True):
    """The text of a file with its expectations as they were found to be; `refused` are those that cannot be written."""

    file: str
    before: str
    after: str
    refused: tuple[Judgement, ...] = ()

    def difference(self) -> str:
        """The lines that change, as `diff -u` shows them."""
        lines = unified_diff(self.before.splitlines(), self.after.splitlines(), self.file, self.file, "", "", 0, "")
        return "\n".join(visible(line, kept="\t") for line in lines)


def files_to_change(judgements: Iterable[Judgement]) -> dict[str, list[Judgement]]:
    """The expectations that are not met, by the file that states them."""
    found: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if judgement.standing is Standing.NOT_MET and judgement.place is not None:
            found.setdefault(judgement.place.file, []).append(judgement)
    return found


def restate(file: str, text: str, judgements: Iterable[Judgement]) -> Change:
    """The text of a file with what was found in the place of what is stated.

    A line that is no longer what it was when the test was judged stays as it is.
    """
    lines = text.splitlines(keepends=True)
    stated = [line.rstrip("\r\n") for line in lines]
    refused: list[Judgement] = []
    # From the right to the left, so that earlier columns stay what they are.
    for judgement in sorted(judgements, key=_position, reverse=True):
        place, restated = judgement.place, judgement.restated
        assert place is not None, "only expectations with a place are to be changed"
        number, begin = place.line - 1, place.column - 1
        if restated is None or place.excerpt not in stated[number : number + 1]:
            refused.append(judgement)
            continue
        line = lines[number]
        lines[number] = line[:begin] + restated + line[begin + place.length :]
    return Change(file, text, "".join(lines), tuple(reversed(refused)))


def _position(judgement: Judgement) -> tuple[int, int]:
    assert judgement.place is not None
    return judgement.place.line, judgement.place.column
