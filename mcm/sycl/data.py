"""Commands on memory: `memcpy`, `copy`, `fill` and `memset` of whole objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl.constants import constant
from mcm.sycl.containers import named_memory
from mcm.sycl.context import call, counted, number
from mcm.sycl.entities import Variable
from mcm.sycl.types import is_record, scalar_of
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcm.sycl.context import Context
    from mcm.sycl.tree import MemberCall
    from mcm.syntax.ast import Expression, Node

# What each takes before the number of bytes or elements.
_SIGNATURES: Final = {
    "memcpy": "the destination, the source, and the number of bytes",
    "copy": "the source, the destination, and the number of elements",
    "fill": "a pointer, a value, and the number of elements",
    "memset": "a pointer, a value, and the number of bytes",
}
# Hints, and how many arguments stand before the events that they wait for.
_HINTS: Final = {"prefetch": 2, "mem_advise": 3}
DATA_COMMANDS: Final = (*_SIGNATURES, *_HINTS)
_IN_BYTES: Final = frozenset({"memcpy", "memset"})


def data_command(
    node: MemberCall,
    queue: ast.Name,
    events: Callable[[Iterable[Node]], tuple[ast.Name, ...]],
    context: Context,
    waits: tuple[Node, ...] = (),
) -> ast.Call:
    """The call that enqueues a command on memory."""
    name, arguments = node.name.text, node.arguments
    if name in _HINTS or (len(arguments) > 2 and constant(arguments[2], context) == 0):
        return _nothing(node, queue, events((*waits, *arguments[_HINTS.get(name, 3) :])), context)
    if not 3 <= len(arguments) <= 4:
        message = f"'{name}' takes {_SIGNATURES[name]}, found {counted(len(arguments))}"
        context.complaints.fail("E104", node.span, message)
    first, second, count = arguments[:3]
    awaited = events((*waits, *arguments[3:]))
    wait_list = (call("wait", awaited, node),) if awaited else ()
    if name in {"memcpy", "copy"}:
        target, source = (first, second) if name == "memcpy" else (second, first)
        written, read = _object(target, context), _object(source, context)
        _check_count(name, count, written, context)
        blocking = ast.Name("CL_FALSE", span=node.span)
        return call("clEnqueueSVMMemcpy", (queue, blocking, written, read, *wait_list), node)
    filled = _object(first, context)
    _check_count(name, count, filled, context)
    value = _of_bytes(second, filled, context) if name == "memset" else context.value(second)
    return call("clEnqueueSVMMemFill", (queue, filled, value, *wait_list), node)


def _nothing(node: MemberCall, queue: ast.Name, awaited: tuple[ast.Name, ...], context: Context) -> ast.Call:
    """A command that does nothing to memory, but waits for others: a hint, or a copy of nothing."""
    if not awaited:
        message = f"'{node.span.text}' does nothing that a memory model asks about, and waits for nothing: leave it out"
        context.complaints.fail("E207", node.span, message)
    return call("clEnqueueMarkerWithWaitList", (queue, call("wait", awaited, node)), node)


def _of_bytes(node: Node, filled: ast.Name, context: Context) -> Expression:
    """An element of which each byte has a value."""
    known = constant(node, context)
    item = context.memory.get(filled.text)
    scalar = None if item is None else scalar_of(item.type)
    if known == 0:
        return number(0, node)
    if known is None or scalar is None or scalar.is_floating:
        message = (
            f"'memset' sets the bytes of integers, to a constant, or those of others to 0; found '{node.span.text}': "
            "use 'fill' for other values"
        )
        context.complaints.fail("E207", node.span, message)
    count = max(1, scalar.bits // 8)
    return number(int.from_bytes(bytes([known % 256] * count), "little", signed=scalar.signed), node)


def copied_now(
    node: MemberCall, events: Callable[[Iterable[Node]], tuple[ast.Name, ...]], context: Context
) -> Expression | None:
    """A copy that is waited for at once, `q.memcpy(&r, x, sizeof(int)).wait()`, to or from a variable of the host.

    It is a command that blocks; None for other calls.
    """
    if node.name.text not in {"memcpy", "copy"} or not 3 <= len(node.arguments) <= 4:
        return None
    first, second, count, *waits = node.arguments
    target, source = (first, second) if node.name.text == "memcpy" else (second, first)
    if not isinstance(node.base, ast.Name) or _of_host(target, context) is _of_host(source, context):
        return None
    awaited = events(waits)
    wait_list = (call("wait", awaited, node),) if awaited else ()
    blocking = ast.Name("CL_TRUE", span=node.span)
    if isinstance(target, ast.Prefix) and _of_host(target, context):
        read = _object(source, context)
        _check_count(node.name.text, count, read, context)
        written = replace(target, operand=context.place(target.operand))
        return call("clEnqueueReadBuffer", (node.base, read, blocking, written, *wait_list), node)
    assert isinstance(source, ast.Prefix)
    changed = _object(target, context)
    _check_count(node.name.text, count, changed, context)
    value = context.value(source.operand)
    return call("clEnqueueWriteBuffer", (node.base, changed, blocking, value, *wait_list), node)


def _of_host(node: Node, context: Context) -> bool:
    """Whether an argument is the address of a variable."""
    match node:
        case ast.Prefix("&", ast.Name(text)):
            return text not in context.memory
        case _:
            return False


def _object(node: Node, context: Context) -> ast.Name:
    """The memory object that a pointer names."""
    named = named_memory(node)
    if named is not None and named.text in context.memory:
        if is_record(context.memory[named.text].type):
            what = f"commands on structures and vectors, as '{node.span.text}'"
            message = f"not yet supported: {what}; set the members in a kernel"
            context.complaints.fail("E100", node.span, message)
        context.used[named.text] = None
        return named
    is_known = isinstance(node, ast.Name) and (
        node.text in context.memory or context.scopes.find(node.text) is not None
    )
    if _of_host(node, context):
        message = (
            f"a copy to or from a variable of the host is waited for at once here, "
            f"'q.memcpy({node.span.text}, …).wait()'"
        )
        context.complaints.fail("E166", node.span, message)
    entity = context.scopes.find(node.text) if isinstance(node, ast.Name) else None
    if isinstance(entity, Variable) and entity.is_array:
        message = (
            f"'{node.span.text}' is an array of the host program: commands copy and fill memory of the initial state, "
            f"'system int {node.span.text}[…];'"
        )
        context.complaints.fail("E166", node.span, message)
    if not is_known:
        message = f"commands copy and fill whole objects by their names, found '{node.span.text}'"
        context.complaints.fail("E166", node.span, message)
    assert isinstance(node, ast.Name)
    if node.text in context.memory:
        context.used[node.text] = None
    return node


def _check_count(name: str, count: Node, written: ast.Name, context: Context) -> None:
    """A command is about a whole object."""
    item = context.memory.get(written.text)
    given = constant(count, context)
    if given is None:
        message = f"expected a constant number, found '{count.span.text}'"
        context.complaints.fail("E166", count.span, message)
    if item is None:
        return
    amount = item.count
    scalar = scalar_of(item.type)
    size = (8 if scalar is None else max(1, scalar.bits // 8)) if name in _IN_BYTES else 1
    if given != amount * size:
        unit = "bytes" if name in _IN_BYTES else "elements"
        message = f"commands copy and fill whole objects: '{written.text}' has {amount * size} {unit}, found {given}"
        context.complaints.fail("E166", count.span, message)
