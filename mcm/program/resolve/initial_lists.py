"""Lists of initial values, in the order of what they are for: `{.b = 1}`, `{[2] = 1}`, `{1, {2, 3}}`, `{{1}, {2}}`.

Behind this a list has no lists in it: it names one value after the other, for the members of structures and the
elements of arrays in the order in which these stand. A value that is a vector or a structure is for several, as
`widths` says. What is left out between the values is 0, as it is behind the last one. Inner braces may be left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant_integer, known_constant
from mcm.program.resolve.list_kinds import Kind, Number, Record, Row, Union, Vector, kind_of
from mcm.program.resolve.parted_unions import refuse_values
from mcm.program.resolve.spelling import base_of
from mcm.program.resolve.type_names import is_by_value
from mcm.program.resolve.typed_walk import VECTOR, Measured, TypedWalk
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST: Final = 16384
# Functions of OpenCL C that make a vector of so many components, or a number of vectors.
_LOADED: Final = re.compile(r"vload(?:_half|a_half)?(2|3|4|8|16)")
_OF_VECTORS: Final = frozenset({"dot", "length", "distance", "fast_length", "fast_distance", "any", "all"})


def without_nested_lists(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with all lists in order."""
    return _Ordering(tree, complaints).test(tree)


class _Ordering(TypedWalk):
    """Puts the lists of a test in order."""

    def __init__(self, tree: ast.Litmus, complaints: Complaints) -> None:
        super().__init__(tree, complaints)
        self._count = 0
        self._given: Final[dict[str, ast.Parameter]] = {}
        for unit in tree.units:
            if not isinstance(unit, ast.Structure | ast.Launch | ast.FileVariables | ast.Function):
                self._given.update((one.name.text, one) for one in unit.parameters)

    def test(self, tree: ast.Litmus) -> ast.Litmus:
        """The whole test."""
        initial = tuple(self._initial(item) if isinstance(item, ast.InitialValue) else item for item in tree.initial)
        return super().test(replace(tree, initial=initial))

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        if (apart := self._apart(node)) is not None:
            return super().node(apart)
        found = super().node(node)
        if isinstance(found, ast.CompoundLiteral):
            lengths = () if found.length is None else (None if found.is_counted else found.length,)
            return self._ordered(found, found.type, lengths, "initializer")
        return found

    def _apart(self, node: ast.Node) -> ast.Block | None:
        """`s = (struct S){…};` and `return (struct S){…};` with a variable for the object, where it has arrays."""
        match node:
            case ast.ExpressionStatement(ast.Assignment("=", target, ast.CompoundLiteral() as made)):
                if any(_acts(part) for part in walk([target])):
                    return None
            case ast.Return(ast.CompoundLiteral() as made):
                pass
            case _:
                return None
        kind = kind_of(made.type, () if made.length is None else (made.length,), self.structures)
        if not isinstance(kind, Record) or not any(isinstance(one, Row | Record) for one in kind.kinds):
            return None
        self._count += 1
        name = ast.Name(f"#made{self._count}", span=made.span)
        variable = ast.Declarator(name, initializer=made.initializer, span=made.span)
        if isinstance(node, ast.Return):
            after: ast.Statement = replace(node, value=name)
        else:
            assert isinstance(node, ast.ExpressionStatement)
            assert isinstance(node.expression, ast.Assignment)
            after = replace(node, expression=replace(node.expression, value=name))
        return ast.Block((ast.Declaration(made.type, (variable,), span=made.span), after), span=node.span)

    def declarator(self, type_: ast.TypeName, node: ast.Declarator) -> ast.Declarator:
        """A variable."""
        found = super().declarator(type_, node)
        lengths: Sequence[ast.Expression | None] = () if found.length is None else (found.length, *found.inner)
        if found.is_counted:
            lengths = (None, *lengths[1:])
        whole = replace(type_, pointers=(*type_.pointers, *found.pointers))
        ordered: ast.Declarator = self._ordered(found, whole, lengths, "initializer")
        return ordered

    def _initial(self, item: ast.InitialValue) -> ast.InitialValue:
        """An item of the initial state, whose type may stand where a kernel is given it."""
        given = self._given.get(item.name.text)
        type_ = item.type or (None if given is None else given.type)
        written = item.value
        is_image = given is not None and given.type.base.startswith("image")
        if type_ is None or not isinstance(written, ast.InitializerList) or is_image:
            self._refuse_mixed(written)
            return item
        lengths: Sequence[ast.Expression | None] = () if item.length is None else (item.length, *item.inner)
        if item.is_counted:
            lengths = (None, *lengths[1:])
        stars = (*type_.pointers, *((),) * item.pointers)
        if item.type is None and stars:
            stars = stars[1:]
        type_ = replace(type_, pointers=stars)
        kind = kind_of(type_, (), self.structures)
        is_value = given is not None and is_by_value(given)
        has_more = bool(written.rows) or (isinstance(kind, Record) and len(written.items) > kind.width)
        if not lengths and isinstance(kind, Record) and has_more and not is_value:
            # A list for each of several structures.
            lengths = (None,)
        ordered: ast.InitialValue = self._ordered(item, type_, lengths, "value")
        return ordered

    def _refuse_mixed(self, written: ast.Expression | ast.InitializerList | None) -> None:
        for row in written.rows if isinstance(written, ast.InitializerList) else ():
            if row.is_bare:
                self.complaints.error("E131", row.span, f"found the value '{row.span.text}' among lists of values")
            self._refuse_mixed(row)

    def _ordered(self, node: Any, type_: ast.TypeName, lengths: Sequence[ast.Expression | None], field: str) -> Any:
        """A declaration, with the list in its `field` in order."""
        written = getattr(node, field)
        if not isinstance(written, ast.InitializerList):
            return node
        kind = kind_of(type_, lengths, self.structures)
        is_in_order = isinstance(kind, Row) and kind.is_of_numbers and not (written.rows or written.designators)
        try:
            if isinstance(kind, Union) and kind.width > 1 and field == "value":
                refuse_values(written, self.complaints)
            if is_in_order or isinstance(kind, Number | Vector | Union | None):
                # The list of a union or a vector is looked at where these are.
                self._refuse_mixed(written)
                return node
            filling = _Filling(self, is_text=field == "value")
            filling.braced(kind, written, 0)
        except UnresolvedError:
            return replace(node, **{field: ast.InitializerList((), span=written.span)})
        node = replace(node, **{field: filling.listed(written)})
        if not isinstance(kind, Row) or kind.length is not None:
            return node
        count = -(-filling.end // kind.of.width)
        where = written if node.length is None else node.length
        return replace(node, length=ast.NumberLiteral(str(count), span=where.span))

    def type_in_list(self, node: ast.Expression) -> Measured | None:
        """The type of a value; None where it is not known, and no structure."""
        told, self.complaints = self.complaints, Complaints()
        try:
            return self.type_of(node)
        except UnresolvedError:
            if not isinstance(node, ast.Call) or node.function.text in _OF_VECTORS:
                return None
            loaded = _LOADED.fullmatch(node.function.text)
            if loaded is not None:
                return Measured(ast.TypeName((), f"float{loaded[1]}", span=node.span))
            # Most functions of vectors give a vector of the same size.
            known = map(self.type_in_list, node.arguments)
            return next((one for one in known if one is not None and VECTOR.fullmatch(one.type.base)), None)
        finally:
            self.complaints = told


class _Filling:
    """What is gathered of one list: values and their widths, by the place that they are for."""

    def __init__(self, around: _Ordering, *, is_text: bool) -> None:
        self._around: Final = around
        # Of the initial state of a litmus test, which is no C.
        self._is_text: Final = is_text
        self._found: Final[dict[int, tuple[ast.Expression, int]]] = {}
        self.end = 0

    def listed(self, written: ast.InitializerList) -> ast.InitializerList:
        """All values in order; what is left out is 0."""
        items: list[ast.Expression] = []
        widths: list[int] = []
        place = 0
        last = max(self._found, default=-1)
        while place <= last:
            item, width = self._found.get(place, (ast.NumberLiteral("0", span=written.span), 1))
            items.append(item)
            widths.append(width)
            place += width
        has_wide = any(width > 1 for width in widths)
        return ast.InitializerList(tuple(items), widths=tuple(widths) if has_wide else (), span=written.span)

    def _fail(self, code: str, node: ast.Node, message: str) -> None:
        self._around.complaints.fail(code, node.span, message)

    def _put(self, place: int, value: ast.Expression, width: int) -> None:
        for other in range(place, place + width):
            if other in self._found:
                self._fail("E131", value, f"'{value.span.text}': there is a value for this already")
        self._found[place] = value, width
        self.end = max(self.end, place + width)

    def braced(self, kind: Kind, written: ast.InitializerList, place: int) -> None:
        """A list in braces of its own, for what begins at a place."""
        values: tuple[ast.Expression | ast.InitializerList, ...] = written.rows or written.items
        if isinstance(kind, Vector):
            self._put(place, ast.CompoundLiteral(kind.type, written, span=written.span), kind.width)
            return
        if isinstance(kind, Union):
            if kind.width > 1:
                refuse_values(written, self._around.complaints)
            else:
                self._put(place, ast.CompoundLiteral(kind.type, written, span=written.span), 1)
            return
        if isinstance(kind, Number):
            if len(values) > 1 or written.designators:
                self._fail("E131", written, f"a number has one initial value, found '{written.span.text}'")
            for one in values:
                self._one(kind, one, place)
            return
        self.end = max(self.end, place)
        at = number = 0
        designators = written.designators or (None,) * len(values)
        while at < len(values):
            designator = designators[at]
            if designator is not None:
                number = self._named(designator, kind)
            self._check(kind, number, values[at], len(values))
            part, begin = _part(kind, number)
            if isinstance(kind, Row):
                self.end = max(self.end, place + begin + 1)
            at = self._taken(part, values, designators, at, place + begin)
            number += 1

    def _one(self, kind: Kind, value: ast.Expression | ast.InitializerList, place: int) -> None:
        if isinstance(value, ast.InitializerList) and not value.is_bare:
            self.braced(kind, value, place)
        else:
            self._put(place, _bare(value), kind.width)

    def _taken(
        self,
        kind: Kind,
        values: Sequence[ast.Expression | ast.InitializerList],
        designators: Sequence[ast.Expression | None],
        at: int,
        place: int,
    ) -> int:
        """Give a part the values from one on, a list of its own or as many as it takes; how far these go."""
        value = values[at]
        if isinstance(value, ast.InitializerList) and not value.is_bare:
            self.braced(kind, value, place)
            return at + 1
        bare = _bare(value)
        if isinstance(kind, Number):
            self._put(place, bare, 1)
            return at + 1
        if isinstance(kind, Union) and kind.width > 1 and not self._is(kind, bare):
            rest = ast.InitializerList(tuple(map(_bare, values[at:])), span=bare.span)
            refuse_values(rest, self._around.complaints)
            return len(values)
        if isinstance(kind, Union):
            self._put(place, bare if self._is(kind, bare) else _alone(kind, bare), kind.width)
            return at + 1
        if self._is(kind, bare):
            if isinstance(bare, ast.CompoundLiteral) and not isinstance(kind, Vector):
                self.braced(kind, bare.initializer, place)
            else:
                self._put(place, bare, kind.width)
            return at + 1
        if isinstance(kind, Vector) and not self._is_text and known_constant(bare) != 0:
            # Compilers differ in whether it is for all components or for the first one.
            message = f"'{bare.span.text}' is for a vector: write '({kind.type.base})(…)', or its components in braces"
            self._fail("E131", bare, message)
        number, count = 0, _count(kind)
        while at < len(values) and number < (count or _LONGEST):
            if number and designators[at] is not None:
                break
            part, begin = _part(kind, number)
            at = self._taken(part, values, designators, at, place + begin)
            number += 1
        return at

    def _is(self, kind: Kind, value: ast.Expression) -> bool:
        """Whether a value is a whole vector, union or structure of this kind."""
        if isinstance(kind, Number | Row):
            return False
        found = self._around.type_in_list(value)
        if found is None or found.lengths or found.is_passed or found.type.pointers:
            return False
        base = base_of(found.type)
        match kind:
            case Record(name):
                return base == name
            case Union(type_):
                return base == type_.base
            case Vector(_, width):
                vector = VECTOR.fullmatch(base)
                return vector is not None and int(vector["size"]) == width

    def _named(self, designator: ast.Expression, kind: Record | Row) -> int:
        """Which of the parts a designator means."""
        text = designator.span.text
        if not isinstance(designator, ast.Name):
            if not isinstance(kind, Row):
                self._fail("E131", designator, f"'[{text}]' is for an element, and this is no array")
            found = constant_integer(designator, self._around.complaints, "the index of an element")
            if not 0 <= found < _LONGEST:
                self._fail("E137", designator, f"there is no element {found}")
            return found
        if isinstance(kind, Row):
            message = f"'.{text}' is for a member, and this is no structure"
            self._around.complaints.fail("E131", designator.span, message)
        if designator.text not in kind.members:
            known = ", ".join(f"'{name}'" for name in kind.members)
            self._fail("E183", designator, f"there is no member '{text}'; the structure has {known}")
        return kind.members.index(designator.text)

    def _check(self, kind: Record | Row, number: int, value: ast.Expression | ast.InitializerList, given: int) -> None:
        """Complain of a value that is for nothing."""
        count = _count(kind)
        if count is None or number < count:
            return
        given = max(given, number + 1)
        message = f"{given} values for {count} members"
        if isinstance(kind, Row):
            message = f"{given} initial values for {count} elements"
        self._fail("E131", value, message)


def _count(kind: Kind) -> int | None:
    """How many parts something has; None where that is not known yet."""
    match kind:
        case Record(_, members):
            return len(members)
        case Row(_, length):
            return length
        case _:
            return kind.width


def _part(kind: Kind, number: int) -> tuple[Kind, int]:
    """A part of something, and where it begins in it."""
    match kind:
        case Record(_, _, kinds, places):
            return kinds[number], places[number]
        case Row(of):
            return of, number * of.width
        case _:
            return Number(), number


def _acts(node: ast.Node) -> bool:
    """Whether something happens where a part of an expression is evaluated."""
    steps = isinstance(node, ast.Prefix) and node.operator in {"++", "--"}
    return steps or isinstance(node, ast.Assignment | ast.Call | ast.Postfix)


def _bare(value: ast.Expression | ast.InitializerList) -> ast.Expression:
    return value.items[0] if isinstance(value, ast.InitializerList) else value


def _alone(kind: Union, value: ast.Expression) -> ast.Expression:
    """A union whose first member has a value."""
    return ast.CompoundLiteral(kind.type, ast.InitializerList((value,), span=value.span), span=value.span)
