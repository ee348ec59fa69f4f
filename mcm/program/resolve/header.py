"""The key lines of a test: the results that it states, the rules that it covers, and others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Note
from mcm.base.source import Span
from mcm.base.suggest import did_you_mean, nearest
from mcm.program.header import DEFAULT_MODEL, Expectation, Header
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.syntax.fingerprint import commented

if TYPE_CHECKING:
    from mcm.syntax import ast

_OBSERVATIONS: Final = frozenset({"Never", "Sometimes", "Always"})
_FACTS: Final[dict[str, tuple[str, bool]]] = {
    "race": ("race", True),
    "no-race": ("race", False),
    "divergence": ("divergence", True),
    "defined": ("defined", True),
    "impl-defined": ("impl_defined", True),
    "invalid": ("invalid", True),
    "terminates": ("terminates", True),
    "may-block": ("terminates", False),
}
# As text: it is compiled when there is a comment.
_RESULT: Final = r"\bResult:\s*(\w+)"

# Keys with a meaning here; a key that is nearly one of them is probably a slip.
_OURS: Final = ("Expect", "Without", "Covers", "Origin", "Needs")
# Keys that the generators of herd's tools write, and those of our own test files. `Orig` is no slip for `Origin`.
_OTHERS: Final = frozenset(
    {"Align", "Com", "Cycle", "Generator", "Hash", "Orig", "Prefetch", "Relax", "Result", "Safe", "Undefined"}
)


def resolve_header(tree: ast.Litmus, *, is_whole: bool = False) -> Header:
    """The header of a file; what is wrong with its key lines is in `Header.diagnostics`.

    `is_whole`: nothing of the file was lost, so that a condition which is not there has not been written.
    """
    complaints = Complaints()
    expectations: dict[tuple[str, frozenset[str]], Expectation] = {}
    covers: list[str] = []
    keys: list[tuple[str, str]] = []
    for line in tree.keys:
        key, dot, rest = line.key.partition(".")
        if key == "Expect" or (key == "Without" and dot):
            _state(line, rest, expectations, complaints)
        elif line.key == "Covers":
            covers += line.value.replace(",", " ").split()
        else:
            _warn_misspelt(line, key, complaints)
            keys.append((line.key, line.value))
    if is_whole and tree.condition is None:
        for stated in expectations.values():
            _require_no_condition(stated, complaints)
    result = _result_comment(tree)
    if result is not None:
        expectations.setdefault((result.model, result.without), result)
    return Header(
        dialect=tree.dialect,
        name=tree.name,
        documentation=tree.documentation,
        expectations=tuple(expectations.values()),
        covers=tuple(covers),
        keys=tuple(keys),
        written=commented(tree),
        diagnostics=complaints.diagnostics,
    )


def _state(
    line: ast.KeyLine,
    subject: str,
    expectations: dict[tuple[str, frozenset[str]], Expectation],
    complaints: Complaints,
) -> None:
    """Add the expectation of a line whose key is `Expect.SUBJECT` or `Without.SUBJECT`."""
    model, without = subject, frozenset[str]()
    if line.key.startswith("Without."):
        rules, _, model = subject.partition("@")
        model, without = model or DEFAULT_MODEL, frozenset(rules.split("+"))
    try:
        expectation = expectation_of_line(line, model, without, complaints)
    except UnresolvedError:
        expectation = None
    earlier = expectations.get((model, without))
    if earlier is not None:
        message = f"the expectation for '{subject}' is stated twice"
        complaints.error("E143", line.span, message, Note("first stated here", earlier.span))
    elif expectation is not None:
        expectations[model, without] = expectation


def _require_no_condition(stated: Expectation, complaints: Complaints) -> None:
    """Without a condition nothing can be observed; what is invalid need not come to that."""
    if stated.observation is not None and not stated.invalid:
        message = (
            f"'{stated.observation}' says how often the condition holds, and the test has none; write 'exists (…)'"
        )
        complaints.error("E142", stated.span, message)


def expectation_of_line(line: ast.KeyLine, model: str, without: frozenset[str], complaints: Complaints) -> Expectation:
    """The expectation that the words of a line state; UnresolvedError where they state none."""
    if not model:
        complaints.fail("E142", line.span, "expected 'Expect.MODEL=…', with the name of a model")
    observation: str | None = None
    facts: dict[str, bool] = {}
    for word in line.value.replace(",", " ").split():
        if word in _OBSERVATIONS and observation is None:
            observation = word
        elif word in _FACTS and _FACTS[word][0] not in facts:
            name, holds = _FACTS[word]
            facts[name] = holds
        else:
            complaints.fail("E142", _last_of(word, line.span), _refused(word))
    if observation is None and not facts:
        complaints.fail("E142", line.span, "an expectation says Never, Sometimes, Always, or a fact such as 'race'")
    return Expectation(
        model,
        observation,
        facts.get("race"),
        facts.get("divergence"),
        facts.get("impl_defined"),
        facts.get("invalid"),
        span=line.span,
        without=without,
        terminates=facts.get("terminates"),
        defined=facts.get("defined"),
    )


def _last_of(word: str, line: Span) -> Span:
    """Where a word stands in a line, the last time; the line where it does not."""
    places = [found.span() for found in re.finditer(rf"(?<![\w-]){re.escape(word)}(?![\w-])", line.text)]
    return Span(line.source, line.start + places[-1][0], line.start + places[-1][1]) if places else line


def _refused(word: str) -> str:
    known = (*_OBSERVATIONS, *_FACTS)
    if word in known:
        return f"'{word}' contradicts or repeats an earlier word of this expectation"
    choices = ", ".join(("Never", "Sometimes", "Always", *_FACTS))
    return f"unknown word '{word}' in an expectation{did_you_mean(word, known) or f'; it takes {choices}'}"


def _warn_misspelt(line: ast.KeyLine, key: str, complaints: Complaints) -> None:
    """Unknown keys are kept without a word, unless they look like one that would have been read."""
    if key in _OURS or key in _OTHERS:
        return
    meant = nearest(key, _OURS)
    if meant is not None:
        span = Span(line.span.source, line.span.start, line.span.start + len(key))
        complaints.warning("W121", span, f"the key '{key}' has no meaning; did you mean '{meant}'?")


def _result_comment(tree: ast.Litmus) -> Expectation | None:
    """The expectation in a comment `Result: …`, which Linux tests carry."""
    for comment in tree.comments:
        found = re.search(_RESULT, comment.text)
        if found is not None and found[1] in _OBSERVATIONS:
            start = comment.span.start
            span = Span(comment.span.source, start + found.start(), start + found.end())
            return Expectation(DEFAULT_MODEL, found[1], None, None, None, None, span=span)
    return None
