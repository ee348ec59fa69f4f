"""Lists of queues of host programs, `std::vector<queue> all(2);`: each of their queues has a name, `all[0]`."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.constants import constant
from mcm.sycl.entities import Opaque
from mcm.sycl.host_events import HostEvents
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.mapped import mapped

if TYPE_CHECKING:
    from mcm.syntax.ast import Node, Statement

_QUEUE: Final = "queue"
QUEUES: Final = "list of queues"
_ADDS: Final = frozenset({"push_back", "emplace_back"})
# Statements in which queues are named, others apart that have statements in them.
_LEAVES: Final = (
    ast.ExpressionStatement,
    ast.Declaration,
    ast.Return,
    tree.ObjectDeclaration,
    tree.ReferenceDeclaration,
)


def is_queue_list(class_: tree.ClassType) -> bool:
    """Whether a class is that of lists of queues, `std::vector<queue>`, `std::array<queue, 2>`."""
    match class_.arguments:
        case (tree.ClassType(name) | ast.Name(name), *_) if plain(class_.name) in {"vector", "array"}:
            return plain(name) == _QUEUE
        case _:
            return False


class QueueLists(HostEvents):
    """What a body of the host knows of lists of queues."""

    # The names of the queues in each list.
    _queue_lists: dict[str, list[str]]

    @abstractmethod
    def _queue(self, one: tree.ObjectDeclarator) -> list[Statement]:
        """A queue that is declared."""

    def _declare_queues(self, class_: tree.ClassType, one: tree.ObjectDeclarator) -> list[Statement]:
        """`std::vector<queue> all;`, `all(2)`, `all(2, q)`, `all{q, queue{}}`, `std::array<queue, 2> all;`."""
        key = f"{one.name.text} at {one.name.span.start} {len(self._queue_lists)}"
        self._queue_lists[key] = []
        self.declare(one.name, Opaque(QUEUES, key, sizes=(0,)))
        is_array = plain(class_.name) == "array"
        length = (class_.arguments or ())[1] if is_array and len(class_.arguments or ()) > 1 else None
        listed = one.arguments
        if one.form == "(" and listed:
            length, *same = listed
            count = self._count(length)
            for number in range(count):
                # Copies of one queue are that queue.
                last = ast.Name(self._queue_lists[key][0], span=one.span) if number and same else None
                self._add(one.name, one.name, last or (same[0] if same else None))
            return []
        if len(listed) == 1 and isinstance(listed[0], ast.InitializerList):
            listed = (*listed[0].items, *listed[0].rows)
        for item in listed:
            self._add(one.name, item, item)
        for _ in range(0 if length is None else self._count(length) - len(listed)):
            self._add(one.name, one.name, None)
        return []

    def _count(self, node: Node) -> int:
        found = constant(node, self.context)
        if found is None or found < 1:
            message = f"expected a constant number of queues, found '{node.span.text}'"
            self.complaints.fail("E212", node.span, message)
        return found

    def _add(self, name: ast.Name, at: Node, made: Node | None) -> None:
        """One more queue: another name for one, or a new one, of what is said of it."""
        entity = self.scopes.find(name.text)
        assert isinstance(entity, Opaque)
        queues = self._queue_lists[entity.name]
        same = self.entity(made) if made is not None else None
        if isinstance(same, Opaque) and same.class_ == _QUEUE:
            queues.append(same.name)
        else:
            number = len(queues)
            called = ast.Name(f"{name.text}[{number}]", span=at.span)
            arguments: tuple[Node, ...] = () if made is None else (made,)
            if isinstance(made, tree.Construction) and plain(made.type.name) == _QUEUE:
                arguments = made.arguments
            self._queue(tree.ObjectDeclarator(called, "{" if arguments else "", arguments, span=at.span))
            made_here = self.scopes.find(called.text)
            assert made_here is not None
            # It lives as long as the list.
            self.scopes.declare_beside(name.text, called.text, made_here)
            queues.append(called.text)
        self.scopes.assign(name.text, replace(entity, sizes=(len(queues),)))

    def _changed_queues(self, node: Node) -> bool:
        """Whether a statement adds a queue to a list, which is done then."""
        match node:
            case ast.ExpressionStatement(tree.MemberCall(ast.Name() as base, ".", ast.Name(member), _, arguments)) if (
                self._queues(base) is not None and member in {*_ADDS, "reserve"}
            ):
                if self._branches:
                    message = (
                        f"which queues are in '{base.text}' depends on a branch, or on how often a loop goes round"
                    )
                    self.complaints.fail("E164", node.span, message)
                if member in _ADDS:
                    made = arguments[0] if len(arguments) == 1 else None
                    if len(arguments) > 1:
                        class_ = tree.ClassType(_QUEUE, span=node.span)
                        made = tree.Construction(class_, "{", arguments, span=node.span)
                    self._add(base, node, made)
                return True
            case _:
                return False

    def _queues(self, node: Node) -> list[str] | None:
        entity = self.scopes.find(node.text) if isinstance(node, ast.Name) else None
        return self._queue_lists[entity.name] if isinstance(entity, Opaque) and entity.class_ == QUEUES else None

    def _with_queues(self, node: Node) -> Node:
        """A statement with the names of queues in place of elements of lists."""
        return mapped(node, self._named_queue) if self._queue_lists and isinstance(node, _LEAVES) else node

    def _named_queue(self, node: Node) -> Node:
        match node:
            case ast.Index(base, index) if (queues := self._queues(base)) is not None:
                place = constant(index, self.context)
            case tree.MemberCall(base, ".", ast.Name("at" | "front" | "back" as member), None, arguments) if (
                queues := self._queues(base)
            ) is not None:
                places = {"front": 0, "back": len(queues) - 1}
                place = constant(arguments[0], self.context) if arguments else places.get(member)
            case _:
                return node
        if place is None or not 0 <= place < len(queues):
            message = f"expected a constant that names one of {len(queues)} queues, found '{node.span.text}'"
            self.complaints.fail("E160", node.span, message)
        return ast.Name(queues[place], span=node.span)
