"""Unions of numbers of one size: each is an integer of that size, and its members are what the bits of it mean.

So a union is one location, as it is in C, and `u.f` of `union { float f; uint n; }` is `as_float(u)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant
from mcm.program.resolve.parted_unions import Parts, is_zero, member_of_union, parts_of_union, refuse_values
from mcm.program.resolve.spelling import REGIONS, SCALARS, base_of, scalar_name
from mcm.program.resolve.typed_walk import VECTOR, Measured, TypedWalk, name_of
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_unary, bits_operator, convert
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

_CARRIERS: Final = {8: Scalar.UCHAR, 16: Scalar.USHORT, 32: Scalar.UINT, 64: Scalar.ULONG}
_KEPT: Final = frozenset({Scalar.BOOL, Scalar.EVENT, Scalar.RESERVATION})
_STEPS: Final = frozenset({"++", "--"})


def without_unions(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with integers in place of unions."""
    found = _Unions(tree, complaints).test(tree)
    units = tuple(unit for unit in found.units if not _is_number(unit, tree))
    return replace(found, units=units)


def _is_number(unit: ast.Unit, tree: ast.Litmus) -> bool:
    """Whether a unit is a union that is a single number."""
    if not (isinstance(unit, ast.Structure) and unit.is_union):
        return False
    structures = {name_of(one): one for one in tree.units if isinstance(one, ast.Structure)}
    return parts_of_union(unit, structures) is None


