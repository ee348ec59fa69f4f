"""Lists of initial values that say what each is for, `{.b = 1}` and `{[2] = 1}`: the values in their order.

What a list leaves out between them is 0, as it is behind the last one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.literals import constant_integer
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

_LONGEST: Final = 16384


def without_designators(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with all lists in order."""
    members: dict[str, tuple[str, ...]] = {}
    for unit in tree.units:
        if isinstance(unit, ast.Structure):
            declarators = (one for declaration in unit.members for one in declaration.declarators)
            members[f"struct {unit.name.text}"] = tuple(one.name.text for one in declarators)
    found: ast.Litmus = _Ordering(members, complaints).node(tree)
    return found


class _Ordering:
    """Puts the lists of a test in order; `members` are those of each structure type."""

    def __init__(self, members: dict[str, tuple[str, ...]], complaints: Complaints) -> None:
        self._members: Final = members
        self._complaints: Final = complaints

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        match node:
            case ast.Declaration(type_, declarators):
                found = tuple(self._initialised(one, type_, "initializer") for one in declarators)
                return self._parts(replace(node, declarators=found))
            case ast.CompoundLiteral(type_):
                return self._parts(self._initialised(node, type_, "initializer"))
            case ast.InitialValue(type=ast.TypeName() as type_):
                return self._parts(self._initialised(node, type_, "value"))
            case _:
                return self._parts(node)

    def _parts(self, node: ast.Node) -> Any:
        return with_parts(node, self.node)

    def _initialised(self, node: Any, type_: ast.TypeName, field: str) -> Any:
        """A declaration, with the list in its `field` in order."""
        written = getattr(node, field)
        if not isinstance(written, ast.InitializerList):
            return node
        depth = 0 if node.length is None else 1 + len(getattr(node, "inner", ()))
        is_pointer = bool(getattr(node, "pointers", ()) or type_.pointers)
        members = None if is_pointer else self._members.get(" ".join(type_.base.split()))
        try:
            return replace(node, **{field: self._ordered(written, members, depth)})
        except UnresolvedError:
            return replace(node, **{field: replace(written, designators=())})

    def _ordered(
        self, written: ast.InitializerList, members: tuple[str, ...] | None, depth: int
    ) -> ast.InitializerList:
        """A list of the values of an array of `depth` dimensions, or of a structure where that is 0."""
        rows = tuple(self._ordered(row, members, max(0, depth - 1)) for row in written.rows)
        if not written.designators:
            return replace(written, rows=rows)
        values: dict[int, ast.Expression | ast.InitializerList] = {}
        place = 0
        for designator, value in zip(written.designators, rows or written.items, strict=True):
            if designator is not None:
                place = self._place(designator, members, depth)
            if place in values:
                self._complaints.fail("E131", value.span, f"'{value.span.text}': there is a value for this already")
            values[place] = value
            place += 1
        zero = ast.NumberLiteral("0", span=written.span)
        empty = ast.InitializerList((), span=written.span)
        every = range(max(values) + 1)
        if rows:
            listed = [values.get(number, empty) for number in every]
            return ast.InitializerList((), tuple(listed), span=written.span)  # type: ignore[arg-type]  # rows are lists
        items = [values.get(number, zero) for number in every]
        return ast.InitializerList(tuple(items), span=written.span)  # type: ignore[arg-type]  # items are none

    def _place(self, designator: ast.Expression, members: tuple[str, ...] | None, depth: int) -> int:
        """Which of the values of a list a designator means."""
        text = designator.span.text
        if not isinstance(designator, ast.Name):
            if depth == 0:
                self._complaints.fail("E131", designator.span, f"'[{text}]' is for an element, and this is no array")
            found = constant_integer(designator, self._complaints, "the index of an element")
            if not 0 <= found < _LONGEST:
                self._complaints.fail("E137", designator.span, f"there is no element {found}")
            return found
        if depth or members is None:
            self._complaints.fail("E131", designator.span, f"'.{text}' is for a member, and this is no structure")
        if designator.text not in members:
            known = ", ".join(f"'{name}'" for name in members)
            self._complaints.fail("E183", designator.span, f"there is no member '{text}'; the structure has {known}")
        return members.index(designator.text)
