"""Calls of functions, and temporary objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.suggest import did_you_mean
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.signatures import SIGNATURES
from mcm.program.resolve.spelling import FLOAT_FUNCTIONS, INTEGER_FUNCTIONS, SCALARS
from mcm.program.types import Scalar
from mcm.sycl import arrays, atomics, closures, groups, older_atomics, pointers, records
from mcm.sycl.algorithms import algorithm
from mcm.sycl.context import size
from mcm.sycl.entities import Broken, Closure, Generic, Opaque, Variable
from mcm.sycl.host_lambdas import LAMBDA
from mcm.sycl.methods import settled
from mcm.sycl.number_functions import converted_to, function_named
from mcm.sycl.random_numbers import random_number
from mcm.sycl.tree import MemberCall
from mcm.sycl.types import named, scalar_of, type_of
from mcm.sycl.words import ALGORITHMS, JOINT, NUMBERS_OF_VECTORS, VECTORS_OF_VECTORS, plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.sycl.tree import Construction
    from mcm.syntax.ast import Expression

_ALLOCATORS: Final = frozenset({"malloc_shared", "malloc_device", "malloc_host"})
# Types that are called by one word.
_SPELLED: Final = {"unsigned": "uint", "signed": "int"}


def call(node: ast.Call, context: Context) -> Expression:
    """A call of a function of SYCL, or of the file; `int(r)` is a cast."""
    name = plain(node.function.text)
    closure = context.scopes.find(name)
    if isinstance(closure, Generic):
        closure = closure.instance(node)
    if isinstance(closure, Closure):
        return closures.call(node, closure, context)
    if name in context.functions and node.function.text.removeprefix("::") == name:
        callee = context.functions[name]
        defaults = callee.defaults[len(node.arguments) :]
        given = (*node.arguments, *(settled(one, context) for one in defaults if one is not None))
        function = replace(node.function, text=own_name(name))
        whole = replace(node, arguments=given)
        called = replace(
            node, function=function, arguments=closures.passed(whole, callee.passed, context, callee.types)
        )
        return ast.Prefix("*", called, span=node.span) if callee.is_reference else called
    if (type_ := _SPELLED.get(name, name)) in SCALARS and len(node.arguments) == 1:
        return ast.Cast(named(type_, node.function), context.value(node.arguments[0]), span=node.span)
    if name in ALGORITHMS:
        return algorithm(node, context)
    if name in JOINT:
        # Imported here: few programs call them.
        from mcm.sycl.joint import joint  # noqa: PLC0415

        return joint(node, context)
    if name == "size" and len(node.arguments) == 1:
        return _size_of(node, node.arguments[0], context)
    if name == "leader" and len(node.arguments) == 1:
        groups.group_of(node.arguments[0], context)
        return context.value(MemberCall(node.arguments[0], ".", node.function, None, (), span=node.span))
    if (older := older_atomics.function(name, node, context)) is not None:
        return older
    if (number := _of_numbers(node, context)) is not None:
        return number
    if (random := random_number(node, context)) is not None:
        return random
    if name in groups.BARRIERS:
        message = f"'{node.function.text}' has no value: it must stand as a statement of its own"
        context.complaints.fail("E139", node.span, message)
    return _unknown(node, name, context)


def _unknown(node: ast.Call, name: str, context: Context) -> Expression:
    """Refuse a call of what is no function here."""
    # Imported here, as below: its patterns take as long as a small test, and only wrong input needs them.
    from mcm.sycl.foreign import foreign_name  # noqa: PLC0415

    if (told := foreign_name(node.function.text)) is not None:
        return context.complaints.fail("E207", node.function.span, told)
    from mcm.syntax.foreign import about_foreign  # noqa: PLC0415 - see above

    held = context.scopes.find(name)
    if isinstance(held, Broken):
        raise UnresolvedError
    if isinstance(held, Opaque) and held.class_ == LAMBDA:
        message = (
            f"'{name}' is a lambda that the host calls: say what it returns, '[=](int a) -> int {{ … }}', take no "
            "'auto', and use its name for nothing but calls"
        )
        context.complaints.fail("E207", node.function.span, message)
    hint = about_foreign(name, has_places=False)
    hint = hint or did_you_mean(name, (*context.functions, *ALGORITHMS, *groups.BARRIERS))
    return context.complaints.fail("E102", node.function.span, f"unknown function '{node.function.text}'{hint}")


def _size_of(node: ast.Call, operand: Expression, context: Context) -> Expression:
    """`std::size(x)`: the number of elements of an array, or what `x.size()` is."""
    if (length := arrays.length_of(operand, context)) is not None:
        return size(length, node)
    entity = context.scopes.find(operand.text) if isinstance(operand, ast.Name) else None
    if not isinstance(entity, Variable) or not entity.is_array:
        member = replace(node.function, text="size")
        return context.value(MemberCall(operand, ".", member, None, (), span=node.span))
    array = context.value(operand)
    first = ast.Index(array, ast.NumberLiteral("0", span=node.span), span=node.span)
    whole, one = (ast.SizeOf(part, (), span=node.span) for part in (array, first))
    return ast.Infix("/", whole, one, span=node.span)


def own_name(name: str) -> str:
    """The name of a function of the file in terms of the C family, where OpenCL C may have one of that name.

    >>> own_name("atomic_min"), own_name("half_of")
    ('atomic_min#own', 'half_of')
    """
    of_language = name in SIGNATURES or name in INTEGER_FUNCTIONS or name in FLOAT_FUNCTIONS
    return f"{name}#own" if of_language else name


def _of_numbers(node: ast.Call, context: Context) -> ast.Call | None:
    """A call of a function of numbers, or of vectors; None for any other."""
    name = plain(node.function.text)
    function = name if name in NUMBERS_OF_VECTORS | VECTORS_OF_VECTORS else function_named(name)
    if function is None:
        return None
    scalars = [scalar_of(type_of(one, context)) for one in node.arguments]
    if function == "abs" and scalars and scalars[0] in {Scalar.FLOAT, Scalar.DOUBLE, Scalar.HALF}:
        function = "fabs"
    arguments = tuple(map(context.value, node.arguments))
    if (wanted := converted_to(node.function.text, scalars)) is not None:
        type_ = named(wanted.spelling, node)
        arguments = tuple(
            one if found is wanted else ast.Cast(type_, one, span=one.span)
            for one, found in zip(arguments, scalars, strict=True)
        )
    return replace(node, function=replace(node.function, text=function), arguments=arguments)


def construction(node: Construction, context: Context) -> Expression:
    """The value of a temporary object."""
    if atomics.is_atomic_class(node.type):
        return atomics.load(atomics.reference(node.type, node.arguments, node, context), node, context)
    if (record := records.construction(node, context)) is not None:
        return record
    if pointers.is_cast(node.type):
        return pointers.cast(node, context)
    if pointers.is_pointer_class(node.type) and len(node.arguments) == 1:
        wanted = pointers.pointer_class(node.type, context)
        return ast.Cast(wanted.type, pointers.converted_to(wanted, node.arguments[0], context), span=node.span)
    if (name := plain(node.type.name)) in _ALLOCATORS and node.type.arguments:
        message = f"'{name}' makes memory where a pointer to it is declared: 'int* p = {name}<int>(4, q);'"
        return context.complaints.fail("E207", node.type.span, message)
    from mcm.sycl.foreign import foreign_name  # noqa: PLC0415 - see above

    if (told := foreign_name(node.type.name)) is not None:
        return context.complaints.fail("E207", node.type.span, told)
    message = f"'{node.type.span.text}' is not part of the litmus language here"
    return context.complaints.fail("E207", node.span, message)
