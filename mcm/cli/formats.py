"""Formats that the name of an output chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

_ENDINGS: Final = {
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".dot": "dot",
    ".gv": "dot",
    ".json": "json",
    ".txt": "text",
}


# Pictures that programs read, and that are not made here.
_OTHER_PICTURES: Final = frozenset({".png", ".pdf", ".jpg", ".jpeg", ".gif", ".webp", ".ps", ".eps"})


def format_of(asked: str | None, output: str | None, known: tuple[str, ...]) -> str:
    """The format that is asked for, or that the ending of the output says, or text; BadParameter for other pictures."""
    ending = Path(output or "").suffix.lower()
    if asked is None and ending in _OTHER_PICTURES:
        message = f"'{ending}' is a format that is not written; a picture is .svg, or .dot for Graphviz"
        raise click.BadParameter(message, param_hint="--output")
    meant = asked or _ENDINGS.get(ending, "text")
    return meant if meant in known else "text"
