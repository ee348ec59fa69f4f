"""Characters and lines that cannot belong to any part: unknown characters, lines of the preprocessor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span
from mcm.syntax.limits import MAX_PROBLEMS
from mcm.syntax.unsupported import unsupported_directive

if TYPE_CHECKING:
    from mcm.base.source import Source

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
_KNOWN: Final = (_LETTERS + " \t\n\r\f\v(){}[];,:=<>!~&|^*/+-%?.@\\\"'").encode()
# As text: they are compiled when there is something to complain of.
_DIRECTIVE: Final = r"(?m)^[ \t]*(?P<directive>#[ \t]*(?P<name>\w*)(?:\\\n|[^\n])*)"
# Those that mean nothing to a memory model.
_WITHOUT_MEANING: Final = r"#[ \t]*(?:pragma\b.*|include[ \t]*<(?:CL/|sycl/)?sycl\.hpp>[ \t]*)"
_UNKNOWN: Final = rf"([^{re.escape(_KNOWN.decode())}])\1*"
# What editors and word processors write instead of ASCII, where Unicode does not say so itself.
_LOOKALIKES: Final = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2018\u2019\u201a", "'"),
    "\u00d7": "*",
    "\u2217": "*",
    "\u2260": "!=",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2227": "/\\",
    "\u2228": "\\/",
    "\u00ac": "~",
    "\u21d2": "=>",
}


def blank(text: str) -> str:
    """White space of the same length, with the same line ends."""
    return "\n".join([" " * len(line) for line in text.split("\n")])


def blank_unknown(source: Source, text: str, start: int) -> tuple[str, list[Diagnostic]]:
    """`text` with unknown characters and preprocessor lines from `start` on made blank, and a diagnostic for each."""
    body = text[start:]
    if body.isascii() and not body.encode().translate(None, _KNOWN):
        return text, []
    problems: list[Diagnostic] = []

    def directive(found: re.Match[str]) -> str:
        span = Span(source, start + found.start("directive"), start + found.end("directive"))
        if not re.fullmatch(_WITHOUT_MEANING, span.text):
            problems.append(Diagnostic("E050", unsupported_directive(found["name"]), span))
        return blank(found.group())

    def character(found: re.Match[str]) -> str:
        if len(problems) < MAX_PROBLEMS:
            message = f"unexpected character {_named(found.group()[0])}"
            span = Span(source, start + found.start(), start + found.end())
            problems.append(Diagnostic("E022", message, span))
        return blank(found.group())

    if "#" in body:
        body = re.sub(_DIRECTIVE, directive, body)
    return text[:start] + re.sub(_UNKNOWN, character, body), problems


def _named(character: str) -> str:
    code_point = f"U+{ord(character):04X}"
    if character.isascii():
        return f"'{character}'" if character.isprintable() else code_point
    # Imported here: the table of names is large, and only wrong input needs it.
    from unicodedata import name as name_of  # noqa: PLC0415

    name = name_of(character, "").lower()
    shown = f"'{character}' " if character.isprintable() else ""
    return f"{shown}({code_point}{', ' + name if name else ''}){_alike(character)}"


def _alike(character: str) -> str:
    """What was probably meant by a character that an editor or a page of text has made of another."""
    from unicodedata import normalize  # noqa: PLC0415 - see above

    meant = _LOOKALIKES.get(character, normalize("NFKC", character))
    if not meant.isascii():
        return ""
    return f"; did you mean '{meant}'?" if meant.strip() else "; did you mean a blank?"
