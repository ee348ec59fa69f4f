"""Formats that the name of an output chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_ENDINGS: Final = {
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".dot": "dot",
    ".gv": "dot",
    ".json": "json",
    ".txt": "text",
}


def format_of(asked: str | None, output: str | None, known: tuple[str, ...]) -> str:
    """The format that is asked for, or that the ending of the output says, or text."""
    meant = asked or _ENDINGS.get(Path(output or "").suffix.lower(), "text")
    return meant if meant in known else "text"
