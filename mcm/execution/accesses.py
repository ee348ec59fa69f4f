"""Accesses of one thread: to memory, and to its private variables."""

from __future__ import annotations

from functools import lru_cache
from itertools import count, takewhile
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.diagnostic import Diagnostic, InputError, Note
from mcm.execution.addresses import InPrivate, privacy, split, validity
from mcm.execution.algebra import FALSE, TRUE, ZERO, binary, conjunction, disjunction, negation, select
from mcm.execution.event import EventKind
from mcm.execution.expression import Constant, ReadValue
from mcm.execution.sequencing import NOTHING, Effects, PrivateAccess
from mcm.execution.supposition import RunCounter, Supposition
from mcm.program.lacking_value import why_lacking, why_lacking_behind_pointer
from mcm.program.members import is_member
from mcm.program.types import NO_VALUE, RegisterPointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm.base.source import Span
    from mcm.execution.expression import Expression
    from mcm.execution.path import Path
    from mcm.execution.recorder import Recorder
    from mcm.program import instruction as hir


class Variables(Struct, frozen=True, gc=False):
    """The private variables that a place can be, each with its condition."""

    cases: tuple[tuple[Expression, str], ...]


class Pointed(Struct, frozen=True, gc=False):
    """The place that an address leads to."""

    address: Expression


# Why a read finds no value: of a member of a structure, and of what an accessor with `no_init` gave up, `free`, or the
# end of a variable.
_NEVER_GIVEN: Final = "a memory object is read before it has been given a value"
_GIVEN_UP: Final = (
    "what the memory held was given up, by 'no_init', 'free' or the end of its block, and nothing is written there "
    "before it is read"
)

# Of how many arrays the names of the elements are kept.
_ARRAYS: Final = 64


@lru_cache(_ARRAYS)
def _elements(array: str, length: int) -> tuple[str, ...]:
    """The private variables that are the elements of an array."""
    return tuple(f"{array}[{index}]" for index in range(length))


# A place whose index or address has been evaluated.
Target = Variables | Pointed


