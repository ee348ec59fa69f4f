"""Functions that see what a parameter points to as numbers: `void f(struct S* s) { uint* w = (uint*)s; }`.

Whatever is passed to one is made an array of numbers, and the function is taken apart for addresses of numbers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.resolve.spelling import SCALARS, scalar_name
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
    scalar = SCALARS.get(scalar_name(cast.type.qualifiers, " ".join(cast.type.base.split())))
    is_integer = not cast.type.pointers and scalar in {Scalar.ULONG, Scalar.LONG}
    if scalar is None or not (is_integer or len(cast.type.pointers) == 1):
        return None
    return pointed(cast.operand)


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


def names_seen(unit: ast.Node, parameters: Mapping[str, frozenset[int]]) -> Iterator[str]:
    """The variables of a unit that it sees as numbers, or passes to a function that sees `parameters` so."""
    for node in walk([unit]):
        match node:
            case ast.Cast() if (root := root_of(node)) is not None:
                yield root[0].text
            case ast.Call(ast.Name(text), arguments):
                for number in parameters.get(text, _NOTHING):
                    root = pointed(arguments[number]) if number < len(arguments) else None
                    if root is not None:
                        yield root[0].text
            case _:
                pass


def _is_of_several(parameter: ast.Parameter, types: set[str]) -> bool:
    """Whether a parameter is a pointer to structures or vectors."""
    base = " ".join(parameter.type.base.split())
    is_pointer = len(parameter.type.pointers) + (parameter.length is not None) == 1 and not parameter.inner
    return is_pointer and (VECTOR.fullmatch(base) is not None or base in types)
