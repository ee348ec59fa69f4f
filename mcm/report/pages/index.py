"""The index of many tests: a table of tests and models, each verdict leading to its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.result import Invalid, Unreadable
from mcm.report.pages.document import document, short, text
from mcm.report.pages.view import expectation_mark, verdict_badge
from mcm.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.answer.result import Result


# Where each test has several verdicts, its file stands below its name.
_SEVERAL: Final = " several"


class Entry(Struct, frozen=True):
    """A test in the index: its results, and the relative address of its page; None where there is none."""

    results: tuple[Result, ...]
    address: str | None


def render_index(entries: Sequence[Entry], *, interrupted: bool = False) -> str:
    """The index as HTML; `interrupted`: there were more tests."""
    models = list(dict.fromkeys(result.model for entry in entries for result in entry.results))
    cut = '<p class="bad">Interrupted: tests without a page were not finished.</p>' if interrupted else ""
    body = "".join(
        [
            f"<header><h1>{counted(len(entries), 'test')}</h1>{cut}<p>{_totals(entries)}</p></header>\n",
            f'<main class="whole"><table class="summary{_SEVERAL if len(models) > 1 else ""}">',
            '<thead><tr><th scope="col">test</th>',
            *(f'<th scope="col">{short(model, 40)}</th>' for model in models),
            "</tr></thead><tbody>\n",
            *(_row(entry, models) for entry in entries),
            "</tbody></table></main>\n",
        ]
    )
    return document(f"{counted(len(entries), 'test')}", body, has_script=False)


def _totals(entries: Sequence[Entry]) -> str:
    results = [result for entry in entries for result in entry.results]
    # Each is counted once: what is stated about a test that is invalid was judged.
    silent = [result for result in results if result.expected is None]
    bad = sum(isinstance(result, Invalid | Unreadable) for result in silent)
    parts = [
        ("good", sum(result.as_expected is True for result in results), "as expected"),
        ("bad", sum(result.as_expected is False for result in results), "NOT as expected"),
        ("doubt", sum(result.expected is not None and result.as_expected is None for result in results), "open"),
        ("soft", len(silent) - bad, "without an expectation"),
        ("bad", bad, "not checked: invalid, or not to be read"),
    ]
    return ", ".join(f'<span class="{tone}">{count} {word}</span>' for tone, count, word in parts if count > 0)


def _row(entry: Entry, models: Sequence[str]) -> str:
    first = entry.results[0]
    name = short(first.test or first.file, 60)
    link = name if entry.address is None else f'<a href="{text(entry.address)}">{name}</a>'
    cells = "".join(_cells(entry, models))
    return f'<tr><td>{link}<span class="file">{short(first.file, 90)}</span></td>{cells}</tr>\n'


def _cells(entry: Entry, models: Sequence[str]) -> Iterator[str]:
    by_model = {result.model: result for result in entry.results}
    for model in models:
        result = by_model.get(model)
        yield "<td></td>" if result is None else f"<td>{verdict_badge(result)} {expectation_mark(result)}</td>"