class Accesses:
    """The accesses of one thread. What a condition limits is done only where it holds on the path."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder: Final = recorder
        self._shared: Final = recorder.shared
        supposed = recorder.shared.foreknown.supposed
        self._reads: Final = RunCounter(supposed, recorder.thread.index) if supposed else None

    # --- places -------------------------------------------------------------------------------------------------------

    def element(self, place: hir.ElementPlace, index: Expression, path: Path) -> Variables:
        """The element of a private array; an index outside is a fault."""
        why = f"the index is outside '{place.array}', which has {place.length} elements"
        return self._one_of(_elements(place.array, place.length), index, path.guarded(TRUE), why, place.span)

    def _one_of(self, names: Sequence[str], index: Expression, guard: Expression, why: str, span: Span) -> Variables:
        """The private variable of this index; that there is none is a fault."""
        cases: list[tuple[Expression, str]]
        if isinstance(index, Constant):
            number = index.value
            cases = [(TRUE, names[number])] if isinstance(number, int) and 0 <= number < len(names) else []
        else:
            cases = [(binary("==", index, Constant(i), Scalar.LONG), name) for i, name in enumerate(names)]
        outside = conjunction(guard, negation(disjunction(*(condition for condition, _ in cases))))
        self._recorder.fault("out-of-bounds", "MEM-BOUNDS", outside, why, span, operand=index)
        return Variables(tuple((condition, name) for condition, name in cases if condition is not FALSE))

    def check_index(self, node: hir.Inside, index: Expression, path: Path) -> None:
        """An index that is that of no element is a fault."""
        type_ = node.operand.type
        inside = binary("<", index, Constant(node.count), type_)
        if isinstance(type_, Scalar) and type_.signed:
            inside = conjunction(inside, binary(">=", index, ZERO, type_))
        outside = path.guarded(negation(inside))
        self._recorder.fault("out-of-bounds", "MEM-BOUNDS", outside, node.why, node.span, operand=index)

    def valid(
        self, address: Expression, path: Path, span: Span, access: EventKind, condition: Expression = TRUE
    ) -> Expression:
        """The condition under which an access to the address happens; anything else is a fault."""
        if isinstance(address, Constant) and address.value in self._shared.locations:
            return condition
        valid = path.simplified(validity(address, self._shared), condition)
        private = privacy(address)
        why = "an atomic operation on private memory is undefined"
        rule = self._shared.program.dialect.private_atomic_rule
        self._recorder.fault(
            "private-atomic", rule, path.guarded(conjunction(condition, private)), why, span, access=access
        )
        outside = path.guarded(conjunction(condition, negation(valid), negation(private)))
        why = self._shared.program.outside(address.value if isinstance(address, Constant) else None)
        self._recorder.fault("out-of-bounds", "MEM-BOUNDS", outside, why, span, operand=address, access=access)
        return conjunction(condition, valid)

    # --- accesses -----------------------------------------------------------------------------------------------------

    def read(self, target: Target, path: Path, after: int, span: Span) -> tuple[Expression, Effects]:
        """The value at a place; a load that is not atomic where the place is in memory."""
        if isinstance(target, Variables):
            return self._read_variables(target, path, TRUE, span)
        value: Expression = ZERO
        effects = NOTHING
        for condition, pointer in split(target.address):
            if isinstance(pointer, InPrivate):
                pointed = self._pointed(pointer, path, condition, span)
                read, accessed = self._read_variables(pointed, path, condition, span, why_lacking_behind_pointer)
                value = select(condition, read, value)
                effects |= accessed
                continue
            case = self.valid(pointer, path, span, EventKind.READ, condition)
            if (read_by := self._read_memory(pointer, path, case, after, span)) is None:
                continue
            event, found = read_by
            self.ask(event, found)
            value = select(condition, select(case, found, ZERO), value)
            effects |= Effects(values=1 << event)
        return value, effects

    def copied(self, target: Target, path: Path, after: int, span: Span) -> tuple[Expression, Expression, Effects]:
        """What a member of a structure that is copied holds, and where that is a value, which is not asked for."""
        if isinstance(target, Variables):
            return self._copied_variables(target, path, TRUE, span)
        value: Expression = ZERO
        defined: Expression = TRUE
        effects = NOTHING
        for condition, pointer in split(target.address):
            if isinstance(pointer, InPrivate):
                pointed = self._pointed(pointer, path, condition, span)
                copied, is_one, accessed = self._copied_variables(pointed, path, condition, span)
            else:
                case = self.valid(pointer, path, span, EventKind.READ, condition)
                if (read_by := self._read_memory(pointer, path, case, after, span)) is None:
                    continue
                event, found = read_by
                copied, accessed = select(case, found, ZERO), Effects(values=1 << event)
                is_one = disjunction(negation(case), has_value(found)) if self._may_lack_value(event) else TRUE
            value, defined = select(condition, copied, value), select(condition, is_one, defined)
            effects |= accessed
        return value, defined, effects

    def _read_memory(
        self, pointer: Expression, path: Path, case: Expression, after: int, span: Span
    ) -> tuple[int, Expression] | None:
        """The plain read of what a pointer points at, and what it finds; None where it is never executed."""
        guard = path.guarded(case)
        if guard is FALSE:
            return None
        event = self._recorder.event(EventKind.READ, guard, after, span, address=pointer, plain=True)
        return event, self._read_by(event, pointer, guard, span)

    def _may_lack_value(self, event: int) -> bool:
        """Whether an access may reach a member of a structure that has not been given a value."""
        lacking = self._shared.foreknown.lacking
        return bool(lacking) and any(place.object in lacking for place in self._shared.events[event].locations)

    def ask(self, event: int, found: Expression) -> None:
        """INIT-2: what a read has `found` has to be a value, unless it is a part of a structure that is copied."""
        if self._may_lack_value(event):
            read = self._shared.events[event]
            lacking = conjunction(read.guard, negation(has_value(found)))
            is_given_up = not any(is_member(self._shared.program.object_at(place)) for place in read.locations)
            why = _GIVEN_UP if is_given_up else _NEVER_GIVEN
            self._recorder.fault("uninitialised-read", "INIT-2", lacking, why, read.span, operand=read.address)

    def loaded_by(self, event: int, address: Expression, guard: Expression, span: Span) -> Expression:
        """What an atomic load returns, which is supposed where a run has loaded it."""
        following = None if self._reads is None else self._reads.following(span.start)
        found: Expression = ReadValue(event)
        if following is not None and isinstance(address, Constant):
            found = self._supposed(event, address, guard, following)
        self.ask(event, found)
        return found

    def _read_by(self, event: int, address: Expression, guard: Expression, span: Span) -> Expression:
        """What an event reads, which is known where nobody writes, and supposed where a run has read it."""
        following = None if self._reads is None else self._reads.following(span.start)
        if not isinstance(address, Constant):
            return ReadValue(event)
        known = self._shared.foreknown.unwritten.get(address.value)
        if known is not None:
            return known
        return ReadValue(event) if following is None else self._supposed(event, address, guard, following)

    def _supposed(self, event: int, address: Constant, guard: Expression, following: Supposition) -> Expression:
        """What is supposed of an access that is executed in any case, and of the address that it has."""
        if guard is not TRUE or following.location != address.value:
            return ReadValue(event)
        if not following.is_shown:
            self._shared.supposed[event] = following.value
        return following.value

    def write(
        self,
        target: Target,
        value: Expression,
        path: Path,
        after: int,
        span: Span,
        condition: Expression = TRUE,
        defined: Expression = TRUE,
    ) -> Effects:
        """Write a value to a place where a condition holds; events are pending side effects.

        It is a value where `defined` holds.
        """
        if isinstance(target, Variables):
            return self._write_variables(target, value, path, condition, span, defined)
        effects = NOTHING
        for leads_here, pointer in split(target.address):
            case = conjunction(condition, leads_here)
            if isinstance(pointer, InPrivate):
                pointed = self._pointed(pointer, path, case, span)
                effects |= self._write_variables(pointed, value, path, case, span, defined)
                continue
            case = self.valid(pointer, path, span, EventKind.WRITE, case)
            guard = path.guarded(case)
            if guard is not FALSE:
                stored = value
                if defined is not TRUE and defined != has_value(value):
                    stored = select(path.simplified(defined, case), value, Constant(NO_VALUE))
                self._shared.stores_none |= defined is not TRUE
                event = self._recorder.event(
                    EventKind.WRITE, guard, after, span, address=pointer, value=stored, plain=True
                )
                if self._shared.overwrites and self._recorder.iteration and isinstance(pointer, Constant):
                    path.state.stores = disjunction(path.state.stores, case)
                else:
                    path.state.have_effect(case)
                effects |= Effects(pending=1 << event)
        return effects

    def _pointed(self, pointer: InPrivate, path: Path, condition: Expression, span: Span) -> Variables:
        """The private variable that a pointer leads to; that it leads outside is a fault."""
        variables = path.state.variables
        if isinstance(pointer.index, Constant) and (one := f"{pointer.array}[{pointer.index.value}]") in variables:
            return Variables(((TRUE, one),))
        names = list(takewhile(variables.__contains__, (f"{pointer.array}[{i}]" for i in count())))
        if not names and pointer.array in variables:
            names = [pointer.array]
        why = f"the address is outside '{pointer.array}'"
        return self._one_of(names, pointer.index, path.guarded(condition), why, span)

    def _read_variables(
        self,
        target: Variables,
        path: Path,
        condition: Expression,
        span: Span,
        why: Callable[[str], str] = why_lacking,
    ) -> tuple[Expression, Effects]:
        value: Expression | None = None
        accesses = []
        for is_this, name in target.cases:
            case = is_this if condition is TRUE else conjunction(condition, is_this)
            found = self._read_variable(name, path, case, span, why)
            value = found if is_this is TRUE else select(is_this, found, value or ZERO)
            accesses.append(PrivateAccess(name, path.guarded(case), writes=False, pending=False, span=span))
        return value or ZERO, Effects(private=tuple(accesses))

    def _copied_variables(
        self, target: Variables, path: Path, condition: Expression, span: Span
    ) -> tuple[Expression, Expression, Effects]:
        """What the variables hold where a condition holds, and where that is a value."""
        value: Expression = ZERO
        defined: Expression = TRUE
        accesses = []
        for is_this, name in target.cases:
            case = is_this if condition is TRUE else conjunction(condition, is_this)
            variable = path.state.variables[name]
            value = select(is_this, path.simplified(variable.value, case), value)
            defined = select(is_this, path.simplified(variable.defined, case), defined)
            accesses.append(PrivateAccess(name, path.guarded(case), writes=False, pending=False, span=span))
        return value, defined, Effects(private=tuple(accesses))

    def _read_variable(
        self, name: str, path: Path, condition: Expression, span: Span, why: Callable[[str], str]
    ) -> Expression:
        """The value of a private variable; reading it before it has one is a fault (INIT-2)."""
        variable = path.state.variables[name]
        if variable.defined is not TRUE:
            undefined = conjunction(condition, negation(path.simplified(variable.defined, condition)))
            place = Constant(RegisterPointer(self._recorder.thread.index, name, 0))
            self._recorder.fault(
                "uninitialised-read", "INIT-2", path.guarded(undefined), why(name), span, operand=place
            )
        return path.simplified(variable.value, condition)

    def _write_variables(
        self,
        target: Variables,
        value: Expression,
        path: Path,
        condition: Expression,
        span: Span,
        defined: Expression,
    ) -> Effects:
        accesses = []
        for is_this, name in target.cases:
            case = is_this if condition is TRUE else conjunction(condition, is_this)
            path.state.assign(name, value, case, defined)
            accesses.append(PrivateAccess(name, path.guarded(case), writes=True, pending=True, span=span))
        return Effects(private=tuple(accesses))

    # --- sequencing ---------------------------------------------------------------------------------------------------

    def unsequenced(self, one: Effects, other: Effects) -> Effects:
        """The effects of two evaluations without a sequence point between them."""
        self._check_unsequenced(one.private, other.private)
        return one | other

    def following(self, effects: Effects, access: Effects) -> Effects:
        """The effects with those of an access that needs their values: it does not come after their stores."""
        if effects is NOTHING:
            return access
        self._check_unsequenced(effects.unfinished, access.private)
        return effects | access

    def _check_unsequenced(self, one: tuple[PrivateAccess, ...], other: tuple[PrivateAccess, ...]) -> None:
        """Unsequenced accesses of a private variable are undefined if one of them writes (DR-3)."""
        if not one or not other or not any(access.writes for access in (*one, *other)):
            return
        clashes: dict[str, list[tuple[PrivateAccess, PrivateAccess]]] = {}
        for first in one:
            for second in other:
                if first.name != second.name or not (first.writes or second.writes):
                    continue
                if first.called or second.called:
                    _refuse_open_order(first, second)
                else:
                    clashes.setdefault(first.name, []).append((first, second))
        for name, pairs in sorted(clashes.items()):
            both = disjunction(*(conjunction(first.guard, second.guard) for first, second in pairs))
            why = f"'{name}' is changed and accessed in one expression without a sequence point in between"
            self._recorder.fault("unsequenced-race", "DR-3", both, why, *(access.span for access in pairs[0]))


def has_value(found: Expression) -> Expression:
    """Whether what memory holds is a value at all."""
    return binary("!=", found, Constant(NO_VALUE), Scalar.LONG)


def _refuse_open_order(first: PrivateAccess, second: PrivateAccess) -> None:
    """A call comes wholly before or after another access. Only for memory are both orders looked at."""
    if conjunction(first.guard, second.guard) is FALSE:
        return
    other = (second if first.called else first).span
    message = f"it is open in C whether '{first.name}' is accessed here before the call changes it, or after"
    note = Note("the call", (first if first.called else second).span)
    raise InputError(Diagnostic("E154", message, other, notes=(note,)))
