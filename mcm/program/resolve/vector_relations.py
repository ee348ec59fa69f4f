"""Components of vectors that are related, chosen, reordered, converted, or seen as others: expressions of numbers.

A relation that holds is -1 in a component, all bits of which are set, and 0 where it does not; what chooses between
components is their highest bit (OpenCL C, Operators, Relational Functions).
"""

from __future__ import annotations

import re
from functools import reduce
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.spelling import AS_OPERANDS, BALLOT, HIGHEST_BIT, MASKS, RELATIONAL, SCALARS, WORD
from mcm.program.types import Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.program.resolve.complaints import Complaints

RELATIONS: Final = frozenset({"<", ">", "<=", ">=", "==", "!=", "&&", "||"})
# Both sides of those of vectors are evaluated.
_LOGICAL: Final = {"&&": "&", "||": "|"}
_UNSIGNED: Final = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
# Types that C widens, and operators of vectors do not: `+` of `uchar4` has 8 bits (OpenCL C, Usual Arithmetic
# Conversions).
_NARROW: Final = frozenset({"char", "uchar", "short", "ushort"})
# The types of relations between vectors, where they are no `int`.
_RELATED: Final = {
    **dict.fromkeys(("char", "uchar"), "char"),
    **dict.fromkeys(("short", "ushort", "half"), "short"),
    **dict.fromkeys(("long", "ulong", "double"), "long"),
}
_SHIFTS: Final = frozenset({"<<", ">>", "<<=", ">>="})
# The types of what `upsample` makes of components.
_WIDER: Final = {
    "char": "short",
    "short": "int",
    "int": "long",
    "uchar": "ushort",
    "ushort": "uint",
    "uint": "ulong",
}
_ELEMENT: Final = re.compile(r"([a-z]+)\d+")
_NAMED: Final = re.compile(r"as_([a-z]+)")


def related(operator: str, left: ast.Expression, right: ast.Expression, node: ast.Expression) -> ast.Expression:
    """Whether two components are related so."""
    if operator in _LOGICAL:
        flags = [ast.Infix("!=", one, _number(0, node), span=node.span) for one in (left, right)]
        return minus(ast.Infix(_LOGICAL[operator], *flags, span=node.span), node)
    return minus(ast.Infix(operator, left, right, span=node.span), node)


def denied(operand: ast.Expression, node: ast.Expression) -> ast.Expression:
    """`!` of a component."""
    return minus(ast.Infix("==", operand, _number(0, node), span=node.span), node)


def element_type(type_: ast.TypeName) -> str | None:
    """The type of the components of a vector type."""
    found = _ELEMENT.fullmatch(type_.base.strip())
    return None if found is None else found[1]


def cast_to(type_: ast.TypeName, parts: list[ast.Expression]) -> list[ast.Expression]:
    """The values that a vector of a type is made of, each converted to the type of a component."""
    name = element_type(type_)
    return parts if name is None else _each_as(parts, name, type_)


def in_element_type(parts: Sequence[ast.Expression], name: str | None, node: ast.Expression) -> list[ast.Expression]:
    """What an operator gives, in the type of the components that it is applied to; where that is unknown, it is looked
    for when types are.
    """
    if name in _NARROW:
        return _each_as(parts, name, node)
    if name is None:
        return [ast.Call(ast.Name(AS_OPERANDS, span=node.span), (one,), span=one.span) for one in parts]
    return list(parts)


def _each_as(parts: Sequence[ast.Expression], name: str, node: ast.Node) -> list[ast.Expression]:
    """Numbers as those of a type."""
    scalar = ast.TypeName((), name, span=node.span)
    return [ast.Cast(scalar, one, span=one.span) for one in parts]


def as_element(parts: Sequence[ast.Expression], name: str | None, node: ast.Expression) -> list[ast.Expression]:
    """What is chosen from components of a type, which C would widen."""
    return in_element_type(parts, name, node) if name in _NARROW else list(parts)


def relation_type(name: str | None) -> str | None:
    """The type of a component of a relation between vectors whose components have a type."""
    return None if name is None else _RELATED.get(name, "int")


def type_returned(function: str, names: Iterable[str | None], *, unsigned: bool) -> str | None:
    """The type of the components that a function of OpenCL C gives, as far as that is known.

    `names` are the types of those of its arguments; `unsigned` says whether distances are.
    """
    name = next(filter(None, names), None)
    if function == BALLOT or function in MASKS:
        return "uint"
    if name is None:
        return None
    if function in RELATIONAL:
        return relation_type(name)
    if function in {"abs", "abs_diff"} and unsigned:
        return f"u{name.removeprefix('u')}"
    return _WIDER.get(name) if function == "upsample" else name


def words_of(node: ast.Call) -> list[ast.Expression] | None:
    """The words of the vector that a ballot of a sub-group or a mask is; None for a call of another function."""
    name = node.function.text
    if name != BALLOT and name not in MASKS:
        return None
    first = replace(node, function=replace(node.function, text=name + WORD))
    return [first, *[ast.NumberLiteral("0u", span=node.span)] * 3]


