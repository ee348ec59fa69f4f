"""A page for each built-in model: its title, its rules, and its cat text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import mcm
from site_pages.page import Page, fenced, plain, slug

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "models"


def model_pages() -> Iterator[Page]:
    """The pages of all built-in models, and their index."""
    titles = {name: mcm.load_model(name).model.title for name in mcm.models()}
    lines = (f"| [{plain(name)}]({slug(name)}.md) | {plain(title)} |" for name, title in titles.items())
    introduction = "The models that come with mcm. [Models](../models.md) says how they are written."
    table = "\n".join(("| model | text |", "| --- | --- |", *lines))
    yield Page(f"{FOLDER}/index.md", f"# Built-in models\n\n{introduction}\n\n{table}\n")
    for name in titles:
        yield Page(f"{FOLDER}/{slug(name)}.md", "\n".join(_model(name)))


def _model(name: str) -> Iterator[str]:
    yield f"# {plain(name)}\n\n{plain(mcm.load_model(name).model.title)}\n"
    yield "## Rules\n\n| rule | says |\n| --- | --- |"
    stated = mcm.rules(name)
    for rule in dict.fromkeys(entry.rule for entry in stated):
        links = ", ".join(f"[{plain(one)}](../rules/{slug(one)}.md)" for one in rule.identifiers)
        yield f"| {links} | {plain(rule.statement)} |"
    yield "\n## Text\n\nThe files that state these rules; what is included comes first.\n"
    for source in dict.fromkeys(entry.span.source for entry in stated):
        yield f"### {plain(source.name)}\n\n{fenced(source.text, 'ocaml')}"
