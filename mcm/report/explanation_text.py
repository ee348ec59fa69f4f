"""Explanations for people: what happens, what follows from it, which rule that breaks, and what it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Kind
from mcm.base.visible import visible
from mcm.report.colour import Palette, Tone
from mcm.report.problems import problem_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.answer.explanation import Explanation, Reading, Sentence, Story

# Columns start no further to the right than this; what is longer pushes them.
_WIDEST: Final = 66
_PATH_WIDEST: Final = 60
_READING_WIDEST: Final = 96
_NARROW: Final = 40


def render_explanations(explanations: Iterable[Explanation], palette: Palette | None = None) -> str:
    """All of them, with a line end."""
    return "\n".join(f"{render_explanation(one, palette)}\n" for one in explanations)


def render_explanation(explanation: Explanation, palette: Palette | None = None) -> str:
    """One explanation, without a final line end."""
    palette = palette or Palette()
    sections = [_head(explanation, palette)]
    if explanation.problem is not None:
        sections.append(problem_block(explanation.problem, palette))
    several = len(explanation.stories) > 1
    for number, story in enumerate(explanation.stories, start=1):
        title = f"  way {number}" if several else ""
        sections.append("\n".join(_story(story, title, palette)))
    sections.append("\n".join(f"  {visible(sentence.text)}" for sentence in explanation.sentences))
    if not explanation.looked_at_all and explanation.kind is not Kind.UNDECIDED:
        checked = "the rules were checked for all" if explanation.rule_sets else "the rules were not checked for these"
        sections.append(f"  There are more ways than were looked at; {checked}.")
    if explanation.schedule is not None:
        schedule = explanation.schedule
        memory = "" if schedule.memory == "views" else f" --memory {schedule.memory}"
        sections.append(f"  It can be seen: mcm run{memory} --replay '{visible(schedule.schedule)}' --trace")
    return "\n\n".join(section for section in sections if section)


def _head(explanation: Explanation, palette: Palette) -> str:
    name = palette.paint(visible(explanation.test), Tone.TITLE)
    lines = [f"{name} under {visible(explanation.model)}: {visible(explanation.subject)}"]
    if explanation.condition is not None and explanation.problem is None and explanation.kind is not Kind.BLOCKED:
        lines.append(f"  {explanation.condition.quantifier.value} ({visible(explanation.condition.text)})")
    return "\n".join(lines)


def _story(story: Story, title: str, palette: Palette) -> Iterator[str]:
    if title:
        yield title
    yield from _readings(story.readings)
    if story.readings and story.sentences:
        yield ""
    yield from _sentences(story.sentences, palette)
    if story.others:
        more = "one more way is like this" if story.others == 1 else f"{story.others} more ways are like this"
        yield f"  ({more})"


def _readings(readings: Sequence[Reading]) -> Iterator[str]:
    width = max((len(visible(reading.observed or "")) for reading in readings), default=0)
    texts = [
        f"{visible(reading.observed or '').ljust(width)}  {visible(reading.text)}".rstrip() for reading in readings
    ]
    column = min(max(map(len, texts), default=0), _READING_WIDEST)
    for reading, text in zip(readings, texts, strict=True):
        indent = text if width else text.strip()
        yield f"  {indent.ljust(column)}  {reading.relation}".rstrip()


def _sentences(sentences: Sequence[Sentence], palette: Palette) -> Iterator[str]:
    """Text, path and rules in columns; a text that is too long for its column has path and rules on the next line."""
    texts = [_text(sentence) for sentence in sentences]
    paths = [visible(sentence.path) for sentence in sentences]
    column = max((len(text) for text in texts if len(text) <= _WIDEST), default=_NARROW)
    path_column = max((len(path) for path in paths if len(path) <= _PATH_WIDEST), default=0)
    for sentence, text, path in zip(sentences, texts, paths, strict=True):
        rest = f"{path.ljust(path_column)}  {', '.join(sentence.rules)}".rstrip()
        if sentence.breaks:
            rest += f"  {palette.paint('✗', Tone.BAD)}"
        is_long = len(text) > column and bool(rest)
        if is_long:
            yield f"  {text}"
        yield f"  {('' if is_long else text).ljust(column)}  {rest}".rstrip()


def _text(sentence: Sentence) -> str:
    text = visible(sentence.text)
    if sentence.mark is None:
        return text
    return f"  {'✓' if sentence.mark else '✗'} {text}"
