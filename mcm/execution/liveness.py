"""Which private variables matter at the head of each loop: those that are read before they are written again.

A backward analysis of the instructions of one thread. It may call a variable live that is not, never the other way
round: elements of arrays are told apart only by constant indices, and what has its address taken is always live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from msgspec import Struct

from mcm.execution.outcome import observables
from mcm.program import instruction as hir
from mcm.program.condition import RegisterName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.program import Program

Names = frozenset[str]
_NONE: Final[Names] = frozenset()


class _Live(Struct, frozen=True):
    """What is live where control may go from a statement: behind it, at `break`, at `continue`, at `return`."""

    behind: Names
    at_break: Names
    at_continue: Names
    at_return: Names


def observed_registers(program: Program) -> dict[int, Names]:
    """For each thread the private variables whose final values can matter: those that are named, or all if none is."""
    condition, passes = program.condition, program.filter
    named = {*program.locations, *(observables(condition.proposition) if condition is not None else ())}
    if not named:
        return {thread.index: frozenset(register.name for register in thread.registers) for thread in program.threads}
    if passes is not None:
        named.update(observables(passes))
    found: dict[int, set[str]] = {thread.index: set() for thread in program.threads}
    for what in named:
        if isinstance(what, RegisterName):
            found[what.thread].add(what.register)
    return {thread: frozenset(names) for thread, names in found.items()}


class Used(Struct, frozen=True):
    """The private variables that an expression may read, surely writes, and whose address it takes."""

    read: Names
    written: Names
    exposed: Names


class LiveAt(Struct, frozen=True):
    """The variables that are live in a loop: where an iteration begins, and before its body.

    They differ where the body is behind a test of variables that it computes anew.
    """

    head: Names
    body: Names


def live_at_loops(body: hir.Block, at_end: Names, used: dict[int, Used]) -> dict[int, LiveAt]:
    """What is live in each loop of a thread, by the identity of its node.

    `used` keeps what expressions use, by their identities: work-items of a launch share most of theirs.
    """
    analysis = _Analysis(used)
    analysis.run(body, at_end)
    return {loop: LiveAt(head, analysis.bodies[loop]) for loop, head in analysis.heads.items()}


class _Analysis:
    def __init__(self, used: dict[int, Used]) -> None:
        self._used: Final = used
        self._exposed = _NONE
        self.heads: Final[dict[int, Names]] = {}
        self.bodies: Final[dict[int, Names]] = {}

    def run(self, body: hir.Block, at_end: Names) -> None:
        """Analyse the body of a thread."""
        self._exposed = frozenset().union(*(self._uses(each).exposed for each in _expressions(body)))
        self.before(body, _Live(at_end, _NONE, _NONE, at_end))

    def before(self, node: hir.Statement, live: _Live) -> Names:
        """What is live before a statement."""
        match node:
            case hir.Evaluate(expression):
                return self._before(expression, live.behind)
            case hir.Declare():
                after = live.behind - _declared(node)
                for initializer in reversed(node.initializer or ()):
                    after = self._before(initializer, after)
                return after
            case hir.Block(statements):
                behind = live.behind
                for statement in reversed(statements):
                    behind = self.before(statement, _Live(behind, live.at_break, live.at_continue, live.at_return))
                return behind
            case hir.If(condition, then, otherwise):
                return self._before(condition, self.before(then, live) | self.before(otherwise, live))
            case hir.Switch(condition, arms):
                behind = live.behind
                entered = live.behind
                for arm in reversed(arms):
                    around = _Live(behind, live.behind, live.at_continue, live.at_return)
                    behind = self.before(arm.body, around)
                    entered |= behind
                return self._before(condition, entered)
            case hir.Inlined(body):
                return self.before(body, _Live(live.behind, _NONE, _NONE, live.behind))
            case hir.Loop():
                return self._before_loop(node, live)
            case hir.Return():
                return live.at_return
            case hir.Break():
                return live.at_break
            case hir.Continue():
                return live.at_continue
            case hir.Fence() | hir.Barrier():
                return live.behind
            case _:
                assert_never(node)

    def _before_loop(self, node: hir.Loop, live: _Live) -> Names:
        """What is live at the head of a loop: the smallest solution of its equations."""
        head = self.heads.get(id(node), self._exposed)
        while True:
            again = head if node.step is None else self._before(node.step, head)
            if node.tests_first:
                body = self.before(node.body, _Live(again, live.behind, again, live.at_return))
                wider = head | self._before(node.condition, live.behind | body)
            else:
                test = self._before(node.condition, live.behind | head)
                body = self.before(node.body, _Live(test, live.behind, test, live.at_return))
                wider = head | body
            self.heads[id(node)], self.bodies[id(node)] = wider, body | self._exposed
            if wider == head:
                return head
            head = wider

    def _before(self, expression: hir.Expression, after: Names) -> Names:
        """What is live before a full expression: what it reads, and what is live after it unless it is always written.

        What is read only for a variable that is not live after it does not matter.
        """
        match expression:
            case hir.Sequence(left, right, _):
                return self._before(left, self._before(right, after))
            case hir.Assign(hir.RegisterPlace(register, _), value, _) | hir.Modify(
                _, hir.RegisterPlace(register, _), value, _, _, _
            ) if register not in after and is_private(value):
                return after
        uses = self._uses(expression)
        return uses.read | (after - uses.written)

    def _uses(self, expression: hir.Expression) -> Used:
        """What an expression uses."""
        known = self._used.get(id(expression))
        if known is None:
            known = Used(*map(frozenset, (read_by(expression), _always_written(expression), _exposed(expression))))
            self._used[id(expression)] = known
        return known


def is_private(node: hir.Expression) -> bool:
    """Whether an expression only computes with private variables."""
    match node:
        case hir.Literal() | hir.Read(hir.RegisterPlace(), _):
            return True
        case hir.Unary(_, operand, _) | hir.Convert(operand, _):
            return is_private(operand)
        case hir.Binary(_, left, right, _, _):
            return is_private(left) and is_private(right)
        case _:
            return False


def _declared(node: hir.Declare) -> Names:
    if node.length is None:
        return frozenset({node.register})
    return frozenset(f"{node.register}[{i}]" for i in range(node.length))


def _parts(node: hir.Expression) -> tuple[hir.Expression | hir.Place, ...]:
    """The operands and places of an expression."""
    match node:
        case hir.Literal():
            return ()
        case hir.Read(place, _) | hir.AddressOfRegister(place, _):
            return (place,)
        case (
            hir.Unary(_, operand, _)
            | hir.Convert(operand, _)
            | hir.InRegion(operand)
            | hir.Inside(operand)
            | hir.MemberAddress(operand)
        ):
            return (operand,)
        case hir.Binary() | hir.Logical() | hir.Sequence():
            return (node.left, node.right)
        case hir.Conditional(condition, then, otherwise, _):
            return (condition, then, otherwise)
        case hir.Assign() | hir.Modify():
            return (node.place, node.value)
        case hir.AtomicLoad():
            return (node.address,)
        case hir.AtomicStore() | hir.AtomicInit():
            return (node.address, node.value)
        case hir.AtomicUpdate():
            return (node.address, node.operand)
        case hir.CompareExchange():
            return (node.address, node.expected, node.desired)
        case hir.LegacyCompareExchange():
            return (node.address, node.expected, node.desired)
        case hir.Enqueue(_, passed):
            return passed
        case hir.AboutCommands():
            return ()
        case hir.AsyncCopy() | hir.AwaitCopies():
            return node.arguments
        case hir.PipeAction():
            return node.arguments if node.place is None else (*node.arguments, node.place)
        case hir.Collective():
            return (node.operand,) if node.lane is None else (node.operand, node.lane)
        case _:
            assert_never(node)


def _names(place: hir.RegisterPlace | hir.ElementPlace) -> tuple[str, ...]:
    """The variables that a place can be."""
    if isinstance(place, hir.RegisterPlace):
        return (place.register,)
    if isinstance(place.index, hir.Literal):
        return (f"{place.array}[{place.index.value}]",)
    return tuple(f"{place.array}[{i}]" for i in range(place.length))


def read_by(node: hir.Expression | hir.Place) -> Iterator[str]:
    """The private variables that an expression may read."""
    match node:
        case hir.RegisterPlace() | hir.ElementPlace():
            yield from _names(node)
            if isinstance(node, hir.ElementPlace):
                yield from read_by(node.index)
        case hir.MemoryPlace(address, _):
            yield from read_by(address)
        case hir.Assign(hir.RegisterPlace(), value, _):
            yield from read_by(value)
        case hir.Assign(hir.ElementPlace(_, _, index, _), value, _):
            yield from read_by(index)
            yield from read_by(value)
        case _:
            for part in _parts(node):
                yield from read_by(part)


def _always_written(node: hir.Expression) -> Iterator[str]:
    """The private variables that an expression writes whatever its operands are."""
    match node:
        case hir.Assign(hir.RegisterPlace() | hir.ElementPlace() as place, value, _):
            names = _names(place)
            if len(names) == 1:
                yield from names
            yield from _always_written(value)
        case hir.Logical(_, first, _, _) | hir.Conditional(first, _, _, _):
            yield from _always_written(first)
        case _:
            for part in _parts(node):
                if not isinstance(part, (hir.RegisterPlace, hir.ElementPlace, hir.MemoryPlace)):
                    yield from _always_written(part)


def _expressions(node: hir.Statement) -> Iterator[hir.Expression]:
    """The full expressions of a statement."""
    match node:
        case hir.Evaluate(expression):
            yield expression
        case hir.Declare():
            yield from node.initializer or ()
        case hir.Block(statements):
            for statement in statements:
                yield from _expressions(statement)
        case hir.If(condition, then, otherwise):
            yield condition
            yield from _expressions(then)
            yield from _expressions(otherwise)
        case hir.Switch(condition, arms):
            yield condition
            for arm in arms:
                yield from _expressions(arm.body)
        case hir.Inlined(body):
            yield from _expressions(body)
        case hir.Loop():
            yield node.condition
            yield from _expressions(node.body)
            if node.step is not None:
                yield node.step
        case hir.Return() | hir.Break() | hir.Continue() | hir.Fence() | hir.Barrier():
            pass
        case _:
            assert_never(node)


def _exposed(node: hir.Expression | hir.Place) -> Iterator[str]:
    """The private variables whose address an expression takes."""
    match node:
        case hir.AddressOfRegister(hir.RegisterPlace(register, _), _):
            yield register
        case hir.AddressOfRegister(hir.ElementPlace(array, length, index, _), _):
            yield from (f"{array}[{i}]" for i in range(length))
            yield from _exposed(index)
        case hir.RegisterPlace():
            pass
        case hir.ElementPlace(_, _, index, _):
            yield from _exposed(index)
        case hir.MemoryPlace(address, _):
            yield from _exposed(address)
        case _:
            for part in _parts(node):
                yield from _exposed(part)
