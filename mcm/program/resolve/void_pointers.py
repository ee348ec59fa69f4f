"""Pointers to `void`: each is one to bytes, and where C converts from one or to one by itself a cast stands."""

from __future__ import annotations

from itertools import chain, repeat, takewhile
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.spelling import SCALARS, base_of
from mcm.program.resolve.typed_walk import name_of
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.program.resolve.complaints import Complaints

_BYTE: Final = "uchar"


def without_void_pointers(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with pointers to bytes in place of those to `void`."""
    functions = {unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Function)}
    records = {name_of(unit): unit for unit in tree.units if isinstance(unit, ast.Structure)}
    units = tuple(_Unit(functions, records, unit, complaints).unit() for unit in tree.units)
    return replace(tree, units=units)


class _Unit:
    """Puts pointers to bytes into a unit."""

    def __init__(
        self,
        functions: Mapping[str, ast.Function],
        records: Mapping[str, ast.Structure],
        unit: ast.Unit,
        complaints: Complaints,
    ) -> None:
        self._functions: Final = functions
        self._records: Final = records
        self._members: Final = _pointers_among(records.values())
        self._variables: Final = _records_of(unit)
        self._unit: Final = unit
        self._complaints: Final = complaints
        self._pointers: Final = pointers_of(unit)

    def unit(self) -> ast.Unit:
        """The unit with pointers to bytes."""
        with_bytes: ast.Unit = with_parts(self._unit, self._node)
        return with_bytes

    def _node(self, node: Any) -> Any:
        match node:
            case ast.TypeName(_, "void", pointers) if pointers:
                return replace(node, base=_BYTE)
            case ast.Declaration(type_, declarators):
                made = with_parts(node, self._node)
                pairs = zip(declarators, made.declarators, strict=True)
                is_void = type_.base == "void" and any(one.pointers for one in declarators)
                return replace(
                    made,
                    type=replace(made.type, base=_BYTE) if is_void else made.type,
                    declarators=tuple(self._declarator(type_, *pair) for pair in pairs),
                )
            case ast.Assignment("=", ast.Name(text), value) if text in self._pointers:
                return replace(node, value=self._given(value, self._node(value), self._pointers[text]))
            case ast.Assignment("=", ast.Member() as target, value) if (member := self._member(target)) is not None:
                given = self._given(value, self._node(value), member)
                return replace(node, target=self._node(target), value=given)
            case ast.CompoundLiteral(type_, written, None):
                return replace(with_parts(node, self._node), initializer=self._listed(type_, written))
            case ast.Return(value) if isinstance(self._unit, ast.Function) and value is not None:
                return replace(node, value=self._given(value, self._node(value), self._unit.type))
            case ast.Call(function, arguments):
                return replace(node, arguments=self._arguments(function, arguments))
            case ast.Prefix("*", pointer) | ast.Index(pointer) if self._is_void(pointer):
                message = (
                    f"'{pointer.span.text}' points to 'void', which has no values; cast it, as in '(global int*)p'"
                )
                self._complaints.error("E122", pointer.span, message)
                raise UnresolvedError
            case _:
                return with_parts(node, self._node)

    def _declarator(self, type_: ast.TypeName, written: ast.Declarator, made: ast.Declarator) -> ast.Declarator:
        value = written.initializer
        if isinstance(value, ast.InitializerList) and not written.pointers and written.length is None:
            return replace(made, initializer=self._listed(type_, value))
        if value is None or isinstance(value, ast.InitializerList) or not written.pointers:
            return made
        assert made.initializer is not None
        assert not isinstance(made.initializer, ast.InitializerList)
        pointer = replace(type_, pointers=written.pointers)
        return replace(made, initializer=self._given(value, made.initializer, pointer))

    def _listed(self, type_: ast.TypeName, written: ast.InitializerList) -> ast.InitializerList:
        """The values of the members of a structure, in order or by their names."""
        made: ast.InitializerList = with_parts(written, self._node)
        record = self._records.get(base_of(type_))
        if record is None or written.rows:
            return made
        members = _pointers_among([record])
        given = (
            self._given(before, after, members[name]) if name in members else after
            for (name, before), after in zip(given_in_list(record, written), made.items, strict=True)
        )
        return replace(made, items=tuple(given))

    def _arguments(self, function: ast.Name, arguments: Sequence[ast.Expression]) -> tuple[ast.Expression, ...]:
        found = [self._node(one) for one in arguments]
        called = self._functions.get(function.text)
        if called is None or len(called.parameters) != len(found):
            return tuple(found)
        triples = zip(arguments, found, called.parameters, strict=True)
        return tuple(
            self._given(written, made, parameter.type) if parameter.length is None else made
            for written, made, parameter in triples
        )

    def _given(self, written: ast.Expression, made: ast.Expression, type_: ast.TypeName) -> ast.Expression:
        """A value as that of a pointer of this type: cast where one of the two is a pointer to `void`."""
        is_zero = isinstance(written, ast.NumberLiteral) or (isinstance(written, ast.Name) and written.text == "NULL")
        if not type_.pointers or is_zero or _is_void(type_) is self._is_void(written):
            return made
        base = _BYTE if _is_void(type_) else type_.base
        return ast.Cast(replace(type_, base=base, span=written.span), made, span=written.span)

    def _member(self, node: ast.Member) -> ast.TypeName | None:
        """The type of a member that is a pointer: of that structure, or of all that have one of the name."""
        base, name = node.base, node.name.text
        if isinstance(base, ast.Name) and (record := self._records.get(self._variables.get(base.text, ""))) is not None:
            return _pointers_among([record]).get(name)
        return self._members.get(name)

    def _is_void(self, node: ast.Expression) -> bool:
        """Whether an expression is a pointer to `void`, by what it is made of."""
        match node:
            case ast.Name(text):
                type_ = self._pointers.get(text)
                return type_ is not None and _is_void(type_)
            case ast.Member():
                member = self._member(node)
                return member is not None and _is_void(member)
            case ast.Cast(type_):
                return _is_void(type_)
            case ast.Call(function):
                called = self._functions.get(function.text)
                return called is not None and _is_void(called.type)
            case ast.Infix("+" | "-", left, right):
                return self._is_void(left) or self._is_void(right)
            case ast.Conditional(_, then, otherwise):
                return self._is_void(then) or self._is_void(otherwise)
            case _:
                return False


def _is_void(type_: ast.TypeName) -> bool:
    return type_.base == "void" and len(type_.pointers) == 1


def pointers_of(unit: ast.Unit) -> dict[str, ast.TypeName]:
    """The variables of a unit that are pointers, with their types."""
    found: dict[str, ast.TypeName] = {}
    for node in walk([unit]):
        match node:
            case ast.Parameter(type_, name, None) if type_.pointers:
                found[name.text] = type_
            case ast.Declaration(type_, declarators):
                found |= {
                    one.name.text: replace(type_, pointers=one.pointers)
                    for one in declarators
                    if one.pointers and one.length is None
                }
    return found


def _pointers_among(records: Iterable[ast.Structure]) -> dict[str, ast.TypeName]:
    """The members that are pointers, with their types; not those that are something else in another structure."""
    found: dict[str, ast.TypeName] = {}
    mixed: set[str] = set()
    for record in records:
        for declaration in record.members:
            for one in declaration.declarators:
                type_ = replace(declaration.type, pointers=one.pointers)
                is_pointer = bool(one.pointers) and one.length is None
                known = found.setdefault(one.name.text, type_)
                if not is_pointer or _words(known) != _words(type_):
                    mixed.add(one.name.text)
    return {name: type_ for name, type_ in found.items() if name not in mixed}


def given_in_list(
    record: ast.Structure | None, written: ast.InitializerList
) -> Iterator[tuple[str | None, ast.Expression]]:
    """The values of a list without lists in it, each with the member that it is for, if known."""
    names = [one.text if isinstance(one, ast.Name) else None for one in written.designators]
    known = names or ([] if record is None else _names_in_order(record))
    return zip(chain(known, repeat(None)), written.items, strict=False)


def _words(type_: ast.TypeName) -> tuple[object, ...]:
    return type_.qualifiers, base_of(type_), len(type_.pointers)


def _names_in_order(record: ast.Structure) -> list[str]:
    """The members that each take one value of a list, up to one that may take several."""
    every = [(base_of(part.type), one) for part in record.members for one in part.declarators]
    simple = takewhile(lambda each: each[1].length is None and (each[1].pointers or each[0] in SCALARS), every)
    return [one.name.text for _, one in simple]


def _records_of(unit: ast.Unit) -> dict[str, str]:
    """The variables of a unit, with their types; nothing for a name that is declared with several."""
    found: dict[str, str] = {}
    for node in walk([unit]):
        if isinstance(node, ast.Parameter | ast.Declaration):
            names = [node.name] if isinstance(node, ast.Parameter) else [one.name for one in node.declarators]
            type_ = base_of(node.type)
            found |= {name.text: type_ if found.get(name.text, type_) == type_ else "" for name in names}
    return found
