"""What was found for each test, model and part: kept in a file, so that long runs go on where they ended."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import DecodeError, Struct, field, json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Counted where a model reads as another one does on this program: what was found for that one holds.
ALIKE = "models that say the same as another"


class Key(Struct, frozen=True):
    """Which question it is."""

    file: str
    model: str
    part: str


class Case(Struct):
    """What was counted for one question, and what was wrong. `open`: why not everything was looked at."""

    key: Key
    counts: dict[str, int]
    wrong: list[str] = field(default_factory=list)
    open: str | None = None
    # Of processor time.
    seconds: float = 0.0

    @property
    def is_unsettled(self) -> bool:
        return bool(self.wrong) or self.open is not None


def read_log(path: Path) -> dict[Key, Case]:
    """The cases of a log, the last of each question; a line that was not written to its end is none."""
    cases: dict[Key, Case] = {}
    for line in path.read_bytes().splitlines() if path.exists() else ():
        with suppress(DecodeError):
            case = json.decode(line, type=Case)
            cases[case.key] = case
    return cases


def append_to_log(path: Path, case: Case) -> None:
    """Adds a case to a log, on a line of its own even if the last one was cut off."""
    with path.open("ab") as log:
        log.write(b"\n" + json.encode(case) + b"\n")


def total_of(cases: Iterable[Case]) -> Counter[str]:
    """What was counted in all cases together; a case that stays open counts for nothing."""
    total: Counter[str] = Counter()
    for case in cases:
        if case.open is None:
            total.update(case.counts)
    return total


def report_on(cases: Iterable[Case]) -> Iterator[str]:
    """Lines: what is wrong, what is open, what was counted, and the total."""
    all_cases = list(cases)
    yield from (f"WRONG {line}" for case in all_cases for line in case.wrong)
    yield from (f"OPEN {c.key.file} {c.key.model}: {c.key.part} ({c.open})" for c in all_cases if c.open is not None)
    yield from (f"{count:7} {what}" for what, count in sorted(total_of(all_cases).items()) if count)
    files = len({case.key.file for case in all_cases})
    wrong, left = (sum(map(bool, values)) for values in ([c.wrong for c in all_cases], [c.open for c in all_cases]))
    seconds = sum(case.seconds for case in all_cases)
    yield f"TOTAL {files} files, {len(all_cases)} cases, {wrong} wrong, {left} open; {seconds:.0f} s of processor time"
