"""`sizeof`: a number in place of it, from the types that are declared around it.

Lengths of arrays and labels are made of such numbers, so this comes before everything that asks for them. What is
measured is not evaluated. Sizes are those of OpenCL C, with addresses of 64 bits as `size_t` has here.
"""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.conversions import common_type, promoted
from mcm.program.resolve.literals import NAMED_CONSTANTS, constant_integer, number
from mcm.program.resolve.spelling import ATOMICS, SCALARS, scalar_name
from mcm.program.resolve.work_item_functions import DIMENSIONED, PLAIN
from mcm.program.types import Scalar
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

_VECTOR: Final = re.compile(r"(?P<scalar>u?(?:char|short|int|long)|half|float|double)(?P<size>[2348]|16)")
_SWIZZLE: Final = re.compile(r"[xyzw]{1,4}|[sS][0-9a-fA-F]{1,16}")
_HALVES: Final = frozenset({"lo", "hi", "even", "odd"})
_CONVERSION: Final = re.compile(r"(?:as|convert)_(?P<type>[a-z]+(?:2|3|4|8|16)?)(?:_sat)?(?:_rt[ezpn])?")
_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_SHIFTS: Final = frozenset({"<<", ">>"})
_OPAQUE: Final = frozenset({Scalar.BOOL, Scalar.EVENT, Scalar.RESERVATION})
_ADDRESS: Final = 8
# Attributes that lay a structure out in another way; kernel files pass over them.
_LAYOUTS: Final = r"__attribute(?:__)?\s*\(\([^;{]*?(?:packed|aligned)"


class Measured(Struct, frozen=True):
    """The type of what is measured, and the lengths of an array of such.

    `is_passed`: it is the address of the first of them, as a parameter is that is written as an array.
    """

    type: ast.TypeName
    lengths: tuple[ast.Expression, ...] = ()
    is_passed: bool = False


class _Layout(Struct, frozen=True):
    """The bytes that an object has, and of what its address is a multiple."""

    size: int
    alignment: int


