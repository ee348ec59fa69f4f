"""Reductions, `sycl::reduction(x, plus<>())`: work-items have values of their own, which their command combines.

The text does not say which work-item combines what, nor when. The object of a reduction is accessed once here, when
the work-items have ended: by a command of one work-item that belongs to the same command (ADR 59).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.types import Scalar
from mcm.sycl.accessors import inside
from mcm.sycl.algorithms import OPERATORS, SYMBOLS, check_operation
from mcm.sycl.constants import constant
from mcm.sycl.containers import named_memory
from mcm.sycl.context import call, number
from mcm.sycl.entities import Accessor, Opaque, Reducer
from mcm.sycl.tree import Construction
from mcm.sycl.types import scalar_of
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.base.source import Span
    from mcm.sycl.context import Context
    from mcm.sycl.entities import Entity
    from mcm.sycl.tree import MemberCall
    from mcm.syntax.ast import Expression, Node, Statement

CLASS: Final = "reduction"
# What says of how many elements a reduction is, behind its operation: a span of the program.
SPAN: Final = "span_of"
# The assignments that combine a value, by the operation.
_ASSIGNMENTS: Final = {"+=": "add", "*=": "mul", "&=": "and", "|=": "or", "^=": "xor"}
_ZERO: Final = frozenset({"add", "or", "xor", "logical_or"})
_ONE: Final = frozenset({"mul", "logical_and"})


class Reduction(Struct, frozen=True):
    """A reduction of a kernel: the object, the operation in the words of OpenCL C, and where values are until the end.

    `partials` has an element for each work-item; `keeps` says whether the value that the object had is combined, too.
    `is_of_buffer`: it is named by a buffer, or by an accessor of one, and the command is one on that buffer. One of a
    span has a `length`, and each work-item so many values.
    """

    location: str
    type: ast.TypeName
    operation: str
    partials: str
    span: Span
    keeps: bool = True
    is_of_buffer: bool = False
    length: int | None = None

    @property
    def count(self) -> int:
        """How many values each work-item has."""
        return 1 if self.length is None else self.length


def is_reduction(node: Node, outer: Mapping[str, Entity]) -> bool:
    """Whether an argument is a reduction, or the name of one."""
    if isinstance(node, ast.Name):
        entity = outer.get(plain(node.text))
        return isinstance(entity, Opaque) and entity.class_ == CLASS
    return isinstance(node, ast.Call) and plain(node.function.text) == CLASS


def read(node: Node, outer: Mapping[str, Entity], name: str, context: Context) -> Reduction:
    """What a reduction says; `name` is that of its kernel."""
    if isinstance(node, ast.Name):
        entity = outer[plain(node.text)]
        assert isinstance(entity, Opaque)
        assert entity.node is not None
        node = entity.node
    assert isinstance(node, ast.Call)
    if not node.arguments:
        context.complaints.fail("E104", node.span, "'reduction' takes an object and an operation, found no argument")
    first, *rest = node.arguments
    location, is_of_buffer = _object(first, outer, context)
    keeps = not any("initialize_to_identity" in _class(one) for one in walk(rest))
    operations = [one for one in rest if _class(one) in OPERATORS]
    if len(operations) != 1:
        known = "'plus<>()', 'multiplies<>()', 'minimum<>()', 'maximum<>()', 'bit_and<>()' and so on"
        context.complaints.fail("E206", node.span, f"a reduction has one of the operations {known}")
    operation = OPERATORS[_class(operations[0])]
    type_ = context.memory[location].type
    if isinstance(operations[0], Construction):
        check_operation(operations[0].type, type_, operations[0], context)
    length = next((_length(one, context) for one in rest if _class(one) == SPAN), None)
    return Reduction(location, type_, operation, f"({name}: {location})", node.span, keeps, is_of_buffer, length)


def _length(node: Node, context: Context) -> int:
    """How many elements a span has."""
    assert isinstance(node, ast.Call)
    found = constant(node.arguments[0], context) if node.arguments else None
    if found is None or found < 1:
        context.complaints.fail("E212", node.span, f"expected a constant number of elements, found '{node.span.text}'")
    return found


def _class(node: Node) -> str:
    """The class of an object that is made; a name as it is, and nothing for others."""
    match node:
        case Construction(class_):
            return plain(class_.name)
        case ast.Call(ast.Name(text)):
            return plain(text)
        case ast.Name(text):
            return plain(text)
        case _:
            return ""


def _object(node: Node, outer: Mapping[str, Entity], context: Context) -> tuple[str, bool]:
    """The object of a reduction, which USM, an accessor or a buffer names, and whether it is that of a buffer."""
    name = named_memory(node)
    entity = None if name is None else outer.get(name.text)
    location = None if name is None else name.text
    is_of_buffer = location is not None and location in context.memory and context.memory[location].kind == "buffer"
    if isinstance(entity, Accessor):
        location, is_of_buffer = None if entity.is_part else entity.location, True
    elif isinstance(entity, Opaque) and entity.class_ == "buffer":
        location, is_of_buffer = None if entity.start is not None else entity.name, True
    if location is None or location not in context.memory:
        message = f"a reduction is of memory, a buffer, or an accessor of all of one, found '{node.span.text}'"
        context.complaints.fail("E208", node.span, message)
    # A pointer names one element, the first one, and a buffer all that it has.
    count = context.memory[location].count
    if is_of_buffer and count != 1:
        message = (
            f"'{node.span.text}' is memory of {count} elements: in the litmus language, a reduction is of memory of one"
        )
        context.complaints.fail("E207", node.span, message)
    return location, is_of_buffer


# --- in the kernel ----------------------------------------------------------------------------------------------------


def reducer(reduction: Reduction, items: int, context: Context) -> Reducer:
    """What the parameter of the kernel stands for: the element of the work-item, of so many."""
    at = ast.Empty(span=reduction.span)
    element = ast.Index(ast.Name(reduction.partials, span=at.span), call("get_global_linear_id", (), at), span=at.span)
    context.used[reduction.partials] = None
    return Reducer(element, reduction.type, reduction.operation, reduction.length, items)


def element(one: Reducer, index: Node, context: Context) -> Reducer:
    """What `h[i]` stands for, of the reducer of a span."""
    if one.length is None:
        message = "this reducer combines one value: 'reduction(span<int, 4>(x, 4), plus<>())' is of several"
        context.complaints.fail("E203", index.span, message)
    return _moved(one, inside(context.value(index), one.length, "the span of a reduction"), index)


def _moved(one: Reducer, by: Expression, node: Node) -> Reducer:
    # So what is outside of the span is outside of the memory, too, and nothing of another work-item.
    before = ast.Infix("*", by, number(one.items, node), span=node.span)
    place = ast.Infix("+", before, one.target.index, span=node.span)
    return replace(one, target=replace(one.target, index=place), length=None)


def beginning(one: Reducer, context: Context) -> list[Statement]:
    """The elements of a work-item are the identity at first."""
    at = one.target
    elements = [one] if one.length is None else [_moved(one, number(each, at), at) for each in range(one.length)]
    return [
        ast.ExpressionStatement(ast.Assignment("=", each.target, _identity(one, context), span=at.span), span=at.span)
        for each in elements
    ]


def _identity(one: Reducer, context: Context) -> Expression:
    at, scalar = one.target, scalar_of(one.type)
    if one.operation in _ZERO or one.operation in _ONE:
        return number(int(one.operation in _ONE), at)
    if one.operation == "and":
        return ast.Prefix("~", number(0, at), span=at.span)
    if scalar is None or scalar.is_floating:
        infinity: Expression = ast.Name("INFINITY", span=at.span)
        return infinity if one.operation == "min" else ast.Prefix("-", infinity, span=at.span)
    if scalar is Scalar.BOOL:
        context.complaints.fail("E207", at.span, "a reduction of 'bool' to its minimum or maximum is not supported")
    if one.operation == "max" and not scalar.signed:
        return number(0, at)
    bound = "MAX" if one.operation == "min" else "MIN"
    return ast.Name(f"{scalar.spelling.upper().replace('SHORT', 'SHRT')}_{bound}", span=at.span)


def combined(one: Reducer, value: Expression, node: Node, context: Context) -> ast.Assignment:
    """The element of the work-item, combined with a value, which is passed as one of its type."""
    if one.length is not None:
        message = f"this reducer is of {one.length} elements: name one, 'h[i]', found '{node.span.text}'"
        context.complaints.fail("E203", node.span, message)
    passed = ast.Cast(replace(one.type, qualifiers=()), value, span=value.span)
    return ast.Assignment("=", one.target, _pair(one.operation, one.target, passed, node), span=node.span)


def _pair(operation: str, left: Expression, right: Expression, node: Node) -> Expression:
    if operation in SYMBOLS:
        return ast.Infix(SYMBOLS[operation], left, right, span=node.span)
    return call(operation, (left, right), node)


def assigned(one: Reducer, node: ast.Assignment, context: Context) -> Expression:
    """`sum += x`."""
    if _ASSIGNMENTS.get(node.operator) != one.operation:
        form = f"{node.target.span.text}.combine(x)"
        message = f"this reducer combines values by its operation, '{form}', found '{node.span.text}'"
        context.complaints.fail("E203", node.span, message)
    return combined(one, context.value(node.value), node, context)


def stepped(one: Reducer, node: ast.Prefix | ast.Postfix, context: Context) -> Expression:
    """`++sum`, `sum++`."""
    if node.operator != "++" or one.operation != "add":
        message = f"this reducer combines values by its operation, found '{node.span.text}'"
        context.complaints.fail("E203", node.span, message)
    return combined(one, number(1, node), node, context)


def member(one: Reducer, node: MemberCall, context: Context) -> Expression:
    """`sum.combine(x)`."""
    if node.name.text != "combine" or len(node.arguments) != 1:
        message = f"a reducer has 'combine(x)' and the assignment of its operation, found '{node.span.text}'"
        context.complaints.fail("E203", node.span, message)
    return combined(one, context.value(node.arguments[0]), node, context)


# --- behind it --------------------------------------------------------------------------------------------------------


def partials(reduction: Reduction, count: int) -> ast.InitialValue:
    """Memory for the values of each work-item, which the program does not name."""
    name = ast.Name(reduction.partials, span=reduction.span)
    length = ast.NumberLiteral(str(count * reduction.count), span=reduction.span)
    return ast.InitialValue(
        name, allocation="malloc_device", type=reduction.type, length=length, is_made=True, span=reduction.span
    )


def ending(reduction: Reduction, count: int) -> ast.Block:
    """The body of the command that combines the values of all work-items: the only access to the object."""
    at = ast.Empty(span=reduction.span)
    statements = [one for place in range(reduction.count) for one in _total(reduction, count, place, at)]
    return ast.Block(tuple(statements), span=at.span)


def _total(reduction: Reduction, count: int, place: int, at: Node) -> list[Statement]:
    """What combines the values of all work-items for one element."""
    location = ast.Name(reduction.location, span=at.span)
    target: Expression = ast.Prefix("*", location, span=at.span)
    if reduction.length is not None:
        target = ast.Index(location, number(place, at), span=at.span)
    values = ast.Name(reduction.partials, span=at.span)
    elements = [ast.Index(values, number(place * count + one, at), span=at.span) for one in range(count)]
    total = ast.Name(f"(total {place})", span=at.span)
    begins: Expression = target if reduction.keeps else elements.pop(0)
    declared = ast.Declarator(total, (), None, begins, span=at.span)
    statements: list[Statement] = [ast.Declaration(reduction.type, (declared,), span=at.span)]
    for element in elements:
        summed = ast.Assignment("=", total, _pair(reduction.operation, total, element, at), span=at.span)
        statements.append(ast.ExpressionStatement(summed, span=at.span))
    last = ast.Assignment("=", target, total, span=at.span)
    return [*statements, ast.ExpressionStatement(last, span=at.span)]
