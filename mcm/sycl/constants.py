"""Constant expressions: the sizes of ranges and of memory."""

from __future__ import annotations

from math import prod
from operator import add, and_, eq, floordiv, ge, gt, le, lt, mod, mul, ne, or_, sub, xor
from typing import TYPE_CHECKING, Final

from mcm.program.resolve.literals import written_integer
from mcm.program.resolve.record_layouts import layout_of
from mcm.program.types import Scalar
from mcm.sycl import tree
from mcm.sycl.containers import KIND, VECTOR
from mcm.sycl.entities import Accessor, Opaque, Reference, Variable
from mcm.sycl.types import pointer_to, scalar_of, target_of, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.sycl.context import Context
    from mcm.syntax.ast import Expression, Node

# What stands behind a name to ask for its number of elements, and for one of its sizes, whose number follows; and
# before one to ask for its bytes.
SIZE: Final = ".size()"
RANGE: Final = ".get_range()"
BYTES_OF: Final = "sizeof "
_WIDEST_SHIFT: Final = 63
# The numbers that a `double` has exactly.
_EXACT: Final = 1 << 53
_CALLED_TYPES: Final = frozenset({"int", "long", "unsigned", "size_t", "uint32_t", "int32_t", "int64_t", "uint64_t"})
_UNSIGNED: Final = frozenset({Scalar.UINT, Scalar.ULONG})
# What a number of a type ends in, where it is not that of an `int`.
_SUFFIXES: Final = {Scalar.UINT: "u", Scalar.LONG: "l", Scalar.ULONG: "ul"}
_OPERATORS: Final[dict[str, Callable[[int, int], int]]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": floordiv,
    "%": mod,
    "<<": lambda left, right: left << (right & _WIDEST_SHIFT),
    ">>": lambda left, right: left >> (right & _WIDEST_SHIFT),
    "&": and_,
    "|": or_,
    "^": xor,
}

_COMPARISONS: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


def constant(node: Node, context: Context) -> int | None:
    """The value of a constant expression; None where it is none."""

    def known(name: str) -> int | None:
        entity = context.scopes.find(name)
        if RANGE in name:
            of, _, dimension = name.partition(RANGE)
            sizes = sizes_of(of, context)
            return sizes[int(dimension)] if int(dimension) < len(sizes) else None
        if name.endswith(SIZE):
            return size_of(name.removesuffix(SIZE), context)
        if name.startswith(BYTES_OF):
            return _bytes_of(name.removeprefix(BYTES_OF), node, context)
        if not isinstance(entity, Variable) or entity.constant is None:
            return None
        return constant_of(entity.constant, lambda _: None)

    found = whole_of(node, known)
    return None if found is None or _may_wrap(node, known, context) else found


def _may_wrap(node: Node, known: Callable[[str], int | None], context: Context) -> bool:
    """Whether a difference in an expression of unsigned numbers is below 0, and so another number."""
    if not isinstance(node, ast.Infix | ast.Prefix | ast.Conditional | ast.Call):
        return False
    parts = list(walk([node]))
    differences = [part for part in parts if isinstance(part, ast.Infix | ast.Prefix) and part.operator == "-"]
    if not any((constant_of(part, known) or 0) < 0 for part in differences):
        return False
    return any(_is_unsigned(part, context) for part in parts)


def _is_unsigned(node: Node, context: Context) -> bool:
    match node:
        case ast.Name(text):
            entity = context.scopes.find(plain(text))
            scalar = scalar_of(entity.type) if isinstance(entity, Variable) else None
            return scalar in _UNSIGNED
        case tree.MemberCall(_, _, ast.Name("size" | "get_count" | "get")) | ast.SizeOf():
            return True
        case ast.NumberLiteral(text):
            return "u" in text.lower()
        case _:
            return False


def typed(value: int, type_: ast.TypeName, node: Node) -> Expression:
    """A constant of a type, which C++ converts its value to: `3ul` for a `size_t`, `3.0f` for a `float`."""
    scalar = scalar_of(type_)
    if scalar is None:
        return _literal(value, "", node)
    if scalar.is_floating:
        return _literal(value, ".0" if scalar is Scalar.DOUBLE else ".0f", node)
    if scalar is Scalar.BOOL:
        return _literal(int(bool(value)), "", node)
    wrapped = (value - scalar.low) % (scalar.high - scalar.low + 1) + scalar.low
    return _literal(wrapped, _SUFFIXES.get(scalar, ""), node)


