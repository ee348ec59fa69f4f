"""Problems in the report for people: the accesses with carets, and many of one kind folded."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from mcm.base.visible import visible
from mcm.report.colour import Palette, Tone
from mcm.report.words import kind_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.result import Problem, Site
    from mcm.base.source import Span

_DOES: Final = {"read": "reads", "write": "writes", "update": "updates"}


def problem_blocks(problems: Iterable[Problem], palette: Palette) -> tuple[str, ...]:
    """A block for each kind of problem and pair of places; what differs in the units or elements only is counted."""
    alike: dict[tuple[object, ...], list[Problem]] = {}
    for problem in problems:
        alike.setdefault(_likeness(problem), []).append(problem)
    return tuple(_folded(group, palette) for group in alike.values())


def _likeness(problem: Problem) -> tuple[object, ...]:
    places = sorted((site.span.start, site.span.end, site.access or "") for site in problem.sites)
    return problem.kind, tuple(places), tuple(sorted(problem.rules))


def _folded(group: list[Problem], palette: Palette) -> str:
    block = problem_block(group[0], palette)
    others = list(dict.fromkeys((_in_short(problem) or problem.why) for problem in group))[1:]
    if not others:
        return block
    return f"{block}\n    and {len(others)} more of this kind, e.g. {visible(others[0])}"


def _in_short(problem: Problem) -> str:
    """The units and the element: `add[1] and add[2] on t[2]`."""
    units = [_unit(site) for site in problem.sites if site.thread is not None]
    where = f" on {problem.location}" if problem.location else ""
    return f"{' and '.join(units)}{where}"


def _unit(site: Site) -> str:
    return f"{site.thread}{_iteration(site, ' ')}"


def _iteration(site: Site, before: str) -> str:
    """`(iteration 2, 1)`, for each loop around an operation, behind what stands `before`; nothing outside of loops."""
    return f"{before}(iteration {', '.join(map(str, site.iterations))})" if site.iterations else ""


def problem_block(problem: Problem, palette: Palette) -> str:
    """A problem: its kind, place and rules, the operations with their lines, and the reason."""
    rules = f" [{', '.join(problem.rules)}]" if problem.rules else ""
    where = f" on {problem.location}" if problem.location else ""
    lines = [f"  {palette.paint(visible(kind_in_words(problem)), Tone.BAD)}{visible(where + rules)}"]
    units = [visible(_does(site)) for site in problem.sites]
    positions = [_position(site.span) for site in problem.sites]
    width, position_width = max(map(len, units), default=0), max(map(len, positions), default=0)
    # Text that several units share is shown once, and so are two commands of one name and place.
    times = Counter(zip(problem.sites, units, positions, strict=True))
    for (site, unit, position), count in times.items():
        head = f"    {unit.ljust(width)}  {position.ljust(position_width)}  "
        line, carets = _marked(site.span)
        several = f"  ({count} of these)" if count > 1 and site.thread is not None else ""
        lines.append(f"{head}{line}{_iteration(site, '  ')}{several}".rstrip())
        if site.thread is not None and carets.strip():
            lines.append(f"{' ' * len(head)}{carets}")
    lines.append(f"    {visible(problem.why)}")
    return "\n".join(lines)


def _does(site: Site) -> str:
    """`P0 writes`; the unit alone where it is no access."""
    return " ".join(word for word in (site.thread, _DOES.get(site.access or "")) if word)


def _position(span: Span) -> str:
    return f"{visible(span.source.name)}:{span.line}"


def _marked(span: Span) -> tuple[str, str]:
    """The line that a span begins on, without its indentation, and carets under the span."""
    whole = span.source.line(span.line)
    line = whole.strip()
    at = span.column - 1 - (len(whole) - len(whole.lstrip()))
    before, marked = visible(line[:at], kept="\t"), visible(line[at : at + span.end - span.start], kept="\t")
    padding = "".join("\t" if character == "\t" else " " for character in before)
    return visible(line, kept="\t"), padding + "^" * len(marked)
