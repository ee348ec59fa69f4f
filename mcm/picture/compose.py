"""From an execution to what a picture of it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.execution.event import EventKind
from mcm.picture.attempts import among, through
from mcm.picture.columns import columns_of
from mcm.picture.marks import NOTHING_MARKED
from mcm.picture.relations import MOST_PAIRS, base_relations
from mcm.picture.rows import rows_of
from mcm.picture.scene import INITIAL_ROW, Bar, Edge, Node, NodeKind, Scene
from mcm.picture.wanted import wanted_threads
from mcm.picture.words import detail_of, line_of, location_of, place_of, text_of, title_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mcm.execution.candidate import Candidate
    from mcm.execution.event import BarrierInstance, Event
    from mcm.picture.columns import Columns
    from mcm.picture.marks import Attempt, Marks
    from mcm.picture.relations import Drawn

# Initial writes are drawn if no more reads than these take their values.
_MOST_INITIAL_READS: Final = 24

_BARRIERS: Final = {EventKind.ENTRY: "enter", EventKind.EXIT: "leave"}

# What relations that models have drawn say of their first event, before the second.
_VERBS: Final = {
    "S": "comes before {} in S",
    "sw": "synchronises with {}",
    "gsw": "synchronises with {} in global memory",
    "lsw": "synchronises with {} in local memory",
    "hb": "happens before {}",
    "ghb": "happens before {} in global memory",
    "lhb": "happens before {} in local memory",
}


def compose(
    candidate: Candidate,
    others: Sequence[Drawn] = (),
    marks: Marks = NOTHING_MARKED,
    title: str = "",
    about: Collection[int] = (),
) -> Scene:
    """The scene of an execution: base relations, `others`, and what is marked.

    Of many units, those of the events `about` are drawn too.
    """
    return _Composer(candidate, marks, about).scene(others, title)


def _acting(events: Sequence[Event]) -> frozenset[int]:
    """The commands that have events, executed here or not."""
    return frozenset(event.command for event in events if event.thread is None and event.command is not None)


class _Composer:
    def __init__(self, candidate: Candidate, marks: Marks, about: Collection[int]) -> None:
        self._candidate = candidate
        self._marks = marks
        self._events = [candidate.skeleton.events[number] for number in sorted(candidate.executed)]
        wanted = wanted_threads(candidate, marks, about)
        self._columns: Columns = columns_of(candidate.skeleton.program, wanted, _acting(candidate.skeleton.events))
        self._all_folded_are_idle = wanted.idle.issuperset(self._columns.of_folded)
        self._notes: list[str] = []

    def _of_folded(self) -> str:
        """What is said of the units that are not drawn."""
        if not self._all_folded_are_idle:
            return ", nor is what is read from them"
        # Where something was left out before, they may have done what decides nothing.
        is_part = self._candidate.skeleton.is_part
        return ": what they do decides nothing here" if is_part else ": they execute nothing in this execution"

    def scene(self, others: Sequence[Drawn], title: str) -> Scene:
        units = self._of_units()
        rows = rows_of(units)
        nodes = {event.identifier: self._node(event, rows[event.identifier]) for event in self._shown()}
        nodes |= {number: self._attempted(number, attempt, rows) for number, attempt in self._attempts()}
        relations = [self._through_attempts(each, units) for each in (*base_relations(self._candidate), *others)]
        for event, column, row in self._initial(nodes):
            nodes[event.identifier] = self._node(event, row, column)
        waits = list(self._waits(nodes))
        folded, drawn = len(self._columns.of_folded), len(self._columns.of_thread)
        if folded:
            self._notes.append(f"{folded} of {folded + drawn} units are not drawn{self._of_folded()}")
        edges = tuple(self._edges(relations, nodes))
        return Scene(
            title,
            self._columns.groups,
            self._columns.units,
            (*nodes.values(), *waits),
            edges,
            tuple(self._bars(nodes)),
            tuple(self._notes),
        )

    def _shown(self) -> Iterator[Event]:
        """The executed events of shown units and of commands."""
        return (event for event in self._events if self._column(event) is not None)

    def _column(self, event: Event) -> int | None:
        """The column of an event; None for initial writes and what is not shown."""
        if event.thread is None:
            return None if event.command is None else self._columns.of_command.get(event.command)
        return self._columns.of_thread.get(event.thread)

    def _of_units(self) -> list[list[Event | int]]:
        units: dict[int | None, list[Event]] = {}
        for event in self._shown():
            units.setdefault(self._column(event), []).append(event)
        tried = self._attempts()
        for _, attempt in tried:
            units.setdefault(self._columns.of_thread[attempt.thread], [])
        of_thread = self._columns.of_thread
        return [among(unit, [one for one in tried if of_thread[one[1].thread] == at]) for at, unit in units.items()]

    def _attempts(self) -> tuple[tuple[int, Attempt], ...]:
        return tuple(one for one in self._marks.numbered_attempts if one[1].thread in self._columns.of_thread)

    def _attempted(self, number: int, attempt: Attempt, rows: dict[int, int]) -> Node:
        return Node(
            number=number,
            column=self._columns.of_thread[attempt.thread],
            row=rows[number],
            kind=NodeKind.FAULT,
            text=attempt.text,
            detail=attempt.detail,
            line=attempt.line,
            title=attempt.title,
            marked=True,
        )

    def _through_attempts(self, relation: Drawn, units: Sequence[Sequence[Event | int]]) -> Drawn:
        if relation.name != "po" or not self._marks.attempts:
            return relation
        return replace(relation, pairs=tuple(through(relation.pairs, units)))

    def _node(self, event: Event, row: int, column: int | None = None) -> Node:
        candidate = self._candidate
        own = self._column(event) if column is None else column
        assert own is not None
        return Node(
            number=event.identifier,
            column=own,
            row=row,
            kind=NodeKind(event.kind.value),
            text=text_of(event, candidate),
            detail=detail_of(event, candidate),
            line=event.span.line,
            title=title_of(event, candidate),
            marked=event.identifier in self._marks.all_events,
        )

    def _initial(self, nodes: dict[int, Node]) -> list[tuple[Event, int, int]]:
        """The initial writes that are drawn, each above the first unit that uses it.

        In programs with commands units stand far to the right, outside many windows: there they begin on the left.
        """
        used = [(read, write) for read, write in sorted(self._candidate.reads_from.items()) if read in nodes]
        used = [pair for pair in used if pair[1] not in nodes]
        if len(used) > _MOST_INITIAL_READS:
            self._notes.append("reads of initial values have no arrow")
            used = []
        for pair in self._marks.pairs:
            used += [(pair.source, pair.target), (pair.target, pair.source)]
        column_of: dict[int, int] = {}
        for event, write in used:
            if event in nodes and write not in nodes:
                column_of[write] = min(column_of.get(write, len(self._columns.units)), nodes[event].column)
        if self._columns.of_command:
            before_units = max(self._columns.of_command.values()) + 1
            column_of = {write: number % before_units for number, write in enumerate(sorted(column_of))}
        heights: dict[int, int] = {}
        placed = []
        for number, column in sorted(column_of.items()):
            heights[column] = heights.get(column, 0) + 1
            placed.append((self._candidate.skeleton.events[number], column, INITIAL_ROW + 1 - heights[column]))
        return placed

    def _waits(self, nodes: dict[int, Node]) -> Iterator[Node]:
        """A node below the last event of each unit that waits."""
        shown = (one for one in self._marks.numbered_waits if one[1].thread in self._columns.of_thread)
        for number, wait in shown:
            column = self._columns.of_thread[wait.thread]
            row = 1 + max((node.row for node in nodes.values() if node.column == column), default=-1)
            name = self._columns.units[column].name
            title = f"{name} waits forever at line {wait.line} for {wait.text}"
            yield Node(number, column, max(row, 0), NodeKind.WAIT, "waits forever", wait.text, wait.line, title, True)  # noqa: FBT003 - the field `marked`

    def _edges(self, relations: Sequence[Drawn], nodes: dict[int, Node]) -> Iterator[Edge]:
        # What is marked as of a kind, such as `sw-1` of `sw`, is not drawn a second time.
        kinds = ((pair, name) for pair in self._marks.pairs for name in (pair.name, pair.name.partition("-")[0]))
        marked = {(pair.source, pair.target, name) for pair, name in kinds}
        for relation in relations:
            pairs = [pair for pair in relation.pairs if pair[0] in nodes and pair[1] in nodes]
            if len(pairs) > MOST_PAIRS and relation.name not in {"po", "rf"}:
                self._notes.append(f"{len(pairs)} pairs of {relation.name} are not drawn")
                continue
            for source, target in pairs:
                # That the initial write comes first is no news.
                is_first = relation.name in {"mo", "co"} and nodes[source].row <= INITIAL_ROW
                if (source, target, relation.name) not in marked and not is_first:
                    title = self._title(relation.name, source, target)
                    yield Edge(source, target, relation.name, relation.style, title)
        for pair in self._marks.pairs:
            if pair.source in nodes and pair.target in nodes:
                title = self._title(pair.name, pair.source, pair.target) if pair.title == pair.name else pair.title
                yield Edge(pair.source, pair.target, pair.name, pair.style, title, True, pair.directed)  # noqa: FBT003 - the field `marked`

    def _title(self, name: str, source: int, target: int) -> str:
        if min(source, target) < 0:
            return f"{name}: what must not be done, in the order of the unit"
        candidate, events = self._candidate, self._candidate.skeleton.events
        first, second = events[source], events[target]
        places = place_of(first, candidate), place_of(second, candidate)
        place = location_of(second, candidate)
        match name:
            case "po":
                return f"po: {places[0]} is sequenced before {line_of(second)}"
            case "rf":
                return f"rf: {places[1]} reads {place} from {places[0]}"
            case "mo" | "co":
                return f"{name}: {places[0]} comes before {places[1]} in the order of writes to {place}"
            case "fr":
                return f"fr: {places[0]} reads {place} from a write that {places[1]} replaces"
            case _ if name in _VERBS:
                return f"{name}: {places[0]} {_VERBS[name].format(places[1])}"
            case _:
                return f"{name}: {places[0]} → {places[1]}"

    def _bars(self, nodes: dict[int, Node]) -> Iterator[Bar]:
        """The bars of barriers that several units pass, those that are shown in one row."""
        meeting: dict[tuple[BarrierInstance, EventKind], list[Event]] = {}
        for event in self._events:
            if event.barrier is not None and event.kind in _BARRIERS:
                meeting.setdefault((event.barrier, event.kind), []).append(event)
        for (_, kind), members in meeting.items():
            rows = {nodes[event.identifier].row for event in members if event.identifier in nodes}
            if len(members) > 1 and len(rows) == 1:
                columns = [self._any_column(event) for event in members]
                yield Bar(min(rows), min(columns), max(columns), f"{len(members)} units {_BARRIERS[kind]}")

    def _any_column(self, event: Event) -> int:
        """The column of an event of a thread, folded or not."""
        assert event.thread is not None
        return (self._columns.of_thread | self._columns.of_folded)[event.thread]
