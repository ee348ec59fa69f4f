"""Events of host programs: variables, and lists of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final, Never

from msgspec import Struct
from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.body import Body
from mcm.sycl.constants import chosen, constant
from mcm.sycl.entities import Opaque
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Functions, Object
    from mcm.sycl.entities import Scopes
    from mcm.syntax.ast import Node, Statement

# The classes of events: of commands, of one that is complete from the beginning; and that of lists of them.
EVENT: Final = "event"
COMPLETE: Final = "complete event"
EVENTS: Final = "list of events"
_ADDS: Final = frozenset({"push_back", "emplace_back"})
_CHANGES: Final = frozenset({*_ADDS, "clear", "reserve"})


class KnownEvent(ast.Name, frozen=True):
    """The event of a command, by the name that calls of the C family know it by."""


class EventList(Struct):
    """The events in a list, None for one that is complete from the beginning; `branches` are those around the list."""

    events: list[KnownEvent | None]
    branches: int


def is_list(class_: tree.ClassType) -> bool:
    """Whether a class is that of lists of events, `std::vector<event>`."""
    match class_.arguments:
        case (tree.ClassType(name) | ast.Name(name),) if plain(class_.name) == "vector":
            return plain(name) == EVENT
        case _:
            return False


class HostEvents(Body):
    """What a body of the host knows of events.

    An event variable has another name in terms of the C family for each command that it is the event of.
    """

    def __init__(
        self, scopes: Scopes, memory: Mapping[str, Object], functions: Functions, complaints: Complaints
    ) -> None:
        super().__init__(scopes, memory, functions, complaints, is_host=True)
        # How many branches, and loops that are not written out, are around what is being read.
        self._branches = 0
        self._anonymous = 0
        self._times_named: Final[dict[str, int]] = {}
        # The event variables by these names: how many branches are around each, and whether it has a command.
        self._variables: Final[dict[str, tuple[int, bool]]] = {}
        # Events that several variables have.
        self._shared: Final[set[str]] = set()
        self._lists: Final[dict[str, EventList]] = {}

    @abstractmethod
    def _sent(self, node: tree.MemberCall, whole: Node) -> tuple[list[Statement], KnownEvent]:
        """A call that enqueues, in a list: what it is, and its event."""

    @abstractmethod
    def _is_command(self, node: Node) -> bool:
        """Whether a call enqueues something, or waits."""

    def _new_event(self, node: Node) -> ast.Name:
        """A name for the event of a command that the program has none for."""
        self._anonymous += 1
        return ast.Name(f"(event {self._anonymous})", span=node.span)

    # --- variables ----------------------------------------------------------------------------------------------------

    def _is_event(self, name: str) -> bool:
        entity = self.scopes.find(name)
        return isinstance(entity, Opaque) and entity.class_ == EVENT

    def _is_event_variable(self, name: str) -> bool:
        entity = self.scopes.find(name)
        return isinstance(entity, Opaque) and entity.class_ in {EVENT, COMPLETE}

    def _declared_event(self, name: ast.Name, *, has_command: bool) -> ast.Name:
        """The name by which an event variable is known from its declaration on."""
        again = self._times_named.get(name.text, 0) + 1
        self._times_named[name.text] = again
        found = name if again == 1 else ast.Name(f"{name.text} ({again})", span=name.span)
        self._variables[found.text] = self._branches, has_command
        return found

    def _reassigned_event(self, name: ast.Name) -> ast.Name | None:
        """The name by which an event variable is known that gets another command; None where that is its first one.

        In a branch it keeps its name: of which command it is the event then is not plain.
        """
        entity = self.scopes.find(name.text)
        assert isinstance(entity, Opaque)
        branches, has_command = self._variables.get(entity.name, (self._branches, True))
        if entity.class_ == COMPLETE:
            if branches != self._branches:
                self._refuse_branch(name)
            self._variables[entity.name] = branches, True
            self.scopes.assign(name.text, Opaque(EVENT, entity.name))
            return ast.Name(entity.name, span=name.span)
        self._variables[entity.name] = branches, True
        if branches != self._branches and entity.name in self._shared:
            self._refuse_branch(name)
        if not has_command or branches != self._branches:
            return None
        found = self._declared_event(name, has_command=True)
        self.scopes.assign(name.text, Opaque(EVENT, found.text))
        return found

    def _other_name(self, node: Node) -> bool:
        """Whether a statement declares another name for an event, a queue or a buffer, which is known then."""
        match node:
            case tree.ReferenceDeclaration(_, name, value):
                pass
            case ast.Declaration(ast.TypeName(base="auto"), (ast.Declarator(name, (), None, value),)):
                pass
            case tree.ObjectDeclaration(_, class_, (tree.ObjectDeclarator(name, "=", (value,)),)) if (
                plain(class_.name) == EVENT
            ):
                pass
            case ast.ExpressionStatement(ast.Name(text)):
                # What a function returns that nobody asks for.
                return self._is_event_variable(text)
            case ast.ExpressionStatement(ast.Assignment("=", ast.Name() as name, value)) if self._is_event_variable(
                name.text
            ):
                return self._same_event(name, value)
            case _:
                return False
        value = None if value is None else chosen(value, self.context)
        same = self.entity(value) if isinstance(value, ast.Name) else None
        if isinstance(same, Opaque) and same.class_ in {"queue", "buffer"}:
            self.declare(name, same)
            return True
        event = None if value is None else self._event(value)
        if event is None and (not isinstance(value, ast.Name) or not self._is_complete(value)):
            return False
        self.declare(name, self._shared_event(name, event))
        return True

    def _refuse_branch(self, name: ast.Name) -> Never:
        message = f"which command '{name.text}' is the event of depends on a branch; declare it in the branch"
        self.complaints.fail("E164", name.span, message)

    def _same_event(self, name: ast.Name, value: Node) -> bool:
        """Whether an event is assigned, which a variable is then, as the text shows."""
        event = self._event(value)
        if event is None and not (isinstance(value, ast.Name) and self._is_complete(value)):
            return False
        entity = self.scopes.find(name.text)
        assert isinstance(entity, Opaque)
        if self._variables.get(entity.name, (self._branches, True))[0] != self._branches:
            self._refuse_branch(name)
        other = self._declared_event(name, has_command=event is not None)
        self.scopes.assign(name.text, self._shared_event(other, event))
        return True

    def _shared_event(self, name: ast.Name, event: KnownEvent | None) -> Opaque:
        """What a variable is that has the event of another one."""
        if event is None:
            return Opaque(COMPLETE, name.text)
        self._shared.add(event.text)
        return Opaque(EVENT, event.text)

    def _event(self, node: Node) -> KnownEvent | None:
        """The event that an expression is, of a variable or in a list; None for others, and for a complete one."""
        match node:
            case KnownEvent():
                return node
            case ast.Name(text) if self._is_event(text):
                entity = self.scopes.find(text)
                assert isinstance(entity, Opaque)
                return KnownEvent(entity.name, span=node.span)
            case ast.Index(base, index) if (events := self._list(base)) is not None:
                return self._element(events, constant(index, self.context), node)
            case tree.MemberCall(base, ".", ast.Name("back" | "front" | "at" as name), None, arguments) if (
                events := self._list(base)
            ) is not None:
                places = {"back": len(events.events) - 1, "front": 0}
                place = constant(arguments[0], self.context) if arguments else places.get(name)
                return self._element(events, place, node)
            case _:
                return None

    def _events(self, nodes: Iterable[Node]) -> tuple[ast.Name, ...]:
        """The names of events among arguments, which may stand in braces."""
        found: list[ast.Name] = []
        for node in nodes:
            if isinstance(node, ast.InitializerList):
                found += self._events(node.items)
            elif isinstance(node, tree.Construction) and plain(node.type.name) in {EVENT, "vector"}:
                # An event that was made without a command is that of one that is complete.
                found += self._events(node.arguments)
            elif (events := self._list(node)) is not None:
                found += [ast.Name(one.text, span=node.span) for one in events.events if one is not None]
            elif (event := self._event(node)) is not None:
                found.append(ast.Name(event.text, span=node.span))
            elif not self._is_complete(node):
                message = f"expected the name of an event, found '{node.span.text}'"
                self.complaints.fail("E161", node.span, message)
        return tuple({one.text: one for one in found}.values())

    def _is_complete(self, node: Node) -> bool:
        if isinstance(node, ast.Index) or (isinstance(node, tree.MemberCall) and self._list(node.base) is not None):
            return self._list(node.base) is not None
        entity = self.entity(node)
        return isinstance(entity, Opaque) and entity.class_ == COMPLETE

    # --- lists --------------------------------------------------------------------------------------------------------

    def _list(self, node: Node) -> EventList | None:
        entity = self.scopes.find(node.text) if isinstance(node, ast.Name) else None
        return self._lists[entity.name] if isinstance(entity, Opaque) and entity.class_ == EVENTS else None

    def _element(self, events: EventList, place: int | None, node: Node) -> KnownEvent | None:
        if place is None or not 0 <= place < len(events.events):
            many = len(events.events)
            message = f"expected a constant that names one of {many} events, found '{node.span.text}'"
            self.complaints.fail("E161", node.span, message)
        found = events.events[place]
        return None if found is None else KnownEvent(found.text, span=node.span)

    def _declare_list(self, one: tree.ObjectDeclarator, node: Node) -> list[Statement]:
        """`std::vector<event> all;`, `all(3)`, `all{e, q.submit(…)}`."""
        key = f"{one.name.text} at {one.name.span.start} {len(self._lists)}"
        found: list[Statement] = []
        events: list[KnownEvent | None] = []
        size = constant(one.arguments[0], self.context) if one.form == "(" and len(one.arguments) == 1 else None
        if one.form == "(" and size is None and one.arguments:
            message = f"expected a constant number of events, or '{{e, f}}', found '{one.span.text}'"
            self.complaints.fail("E212", one.span, message)
        items = () if size is not None else one.arguments
        if len(items) == 1 and isinstance(items[0], ast.InitializerList):
            items = items[0].items
        for item in items:
            before, event = self._added(item, node)
            found += before
            events.append(event)
        self._lists[key] = EventList([*events, *[None] * (size or 0)], self._branches)
        self.declare(one.name, Opaque(EVENTS, key, sizes=(len(self._lists[key].events),)))
        return found

    def _added(self, item: Node, node: Node) -> tuple[list[Statement], KnownEvent | None]:
        if isinstance(item, tree.MemberCall) and self._is_command(item):
            return self._sent(item, node)
        event = self._event(item)
        if event is None and not self._is_complete(item):
            message = f"expected an event, or a call that enqueues a command, found '{item.span.text}'"
            self.complaints.fail("E161", item.span, message)
        return [], event

    def _changed_list(self, node: Node) -> list[Statement] | None:
        """What a statement is that changes a list of events; None where it is another one."""
        match node:
            case ast.ExpressionStatement(tree.MemberCall(ast.Name() as base, ".", ast.Name(member), _, arguments)) if (
                events := self._list(base)
            ) is not None and member in _CHANGES:
                self._check_plain(events, base, node)
                if member == "clear":
                    events.events.clear()
                found: list[Statement] = []
                for item in arguments if member in _ADDS else ():
                    found, event = self._added(item, node)
                    events.events.append(event)
            case ast.ExpressionStatement(ast.Assignment("=", ast.Index(ast.Name() as base, index), value)) if (
                events := self._list(base)
            ) is not None:
                self._check_plain(events, base, node)
                self._element(events, place := constant(index, self.context), index)
                found, event = self._added(value, node)
                assert place is not None
                events.events[place] = event
            case _:
                return None
        entity = self.scopes.find(base.text)
        assert isinstance(entity, Opaque)
        self.scopes.assign(base.text, replace(entity, sizes=(len(events.events),)))
        return found

    def _check_plain(self, events: EventList, name: ast.Name, node: Node) -> None:
        """What is in a list is known from the text."""
        if events.branches != self._branches:
            message = (
                f"which events are in '{name.text}' depends on a branch, or on how often a loop goes round: add them "
                "in the block of the list, or in a loop whose bounds are constants"
            )
            self.complaints.fail("E164", node.span, message)
