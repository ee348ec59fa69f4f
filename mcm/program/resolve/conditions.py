"""Conditions over final states: names bound to registers and locations."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

from msgspec import Struct

from mcm.base.suggest import did_you_mean
from mcm.program.condition import (
    And,
    Comparison,
    Condition,
    Fixed,
    Not,
    Observed,
    Or,
    Quantifier,
    RegisterName,
    Truth,
)
from mcm.program.float_arithmetic import rounded
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Location, PointerType, Scalar
from mcm.program.value_arithmetic import convert
from mcm.syntax import ast, question
from mcm.syntax.chains import operands_of_chain
from mcm.syntax.terms import terms_of_question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.base.source import Span
    from mcm.program.condition import Observable, Operand, Proposition
    from mcm.program.program import Register, Thread
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.memory import MemoryObjects
    from mcm.program.types import Part, Type
    from mcm.syntax.ast import Litmus

_QUANTIFIERS: Final = {quantifier.value: quantifier for quantifier in Quantifier}


class Question(Struct, frozen=True):
    """What a test asks about final states: what is listed, which executions count, and the condition."""

    locations: tuple[Observable, ...]
    filter: Proposition | None
    condition: Condition | None


class Observables(Struct, frozen=True):
    """Everything that a condition can name."""

    memory: MemoryObjects
    registers: Mapping[int, Mapping[str, Register]]
    work_items: Mapping[str, int]
    complaints: Complaints


def observables(threads: Sequence[Thread], memory: MemoryObjects, complaints: Complaints) -> Observables:
    """The registers of these threads and the locations of this memory."""
    registers = {t.index: {r.name: r for r in t.registers if not r.is_hidden} for t in threads}
    return Observables(memory, registers, {t.name: t.index for t in threads}, complaints)


def resolve_condition(node: question.Condition, known: Observables) -> Condition | None:
    """The condition; None when it has errors, which have been reported."""
    proposition = resolve_proposition(node.proposition, known)
    if proposition is None:
        return None
    return Condition(_QUANTIFIERS[node.quantifier], proposition, show(node.proposition), node.span)


def resolve_proposition(node: question.Proposition, known: Observables) -> Proposition | None:
    """The proposition; None when one of its atoms has an error. The errors of all atoms are reported."""
    match node:
        case question.Truth(holds):
            return Truth(holds)
        case question.Negation(body):
            inner = resolve_proposition(body, known)
            return None if inner is None else Not(inner)
        case question.Connective(operator):
            operands = [resolve_proposition(operand, known) for operand in operands_of_chain(node)]
            resolved = [operand for operand in operands if operand is not None]
            if len(resolved) < len(operands):
                return None
            if operator == "=>":
                premise, conclusion = resolved
                return Or(Not(premise), conclusion)
            return _joined(And if operator == "/\\" else Or, resolved)
        case question.Comparison():
            return _comparison(node, known)


def _joined(connective: type[And | Or], operands: Sequence[Proposition]) -> Proposition:
    """One proposition of many, so that it is not deep: everything that walks over propositions is recursive."""
    if len(operands) == 1:
        return operands[0]
    middle = (len(operands) + 1) // 2
    return connective(_joined(connective, operands[:middle]), _joined(connective, operands[middle:]))


def _comparison(node: question.Comparison, known: Observables) -> Comparison | None:
    sides: list[Operand] = []
    for term in (node.left, node.right):
        try:
            sides.append(_term(term, known))
        except UnresolvedError:
            continue
    if len(sides) < 2:
        return None
    _warn_address(node, known)
    if node.operator in {"=", "==", "!="}:
        _warn_beyond(node.left, sides[0], sides[1], known)
        _warn_beyond(node.right, sides[1], sides[0], known)
    left, right = _in_type(node.left, sides[0], sides[1], known), _in_type(node.right, sides[1], sides[0], known)
    return Comparison("=" if node.operator == "==" else node.operator, left, right)


def _in_type(term: question.ConditionTerm, side: Operand, other: Operand, known: Observables) -> Operand:
    """A number with a fraction as a value of the type with which it is compared: `0.1` is another one in 32 bits."""
    if not (isinstance(side, Fixed) and isinstance(side.value, float) and isinstance(other, Observed)):
        return side
    type_ = _type_of(other.what, known)
    if isinstance(type_, Scalar) and type_.is_floating:
        return Fixed(rounded(side.value, type_.bits))
    known.complaints.error("E122", term.span, f"'{term.span.text}' is compared with what is no floating-point number")
    return side


def _warn_beyond(term: question.ConditionTerm, side: Operand, other: Operand, known: Observables) -> None:
    """Warn where a whole number is compared with what never holds it: -1 with an unsigned integer."""
    if not (isinstance(side, Fixed) and isinstance(side.value, int) and isinstance(other, Observed)):
        return
    type_ = _type_of(other.what, known)
    if isinstance(type_, Scalar) and not type_.is_floating and not type_.low <= side.value <= type_.high:
        message = f"'{term.span.text}' is compared with a value of type '{show_type(type_)}', which is never that"
        known.complaints.warning("W122", term.span, f"{message}; did you mean '{convert(side.value, type_)}'?")


def _type_of(what: Observable, known: Observables) -> Type:
    if isinstance(what, RegisterName):
        return known.registers[what.thread][what.register].type
    return known.memory.objects[what.object].type


def _term(term: question.ConditionTerm, known: Observables) -> Operand:
    match term:
        case question.NumberTerm(value):
            return Fixed(value)
        case question.AddressTerm():
            return Fixed(_element(term, known, is_address=True))
        case question.RegisterReference() | question.LocationReference():
            return Observed(resolve_observable(term, known))


def resolve_locations(
    references: tuple[question.RegisterReference | question.LocationReference, ...], known: Observables
) -> tuple[Observable, ...]:
    """The registers and locations that are listed in `locations`, without those that have errors.

    An array without an index stands for all its elements.
    """
    found: list[Observable] = []
    for reference in references:
        with suppress(UnresolvedError):
            found += _whole_array(reference, known) or (resolve_observable(reference, known),)
    return tuple(found)


def _whole_array(
    term: question.RegisterReference | question.LocationReference, known: Observables
) -> tuple[Location, ...]:
    """The elements of the array, or sub-buffer, that is named without an index; none where it is something else."""
    if not isinstance(term, question.LocationReference) or term.index is not None:
        return ()
    name = term.name.text
    if name in known.memory.parts:
        part = known.memory.parts[name]
        return tuple(Location(part.object, part.first + offset) for offset in range(part.length))
    number = known.memory.find(name, term.group)
    if number is None or not known.memory.objects[number].is_array:
        return ()
    _warn_unused(term.name, known)
    return tuple(Location(number, offset) for offset in range(len(known.memory.objects[number].initial)))


def resolve_observable(term: question.RegisterReference | question.LocationReference, known: Observables) -> Observable:
    """The register or location that a reference names."""
    match term:
        case question.RegisterReference():
            return _register(term, known)
        case question.LocationReference(name):
            _warn_unused(name, known)
            return _element(term, known)


def units_by_number(tree: Litmus, known: Observables) -> frozenset[int]:
    """The threads that the condition, the filter or `locations` name, all of them by their number alone."""
    units = {term.unit for term in terms_of_question(tree) if isinstance(term, question.RegisterReference)}
    named = {known.work_items.get(_shown_unit(unit)) for unit in units if isinstance(unit, tuple)}
    return frozenset(unit for unit in units if isinstance(unit, int) and unit not in named)


# --- registers --------------------------------------------------------------------------------------------------------


def _register(term: question.RegisterReference, known: Observables) -> RegisterName:
    shown = _shown_unit(term.unit)
    number = known.work_items.get(shown, -1) if isinstance(term.unit, tuple) else term.unit
    registers = known.registers.get(number)
    if registers is None:
        threads = ", ".join(known.work_items) or "none"
        known.complaints.fail("E135", term.span, f"there is no thread {shown}; the threads are {threads}")
    name = term.name.text
    if term.index is not None:
        first = registers.get(f"{name}[0]")
        name = f"{name}[{_flat_index(term, () if first is None else first.shape, known)}]"
    if name not in registers:
        _complain_register(term, name, _name_of(number, known), registers, known)
    if registers[name].has_namesakes:
        message = f"'{term.name.text}' is declared with different types in separate blocks; this means the first"
        known.complaints.warning("W118", term.span, message)
    return RegisterName(number, name)


def _shown_unit(unit: int | tuple[str, int]) -> str:
    return f"{unit[0]}[{unit[1]}]" if isinstance(unit, tuple) else f"P{unit}"


def _name_of(number: int, known: Observables) -> str:
    return next((name for name, other in known.work_items.items() if other == number), f"P{number}")


# So many registers of a thread are listed where none is like the one that is asked for.
_FEW_NAMES: Final = 6


def _complain_register(
    term: question.RegisterReference, name: str, owner: str, registers: Mapping[str, Register], known: Observables
) -> None:
    base = term.name.text
    elements = [r for r in registers if r.startswith(f"{base}[")]
    if elements and term.index is None:
        known.complaints.fail("E136", term.span, f"'{base}' is an array; name an element such as '{elements[0]}'")
    if elements:
        known.complaints.fail("E137", term.span, f"'{base}' has {len(elements)} elements, there is no '{name}'")
    hint = did_you_mean(name, registers)
    owners = [n for n, other in known.registers.items() if name in other and not other[name].is_parameter]
    if owners:
        owner_name = _name_of(owners[0], known)
        hint = f"; did you mean '{owners[0] if owner_name == f'P{owners[0]}' else owner_name}:{name}'?"
    elif not hint and known.memory.find(base) is not None:
        hint = f"; did you mean the location '{name}'?"
    named = [one for one, register in registers.items() if not (register.is_hidden or register.is_parameter)]
    if not hint and 0 < len(named) <= _FEW_NAMES:
        quoted = [f"'{one}'" for one in named]
        hint = f"; it has {', '.join(quoted)}"
    known.complaints.fail("E136", term.span, f"thread {owner} has no register '{name}'{hint}")


def _warn_address(node: question.Comparison, known: Observables) -> None:
    """Warn where a parameter is compared with a number: its value is an address; probably the location is meant."""
    for term, other in ((node.left, node.right), (node.right, node.left)):
        if not isinstance(term, question.RegisterReference) or not isinstance(term.unit, int):
            continue
        name = term.name.text
        register = known.registers[term.unit].get(name)
        if register is None or not isinstance(register.type, PointerType):
            continue
        if register.is_parameter and not isinstance(other, question.AddressTerm):
            message = f"'{term.span.text}' is a parameter: its value is the address of '{name}', which equals no number"
            known.complaints.warning("W106", term.span, f"{message}; did you mean the location '{name}'?")
        elif isinstance(other, question.LocationReference):
            _warn_location(other, known)


def _warn_location(other: question.LocationReference, known: Observables) -> None:
    index = known.memory.find(other.name.text)
    if index is not None and not isinstance(known.memory.objects[index].type, PointerType):
        text = other.span.text
        message = f"an address is compared with the value of '{text}' (the register is a pointer)"
        known.complaints.warning("W117", other.span, f"{message}; did you mean '&{text}'?")


# --- locations --------------------------------------------------------------------------------------------------------


def _flat_index(
    term: question.RegisterReference | question.LocationReference | question.AddressTerm,
    shape: tuple[int, ...],
    known: Observables,
) -> int | None:
    """The number of an element; None where nothing says which."""
    if term.index is None or not (shape or term.inner):
        return term.index
    offset = _offset_in(shape, (term.index, *term.inner))
    if offset is None:
        rows = "".join(f"[{size}]" for size in shape)
        message = f"'{term.name.text}' is an array with the indices '[…]{rows}', there is no '{term.span.text}'"
        known.complaints.fail("E137", term.span, message)
    return offset


def _element(
    term: question.LocationReference | question.AddressTerm, known: Observables, *, is_address: bool = False
) -> Location:
    name, span = term.name, term.span
    number = known.memory.find(name.text, None if is_address else getattr(term, "group", None))
    if number is None:
        _complain_copy(name.text, span, known)
    target = known.memory.objects[number]
    index = _flat_index(term, target.shape, known)
    if is_address and index is None:
        index = 0
    if name.text in known.memory.parts:
        return _element_of_part(known.memory.parts[name.text], index, span, known)
    if target.is_array and index is None:
        known.complaints.fail("E137", span, f"'{name.text}' is an array; name an element such as '{name.text}[0]'")
    if not 0 <= (index or 0) < len(target.initial) or (index and not target.is_array):
        count = f"has {len(target.initial)} elements" if target.is_array else "is no array"
        known.complaints.fail("E137", span, f"'{name.text}' {count}, there is no element {index}")
    return Location(number, index or 0)


def _element_of_part(part: Part, index: int | None, span: Span, known: Observables) -> Location:
    if index is None and part.length > 1:
        message = f"'{part.name}' has {part.length} elements; name an element such as '{part.name}[0]'"
        known.complaints.fail("E137", span, message)
    if not 0 <= (index or 0) < part.length:
        known.complaints.fail("E137", span, f"'{part.name}' has {part.length} elements, there is no element {index}")
    return Location(part.object, part.first + (index or 0))


def _complain_copy(name: str, span: Span, known: Observables) -> NoReturn:
    """Report a location with the wrong `@wg`: only local memory has a copy for each work-group."""
    copies = [f"{name}@wg{o.group}" for o in known.memory.objects if o.name == name and o.group is not None]
    if copies:
        message = f"each work-group has its own '{name}'; name one of {', '.join(dict.fromkeys(copies))}"
    else:
        message = f"'{name}' is one location for all work-groups"
    known.complaints.fail("E137", span, message)


# What is a number in a program, and the name of a location in a condition.
_NUMBERS: Final = {"true": 1, "false": 0, "NULL": 0}


def _warn_unused(name: ast.Name, known: Observables) -> None:
    if name.text not in known.memory.unused or not known.complaints.is_new("W105", name.text):
        return
    owners = [number for number, registers in known.registers.items() if name.text in registers]
    others = [o.name for o in known.memory.objects if o.name not in known.memory.unused]
    hint = f"; did you mean '{owners[0]}:{name.text}'?" if owners else did_you_mean(name.text, others)
    if name.text in _NUMBERS:
        hint = f"; did you mean the number {_NUMBERS[name.text]}?"
    elif register := re.fullmatch(r"P(\d+)\.(\w+)", name.text):
        hint = f"; did you mean '{register[1]}:{register[2]}'?"
    message = f"no thread uses location '{name.text}' and nothing declares it; its value is 0{hint}"
    known.complaints.warning("W105", name.span, message)


# --- as text ----------------------------------------------------------------------------------------------------------

_LOOSENESS: Final = {"/\\": 1, "\\/": 2, "=>": 3}


def show(node: question.Proposition) -> str:
    """A proposition as herd prints it: `=` for equality, `[x]` for locations, parentheses where needed."""
    match node:
        case question.Truth(holds):
            return "true" if holds else "false"
        case question.Negation(body):
            return f"not ({show(body)})"
        case question.Connective(operator):
            looseness = _LOOSENESS[operator]
            first, *others = operands_of_chain(node)
            # `=>` is right-associative; the order of the others does not matter.
            shown = [_operand(first, looseness - (operator == "=>")), *(_operand(one, looseness) for one in others)]
            return f" {operator} ".join(shown)
        case question.Comparison(operator, one_term, other_term):
            symbol = "=" if operator == "==" else operator
            return f"{_show_term(one_term)}{symbol}{_show_term(other_term)}"


def _operand(node: question.Proposition, loosest: int) -> str:
    shown = show(node)
    needs = isinstance(node, question.Connective) and _LOOSENESS[node.operator] > loosest
    return f"({shown})" if needs else shown


def _show_term(term: question.ConditionTerm) -> str:
    match term:
        case question.NumberTerm(value):
            return str(value)
        case question.AddressTerm(name):
            return f"&{name.text}{_indices(term)}"
        case question.RegisterReference(unit, name):
            owner = f"{unit[0]}[{unit[1]}]" if isinstance(unit, tuple) else str(unit)
            return f"{owner}:{name.text}{_indices(term)}"
        case question.LocationReference(name, index, group):
            shown = name.text if group is None else f"{name.text}@wg{group}"
            return f"[{shown}]" if index is None else f"{shown}{_indices(term)}"


def _indices(term: question.RegisterReference | question.LocationReference | question.AddressTerm) -> str:
    if term.index is None and not term.inner:
        return ""
    return "".join(f"[{index}]" for index in (term.index, *term.inner) if index is not None)


def _offset_in(shape: tuple[int, ...], indices: tuple[int, ...]) -> int | None:
    """The number of an element; None where the indices are not those of one.

    >>> _offset_in((3, 4), (1, 2, 3)), _offset_in((3,), (1, 3))
    (23, None)
    """
    if len(indices) != 1 + len(shape) or any(not 0 <= i < n for i, n in zip(indices[1:], shape, strict=True)):
        return None
    offset = indices[0]
    for index, size in zip(indices[1:], shape, strict=True):
        offset = offset * size + index
    return offset