class _Unions(TypedWalk):
    """Puts integers in place of unions, and arrays in place of others."""

    def __init__(self, tree: ast.Litmus, complaints: Complaints) -> None:
        super().__init__(tree, complaints)
        self._known: Final[dict[str, Parts | None]] = {}

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        match node:
            case ast.TypeName():
                return self._carried(node)
            case ast.Block(statements):
                apart = tuple(one for statement in statements for one in self._begun_apart(statement))
                return super().node(replace(node, statements=apart))
            case ast.Member() if (part := self._of_parts(node)) is not None:
                return part
            case ast.CompoundLiteral(type_) if self._parts(type_) is not None:
                message = "not yet supported: an object without a name of a union of several sizes; declare a variable"
                return self.complaints.fail("E100", node.span, message)
            case ast.Declaration(type_):
                return replace(super().node(node), type=self._carried(type_))
            case ast.Structure():
                found = super().node(node)
                members = found.members
                if not node.is_union:
                    members = tuple(replace(one, type=self._carried(one.type)) for one in members)
                return replace(found, members=members)
            case ast.CompoundLiteral(type_, written, None) if self._scalars(type_) is not None:
                return self._listed(written, type_)
            case ast.ExpressionStatement(ast.Assignment(target=ast.Member() as target) as one):
                member = self._of_union(target)
                kept = super().node(node) if member is None else self._assigned(one, target, member)
                return replace(node, expression=kept) if member is not None else kept
            case ast.Assignment(target=ast.Member() as target) if (member := self._of_union(target)) is not None:
                return _seen(self._assigned(node, target, member), member)
            case ast.Prefix("++" | "--" | "&", ast.Member() as target) | ast.Postfix(_, ast.Member() as target):
                return self._changed(node, target)
            case ast.Member() if (member := self._of_union(node)) is not None:
                return _seen(self._place(node), member)
            case _:
                return super().node(node)

    def test(self, tree: ast.Litmus) -> ast.Litmus:
        """The whole test."""
        initial = tuple(self._initial(item) if isinstance(item, ast.InitialValue) else item for item in tree.initial)
        return super().test(replace(tree, initial=initial))

    def _initial(self, item: ast.InitialValue) -> ast.InitialValue:
        """An item of the initial state, whose values have become those of single members."""
        try:
            value = item.value
            if isinstance(value, ast.InitializerList):
                value = replace(value, items=tuple(map(self._number, value.items)))
            return replace(item, type=None if item.type is None else self._carried(item.type), value=value)
        except UnresolvedError:
            return replace(item, value=ast.InitializerList((), span=item.span))

    def _number(self, value: ast.Expression) -> ast.Expression:
        """The integer that a union is which begins with a constant; other values as they are."""
        scalars = self._scalars(value.type) if isinstance(value, ast.CompoundLiteral) else None
        if not isinstance(value, ast.CompoundLiteral) or scalars is None:
            return value
        name, item = self._first(value.initializer, scalars)
        member = scalars[name]
        number = convert(constant(item, self.complaints, "an initial value"), member)
        bits = apply_unary(bits_operator(member, _carrier(member)), number, _carrier(member))
        return ast.NumberLiteral(f"{bits}ul", span=value.span)

    # --- types ---

    def _scalars(self, type_: ast.TypeName) -> dict[str, Scalar] | None:
        """The members of a union; None for other types."""
        base = base_of(type_)
        if not base.startswith("union ") or type_.pointers:
            return None
        unit = self.structures.get(base)
        if unit is None:
            return self.complaints.fail("E145", type_.span, f"unknown type '{base}'")
        if self._parts(type_) is not None:
            return None
        found: dict[str, Scalar] = {}
        for name, member in self.members(unit).items():
            scalar = SCALARS.get(scalar_name(member.type.qualifiers, member.type.base))
            if scalar is None or scalar in _KEPT or member.type.pointers or member.lengths:
                self._refuse_union(unit, f"its member '{name}' is no number")
            found[name] = scalar
        if len({scalar.bits for scalar in found.values()}) != 1:
            self._refuse_union(unit, "its members are of several sizes")
        return found

    def _parts(self, type_: ast.TypeName) -> Parts | None:
        """The array that a union is which is no number; None for other types."""
        base = base_of(type_)
        if not base.startswith("union ") or type_.pointers:
            return None
        if base not in self._known:
            unit = self.structures.get(base)
            self._known[base] = None if unit is None else parts_of_union(unit, self.structures)
        return self._known[base]

    def _of_parts(self, node: ast.Member) -> ast.Expression | None:
        """A member of a union that is an array; None where it is a member of something else."""
        around = self._around(node)
        parts = None if around is None else self._parts(around.type)
        if around is None or parts is None:
            return None
        unit = self.structures[base_of(around.type)]
        base: ast.Expression = self.node(node.base)
        array = replace(node, base=base, name=replace(node.name, text=parts.name))
        space = tuple(word for word in around.type.qualifiers if word in REGIONS)
        member = member_of_union(array, unit, parts, space, node)
        if member is None:
            known = ", ".join(f"'{one}'" for one in self.members(unit))
            message = f"'{node.base.span.text}' has no member '{node.name.text}'; it has {known}"
            self.complaints.fail("E183", node.name.span, message)
        return member

    def _begun_apart(self, node: ast.Statement) -> Iterator[ast.Statement]:
        """A statement; a union that is an array is given a value for a member behind its declaration."""
        if not isinstance(node, ast.Declaration) or self._parts(node.type) is None:
            yield node
            return
        unit = self.structures[base_of(node.type)]
        for one in node.declarators:
            written = one.initializer
            is_one = one.length is None and not one.pointers and isinstance(written, ast.InitializerList)
            if not is_one or not isinstance(written, ast.InitializerList) or is_zero(written):
                yield replace(node, declarators=(one,))
                continue
            named = written.designators[0] if written.designators else None
            name = named.text if isinstance(named, ast.Name) else next(iter(self.members(unit)))
            member = self.members(unit).get(name)
            is_one = len(written.items) == 1 and not written.rows
            if member is None or member.lengths or not is_one or _is_number_for_vector(written.items[0], member):
                message = "not yet supported: such an initial value of a union of several sizes; assign its members"
                self.complaints.fail("E100", written.span, message)
            words = tuple(word for word in node.type.qualifiers if word != "const")
            bare = replace(one, initializer=None)
            yield replace(node, type=replace(node.type, qualifiers=words), declarators=(bare,))
            span = written.span
            target = ast.Member(ast.Name(one.name.text, span=span), ".", ast.Name(name, span=span), span=span)
            assigned = ast.Assignment("=", target, written.items[0], span=one.span)
            yield ast.ExpressionStatement(assigned, span=one.span)

    def _refuse_union(self, unit: ast.Structure, why: str) -> NoReturn:
        message = (
            f"not yet supported: '{name_of(unit)}': {why}; "
            "unions are of numbers, vectors, arrays of these, and structures of such"
        )
        self.complaints.fail("E100", unit.name.span, message)

    def _carried(self, type_: ast.TypeName) -> ast.TypeName:
        """The type of the integer that a union is; other types as they are."""
        scalars = self._scalars(replace(type_, pointers=()))
        return type_ if scalars is None else replace(type_, base=_carrier(next(iter(scalars.values()))).spelling)

    # --- values ---

    def declarator(self, type_: ast.TypeName, node: ast.Declarator) -> ast.Declarator:
        """A variable; a list is what one of the members of a union begins with. That of an array has unions in it."""
        written = node.initializer
        if node.length is not None or node.pointers or not isinstance(written, ast.InitializerList):
            return super().declarator(type_, node)
        if self._parts(type_) is not None:
            refuse_values(written, self.complaints)
        if self._scalars(type_) is None:
            return super().declarator(type_, node)
        value = self._listed(written, type_)
        return replace(super().declarator(type_, replace(node, initializer=None)), initializer=value)

    def _listed(self, written: ast.InitializerList, type_: ast.TypeName) -> ast.Expression:
        """`{1.0f}` is for the first member, `{.n = 1}` for that of the name."""
        scalars = self._scalars(type_) or {}
        name, value = self._first(written, scalars)
        return _bits(self.node(value), scalars[name]) if written.items else value

    def _first(self, written: ast.InitializerList, scalars: dict[str, Scalar]) -> tuple[str, ast.Expression]:
        """The member that a list is for, and its value."""
        if written.rows or len(written.items) > 1:
            self.complaints.fail("E131", written.span, "the initial value of a union is that of one member")
        name = next(iter(scalars))
        if not written.items:
            return name, ast.NumberLiteral("0", span=written.span)
        if written.designators and isinstance(written.designators[0], ast.Name):
            name = written.designators[0].text
        if name not in scalars:
            known = ", ".join(f"'{one}'" for one in scalars)
            self.complaints.fail("E183", written.span, f"there is no member '{name}'; the union has {known}")
        return name, written.items[0]

    def _of_union(self, node: ast.Member) -> Scalar | None:
        """The type of a member of a union; None where it is a member of something else."""
        around = self._around(node)
        scalars = None if around is None else self._scalars(around.type)
        if scalars is None:
            return None
        if node.name.text not in scalars:
            known = ", ".join(f"'{one}'" for one in scalars)
            message = f"'{node.base.span.text}' has no member '{node.name.text}'; it has {known}"
            self.complaints.fail("E183", node.name.span, message)
        return scalars[node.name.text]

    def _around(self, node: ast.Member) -> Measured | None:
        """The type of what a member is one of; None where that is an array, or not known here."""
        base: ast.Expression = ast.Prefix("*", node.base, span=node.span) if node.operator == "->" else node.base
        # What has no type here is told where it is resolved.
        told, self.complaints = self.complaints, Complaints()
        try:
            around = self.type_of(base)
        except UnresolvedError:
            return None
        finally:
            self.complaints = told
        return None if around.lengths or around.is_passed else around

    def _place(self, node: ast.Member) -> ast.Expression:
        """The integer that the union around a member is."""
        base: ast.Expression = self.node(node.base)
        return ast.Prefix("*", base, span=node.span) if node.operator == "->" else replace(base, span=node.span)

    def _assigned(self, node: ast.Assignment, target: ast.Member, member: Scalar) -> ast.Assignment:
        """An assignment to a member."""
        place, value = self._place(target), self.node(node.value)
        if node.operator != "=":
            self._check_repeated(target)
            value = ast.Infix(node.operator[:-1], _seen(place, member), value, span=node.span)
        return ast.Assignment("=", place, _bits(value, member), span=node.span)

    def _changed(self, node: ast.Prefix | ast.Postfix, target: ast.Member) -> ast.Expression:
        """`++` or `&` of a member."""
        member = self._of_union(target)
        if member is None:
            kept: ast.Expression = super().node(node)
            return kept
        if member is not _carrier(member):
            message = f"not yet supported: '{node.operator}' of a member of a union that is no unsigned integer"
            self.complaints.fail("E100", node.span, message)
        return replace(node, operand=self._place(target))

    def _check_repeated(self, target: ast.Member) -> None:
        """Refuse a place that does something when it is computed: it is computed twice."""
        for part in walk([target]):
            acts = isinstance(part, ast.Call | ast.Assignment | ast.Postfix)
            if acts or (isinstance(part, ast.Prefix) and part.operator in _STEPS):
                message = f"not yet supported: '{target.span.text}' would be computed twice"
                self.complaints.fail("E100", target.span, message)


