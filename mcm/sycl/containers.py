"""Memory of the host: `std::vector`, `std::array`, `malloc`, and variables whose addresses commands and buffers take.

Each is an object of system memory. What it begins with is its initial value, where constants say it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.sycl import tree
from mcm.sycl.captures import HOST_TASK, referred
from mcm.sycl.host_records import elements_listed
from mcm.sycl.moved_pointers import outside_kernels
from mcm.sycl.types import is_record, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.syntax.ast import Node

# The kinds of memory that objects of the host lie in, vectors apart: kernels have copies of them, if anything.
KIND: Final = "host"
VECTOR: Final = "vector of the host"
# Around memory that is const to whoever is given it.
AS_CONST: Final = "as_const"
CONTAINERS: Final = frozenset({"vector", "array"})
_COPIES: Final = frozenset({"memcpy", "copy"})
_CASTS: Final = frozenset({"static_cast", "reinterpret_cast", "const_cast"})
_PLACES: Final = frozenset({"data", "begin", "cbegin"})


def named_memory(node: Node) -> ast.Name | None:
    """The name of the memory that an argument is the beginning of: `x`, `&x`, `&x[0]`, `v.data()`; None for others."""
    match node:
        case ast.Name():
            return node
        case ast.Prefix("&", ast.Name() as name):
            return name
        case ast.Prefix("&", ast.Index(ast.Name() as name, ast.NumberLiteral("0"))):
            return name
        case tree.MemberCall(ast.Name() as name, ".", ast.Name(member), None, ()) if member in _PLACES:
            return name
        case ast.Cast(_, operand):
            return named_memory(operand)
        case tree.Construction(tree.ClassType(name), _, (operand,)) if plain(name) in _CASTS:
            return named_memory(operand)
        case _:
            return None


def memory_around(node: Node) -> ast.Name | None:
    """The name of the memory that an argument points into: that of `named_memory`, `x + 1`, `&x[i].a`."""
    match node:
        case ast.Infix("+" | "-", base):
            return memory_around(base)
        case ast.Prefix("&", operand):
            while isinstance(operand, ast.Index | ast.Member):
                operand = operand.base
            return operand if isinstance(operand, ast.Name) else None
        case ast.Cast(_, operand) | tree.Construction(_, _, (operand,)):
            return memory_around(operand)
        case ast.Member(base):
            return memory_around(ast.Prefix("&", base, span=node.span))
        case _:
            return named_memory(node)


class Addressed(Struct, frozen=True):
    """The names that stand for memory in commands and buffers: by their addresses, and by themselves."""

    variables: frozenset[str]
    arrays: frozenset[str]

    def has(self, one: ast.Declarator) -> bool:
        """Whether a variable or an array is an object of memory."""
        return one.name.text in (self.variables if one.length is None else self.variables | self.arrays)


def without_const(node: Node) -> Node:
    """An argument without `std::as_const(…)` around the memory that it names."""
    match node:
        case ast.Call(ast.Name(text), (inner,)) if plain(text) == AS_CONST:
            return inner
        case tree.MemberCall(base) if isinstance(memory := without_const(base), ast.Name) and memory is not base:
            return tree.MemberCall(memory, node.operator, node.name, node.templates, node.arguments, span=node.span)
        case _:
            return node


def addressed(body: Node) -> Addressed:
    """The variables whose memory buffers are made of, or commands copy: those of the host are objects of memory.

    So are those that the host accesses atomically.

    A copy to or from one variable that is waited for at once blocks, and needs no object.
    """
    variables: set[str] = set()
    arrays: set[str] = set()
    constants = _constants(body)
    for node in walk([body]):
        match node:
            case tree.MemberCall(_, _, ast.Name(text), _, (*_, tree.Lambda() as task)) if text == HOST_TASK:
                # A constant is no object that changes: who refers to it has its number.
                variables |= referred(task) - constants
            case _:
                pass
    at_once = {id(node.base) for node in walk([body]) if isinstance(node, tree.MemberCall) and _waits(node)}
    for node in walk([body]):
        arguments: tuple[Node, ...] = ()
        match node:
            case tree.ObjectDeclaration(_, class_, declarators) if plain(class_.name) == "buffer":
                arguments = tuple(without_const(argument) for one in declarators for argument in one.arguments[:1])
            case tree.MemberCall(_, _, ast.Name(text), _, (first, second, *_)) if text in _COPIES:
                blocks = id(node) in at_once and (_is_variable(first) or _is_variable(second))
                arguments = () if blocks else (first, second)
            case _:
                pass
        for one in arguments:
            if (name := memory_around(one)) is not None:
                (variables if _is_address(one) else arrays).add(name.text)
    for class_, listed in _constructions(body):
        if plain(class_.name) == "atomic_ref" and len(listed) == 1:
            name = memory_around(ast.Prefix("&", listed[0], span=class_.span))  # type: ignore[arg-type]  # see `tree`
            variables |= set() if name is None else {name.text}
    return Addressed(frozenset(variables), frozenset(arrays))


def _constructions(body: Node) -> Iterator[tuple[tree.ClassType, tuple[Node, ...]]]:
    """What the code of the host makes objects of classes of, but that of kernels."""
    for node in outside_kernels([body]):
        match node:
            case tree.Construction(class_, _, arguments):
                yield class_, arguments
            case tree.ObjectDeclaration(_, class_, declarators):
                yield from ((class_, one.arguments) for one in declarators)
            case _:
                pass


def _constants(body: Node) -> set[str]:
    """The names of numbers that are const, and known, wherever they are declared."""
    found: set[str] = set()
    others: set[str] = set()
    for node in walk([body]):
        if not isinstance(node, ast.Declaration):
            continue
        is_const = bool({"const", "constexpr"} & set(node.type.qualifiers))
        for one in node.declarators:
            parts = [] if one.initializer is None else list(walk([one.initializer]))
            is_known = bool(parts) and all(
                isinstance(part, ast.NumberLiteral | ast.Infix | ast.Cast | ast.TypeName)
                or (isinstance(part, ast.Name) and part.text in found)
                for part in parts
            )
            is_number = is_const and is_known and not one.pointers and one.length is None
            (found if is_number else others).add(one.name.text)
    return found - others


def _waits(node: tree.MemberCall) -> bool:
    return node.name.text in {"wait", "wait_and_throw"}


def _is_address(node: Node) -> bool:
    """Whether an argument is the address of something, perhaps in another type."""
    while isinstance(node, tree.Construction) and len(node.arguments) == 1:
        node = node.arguments[0]
    return isinstance(node, ast.Prefix | ast.Cast)


def _is_variable(node: Node) -> bool:
    return isinstance(node, ast.Prefix) and node.operator == "&" and isinstance(node.operand, ast.Name)


def initial_values(
    values: tuple[Node, ...], count: int, constant: Callable[[Node], ast.Expression | None]
) -> ast.InitializerList | None:
    """The initial value of elements of which the first have these values, and the others none but zero.

    None where one is no constant.
    """
    found: list[ast.Expression] = []
    for value in values:
        known = constant(value)
        if known is None:
            return None
        found.append(known)
    if not found:
        return None
    zero = ast.NumberLiteral("0", span=found[-1].span)
    listed = (*found, *[zero] * (count - len(found)))
    return ast.InitializerList(listed, span=found[0].span)


def _elements(arguments: tuple[Node, ...]) -> tuple[Node, ...]:
    """The values between braces, of which an array may have two pairs: `{1, 2}`, `{{1, 2}}`."""
    match arguments:
        case (ast.InitializerList(items, rows),):
            return _elements(rows) if rows else items
        case _:
            return arguments


def container(
    name: str, class_: tree.ClassType, one: tree.ObjectDeclarator, count: Callable[[Node], int | None]
) -> tuple[ast.TypeName, int, tuple[Node, ...]] | str:
    """The type, the number and the first values of the elements of a container; what is wrong, where something is.

    Those of a vector are zero where nothing is said, those of an array have no value then.
    """
    templates = class_.arguments or ()
    if not templates or not isinstance(templates[0], ast.TypeName):
        return f"the type of the elements of '{one.name.text}' is not evident: 'std::vector<int> v(4);'"
    type_ = written_type(templates[0])
    is_list = one.form in {"{", "="}
    listed = elements_listed(one.arguments, one.form) if is_record(type_) and is_list else _elements(one.arguments)
    size = count(templates[1]) if name == "array" and len(templates) > 1 else len(listed) if is_list else None
    if name == "vector" and not is_list and one.arguments:
        listed = one.arguments
        size = count(listed[0])
        listed = listed[1:] if len(listed) < 3 else ()
    if not size:
        return f"the size of '{one.name.text}' is no constant: 'std::{name}<int{', 4' * (name == 'array')}> v(4);'"
    zero = ast.NumberLiteral("0", span=one.span)
    if name == "vector" and not is_list:
        return type_, size, tuple(listed or (zero,)) * size
    if is_list and not listed:
        return type_, size, (zero,)
    return type_, size, listed
