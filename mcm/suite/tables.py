"""Tables of expectations: our own CSV, Dartagnan's `path,0|1`, herd's kinds files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span
from mcm.program.header import DEFAULT_MODEL, Expectation
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.header import expectation_of_line
from mcm.syntax.ast import KeyLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.base.source import Source

_NONE: Final = frozenset[str]()

# What the first column of our own tables is called: the path of a test, or its name.
_PATH_COLUMNS: Final = frozenset({"file", "path"})
_NAME_COLUMN: Final = "test"

# The words of herd's kinds files, as herd writes them and as its users do.
_KINDS: Final = re.compile(r"(?i)(allow|forbid|require)(?:d|ed|den)?\Z")

_CELL: Final = re.compile(r'[ \t]*("(?:[^"]|"")*"|[^,"]*?)[ \t]*(?:,|\Z)')


class Row(Struct, frozen=True):
    """What a table states about a test: `subject` is its path, or its name where `by_name`; `span` is where."""

    subject: str
    by_name: bool
    span: Span
    expectation: Expectation


class _Line(Struct, frozen=True):
    """A line of a table that says something: its cells, each with its place."""

    cells: tuple[Span, ...]
    span: Span

    def texts(self) -> list[str]:
        return [_unquoted(cell.text) for cell in self.cells]


def read_table(source: Source) -> tuple[Row, ...]:
    """The rows of a table, whose form is told by its first line; InputError with all lines that are in none.

    Lines that begin with `#` are comments.
    """
    lines = list(_lines(source))
    if not lines:
        raise InputError(Diagnostic("E410", "this table states nothing", Span(source, 0, 0)))
    read = _form_of(lines[0])
    if read is None:
        raise InputError(_wrong(lines[0], "expected 'file,…' with the names of columns, 'PATH,0' or 'NAME Allowed'"))
    rows: list[Row] = []
    complaints: list[Diagnostic] = []
    for line in lines:
        try:
            rows += read(line)
        except InputError as error:
            complaints += error.diagnostics
    if complaints:
        raise InputError(*complaints)
    return tuple(rows)


def _lines(source: Source) -> Iterator[_Line]:
    for number, start in enumerate(source.line_starts, start=1):
        text = source.line(number)
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        span = Span(source, start, start + len(text))
        parts = _split_at_commas(text) if "," in text else [found.span() for found in re.finditer(r"\S+", text)]
        yield _Line(tuple(Span(source, start + begin, start + end) for begin, end in parts), span)


def _split_at_commas(text: str) -> list[tuple[int, int]]:
    cells: list[tuple[int, int]] = []
    at = 0
    while at <= len(text):
        found = _CELL.match(text, at)
        if found is None:  # a quote that is not closed: the rest is one cell
            return [*cells, (at, len(text))]
        cells.append(found.span(1))
        at = found.end() if found.group().endswith(",") else len(text) + 1
    return cells


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"') if text[:1] == '"' else text


def _wrong(line: _Line, expected: str) -> Diagnostic:
    return Diagnostic("E410", f"{expected}, found '{line.span.text.strip()}'", line.span)


def _form_of(first: _Line) -> Callable[[_Line], list[Row]] | None:
    """How the lines of a table are read."""
    match first.texts():
        case [column, *_] if column.lower() in {*_PATH_COLUMNS, _NAME_COLUMN} and len(first.cells) > 1:
            return _Columns(first).read
        case [_, "0" | "1"]:
            return _dartagnan
        case [_, word] if _KINDS.match(word):
            return _kind
        case _:
            return None


def _dartagnan(line: _Line) -> list[Row]:
    """`PATH,1`: the quantified condition holds."""
    match line.texts():
        case [path, "0" | "1" as holds] if path:
            return [Row(path, False, line.span, _expecting(line.cells[1], holds=holds == "1"))]  # noqa: FBT003
        case _:
            raise InputError(_wrong(line, "expected 'PATH,0' or 'PATH,1'"))


def _kind(line: _Line) -> list[Row]:
    """`NAME Allowed`: some execution, none (`Forbidden`), or every one (`Required`) satisfies the proposition."""
    texts = line.texts()
    found = _KINDS.match(texts[1]) if len(texts) == 2 else None
    if found is None:
        raise InputError(_wrong(line, "expected 'NAME Allowed', 'NAME Forbidden' or 'NAME Required'"))
    where = line.cells[1]
    match found[1].lower():
        case "allow":
            expectation = _expecting(where, reachable=True)
        case "forbid":
            expectation = _expecting(where, reachable=False)
        case _:
            expectation = _expecting(where, observation="Always")
    return [Row(texts[0], True, line.span, expectation)]  # noqa: FBT003


def _expecting(
    span: Span,
    *,
    model: str = DEFAULT_MODEL,
    observation: str | None = None,
    holds: bool | None = None,
    reachable: bool | None = None,
    race: bool | None = None,
) -> Expectation:
    return Expectation(model, observation, race, None, None, None, span, holds=holds, reachable=reachable)


class _Columns:
    """Our own tables: their first line names the columns.

    `expect` holds the words of a header, `model` says about which model; `holds` and `race_free` are 0 or 1, and may
    name a model themselves: `holds_rc11`. An empty cell states nothing.
    """

    def __init__(self, names: _Line) -> None:
        self._names = names
        self._columns = [text.lower() for text in names.texts()]
        for name, cell in zip(self._columns[1:], names.cells[1:], strict=True):
            if name not in {"model", "expect"} and not re.match(r"(holds|race_free)(?:_|\Z)", name):
                known = "model, expect, holds, race_free, holds_MODEL, race_free_MODEL"
                message = f"'{name}' is no column; expected {known}"
                raise InputError(Diagnostic("E410", message, cell))

    def read(self, line: _Line) -> list[Row]:
        """The rows of a line, one for each cell that states something."""
        if line is self._names:
            return []
        texts = line.texts()
        if len(texts) != len(self._columns) or not texts[0]:
            raise InputError(_wrong(line, f"expected {len(self._columns)} cells, the first of them a test"))
        given = dict(zip(self._columns, texts, strict=True))
        model = given.get("model") or DEFAULT_MODEL
        by_name = self._columns[0] == _NAME_COLUMN
        return [
            Row(texts[0], by_name, line.span, _of_cell(name, text, cell, model))
            for name, text, cell in zip(self._columns[1:], texts[1:], line.cells[1:], strict=True)
            if text and name != "model"
        ]


def _of_cell(column: str, text: str, cell: Span, model: str) -> Expectation:
    if column == "expect":
        return _of_words(text, cell, model)
    if text not in {"0", "1"}:
        raise InputError(Diagnostic("E410", f"expected 0 or 1 in column '{column}', found '{text}'", cell))
    for claim in ("holds", "race_free"):
        if column.startswith(claim):
            model = column.removeprefix(claim).removeprefix("_") or model
    is_so = text == "1"
    if column.startswith("holds"):
        return _expecting(cell, model=model, holds=is_so)
    return _expecting(cell, model=model, race=not is_so)


def _of_words(text: str, cell: Span, model: str) -> Expectation:
    complaints = Complaints()
    try:
        return expectation_of_line(KeyLine(key="Expect", value=text, span=cell), model, _NONE, complaints)
    except UnresolvedError:
        raise InputError(*complaints.diagnostics) from None