def without_sizes(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with a number for each `sizeof`."""
    return _Sizes(tree, complaints).test(tree)


class _Sizes:
    """What is known while a test is walked over: structures, functions, and the variables in scope."""

    def __init__(self, tree: ast.Litmus, complaints: Complaints) -> None:
        self._complaints: Final = complaints
        self._structures: Final[dict[str, ast.Structure]] = {}
        self._functions: Final[dict[str, ast.TypeName]] = {}
        self._scopes: list[dict[str, Measured]] = [{}]
        for unit in tree.units:
            if isinstance(unit, ast.Structure):
                self._structures[unit.name.text] = unit
            elif isinstance(unit, ast.Function):
                self._functions[unit.name.text] = unit.type

    def test(self, tree: ast.Litmus) -> ast.Litmus:
        """The whole test."""
        units: list[ast.Unit] = []
        for unit in tree.units:
            self._scopes = self._scopes[:1]
            try:
                units.append(self._node(unit))
            except UnresolvedError:
                continue
        return replace(tree, units=tuple(units))

    def _node(self, node: ast.Node) -> Any:
        match node:
            case ast.SizeOf(operand, lengths):
                measured = Measured(operand, lengths) if isinstance(operand, ast.TypeName) else self._type(operand)
                return ast.NumberLiteral(f"{self._layout(measured).size}ul", span=node.span)
            case ast.Block() | ast.For() | ast.Function() | ast.Kernel() | ast.Thread() | ast.Callback():
                self._scopes.append({})
                try:
                    return with_parts(node, self._node)
                finally:
                    self._scopes.pop()
            case ast.Declaration(type_, declarators):
                return replace(node, declarators=tuple(self._declarator(type_, one) for one in declarators))
            case ast.Parameter(type_, name):
                self._scopes[-1][name.text] = Measured(type_, node.inner, is_passed=node.length is not None)
                return with_parts(node, self._node)
            case ast.Structure():
                with_lengths = tuple(with_parts(one, self._inside) for one in node.members)
                found = self._structures[node.name.text] = replace(node, members=with_lengths)
                return found
            case _:
                return with_parts(node, self._node)

    def _inside(self, node: Any) -> Any:
        """A part of a member of a structure, which is no variable."""
        return with_parts(node, self._node) if isinstance(node, ast.Declarator) else node

    def _declarator(self, type_: ast.TypeName, node: ast.Declarator) -> ast.Declarator:
        length = None if node.length is None else self._node(node.length)
        node = replace(node, length=length, inner=tuple(map(self._node, node.inner)))
        self._scopes[-1][node.name.text] = self._declared(type_, node)
        initializer = None if node.initializer is None else self._node(node.initializer)
        return replace(node, initializer=initializer)

    @staticmethod
    def _declared(type_: ast.TypeName, node: ast.Declarator) -> Measured:
        """What a declarator declares; `length` of a flat array counts all elements."""
        lengths = () if node.length is None else (node.length, *node.inner)
        return Measured(replace(type_, pointers=(*type_.pointers, *node.pointers)), lengths)

    # --- how large ---

    def _layout(self, measured: Measured) -> _Layout:
        if measured.is_passed:
            return _Layout(_ADDRESS, _ADDRESS)
        one = _Layout(_ADDRESS, _ADDRESS) if measured.type.pointers else self._of_one(measured.type)
        lengths = [constant_integer(each, self._complaints, "the length of an array") for each in measured.lengths]
        return _Layout(one.size * prod(lengths), one.alignment)

    def _of_one(self, type_: ast.TypeName) -> _Layout:
        """The layout of a scalar, a vector or a structure; the first two are aligned to their size."""
        base = " ".join(type_.base.split())
        if base.startswith("struct "):
            return self._of_structure(base.removeprefix("struct "), type_)
        name = scalar_name(type_.qualifiers, base)
        scalar = ATOMICS.get(name) or SCALARS.get(name)
        if (vector := _VECTOR.fullmatch(base)) is not None:
            # A vector of three has the size of one of four.
            components = {3: 4}.get(int(vector["size"]), int(vector["size"]))
            size = components * SCALARS[vector["scalar"]].bits // 8
            return _Layout(size, size)
        if scalar is None or scalar in _OPAQUE:
            message = f"the size of '{type_.span.text}' is not known: each implementation has its own"
            self._complaints.fail("E119", type_.span, message)
        return _Layout(scalar.bits // 8, scalar.bits // 8)

    def _of_structure(self, name: str, type_: ast.TypeName) -> _Layout:
        """Each member at the next multiple of its alignment, and padding behind the last one."""
        unit = self._structures.get(name)
        if unit is None:
            return self._complaints.fail("E145", type_.span, f"unknown type 'struct {name}'")
        if re.search(_LAYOUTS, unit.span.source.text) is not None:
            message = f"not yet supported: the size of 'struct {name}', in a file with packed or aligned structures"
            self._complaints.fail("E100", type_.span, message)
        size, alignment = 0, 1
        for member in self._members(unit).values():
            inner = self._layout(member)
            size = _next_multiple(size, inner.alignment) + inner.size
            alignment = max(alignment, inner.alignment)
        return _Layout(_next_multiple(size, alignment), alignment)

    def _members(self, unit: ast.Structure) -> dict[str, Measured]:
        return {
            one.name.text: self._declared(declaration.type, one)
            for declaration in unit.members
            for one in declaration.declarators
        }

    # --- of what type ---

    def _type(self, node: ast.Expression) -> Measured:
        """The type of an expression."""
        match node:
            case ast.Name(text):
                return self._of_name(text, node)
            case ast.Index(base) | ast.Prefix("*", base):
                return self._element(self._type(base), node)
            case ast.Prefix("&", operand):
                return replace(self._type(operand), is_passed=True)
            case ast.Member():
                return self._member(node)
            case ast.Cast(type_):
                return Measured(type_)
            case ast.CompoundLiteral(type_, length=length):
                return Measured(type_, () if length is None else (length,))
            case ast.Assignment(_, operand) | ast.Postfix(_, operand) | ast.Prefix("++" | "--", operand):
                return self._type(operand)
            case ast.Infix(",", _, right):
                return self._type(right)
            case ast.Conditional(_, then, otherwise):
                return self._common(then, otherwise, node)
            case ast.Call(function):
                return self._called(function.text, node)
            case _:
                return self._computed(node)

    def _computed(self, node: ast.Expression) -> Measured:
        """The type of what is computed from numbers."""
        match node:
            # A character is an int in C, and a char in C++.
            case ast.NumberLiteral(text) if text[0] != "'" and ("." not in text or text[-1] in "fFhH"):
                return _scalar(number(node, self._complaints)[1], node)
            case ast.SizeOf():
                return _scalar(Scalar.ULONG, node)
            case ast.Prefix("!"):
                return _scalar(Scalar.INT, node)
            case ast.Prefix(_, operand):
                return self._common(operand, operand, node)
            case ast.Infix(operator, left) if operator in _SHIFTS:
                return self._common(left, left, node)
            case ast.Infix(operator, left, right):
                found = self._common(left, right, node)
                is_truth = operator in _COMPARISONS and _VECTOR.fullmatch(found.type.base) is None
                return _scalar(Scalar.INT, node) if is_truth else found
            case _:
                return self._refuse(node)

    def _common(self, left: ast.Expression, right: ast.Expression, node: ast.Expression) -> Measured:
        """The type that two operands have in common."""
        one, other = self._type(left), self._type(right)
        first, second = _scalar_of(one), _scalar_of(other)
        if first is not None and second is not None:
            return _scalar(promoted(common_type(first, second)), node)
        if (one.lengths or other.lengths) and not (one.is_passed or other.is_passed):
            return self._refuse(node)
        # An address moved by a number, or two vectors, or a vector and a number.
        return other if first is not None else one

    def _refuse(self, node: ast.Expression) -> NoReturn:
        message = f"not yet supported: 'sizeof' of '{node.span.text}'; name its type, 'sizeof(int)'"
        self._complaints.fail("E100", node.span, message)

    def _of_name(self, text: str, node: ast.Name) -> Measured:
        for scope in reversed(self._scopes):
            if text in scope:
                return scope[text]
        if text in NAMED_CONSTANTS:
            return _scalar(NAMED_CONSTANTS[text][1], node)
        return self._complaints.fail("E101", node.span, f"unknown name '{text}'")

    def _element(self, measured: Measured, node: ast.Expression) -> Measured:
        if measured.is_passed:
            return replace(measured, is_passed=False)
        if measured.lengths:
            return Measured(measured.type, measured.lengths[1:])
        if not measured.type.pointers:
            message = f"'{node.span.text}' is no element: '{measured.type.span.text}' is no pointer and no array"
            self._complaints.fail("E121", node.span, message)
        return Measured(replace(measured.type, pointers=measured.type.pointers[:-1]))

    def _member(self, node: ast.Member) -> Measured:
        around = self._type(node.base)
        if node.operator == "->":
            around = self._element(around, node)
        base, name = " ".join(around.type.base.split()), node.name.text
        vector = _VECTOR.fullmatch(base)
        is_one = not (around.type.pointers or around.lengths or around.is_passed)
        unit = self._structures.get(base.removeprefix("struct "))
        if is_one and vector is not None and (_SWIZZLE.fullmatch(name) or name in _HALVES):
            count = len(name.lstrip("sS")) if name not in _HALVES else max(1, int(vector["size"]) // 2)
            return Measured(ast.TypeName((), vector["scalar"] + (str(count) if count > 1 else ""), span=node.span))
        if is_one and base.startswith("struct ") and unit is not None and name in (members := self._members(unit)):
            return members[name]
        message = f"'{node.base.span.text}' has no member '{name}'"
        return self._complaints.fail("E183", node.name.span, message)

    def _called(self, name: str, node: ast.Call) -> Measured:
        if name in self._functions:
            return Measured(self._functions[name])
        if name in DIMENSIONED or name in PLAIN:
            is_size = name in DIMENSIONED and name != "get_work_dim"
            return _scalar(Scalar.ULONG if is_size else Scalar.UINT, node)
        if (conversion := _CONVERSION.fullmatch(name)) is not None:
            return Measured(ast.TypeName((), conversion["type"], span=node.function.span))
        return self._refuse(node)


def _scalar(scalar: Scalar, node: ast.Node) -> Measured:
    return Measured(ast.TypeName((), scalar.spelling, span=node.span))


def _scalar_of(measured: Measured) -> Scalar | None:
    if measured.type.pointers or measured.lengths or measured.is_passed:
        return None
    return SCALARS.get(scalar_name(measured.type.qualifiers, measured.type.base))


def _next_multiple(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
