"""Commands on memory: `memcpy`, `copy`, `fill` and `memset` of objects, and of parts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.command_words import BYTES, REPEATED, numbers, said
from mcm.program.types import Scalar
from mcm.sycl import records
from mcm.sycl.constants import constant
from mcm.sycl.containers import named_memory
from mcm.sycl.context import call, counted, number
from mcm.sycl.entities import Variable
from mcm.sycl.sizes import bytes_of_type, number_at, pointed
from mcm.sycl.types import is_record, scalar_of, show, type_of, written_type
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
        written, read = (_copied(one, count, name, context) for one in (target, source))
        blocking = ast.Name("CL_FALSE", span=node.span)
        return call("clEnqueueSVMMemcpy", (queue, blocking, written, read, *wait_list), node)
    if name == "memset":
        filled = _memory(first, _amount(count, context), count, context)
        value: Expression = _of_bytes(second, first, context)
    else:
        filled, value = _fill(node, context)
    return call("clEnqueueSVMMemFill", (queue, filled, value, *wait_list), node)


def _fill(node: MemberCall, context: Context) -> tuple[Expression, Expression]:
    """What `fill` fills, and with what: copies of a pattern, whose type says how many bytes each has."""
    first, pattern, count = node.arguments[:3]
    found = pointed(first, context)
    if found is None:
        return _object(first, context), context.value(pattern)
    type_ = _written_pattern(node.templates) or type_of(pattern, context) or found.type
    amount, each = _amount(count, context), bytes_of_type(type_, context)
    filled = _memory(first, None if each is None else amount * each, count, context)
    if is_record(type_) or type_.pointers:
        made = records.returned_list(pattern, type_, context) or context.value(pattern)
        return filled, made
    numbered = number_at(found, context) or found.type
    given, wanted = scalar_of(type_), scalar_of(numbered)
    if constant(pattern, context) == 0:
        return filled, number(0, pattern)
    if given is not wanted and (
        given is None or wanted is None or given.bits != wanted.bits or given.is_floating or wanted.is_floating
    ):
        message = (
            f"'fill' copies the bytes of '{pattern.span.text}', which is '{show(type_)}', and '{found.name.text}' "
            f"consists of '{show(numbered)}': write a value of that type"
        )
        context.complaints.fail("E207", pattern.span, message)
    return filled, context.value(pattern)


def _written_pattern(templates: tuple[Node, ...] | None) -> ast.TypeName | None:
    """The type of a pattern, where it is written: `fill<int>`."""
    match templates:
        case (ast.TypeName() as type_, *_):
            return written_type(type_)
        case _:
            return None


def _nothing(node: MemberCall, queue: ast.Name, awaited: tuple[ast.Name, ...], context: Context) -> ast.Call:
    """A command that does nothing to memory, but waits for others: a hint, or a copy of nothing."""
    if not awaited:
        message = f"'{node.span.text}' does nothing that a memory model asks about, and waits for nothing: leave it out"
        context.complaints.fail("E207", node.span, message)
    return call("clEnqueueMarkerWithWaitList", (queue, call("wait", awaited, node)), node)


def _of_bytes(node: Node, filled: Node, context: Context) -> Expression:
    """A value of which each byte has a value: a number, where it is evident which one."""
    known = constant(node, context)
    if known is None:
        message = f"'memset' sets bytes to a constant here, found '{node.span.text}': use 'fill' for other values"
        context.complaints.fail("E207", node.span, message)
    byte, found = known % 256, pointed(filled, context)
    if byte == 0:
        return number(0, node)
    item = None if found is None else context.object_named(found.name.text)
    scalar = None if item is None else scalar_of(item.type)
    if scalar is None or scalar.is_floating or scalar is Scalar.BOOL:
        return said(REPEATED, numbers((byte,), node), node)
    value = int.from_bytes(bytes([byte]) * (scalar.bits // 8), "little", signed=scalar.signed)
    return number(value, node) if value >= 0 else ast.Prefix("-", number(-value, node), span=node.span)


def copied_now(
    node: MemberCall, events: Callable[[Iterable[Node]], tuple[ast.Name, ...]], context: Context
) -> ast.Call | None:
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
        read = _copied(source, count, node.name.text, context)
        _check_variable(target, source, count, node, context)
        written = replace(target, operand=context.place(target.operand))
        return call("clEnqueueReadBuffer", (node.base, read, blocking, written, *wait_list), node)
    assert isinstance(source, ast.Prefix)
    changed = _copied(target, count, node.name.text, context)
    _check_variable(source, target, count, node, context)
    value = context.value(source.operand)
    return call("clEnqueueWriteBuffer", (node.base, changed, blocking, value, *wait_list), node)


def _of_host(node: Node, context: Context) -> bool:
    """Whether an argument is the address of a variable."""
    match node:
        case ast.Prefix("&", ast.Name(text)):
            return text not in context.memory
        case _:
            return False


def _check_variable(variable: Node, memory: Node, count: Node, node: MemberCall, context: Context) -> None:
    """A copy to or from a variable of the host is one of its value."""
    assert isinstance(variable, ast.Prefix)
    type_, found = type_of(variable.operand, context), pointed(memory, context)
    if found is None or type_ is None:
        return
    size = bytes_of_type(type_, context)
    amount = _amount(count, context) * (1 if node.name.text == "memcpy" else bytes_of_type(found.type, context) or 1)
    if amount != size:
        message = f"'{variable.operand.span.text}' has {_in_bytes(size)}, and {amount} are copied"
        context.complaints.fail("E166", count.span, message)
    there = found.type if is_record(type_) else number_at(found, context) or found.type
    given, other = scalar_of(type_), scalar_of(there)
    is_alike = type_.base == there.base or (given is not None and given is other)
    if not is_alike and (
        given is None or other is None or given.is_floating or other.is_floating or given.bits != other.bits
    ):
        message = (
            f"a copy is one of bytes: those of '{show(type_)}' mean something else as '{show(there)}', which is "
            "not part of the litmus language for a variable of the host; give both the same type"
        )
        context.complaints.fail("E207", node.span, message)


def _copied(node: Node, count: Node, name: str, context: Context) -> Expression:
    """The memory that a copy reads or writes: so many bytes, or so many elements."""
    amount = _amount(count, context)
    if name == "memcpy":
        return _memory(node, amount, count, context)
    found = pointed(node, context)
    each = None if found is None else bytes_of_type(found.type, context)
    return _memory(node, None if each is None else amount * each, count, context)


def _amount(count: Node, context: Context) -> int:
    """How many bytes or elements a command is about."""
    given = constant(count, context)
    if given is None or given < 0:
        message = f"expected a constant number, found '{count.span.text}'"
        context.complaints.fail("E166", count.span, message)
    return given


def _memory(node: Node, size: int | None, count: Node, context: Context) -> Expression:
    """The memory from where an argument points, so many bytes of it: an object by its name, or a part of one."""
    found = pointed(node, context)
    item = None if found is None else context.object_named(found.name.text)
    each = None if item is None else bytes_of_type(item.type, context)
    if found is None or item is None:
        return _object(node, context)
    if each is None or size is None:
        message = f"not yet supported: a command on '{found.name.text}', the size of whose elements is not known"
        context.complaints.fail("E100", node.span, message)
    if found.name.text in context.memory:
        context.used[found.name.text] = None
    total = item.count * each
    name = replace(found.name, span=node.span)
    if found.byte == 0 and size == total:
        return name
    if found.byte < 0 or found.byte + size > total:
        behind = f" behind '{node.span.text}'" if found.byte > 0 else ""
        left = max(0, total - found.byte)
        message = f"'{found.name.text}' has {_in_bytes(left)}{behind}, and the command is about {size}"
        if found.byte < 0:
            message = f"'{node.span.text}' lies before the beginning of '{found.name.text}'"
        context.complaints.fail("E166", count.span, message)
    return said(BYTES, (name, *numbers((found.byte, size), node)), node)


def _object(node: Node, context: Context) -> ast.Name:
    """The memory object that a pointer names."""
    named = named_memory(node)
    if named is not None and named.text in context.memory:
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
    if isinstance(entity, Variable) and entity.type is not None and entity.type.pointers:
        message = (
            f"'{node.span.text}' is a pointer that may lead to any memory, and a command copies or fills memory by its "
            "name here: a kernel with a loop, which is passed the pointer, does the same"
        )
        context.complaints.fail("E166", node.span, message)
    if not is_known:
        message = f"commands copy and fill memory by its name, or from a constant place in it, found '{node.span.text}'"
        context.complaints.fail("E166", node.span, message)
    assert isinstance(node, ast.Name)
    if node.text in context.memory:
        context.used[node.text] = None
    return node


def _in_bytes(count: int | None) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"
