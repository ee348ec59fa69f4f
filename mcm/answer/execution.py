"""An execution as evidence: its events, and how they are related."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.bits import members
from mcm.program.words import show_order, show_scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.base.source import Span
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.picture.marks import Marks
    from mcm.picture.scene import Scene
    from mcm.program.program import Program
    from mcm.program.types import Value
    from mcm.relation.evaluate import Evaluator, Structure


class ExecutedEvent(Struct, frozen=True):
    """An event as people name it; what does not apply to its kind is None.

    `number` is how relations name it. `thread` is None for the initial writes. `order` and `scope` are None where the
    access is plain. `read` and `written` are values, addresses as `&x`; None also where an object has no initial value.
    """

    number: int
    kind: str
    thread: str | None
    span: Span
    location: str | None
    read: int | float | str | None
    written: int | float | str | None
    order: str | None
    scope: str | None


class Execution:
    """One execution, which the model allows unless an explanation says how it breaks it.

    Its parts are worked out when they are asked for. `model` is the one that it was found under, whose definitions
    pictures may show; `marks` is what is remarkable about it, such as two accesses that race: pictures point it out.
    """

    def __init__(self, candidate: Candidate, model: Model | None = None, marks: Marks | None = None) -> None:
        self._candidate = candidate
        self._model = model
        self._marks = marks

    @property
    def candidate(self) -> Candidate:
        """The execution as engines give it."""
        return self._candidate

    @cached_property
    def events(self) -> tuple[ExecutedEvent, ...]:
        """The executed events; initial writes come first, then those of each thread in the order of the program."""
        events = self._candidate.skeleton.events
        return tuple(self._event(events[number]) for number in sorted(self._candidate.executed))

    def relation(self, name: str) -> tuple[tuple[int, int], ...]:
        """The pairs of a base relation (`po`, `rf` …; `mcm models --vocabulary` lists them) or of a linearisation.

        Raises KeyError for any other name.
        """
        rows = self._structure.relations[name]
        return tuple((first, second) for first, row in enumerate(rows) for second in members(row))

    @property
    def relation_names(self) -> tuple[str, ...]:
        """The names that `relation` knows."""
        return tuple(sorted(self._structure.relations))

    @property
    def drawable_names(self) -> tuple[str, ...]:
        """The names that pictures know: those of `relation_names`, and the model's definitions of relations."""
        definitions = () if self._model is None else self._model.definitions
        # Imported here: only whoever draws needs it.
        from mcm.relation.term import SetTerm  # noqa: PLC0415

        named = (each.name for each in definitions if not isinstance(each.term, SetTerm))
        return tuple(sorted({*self.relation_names, *named}))

    @property
    def marks(self) -> Marks | None:
        """What is remarkable about it, if anything is."""
        return self._marks

    def marked(self, marks: Marks) -> Execution:
        """The same execution, with something else remarkable about it."""
        return Execution(self._candidate, self._model, marks)

    def scene(self, title: str = "", relations: Iterable[str] = (), *, about: Iterable[int] = ()) -> Scene:
        """What a picture of it shows: the base relations, what the model says of drawing, and further `relations`.

        These are names of base relations or of definitions of the model; KeyError is raised for any other name. Of many
        units only some are drawn: those of what is remarkable, and of the events `about`, first of all.
        """
        # Imported here, as below: only whoever draws needs it.
        from mcm.picture.compose import compose  # noqa: PLC0415
        from mcm.picture.marks import NOTHING_MARKED  # noqa: PLC0415
        from mcm.picture.named import named_relations  # noqa: PLC0415

        others = named_relations(self._candidate, self.evaluator, self._model, tuple(relations))
        return compose(self._candidate, others, self._marks or NOTHING_MARKED, title, frozenset(about))

    def svg(self, title: str = "", relations: Iterable[str] = (), *, about: Iterable[int] = ()) -> str:
        """A picture as SVG, for light and dark grounds; arguments as of `scene`, here and below."""
        from mcm.picture.layout import lay_out  # noqa: PLC0415
        from mcm.picture.svg import render_svg  # noqa: PLC0415

        return render_svg(lay_out(self.scene(title, relations, about=about)))

    def dot(self, title: str = "", relations: Iterable[str] = (), *, about: Iterable[int] = ()) -> str:
        """A picture as text for Graphviz, in the conventions of herd7."""
        from mcm.picture.dot import render_dot  # noqa: PLC0415

        return render_dot(self.scene(title, relations, about=about))

    def text(
        self,
        title: str = "",
        relations: Iterable[str] = (),
        *,
        about: Iterable[int] = (),
        width: int = 100,
        ascii_only: bool = False,
    ) -> str:
        """A picture in characters, at most `width` wide; lists of events and edges where it does not fit."""
        from mcm.picture.text import render_text  # noqa: PLC0415

        return render_text(self.scene(title, relations, about=about), width=width, ascii_only=ascii_only)

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return self.svg()

    @cached_property
    def evaluator(self) -> Evaluator:
        """Evaluates relational terms in the execution."""
        # Imported here: only whoever asks for evidence needs it.
        from mcm.relation.evaluate import Evaluator  # noqa: PLC0415

        return Evaluator(self._structure)

    @cached_property
    def _structure(self) -> Structure:
        # Imported here: only whoever asks for evidence needs it.
        from mcm.catalogue.evaluate import structure_of  # noqa: PLC0415

        return structure_of(self._candidate)

    def _event(self, event: Event) -> ExecutedEvent:
        candidate, program = self._candidate, self._candidate.skeleton.program
        number = event.identifier
        location = candidate.locations.get(number)
        lacks_value = candidate.lacks_value(number)
        has_written = not (lacks_value and event.thread is None)
        return ExecutedEvent(
            number=number,
            kind=event.kind.value,
            thread=None if event.thread is None else program.thread(event.thread).name,
            span=event.span,
            location=None if location is None else program.show_location(location),
            read=None if lacks_value else _shown(candidate.read_values.get(number), program),
            written=_shown(candidate.written_values.get(number), program) if has_written else None,
            order=None if event.order is None else show_order(event.order, program.dialect),
            scope=None if event.scope is None else show_scope(event.scope, program.dialect),
        )


def _shown(value: Value | None, program: Program) -> int | float | str | None:
    return value if value is None or isinstance(value, (int, float)) else program.show_value(value)
