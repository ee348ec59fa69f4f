"""Rule comments to rules."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcm.base.diagnostic import Diagnostic
from mcm.cat.model import Rule

if TYPE_CHECKING:
    from mcm.cat.tree import RuleComment

_IDENTIFIER = re.compile(r"[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*[a-z]?")


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
