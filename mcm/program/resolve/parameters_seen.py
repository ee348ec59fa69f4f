"""Functions that see what a parameter points to as numbers: `void f(struct S* s) { uint* w = (uint*)s; }`.

Whatever is passed to one is made an array of numbers, and the function is taken apart for addresses of numbers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.resolve.spelling import SCALARS, base_of, scalar_name
from mcm.program.resolve.typed_walk import VECTOR, name_of
from mcm.program.types import Scalar
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

# A variable, and which of its vectors or structures.
Root = tuple[ast.Name, ast.Expression | None]
# The parameters of functions, by the names of these.
SeenParameters = dict[str, frozenset[int]]

_NOTHING: Final[frozenset[int]] = frozenset()


def root_of(cast: ast.Cast) -> Root | None:
    """The variable that a pointer to numbers was made of, and which of its vectors: `(float*)&v`, `(float*)(p + i)`.

    So is the one whose address an integer holds, `(size_t)p`.
    """
    return pointed(cast.operand) if _makes_numbers(cast) else None


def _makes_numbers(cast: ast.Cast) -> bool:
    """Whether a cast makes a pointer to numbers, or an integer that holds an address."""
    scalar = SCALARS.get(scalar_name(cast.type.qualifiers, base_of(cast.type)))
    is_integer = not cast.type.pointers and scalar in {Scalar.ULONG, Scalar.LONG}
    return scalar is not None and (is_integer or len(cast.type.pointers) == 1)


def pointed(address: ast.Expression) -> Root | None:
    """The variable that an address leads to, and which of its vectors or structures; None for any other."""
    index: ast.Expression | None
    match address:
        case ast.Name() as name:
            return name, None
        case ast.Prefix("&", ast.Name() as name) | ast.Prefix("&", ast.Prefix("*", ast.Name() as name)):
            return name, None
        case ast.Prefix("&", ast.Index(ast.Name() as name, index)):
            return name, index
        case ast.Infix("+", base, by) if (around := pointed(base)) is not None:
            name, index = around
            return name, by if index is None else ast.Infix("+", index, by, span=address.span)
        case _:
            return None


def _all_pointed(address: ast.Expression) -> Iterator[str]:
    """The variables that an address may lead to: `a` and `b` of `c ? &a[i] : &b[i]`."""
    if isinstance(address, ast.Conditional):
        yield from _all_pointed(address.then)
        yield from _all_pointed(address.otherwise)
    elif (root := pointed(address)) is not None:
        yield root[0].text


def seen_parameters(units: Iterable[ast.Unit]) -> SeenParameters:
    """The functions that see structures or vectors behind parameters as numbers, or pass them to one that does."""
    everything = list(units)
    types = {name_of(unit) for unit in everything if isinstance(unit, ast.Structure)}
    functions = [unit for unit in everything if isinstance(unit, ast.Function) and unit.body is not None]
    found: SeenParameters = {}
    while True:
        before = dict(found)
        for unit in functions:
            names = set(names_seen(unit, found))
            numbers = frozenset(
                number
                for number, one in enumerate(unit.parameters)
                if one.name.text in names and _is_of_several(one, types)
            )
            if numbers:
                found[unit.name.text] = numbers
        if found == before:
            return found


def names_seen(unit: ast.Node, parameters: Mapping[str, frozenset[int]]) -> frozenset[str]:
    """The variables of a unit that it sees as numbers, or passes to a function that sees `parameters` so.

    What a pointer leads to that is seen so is seen so, too: `p` of `q = p + 1; … (uint*)q`.
    """
    seen = frozenset(_cast_or_passed(unit, parameters))
    given = list(_given(unit))
    while more := {name for pointer, name in given if pointer in seen and name not in seen}:
        seen |= more
    return seen


def _cast_or_passed(unit: ast.Node, parameters: Mapping[str, frozenset[int]]) -> Iterator[str]:
    for node in walk([unit]):
        match node:
            case ast.Cast() if _makes_numbers(node):
                yield from _all_pointed(node.operand)
            case ast.Call(ast.Name(text), arguments):
                for number in parameters.get(text, _NOTHING):
                    yield from _all_pointed(arguments[number]) if number < len(arguments) else ()
            case _:
                pass


def _given(unit: ast.Node) -> Iterator[tuple[str, str]]:
    """The pointers of a unit, each with a variable into which it is made to lead somewhere."""
    for node in walk([unit]):
        match node:
            case ast.Declarator(ast.Name(text), pointers=(_,), initializer=value) if value is not None:
                pass
            case ast.Assignment("=", ast.Name(text), value):
                pass
            case _:
                continue
        if not isinstance(value, ast.InitializerList):
            yield from ((text, name) for name in _all_pointed(value))


def _is_of_several(parameter: ast.Parameter, types: set[str]) -> bool:
    """Whether a parameter is a pointer to structures or vectors."""
    base = base_of(parameter.type)
    is_pointer = len(parameter.type.pointers) + (parameter.length is not None) == 1 and not parameter.inner
    return is_pointer and (VECTOR.fullmatch(base) is not None or base in types)
