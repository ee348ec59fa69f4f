"""`vload_half` and `vstore_half`: numbers of 16 bits in memory, of 32 or 64 bits in computations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.resolve.checks import check_count
from mcm.program.resolve.float_functions import check_work_item
from mcm.program.resolve.spelling import LOAD_HALF
from mcm.program.resolve.type_names import show_type
from mcm.program.types import PointerType, Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.program.instruction import Expression
    from mcm.program.resolve.calls import Value
    from mcm.program.resolve.context import ThreadContext


def half_function(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """`vload_half(i, p)` is the float that `p[i]` is, `vstore_half(x, i, p)` rounds as its name says."""
    check_work_item(node, context)
    loads = node.function.text == LOAD_HALF
    check_count(node, 2 if loads else 3, "2 arguments" if loads else "3 arguments", context)
    *stored, index, pointer = node.arguments
    found = value(pointer, context)
    if not isinstance(found.type, PointerType) or found.type.target is not Scalar.HALF:
        message = f"'{pointer.span.text}' has type '{show_type(found.type)}', expected a pointer to half"
        context.complaints.fail("E121", pointer.span, message)
    element = ast.Index(pointer, index, span=node.span)
    if loads:
        return value(ast.Cast(ast.TypeName((), "float", span=node.span), element, span=node.span), context)
    mode = node.function.text.partition("_rt")[2]
    rounded = stored[0]
    if mode not in {"", "e"}:
        function = replace(node.function, text=f"convert_half_rt{mode}")
        rounded = ast.Call(function, (rounded,), span=rounded.span)
    return value(ast.Assignment("=", element, rounded, span=node.span), context)
