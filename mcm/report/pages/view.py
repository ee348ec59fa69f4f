"""A test under one model as a part of a page: verdict, states, drawings, and what each rule does."""

from __future__ import annotations

from collections import Counter
from shlex import quote
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.answer.exhibit import ExhibitKind, exhibits_of, foremost, places_in_words
from mcm.answer.page import Effect
from mcm.answer.result import Invalid, Unreadable, Verdict
from mcm.base.diagnostic import render
from mcm.report.notes import notes_of
from mcm.report.pages.document import short, text
from mcm.report.pages.figure import render_figure
from mcm.report.shared_values import shared_in_words
from mcm.report.state_table import told_once
from mcm.report.words import (
    MEANINGLESS,
    answer_in_words,
    counted,
    expectation_in_words,
    kind_in_words,
    verdict_with_cut,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.answer.exhibit import Exhibit
    from mcm.answer.page import Switch, View
    from mcm.answer.result import Found, Problem, Result
    from mcm.answer.shown_states import ShownState
    from mcm.base.diagnostic import Diagnostic

# Not more executions than these are drawn, nor more events in all of them: a page has to be loaded.
_MOST_FIGURES: Final = 24
_MOST_EVENTS: Final = 2500

# Not more states than these are listed.
_MOST_STATES: Final = 1000

_LETTERS: Final = 48

# What excerpts of a source are laid out with.
_LAYOUT: Final = "\n\t"

_TONES: Final = {
    Verdict.INVALID: "bad",
    Verdict.UNDEFINED: "bad",
    Verdict.IMPL_DEFINED: "doubt",
    Verdict.NO_EXECUTION: "doubt",
    Verdict.UNDECIDED: "doubt",
}


def verdict_badge(result: Result) -> str:
    """The verdict with its reason, marked by how good it is."""
    return f'<span class="verdict {_TONES.get(result.verdict, "plain")}">{text(verdict_with_cut(result))}</span>'


def expectation_mark(result: Result) -> str:
    """Whether it is as the test states; empty where the test states nothing of this model."""
    if result.expected is None:
        return ""
    match result.as_expected:
        case True:
            return '<span class="good">✓ as expected</span>'
        case False:
            return '<span class="bad">✗ NOT as expected</span>'
        case None:
            return '<span class="doubt">? open</span>'


def expectation_line(result: Result) -> str:
    """The same, with what the test states."""
    if result.expected is None:
        return ""
    stated = f"(expected {expectation_in_words(result.expected)})"
    return f'{expectation_mark(result)} <span class="soft">{text(stated)}</span>'


def render_view(view: View, identifier: str) -> str:
    """All that a page says of a test under one model."""
    result = view.result
    head = f'<article class="view" id="{identifier}" data-command="{text(_command(result))}">\n'
    if isinstance(result, Invalid | Unreadable):
        lines = (f"<p>{expectation_line(result)}</p>", _diagnostics(result.diagnostics))
        return f"{head}<p>{verdict_badge(result)} {text(_under(result))}</p>{''.join(lines)}</article>\n"
    parts = [head, _variant(_Shown(result, view.exhibits, ()), identifier, _alike(view, ()))]
    others: list[tuple[tuple[str, ...], Found | None]] = [
        ((each.identifiers[0],), each.result) for each in view.switches
    ]
    others += [(each.rules, each.result) for each in view.combinations]
    for number, (rules, other) in enumerate(others):
        if other is not None:
            shown = _Shown(other, _new_exhibits(other, result), rules, known=_values_of(result))
            parts.append(_variant(shown, f"{identifier}-r{number}", _alike(view, rules)))
    return "".join([*parts, _rules(view), "</article>\n"])


def _alike(view: View, rules: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Other combinations of rules without which the test is as without these."""
    alike = [each.rules for each in view.combinations if each.like == rules]
    return alike if rules else [*((s.identifiers[0],) for s in view.switches if s.effect is Effect.NONE), *alike]


def _under(result: Result) -> str:
    return "" if isinstance(result, Unreadable) else f"under {result.model}"


def _command(result: Result) -> str:
    return f"{quote(result.file)} -m {quote(result.model)}"


class _Shown(Struct, frozen=True):
    """A result, what of it is drawn, the rules that it lacks, and the states that are there with them as well."""

    result: Found
    exhibits: Sequence[Exhibit]
    without: tuple[str, ...]
    known: frozenset[str] | None = None


def _values_of(result: Found) -> frozenset[str]:
    return frozenset(str(dict(state.values)) for state in result.states)


def _new_exhibits(other: Found, result: Found) -> list[Exhibit]:
    """What can be drawn without some rules and not with them, first of all."""
    known = {(one.kind, one.title) for one in exhibits_of(result)}
    exhibits = exhibits_of(other)
    new = [one for one in exhibits if (one.kind, one.title) not in known]
    best = foremost(exhibits, other)
    return new[:4] or ([best] if best else [])


def _variant(shown: _Shown, identifier: str, alike: Sequence[tuple[str, ...]]) -> str:
    """A result without some rules, and the others without which it is the same."""
    result = shown.result
    figures = _figures(shown)
    best = foremost([shown.exhibits[number] for number in figures], result)
    others = " | ".join(map(" ".join, alike))
    return "".join(
        [
            f'<div class="variant" data-without="{text(" ".join(shown.without))}" data-alike="{text(others)}" ',
            f'data-verdict="{text(verdict_with_cut(result))}">\n',
            *_head(shown),
            '<div class="choose">',
            *_states(shown, figures, identifier),
            *_cases(shown, figures, identifier),
            "</div>\n",
            *_notes(result),
            '<div class="stage">\n',
            *(
                render_figure(exhibit, _name(identifier, number), foremost=exhibit is best)
                for number, exhibit in ((number, shown.exhibits[number]) for number in figures)
            ),
            "</div>\n</div>\n",
        ]
    )


def _name(identifier: str, number: int) -> str:
    """How a figure is called; exhibits count from 1, as in `mcm show`."""
    return f"{identifier}-e{number + 1}"


def _figures(shown: _Shown) -> tuple[int, ...]:
    """The exhibits that are drawn: the foremost, those that satisfy the condition, problems, and then others."""
    best = foremost(shown.exhibits, shown.result)
    order = sorted(
        range(len(shown.exhibits)),
        key=lambda number: (
            shown.exhibits[number] is not best,
            not shown.exhibits[number].satisfies and shown.exhibits[number].kind is ExhibitKind.STATE,
            number,
        ),
    )
    room = _MOST_EVENTS
    chosen: list[int] = []
    for number in order[:_MOST_FIGURES]:
        room -= len(shown.exhibits[number].execution.events)
        if room < 0 and chosen:
            break
        chosen.append(number)
    return tuple(sorted(chosen))


def _head(shown: _Shown) -> Iterator[str]:
    result = shown.result
    yield f'<p class="headline">{verdict_badge(result)} {text(_under(result))}'
    if shown.without:
        yield ' <button type="button" class="back scripted">all rules again</button>'
    yield "</p>"
    if result.condition is not None:
        condition = f"{result.condition.quantifier.value} ({result.condition.text})"
        yield f"<p><code>{short(condition, 600)}</code><br>{text(answer_in_words(result))}</p>"
    if result.expected is not None and not shown.without:
        yield f"<p>{expectation_line(result)}</p>"


def _states(shown: _Shown, figures: Sequence[int], identifier: str) -> Iterator[str]:
    """The table of states; one that is drawn leads to its drawing."""
    result = shown.result
    if not result.states:
        return
    drawn = {
        shown.exhibits[number].execution: number
        for number in figures
        if shown.exhibits[number].kind is ExhibitKind.STATE
    }
    shared = told_once(result.states, result)
    names = [name for name in result.states[0].values if name not in shared]
    yield f"<div>{_shared(shared, result)}"
    if names or drawn or len(result.states) > 1:
        yield '<div class="scroll" tabindex="0"><table class="states">'
        if result.undefined and not shared:
            yield f'<caption class="soft"><span>{text(MEANINGLESS)}</span></caption>'
        yield f"<thead><tr>{_headings(result, names)}"
        yield '<th scope="col" class="mark"></th></tr></thead><tbody>'
        for state in result.states[:_MOST_STATES]:
            number = None if state.execution is None else drawn.get(state.execution)
            yield _state(state, names, shown, None if number is None else _name(identifier, number))
        yield "</tbody></table></div>"
    if len(result.states) > _MOST_STATES:
        yield f'<p class="soft">and {len(result.states) - _MOST_STATES} more states</p>'
    yield "</div>"


def _shared(shared: Mapping[str, str], result: Found) -> str:
    """What all states have in common, where the table would be too wide with it."""
    if not shared:
        return ""
    meaningless = f'<p class="soft">{text(MEANINGLESS)}</p>\n' if result.undefined else ""
    lines = "\n".join(shared_in_words(shared, result, len(result.states)))
    return f'{meaningless}<pre class="scroll" tabindex="0">{text(lines, kept=_LAYOUT)}</pre>\n'


def _headings(result: Found, names: Sequence[str]) -> str:
    return "".join(f"<th scope=col>{short(result.shown_name(name), _LETTERS)}</th>" for name in names)


def _state(state: ShownState, names: Sequence[str], shown: _Shown, figure: str | None) -> str:
    satisfies = state.satisfies and shown.result.condition is not None
    cells = "".join(f"<td>{short(state.values[name], _LETTERS)}</td>" for name in names)
    marks = ["satisfies the condition"] if satisfies else []
    if state.thin_air or state.example_of:
        also = "" if state.thin_air else "also "
        marks.append(f"{also}thin air{f', an example of {state.example_of}' if state.example_of else ''}")
    if shown.known is not None and str(dict(state.values)) not in shown.known:
        marks.append("new")
    link = "" if figure is None else f'<a href="#{figure}">show</a> '
    row = "".join([' class="satisfies"' if satisfies else "", f' data-figure="{figure}"' if figure else ""])
    star = "<strong>*</strong> " if satisfies else ""
    return f'<tr{row}>{cells}<td class="mark">{link}{star}{text(", ".join(marks))}</td></tr>'


def _cases(shown: _Shown, figures: Sequence[int], identifier: str) -> Iterator[str]:
    """Problems and blocked executions, each with its reason; one that is drawn leads to its drawing."""
    exhibits = shown.exhibits
    links: Mapping[object, str] = {exhibits[n].execution: _name(identifier, n) for n in figures}
    result = shown.result
    problems = (*result.undefined, *result.impl_defined, *result.flags)
    excluded = [(number, exhibits[number]) for number in figures if exhibits[number].kind is ExhibitKind.EXCLUDED]
    if not (problems or result.blocked or excluded):
        return
    yield '<ul class="cases">'
    for number, exhibit in excluded:
        yield f"<li>{_linked(short(exhibit.title, 300), _name(identifier, number))}</li>"
    heads = Counter(_problem_head(problem, places_in_words(problem)) for problem in problems)
    for problem in problems:
        head = _problem_head(problem, places_in_words(problem))
        if heads[head] > 1:
            # Operations of the same lines: a read and a write of one statement.
            head = _problem_head(problem, places_in_words(problem, with_columns=True))
        yield _problem(problem, head, links.get(problem.execution))
    for blocked in result.blocked:
        words = "; ".join(f"{u.thread} waits forever at line {u.span.line} for {u.waits_for}" for u in blocked.units)
        yield f"<li>{_linked(short(words, 300), links.get(blocked.execution))}</li>"
    yield "</ul>"


def _problem_head(problem: Problem, places: Sequence[str]) -> str:
    where = f" on {problem.location}" if problem.location else ""
    return f"{kind_in_words(problem)}{where}: {' and '.join(places)}" if places else kind_in_words(problem) + where


def _problem(problem: Problem, head: str, figure: str | None) -> str:
    rules = f' <span class="soft">[{text(", ".join(problem.rules))}]</span>' if problem.rules else ""
    return f'<li>{_linked(short(head, 200), figure)}{rules}<br><span class="soft">{text(problem.why)}</span></li>'


def _linked(words: str, figure: str | None) -> str:
    return words if figure is None else f'<a href="#{figure}">{words}</a>'


def _notes(result: Found) -> Iterator[str]:
    notes = notes_of(result, lambda span: f"line {span.line}")
    yield from (f'<p class="soft">note: {text(note, kept=chr(10))}</p>' for note in notes)
    yield _diagnostics(result.diagnostics)


def _diagnostics(diagnostics: Sequence[Diagnostic]) -> str:
    """Errors and warnings with their lines, in letters of one width, so that carets stand below what they mean.

    What is said is folded where a page is narrow, and lines of the text are not.
    """
    if not diagnostics:
        return ""
    lines = "\n".join(map(render, diagnostics)).split("\n")
    drawn = "".join(_told(line) if _is_told(line) else f"{text(line, kept=_LAYOUT)}\n" for line in lines)
    return f'<pre class="scroll" tabindex="0">{drawn}</pre>\n'


def _is_told(line: str) -> bool:
    """Whether a line of what is drawn of a diagnostic is a sentence, not a line of the text or one with carets."""
    return not line.startswith("  ") or line.startswith("  note: ")


def _told(line: str) -> str:
    return f'<span class="complaint">{text(line, kept=_LAYOUT)}</span>'


# --- rules ------------------------------------------------------------------------------------------------------------

_ORDER: Final = {Effect.CHANGES: 0, Effect.UNKNOWN: 1, Effect.NONE: 2, Effect.IDLE: 3, Effect.FIXED: 4}

_EFFECTS: Final = {
    Effect.IDLE: "nothing changes for this test",
    Effect.NONE: "nothing changes for this test",
    Effect.UNKNOWN: "not worked out for this test",
    Effect.FIXED: "this rule cannot be left out",
}


def _rules(view: View) -> str:
    switches = view.switches
    if not switches:
        return ""
    changing = [switch for switch in switches if switch.effect is Effect.CHANGES]
    hint = (
        "Switch rules off to see what the model says without them; those with a thick border change something here."
        if changing
        else "Switch rules off to see what the model says without them."
    )
    chips = sorted(switches, key=lambda switch: _ORDER[switch.effect])
    together = {rule for one in view.combinations for rule in one.rules}
    busy = [one for one in chips if one.effect in {Effect.CHANGES, Effect.UNKNOWN} or one.identifiers[0] in together]
    idle = [chip for chip in chips if chip not in busy]
    return "".join(
        [
            '<section class="rules"><h2>Rules</h2>',
            f'<p class="said scripted" aria-live="polite" data-hint="{text(hint)}">{text(hint)}</p>',
            f'<div class="chips scripted" role="toolbar" aria-label="rules">{"".join(map(_chip, busy))}</div>',
            f'<p class="soft scripted">{text(_worked_out(view))}</p>',
            f'<details class="idle scripted"><summary>{counted(len(idle), "rule")} that',
            f" {'changes' if len(idle) == 1 else 'change'} nothing for this test</summary>",
            '<div class="chips" role="toolbar" aria-label="rules that change nothing">',
            f"{''.join(map(_chip, idle))}</div></details>",
            "<details><summary>What the rules say</summary><dl class='statements'>",
            *map(_statement, switches),
            "</dl></details></section>\n",
        ]
    )


def _worked_out(view: View) -> str:
    """Which rules can be switched off together; empty where that is nowhere worked out."""
    changing = {switch.identifiers[0] for switch in view.switches if switch.effect is Effect.CHANGES}
    pairs = len(changing) * (len(changing) - 1) // 2
    known = sum(changing.issuperset(one.rules) and len(one.rules) < 3 for one in view.combinations)
    others = [one.rules for one in view.combinations if one.result is not None and not changing.issuperset(one.rules)]
    said = []
    if known and known == pairs:
        said.append("Any two of those with a thick border can be off together.")
    elif known:
        said.append(f"Of the {pairs} pairs of those with a thick border, {known} were worked out.")
    if others:
        said.append(f"Together these change something, too: {'; '.join(map(' and '.join, others))}.")
    return " ".join(said)


def _chip(switch: Switch) -> str:
    effect = switch.effect
    changes = " class='changes'" if effect is Effect.CHANGES else ""
    disabled = " disabled" if effect is Effect.FIXED else ""
    title = f"{switch.statement} ({_effect(switch)})"
    return (
        f'<button type="button"{changes} aria-pressed="true" data-rule="{text(switch.identifiers[0])}" '
        f'data-effect="{effect.value}" title="{text(title)}"{disabled}>{text(" ".join(switch.identifiers))}</button>'
    )


def _effect(switch: Switch) -> str:
    if switch.result is None:
        return f"without it: {_EFFECTS[switch.effect]}"
    return f"without it: {verdict_with_cut(switch.result)}"


def _statement(switch: Switch) -> str:
    return (
        f"<dt>{text(' '.join(switch.identifiers))}</dt><dd>{text(switch.statement)} "
        f'<span class="soft">{text(switch.section)} — {text(_effect(switch))}</span></dd>'
    )
