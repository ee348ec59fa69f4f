"""What the header says about the test: expectations, the rules it covers, and other keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Note
from mcm.base.record import record
from mcm.base.source import Span
from mcm.base.suggest import did_you_mean
from mcm.program.program import Expectation

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints
    from mcm.syntax import ast

# The model that `(* Result: … *)` speaks of.
DEFAULT_MODEL: Final = "default"

_OBSERVATIONS: Final = frozenset({"Never", "Sometimes", "Always"})
_FACTS: Final[dict[str, tuple[str, bool]]] = {
    "race": ("race", True),
    "no-race": ("race", False),
    "divergence": ("divergence", True),
    "impl-defined": ("impl_defined", True),
    "invalid": ("invalid", True),
}
# As text: it is compiled when there is a comment.
_RESULT: Final = r"\bResult:\s*(\w+)"


@record(frozen=True, slots=True)
class Header:
    """The key lines, read."""

    expectations: tuple[Expectation, ...]
    covers: tuple[str, ...]
    keys: tuple[tuple[str, str], ...]


def resolve_header(tree: ast.Litmus, complaints: Complaints) -> Header:
    """Read the key lines of a file, and the `Result` comment that Linux tests carry."""
    expectations: dict[str, Expectation] = {}
    covers: list[str] = []
    keys: list[tuple[str, str]] = []
    for line in tree.keys:
        key, _, model = line.key.partition(".")
        if key == "Expect":
            expectation = _expectation(line, model, complaints)
            if model in expectations:
                note = Note("first stated here", expectations[model].span)
                complaints.error("E143", line.span, f"the expectation for '{model}' is stated twice", note)
            elif expectation is not None:
                expectations[model] = expectation
        elif line.key == "Covers":
            covers += line.value.replace(",", " ").split()
        else:
            keys.append((line.key, line.value))
    result = _result_comment(tree)
    if result is not None:
        expectations.setdefault(DEFAULT_MODEL, result)
    return Header(tuple(expectations.values()), tuple(covers), tuple(keys))


def _expectation(line: ast.KeyLine, model: str, complaints: Complaints) -> Expectation | None:
    if not model:
        complaints.error("E142", line.span, "expected 'Expect.MODEL=…', with the name of a model")
        return None
    observation: str | None = None
    facts: dict[str, bool] = {}
    for word in line.value.replace(",", " ").split():
        if word in _OBSERVATIONS and observation is None:
            observation = word
        elif word in _FACTS and _FACTS[word][0] not in facts:
            name, holds = _FACTS[word]
            facts[name] = holds
        else:
            _complain(word, line, complaints)
            return None
    if observation is None and not facts:
        complaints.error("E142", line.span, "an expectation says Never, Sometimes, Always, or a fact such as 'race'")
        return None
    return Expectation(
        model,
        observation,
        facts.get("race"),
        facts.get("divergence"),
        facts.get("impl_defined"),
        facts.get("invalid"),
        span=line.span,
    )


def _complain(word: str, line: ast.KeyLine, complaints: Complaints) -> None:
    known = (*_OBSERVATIONS, *_FACTS)
    if word in known:
        message = f"'{word}' contradicts or repeats an earlier word of this expectation"
    else:
        choices = ", ".join(("Never", "Sometimes", "Always", *_FACTS))
        message = f"unknown word '{word}' in an expectation{did_you_mean(word, known) or f'; it takes {choices}'}"
    complaints.error("E142", line.span, message)


def _result_comment(tree: ast.Litmus) -> Expectation | None:
    for comment in tree.comments:
        found = re.search(_RESULT, comment.text)
        if found is not None and found[1] in _OBSERVATIONS:
            start = comment.span.start
            span = Span(comment.span.source, start + found.start(), start + found.end())
            return Expectation(DEFAULT_MODEL, found[1], None, None, None, None, span=span)
    return None
