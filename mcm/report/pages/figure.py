"""A drawn execution as a part of a page: the picture, what its lines mean, and steps to go through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.exhibit import Step
from mcm.picture.layout import lay_out
from mcm.picture.scene import INITIAL_ROW, NodeKind
from mcm.picture.svg import render_part
from mcm.report.pages.document import short, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.exhibit import Exhibit
    from mcm.base.style import Style
    from mcm.picture.scene import Edge, Scene

_HINT: Final = "Point at an event or an edge, and it is told here."

_NOTHING: Final = "There is nothing to draw: no access to memory, fence or barrier is executed."

_MEANINGS: Final = {
    "po": "sequenced before",
    "rf": "reads from",
    "fr": "reads what is then replaced",
    "mo": "modification order",
    "co": "order of writes",
    "race": "they race",
    "sw": "synchronises with",
    "gsw": "synchronises, in global memory",
    "lsw": "synchronises, in local memory",
    "hb": "happens before",
    "ghb": "happens before, in global memory",
    "lhb": "happens before, in local memory",
}

_LETTERS: Final = 160

# What is told of nodes that no edge leads to.
_REMARKABLE: Final = {NodeKind.WAIT, NodeKind.FAULT}

# A step is cut to this many letters.
_LONGEST: Final = 400


def render_figure(exhibit: Exhibit, identifier: str, *, foremost: bool) -> str:
    """The figure of an exhibit."""
    scene = exhibit.execution.scene(exhibit.title, about=exhibit.about)
    told = exhibit.steps or _steps(scene)
    kind = "foremost" if foremost else ""
    return "".join(
        [
            f'<figure id="{identifier}" class="{kind}" data-hint="{text(_HINT)}">',
            f"<figcaption>{short(exhibit.title, _LETTERS)}</figcaption>",
            *(_drawn(scene, told) if scene.nodes else [f'<p class="soft nothing">{_NOTHING}</p>']),
            *(f'<p class="soft walk">{text(note)}</p>' for note in scene.notes),
            "</figure>\n",
        ]
    )


def _drawn(scene: Scene, steps: tuple[Step, ...]) -> Iterator[str]:
    yield f'<div class="scroll" tabindex="0">{render_part(lay_out(scene))}</div>'
    yield _legend(scene)
    yield f'<p class="told scripted" aria-live="polite">{text(_HINT)}</p>'
    yield from _list_of(steps)


def _list_of(steps: tuple[Step, ...]) -> Iterator[str]:
    if not steps:
        return
    yield '<ol class="steps">'
    for step in steps:
        events = " ".join(map(str, step.events))
        kind = ' class="breaks"' if step.breaks else ""
        relations = text(" ".join(step.relations))
        yield f'<li{kind} data-events="{events}" data-relation="{relations}">{short(step.text, _LONGEST)}'
        if step.rules:
            yield f' <span class="rules">[{text(", ".join(step.rules))}]</span>'
        yield "</li>"
    yield '</ol><p class="walk scripted"><button type="button" data-by="-1">◀ back</button> '
    yield '<button type="button" data-by="1">next ▶</button> or the arrow keys</p>'


def _steps(scene: Scene) -> tuple[Step, ...]:
    """What happens in an execution, read off its edges: what is read, what is ordered, and what is remarkable."""
    rows = {node.number: (node.row, node.column) for node in scene.nodes}
    told = [edge for edge in scene.edges if edge.name not in {"po", "mo", "co"} or edge.marked]
    told.sort(key=lambda edge: (edge.marked, edge.name != "rf", rows[edge.target]))
    waits = tuple(Step(node.title, (node.number,)) for node in scene.nodes if node.kind in _REMARKABLE)
    return (*(Step(_sentence(edge), (edge.source, edge.target), (edge.name,)) for edge in told[:40]), *waits)


def _sentence(edge: Edge) -> str:
    """The title of an edge without its name, which the picture shows."""
    return " ".join(edge.title.removeprefix(f"{edge.name}: ").split())


def _legend(scene: Scene) -> str:
    """The lines that occur, and what they mean."""
    styles: dict[str, Style] = {}
    for edge in scene.edges:
        styles.setdefault(edge.name, edge.style)
    items = [f"<li>{_sample(style)}{text(_named(name))}</li>" for name, style in styles.items()]
    if any(node.row <= INITIAL_ROW for node in scene.nodes):
        items.append("<li>dashed box: initial value</li>")
    if any(node.kind is NodeKind.FAULT for node in scene.nodes):
        items.append("<li>thick dashed box: what must not be done</li>")
    return f'<ul class="legend">{"".join(items)}</ul>'


def _named(name: str) -> str:
    return f"{name}: {_MEANINGS[name]}" if name in _MEANINGS else name


def _sample(style: Style) -> str:
    dashes = f' stroke-dasharray="{" ".join(map(str, style.dash.pattern))}"' if style.dash.pattern else ""
    line = f'<path d="M0,4L40,4" fill="none" stroke="{style.colour.light}" stroke-width="{style.width}"{dashes}/>'
    group = f'<g class="edge {style.colour.word}">{line}</g>'
    return f'<svg class="mcm" width="40" height="8" aria-hidden="true">{group}</svg>'
