"""Explanations as things to show: what each step points out, and how an outcome is excluded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.exhibit import Exhibit, ExhibitKind, Step, problem_in_words
from mcm.answer.explanation import Kind
from mcm.base.style import OTHER, style_of
from mcm.picture.marks import MarkedPair, Marks
from mcm.relation.term import Defined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.explanation import Edge, Explanation, Story

_REMARKS = {None: "", True: "✓ ", False: "✗ "}


def told_exhibits(exhibits: Sequence[Exhibit], explanations: Iterable[Explanation]) -> tuple[Exhibit, ...]:
    """The exhibits with the steps of explanations, and with the executions that would have excluded outcomes."""
    found = list(exhibits)
    for explanation in explanations:
        for story in explanation.stories:
            if story.broken is not None:
                found.append(_excluded(story, explanation))
            else:
                _tell(found, story, explanation)
    return tuple(found)


def exhibits_told(explanation: Explanation) -> tuple[Exhibit, ...]:
    """What there is to draw of one explanation: each story's execution, with its steps and with what it breaks."""
    found = []
    for story in explanation.stories:
        if story.broken is not None:
            found.append(_excluded(story, explanation))
            continue
        execution = explanation.execution or story.execution
        kind = _SHOWN_AS.get(explanation.kind, ExhibitKind.STATE)
        title = problem_in_words(explanation.problem) if explanation.problem is not None else explanation.subject
        is_wanted = explanation.kind in {Kind.ALLOWED, Kind.VIOLATED}
        found.append(Exhibit(kind, title, execution, is_wanted, steps=tuple(_steps(story, explanation))))
    return tuple(found)


_SHOWN_AS: Final = {Kind.PROBLEM: ExhibitKind.PROBLEM, Kind.BLOCKED: ExhibitKind.BLOCKED}


def _tell(exhibits: list[Exhibit], story: Story, explanation: Explanation) -> None:
    """Give the steps of a story to the exhibit that it is about."""
    steps = tuple(_steps(story, explanation))
    for number, exhibit in enumerate(exhibits):
        if _is_about(explanation, exhibit) and exhibit.execution.events == story.execution.events:
            exhibits[number] = replace(exhibit, steps=steps)
            return
    satisfying = [number for number, exhibit in enumerate(exhibits) if _is_about(explanation, exhibit)]
    if explanation.kind is Kind.ALLOWED and len(satisfying) == 1:
        exhibits[satisfying[0]] = replace(exhibits[satisfying[0]], execution=story.execution, steps=steps)


def _is_about(explanation: Explanation, exhibit: Exhibit) -> bool:
    match explanation.kind:
        case Kind.PROBLEM:
            problem = explanation.problem
            is_problem = exhibit.kind is ExhibitKind.PROBLEM and problem is not None
            return is_problem and problem is not None and exhibit.title == problem_in_words(problem)
        case Kind.ALLOWED:
            return exhibit.kind is ExhibitKind.STATE and exhibit.satisfies
        case Kind.BLOCKED:
            return exhibit.kind is ExhibitKind.BLOCKED
        case _:
            return False


def _excluded(story: Story, explanation: Explanation) -> Exhibit:
    """The execution of a story that the model excludes, with what it breaks."""
    assert story.broken is not None
    observed = " /\\ ".join(dict.fromkeys(reading.observed for reading in story.readings if reading.observed))
    outcome = observed or "an execution of the outcome"
    by = ", ".join(story.broken.rules) or story.broken.check
    others = f" (and {story.others} more like this)" if story.others else ""
    pairs = tuple(_pairs(story))
    return Exhibit(
        ExhibitKind.EXCLUDED,
        f"{outcome}, excluded by {by}{others}",
        story.execution.marked(Marks(pairs=pairs)),
        steps=tuple(_steps(story, explanation)),
    )


def _pairs(story: Story) -> Iterator[MarkedPair]:
    """What is marked: the cycle or path that is excluded, and what the sentences derive."""
    seen: set[tuple[int, int, str]] = set()
    derived = [sentence.derivation for sentence in story.sentences if sentence.derivation is not None]
    named = [
        (each.first, each.last, each.term.name)
        for each in derived
        if isinstance(each.term, Defined) and each.first != each.last and style_of(each.term.name) is not None
    ]
    broken = [(edge.first, edge.last, edge.name) for edge in _edges(story)]
    reasons = {(s.derivation.first, s.derivation.last): s.text for s in story.sentences if s.derivation is not None}
    paths = {(s.derivation.first, s.derivation.last): s.path for s in story.sentences if s.derivation is not None}
    for first, last, name in (*broken, *named):
        if (first, last, name) not in seen and first != last:
            seen.add((first, last, name))
            lines = [f"{name}: {reasons.get((first, last), '')}".rstrip(": "), paths.get((first, last), "")]
            title = "\n".join(line for line in lines if line)
            yield MarkedPair(first, last, name, style_of(name) or OTHER, title)


def _edges(story: Story) -> tuple[Edge, ...]:
    return () if story.broken is None else story.broken.edges


def _steps(story: Story, explanation: Explanation) -> Iterator[Step]:
    for reading in story.readings:
        observed = f" ({reading.observed})" if reading.observed else ""
        yield Step(f"{reading.text}{observed}", (reading.write, reading.read), ("rf",))
    marks = explanation.execution.marks if explanation.execution is not None else None
    tried = () if marks is None else tuple(number for number, _ in marks.numbered_attempts)
    for sentence in story.sentences:
        path = f": {sentence.path}" if sentence.path else ""
        text = f"{_REMARKS[sentence.mark]}{sentence.text}{path}{' ✗' if sentence.breaks else ''}"
        # A sentence about a fault names no event: it is about what the picture shows in its place.
        yield Step(text, sentence.events or tried, (), sentence.rules, sentence.breaks)
    yield from (Step(sentence.text) for sentence in explanation.sentences)
