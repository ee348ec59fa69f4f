"""Expressions of a thread: names bound, types given, calls turned into operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn, assert_never

from mcm.base.suggest import did_you_mean
from mcm.program.instruction import (
    AddressOfRegister,
    AtomicInit,
    AtomicStore,
    Binary,
    Conditional,
    ElementPlace,
    Literal,
    MemoryPlace,
    Read,
    RegisterPlace,
    Sequence,
)
from mcm.program.resolve.arithmetic import assign, binary, conditional, modify, unary
from mcm.program.resolve.calls import call, why_empty
from mcm.program.resolve.checks import check_writable, warn_plain_access
from mcm.program.resolve.complaints import Attempts, UnresolvedError
from mcm.program.resolve.conversions import cast, check_regions, converted, holds_address
from mcm.program.resolve.hoisting import Hoisted
from mcm.program.resolve.literals import NAMED_CONSTANTS, number
from mcm.program.resolve.signatures import SIGNATURES
from mcm.program.resolve.spelling import (
    ABOUT_BALLOTS,
    BALLOT,
    COPY_FUNCTIONS,
    FLAGS,
    MASKS,
    NUMBER_FUNCTIONS,
    ORDERS,
    PIPE_FUNCTIONS,
    POINTER_FUNCTIONS,
    SCOPES,
)
from mcm.program.resolve.type_names import object_type, show_type
from mcm.program.resolve.work_item_functions import DIMENSIONED, PLAIN
from mcm.program.types import PointerType, Scalar
from mcm.syntax import ast
from mcm.syntax.chains import long_chain
from mcm.syntax.limits import LONG_CHAIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcm.program.instruction import Expression, Place
    from mcm.program.resolve.context import ThreadContext
    from mcm.program.resolve.names import Binding
    from mcm.program.types import Location

_STORES: Final = (AtomicStore, AtomicInit)
KNOWN_FUNCTIONS: Final = frozenset(
    {
        *(*SIGNATURES, *DIMENSIONED, *PLAIN, *POINTER_FUNCTIONS, *COPY_FUNCTIONS, *PIPE_FUNCTIONS, *NUMBER_FUNCTIONS),
        *(*ABOUT_BALLOTS, *MASKS, BALLOT),
    }
)


def value(node: ast.Expression, context: ThreadContext) -> Expression:
    """An expression whose value is used."""
    resolved = effect(node, context)
    if type(node) is ast.Call and (why := why_empty(node.function.text, context)) is not None:
        context.complaints.fail("E138", node.span, why)
    if isinstance(node, ast.Cast) and _is_void(node.type):
        context.complaints.fail("E138", node.span, f"'{node.span.text}' has no value")
    if type(resolved) in _STORES:
        context.complaints.fail("E138", node.span, f"'{node.span.text}' stores and has no value")
    return resolved


def effect(node: ast.Expression, context: ThreadContext) -> Expression:
    """An expression whose value may be unused."""
    match node:
        case ast.NumberLiteral():
            amount, scalar = number(node, context.complaints, context.unsuffixed)
            return Literal(amount, scalar, span=node.span)
        case ast.Name():
            return _name(node, context)
        case ast.Call():
            return call(node, value, context)
        case ast.Infix():
            return _infix(node, context)
        case ast.Assignment(operator, target, assigned):
            return _assignment(operator, target, assigned, node, context)
        case ast.Prefix():
            return _prefix(node, context)
        case ast.Postfix(operator, operand):
            return _step(operator, operand, node, context, returns_old=True)
        case ast.Conditional(condition, then, otherwise):
            return _choice((condition, then, otherwise), node, context)
        case ast.Index():
            return _read(place(node, context), context)
        case ast.Member():
            return _no_member(node, context)
        case ast.Cast(type_name, operand) if _is_void(type_name):
            return effect(operand, context)
        case ast.Cast(type_name, operand):
            return _cast(type_name, operand, node, context)
        case ast.CompoundLiteral():
            from mcm.program.resolve.objects import unnamed  # noqa: PLC0415 - needed by few, as above

            return unnamed(node, value, context)
        case ast.Text():
            message = f"a string literal stands in 'printf' only, found {node.span.text}"
            return context.complaints.fail("E100", node.span, f"not yet supported: {message}")
        case ast.SizeOf():
            raise AssertionError(node)
        case ast.BlockLiteral():
            message = "a block stands among the arguments of 'enqueue_kernel', or is the value of a variable for it"
            return context.complaints.fail("E169", node.span, message)
        case _:
            assert_never(node)


def _is_void(type_name: ast.TypeName) -> bool:
    return type_name.base == "void" and not type_name.pointers


def _values(nodes: tuple[ast.Expression, ...], context: ThreadContext) -> list[Expression]:
    found: list[Expression] = []
    for node in nodes:
        try:
            found.append(value(node, context))
        except UnresolvedError:
            continue
    if len(found) < len(nodes):
        raise UnresolvedError
    return found


# --- names and places -------------------------------------------------------------------------------------------------


def place(node: ast.Expression, context: ThreadContext) -> Place:
    """An lvalue: what can be assigned, or have its address taken."""
    match node:
        case ast.Name(text):
            variable = _variable(node, context)
            if variable.length is not None:
                context.complaints.fail("E120", node.span, f"'{text}' is an array: name one of its elements")
            if variable.address is not None:
                return MemoryPlace(_object(variable.address, node), variable.type, span=node.span)
            return RegisterPlace(variable.register, variable.type, span=node.span)
        case ast.Prefix("*", operand):
            return _pointee(value(operand, context), node, context)
        case ast.Index(base, index):
            return _element(base, index, node, context)
        case ast.CompoundLiteral(length=None):
            found = effect(node, context)
            assert isinstance(found, Read)
            return found.place
        case ast.Member():
            return _no_member(node, context)
        case _:
            text = node.span.text
            return context.complaints.fail("E120", node.span, f"'{text}' is no place that can be assigned")


def _no_member(node: ast.Member, context: ThreadContext) -> NoReturn:
    """Refuse a member of what is no structure; where it is nothing at all, that is what there is to say."""
    value(node.base, context)
    message = f"'{node.base.span.text}' is no structure or vector: it has no members"
    context.complaints.fail("E119", node.span, message)


def _pointee(pointer: Expression, node: ast.Expression, context: ThreadContext) -> Place:
    if isinstance(pointer, AddressOfRegister):
        return pointer.place
    if not isinstance(pointer.type, PointerType):
        message = f"'{pointer.span.text}' has type '{show_type(pointer.type)}', expected a pointer"
        context.complaints.fail("E121", pointer.span, message)
    return MemoryPlace(pointer, pointer.type.target, span=node.span)


def _element(base: ast.Expression, index: ast.Expression, node: ast.Index, context: ThreadContext) -> Place:
    attempts = Attempts()
    with attempts:
        pointer = value(base, context)
    with attempts:
        offset = value(index, context)
    attempts.finish()
    if isinstance(offset.type, PointerType) or offset.type.is_floating:
        message = f"'{offset.span.text}' has type '{show_type(offset.type)}', expected an integer index"
        context.complaints.fail("E119", offset.span, message)
    match pointer:
        case AddressOfRegister(ElementPlace(array, length, Literal(0), type_)):
            if isinstance(offset, Literal) and isinstance(offset.value, int) and not 0 <= offset.value < length:
                message = f"'{base.span.text}' has {length} elements, there is no element {offset.value}"
                context.complaints.fail("E137", node.span, message)
            return ElementPlace(array, length, offset, type_, span=node.span)
        case _ if isinstance(pointer.type, PointerType):
            address = Binary("+", pointer, offset, pointer.type, pointer.type, span=node.span)
            return MemoryPlace(address, pointer.type.target, span=node.span)
        case _:
            return _pointee(pointer, node, context)


def _variable(node: ast.Name, context: ThreadContext) -> Binding:
    variable = context.names.find(node.text)
    if variable is None:
        context.unknown_name(node.text, node.span, _hint(node.text, context))
        raise UnresolvedError
    return variable


def _hint(name: str, context: ThreadContext) -> str:
    index = context.memory.find(name)
    if index is not None:
        pointer = show_type(context.memory.pointer_to(index))
        return f": '{name}' is a location, but no parameter of this thread; declare '{pointer} {name}'"
    if name in ORDERS or name in SCOPES or name in FLAGS:
        return ": it stands where an operation takes no such argument"
    if name in KNOWN_FUNCTIONS or name in context.functions:
        return f": it is a function, which is called as '{name}(…)'"
    from mcm.syntax.foreign import about_foreign  # noqa: PLC0415 - only wrong input needs its patterns

    told = about_foreign(name, has_places=context.dialect.has_devices)
    return told or did_you_mean(name, (*context.names.visible(), *NAMED_CONSTANTS))


def _name(node: ast.Name, context: ThreadContext) -> Expression:
    variable = context.names.find(node.text)
    if variable is None and node.text in NAMED_CONSTANTS:
        amount, scalar = NAMED_CONSTANTS[node.text]
        return Literal(amount, scalar, span=node.span)
    variable = variable or _variable(node, context)
    if variable.address is not None:
        address = _object(variable.address, node)
        return address if variable.length is not None else _read(place(node, context), context)
    if variable.length is None:
        return Read(RegisterPlace(variable.register, variable.type, span=node.span), variable.type, span=node.span)
    first = Literal(0, Scalar.INT, span=node.span)
    element = ElementPlace(variable.register, variable.length, first, variable.type, span=node.span)
    return _address_of(element, node, context)


def _object(address: tuple[Location, PointerType], node: ast.Name) -> Expression:
    """The address of a variable that lives in memory."""
    location, pointer = address
    return Literal(location, pointer, span=node.span)


def _read(source: Place, context: ThreadContext) -> Expression:
    if isinstance(source, MemoryPlace):
        warn_plain_access(source, context)
    return Read(source, source.type, span=source.span)


def _address_of(target: RegisterPlace | ElementPlace, node: ast.Expression, context: ThreadContext) -> Expression:
    pointer = PointerType(target.type, context.private_region)
    context.pointed.add(target.register if isinstance(target, RegisterPlace) else target.array)
    return AddressOfRegister(target, pointer, span=node.span)


# --- operators --------------------------------------------------------------------------------------------------------


def _prefix(node: ast.Prefix, context: ThreadContext) -> Expression:
    match node.operator:
        case "*":
            return _read(place(node, context), context)
        case "&":
            return _address(node, context)
        case "++" | "--":
            return _step(node.operator, node.operand, node, context, returns_old=False)
        case _:
            return unary(node.operator, value(node.operand, context), node.span, context.complaints)


def _address(node: ast.Prefix, context: ThreadContext) -> Expression:
    if isinstance(node.operand, ast.Name):
        variable = _variable(node.operand, context)
        if variable.length is not None:
            return _name(node.operand, context)
    target = place(node.operand, context)
    return target.address if isinstance(target, MemoryPlace) else _address_of(target, node, context)


def _step(
    operator: str, operand: ast.Expression, node: ast.Expression, context: ThreadContext, *, returns_old: bool
) -> Expression:
    target = place(operand, context)
    check_writable(target, context)
    _check_address(operator, Read(target, target.type, span=target.span), context)
    one = Literal(1, Scalar.INT, span=node.span)
    return modify(operator[0], target, one, node.span, context.complaints, returns_old=returns_old)


def apart(
    node: ast.Expression, resolve: Callable[[ast.Expression, ThreadContext], Expression], context: ThreadContext
) -> tuple[Hoisted, Expression]:
    """An expression with sequence points around it, and what stands before it."""
    around, context.hoisted = context.hoisted, Hoisted()
    try:
        found = resolve(node, context)
        if context.hoisted.calls:
            context.hoisted.settle((found,), context.pointers, context.complaints)
        return context.hoisted, found
    finally:
        context.hoisted = around


def _choice(nodes: tuple[ast.Expression, ...], node: ast.Expression, context: ThreadContext) -> Expression:
    attempts, parts = Attempts(), []
    for part in nodes:
        with attempts:
            parts.append(apart(part, value, context))
    attempts.finish()
    (_, test), (one, then), (other, otherwise) = parts
    found = conditional(test, then, otherwise, node.span, context.complaints)
    if not any(hoisted.statements for hoisted, _ in parts) or not isinstance(found, Conditional):
        return found
    # Imported here: few operands call functions.
    from mcm.program.resolve.functions import choice  # noqa: PLC0415

    return choice(parts[0], (one, found.then), (other, found.otherwise), found.type, node.span, context)


def _sequenced(node: ast.Infix, context: ThreadContext) -> Expression:
    """The operators with a sequence point between their operands."""
    attempts, parts = Attempts(), []
    for part in (node.left, node.right):
        with attempts:
            parts.append(apart(part, effect if node.operator == "," else value, context))
    attempts.finish()
    (before, left), (between, right) = parts
    if before.statements or between.statements:
        from mcm.program.resolve.functions import in_sequence, logical  # noqa: PLC0415 - as in `_choice`

        if node.operator == ",":
            return in_sequence(parts[0], parts[1], node.span, context)
        return logical(node.operator, parts[0], parts[1], node.span, context)
    if node.operator == ",":
        return Sequence(left, right, right.type, span=node.span)
    return binary(node.operator, left, right, node.span, context.complaints)


# What may be computed with addresses that integers hold.
_WITH_ADDRESSES: Final = frozenset({"-", "&", "%"})


def _infix(node: ast.Infix, context: ThreadContext) -> Expression:
    if chain := long_chain(node):
        return _long_chain(chain, context)
    if node.operator in {",", "&&", "||"}:
        return _sequenced(node, context)
    left, right = _values((node.left, node.right), context)
    if node.operator in _WITH_ADDRESSES and any(holds_address(one, context.addresses) for one in (left, right)):
        # Imported here: few programs compute with addresses.
        from mcm.program.resolve.computed_addresses import computed  # noqa: PLC0415

        if (found := computed(node.operator, left, right, node.span, context)) is not None:
            return found
    for operand in (left, right):
        _check_address(node.operator, operand, context)
    return binary(node.operator, left, right, node.span, context.complaints)


def _check_address(operator: str, operand: Expression, context: ThreadContext) -> None:
    """An address in an integer comes back unchanged, or is compared with another one: nothing is computed with it."""
    if operator not in {"==", "!="} and holds_address(operand, context.addresses):
        message = f"'{operand.span.text}' holds an address: it can be stored, cast back and tested for equality only"
        context.complaints.fail("E122", operand.span, message)


def _long_chain(operations: list[ast.Infix], context: ThreadContext) -> Expression:
    """A chain of operators, given from right to left."""
    # Imported here: few chains are long.
    from mcm.program.resolve.chains import Chain  # noqa: PLC0415

    context.has_long_chain = True
    attempts, chain = Attempts(), None
    # What the chain so far is worth, where that is the value of an operand.
    left: Expression | None = None
    with attempts:
        innermost = operations[-1]
        left = (effect if innermost.operator == "," else value)(innermost.left, context)
        chain = Chain(left, context.complaints)
    for node in reversed(operations):
        with attempts:
            right = _right_operand(node, context)
            if chain is not None:
                for operand in (left, right) if node.operator not in {",", "&&", "||"} else ():
                    if operand is not None:
                        _check_address(node.operator, operand, context)
                chain.add(node.operator, right, node.span)
                left = right if node.operator == "," else None
    attempts.finish()
    assert chain is not None, "what could not be resolved is told"
    return chain.finish()


def _right_operand(node: ast.Infix, context: ThreadContext) -> Expression:
    """The right operand of an operator in a long chain."""
    if node.operator not in {",", "&&", "||"}:
        return value(node.right, context)
    hoisted, right = apart(node.right, effect if node.operator == "," else value, context)
    if hoisted.statements:
        message = f"'{node.right.span.text}' calls a function behind more than {LONG_CHAIN} operators"
        context.complaints.fail("E032", node.right.span, message)
    return right


def _assignment(
    operator: str, target: ast.Expression, assigned: ast.Expression, node: ast.Expression, context: ThreadContext
) -> Expression:
    if operator == "=" and isinstance(target, ast.Name) and context.host is not None and target.text in context.host:
        return event_of(target, assigned, context)
    attempts = Attempts()
    with attempts:
        if isinstance(target, ast.Name) and operator == "=":
            _require_declared(target, context)
        written = place(target, context)
        check_writable(written, context)
    with attempts:
        stored = value(assigned, context)
    attempts.finish()
    if operator != "=":
        _check_address(operator, stored, context)
        _check_address(operator, Read(written, written.type, span=written.span), context)
    if isinstance(written, RegisterPlace):
        context.note_address(written.register, stored)
    return assign(operator, written, stored, node.span, context.complaints)


def _require_declared(target: ast.Name, context: ThreadContext) -> None:
    """Who assigns to a name that means nothing and is like no other has left out its type, as assembly tests do."""
    if context.names.find(target.text) is None and not (hint := _hint(target.text, context)):
        hint = f"; a variable is declared with its type, 'int {target.text} = …'"
        context.unknown_name(target.text, target.span, hint)
        raise UnresolvedError


def _refuse_real(function: ast.Name, context: ThreadContext) -> None:
    """Refuse a call that gives an event in OpenCL, and is not supported here."""
    from mcm.program.resolve.real_names import where_real  # noqa: PLC0415 - only wrong input needs its patterns

    if function.text == "clCreateUserEvent":
        message = f"'{function.text}' is not supported: a user event is declared in the initial state, 'user_event u;'"
        context.complaints.fail("E100", function.span, message)
    if function.text.startswith("clEnqueue") and where_real(function.text) is not None:
        message = f"not yet supported: the function '{function.text}' (it exists in OpenCL)"
        context.complaints.fail("E100", function.span, message)


def event_of(name: ast.Name, node: ast.Expression, context: ThreadContext) -> Expression:
    """`event e = clEnqueue…(…)`: the call, whose command gives the variable its event."""
    # Imported here: most programs have no events.
    from mcm.program.resolve.call_walk import ENQUEUES  # noqa: PLC0415

    if not isinstance(node, ast.Call) or node.function.text not in ENQUEUES:
        if isinstance(node, ast.Call):
            _refuse_real(node.function, context)
        message = f"an event is that of a command: expected a call that enqueues one, found '{node.span.text}'"
        context.complaints.fail("E161", node.span, message)
    context.enqueued.clear()
    # Also a call with an error gives the variable its event, so that its uses are checked.
    try:
        return value(node, context)
    finally:
        if context.enqueued:
            context.events.bind(name.text, context.enqueued[-1], name.span)


def _cast(type_name: ast.TypeName, operand: ast.Expression, node: ast.Cast, context: ThreadContext) -> Expression:
    target = object_type(type_name, (), context.unnamed_region, context.complaints).type
    inner = value(operand, context)
    if isinstance(target, PointerType) and isinstance(inner.type, PointerType):
        check_regions(inner.type, target, node.span, context.complaints, is_cast=True)
        context.has_views |= inner.type.target is not target.target
    elif isinstance(target, PointerType) and not inner.type.is_floating:
        # An integer may hold the address of anything.
        context.has_views |= not isinstance(inner, Literal)
    elif (target.is_floating or inner.type.is_floating) and PointerType in {type(target), type(inner.type)}:
        message = f"'{show_type(inner.type)}' cannot be cast to '{show_type(target)}'"
        context.complaints.fail("E122", node.span, message)
    return cast(inner, target, type_name, node.span) if context.read_only else converted(inner, target)
