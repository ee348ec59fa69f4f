"""Functions of one name that take arguments of different types: `overloadable` ones. Each gets a name of its own.

Which one a call means is decided as in C++: by the conversions that the arguments need, of which no one may be worse
than for another function. The types of arguments are those that declarations say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.resolve.conversions import promoted
from mcm.program.resolve.spelling import SCALARS, base_of, scalar_name
from mcm.program.resolve.typed_walk import VECTOR, Measured, TypedWalk
from mcm.program.types import Scalar
from mcm.syntax import ast
from mcm.syntax.attribute import OVERLOADABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import NoReturn

    from mcm.program.resolve.complaints import Complaints

_SPACES: Final = frozenset({"global", "local", "constant", "private", "generic"})
_GENERIC: Final = "generic"

# How much a conversion changes: nothing, an address space to the generic one or a promotion, a number to another, a
# number to all components of a vector.
_Cost = int
_SAME, _PROMOTED, _CONVERTED, _OTHER_KIND, _WIDENED = range(5)


class _Type(Struct, frozen=True):
    """The type of a parameter or an argument: `base` as its one name, and where the last pointer leads."""

    base: str
    depth: int
    space: str


def without_overloads(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test in which no two functions have one name."""
    known = _several(tree.units)
    return _Overloads(tree, known, complaints).test(tree) if known else tree


def _several(units: Iterable[ast.Unit]) -> dict[str, list[tuple[_Type, ...]]]:
    """The names that are overloaded, with the parameters of each of their functions."""
    found: dict[str, list[tuple[_Type, ...]]] = {}
    marked = set()
    for unit in units:
        if isinstance(unit, ast.Function):
            parameters = _parameters(unit)
            several = found.setdefault(unit.name.text, [])
            several += [] if parameters in several else [parameters]
            marked |= {unit.name.text} if OVERLOADABLE in unit.words else set()
    return {name: several for name, several in found.items() if len(several) > 1 and name in marked}


def _parameters(unit: ast.Function) -> tuple[_Type, ...]:
    return tuple(
        _type(Measured(one.type, () if one.length is None else (one.length,), is_passed=one.length is not None))
        for one in unit.parameters
    )


def _type(measured: Measured) -> _Type:
    written = measured.type
    base = base_of(written)
    name = base if VECTOR.fullmatch(base) else scalar_name(written.qualifiers, base)
    is_array = bool(measured.lengths) or measured.is_passed
    words = written.pointers[-2] if len(written.pointers) > 1 and not is_array else written.qualifiers
    # What an array or an address is of lies somewhere; a pointer that does not say where leads anywhere.
    anywhere = "private" if is_array else _GENERIC
    space = next((bare for word in words if (bare := word.strip("_")) in _SPACES), anywhere)
    depth = len(written.pointers) + is_array
    scalar = SCALARS.get(name)
    return _Type(name if scalar is None else scalar.spelling, depth, space if depth else "")


class _Overloads(TypedWalk):
    """Puts names of one function each in place of those of several."""

    def __init__(
        self, tree: ast.Litmus, known: Mapping[str, Sequence[tuple[_Type, ...]]], complaints: Complaints
    ) -> None:
        super().__init__(tree, complaints)
        self._known: Final = known
        self._units: Final[dict[tuple[str, int], ast.Function]] = {}
        for unit in tree.units:
            if isinstance(unit, ast.Function) and unit.name.text in known:
                self._units.setdefault((unit.name.text, known[unit.name.text].index(_parameters(unit))), unit)

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        match node:
            case ast.Function(ast.Name(text) as name) if text in self._known:
                number = self._known[text].index(_parameters(node))
                return super().node(replace(node, name=_numbered(name, number)))
            case ast.Call(ast.Name(text) as name, arguments) if text in self._known:
                number = self._meant(node)
                return replace(node, function=_numbered(name, number), arguments=tuple(map(self.node, arguments)))
            case _:
                return super().node(node)

    def _called(self, name: str, node: ast.Call) -> Measured:
        if name in self._known:
            return Measured(self._units[name, self._meant(node)].type)
        return super()._called(name, node)

    def _computed(self, node: ast.Expression) -> Measured:
        """The type of what is computed; a number with a point is a double, which is turned into a float at no cost."""
        if isinstance(node, ast.NumberLiteral) and "." in node.text and node.text[-1] not in "fFhH":
            return Measured(ast.TypeName((), "double", span=node.span))
        return super()._computed(node)

    def _refuse(self, node: ast.Expression) -> NoReturn:
        message = f"not yet supported: '{node.span.text}' as an argument that says which function is meant; cast it"
        self.complaints.fail("E100", node.span, message)

    def _meant(self, node: ast.Call) -> int:
        """The number of the function that a call means."""
        name = node.function.text
        given = [_type(self.type_of(one)) for one in node.arguments]
        costs = {
            number: found
            for number, wanted in enumerate(self._known[name])
            if (found := _costs(given, wanted)) is not None
        }
        best = [
            number
            for number, one in costs.items()
            if all(_is_better(one, other) for each, other in costs.items() if each != number)
        ]
        if len(best) == 1:
            return best[0]
        of_which = list(costs) or range(len(self._known[name]))
        notes = [Note("one is defined here", self._units[name, number].name.span) for number in of_which]
        problem = "it is open which function" if costs else "no function"
        message = f"{problem} '{name}' takes these arguments; cast them to the types of one"
        return self.complaints.fail("E122", node.span, message, *notes)


def _numbered(name: ast.Name, number: int) -> ast.Name:
    return replace(name, text=f"{name.text}#{number}")


def _is_better(one: Sequence[_Cost], other: Sequence[_Cost]) -> bool:
    """Whether no conversion is worse, and some are better."""
    return all(a <= b for a, b in zip(one, other, strict=True)) and list(one) != list(other)


def _costs(given: Sequence[_Type], wanted: Sequence[_Type]) -> list[_Cost] | None:
    """What the conversions of all arguments cost; None where there is none."""
    if len(given) != len(wanted):
        return None
    found = [_cost(one, to) for one, to in zip(given, wanted, strict=True)]
    return None if None in found else [each for each in found if each is not None]


def _cost(given: _Type, wanted: _Type) -> _Cost | None:
    if given.depth or wanted.depth:
        return _cost_of_pointer(given, wanted)
    if given.base == wanted.base:
        return _SAME
    scalar, to = SCALARS.get(given.base), SCALARS.get(wanted.base)
    if scalar is None:
        return None
    if to is None:
        return _WIDENED if VECTOR.fullmatch(wanted.base) else None
    if to is promoted(scalar) or (scalar is Scalar.FLOAT and to is Scalar.DOUBLE):
        return _PROMOTED
    return _CONVERTED if scalar.is_floating is to.is_floating else _OTHER_KIND


def _cost_of_pointer(given: _Type, wanted: _Type) -> _Cost | None:
    if given.depth != wanted.depth or wanted.base not in {given.base, "void"}:
        return None
    is_moved = given.space != wanted.space
    if is_moved and (wanted.space != _GENERIC or given.space == "constant"):
        return None
    return _SAME + is_moved if given.base == wanted.base else _CONVERTED + is_moved
