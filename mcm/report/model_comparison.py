"""One test under many models, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import Judged, Undecided
from mcm.base.diagnostic import render
from mcm.base.visible import visible
from mcm.report.align import align
from mcm.report.colour import Tone
from mcm.report.words import observation_in_words, verdict_in_words

if TYPE_CHECKING:
    from mcm.answer.result import Result, Separation
    from mcm.report.colour import Palette


def render_model_comparison(results: tuple[Result, ...], separations: tuple[Separation, ...], palette: Palette) -> str:
    """A table with one line a model, what separates neighbours of different verdicts, and what is said of the text."""
    lines = [palette.paint(visible(results[0].test or results[0].file), Tone.TITLE)]
    found = (result for result in results if isinstance(result, Judged | Undecided))
    condition = next((result.condition for result in found if result.condition), None)
    if condition:
        lines.append(f"  {condition.quantifier.value} ({visible(condition.text)})")
    rows = [(result.model, verdict_in_words(result), observation_in_words(result)) for result in results]
    lines += ["", *(f"  {line}" for line in align(rows))]
    if separations:
        lines += ["", *(f"  {visible(_separation(separation))}" for separation in separations)]
    for told in dict.fromkeys(render(diagnostic) for result in results for diagnostic in result.diagnostics):
        lines += ["", told]
    return "\n".join(lines)


def _separation(separation: Separation) -> str:
    between = f"between {separation.first} and {separation.second}"
    if not separation.rules:
        return f"{between}: no single rule"
    return f"{between}: {', '.join(separation.rules)}"