def as_relation(parts: Sequence[ast.Expression], name: str | None, node: ast.Expression) -> list[ast.Expression]:
    """Relations, in the type of those between vectors whose components have the type `name`; None: not known."""
    found = relation_type(name)
    return list(parts) if found is None or found == "int" else _each_as(parts, found, node)


def shifted_by(
    operator: str, counts: list[ast.Expression], name: str | None, node: ast.Expression
) -> list[ast.Expression]:
    """What components of a type are shifted by: modulo their width, where C would take that of an `int`."""
    if operator not in _SHIFTS or name not in _NARROW:
        return counts
    mask = _number(SCALARS[name].bits - 1, node)
    return [ast.Infix("&", one, mask, span=one.span) for one in counts]


def as_in_c(_: str, counts: list[ast.Expression], __: str | None, ___: ast.Expression) -> list[ast.Expression]:
    """The same in SYCL, where each component is shifted as C++ shifts numbers."""
    return counts


def minus(flag: ast.Expression, node: ast.Expression) -> ast.Expression:
    """-1 for 1."""
    return ast.Prefix("-", flag, span=node.span)


def highest_bit(operand: ast.Expression, node: ast.Expression) -> ast.Expression:
    """Whether the highest bit of a component is set."""
    return ast.Call(ast.Name(HIGHEST_BIT, span=node.span), (operand,), span=operand.span)


def chosen_by(
    choosing: ast.Expression, first: ast.Expression, second: ast.Expression, node: ast.Expression
) -> ast.Expression:
    """The second of two numbers where the highest bit of a component is set, else the first; both are evaluated."""
    return _select(first, second, highest_bit(choosing, node), node)


def element(index: ast.Expression, elements: list[ast.Expression], node: ast.Expression) -> ast.Expression:
    """The component that the low bits of a number say, of variables whose number is a power of 2."""
    low = ast.Infix("&", index, _number(len(elements) - 1, node), span=node.span)
    found = elements[-1]
    for number in range(len(elements) - 2, -1, -1):
        is_it = ast.Infix("==", low, _number(number, node), span=node.span)
        found = ast.Conditional(is_it, elements[number], found, span=node.span)
    return found


def reinterpreted(
    parts: list[ast.Expression], function: str, size: int, node: ast.Call, complaints: Complaints
) -> list[ast.Expression] | None:
    """The bits of numbers as so many others, of the type that `function` names; None where it names none.

    The first one holds the lowest bits, as on all devices that are little-endian.
    """
    named = _NAMED.fullmatch(function)
    target = None if named is None else SCALARS.get(named[1])
    if target is None or target is Scalar.BOOL:
        return None
    name = ast.Name(function, span=node.function.span)
    if len(parts) == size:
        return [ast.Call(name, (one,), span=node.span) for one in parts]
    whole = (4 if size == 3 else size) * target.bits
    width = whole // (4 if len(parts) == 3 else len(parts))
    if 3 in {size, len(parts)} or width not in _UNSIGNED:
        message = f"not yet supported: '{node.function.text}' of a vector of {len(parts)} components"
        complaints.fail("E100", node.span, message)
    return [ast.Call(name, (one,), span=node.span) for one in _regrouped(parts, width, target.bits, node)]


def _regrouped(parts: list[ast.Expression], width: int, bits: int, node: ast.Call) -> list[ast.Expression]:
    """The bits of numbers that have so many, in numbers of another width."""
    numbers: list[ast.Expression] = [_call(f"as_{_UNSIGNED[width]}", one, node) for one in parts]
    if bits < width:
        return [
            _cast(bits, ast.Infix(">>", one, _number(shift, node), span=node.span), node)
            for one in numbers
            for shift in range(0, width, bits)
        ]
    count = bits // width
    return [_joined(numbers[at : at + count], width, bits, node) for at in range(0, len(numbers), count)]


def _joined(parts: list[ast.Expression], width: int, bits: int, node: ast.Call) -> ast.Expression:
    """One number of so many bits, of parts of which the first has the lowest."""
    shifted: list[ast.Expression] = [
        ast.Infix("<<", _cast(bits, one, node), _number(place * width, node), span=node.span)
        for place, one in enumerate(parts)
    ]
    return _cast(bits, reduce(lambda one, other: ast.Infix("|", one, other, span=node.span), shifted), node)


def _cast(bits: int, operand: ast.Expression, node: ast.Call) -> ast.Expression:
    return ast.Cast(ast.TypeName((), _UNSIGNED[bits], span=node.span), operand, span=node.span)


def _call(function: str, operand: ast.Expression, node: ast.Call) -> ast.Expression:
    return ast.Call(ast.Name(function, span=node.span), (operand,), span=node.span)


def _select(first: ast.Expression, second: ast.Expression, flag: ast.Expression, node: ast.Node) -> ast.Expression:
    return ast.Call(ast.Name("select", span=node.span), (first, second, flag), span=node.span)


def _number(value: int, node: ast.Node) -> ast.NumberLiteral:
    return ast.NumberLiteral(str(value), span=node.span)
