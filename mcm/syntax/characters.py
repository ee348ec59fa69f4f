"""Characters and lines that cannot belong to any part: unknown characters, lines of the preprocessor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic
from mcm.base.source import Span
from mcm.syntax.comments import blank
from mcm.syntax.sections import MAX_PROBLEMS
from mcm.syntax.unsupported import unsupported_directive

if TYPE_CHECKING:
    from mcm.base.source import Source

_DIRECTIVE: Final = re.compile(r"^[ \t]*(?P<directive>#[ \t]*(?P<name>\w*)(?:\\\n|[^\n])*)", re.MULTILINE)
_UNKNOWN: Final = re.compile(r"([^\w\s(){}\[\];,:=<>!~&|^*/+\-%?.@\\\"'])\1*", re.ASCII)
_KNOWN: Final = bytes(code for code in range(128) if not _UNKNOWN.match(chr(code)))


def remove_unknown(source: Source, text: str) -> tuple[str, list[Diagnostic]]:
    """`text` with everything unknown made blank, and what was found."""
    if text.isascii() and not text.encode().translate(None, _KNOWN):
        return text, []
    problems: list[Diagnostic] = []

    def directive(found: re.Match[str]) -> str:
        span = Span(source, found.start("directive"), found.end("directive"))
        problems.append(Diagnostic("E050", unsupported_directive(found["name"]), span))
        return blank(found.group())

    def character(found: re.Match[str]) -> str:
        if len(problems) < MAX_PROBLEMS:
            message = f"unexpected character {_named(found.group()[0])}"
            problems.append(Diagnostic("E022", message, Span(source, found.start(), found.end())))
        return blank(found.group())

    if "#" in text:
        text = _DIRECTIVE.sub(directive, text)
    return _UNKNOWN.sub(character, text), problems


def _named(character: str) -> str:
    code_point = f"U+{ord(character):04X}"
    if character.isascii():
        return f"'{character}'" if character.isprintable() else code_point
    # Imported here: the table of names is large, and only wrong input needs it.
    from unicodedata import name as name_of  # noqa: PLC0415

    name = name_of(character, "").lower()
    shown = f"'{character}' " if character.isprintable() else ""
    return f"{shown}({code_point}{', ' + name if name else ''})"