def _literal(value: int, suffix: str, node: Node) -> Expression:
    literal = ast.NumberLiteral(f"{abs(value)}{suffix}", span=node.span)
    return literal if value >= 0 else ast.Prefix("-", literal, span=node.span)


def condition(node: Node, context: Context) -> bool | None:
    """Whether a condition of constants holds; None where it is none."""
    match node:
        case ast.Infix("&&" | "||" as operator, left, right):
            one, other = condition(left, context), condition(right, context)
            decided = operator == "||"
            if decided in {one, other}:
                return decided
            return None if None in {one, other} else not decided
        case ast.Infix(operator, left, right) if operator in _COMPARISONS:
            values = constant(left, context), constant(right, context)
            return None if values[0] is None or values[1] is None else _COMPARISONS[operator](values[0], values[1])
        case ast.Prefix("!", operand):
            holds = condition(operand, context)
            return None if holds is None else not holds
        case ast.Name("true" | "false" as text):
            return text == "true"
        case _:
            value = constant(node, context)
            return None if value is None else bool(value)


def chosen(node: Node, context: Context) -> Node:
    """What an expression is that chooses by a condition of constants."""
    while isinstance(node, ast.Conditional) and (holds := condition(node.condition, context)) is not None:
        node = node.then if holds else node.otherwise
    return node


def sizes_of(name: str, context: Context) -> tuple[int, ...]:
    """The sizes of a buffer, or of the memory of an accessor, in the order of SYCL; none for other names."""
    match context.scopes.find(name):
        case Opaque("buffer" | "list of events" | "list of queues", sizes=sizes) | Accessor(sizes=sizes):
            return sizes
        case _:
            return ()


def size_of(name: str, context: Context) -> int | None:
    """The number of elements of a container, an array, a buffer, or a range with a name; None for other names."""
    entity = context.scopes.find(name)
    if isinstance(entity, Variable) and entity.is_array and entity.length:
        return entity.length
    if sizes := sizes_of(name, context):
        return prod(sizes)
    if isinstance(entity, Opaque) and entity.class_ == "range" and entity.node is not None:
        parts = [constant(part, context) for part in _parts(entity.node)]
        return prod(part for part in parts if part is not None) if None not in parts else None
    return context.memory[name].count if entity is None and name in context.memory else None


def _bytes_of(what: str, node: Node, context: Context) -> int | None:
    """The bytes of a structure, of a variable or an array, `x`, or of what a pointer or an array points at, `*x`."""
    structures = context.functions.structures
    type_: ast.TypeName | None = ast.TypeName((), what, span=node.span)
    count = 1
    if what not in structures:
        type_, length = _declared(what.removeprefix("*"), context)
        if what.startswith("*"):
            type_ = target_of(type_) if length is None else type_
        elif length is not None:
            count = length
    layout = None if type_ is None or count == 0 else layout_of(type_, structures, written_integer)
    return None if layout is None else layout.size * count


def _declared(name: str, context: Context) -> tuple[ast.TypeName | None, int | None]:
    """The type of a variable, or that of the elements of an array and their number, 0 where that is not known."""
    entity, item = context.scopes.find(name), context.memory.get(name)
    if isinstance(entity, Variable | Reference):
        return entity.type, entity.length if entity.is_array else None
    if entity is not None or item is None:
        return None, None
    if item.kind == KIND:
        return item.type, item.count
    # A vector has bytes of its own, which are not known.
    return (item.type, 0) if item.kind == VECTOR else (pointer_to(item.type), None)


def _parts(node: Node) -> tuple[Node, ...]:
    """What a range consists of."""
    match node:
        case tree.Construction(_, _, parts) | ast.Call(_, parts):
            return parts
        case _:
            return (node,)


