"""Rule comments to rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcm.base.diagnostic import Diagnostic
from mcm.base.style import Colour, Dash, Style, style_named
from mcm.cat.model import Rule

if TYPE_CHECKING:
    from mcm.cat.tree import RuleComment

_IDENTIFIER = re.compile(r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*[a-z]?")

# The events that a phrase can speak of, and anything else in braces.
_EVENTS = frozenset("abcdef")
_BRACES = re.compile(r"\{([^}]*)\}?|\}")


def read_rule(comment: RuleComment) -> Rule | Diagnostic:
    """The rule that a comment states, or what is wrong with it."""
    rule = comment.tags["rule"]
    identifiers = [word for word in re.split(r"[\s,]+", rule.text) if word]
    wrong = [word for word in identifiers if not _IDENTIFIER.fullmatch(word)]
    if not identifiers:
        return Diagnostic("E310", "'@rule' is followed by no rule ID, such as 'SW-G-1'", comment.span)
    if wrong:
        return Diagnostic("E310", f"'{wrong[0]}' is no rule ID: IDs look like 'SW-G-1'", rule.span)
    missing = [f"'@{tag}'" for tag in ("section", "statement") if not _sentence(comment, tag)]
    if missing:
        return Diagnostic("E310", f"the comment of rule {identifiers[0]} lacks {' and '.join(missing)}", comment.span)
    return Rule(
        identifiers[0], _sentence(comment, "section"), _sentence(comment, "statement"), also=tuple(identifiers[1:])
    )


def _sentence(comment: RuleComment, tag: str) -> str:
    name = comment.tags.get(tag)
    return "" if name is None else " ".join(name.text.split())


def read_phrase(comment: RuleComment) -> str | Diagnostic | None:
    """The words that a comment gives for explanations, None where it gives none; or what is wrong with them."""
    phrase = comment.tags.get("phrase")
    if phrase is None:
        return None
    text = " ".join(phrase.text.split())
    quoted = re.fullmatch(r'"([^"]+)"', text)
    if quoted is None:
        return Diagnostic(
            "E310", "'@phrase' is followed by no text in quotes, such as \"{a} is before {b}\"", comment.span
        )
    for brace in _BRACES.finditer(text):
        if brace.group(1) not in _EVENTS or not brace.group().endswith("}"):
            message = f"'{brace.group()}' in a phrase is no event: events are {{a}}, {{b}} … {{f}}"
            return Diagnostic("E310", message, phrase.span)
    return quoted.group(1)


def read_draw(comment: RuleComment) -> Style | Diagnostic | None:
    """How a comment wants a relation drawn, None where it does not say; or what is wrong with it."""
    draw = comment.tags.get("draw")
    if draw is None:
        return None
    found = style_named(draw.text)
    if found is not None:
        return found
    colours, dashes = (", ".join(one.word for one in words) for words in (Colour, Dash))
    message = f"'{draw.text}' is no colour with a dash pattern: colours are {colours}; patterns are {dashes}"
    return Diagnostic("E310", message, draw.span if draw.text else comment.span)
