"""Memory that a host program gives back, `free(x, q);`, and whether anything may still use it then (ADR 83)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.aliases import without_casts
from mcm.sycl.early_ends import early_ends
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import names_in, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from mcm.base.source import Span
    from mcm.sycl.aliases import Aliases
    from mcm.syntax.ast import Node

_WAIT_LIST: Final = "wait"
_BARRIER: Final = "clEnqueueBarrierWithWaitList"
# What gives memory back; the latter two are `delete[]` and `delete`.
DELETES: Final = "delete_array"
DELETES_ONE: Final = "delete_one"
GIVES_BACK: Final = frozenset({"free", DELETES, DELETES_ONE})


class Sent(Struct, eq=False):
    """A command that was enqueued to a queue, or may have been; what is `before` it is complete when it is.

    Commands have numbers in the order of the text.
    """

    queue: str
    before: tuple[Sent, ...]
    is_in_order: bool
    number: int
    span: Span


class _Level(Struct):
    """The commands of the statement of a branch or a loop, and those that nothing has waited for.

    It `may_leave` before its end, when what has `left` may go on. `last` has the last command of each queue before it,
    `here` what may go on at a place of it, however others leave it.
    """

    may_leave: bool = False
    last: Mapping[str, Sent] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    every: list[Sent] = field(default_factory=list)
    here: list[Sent] = field(default_factory=list)
    left: list[Sent] = field(default_factory=list)


class Outstanding:
    """The commands of a host program that the text does not show to be complete."""

    def __init__(self) -> None:
        self._levels: Final = [_Level()]
        self._by_event: Final[dict[str, Sent]] = {}
        self._last: Final[dict[str, Sent]] = {}
        # The last barrier of each queue, which later commands come after.
        self._barriers: Final[dict[str, Sent]] = {}
        # Up to which command queues in order are complete for sure.
        self._complete: Final[dict[str, int]] = {}
        # How many commands there were.
        self.number = 0

    @property
    def is_certain(self) -> bool:
        """Whether all commands are complete, where the program is by now."""
        return len(self._levels) == 1 and not self._levels[0].sent

    def go_on(self, number: int) -> bool:
        """Whether commands behind the first ones may go on, where the program is by now."""
        return any(sent.number > number for sent in self._levels[-1].here)

    @property
    def last(self) -> Sent | None:
        """The last of the commands that may go on, where the program is by now; None where all are complete."""
        left = (one for one in self._levels[-1].here if one.number > self._complete.get(one.queue, 0))
        return max(left, key=lambda sent: sent.number, default=None)

    def enter(self, statement: Node) -> None:
        """Begin with the statement of a branch or a loop."""
        may_leave = any(isinstance(node, ast.Break | ast.Continue) for node in early_ends(statement))
        self._levels.append(_Level(may_leave, dict(self._last)))

    def leave(self) -> None:
        """End with it: what was not waited for there may be outstanding.

        Nothing need have been enqueued there, so that what such a command comes after need not be complete when nothing
        is left of it; but a queue in order has kept its order.
        """
        level, around = self._levels.pop(), self._levels[-1]
        left = list({id(sent): sent for sent in (*level.sent, *level.left)}.values())
        around.sent += left
        around.here += left
        around.every += level.every
        for sent in level.every:
            is_last = self._last.get(sent.queue) is sent and sent.is_in_order
            sent.before = (level.last[sent.queue],) if is_last and sent.queue in level.last else ()

    def leave_early(self) -> None:
        """Leave branches and loops in the middle: what may go on there may go on behind them."""
        for level in reversed(self._levels):
            if not level.may_leave:
                return
            level.left += level.here

    def enqueued(self, call: ast.Call, event: str | None, *, in_order: bool, required: Iterable[Sent] = ()) -> Sent:
        """A command, by the call that enqueues it, which comes after the `required`; its event has a name, if any."""
        first = call.arguments[0]
        queue = first.text if isinstance(first, ast.Name) else ""
        lists = (one for one in call.arguments if isinstance(one, ast.Call) and one.function.text == _WAIT_LIST)
        waits = [one for listed in lists for one in listed.arguments]
        named = (self._by_event.get(one.text) for one in waits if isinstance(one, ast.Name))
        before = [*required, *(one for one in named if one is not None)]
        if in_order and queue in self._last:
            before.append(self._last[queue])
        if (barrier := self._barriers.get(queue)) is not None:
            before.append(barrier)
        is_barrier = call.function.text == _BARRIER
        if is_barrier and not waits:
            before += [sent for sent in self._levels[-1].here if sent.queue == queue]
        self.number += 1
        sent = Sent(queue, tuple(before), in_order, self.number, call.span)
        self._last[queue] = sent
        if is_barrier:
            self._barriers[queue] = sent
        self._levels[-1].sent.append(sent)
        self._levels[-1].every.append(sent)
        self._levels[-1].here.append(sent)
        if event is not None:
            self._by_event[event] = sent
        return sent

    def waited(self, events: Iterable[ast.Name]) -> None:
        """The host waits for events."""
        self.complete(self._by_event[one.text] for one in events if one.text in self._by_event)

    def finished(self, queue: str) -> None:
        """The host waits for all commands of a queue."""
        level = self._levels[-1]
        self.complete([sent for sent in (*level.sent, *level.here) if sent.queue == queue])

    def complete(self, commands: Iterable[Sent]) -> None:
        """Commands are complete, and so is what they depend on: for sure if the wait is always come to."""
        done, complete = [*commands], set[int]()
        while done:
            sent = done.pop()
            if id(sent) not in complete:
                complete.add(id(sent))
                done += sent.before
                if sent.is_in_order and len(self._levels) == 1:
                    self._complete[sent.queue] = max(sent.number, self._complete.get(sent.queue, 0))
        level = self._levels[-1]
        level.here = [sent for sent in level.here if id(sent) not in complete]
        level.sent = [sent for sent in level.sent if id(sent) not in complete]


def without_frees(body: ast.Block) -> tuple[ast.Block, tuple[ast.Name, ...]]:
    """The body of a host task without what gives back memory at its end, and the names of that."""
    kept = list(body.statements)
    found: list[ast.Name] = []
    while kept:
        match kept[-1]:
            case ast.ExpressionStatement(ast.Call(ast.Name(text), (ast.Name() as given, _))) if plain(text) == "free":
                found.insert(0, given)
                kept.pop()
            case _:
                break
    return replace(body, statements=tuple(kept)), tuple(found)


def is_apart(names: Iterable[str], aliases: Aliases, node: Node, body: Node) -> bool:
    """Whether a body makes memory that a statement of it gives back, and nothing behind that uses the memory.

    What gives back other memory is no use, and may name a pointer that leads there.
    """
    objects = set(names)
    sought = _holding(aliases.leading_to(objects), body)
    is_behind, is_made, apart = False, False, set[int]()
    for one in walk([body]):
        is_here = type(one) is type(node) and one.span == node.span
        # The memory has another name in a second call of a function; the queue may have another one by now.
        if one is node or (is_here and names_in(one) & sought == names_in(node) & sought):
            is_behind = True
            apart |= {id(part) for part in walk([one])}
        elif is_behind and (given := _given_back(one)) is not None and aliases.object_of(given.text) not in objects:
            apart.add(id(given))
        elif isinstance(one, ast.Declarator) and one.name.text in objects:
            is_made = True
        elif is_behind and isinstance(one, ast.Name) and one.text in sought and id(one) not in apart:
            return False
    return is_behind and is_made


def _holding(names: Collection[str], body: Node) -> frozenset[str]:
    """Names, and those of lambdas and objects that are made of what they stand for: they lead there, too."""
    found = set(names)
    declared = [one for one in walk([body]) if isinstance(one, tree.ObjectDeclarator | ast.Declarator)]
    while True:
        fresh = {
            one.name.text
            for one in declared
            if one.name.text not in found
            and any(isinstance(part, ast.Name) and part.text in found for part in walk(_held(one)))
        }
        if not fresh:
            return frozenset(found)
        found |= fresh


def _held(one: tree.ObjectDeclarator | ast.Declarator) -> tuple[Node, ...]:
    """What an object is made of, or the lambda that it is; nothing of a number."""
    if isinstance(one, tree.ObjectDeclarator):
        # The event of a command leads nowhere.
        return tuple(part for part in one.arguments if not isinstance(part, tree.MemberCall))
    value = one.initializer
    return (value,) if isinstance(value, tree.Lambda | ast.InitializerList | tree.Construction) else ()


def _given_back(node: Node) -> ast.Name | None:
    """The name that a call gives back; None for anything else."""
    match node:
        case ast.Call(ast.Name(text), (given, *_)) if plain(text) in GIVES_BACK:
            found = without_casts(given)
            return found if isinstance(found, ast.Name) else None
        case _:
            return None
