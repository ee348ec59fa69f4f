"""Comments of cat files: blanked for the parser, and read where they carry rules.

A rule comment stands directly above a definition or a check and is made of tags, each with the text up to the next (a
phrase may stand without a rule):

    (* @rule SW-G-1
       @section OpenCL API, Memory Ordering Rules: Atomic Operations
       @statement A release store and an acquire load that reads from its release sequence synchronise. *)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span
from mcm.cat.tree import Name, RuleComment

if TYPE_CHECKING:
    from mcm.base.source import Source

TAGS: Final[dict[str, str]] = {
    "rule": "the IDs of the rules that the definition or check implements",
    "section": "where the specification states them",
    "statement": "what they say, in one sentence",
    "without": "what the definition becomes when its rule is removed (the empty set or relation when not given)",
    "fixed": "that the rule cannot be removed, because the definition would lose its sense",
    "draw": "the colour, and if need be the dash pattern, that pictures draw the relation in",
    "phrase": "how explanations put it into words, with {a}, {b} … for the events",
}

_MARK = re.compile(r'"[^"\n]*"|//|#|\(\*')
_NESTED = re.compile(r"\(\*|\*\)")
_TAG = re.compile(r"@([a-z]+)\b")


class Blanked(Struct, frozen=True):
    """A text whose comments are blanks (offsets stay what they were), and its rule comments by the offset of their
    ends.
    """

    text: str
    comments: tuple[RuleComment, ...]


def blank_comments(source: Source) -> Blanked:
    """Blank `(* … *)`, which nest, `// …` and `# …`; strings are left alone."""
    text = source.text
    parts: list[str] = []
    comments: list[RuleComment] = []
    copied = position = 0
    while mark := _MARK.search(text, position):
        position = mark.end()
        if mark.group().startswith('"'):
            continue
        if mark.group() in {"//", "#"}:
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
        else:
            end = _comment_end(source, mark.start())
        span = Span(source, mark.start(), end)
        if mark.group() == "(*" and (tags := _tags(span)):
            comments.append(RuleComment(tags, span))
        parts += (text[copied : span.start], re.sub(r"[^\n]", " ", span.text))
        copied = position = end
    return Blanked("".join((*parts, text[copied:])), tuple(comments))


def _comment_end(source: Source, start: int) -> int:
    depth = 0
    for mark in _NESTED.finditer(source.text, start):
        depth += 1 if mark.group() == "(*" else -1
        if not depth:
            return mark.end()
    raise InputError(Diagnostic("E302", "this comment is never closed", Span(source, start, start + 2)))


def _tags(comment: Span) -> dict[str, Name]:
    inner = comment.text[:-2]
    marks = [m for m in _TAG.finditer(inner) if m.group(1) in TAGS]
    if not any(m.group(1) in {"rule", "phrase", "draw"} for m in marks):
        return {}
    ends = [m.start() for m in marks[1:]] + [len(inner)]
    result: dict[str, Name] = {}
    for mark, end in zip(marks, ends, strict=True):
        body = inner[mark.end() : end]
        text = body.strip()
        start = comment.start + mark.end() + len(body) - len(body.lstrip())
        result[mark.group(1)] = Name(text, Span(comment.source, start, start + len(text)))
    return result
