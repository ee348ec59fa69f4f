"""What a final state shows of a program: which registers and locations, under which names, with which values."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.answer.many_states import ManyStates
from mcm.answer.shown_states import ManyShownStates, ShownState
from mcm.base.frozen import FrozenMapping
from mcm.execution.outcome import observables
from mcm.program.condition import RegisterName
from mcm.program.float_arithmetic import shortest
from mcm.program.held_units import together
from mcm.program.types import Location, RegisterPointer, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.answer.answer import State, Varying
    from mcm.answer.execution import Execution
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.program.condition import Observable
    from mcm.program.program import Program, Register
    from mcm.program.types import Value


def observed_by(program: Program) -> tuple[Observable, ...]:
    """What the condition and `locations` name; all registers and locations when they name nothing.

    Registers come first, by thread, then locations: the order in which herd7 lists them.
    """
    named = set(observables(program.condition.proposition)) if program.condition else set()
    wanted = named.union(program.locations) or _everything(program)
    located = {what for what in wanted if isinstance(what, Location)}
    if any(program.objects[place.object].units > 1 for place in located):
        located = {unit for place in located for unit in _with_units(place, program)}
    owners = _owners(program)
    registers = (what for what in wanted if isinstance(what, RegisterName))
    ordered = sorted(registers, key=lambda what: (what.thread, *owners.get(what, (what.register, 0))))
    return (*ordered, *sorted(located))


def _owners(program: Program) -> dict[RegisterName, tuple[str, int]]:
    """The units of private variables: the variable, and the number of the unit in it."""
    return {
        RegisterName(thread.index, unit): (one.name, number)
        for thread in program.threads
        for one in thread.registers
        for number, unit in enumerate(one.units)
    }


def _with_units(place: Location, program: Program) -> Iterable[Location]:
    """All units of the element that a unit belongs to."""
    each = program.objects[place.object].units
    first = place.offset - place.offset % each
    return (Location(place.object, first + number) for number in range(each))


def _everything(program: Program) -> set[Observable]:
    registers = {
        RegisterName(thread.index, name)
        for thread in program.threads
        for register in thread.registers
        if not register.is_parameter and not register.is_hidden
        for name in register.units or (register.name,)
    }
    locations = {
        Location(index, offset)
        for index, memory_object in enumerate(program.objects)
        # Nobody but kernels knows what is in a pipe.
        for offset in range(0 if memory_object.capacity else len(memory_object.initial))
    }
    return {*registers, *locations}


def show_states(
    states: Iterable[State], observed: tuple[Observable, ...], program: Program, model: Model | None = None
) -> Sequence[ShownState]:
    """States with names and values as reports write them."""
    columns = columns_of(observed, program)
    if isinstance(states, ManyStates) and all(column.unit is None for column in columns):
        shown = tuple(
            tuple(_value(value, column, program) for value in known)
            for column, known in zip(columns, states.values, strict=True)
        )
        return ManyShownStates(tuple(column.name for column in columns), shown, states)
    return tuple(show_state(state, columns, program, model) for state in states)


class Column(Struct, frozen=True, gc=False):
    """What states show of a register or a location: its name, and the bits of its type where that is a floating one.

    One of memory that is held in units shows what `count` values of so many bits, `unit`, mean as a `whole`.
    """

    name: str
    bits: int | None
    count: int = 1
    unit: int | None = None
    whole: Scalar | None = None


def columns_of(observed: tuple[Observable, ...], program: Program) -> tuple[Column, ...]:
    """Registers and locations by the names that they have in data: registers by the number of their thread.

    Units of memory follow one another, so that those of an element are one column.
    """
    owners = _owners(program)
    shown = any(isinstance(what, RegisterName) for what in observed)
    registers = {
        RegisterName(thread.index, register.name): register
        for thread in program.threads
        for register in (thread.registers if shown else ())
    }
    found: list[Column] = []
    for what in observed:
        item = program.objects[what.object] if isinstance(what, Location) else None
        if isinstance(what, Location) and item is not None and item.whole is not None:
            if what.offset % item.units == 0:
                name, whole = item.declared_element(what.offset // item.units), item.whole
                bits = whole.bits if whole.is_floating else None
                found.append(Column(name, bits, item.units, item.unit_bits, whole))
            continue
        if isinstance(what, RegisterName) and what in owners:
            name, number = owners[what]
            if number == 0:
                found.append(_column_of_units(registers[RegisterName(what.thread, name)], registers[what], what.thread))
            continue
        type_ = registers[what].type if isinstance(what, RegisterName) else program.objects[what.object].type
        bits = type_.bits if isinstance(type_, Scalar) and type_.is_floating else None
        found.append(Column(_name(what, program), bits))
    return tuple(found)


def _column_of_units(one: Register, unit: Register, thread: int) -> Column:
    """What states show of a private variable, of which this is the first unit."""
    whole = one.type
    assert isinstance(whole, Scalar)
    assert isinstance(unit.type, Scalar)
    bits = whole.bits if whole.is_floating else None
    return Column(f"{thread}:{one.name}", bits, len(one.units), unit.type.bits, whole)


def names_in_words(observed: tuple[Observable, ...], program: Program) -> FrozenMapping[str, str]:
    """What reports for people write for names of what a program observes: `K[1]:r0` for `3:r0`, where the test does."""
    owners = _owners(program)
    named = (what for what in observed if isinstance(what, RegisterName))
    registers = [RegisterName(what.thread, owners[what][0]) if what in owners else what for what in named]
    units = {thread.index: program.show_unit(thread) for thread in program.threads} if registers else {}
    both = ((_name(what, program), f"{units[what.thread]}:{what.register}") for what in registers)
    return FrozenMapping({name: shown for name, shown in both if name != shown})


def show_state(state: State, columns: tuple[Column, ...], program: Program, model: Model | None = None) -> ShownState:
    """A state with these names, and values as reports write them."""
    values, left = {}, iter(state.values)
    for column in columns:
        own = list(islice(left, column.count))
        value = own[0]
        if column.unit is not None and column.whole is not None:
            value = together(own, column.unit, column.whole)
        values[column.name] = _value(value, column, program)
    names = [_name(what, program) for what in observed_by(program)] if state.varying else []
    return ShownState(
        FrozenMapping(values),
        state.satisfies,
        state.thin_air,
        state.executions,
        None if state.witness is None else _execution(state.witness, model),
        _example_of(state.varying, names, program),
    )


def _execution(witness: Candidate, model: Model | None) -> Execution:
    # Imported here: only pictures and exports ask for executions of states.
    from mcm.answer.execution import Execution  # noqa: PLC0415

    return Execution(witness, model)


def _example_of(varying: tuple[Varying, ...], names: Sequence[str], program: Program) -> str | None:
    """What a state is an example of: `0:r0 = 1:r0 + 1, any int`; None where its values are determined."""
    if not varying:
        return None
    in_words = names_in_words(observed_by(program), program)
    names = [in_words.get(name, name) for name in names]
    related = [_relation(names[each.index], names[each.base], each.offset) for each in varying if each.base is not None]
    free = [each for each in varying if each.base is None]
    is_named = bool(related) and len(free) == 1
    return ", ".join(
        [*related, *(_range(each.type) if is_named else f"{names[each.index]} = {_range(each.type)}" for each in free)]
    )


def _relation(name: str, base: str, offset: int) -> str:
    sign = "-" if offset < 0 else "+"
    return f"{name} = {base} {sign} {abs(offset)}" if offset else f"{name} = {base}"


def _range(type_: Scalar | None) -> str:
    return "one of several values" if type_ is None else f"any {type_.spelling}"


def _name(what: Observable, program: Program) -> str:
    if isinstance(what, RegisterName):
        return f"{what.thread}:{what.register}"
    return program.show_location(what)


def _value(value: Value, column: Column, program: Program) -> int | float | str:
    """An address by what it points at; a float by as few digits as tell it from others of its type."""
    if isinstance(value, (Location, RegisterPointer)):
        return program.show_value(value)
    return shortest(value, column.bits) if isinstance(value, float) and column.bits is not None else value
