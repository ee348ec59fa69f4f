"""`printf`: its arguments are evaluated, and what it prints is no outcome."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mcm.program.instruction import Evaluate, Literal
from mcm.program.resolve.complaints import Attempts
from mcm.program.resolve.functions import settle_arguments
from mcm.program.resolve.hoisting import Hoisted, HoistedCall, does
from mcm.program.types import Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.program.instruction import Expression, Statement
    from mcm.program.resolve.calls import Value
    from mcm.program.resolve.context import ThreadContext

# A conversion of a format: its width and its precision may be arguments too, and a vector has several components.
_CONVERSION: Final = re.compile(
    r"%[-+ #0]*(?P<width>\*|\d+)?(?:\.(?P<precision>\*|\d+)?)?"
    r"(?:v(?P<size>2|3|4|8|16))?(?:hh|hl|h|ll|l)?(?P<kind>[a-zA-Z%])"
)


def printed(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """A call of `printf`, which stands before its expression now, as that of a function that returns nothing."""
    if not node.arguments or not isinstance(node.arguments[0], ast.Text):
        found = node.arguments[0].span.text if node.arguments else "no argument"
        message = f"'printf' takes a format first, a string literal such as \"%d\\n\"; found {found}"
        context.complaints.fail("E104", node.span, message)
    around, context.hoisted = context.hoisted, Hoisted()
    try:
        attempts: Attempts = Attempts()
        arguments: list[Expression] = []
        for argument in node.arguments[1:]:
            with attempts:
                if not isinstance(argument, ast.Text):
                    arguments.append(value(argument, context))
        attempts.finish()
        context.hoisted.settle(arguments, context.pointers, context.complaints)
        settle_arguments(arguments, context)
        statements: list[Statement] = context.hoisted.statements
    finally:
        context.hoisted = around
    _check_format(node.arguments[0], len(node.arguments) - 1, node, context)
    # None of them changes what another one reads, so they may as well come one after the other.
    statements += [Evaluate(one, span=one.span) for one in arguments if not isinstance(one, Literal)]
    around.statements += statements
    around.calls.append(HoistedCall(node.span, does(statements), None))
    return Literal(0, Scalar.INT, span=node.span)


def _check_format(format_: ast.Text, given: int, node: ast.Call, context: ThreadContext) -> None:
    """Refuse a format that asks for more values than there are."""
    asked = 0
    for found in _CONVERSION.finditer(format_.text):
        asked += (found["width"] == "*") + (found["precision"] == "*")
        asked += int(found["size"] or 1) if found["kind"] != "%" else 0
    if asked > given:
        message = f"the format of 'printf' asks for {asked} value{'s' if asked != 1 else ''}, found {given}"
        context.complaints.fail("E104", node.span, message)
