"""A walk over a test that knows the types of its variables: for `sizeof`, and for unions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.conversions import common_type, promoted
from mcm.program.resolve.literals import NAMED_CONSTANTS, number
from mcm.program.resolve.spelling import SCALARS, base_of, scalar_name
from mcm.program.resolve.work_item_functions import DIMENSIONED, PLAIN
from mcm.program.types import Scalar
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

VECTOR: Final = re.compile(r"(?P<scalar>u?(?:char|short|int|long)|half|float|double)(?P<size>[2348]|16)")
_SWIZZLE: Final = re.compile(r"[xyzw]{1,4}|[sS][0-9a-fA-F]{1,16}")
_HALVES: Final = frozenset({"lo", "hi", "even", "odd"})
_CONVERSION: Final = re.compile(r"(?:as|convert)_(?P<type>[a-z]+(?:2|3|4|8|16)?)(?:_sat)?(?:_rt[ezpn])?")
# Functions of OpenCL C whose value is of the type of their first argument.
_LIKE_FIRST: Final = re.compile(
    r"(?:native_|half_)?(?:sin|cos|tan|exp|exp2|exp10|log|log2|log10|sqrt|rsqrt|powr|recip|divide)|pow|"
    r"fabs|floor|ceil|round|trunc|rint|fmin|fmax|fmod|min|max|clamp|mix|mad|fma|sign|rotate|select|bitselect|"
    r"mul24|mad24|mul_hi|mad_hi|add_sat|sub_sat|hadd|rhadd"
)
_COMPARISONS: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})
_SHIFTS: Final = frozenset({"<<", ">>"})


class Measured(Struct, frozen=True):
    """The type of what is measured, and the lengths of an array of such.

    `is_passed`: it is the address of the first of them, as a parameter is that is written as an array.
    """

    type: ast.TypeName
    lengths: tuple[ast.Expression, ...] = ()
    is_passed: bool = False


class TypedWalk:
    """What is known while a test is walked over: structures, functions, and the variables in scope."""

    def __init__(self, tree: ast.Litmus, complaints: Complaints) -> None:
        self.complaints = complaints
        self.structures: Final[dict[str, ast.Structure]] = {}
        self._functions: Final[dict[str, ast.TypeName]] = {}
        self._scopes: list[dict[str, Measured]] = [{}]
        for unit in tree.units:
            if isinstance(unit, ast.Structure):
                self.structures[name_of(unit)] = unit
            elif isinstance(unit, ast.Function):
                self._functions[unit.name.text] = unit.type

    def test(self, tree: ast.Litmus) -> ast.Litmus:
        """The whole test."""
        units: list[ast.Unit] = []
        for unit in tree.units:
            self._scopes = self._scopes[:1]
            try:
                units.append(self.node(unit))
            except UnresolvedError:
                continue
        return replace(tree, units=tuple(units))

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        match node:
            case ast.Block() | ast.For() | ast.Function() | ast.Kernel() | ast.Thread() | ast.Callback():
                self._scopes.append({})
                try:
                    return with_parts(node, self.node)
                finally:
                    self._scopes.pop()
            case ast.Declaration(type_, declarators):
                return replace(node, declarators=tuple(self.declarator(type_, one) for one in declarators))
            case ast.Parameter(type_, name):
                self._scopes[-1][name.text] = Measured(type_, node.inner, is_passed=bool(node.length or node.inner))
                return with_parts(node, self.node)
            case ast.Structure():
                with_lengths = tuple(with_parts(one, self._inside) for one in node.members)
                found = self.structures[name_of(node)] = replace(node, members=with_lengths)
                return found
            case _:
                return with_parts(node, self.node)

    def _inside(self, node: Any) -> Any:
        """A part of a member of a structure, which is no variable."""
        return with_parts(node, self.node) if isinstance(node, ast.Declarator) else node

    def declarator(self, type_: ast.TypeName, node: ast.Declarator) -> ast.Declarator:
        """A variable, which is known from here on."""
        length = None if node.length is None else self.node(node.length)
        node = replace(node, length=length, inner=tuple(map(self.node, node.inner)))
        self._scopes[-1][node.name.text] = self._declared(type_, node)
        initializer = None if node.initializer is None else self.node(node.initializer)
        return replace(node, initializer=initializer)

    @staticmethod
    def _declared(type_: ast.TypeName, node: ast.Declarator) -> Measured:
        """What a declarator declares; `length` of a flat array counts all elements."""
        whole = replace(type_, pointers=(*type_.pointers, *node.pointers))
        if node.length is None:
            # Or it points to arrays of these lengths.
            return Measured(whole, node.inner, is_passed=bool(node.inner))
        return Measured(whole, (node.length, *node.inner))

    # --- of what type ---

    def members(self, unit: ast.Structure) -> dict[str, Measured]:
        """The members of a structure or union."""
        return {
            one.name.text: self._declared(declaration.type, one)
            for declaration in unit.members
            for one in declaration.declarators
        }

    def type_of(self, node: ast.Expression) -> Measured:
        """The type of an expression, as declarations around it say."""
        match node:
            case ast.Name(text):
                return self._of_name(text, node)
            case ast.Index(base) | ast.Prefix("*", base):
                return self._element(self.type_of(base), node)
            case ast.Prefix("&", operand):
                return replace(self.type_of(operand), is_passed=True)
            case ast.Member():
                return self._member(node)
            case ast.Cast(type_):
                return Measured(type_)
            case ast.CompoundLiteral(type_, length=length):
                return Measured(type_, () if length is None else (length,))
            case ast.Assignment(_, operand) | ast.Postfix(_, operand) | ast.Prefix("++" | "--", operand):
                return self.type_of(operand)
            case ast.Infix(",", _, right):
                return self.type_of(right)
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
                return _scalar(number(node, self.complaints)[1], node)
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
                is_truth = operator in _COMPARISONS and VECTOR.fullmatch(found.type.base) is None
                return _scalar(Scalar.INT, node) if is_truth else found
            case _:
                return self._refuse(node)

    def _common(self, left: ast.Expression, right: ast.Expression, node: ast.Expression) -> Measured:
        """The type that two operands have in common."""
        one, other = self.type_of(left), self.type_of(right)
        first, second = scalar_of(one), scalar_of(other)
        if first is not None and second is not None:
            return _scalar(promoted(common_type(first, second)), node)
        if (one.lengths or other.lengths) and not (one.is_passed or other.is_passed):
            return self._refuse(node)
        # An address moved by a number, or two vectors, or a vector and a number.
        return other if first is not None else one

    def _refuse(self, node: ast.Expression) -> NoReturn:
        message = f"not yet supported: 'sizeof' of '{node.span.text}'; name its type, 'sizeof(int)'"
        self.complaints.fail("E100", node.span, message)

    def _of_name(self, text: str, node: ast.Name) -> Measured:
        for scope in reversed(self._scopes):
            if text in scope:
                return scope[text]
        if text in NAMED_CONSTANTS:
            return _scalar(NAMED_CONSTANTS[text][1], node)
        return self.complaints.fail("E101", node.span, f"unknown name '{text}'")

    def _element(self, measured: Measured, node: ast.Expression) -> Measured:
        if measured.is_passed:
            return replace(measured, is_passed=False)
        if measured.lengths:
            return Measured(measured.type, measured.lengths[1:])
        if not measured.type.pointers:
            message = f"'{node.span.text}' is no element: '{measured.type.span.text}' is no pointer and no array"
            self.complaints.fail("E121", node.span, message)
        return Measured(replace(measured.type, pointers=measured.type.pointers[:-1]))

    def _member(self, node: ast.Member) -> Measured:
        around = self.type_of(node.base)
        if node.operator == "->":
            around = self._element(around, node)
        base, name = base_of(around.type), node.name.text
        vector = VECTOR.fullmatch(base)
        is_one = not (around.type.pointers or around.lengths or around.is_passed)
        unit = self.structures.get(base)
        if is_one and vector is not None and (_SWIZZLE.fullmatch(name) or name in _HALVES):
            count = len(name.lstrip("sS")) if name not in _HALVES else max(1, int(vector["size"]) // 2)
            return Measured(ast.TypeName((), vector["scalar"] + (str(count) if count > 1 else ""), span=node.span))
        if is_one and unit is not None and name in (members := self.members(unit)):
            return members[name]
        message = f"'{node.base.span.text}' has no member '{name}'"
        return self.complaints.fail("E183", node.name.span, message)

    def _called(self, name: str, node: ast.Call) -> Measured:
        if name in self._functions:
            return Measured(self._functions[name])
        if name in DIMENSIONED or name in PLAIN:
            is_size = name in DIMENSIONED and name != "get_work_dim"
            return _scalar(Scalar.ULONG if is_size else Scalar.UINT, node)
        if (conversion := _CONVERSION.fullmatch(name)) is not None:
            return Measured(ast.TypeName((), conversion["type"], span=node.function.span))
        if node.arguments and _LIKE_FIRST.fullmatch(name):
            return self.type_of(node.arguments[0])
        return self._refuse(node)


def name_of(unit: ast.Structure) -> str:
    """The type that a unit defines: `struct S`, `union U`."""
    return f"{'union' if unit.is_union else 'struct'} {unit.name.text}"


def _scalar(scalar: Scalar, node: ast.Node) -> Measured:
    return Measured(ast.TypeName((), scalar.spelling, span=node.span))


def scalar_of(measured: Measured) -> Scalar | None:
    """The type of what is one number; None of anything else."""
    if measured.type.pointers or measured.lengths or measured.is_passed:
        return None
    return SCALARS.get(scalar_name(measured.type.qualifiers, measured.type.base))
