"""The frame of a page: a document that may load nothing and run nothing but what it contains."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Final

from mcm.base.visible import visible
from mcm.picture.measure import cut
from mcm.picture.svg import style_sheet

_FOLDER: Final = Path(__file__).parent

# Titles of windows are no longer than this.
_TITLE: Final = 120


def text(value: object, *, kept: str = "") -> str:
    """A value as text of a page: nothing in it is markup, or moves what is around it."""
    return escape(visible(str(value), kept=kept))


def short(value: object, letters: int) -> str:
    """The same, cut to so many letters, with the whole of it to be seen when somebody points at it."""
    whole = str(value)
    shown = cut(whole, letters)
    return text(shown) if shown == whole else f'<span title="{text(whole)}">{text(shown)}</span>'


def document(title: str, body: str, *, has_script: bool = True) -> str:
    """A whole page. What the policy allows is this style sheet and this script, and no connection to anywhere."""
    style, script = _style(), _script() if has_script else ""
    policy = f"default-src 'none'; style-src '{_hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
    if script:
        policy += f"; script-src '{_hash(script)}'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="generator" content="mcm">\n'
        f'<title>{text(cut(title, _TITLE))}</title>\n<link rel="icon" href="data:,">\n'
        f"<style>{style}</style>\n</head>\n<body>\n{body}"
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return (_FOLDER / "page.css").read_text(encoding="utf-8") + style_sheet()


@cache
def _script() -> str:
    return (_FOLDER / "page.js").read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"
