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

_DIRECTIVE: Final = re.compile(r"^[ \t]*(?P<directive>#[ \t]*(?P<name>\w*)(?:\\\n|[^\n])*)", re.MULTILINE)
_UNKNOWN: Final = re.compile(r"([^\w\s(){}\[\];,:=<>!~&|^*/+\-%?.@\\\"'])\1*", re.ASCII)
_KNOWN: Final = bytes(code for code in range(128) if not _UNKNOWN.match(chr(code)))


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
        problems.append(Diagnostic("E050", unsupported_directive(found["name"]), span))
        return blank(found.group())

    def character(found: re.Match[str]) -> str:
        if len(problems) < MAX_PROBLEMS:
            message = f"unexpected character {_named(found.group()[0])}"
            span = Span(source, start + found.start(), start + found.end())
            problems.append(Diagnostic("E022", message, span))
        return blank(found.group())

    if "#" in body:
        body = _DIRECTIVE.sub(directive, body)
    return text[:start] + _UNKNOWN.sub(character, body), problems


def _named(character: str) -> str:
    code_point = f"U+{ord(character):04X}"
    if character.isascii():
        return f"'{character}'" if character.isprintable() else code_point
    # Imported here: the table of names is large, and only wrong input needs it.
    from unicodedata import name as name_of  # noqa: PLC0415

    name = name_of(character, "").lower()
    shown = f"'{character}' " if character.isprintable() else ""
    return f"{shown}({code_point}{', ' + name if name else ''})"
