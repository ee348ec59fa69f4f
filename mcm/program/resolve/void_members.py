"""Members that point to `void`: each is a pointer to what all of its uses take it for, where they agree.

`struct job { void* data; }` is `struct job { int* data; }` where `data` is given addresses of `int` and cast to `int*`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.spelling import SCALARS, base_of, canonical_scalar, type_words
from mcm.program.resolve.typed_walk import name_of
from mcm.program.resolve.void_pointers import given_in_list, pointers_of
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The words of a type, without those for address spaces, and how many stars it has.
_Pointee = tuple[tuple[str, ...], int]


def with_members_to_what_is_used(tree: ast.Litmus) -> ast.Litmus:
    """The test with other types for such members; those that are computed with, or used as several, stay."""
    records = {name_of(unit): unit for unit in tree.units if isinstance(unit, ast.Structure)}
    uses: dict[str, set[_Pointee | None]] = {name: set() for name in _members_to_void(records)}
    if not uses:
        return tree
    functions = {unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Function)}
    for unit in tree.units:
        if not isinstance(unit, ast.Structure):
            for name, pointee in _Uses(unit, records, functions).of_members():
                if name in uses:
                    uses[name].add(pointee)
    meant = {name: pointee for name, (pointee, *others) in _listed(uses) if pointee is not None and not others}
    units = (_declared(one, meant) if isinstance(one, ast.Structure) else one for one in tree.units)
    return replace(tree, units=tuple(units))


def _listed(uses: Mapping[str, set[_Pointee | None]]) -> Iterator[tuple[str, list[_Pointee | None]]]:
    """What each member that is used is used as."""
    return ((name, list(found)) for name, found in uses.items() if found)


def _members_to_void(records: Mapping[str, ast.Structure]) -> set[str]:
    """The names of members that are pointers to `void` in each structure that has one of that name."""
    found: set[str] = set()
    others: set[str] = set()
    for record in records.values():
        for declaration in record.members:
            for one in declaration.declarators:
                is_void = declaration.type.base == "void" and len(one.pointers) == 1 and one.length is None
                (found if is_void and not record.is_union else others).add(one.name.text)
    return found - others


def _declared(record: ast.Structure, meant: Mapping[str, _Pointee]) -> ast.Structure:
    """A structure in which such members point to what is meant."""
    members: list[ast.Declaration] = []
    for declaration in record.members:
        for one in declaration.declarators:
            pointee = meant.get(one.name.text) if declaration.type.base == "void" else None
            alone = replace(declaration, declarators=(one,))
            if pointee is not None:
                (*words, base), depth = pointee
                type_ = replace(alone.type, qualifiers=(*alone.type.qualifiers, *words), base=base)
                stars = (*((),) * (depth - 1), *one.pointers)
                alone = replace(alone, type=type_, declarators=(replace(one, pointers=stars),))
            members.append(alone)
    return replace(record, members=tuple(members))


class _Uses:
    """What one unit takes members for: nothing (None) where it computes with the address, or reads what is there."""

    def __init__(
        self, unit: ast.Unit, records: Mapping[str, ast.Structure], functions: Mapping[str, ast.Function]
    ) -> None:
        self._unit: Final = unit
        self._records: Final = records
        self._functions: Final = functions
        self._pointers: Final = pointers_of(unit)
        self._others: Final = dict(_others_of(unit))

    def of_members(self) -> Iterator[tuple[str, _Pointee | None]]:
        """Each use of a member with a pointer type, where one is known."""
        for node in walk([self._unit]):
            for name, pointee in self._pairs(node):
                if pointee is None or pointee[0] != ("void",):
                    yield name, pointee

    def _pairs(self, node: ast.Node) -> Iterator[tuple[str, _Pointee | None]]:
        match node:
            case ast.Cast(type_, ast.Member(name=name)) if type_.pointers:
                yield name.text, _pointee(type_)
            case ast.Assignment("=", target, value):
                if isinstance(target, ast.Member) and (pointee := self._of_value(value)) is not None:
                    yield target.name.text, pointee
                if isinstance(value, ast.Member) and (pointee := self._of_value(target)) is not None:
                    yield value.name.text, pointee
            case ast.Declaration(type_, declarators):
                for one in declarators:
                    if isinstance(one.initializer, ast.Member) and one.pointers and one.length is None:
                        yield one.initializer.name.text, _pointee(replace(type_, pointers=one.pointers))
                    elif isinstance(one.initializer, ast.InitializerList) and not one.pointers:
                        yield from self._in_list(type_, one.initializer)
            case ast.CompoundLiteral(type_, written):
                yield from self._in_list(type_, written)
            case ast.Call(function, arguments):
                called = self._functions.get(function.text)
                for argument, parameter in zip(arguments, called.parameters if called else (), strict=False):
                    if isinstance(argument, ast.Member) and parameter.type.pointers:
                        yield argument.name.text, _pointee(parameter.type)
            case ast.Return(ast.Member(name=name)) if isinstance(self._unit, ast.Function):
                yield name.text, _pointee(self._unit.type)
            case ast.Infix("+" | "-", left, right):
                yield from ((one.name.text, None) for one in (left, right) if isinstance(one, ast.Member))
            case ast.Prefix("*" | "&", ast.Member(name=name)) | ast.Index(ast.Member(name=name)):
                yield name.text, None
            case ast.Prefix("++" | "--", ast.Member(name=name)) | ast.Postfix(_, ast.Member(name=name)):
                yield name.text, None
            case _:
                pass

    def _in_list(self, type_: ast.TypeName, written: ast.InitializerList) -> Iterator[tuple[str, _Pointee]]:
        for name, value in given_in_list(self._records.get(base_of(type_)), written):
            if name is not None and (pointee := self._of_value(value)) is not None:
                yield name, pointee

    def _of_value(self, node: ast.Expression) -> _Pointee | None:
        """What a value points to, by what it is made of; None where that is not known."""
        match node:
            case ast.Name(text) if text in self._pointers:
                return _pointee(self._pointers[text])
            case ast.Prefix("&", ast.Index(ast.Name(text))) if text in self._pointers:
                return _pointee(self._pointers[text])
            case ast.Name(text) | ast.Prefix("&", ast.Name(text)) | ast.Prefix("&", ast.Index(ast.Name(text))):
                return self._others.get(text)
            case ast.Cast(type_) if type_.pointers:
                return _pointee(type_)
            case ast.Infix("+" | "-", left, right):
                return self._of_value(left) or self._of_value(right)
            case _:
                return None


def _pointee(type_: ast.TypeName) -> _Pointee:
    words = type_words(type_.qualifiers, base_of(type_))
    name = canonical_scalar(words)
    return ((name,) if name in SCALARS else tuple(words)), len(type_.pointers)


def _others_of(unit: ast.Unit) -> Iterator[tuple[str, _Pointee]]:
    """The variables of a unit that are no pointers, with what their addresses point to."""
    for node in walk([unit]):
        if isinstance(node, ast.Declaration):
            for one in node.declarators:
                words, depth = _pointee(replace(node.type, pointers=one.pointers))
                yield one.name.text, (words, depth + 1)
