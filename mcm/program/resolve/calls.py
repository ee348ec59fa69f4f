"""Calls in expressions: which function it is, and the arguments of operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.base.suggest import did_you_mean
from mcm.program.instruction import Convert, Inside
from mcm.program.resolve.arguments import fence_flags, memory_order, memory_scope
from mcm.program.resolve.checks import check_available, check_count, refuse_count
from mcm.program.resolve.command_words import INSIDE
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.conversions import converted
from mcm.program.resolve.literals import written_integer
from mcm.program.resolve.operations import Arguments, atomic_or_collective
from mcm.program.resolve.signatures import SIGNATURES, Argument, Signature, Where
from mcm.program.resolve.spelling import (
    ABOUT_BALLOTS,
    ALIGNED,
    BALLOT,
    COPY_FUNCTIONS,
    LOAD_HALF,
    MASKS,
    MEMBER,
    NUMBER_FUNCTIONS,
    PIPE_FUNCTIONS,
    POINTER_FUNCTIONS,
    PRINTF,
    STORE_HALF,
    WITHOUT_VALUE,
    written_name,
)
from mcm.program.resolve.work_item_functions import DIMENSIONED, PLAIN, work_item_function
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.program.instruction import Expression
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast

    Value = Callable[[ast.Expression, ThreadContext], Expression]

KNOWN_FUNCTIONS: Final = frozenset(
    {
        *(*SIGNATURES, *DIMENSIONED, *PLAIN, *POINTER_FUNCTIONS, *COPY_FUNCTIONS, *PIPE_FUNCTIONS, *NUMBER_FUNCTIONS),
        *(PRINTF, LOAD_HALF, *STORE_HALF, *ABOUT_BALLOTS, *MASKS, BALLOT),
    }
)


def why_empty(name: str, context: ThreadContext) -> str | None:
    """Why a call of a function has no value; None where it has one."""
    if name in context.functions or name in context.nested:
        # Imported here, as below: most programs define no functions.
        from mcm.program.resolve.functions import is_void  # noqa: PLC0415

        has_none = is_void(context.nested[name][0] if name in context.nested else context.functions[name])
    elif name == PRINTF:
        return f"what '{PRINTF}' returns is open, as it may fail: nothing may depend on it"
    else:
        has_none = name in WITHOUT_VALUE
    return f"'{written_name(name)}' returns nothing and has no value" if has_none else None


def call(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """What a call does, and its value."""
    name = node.function.text
    if name.startswith(INSIDE):
        return _inside(node, value, context)
    if name == ALIGNED:
        return _aligned(node, value, context)
    if name.startswith(MEMBER):
        # Imported here, as below: few programs have pointers to structures in memory.
        from mcm.program.resolve.member_addresses import member_address  # noqa: PLC0415

        return member_address(node, value, context)
    if name in context.nested or name in context.functions:
        # Imported here: statements contain expressions, and few programs define functions, or call those below.
        from mcm.program.resolve.functions import call as inlined  # noqa: PLC0415
        from mcm.program.resolve.statements import body  # noqa: PLC0415

        if name in context.nested:
            function, seen = context.nested[name]
            return inlined(function, node, value, body, context, seen)
        return inlined(context.functions[name], node, value, body, context)
    found = _built_in(node, value, context)
    if found is not None:
        return found
    if context.host is not None:
        # Imported here: most programs have no commands.
        from mcm.program.resolve.call_walk import HOST_CALLS  # noqa: PLC0415
        from mcm.program.resolve.host_calls import host_call  # noqa: PLC0415

        if name in HOST_CALLS:
            return host_call(node, context)
    # Imported here: the patterns cost a millisecond, and only wrong input needs them.
    from mcm.program.resolve.call_walk import HOST_CALLS as HOST  # noqa: PLC0415 - see above
    from mcm.program.resolve.checks import is_available  # noqa: PLC0415 - see above
    from mcm.program.resolve.linux_names import about_linux  # noqa: PLC0415 - see above
    from mcm.program.resolve.real_names import where_real  # noqa: PLC0415
    from mcm.syntax.foreign import about_foreign  # noqa: PLC0415 - see above

    where = where_real(name)
    if where == "C" and context.dialect.has_devices and not context.is_host:
        message = f"{context.dialect.standard} has no '{name}', which is a function of C"
        context.complaints.fail("E140", node.function.span, message)
    if where is not None:
        message = f"not yet supported: the function '{name}' (it exists in {where})"
        context.complaints.fail("E100", node.function.span, message)
    known = {one for one in KNOWN_FUNCTIONS if one not in SIGNATURES or is_available(SIGNATURES[one].where, context)}
    hint = about_linux(name) or about_foreign(name, has_places=context.dialect.has_devices)
    hint = hint or did_you_mean(name, (*context.functions, *known, *(HOST if context.is_host else ())))
    return context.complaints.fail("E102", node.function.span, f"unknown function '{name}'{hint}")


def _inside(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """The value of an index, of which it is asked whether there is such an element."""
    index, count = node.arguments
    found = value(index, context)
    assert isinstance(found.type, Scalar)
    why = node.function.text.removeprefix(INSIDE)
    return Inside(converted(found, Scalar.LONG), written_integer(count) or 0, why, Scalar.LONG, span=index.span)


def _aligned(node: ast.Call, value: Value, context: ThreadContext) -> Expression:
    """A pointer that has to be a multiple of so many bytes: it leads to vectors or structures."""
    pointer, count = node.arguments
    found = value(pointer, context)
    context.has_views = True
    return Convert(found, found.type, written_integer(count) or 1, span=node.span)


def _built_in(node: ast.Call, value: Value, context: ThreadContext) -> Expression | None:
    """A call of a function of the language; None for any other."""
    name = node.function.text
    if name in SIGNATURES:
        signature = SIGNATURES[name]
        arguments = call_arguments(signature, node, value, context)
        return atomic_or_collective(signature, arguments, node.span, context)
    if name in DIMENSIONED or name in PLAIN:
        return work_item_function(node, lambda argument: value(argument, context), context)
    if name in COPY_FUNCTIONS:
        from mcm.program.resolve.copies import copy_function  # noqa: PLC0415

        return copy_function(node, value, context)
    if name in PIPE_FUNCTIONS:
        from mcm.program.resolve.pipe_functions import pipe_function  # noqa: PLC0415

        return pipe_function(node, value, context)
    if name in NUMBER_FUNCTIONS:
        from mcm.program.resolve.number_functions import number_function  # noqa: PLC0415

        return number_function(node, value, context)
    if name == LOAD_HALF or name in STORE_HALF:
        from mcm.program.resolve.halves import half_function  # noqa: PLC0415

        return half_function(node, value, context)
    if name in ABOUT_BALLOTS:
        from mcm.program.resolve.sub_group_functions import ballot_function  # noqa: PLC0415

        return ballot_function(node, value, context)
    if name in MASKS or name == BALLOT:
        message = f"'{name}' gives a vector (uint4): a number was expected"
        context.complaints.fail("E122", node.span, message)
    if name == PRINTF:
        from mcm.program.resolve.printing import printed  # noqa: PLC0415

        return printed(node, value, context)
    if name in POINTER_FUNCTIONS:
        from mcm.program.resolve.pointer_functions import pointer_function  # noqa: PLC0415

        check_count(node, 1, "1 argument", context)
        return pointer_function(name, value(node.arguments[0], context), node.span, context)
    return None


def _other_form(signature: Signature, count: int) -> str:
    """A suggestion: the form of an atomic function with or without orders, which takes so many arguments."""
    name = signature.name
    other = SIGNATURES.get(name.removesuffix("_explicit") if name.endswith("_explicit") else f"{name}_explicit")
    is_it = other is not None and other.required <= count <= len(other.parameters)
    return f"; did you mean '{other.name}'?" if other is not None and is_it else ""


# What arguments are, where no two of them are alike.
_WORDS: Final = {
    Argument.OBJECT: "an address",
    Argument.VALUE: "a value",
    Argument.EXPECTED: "the address of the expected value",
    Argument.ORDER: "an order",
    Argument.SCOPE: "a scope",
    Argument.FLAGS: "flags such as CLK_GLOBAL_MEM_FENCE",
}


def _in_words(signature: Signature) -> str:
    """What the arguments of a function are, in their order; nothing where the kinds of several do not tell."""
    kinds = signature.parameters
    if not kinds or kinds.count(Argument.VALUE) > 1 or kinds[0] is Argument.VALUE:
        return ""
    return f"; expected {', '.join(_WORDS[kind] for kind in kinds)}"


def call_arguments(signature: Signature, node: ast.Call, value: Value, context: ThreadContext) -> Arguments:
    """Resolve the arguments of an operation as its signature says."""
    if signature.where is not Where.EVERYWHERE:
        check_available(signature.name, signature.where, node, context)
    if not signature.required <= len(node.arguments) <= len(signature.parameters):
        refuse_count(
            node, signature.arity, context, _other_form(signature, len(node.arguments)) or _in_words(signature)
        )
    found, is_resolved = Arguments(), True
    for kind, argument in zip(signature.parameters, node.arguments, strict=False):
        try:
            match kind:
                case Argument.ORDER:
                    found.orders.append((memory_order(argument, context), argument.span))
                case Argument.SCOPE:
                    found.scope = (memory_scope(argument, context), argument.span)
                case Argument.OBJECT:
                    found.pointer = value(argument, context)
                case Argument.VALUE:
                    found.values.append(value(argument, context))
                case Argument.EXPECTED:
                    found.expected = value(argument, context)
                case Argument.FLAGS:
                    found.flags = (fence_flags(argument, context), argument.span)
                case _:
                    assert_never(kind)
        except UnresolvedError:
            is_resolved = False
    if not is_resolved:
        raise UnresolvedError
    return found
