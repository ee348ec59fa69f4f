"""A page that is made, not written."""

from __future__ import annotations

import re
from typing import NamedTuple


class Page(NamedTuple):
    """A page of the site: where it stands below its root, and its Markdown."""

    path: str
    text: str


def slug(name: str) -> str:
    """The name as a file name of a page."""
    return re.sub(r"[^A-Za-z0-9.-]", "-", name)


def fenced(text: str, language: str = "") -> str:
    """Text as a code block, whatever stands in it."""
    longest = max((len(ticks) for ticks in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def with_bars(text: str) -> str:
    """Markdown in which a bar in the code of a table is a bar; other renderers want a backslash before it."""
    rows = re.compile(r"^\|.*$", re.MULTILINE)
    return rows.sub(lambda row: re.sub(r"`[^`]+`", lambda code: code[0].replace("\\|", "|"), row[0]), text)


def plain(text: str) -> str:
    """Text of a sentence in which nothing is Markdown or HTML."""
    return re.sub(r"([\\`*_{}\[\]<>#|&~])", r"\\\1", " ".join(text.split()))
