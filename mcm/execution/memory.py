"""Private variables and memory of one thread under symbolic execution: places are read and written here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, assert_never

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError, Note
from mcm.execution.algebra import (
    FALSE,
    TRUE,
    binary,
    conjunction,
    disjunction,
    facts,
    leaves,
    negation,
    select,
    under,
)
from mcm.execution.event import Event, EventKind
from mcm.execution.expression import BinaryValue, Constant, ReadValue
from mcm.execution.sequencing import NOTHING, Effects, FullExpression, PrivateAccess
from mcm.execution.skeleton import Fault
from mcm.program import instruction as hir
from mcm.program.types import Location, PointerType, RegisterPointer, Scalar

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.execution.event import BarrierInstance
    from mcm.execution.expression import Expression
    from mcm.execution.shared import Shared
    from mcm.program.program import Thread
    from mcm.program.types import Flag, Order, Scope

# What a place can be: private variables, each with its condition.
Cases = list[tuple["Expression", str]]


class Variable(Struct):
    """What a private variable holds, and the condition under which it has been given a value at all."""

    value: Expression
    defined: Expression


class Memory(ABC):
    """The state of one thread, and its accesses.

    `done` is the mask of all events before the current full expression. Methods take the guard under which they
    happen and the mask `after` of events that are sequenced before them.
    """

    def __init__(self, shared: Shared, thread: Thread) -> None:
        self.shared = shared
        self.thread = thread
        self.variables = {
            r.name: Variable(Constant(r.initial or 0), FALSE if r.initial is None else TRUE) for r in thread.registers
        }
        self.done = 0
        self.full = FullExpression()
        self.iteration: tuple[int, ...] = ()

    @abstractmethod
    def expression(self, node: hir.Expression, guard: Expression, after: int) -> tuple[Expression, Effects]:
        """The value and the effects of an expression."""

    # --- events and private variables ---------------------------------------------------------------------------------

    def event(  # noqa: PLR0913 - an event is its attributes
        self,
        kind: EventKind,
        guard: Expression,
        after: int,
        span: Span,
        *,
        address: Expression | None = None,
        value: Expression | None = None,
        order: Order | None = None,
        scope: Scope | None = None,
        flags: frozenset[Flag] = frozenset(),
        barrier: BarrierInstance | None = None,
        plain: bool = False,
    ) -> int:
        """Add an event to the skeleton; `plain` marks accesses that are no call of their own."""
        identifier = len(self.shared.events)
        self.shared.events.append(
            Event(
                identifier=identifier,
                kind=kind,
                thread=self.thread.index,
                guard=guard,
                address=address,
                locations=() if address is None else self.sorted_locations(address),
                value=value,
                order=order,
                scope=scope,
                flags=flags,
                atomic=kind.is_access and order is not None,
                barrier=barrier,
                span=span,
            )
        )
        self.full.before[identifier] = after
        if plain:
            self.full.plain.append(identifier)
        return identifier

    def fault(self, kind: str, rule: str, condition: Expression, why: str, *spans: Span) -> None:
        """Note undefined behaviour of the program's values."""
        if condition is not FALSE:
            self.shared.faults.append(Fault(kind, rule, condition, why, (), spans))

    def read_variable(self, name: str, guard: Expression, span: Span) -> Expression:
        """The value of a private variable; reading it before it has one is a fault (INIT-2)."""
        variable = self.variables[name]
        known = facts(guard)
        if variable.defined is not TRUE:
            undefined = conjunction(guard, negation(under(variable.defined, known)))
            why = f"'{name}' is read before it has been given a value"
            self.fault("uninitialised-read", "INIT-2", undefined, why, span)
        return under(variable.value, known)

    def write_variable(self, name: str, guard: Expression, value: Expression) -> None:
        """Assign to a private variable under a guard."""
        variable = self.variables[name]
        variable.value = select(guard, value, variable.value)
        variable.defined = disjunction(variable.defined, guard)

    # --- places -------------------------------------------------------------------------------------------------------

    def possible_locations(self, address: Expression) -> frozenset[Location]:
        """Everything that an address can be, supposing that it is valid."""
        found: set[Location] = set()
        for _, leaf in leaves(address):
            match leaf:
                case Constant(Location() as location):
                    found.add(location)
                case BinaryValue(_, left, right, PointerType()):
                    bases = self.possible_locations(left) | self.possible_locations(right)
                    objects = {base.object for base in bases}
                    found.update(location for location in self.shared.locations if location.object in objects)
                case ReadValue():
                    found.update(self.shared.stored_addresses)
                case _:
                    pass
        return self.shared.locations & found

    def sorted_locations(self, address: Expression) -> tuple[Location, ...]:
        """The same in order."""
        if isinstance(address, Constant):
            return (address.value,) if address.value in self.shared.locations else ()
        return tuple(sorted(self.possible_locations(address)))

    def validity(self, address: Expression) -> Expression:
        """The condition that an address is that of an element of some memory object."""
        result: Expression = FALSE
        for condition, leaf in leaves(address):
            candidates = self.sorted_locations(leaf)
            if isinstance(leaf, Constant):
                valid: Expression = TRUE if candidates else FALSE
            else:
                valid = disjunction(*(binary("==", leaf, Constant(c), Scalar.INT) for c in candidates))
            result = disjunction(result, conjunction(condition, valid))
        return result

    def checked(self, address: Expression, guard: Expression, span: Span) -> Expression:
        """The guard under which an access to the address happens; anything else is a fault."""
        if isinstance(address, Constant) and address.value in self.shared.locations:
            return guard
        valid = under(self.validity(address), facts(guard))
        private: Expression = FALSE
        for condition, leaf in leaves(address):
            if isinstance(leaf, Constant) and isinstance(leaf.value, RegisterPointer):
                private = disjunction(private, condition)
        why = "an atomic operation on private memory is undefined"
        self.fault("private-atomic", "AS-5", conjunction(guard, private), why, span)
        outside = conjunction(guard, negation(valid), negation(private))
        why = "the address is not that of an element of a memory object"
        self.fault("out-of-bounds", "MEM-BOUNDS", outside, why, span)
        return conjunction(guard, valid)

    def load(self, address: Expression, guard: Expression, after: int, span: Span) -> tuple[Expression, Effects]:
        """A plain load through an address, which may be that of a private variable in some cases."""
        value: Expression = Constant(0)
        effects = NOTHING
        for condition, pointer in self.split(address):
            case = conjunction(guard, condition)
            if isinstance(pointer, Constant) and isinstance(pointer.value, RegisterPointer):
                name = self.pointed_variable(pointer.value, case, span)
                if name is not None:
                    read, accessed = self.read_private([(TRUE, name)], case, span)
                    value = select(condition, read, value)
                    effects |= accessed
                continue
            case = self.checked(pointer, case, span)
            if case is FALSE:
                continue
            event = self.event(EventKind.READ, case, after, span, address=pointer, plain=True)
            value = select(condition, select(under(case, facts(guard)), ReadValue(event), Constant(0)), value)
            effects |= Effects(values=1 << event)
        return value, effects

    def store(self, address: Expression, value: Expression, guard: Expression, after: int, span: Span) -> Effects:
        """A plain store through an address; its events are pending side effects."""
        effects = NOTHING
        for condition, pointer in self.split(address):
            case = conjunction(guard, condition)
            if isinstance(pointer, Constant) and isinstance(pointer.value, RegisterPointer):
                name = self.pointed_variable(pointer.value, case, span)
                if name is not None:
                    effects |= self.write_private([(TRUE, name)], case, value, span)
                continue
            case = self.checked(pointer, case, span)
            if case is not FALSE:
                event = self.event(EventKind.WRITE, case, after, span, address=pointer, value=value, plain=True)
                effects |= Effects(pending=1 << event)
        return effects

    def split(self, address: Expression) -> list[tuple[Expression, Expression]]:
        """The cases of an address that lead to private variables, and one case each for the rest."""
        cases = leaves(address)
        if any(isinstance(leaf, Constant) and isinstance(leaf.value, RegisterPointer) for _, leaf in cases):
            return cases
        return [(TRUE, address)]

    def pointed_variable(self, pointer: RegisterPointer, guard: Expression, span: Span) -> str | None:
        """The private variable that a pointer leads to; None, and a fault, when it leads beside it."""
        element = f"{pointer.register}[{pointer.offset}]"
        if element in self.variables:
            return element
        if pointer.offset == 0 and pointer.register in self.variables:
            return pointer.register
        self.fault("out-of-bounds", "MEM-BOUNDS", guard, f"the address is outside '{pointer.register}'", span)
        return None

    def private_place(
        self, place: hir.RegisterPlace | hir.ElementPlace, guard: Expression, after: int
    ) -> tuple[Cases, Effects]:
        """The private variables that a place can be; the index of an element is evaluated, once."""
        if isinstance(place, hir.RegisterPlace):
            return [(TRUE, place.register)], NOTHING
        index, effects = self.expression(place.index, guard, after)
        cases = [(binary("==", index, Constant(i), Scalar.INT), f"{place.array}[{i}]") for i in range(place.length)]
        inside = disjunction(*(condition for condition, _ in cases))
        self.fault(
            "out-of-bounds",
            "MEM-BOUNDS",
            conjunction(guard, negation(inside)),
            f"the index is outside '{place.array}', which has {place.length} elements",
            place.span,
        )
        return [(condition, name) for condition, name in cases if condition is not FALSE], effects

    def read_private(self, cases: Cases, guard: Expression, span: Span) -> tuple[Expression, Effects]:
        """The value of a private variable."""
        value: Expression = Constant(0)
        accesses = []
        for condition, name in cases:
            case = conjunction(guard, condition)
            value = select(condition, self.read_variable(name, case, span), value)
            accesses.append(PrivateAccess(name, case, writes=False, pending=False, span=span))
        return value, Effects(private=tuple(accesses))

    def write_private(self, cases: Cases, guard: Expression, value: Expression, span: Span) -> Effects:
        """Assign to a private variable."""
        accesses = []
        for condition, name in cases:
            case = conjunction(guard, condition)
            self.write_variable(name, case, value)
            accesses.append(PrivateAccess(name, case, writes=True, pending=True, span=span))
        return Effects(private=tuple(accesses))

    def read_place(self, place: hir.Place, guard: Expression, after: int) -> tuple[Expression, Effects]:
        """The value at a place."""
        match place:
            case hir.RegisterPlace() | hir.ElementPlace():
                cases, effects = self.private_place(place, guard, after)
                value, read = self.read_private(cases, guard, place.span)
                return value, self.following(effects, read)
            case hir.MemoryPlace(address, _):
                pointer, effects = self.expression(address, guard, after)
                value, loaded = self.load(pointer, guard, after | effects.values, place.span)
                return value, self.following(effects, loaded)
            case _:
                assert_never(place)

    def write_place(
        self, place: hir.Place, guard: Expression, after: int, value: Expression, effects: Effects, span: Span
    ) -> Effects:
        """Assign a value, computed with some effects, to a place; the new effects include those."""
        match place:
            case hir.RegisterPlace() | hir.ElementPlace():
                cases, found = self.private_place(place, guard, after)
                effects = self.beside(effects, found)
                stored = self.write_private(cases, guard, value, span)
            case hir.MemoryPlace(address, _):
                pointer, found = self.expression(address, guard, after)
                effects = self.beside(effects, found)
                stored = self.store(pointer, value, guard, after | effects.values, span)
            case _:
                assert_never(place)
        return self.following(effects, stored)

    # --- sequencing ---------------------------------------------------------------------------------------------------

    def beside(self, one: Effects, other: Effects) -> Effects:
        """The effects of two evaluations without a sequence point between them."""
        self._conflict(one.private, other.private)
        return one | other

    def following(self, effects: Effects, access: Effects) -> Effects:
        """The effects with those of an access that needs their values: it does not come after their stores."""
        self._conflict(effects.unfinished, access.private)
        return effects | access

    def _conflict(self, one: tuple[PrivateAccess, ...], other: tuple[PrivateAccess, ...]) -> None:
        """Unsequenced accesses of a private variable are undefined if one of them writes (DR-3)."""
        if not one or not other:
            return
        clashes: dict[str, list[tuple[PrivateAccess, PrivateAccess]]] = {}
        for first in one:
            for second in other:
                if first.name != second.name or not (first.writes or second.writes):
                    continue
                if first.called or second.called:
                    self._refuse_open_order(first, second)
                else:
                    clashes.setdefault(first.name, []).append((first, second))
        for name, pairs in sorted(clashes.items()):
            both = disjunction(*(conjunction(first.guard, second.guard) for first, second in pairs))
            why = f"'{name}' is changed and accessed in one expression without a sequence point in between"
            self.fault("unsequenced-race", "DR-3", both, why, *(access.span for access in pairs[0]))

    def _refuse_open_order(self, first: PrivateAccess, second: PrivateAccess) -> None:
        """A call comes wholly before or after another access. Only for memory are both orders looked at."""
        if conjunction(first.guard, second.guard) is FALSE:
            return
        other = (second if first.called else first).span
        message = f"it is open in C whether '{first.name}' is accessed here before the call changes it, or after"
        note = Note("the call", (first if first.called else second).span)
        raise InputError(Diagnostic("E154", message, other, notes=(note,)))
