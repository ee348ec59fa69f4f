"""Which rows of a table are about which tests."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.suite import Complaint, JudgedTest, Judgement, Standing
from mcm.base.diagnostic import InputError
from mcm.suite.describe import stated_in_words
from mcm.suite.places import place_of
from mcm.syntax.read import read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.program.header import Expectation
    from mcm.suite.tables import Row

# The first words of a test: dialect and name, after comments.
_NAME: Final = re.compile(r"(?:\s|\(\*.*?\*\)|/\*.*?\*/|//[^\n]*\n)*\w+\s+(\S+)", re.DOTALL)


class Matched(Struct, frozen=True):
    """The expectations for each test by its path; what is wrong with other rows; how many tests are not selected."""

    expectations: dict[str, tuple[Expectation, ...]]
    wrong: tuple[JudgedTest, ...]
    elsewhere: int


def match_rows(rows: Iterable[Row], paths: Sequence[str]) -> Matched:
    """Give rows to the tests that they are about.

    A path is that of a test beside the table, in the current folder, or the end of the path of one selected test. Rows
    about files that exist and are not selected are counted; those that are about nothing, or about several, are wrong.
    """
    finder = _Finder(paths)
    found: defaultdict[str, list[Expectation]] = defaultdict(list)
    wrong: list[Judgement] = []
    elsewhere: set[str] = set()
    for row in rows:
        match finder.find(row):
            case [path]:
                found[path].append(row.expectation)
            case [] if _exists(row):
                elsewhere.add(row.subject)
            case several:
                wrong.append(_about_nothing(row, several))
    files = dict.fromkeys(judgement.file for judgement in wrong)
    return Matched(
        {path: tuple(expectations) for path, expectations in found.items()},
        tuple(JudgedTest(file=file, judgements=tuple(one for one in wrong if one.file == file)) for file in files),
        len(elsewhere),
    )


class _Finder:
    """Finds the selected tests that rows are about."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = {_absolute(path): path for path in paths}
        self._ends: defaultdict[str, list[str]] = defaultdict(list)
        for path in paths:
            self._ends[Path(path).name].append(path)
        self._names: dict[str, list[str]] | None = None

    def find(self, row: Row) -> list[str]:
        if row.by_name:
            return self._by_name().get(row.subject, [])
        for place in _places(row):
            if place in self._paths:
                return [self._paths[place]]
        end = Path(row.subject).parts
        return [path for path in self._ends[end[-1]] if Path(path).parts[-len(end) :] == end] if end else []

    def _by_name(self) -> dict[str, list[str]]:
        if self._names is None:
            self._names = {}
            for path in self._paths.values():
                self._names.setdefault(_name_of(path), []).append(path)
        return self._names


def _name_of(path: str) -> str:
    """The name that a test gives itself; where it cannot be read, that of its file."""
    try:
        found = _NAME.match(read_source(path).text)
    except InputError:
        found = None
    return found[1] if found else Path(path).stem


def _places(row: Row) -> tuple[str, str]:
    beside = Path(row.span.source.name).parent / row.subject
    return _absolute(str(beside)), _absolute(row.subject)


def _absolute(path: str) -> str:
    return os.path.normpath(os.path.abspath(path))  # noqa: PTH100 - links are not followed


def _exists(row: Row) -> bool:
    return not row.by_name and any(Path(place).is_file() for place in _places(row))


def _about_nothing(row: Row, several: list[str]) -> Judgement:
    what = "name" if row.by_name else "path"
    if several:
        message = f"several tests have the {what} '{row.subject}': {', '.join(several)}"
    else:
        message = f"no selected test has the {what} '{row.subject}'"
    return Judgement(
        file=row.span.source.name,
        model="",
        standing=Standing.INVALID,
        test=row.subject,
        stated=stated_in_words(row.expectation),
        reason=message,
        complaints=(Complaint("E411", message, place_of(row.span)),),
        place=place_of(row.span),
    )