def constant_of(node: Node, known: Callable[[str], int | None]) -> int | None:
    """The value of a constant expression, where `known` says those of names; None where it is none."""
    match node:
        case ast.NumberLiteral():
            return written_integer(node)
        case ast.Name(text):
            return known(plain(text))
        case tree.MemberCall(ast.Name(text), ".", ast.Name("size" | "get_count"), None, ()):
            return known(text + SIZE)
        case ast.Index(
            tree.MemberCall(ast.Name(text), ".", ast.Name("get_range"), None, ()), ast.NumberLiteral(digits)
        ) | tree.MemberCall(
            tree.MemberCall(ast.Name(text), ".", ast.Name("get_range"), None, ()),
            ".",
            ast.Name("get"),
            None,
            (ast.NumberLiteral(digits),),
        ) if digits.isdecimal():
            return known(f"{text}{RANGE}{digits}")
        case ast.Call(ast.Name(size), (ast.Name(text),)) if plain(size) == "size":
            return known(text + SIZE)
        case ast.Infix(operator, left, right) if operator in _OPERATORS:
            one, other = constant_of(left, known), constant_of(right, known)
            if one is None or other is None or (operator in {"/", "%"} and (one < 0 or other <= 0)):
                return None
            return _OPERATORS[operator](one, other)
        case ast.Cast(type_name, operand) | tree.Construction(
            tree.ClassType("static_cast", (type_name,)), _, (operand,)
        ):
            return _converted(type_name, operand, known)
        case ast.Call(ast.Name(text), (operand,)) if text.removeprefix("std::") in _CALLED_TYPES:
            return _converted(ast.TypeName((), text.removeprefix("std::"), span=node.span), operand, known)
        case ast.Call(ast.Name(text), (left, right)) if plain(text) in {"min", "max"}:
            one, other = constant_of(left, known), constant_of(right, known)
            return None if one is None or other is None else (min if plain(text) == "min" else max)(one, other)
        case ast.Prefix("-" | "!" as operator, operand):
            value = constant_of(operand, known)
            return None if value is None else -value if operator == "-" else int(not value)
        case ast.Infix(operator, left, right) if operator in _COMPARISONS:
            one, other = constant_of(left, known), constant_of(right, known)
            return None if one is None or other is None else int(_COMPARISONS[operator](one, other))
        case ast.Conditional(test, then, otherwise):
            value = constant_of(test, known)
            return None if value is None else constant_of(then if value else otherwise, known)
        case ast.SizeOf():
            return _bytes_said(node, known)
        case _:
            return None


def _bytes_said(node: ast.SizeOf, known: Callable[[str], int | None]) -> int | None:
    """The number that `sizeof` is; None where it is not known."""
    match node:
        case ast.SizeOf(ast.TypeName() as type_name, lengths):
            written = written_type(type_name)
            sizes = [constant_of(length, known) for length in lengths]
            layout = layout_of(written, {}, written_integer)
            one = known(BYTES_OF + written.base) if layout is None else layout.size
            return None if one is None or None in sizes else one * prod(size for size in sizes if size is not None)
        case ast.SizeOf(ast.Name(text)):
            return known(BYTES_OF + text)
        case ast.SizeOf(ast.Prefix("*", ast.Name(text)) | ast.Index(ast.Name(text))):
            return known(f"{BYTES_OF}*{text}")
        case _:
            return None


def whole_of(node: Node, known: Callable[[str], int | None]) -> int | None:
    """The value of a constant expression that is converted to an integer: a power of integers, too."""
    match node:
        case ast.Call(ast.Name(text), (base, exponent)) if plain(text) == "pow":
            one, other = constant_of(base, known), constant_of(exponent, known)
            is_power = one is not None and other is not None and 0 <= other <= _WIDEST_SHIFT
            found = one**other if is_power else None  # type: ignore[operator]
            return found if found is not None and abs(found) <= _EXACT else None
        case ast.Call(ast.Name(text), (operand,)) if plain(text) == "log2":
            value = constant_of(operand, known)
            is_power = value is not None and 0 < value <= _EXACT and value & (value - 1) == 0
            return value.bit_length() - 1 if value is not None and is_power else None
        case _:
            return constant_of(node, known)


def _converted(type_: Node, operand: Node, known: Callable[[str], int | None]) -> int | None:
    """A constant of another type, which is that of integers that has it."""
    scalar = scalar_of(written_type(type_)) if isinstance(type_, ast.TypeName) and not type_.pointers else None
    value = None if scalar is None or scalar.is_floating or scalar is Scalar.BOOL else whole_of(operand, known)
    return value if value is not None and scalar is not None and scalar.low <= value <= scalar.high else None