def _is_number_for_vector(value: ast.Expression, member: Measured) -> bool:
    """Whether a number is to be the value of a vector: compilers differ in whether of all its components."""
    return isinstance(value, ast.NumberLiteral) and VECTOR.fullmatch(member.type.base) is not None


def _carrier(scalar: Scalar) -> Scalar:
    return _CARRIERS[scalar.bits]


def _typed(scalar: Scalar, node: ast.Node) -> ast.TypeName:
    return ast.TypeName((), scalar.spelling, span=node.span)


def _seen(place: ast.Expression, member: Scalar) -> ast.Expression:
    """What the bits of an integer mean as a member."""
    if member.is_floating:
        return ast.Call(ast.Name(f"as_{member.spelling}", span=place.span), (place,), span=place.span)
    return place if member is _carrier(member) else ast.Cast(_typed(member, place), place, span=place.span)


def _bits(value: ast.Expression, member: Scalar) -> ast.Expression:
    """The integer with the bits of a value, as a member."""
    as_member = ast.Cast(_typed(member, value), value, span=value.span)
    carrier = _carrier(member)
    if member.is_floating:
        return ast.Call(ast.Name(f"as_{carrier.spelling}", span=value.span), (as_member,), span=value.span)
    return ast.Cast(_typed(carrier, value), as_member, span=value.span)
