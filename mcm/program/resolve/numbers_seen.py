"""Which vectors and structures of a test are seen as arrays of numbers, and can be such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.parameters_seen import names_seen, seen_parameters
from mcm.program.resolve.parted_unions import numbers_of
from mcm.program.resolve.spelling import SCALARS, base_of, scalar_name
from mcm.program.resolve.structures_seen import Placed, numbers_in
from mcm.program.resolve.typed_walk import VECTOR, name_of
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.base.source import Span

_Unit = ast.Kernel | ast.Thread | ast.Function | ast.Callback
# Vectors of three are as large as those of four: an array of numbers would have elements that are no components.
_SIZES: Final = frozenset({2, 4, 8, 16})
_BYTE: Final = 8


class Seen(Struct, frozen=True):
    """A variable that is made an array: of which numbers, of how many for each vector, and what it was.

    `vector` is the type that it had, that of a structure, too; `is_one` of one vector, not of an array of or a pointer
    to some; `space` are the words for its address space. `members` are those of a structure in memory that are such
    numbers, `is_all` if it has no others.
    """

    scalar: str
    width: int
    vector: str = ""
    is_one: bool = False
    space: tuple[str, ...] = ()
    members: tuple[Placed, ...] = ()
    is_all: bool = True


def seen_in(tree: ast.Litmus) -> tuple[dict[str, Seen], dict[Span, dict[str, Seen]]]:
    """What is made an array: memory that units share, by its name; and of each unit its own variables."""
    units = [unit for unit in tree.units if isinstance(unit, _Unit)]
    structures = {name_of(unit): unit for unit in tree.units if isinstance(unit, ast.Structure)}
    parameters = seen_parameters(tree.units)
    asked: set[str] = set()
    shared: dict[str, list[Seen | None]] = {}
    own: dict[Span, dict[str, Seen]] = {}
    for unit in units:
        names = set(names_seen(unit, parameters))
        bases = (node.base for node in walk([unit]) if isinstance(node, ast.Index))
        indexed = {base.text for base in bases if isinstance(base, ast.Name)}
        known = _declared(unit, structures)
        passed = {} if isinstance(unit, ast.Function) else {one.name.text: one for one in unit.parameters}
        for name in passed:
            shared.setdefault(name, []).append(_only(known.get(name, [])))
        asked |= names & passed.keys()
        own[unit.span] = {
            name: one
            for name, several in known.items()
            if name not in {parameter.name.text for parameter in unit.parameters}
            and (one := _only(several)) is not None
            and (name in names or (name in indexed and one.is_one))
            and one.vector
        }
    for item in tree.initial:
        if isinstance(item, ast.InitialValue) and item.type is not None and not item.type.pointers:
            shared.setdefault(item.name.text, []).append(_in_memory(item.type, structures))
        if isinstance(item, ast.InitialValue) and "." in item.name.text:
            # What is told of members is told of no numbers.
            shared.setdefault(item.name.text.partition(".")[0], []).append(None)
        if isinstance(item, ast.InitialValue) and isinstance(item.value, ast.Call):
            # A sub-buffer: where it begins is counted in what the buffer is of.
            for name in (item.name.text, *(one.text for one in walk([item.value]) if isinstance(one, ast.Name))):
                shared.setdefault(name, []).append(None)
    memory = {name: one for name, all_ in shared.items() if (one := _together(all_, name in asked)) is not None}
    for unit in units:
        if not isinstance(unit, ast.Function):
            own[unit.span] |= _passed(unit, structures, memory)
    return memory, own


def _passed(unit: _Unit, structures: Mapping[str, ast.Structure], memory: Mapping[str, Seen]) -> dict[str, Seen]:
    """The parameters of a unit that become arrays; who sees numbers already goes on so."""
    found = {}
    for parameter in unit.parameters:
        name, base = parameter.name.text, base_of(parameter.type)
        if name in memory and (VECTOR.fullmatch(base) or base in structures):
            found[name] = replace(memory[name], space=_space(parameter.type))
    return found


def _together(several: Iterable[Seen | None], is_asked: bool) -> Seen | None:  # noqa: FBT001 - of one caller
    """Memory that is of vectors for some and of numbers for others, or that somebody casts; None for any other."""
    found = list(several)
    vectors = {one.vector: one for one in found if one is not None and one.vector}
    numbers = [one for one in found if one is not None and not one.vector]
    if None in found or len(vectors) != 1 or not (numbers or is_asked):
        return None
    (one,) = vectors.values()
    return one if all(other.scalar == one.scalar for other in numbers) else None


def _only(several: list[Seen | None]) -> Seen | None:
    """What all declarations of a name in a unit say; None where they differ, or one cannot be an array."""
    return several[0] if several and None not in several and len(set(several)) == 1 else None


def _declared(unit: _Unit, structures: Mapping[str, ast.Structure]) -> dict[str, list[Seen | None]]:
    """What may be an array in a unit, by its name: a value for each declaration, None for one that is anything else."""
    found: dict[str, list[Seen | None]] = {}
    for parameter in unit.parameters:
        is_plain = len(parameter.type.pointers) + (parameter.length is not None) == 1 and not parameter.inner
        found[parameter.name.text] = [_in_memory(parameter.type, structures) if is_plain else None]
    if isinstance(unit, ast.Thread | ast.Callback):
        # A command is on the vectors, or on the numbers: it is not looked at here.
        found |= {name: [None] for name in found.keys() & _commanded(unit, structures)}
    placed = in_blocks(unit)
    for node in walk([unit]):
        if not isinstance(node, ast.Declaration):
            continue
        for one in node.declarators:
            seen = _variable(node, one, structures) if id(node) in placed else None
            found.setdefault(one.name.text, []).append(seen)
    return found


def in_blocks(unit: _Unit) -> frozenset[int]:
    """The declarations of a unit that are statements of a block, behind which others may stand; by identity."""
    blocks = (node for node in walk([unit]) if isinstance(node, ast.Block))
    return frozenset(id(one) for block in blocks for one in block.statements if isinstance(one, ast.Declaration))


def _commanded(unit: _Unit, structures: Mapping[str, ast.Structure]) -> frozenset[str]:
    """The names in the calls of a unit that enqueue commands, where they are of vectors or structures."""
    types = {one.name.text: base_of(one.type) for one in unit.parameters}
    vectors = {name for name, base in types.items() if VECTOR.fullmatch(base) or base in structures}
    calls = [node for node in walk([unit]) if isinstance(node, ast.Call) and node.function.text.startswith("cl")]
    return frozenset(one.text for one in walk(calls) if isinstance(one, ast.Name) and one.text in vectors)


def _variable(node: ast.Declaration, one: ast.Declarator, structures: Mapping[str, ast.Structure]) -> Seen | None:
    """A vector or a structure, or an array of such; None for anything else."""
    if node.type.pointers or one.pointers or one.inner:
        return None
    unit = structures.get(base_of(node.type))
    if unit is not None:
        numbers = None if unit.is_union else numbers_of(unit, structures)
        if numbers is None or (one.length is not None and one.initializer is not None):
            return None
        scalar, width = numbers
        return Seen(scalar.spelling, width, base_of(node.type), one.length is None, _space(node.type))
    if one.length is not None and one.initializer is not None:
        return None
    return _seen(node.type, is_one=one.length is None)


def _in_memory(type_: ast.TypeName, structures: Mapping[str, ast.Structure]) -> Seen | None:
    """Vectors, structures, or numbers that may be seen as such; None for any other type."""
    base = base_of(type_)
    if base not in structures:
        return _seen(type_, is_one=False)
    found = numbers_in(structures[base], structures)
    if found is None:
        return None
    space = _space(type_)
    return Seen(found.scalar.spelling, found.count, base, space=space, members=found.members, is_all=found.is_all)


def _seen(type_: ast.TypeName, *, is_one: bool) -> Seen | None:
    """Vectors, or numbers that may be seen as such; None for any other type."""
    base = base_of(type_)
    vector = VECTOR.fullmatch(base)
    if vector is not None and int(vector["size"]) in _SIZES:
        return Seen(vector["scalar"], int(vector["size"]), base, is_one=is_one, space=_space(type_))
    return Seen(base, 1) if SCALARS.get(scalar_name((), base)) is not None else None


def _space(type_: ast.TypeName) -> tuple[str, ...]:
    return tuple(word for word in type_.qualifiers if word.strip("_") in {"global", "local", "constant", "private"})
