"""Group algorithms, as the group functions of OpenCL C: they converge, and the work-items meet (SYCL-COLL-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.operators import Level
from mcm.program.resolve.type_names import show_type
from mcm.sycl.closures import predicate
from mcm.sycl.context import call, counted, number
from mcm.sycl.groups import LEVELS, group_of
from mcm.sycl.tree import Construction
from mcm.sycl.types import scalar_of, type_of, written_type
from mcm.sycl.words import QUESTIONS, SHUFFLES, plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.sycl.tree import ClassType
    from mcm.syntax.ast import Expression, Node, TypeName

# The function objects that reductions and scans take, and the word that OpenCL C has for each.
OPERATORS: Final = {
    "plus": "add",
    "multiplies": "mul",
    "minimum": "min",
    "maximum": "max",
    "bit_and": "and",
    "bit_or": "or",
    "bit_xor": "xor",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
}
# How two values are combined, where that is an operator; by functions otherwise.
SYMBOLS: Final = {"add": "+", "mul": "*", "and": "&", "or": "|", "xor": "^", "logical_and": "&&", "logical_or": "||"}

# The algorithms that bring a value from another work-item of a sub-group: what they take, and their names in OpenCL C.
_SHUFFLES: Final = {
    "select_from_group": ("a sub-group, a value, and the id of whose it is", "shuffle"),
    "shift_group_left": ("a sub-group, a value, and how far away the work-item is", "shuffle_down"),
    "shift_group_right": ("a sub-group, a value, and how far away the work-item is", "shuffle_up"),
    "permute_group_by_xor": ("a sub-group, a value, and a mask", "shuffle_xor"),
}
_SHIFTS: Final = frozenset({"shift_group_left", "shift_group_right"})


def algorithm(node: ast.Call, context: Context) -> Expression:
    """The value of a group algorithm."""
    name = plain(node.function.text)
    if not node.arguments:
        context.complaints.fail("E104", node.span, f"'{name}' takes a group first, found no argument")
    group = group_of(node.arguments[0], context)
    prefix, rest = LEVELS[group.level], node.arguments[1:]
    match name:
        case _ if name in QUESTIONS:
            value = _asked(name, rest, node, context)
            word = "all" if name == "all_of_group" else "any"
            found = call(f"{prefix}_{word}", (value,), node)
            return ast.Prefix("!", found, span=node.span) if name == "none_of_group" else found
        case "group_broadcast":
            values = _values(name, rest, (1, 2), "a group, a value, and the linear id of whose it is", node, context)
            lane = values[1] if len(values) == 2 else number(0, node)
            return call(f"{prefix}_broadcast", (values[0], lane), node)
        case _ if name in SHUFFLES:
            what, function = _SHUFFLES[name]
            values = _values(name, rest, (1, 2) if name in _SHIFTS else (2,), what, node, context)
            if group.level is not Level.SUB_GROUP:
                context.complaints.fail("E206", node.arguments[0].span, f"'{name}' is for sub-groups")
            distance = values[1] if len(values) == 2 else number(1, node)
            return call(f"{prefix}_{function}", (values[0], distance), node)
        case _:
            return _combined(name, prefix, rest, node, context)


def _asked(name: str, rest: tuple[Node, ...], node: ast.Call, context: Context) -> Expression:
    """The condition of a work-item: a value, or what a function says of it, `any_of_group(g, x, [](int a) { … })`."""
    what = "a group, and a condition or a value and a function that is asked about it"
    if len(rest) != 2:
        return _values(name, rest, (1,), what, node, context)[0]
    asked = predicate(rest[1], context)
    return call(asked.function, (context.value(rest[0]),), node)


def _combined(name: str, prefix: str, rest: tuple[Node, ...], node: ast.Call, context: Context) -> Expression:
    """A reduction or a scan; the initial value of an inclusive scan stands behind the operation, others before it.

    Where there is one, values are combined in its type, and that is the type of the result.
    """
    if len(rest) not in {2, 3}:
        message = f"'{name}' takes a group, a value and an operation, found {counted(len(node.arguments))}"
        context.complaints.fail("E104", node.span, message)
    value, *others = rest
    *initial, operation = reversed(others) if name.startswith("inclusive") else others
    kind = "reduce" if name.startswith("reduce") else f"scan_{name.partition('_')[0]}"
    type_ = type_of(initial[0], context) if initial else None
    word = operation_word(operation, context, type_ or type_of(value, context))
    given = context.value(value)
    found = call(
        f"{prefix}_{kind}_{word}", (given if type_ is None else ast.Cast(type_, given, span=given.span),), node
    )
    if not initial:
        return found
    first = context.value(initial[0])
    whole = (
        ast.Infix(SYMBOLS[word], first, found, span=node.span) if word in SYMBOLS else call(word, (first, found), node)
    )
    return whole if type_ is None else ast.Cast(type_, whole, span=node.span)


def operation_word(node: Node, context: Context, combined: TypeName | None) -> str:
    """The operation that a function object stands for, which combines values of a type, None where that is not known.

    What it returns has to be of the type that is combined (SYCL 2020, 4.17.3: "Mandates").
    """
    known = "'plus<>()', 'multiplies<>()', 'minimum<>()', 'bit_and<>()', 'logical_and<>()' and so on"
    match node:
        case Construction(class_) if plain(class_.name) in OPERATORS:
            check_operation(class_, combined, node, context)
            return OPERATORS[plain(class_.name)]
        case Construction(class_):
            message = f"'{plain(class_.name)}' is not part of the litmus language here: {known} are"
            return context.complaints.fail("E207", node.span, message)
        case _:
            return context.complaints.fail("E206", node.span, f"expected one of {known}, found '{node.span.text}'")


def check_operation(class_: ClassType, combined: TypeName | None, node: Node, context: Context) -> None:
    """Refuse `plus<int>()` where values of another type are combined."""
    match class_.arguments:
        case (ast.TypeName() as written,):
            own, other = scalar_of(written_type(written)), scalar_of(combined)
        case _:
            return
    if own is not None and other is not None and own is not other:
        message = (
            f"'{node.span.text}' gives {show_type(own)}, and combines values of type {show_type(other)} here: SYCL "
            f"mandates one type (4.17.3), as '{plain(class_.name)}<>()' has it"
        )
        context.complaints.error("E206", node.span, message)


def _values(
    name: str, rest: tuple[Node, ...], counts: tuple[int, ...], what: str, node: ast.Call, context: Context
) -> tuple[Expression, ...]:
    if len(rest) not in counts:
        message = f"'{name}' takes {what}, found {counted(len(node.arguments))}"
        context.complaints.fail("E104", node.span, message)
    return tuple(context.value(_linear(value)) for value in rest)


def _linear(node: Node) -> Node:
    """What an id of one dimension is made of, `id<1>(n)`, which is its linear id; other values as they are."""
    match node:
        case Construction(class_, _, (inner,)) if plain(class_.name) == "id":
            return inner
        case ast.Call(ast.Name(name), (inner,)) if plain(name) == "id":
            return inner
        case _:
            return node
