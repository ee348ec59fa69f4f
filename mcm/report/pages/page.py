"""The page of a test: its text on the left; what a model says of it, drawn and to be played with, on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.report.pages.document import document, short, text
from mcm.report.pages.view import render_view, verdict_badge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.page import Page
    from mcm.base.source import Source


def render_page(page: Page, index: str | None = None) -> str:
    """The page as HTML; `index` is the relative address of the page that lists all tests, if there is one."""
    results = [view.result for view in page.views]
    name = results[0].test or results[0].file
    body = "".join(
        [
            '<p class="skip scripted">Skip to <a href="#m1" data-to="states">states</a>',
            '<a href="#m1" data-to="picture">picture</a><a href="#m1" data-to="rules">rules</a></p>',
            "<header>",
            f'<p><a href="{text(index)}">← all tests</a></p>' if index else "",
            f'<h1>{text(name)}</h1><p class="file">{text(results[0].file)}</p></header>\n',
            _tabs(page),
            "<main>\n",
            _source(page),
            '<div class="views">\n',
            *(render_view(view, f"m{number}") for number, view in enumerate(page.views, start=1)),
            "</div>\n</main>\n",
        ]
    )
    return document(f"{name}: {', '.join(result.verdict.value for result in results[:3])}", body)


def _tabs(page: Page) -> str:
    """Where there are several models, a tab for each."""
    if len(page.views) < 2:
        return ""
    tabs = (
        f'<li><a href="#m{number}">{short(view.result.model, 40)}: {verdict_badge(view.result)}</a></li>'
        for number, view in enumerate(page.views, start=1)
    )
    return f'<nav aria-label="models"><ul class="tabs">{"".join(tabs)}</ul></nav>\n'


def _source(page: Page) -> str:
    if page.source is None:
        return "<div></div>\n"
    lines = "".join(_lines(page.source, _lines_of_events(page)))
    return f'<section class="source" aria-label="source" tabindex="0"><pre><code>{lines}</code></pre></section>\n'


def _lines(source: Source, events: frozenset[int]) -> Iterator[str]:
    for number, line in enumerate(source.text.rstrip("\n").split("\n"), start=1):
        kind = "line event" if number in events else "line"
        yield f'<span class="{kind}" data-line="{number}"><span class="number">{number}</span>'
        yield f"{text(line, kept=chr(9))}\n</span>"


def _lines_of_events(page: Page) -> frozenset[int]:
    """The lines of the source that events of drawn executions come from."""
    exhibits = [exhibit for view in page.views for exhibit in view.exhibits[:8]]
    return frozenset(event.span.line for exhibit in exhibits for event in exhibit.execution.events if event.thread)
