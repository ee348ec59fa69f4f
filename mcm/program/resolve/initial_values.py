"""The initial values of memory objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.program.float_arithmetic import rounded
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import constant, constant_integer
from mcm.program.resolve.literals import fits
from mcm.program.resolve.parts import addressed
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Location, PointerType, Region, Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.declarations import Draft
    from mcm.program.types import Type, Value

_LONGEST_ARRAY = 16384


class Reading(Struct, frozen=True):
    """How initial values are read: `unsuffixed` is the type of floating literals without a suffix."""

    complaints: Complaints
    unsuffixed: Scalar


def array_length(node: ast.Expression, complaints: Complaints) -> int:
    """The length of an array, from its constant expression."""
    length = constant_integer(node, complaints, "the length of an array")
    if not 0 < length <= _LONGEST_ARRAY:
        complaints.fail("E132", node.span, f"an array has 1 to {_LONGEST_ARRAY} elements, found {length}")
    return length


def element_count(draft: Draft, complaints: Complaints) -> int | None:
    """The number of elements of an array; None for other objects."""
    written: list[tuple[int, Span]] = []
    nodes = [use.parameter.length for use in draft.uses if not use.is_part]
    if draft.declaration is not None:
        nodes.insert(0, draft.declaration.length)
    for node in nodes:
        if node is not None:
            try:
                written.append((array_length(node, complaints), node.span))
            except UnresolvedError:
                return 1
    value = draft.declaration.value if draft.declaration is not None else None
    if not written and draft.declaration is None:
        # A member that is an array, of one structure.
        step = max((use.parameter.step for use in draft.uses if not use.is_part), default=1)
        return step if step > 1 else None
    if not written:
        return max(1, len(value.items)) if isinstance(value, ast.InitializerList) else None
    for length, span in written[1:]:
        if length != written[0][0]:
            message = f"'{draft.name}' has {length} elements here and {written[0][0]} elsewhere"
            complaints.error("E132", span, message)
    return written[0][0]


def initial_values(
    draft: Draft,
    type_: Type,
    region: Region,
    length: int | None,
    numbers: Mapping[str, int],
    reading: Reading,
) -> tuple[Value | None, ...]:
    """The initial value of each element; None where it is indeterminate."""
    complaints = reading.complaints
    count = length or 1
    written = draft.declaration.value if draft.declaration is not None else None
    if written is None:
        if region is Region.CONSTANT and complaints.is_new("W112", draft.name):
            complaints.warning("W112", draft.span, f"constant '{draft.name}' is given no value; 0 is taken")
        is_made = draft.declaration is not None and draft.declaration.is_made
        return (None if region is Region.LOCAL or is_made else _zero(type_),) * count
    if isinstance(written, ast.InitializerList):
        return _from_list(draft, written, type_, count, numbers, reading)
    value = _value(written, type_, numbers, reading)
    if length is not None and value != 0:
        complaints.error("E131", written.span, f"'{draft.name}' is an array: its initial value is '{{…}}' or 0")
    return (value,) * count


def _from_list(
    draft: Draft,
    written: ast.InitializerList,
    type_: Type,
    count: int,
    numbers: Mapping[str, int],
    reading: Reading,
) -> tuple[Value | None, ...]:
    if len(written.items) > count:
        message = f"{len(written.items)} initial values for the {count} elements of '{draft.name}'"
        reading.complaints.error("E131", written.items[count].span, message)
    # Those for which there is no element may be asked about: that they are too many has been said.
    values = [_value(item, type_, numbers, reading) for item in written.items]
    # C fills the rest of an array with zeros.
    return (*values, *[_zero(type_)] * (count - len(values)))


def _zero(type_: Type) -> int | float:
    return 0.0 if type_.is_floating else 0


def _value(node: ast.Expression, type_: Type, numbers: Mapping[str, int], reading: Reading) -> Value:
    complaints = reading.complaints
    try:
        # Most initial values are numbers.
        address = None if isinstance(node, ast.NumberLiteral) else location_value(node, numbers, {}, complaints)
        if address is None:
            return as_type(
                constant(node, complaints, "an initial value", reading.unsuffixed), type_, node.span, complaints
            )
    except UnresolvedError:
        return 0
    if not isinstance(type_, PointerType):
        found = node.span.text.removeprefix("&")
        message = f"the address of '{found}' is stored in a location of type '{show_type(type_)}'"
        if isinstance(node, ast.Name):
            message += "; a number was expected, or a macro that is one"
        complaints.warning("W115", node.span, message)
    return address


def location_value(
    node: ast.Expression, numbers: Mapping[str, int], lengths: Mapping[str, int], complaints: Complaints
) -> Location | None:
    """The location whose address is given as initial value; None if the value is not an address."""
    for name in addressed(node):
        offset = 0
        if isinstance(node, ast.Prefix) and isinstance(node.operand, ast.Index):
            offset = constant_integer(node.operand.index, complaints, "an index")
            if not 0 <= offset < lengths.get(name.text, offset + 1):
                complaints.fail("E137", node.span, f"'{name.text}' has no element {offset}")
        return Location(numbers[name.text], offset)
    return None


def as_type(
    value: int | float,  # noqa: PYI041 - the two are told apart
    type_: Type,
    span: Span,
    complaints: Complaints,
) -> int | float:
    """A number as the initial value of a type, converted as C does between integers."""
    if isinstance(type_, Scalar) and type_.is_floating:
        return rounded(float(value), type_.bits)
    if isinstance(value, float) or (isinstance(type_, PointerType) and value != 0):
        message = f"'{span.text}' is no value of type '{show_type(type_)}'"
        complaints.fail("E131", span, message)
    if isinstance(type_, Scalar) and not fits(value, type_):
        wrapped = int(value) % (1 << type_.bits)
        return wrapped - (1 << type_.bits) if type_.signed and wrapped >> (type_.bits - 1) else wrapped
    return value
