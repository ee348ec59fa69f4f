"""Statements of a thread."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, assert_never

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.program.instruction import (
    Arm,
    Assign,
    Block,
    Break,
    Continue,
    Declare,
    Evaluate,
    Expression,
    If,
    Literal,
    Loop,
    Read,
    RegisterPlace,
    Return,
    Switch,
)
from mcm.program.resolve.calls import call_arguments
from mcm.program.resolve.checks import warn_assigned
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.context import ThreadContext
from mcm.program.resolve.conversions import coerced, converted, filled
from mcm.program.resolve.expressions import effect, event_of, value
from mcm.program.resolve.hoisting import Hoisted, settle_list
from mcm.program.resolve.initial_values import array_length
from mcm.program.resolve.loops import endless, leave_unless, with_calls_between, written_out
from mcm.program.resolve.operations import barrier, fence
from mcm.program.resolve.signatures import SIGNATURES, Argument, GroupBarrier, MemoryFence
from mcm.program.resolve.spelling import EVENT_TYPES, written_name
from mcm.program.resolve.type_names import names_local, object_type, show_type
from mcm.program.types import Flag, PointerType, Region, Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mcm.program.instruction import Statement
    from mcm.program.resolve.type_names import ObjectType
    from mcm.program.types import Type


def body(node: ast.Block, context: ThreadContext) -> Block:
    """The outermost block of a thread, in the scope of its parameters."""
    return Block(tuple(_statements(node.statements, context)), span=node.span)


def _statements(nodes: tuple[ast.Statement, ...], context: ThreadContext) -> Iterator[Statement]:
    for node in nodes:
        # The error has been reported; the next statement is resolved nevertheless.
        try:
            yield from _statement(node, context)
        except UnresolvedError:
            continue


def _statement(node: ast.Statement, context: ThreadContext) -> Iterable[Statement]:
    match node:
        case ast.Declaration():
            return _declaration(node, context)
        case ast.ExpressionStatement(expression):
            return _effect(expression, node.span, context)
        case ast.Empty():
            return ()
        case ast.Block():
            return (_block(node, context),)
        case ast.If(condition, then, otherwise):
            return _if(condition, then, otherwise, node.span, context)
        case ast.Switch():
            return _switch(node, context)
        case ast.Case():
            message = "a label of a 'switch' stands at the outermost level of its body"
            label = Span(node.span.source, node.span.start, node.statement.span.start)
            context.complaints.error("E157", label, message)
            return _statement(node.statement, context)
        case ast.While(condition, repeated):
            return _loop(condition, repeated, None, node.span, context, tests_first=True)
        case ast.DoWhile(repeated, condition):
            return _loop(condition, repeated, None, node.span, context, tests_first=False)
        case ast.For():
            return (_for(node, context),)
        case ast.Return(returned):
            return _return(returned, node.span, context)
        case ast.Break() | ast.Continue():
            if context.loop_depth == 0 and (isinstance(node, ast.Continue) or context.switch_depth == 0):
                context.complaints.fail("E141", node.span, f"'{node.span.text.rstrip(';')}' outside a loop")
            return (Break(span=node.span) if isinstance(node, ast.Break) else Continue(span=node.span),)
        case ast.Goto():
            message = "jumps have become loops and conditions before"
            raise AssertionError(message)
        case ast.Labelled(label, inner):
            return _labelled(label, inner, context)
        case ast.Function(name):
            context.nested[name.text] = node, context.names.scopes
            return ()
        case ast.BlockVariable(name):
            return context.complaints.fail("E169", name.span, f"'{name.text}' is a block; only OpenCL C has blocks")
        case _:
            assert_never(node)


Resolve = Callable[[ast.Expression, ThreadContext], Expression]


def _full(
    nodes: Sequence[ast.Expression], resolve: Resolve, context: ThreadContext
) -> tuple[list[Statement], list[Expression]]:
    """Full expressions that come one behind the other, and the calls of functions that were moved before them."""
    around, context.hoisted = context.hoisted, Hoisted()
    try:
        found = [resolve(node, context) for node in nodes]
        if context.hoisted.calls:
            context.hoisted.settle(found, context.pointers, context.complaints)
        if context.has_long_chain:
            # Imported here, as below: few tests have what it is for.
            from mcm.program.resolve.chains import check_levels  # noqa: PLC0415

            check_levels((*context.hoisted.statements, *found), context.complaints)
        return context.hoisted.statements, found
    finally:
        context.hoisted = around
        context.has_long_chain = False


def _effect(node: ast.Expression, span: Span, context: ThreadContext) -> Iterator[Statement]:
    """An expression statement: a fence, a barrier, or an expression for its effects."""
    if isinstance(node, ast.Call) and node.function.text in SIGNATURES:
        signature = SIGNATURES[node.function.text]
        asked = _asked_for_fence(node)
        if asked is not None:
            yield from _fence_of(asked, node, span, context)
            return
        match signature.operation:
            case MemoryFence() as operation:
                yield fence(signature, operation, call_arguments(signature, node, value, context), node.span, context)
                return
            case GroupBarrier(level):
                yield barrier(level, call_arguments(signature, node, value, context), node.span, context)
                return
            case _:
                pass
    before, (expression,) = _full((node,), effect, context)
    yield from before
    # What a call leaves behind is a value that nobody uses; what it points to is read.
    is_value = isinstance(expression, Literal) or (
        isinstance(expression, Read) and isinstance(expression.place, RegisterPlace)
    )
    if not before or not is_value:
        yield Evaluate(expression, span=span)


def _asked_for_fence(node: ast.Call) -> ast.Call | None:
    """The call of `get_fence` among the flags of a fence or barrier."""
    waiting = list(node.arguments[:1]) if Argument.FLAGS in SIGNATURES[node.function.text].parameters[:1] else []
    while waiting:
        match waiting.pop():
            case ast.Infix("|", left, right):
                waiting += (left, right)
            case ast.Call(ast.Name("get_fence"), (_,)) as found:
                return found
            case _:
                pass
    return None


def _fence_of(asked: ast.Call, node: ast.Call, span: Span, context: ThreadContext) -> Iterator[Statement]:
    """AS-5: `get_fence(p)` is the flag of the region that `p` points into, which may be known only at run time."""
    from mcm.program.resolve.pointer_functions import GET_FENCE, points_into  # noqa: PLC0415 - few programs do

    if not context.is_work_item:
        context.complaints.fail("E140", asked.span, f"'{GET_FENCE}' exists in OpenCL C only")
    before, (pointer,) = _full(asked.arguments, value, context)
    if not isinstance(pointer.type, PointerType):
        message = f"'{pointer.span.text}' has type '{show_type(pointer.type)}', expected a pointer"
        context.complaints.fail("E121", pointer.span, message)
    test = points_into(pointer, Region.LOCAL, context)
    yield from before
    bodies = []
    for flag in (Flag.LOCAL, Flag.GLOBAL):
        if not isinstance(test, Literal) or bool(test.value) is (flag is Flag.LOCAL):
            written = _with_flag(node.arguments[0], asked, ast.Name(flag.value, span=asked.span))
            call = replace(node, arguments=(written, *node.arguments[1:]))
            bodies.append(Block(tuple(_effect(call, span, context)), span=span))
    if len(bodies) == 1:
        yield from bodies[0].statements
    else:
        yield If(test, bodies[0], bodies[1], span=span)


def _with_flag(flags: ast.Expression, asked: ast.Call, flag: ast.Name) -> ast.Expression:
    """The flags with one in place of the call that asks for it."""
    if flags is asked:
        return flag
    if isinstance(flags, ast.Infix):
        return replace(flags, left=_with_flag(flags.left, asked, flag), right=_with_flag(flags.right, asked, flag))
    return flags


def _block(node: ast.Statement, context: ThreadContext) -> Block:
    """A statement as a block with a scope of its own."""
    context.names.open()
    try:
        inner, iteration = (node.statements, node.iteration) if isinstance(node, ast.Block) else ((node,), None)
        return Block(tuple(_statements(inner, context)), iteration, span=node.span)
    finally:
        context.names.close()


# --- declarations -----------------------------------------------------------------------------------------------------


def _declaration(node: ast.Declaration, context: ThreadContext) -> Iterator[Statement]:
    for declarator in node.declarators:
        try:
            yield from _declarator(node.type, declarator, context)
        except UnresolvedError:
            continue


def _declarator(written: ast.TypeName, node: ast.Declarator, context: ThreadContext) -> Iterator[Statement]:
    if context.host is not None and written.base in EVENT_TYPES and not (node.pointers or node.length):
        yield from _event(node, context)
        return
    if names_local((node.pointers or (written.qualifiers,))[-1]) and _declare_local(node, context):
        return
    declared = _declared_type(written, node, context)
    length = _length(node, context)
    # The scope of a name begins at its declarator, so its own initializer sees it.
    variable = context.names.declare(node.name.text, declared.type, length, node.name.span, node.shape)
    context.note_const(variable.register, written, node.pointers)
    if node.initializer is None:
        if not context.names.has_initial_value(variable):
            yield Declare(variable.register, declared.type, length, span=node.span)
        return
    before, initializer = _initializer(node, declared.type, length, context)
    if length is None:
        context.note_address(variable.register, initializer[0])
    yield from before
    yield Declare(variable.register, declared.type, length, initializer, span=node.span)


def _declare_local(node: ast.Declarator, context: ThreadContext) -> bool:
    """A variable of a kernel in local memory (AS-4); False where there can be none."""
    name = node.name.text
    if node.initializer is not None or not context.names.is_outermost or name not in context.locals:
        return False
    location, pointer, length = context.locals[name]
    context.names.declare_object(name, location, pointer, length, node.name.span)
    return True


def _event(node: ast.Declarator, context: ThreadContext) -> Iterator[Statement]:
    """A variable of an event type: a name for the event of a command."""
    context.events.declare(node.name.text, node.name.span)
    if isinstance(node.initializer, ast.InitializerList):
        context.complaints.fail("E161", node.initializer.span, "an event is that of a command, found a list")
    if node.initializer is not None:
        before, (call,) = _full((node.initializer,), lambda call, _: event_of(node.name, call, context), context)
        yield from before
        yield Evaluate(call, span=node.span)


def _declared_type(written: ast.TypeName, node: ast.Declarator, context: ThreadContext) -> ObjectType:
    name = node.name.text
    try:
        declared = object_type(written, node.pointers, context.unnamed_region, context.complaints)
        if declared.region is not None and declared.region is not Region.PRIVATE:
            _refuse_region(node, declared.region, context)
    except UnresolvedError:
        context.names.forget(name)
        raise
    if declared.atomic and not context.dialect.has_address_spaces:
        message = f"not yet supported: an atomic variable of one thread; make '{name}' a parameter"
        context.complaints.error("E100", node.name.span, message)
    elif declared.atomic:
        message = f"'{name}' is private, and private memory holds no atomic objects; make it a parameter"
        context.complaints.error("E126", node.name.span, message)
    return declared


def _refuse_region(node: ast.Declarator, region: Region, context: ThreadContext) -> None:
    """Report a declaration in another address space than private (AS-4)."""
    name = node.name.text
    match region:
        case Region.GENERIC:
            message = f"no object lives in the generic address space: '{name}' cannot be declared there (AS-4)"
        case Region.GLOBAL:
            message = f"global '{name}' cannot be declared inside a function (AS-4); make it a parameter"
        case Region.LOCAL if node.initializer is not None:
            message = f"local '{name}' takes no initializer (AS-4)"
        case Region.LOCAL if not context.names.is_outermost:
            message = f"local '{name}' must be declared in the outermost block (AS-4)"
        case _:
            message = f"not yet supported: a {region.value} variable inside a thread; make '{name}' a parameter"
            context.complaints.fail("E100", node.name.span, message)
    context.complaints.fail("E127", node.name.span, message)


def _length(node: ast.Declarator, context: ThreadContext) -> int | None:
    if node.length is None:
        return None
    with suppress(UnresolvedError):
        return array_length(node.length, context.complaints)
    # The error has been reported; with some length, the uses of the array are checked.
    return 1


def _initializer(
    node: ast.Declarator, type_: Type, length: int | None, context: ThreadContext
) -> tuple[list[Statement], tuple[Expression, ...]]:
    assert node.initializer is not None
    listed = isinstance(node.initializer, ast.InitializerList)
    items = node.initializer.items if isinstance(node.initializer, ast.InitializerList) else (node.initializer,)
    if length is not None and not listed:
        message = f"'{node.name.text}' is an array: its initial value is '{{…}}'"
        context.complaints.fail("E131", node.initializer.span, message)
    if len(items) > (length or 1):
        message = f"{len(items)} initial values for the {length or 1} of '{node.name.text}'"
        context.complaints.fail("E131", items[length or 1].span, message)
    before, found = _full(items, value, context)
    if len(items) > 1:
        settle_list(found, context)
    return before, filled(found, type_, length or 1, node.span, context.complaints)


# --- control ----------------------------------------------------------------------------------------------------------


def _if(
    condition: ast.Expression, then: ast.Statement, otherwise: ast.Statement | None, span: Span, context: ThreadContext
) -> Iterator[Statement]:
    before, test = _condition(condition, context)
    with context.branch(condition, taken_where=True):
        one = _block(then, context)
    with context.branch(condition, taken_where=False):
        other = _block(otherwise, context) if otherwise is not None else Block((), span=span)
    yield from before
    yield If(test, one, other, span=span)


def _condition(node: ast.Expression | None, context: ThreadContext) -> tuple[list[Statement], Expression]:
    """A condition, and what stands before it; after an error, a constant, so that the branches are checked."""
    if node is not None:
        with suppress(UnresolvedError):
            before, (found,) = _full((node,), value, context)
            warn_assigned(node, context)
            return before, found
    return [], Literal(1, Scalar.INT, span=node.span if node is not None else context.body_span)


def _switch(node: ast.Switch, context: ThreadContext) -> Iterator[Statement]:
    from mcm.program.resolve.switches import arms, switch_type  # noqa: PLC0415 - see `_full`

    before, (condition,) = _full((node.condition,), value, context)
    type_ = switch_type(condition, context.complaints)
    context.switch_depth += 1
    context.names.open()
    try:
        found = tuple(
            Arm(
                arm.values,
                arm.is_default,
                Block(tuple(_statements(arm.statements, context)), span=arm.span),
                span=arm.span,
            )
            for arm in arms(node.body, type_, context.complaints)
        )
    finally:
        context.names.close()
        context.switch_depth -= 1
    yield from before
    yield Switch(converted(condition, type_), found, span=node.span)


def _loop(
    condition: ast.Expression | None,
    repeated: ast.Statement,
    step: ast.Expression | None,
    span: Span,
    context: ThreadContext,
    *,
    tests_first: bool,
) -> Iterator[Statement]:
    context.refuse_enqueues((condition, step), span)
    if context.enqueues(repeated):

        def iteration() -> Iterator[Statement]:
            yield _repeated(repeated, context)
            if step is not None:
                yield from _effect(step, step.span, context)

        test_of = partial(_condition, condition, context)
        yield written_out(repeated, span, context, test_of, iteration, tests_first=tests_first)
        return
    before, test = _condition(condition, context)
    between: list[Statement] = []
    advance = None
    if step is not None:
        with suppress(UnresolvedError):
            between, (advance,) = _full((step,), effect, context)
    body = _repeated(repeated, context)
    if not before and not between:
        yield Loop(test, body, advance, tests_first, span=span)
    elif tests_first and not between:
        yield endless((*before, leave_unless(test), body), advance, span)
    else:
        yield from with_calls_between(before, test, body, [*between, *_evaluated(advance)], span, context, tests_first)


def _repeated(node: ast.Statement, context: ThreadContext) -> Block:
    """The body of a loop."""
    context.loop_depth += 1
    switch_depth, context.switch_depth = context.switch_depth, 0
    try:
        return _block(node, context)
    finally:
        context.loop_depth -= 1
        context.switch_depth = switch_depth


def _evaluated(expression: Expression | None) -> list[Statement]:
    return [] if expression is None else [Evaluate(expression, span=expression.span)]


def _for(node: ast.For, context: ThreadContext) -> Block:
    context.names.open()
    try:
        before = [] if node.initial is None else list(_statements((node.initial,), context))
        if context.enqueues(node.body) and (count := context.known_iterations(node)) is not None:
            return Block((*before, *_unrolled(node, count, context)), span=node.span)
        loop = _loop(node.condition, node.body, node.step, node.span, context, tests_first=True)
        return Block((*before, *loop), span=node.span)
    finally:
        context.names.close()


def _unrolled(node: ast.For, count: int, context: ThreadContext) -> Iterator[Statement]:
    """The iterations of a loop that enqueues commands: each has commands of its own."""
    for turn in range(count):
        steps = () if node.step is None else _effect(node.step, node.step.span, context)
        yield Block((_block(node.body, context), *steps), turn, span=node.span)


def _return(returned: ast.Expression | None, span: Span, context: ThreadContext) -> Iterator[Statement]:
    if context.calls:
        yield from _return_from_function(returned, span, context)
        return
    if returned is not None:
        context.complaints.warning("W119", returned.span, "a thread returns no value; this one is ignored")
        yield from _effect(returned, returned.span, context)
    yield Return(span=span)


def _return_from_function(returned: ast.Expression | None, span: Span, context: ThreadContext) -> Iterator[Statement]:
    """The value goes to the register for the value of the call."""
    place, name = context.result, written_name(context.calls[-1])
    if returned is None:
        if place is not None:
            context.complaints.error("E158", span, f"'return' without a value in '{name}', which returns one")
    elif place is None:
        context.complaints.error("E158", returned.span, f"'{name}' returns nothing, found a value")
    else:
        before, (found,) = _full((returned,), value, context)
        converted_value = coerced(found, place.type, context.complaints)
        yield from before
        yield Evaluate(Assign(place, converted_value, place.type, span=returned.span), span=returned.span)
    yield Return(span=span)


def _labelled(label: ast.Name, inner: ast.Statement, context: ThreadContext) -> Iterator[Statement]:
    context.pending_label = label.text
    yield from _statement(inner, context)
    if context.pending_label is not None:
        context.pending_label = None
        message = f"label '{label.text}' names no barrier; labels have no other meaning here"
        context.complaints.warning("W113", label.span, message)
