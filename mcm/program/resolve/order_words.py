"""Memory orders, scopes and fence flags that have a name of their own: parameters of functions, and constants.

`static void put(global atomic_int* p, memory_order order)` is called with a word, which stands for `order` in what the
call is; `const memory_order order = memory_order_acquire;` is the word behind it. What is chosen by a condition that is
a constant, as macros leave it behind, is one of the two words.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.constants import known_integer
from mcm.program.resolve.spelling import FLAGS, ORDERS, SCOPES
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import changed_variable, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

# What is of this type may also be a number that is computed, such as `get_fence(p)`.
_FLAGS_TYPE: Final = "cl_mem_fence_flags"
TYPES: Final = frozenset({"memory_order", "memory_scope", _FLAGS_TYPE})
_COMPARED: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


def chosen(node: ast.Expression) -> ast.Expression:
    """The one of two expressions that a constant condition chooses; any other expression itself."""
    while isinstance(node, ast.Conditional) and (truth := _truth(node.condition)) is not None:
        node = node.then if truth else node.otherwise
    return node


def _truth(node: ast.Expression) -> bool | None:
    """Whether a constant condition holds; None for one that is no constant."""
    match node:
        case ast.Prefix("!", operand):
            inner = _truth(operand)
            return None if inner is None else not inner
        case ast.Infix("&&" | "||" as operator, left, right):
            first, second = _truth(left), _truth(right)
            if first is None or second is None:
                return None
            return (first and second) if operator == "&&" else (first or second)
        case ast.Infix(operator, left, right) if operator in _COMPARED:
            one, other = known_integer(left), known_integer(right)
            return None if one is None or other is None else _COMPARED[operator](one, other)
        case _:
            value = known_integer(node)
            return None if value is None else value != 0


def _is_word(node: ast.Expression, known: Collection[str] = ()) -> bool:
    """Whether an expression is an order, a scope or flags, in words; `known` are variables that are."""
    match node:
        case ast.Name(text):
            return text in ORDERS or text in SCOPES or text in FLAGS or text in known
        case ast.Infix("|", left, right):
            return _is_word(left, known) and _is_word(right, known)
        case ast.NumberLiteral("0"):
            return True
        case _:
            return False


def given_words(function: ast.Function, node: ast.Call) -> tuple[ast.Function, ast.Call]:
    """A function and a call of it without the parameters that stand for words, which stand in the body then."""
    if function.body is None or len(node.arguments) != len(function.parameters):
        return function, node
    arguments = tuple(map(chosen, node.arguments))
    words = {
        parameter.name.text: argument
        for parameter, argument in zip(function.parameters, arguments, strict=True)
        if parameter.type.base in TYPES and not parameter.type.pointers and _is_word(argument)
    }
    words = _unchanged(words, function.body)
    if not words:
        return function, node
    left = [number for number, one in enumerate(function.parameters) if one.name.text not in words]
    body = mapped(function.body, partial(_put, words=words))
    parameters = tuple(function.parameters[number] for number in left)
    return (
        replace(function, parameters=parameters, body=body),
        replace(node, arguments=tuple(node.arguments[number] for number in left)),
    )


def _unchanged(words: Mapping[str, ast.Expression], body: ast.Block) -> dict[str, ast.Expression]:
    """Those that nothing in a body changes, or declares anew."""
    others = {changed_variable(node) for node in walk([body])}
    others |= {node.name.text for node in walk([body]) if isinstance(node, ast.Declarator)}
    return {name: word for name, word in words.items() if name not in others}


def _put(node: ast.Node, words: Mapping[str, ast.Expression]) -> ast.Node:
    return words.get(node.text, node) if isinstance(node, ast.Name) else node


def without_word_variables(tree: ast.Litmus) -> ast.Litmus:
    """The test in which variables of a body that stand for words, and never change, are these."""
    units = [
        replace(unit, body=_bare(unit.body))
        if isinstance(unit, ast.Thread | ast.Kernel | ast.Function | ast.Callback) and unit.body is not None
        else unit
        for unit in tree.units
    ]
    return replace(tree, units=tuple(units))


def _bare(body: ast.Block) -> ast.Block:
    """A body without them. One that is declared twice, in two blocks, stays."""
    names = [node.name.text for node in walk([body]) if isinstance(node, ast.Declarator)]
    changed = {changed_variable(node) for node in walk([body])}
    found: dict[str, ast.Expression] = {}
    for node in walk([body]):
        if isinstance(node, ast.Declaration) and node.type.base in TYPES:
            are_numbers = node.type.base == _FLAGS_TYPE
            for one in node.declarators:
                name, value = one.name.text, one.initializer
                is_plain = not one.pointers and one.length is None and isinstance(value, ast.Expression)
                if is_plain and names.count(name) == 1 and name not in changed:
                    assert isinstance(value, ast.Expression)
                    if not are_numbers or _is_word(chosen(value), found):
                        found[name] = value
    if not found:
        return body
    bare = mapped(body, partial(_without, names=frozenset(found)))
    for name in tuple(found):
        # One may stand for another one.
        found = {other: mapped(value, partial(_put, words={name: found[name]})) for other, value in found.items()}
    return mapped(bare, partial(_put, words=found))


def _without(node: ast.Node, names: frozenset[str]) -> ast.Node:
    """A declaration without those of these names."""
    if not isinstance(node, ast.Declaration):
        return node
    left = tuple(one for one in node.declarators if one.name.text not in names)
    if len(left) == len(node.declarators):
        return node
    return replace(node, declarators=left) if left else ast.Empty(span=node.span)
