"""The calls in a body that enqueue kernels and data commands or register callbacks, as they are met.

Loops around them are unrolled where their number of iterations stands in the text, and branches against which the ids
of a work-item decide are left out. `resolve.statements` unrolls alike: it asks the functions here.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from mcm.program.resolve.literals import NAMED_CONSTANTS, integer_of
from mcm.program.resolve.work_item_functions import PLAIN, WorkItems, in_dimension
from mcm.program.topology import WorkItem
from mcm.syntax import ast
from mcm.syntax.walk import parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.base.source import Span
    from mcm.program.topology import Placement

# The end of a buffer and the beginning of a host accessor wait for commands: no program calls them by a name.
WAITS_FOR_BUFFER: Final = "wait for a buffer"

# A pseudo-argument: the variables around a block, or of the host, whose values a kernel is passed.
CAPTURES: Final = "variables of the block"

# What makes a thread or a command exist: the calls whose number must be known.
ENQUEUES: Final = frozenset(
    {
        *("clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clEnqueueWriteBuffer", "clEnqueueFillBuffer"),
        *("clEnqueueCopyBuffer", "clEnqueueMapBuffer", "clEnqueueUnmapMemObject", "clEnqueueSVMMap"),
        *("clEnqueueSVMUnmap", "clEnqueueSVMMemcpy", "clEnqueueSVMMemFill", "clEnqueueMarkerWithWaitList"),
        *("clEnqueueMigrateMemObjects", "clEnqueueSVMMigrateMem", "clEnqueueBarrierWithWaitList", WAITS_FOR_BUFFER),
        *("enqueue_kernel", "enqueue_marker", "create_user_event"),
    }
)
# Those of kernels.
ON_DEVICE: Final = frozenset({"enqueue_kernel", "enqueue_marker", "create_user_event", "set_user_event_status"})
REGISTERS_CALLBACK: Final = "clSetEventCallback"

HOST_CALLS: Final = frozenset(
    {
        *ENQUEUES,
        *("clWaitForEvents", "clFinish", "clFlush", "clGetEventInfo", "clSetUserEventStatus", REGISTERS_CALLBACK),
        "set_user_event_status",
    }
)

# A loop around such calls may have so many iterations.
MOST_ITERATIONS: Final = 64
# Of a loop of the host of which the text does not say how often it iterates, so many iterations are written out.
WRITTEN_OUT: Final = 20

_IDS: Final = frozenset(
    {
        *("get_global_id", "get_local_id", "get_group_id", "get_local_size", "get_global_size", "get_num_groups"),
        *("get_enqueued_local_size", "get_global_offset", "get_work_dim"),
        *("get_global_linear_id", "get_local_linear_id", "get_sub_group_id", "get_sub_group_local_id"),
    }
)
_OPERATORS: Final[dict[str, Callable[[int, int], int]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<<": lambda left, right: left << right if 0 <= right < 32 else 0,
    "&": operator.and_,
    "|": operator.or_,
    "%": lambda left, right: left % right if left >= 0 and right > 0 else 0,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


Functions = Mapping[str, ast.Function]
# An id of a work-item is known without the others.
_ALONE: Final = WorkItems()


def calls_of(node: ast.Node, placement: Placement, functions: Functions) -> Iterator[ast.Call]:
    """The calls of a body and of the functions that it calls, as often as they are met, in this order."""
    match node:
        case ast.Call(function, arguments):
            for argument in arguments:
                yield from calls_of(argument, placement, functions)
            if function.text in ENQUEUES or function.text == REGISTERS_CALLBACK:
                yield node
            elif (body := _body_of(function.text, functions)) is not None:
                others = {name: known for name, known in functions.items() if name != function.text}
                yield from calls_of(body, placement, others)
        case ast.If(condition, then, otherwise):
            yield from calls_of(condition, placement, functions)
            decided = value_of(condition, placement)
            if decided is None or decided:
                yield from calls_of(then, placement, functions)
            if otherwise is not None and not decided:
                yield from calls_of(otherwise, placement, functions)
        case ast.For(initial, condition, step, body):
            repeated = [part for part in (condition, body, step) if part is not None]
            if initial is not None:
                yield from calls_of(initial, placement, functions)
            count = iterations(node) or WRITTEN_OUT
            for _ in range(count if has_calls(body, functions) else 1):
                for part in repeated:
                    yield from calls_of(part, placement, functions)
        case ast.While(condition, body) | ast.DoWhile(body, condition):
            for _ in range(WRITTEN_OUT if has_calls(body, functions) else 1):
                for part in (condition, body):
                    yield from calls_of(part, placement, functions)
        case _:
            for inner in parts_of(node):
                yield from calls_of(inner, placement, functions)


def has_calls(node: ast.Node, functions: Functions) -> bool:
    """Whether a part of a body may enqueue a command or register a callback, itself or in a function that it calls."""
    if isinstance(node, ast.Call):
        name = node.function.text
        if name in ENQUEUES or name == REGISTERS_CALLBACK:
            return True
        body = _body_of(name, functions)
        others = {known: function for known, function in functions.items() if known != name}
        if body is not None and has_calls(body, others):
            return True
    return any(has_calls(part, functions) for part in parts_of(node))


def _body_of(name: str, functions: Functions) -> ast.Block | None:
    return functions[name].body if name in functions else None


def value_of(node: ast.Expression, placement: Placement) -> int | None:
    """The value of an expression of constants and ids; None where it is something else."""
    match node:
        case ast.NumberLiteral(text):
            return integer_of(text)
        case ast.Name(text) if text in NAMED_CONSTANTS:
            known = NAMED_CONSTANTS[text][0]
            return known if isinstance(known, int) else None
        case ast.Prefix("!" | "-" as symbol, operand):
            value = value_of(operand, placement)
            return None if value is None else int(not value) if symbol == "!" else -value
        case ast.Infix("&&" | "||" as symbol, left, right):
            return _logic(symbol, value_of(left, placement), value_of(right, placement))
        case ast.Infix("/", left, right):
            first, second = value_of(left, placement), value_of(right, placement)
            return None if first is None or second is None or first < 0 or second <= 0 else first // second
        case ast.Infix(symbol, left, right) if symbol in _OPERATORS:
            first, second = value_of(left, placement), value_of(right, placement)
            return None if first is None or second is None else int(_OPERATORS[symbol](first, second))
        case ast.Call(ast.Name(name), arguments) if name in _IDS and isinstance(placement, WorkItem):
            if name in PLAIN:
                return PLAIN[name][0](placement, _ALONE)
            dimension = value_of(arguments[0], placement) if len(arguments) == 1 else None
            # The groups of work-items that are written one by one are not counted here.
            if dimension is None or (name == "get_num_groups" and not placement.dimensions):
                return None
            return in_dimension(name, dimension, placement, _ALONE)
        case _:
            return None


def _logic(symbol: str, left: int | None, right: int | None) -> int | None:
    decisive = 0 if symbol == "&&" else 1
    known = [int(bool(value)) for value in (left, right) if value is not None]
    if decisive in known:
        return decisive
    return 1 - decisive if len(known) == 2 else None


# --- loops ------------------------------------------------------------------------------------------------------------


def iterations(node: ast.For) -> int | None:
    """How often `for (int i = a; i < b; i++)` iterates, None where that is not plain from the text.

    It is not where the body leaves the loop for what stands behind it, or changes the variable; `return` ends it all.
    """
    name, first = _beginning(node.initial)
    step = _step(node.step, name)
    limit = _limit(node.condition, name)
    if first is None or not step or limit is None or _interferes(node.body, name):
        return None
    symbol, last = limit
    count, value = 0, first
    while _OPERATORS[symbol](value, last) and count <= MOST_ITERATIONS:
        count, value = count + 1, value + step
    return count if count <= MOST_ITERATIONS else None


def _constant(node: ast.Node | None) -> int | None:
    match node:
        case ast.NumberLiteral(text):
            return integer_of(text)
        case ast.Prefix("-", operand):
            value = _constant(operand)
            return None if value is None else -value
        case _:
            return None


def _beginning(node: ast.Node | None) -> tuple[str, int | None]:
    match node:
        case ast.Declaration(_, (ast.Declarator(ast.Name(name), (), None, value),)):
            return name, _constant(value)
        case ast.ExpressionStatement(ast.Assignment("=", ast.Name(name), value)):
            return name, _constant(value)
        case _:
            return "", None


def _step(node: ast.Expression | None, name: str) -> int | None:
    match node:
        case ast.Prefix("++" | "--" as symbol, ast.Name(text)) | ast.Postfix(symbol, ast.Name(text)) if text == name:
            return 1 if symbol == "++" else -1
        case ast.Assignment("+=" | "-=" as symbol, ast.Name(text), value) if text == name:
            amount = _constant(value)
            return amount if amount is None or symbol == "+=" else -amount
        case _:
            return None


def _limit(node: ast.Expression | None, name: str) -> tuple[str, int] | None:
    match node:
        case ast.Infix("<" | "<=" | ">" | ">=" | "!=" as symbol, ast.Name(text), value) if text == name:
            last = _constant(value)
            return None if last is None else (symbol, last)
        case _:
            return None


def continues(node: ast.Node) -> Span | None:
    """Where a loop's body goes on with the next iteration from the middle."""
    if isinstance(node, ast.Continue):
        return node.span
    if isinstance(node, ast.While | ast.DoWhile | ast.For):
        return None
    return next((found for part in parts_of(node) if (found := continues(part)) is not None), None)


def _interferes(node: ast.Node, name: str) -> bool:
    """Whether a loop's body may leave it, or change its variable."""
    match node:
        case ast.Break() | ast.Continue():
            return True
        case ast.Assignment(_, ast.Name(text), _) | ast.Postfix(_, ast.Name(text)) if text == name:
            return True
        case ast.Prefix("++" | "--" | "&", ast.Name(text)) if text == name:
            return True
        case _:
            return any(_interferes(part, name) for part in parts_of(node))
