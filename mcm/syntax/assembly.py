"""From the parts of a file to its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.base.diagnostic import Diagnostic, Note
from mcm.base.source import Span
from mcm.syntax.ast import Callback, FileVariables, Function, Kernel, Launch, Litmus, Node, Structure, Thread
from mcm.syntax.depth import check_depth
from mcm.syntax.limits import MAX_DEPTH
from mcm.syntax.parts import Filter, InitialState, Locations, Part, Regions, ScopeTree
from mcm.syntax.question import Condition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.source import Source
    from mcm.syntax.ast import Comment, InitialItem, Unit
    from mcm.syntax.parts import FilePart, Header
    from mcm.syntax.places import RegionEntry, ScopeNode
    from mcm.syntax.question import LocationReference, Proposition, RegisterReference

_ONLY_ONCE: Final[dict[Part, str]] = {
    Part.INITIAL: "the initial state",
    Part.SCOPE_TREE: "'scopeTree'",
    Part.LOCATIONS: "'locations'",
    Part.FILTER: "'filter'",
    Part.CONDITION: "the condition",
}


class Assembly:
    """Collects the parts of one file, in any order; `problems` are diagnostics about parts that do not fit."""

    def __init__(self, source: Source, text: str) -> None:
        self._source = source
        self._text = text
        self._first: dict[Part, Span] = {}
        self._initial: tuple[InitialItem, ...] = ()
        self._units: list[Unit] = []
        self._scope_tree: tuple[ScopeNode, ...] = ()
        self._regions: list[RegionEntry] = []
        self._locations: tuple[RegisterReference | LocationReference, ...] = ()
        self._filter: Proposition | None = None
        self._condition: Condition | None = None
        self.problems: list[Diagnostic] = []

    def add(self, part: FilePart) -> None:
        """Add a part, unless it is nested too deep, or may stand only once and was added before."""
        fits = True
        # Here, too: no level has less than one character.
        if part.span.end - part.span.start >= MAX_DEPTH:
            for roots in _roots(part):
                fits &= self.is_shallow(roots)
        fits &= self.is_first(_KINDS[type(part)], part.span)
        if not fits:
            return
        match part:
            case Thread() | Kernel() | Function() | Structure() | FileVariables() | Callback() | Launch():
                self.add_unit(part)
            case InitialState(items):
                self._initial = items
            case Condition():
                self._condition = part
            case ScopeTree(roots):
                self._scope_tree = roots
            case Regions(entries):
                self._regions += entries
            case Locations(observed):
                self._locations = observed
            case Filter(proposition):
                self._filter = proposition
            case _:
                assert_never(part)

    def add_unit(self, unit: Unit) -> None:
        """Add a unit, behind those before it."""
        self._units.append(unit)

    def is_first(self, part: Part, span: Span) -> bool:
        """Whether a part of this kind was not met before; otherwise that is reported."""
        if part not in _ONLY_ONCE:
            return True
        first = self._first.setdefault(part, span)
        if first is span:
            return True
        word = Span(self._source, span.start, min(span.end, span.start + len(span.text.split("(")[0].rstrip())))
        message = f"{_ONLY_ONCE[part]} may be given only once, found '{word.text}' again"
        self.problems.append(Diagnostic("E044", message, word, notes=(Note("first given here", first),)))
        return False

    def is_shallow(self, roots: Sequence[Node]) -> bool:
        """Whether no tree is too deep; otherwise that is reported."""
        if not roots:
            return True
        start, end = roots[0].span.start, roots[-1].span.end
        # No level has less than one character.
        if end - start < MAX_DEPTH:
            return True
        too_deep = check_depth(roots, self._text[start:end])
        if too_deep is not None:
            self.problems.append(too_deep)
        return too_deep is None

    def tree(self, header: Header, comments: tuple[Comment, ...]) -> Litmus:
        """The tree of the file."""
        return Litmus(
            word=header.title.word,
            name=header.title.name,
            documentation=tuple([line.text for line in header.documentation]),
            keys=header.keys,
            initial=self._initial,
            units=tuple(self._units),
            scope_tree=self._scope_tree,
            regions=tuple(self._regions),
            locations=self._locations,
            filter=self._filter,
            condition=self._condition,
            comments=comments,
            name_span=header.title.span,
            documentation_spans=tuple([line.span for line in header.documentation]),
            initial_span=self._first.get(Part.INITIAL),
            span=Span(self._source, 0, len(self._source.text)),
        )


_KINDS: Final[dict[type[Node], Part]] = {
    Thread: Part.THREAD,
    Kernel: Part.KERNEL,
    Function: Part.FUNCTION,
    Structure: Part.STRUCTURE,
    FileVariables: Part.VARIABLES,
    Callback: Part.CALLBACK,
    Launch: Part.LAUNCH,
    InitialState: Part.INITIAL,
    ScopeTree: Part.SCOPE_TREE,
    Regions: Part.REGIONS,
    Locations: Part.LOCATIONS,
    Filter: Part.FILTER,
    Condition: Part.CONDITION,
}


def _roots(part: FilePart) -> tuple[tuple[Node, ...], ...]:
    """The trees in a part whose depth is limited."""
    match part:
        case Thread() | Kernel() | Callback():
            return part.parameters, (part.body,)
        case InitialState(items):
            return (items,)
        case Condition():
            return ((part,),)
        case Function(body=body):
            return part.parameters, (part.type,), () if body is None else (body,)
        case Structure(members=members):
            return (members,)
        case FileVariables(declaration=declaration):
            return ((declaration,),)
        case ScopeTree(roots):
            return (roots,)
        case Filter(proposition):
            return ((proposition,),)
        case Launch() | Regions() | Locations():
            return ()
        case _:
            assert_never(part)
