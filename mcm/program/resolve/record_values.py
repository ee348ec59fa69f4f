"""Initial values of structures and vectors: that of each member."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.literals import written_integer
from mcm.program.resolve.real_names import is_real
from mcm.program.resolve.record_types import Slot, is_vector
from mcm.program.resolve.vectors import Vectors  # noqa: TC001 - as above
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints


class RecordValues(Struct, frozen=True):
    """How initial values are taken apart.

    `vectors` takes vectors apart, `whole` gives the members of an expression that is a structure, `scalar` takes apart
    what is in any other expression; `slots_of` are the members of a type, None for other types. `orders_lists` is that
    of the dialect.
    """

    vectors: Vectors
    whole: Callable[[ast.Expression], list[ast.Expression] | None]
    scalar: Callable[[ast.Expression], ast.Expression]
    slots_of: Callable[[ast.TypeName], tuple[Slot, ...] | None]
    complaints: Complaints
    orders_lists: bool

    def initial(
        self, declarator: ast.Declarator, slots: tuple[Slot, ...]
    ) -> list[ast.Expression | ast.InitializerList | None]:
        """The initial value of each member."""
        written = declarator.initializer
        if written is None:
            return [None] * len(slots)
        if isinstance(written, ast.InitializerList):
            if written.rows and declarator.length is not None and not any(slot.length for slot in slots):
                return self._columns(written, slots)
            if written.rows or declarator.length is not None or any(slot.length is not None for slot in slots):
                if _is_zero(written) and not declarator.pointers:
                    return [_zeros(written, is_array=bool(slot.length or declarator.length)) for slot in slots]
                message = "not yet supported: initial values of a structure with arrays, or of an array of structures"
                self.complaints.fail("E100", written.span, message)
            return self._listed(written.items, slots, written.span)
        if isinstance(written, ast.CompoundLiteral) and not declarator.pointers:
            made = self.made(written)
            if made is not None and len(made) == len(slots):
                return list(made)
        if declarator.pointers and _is_null(written):
            return [written] * len(slots)
        of_vector = not declarator.pointers and is_vector(slots)
        whole = self.vectors.components(written) if of_vector else self.whole(written)
        if of_vector and (whole is not None or not isinstance(written, ast.Call)):
            return list(self.vectors.replicated(written, whole, len(slots)))
        if whole is None:
            if isinstance(written, ast.Call) and is_real(name := written.function.text):
                self.complaints.fail("E100", written.function.span, f"not yet supported: the function '{name}'")
            message = "a structure begins with '{…}', another structure, or, for a vector, '(type)(…)'"
            self.complaints.fail("E131", written.span, message)
        return list(whole)

    def made(self, node: ast.CompoundLiteral) -> list[ast.Expression] | None:
        """The values of the members of `(struct S){…}`; None where that is no structure."""
        slots = None if node.type.pointers or node.length is not None else self.slots_of(node.type)
        if slots is None or is_vector(slots):
            return None
        if node.initializer.rows or any(slot.length is not None for slot in slots):
            message = "not yet supported: an object without a name of a structure with arrays or structures in it"
            self.complaints.fail("E100", node.span, message)
        listed = self._listed(node.initializer.items, slots, node.span)
        return [one for one in listed if isinstance(one, ast.Expression)]

    def _columns(
        self, written: ast.InitializerList, slots: tuple[Slot, ...]
    ) -> list[ast.Expression | ast.InitializerList | None]:
        """The initial values of an array, a list for each of its elements."""
        rows = [self._listed(row.items, slots, row.span) for row in written.rows]
        columns = [
            tuple(one for one in column if isinstance(one, ast.Expression)) for column in zip(*rows, strict=True)
        ]
        return [replace(written, items=column, rows=()) for column in columns]

    def _listed(
        self, items: tuple[ast.Expression, ...], slots: tuple[Slot, ...], span: Span
    ) -> list[ast.Expression | ast.InitializerList | None]:
        """Values by position; a vector of one value has it in each component, and what is left out of a list is 0."""
        if len(items) > len(slots):
            self.complaints.fail("E131", items[len(slots)].span, f"{len(items)} values for {len(slots)} members")
        if not self.orders_lists:
            self.vectors.check_order(items)
        values: list[ast.Expression | ast.InitializerList | None] = [self.scalar(item) for item in items]
        return values + [ast.NumberLiteral("0", span=span)] * (len(slots) - len(values))


# --- structures as wholes ---------------------------------------------------------------------------------------------


def copies(
    node: ast.Assignment,
    target: list[ast.Expression],
    source: list[ast.Expression],
    slots: tuple[Slot, ...],
    vectors: Vectors,
) -> Iterator[ast.Expression]:
    """The assignment of a structure: one for each member, and for each element of members that are arrays.

    Of pointers there are no `slots`.
    """
    if any(slot.length for slot in slots):
        # Each element is written down with the index.
        for part in (node.target, node.value):
            if isinstance(part, ast.Index):
                vectors.repeated(part.index, 2)
    for number, (one, other) in enumerate(zip(target, source, strict=True)):
        pairs = (
            zip(elements(one, slots[number]), elements(other, slots[number]), strict=True) if slots else [(one, other)]
        )
        yield from (ast.Assignment("=", to, value, span=node.span) for to, value in pairs)


def _is_null(node: ast.Expression) -> bool:
    """Whether an expression is a null pointer as it is mostly written."""
    return (isinstance(node, ast.NumberLiteral) and node.text == "0") or (
        isinstance(node, ast.Name) and node.text == "NULL"
    )


def _is_zero(written: ast.InitializerList) -> bool:
    """Whether all values of a list are written as 0, as in `{0}`."""
    return all(written_integer(item) == 0 for item in written.items) and all(map(_is_zero, written.rows))


def _zeros(written: ast.InitializerList, *, is_array: bool) -> ast.Expression | ast.InitializerList:
    zero = ast.NumberLiteral("0", span=written.span)
    return ast.InitializerList((zero,), span=written.span) if is_array else zero


def listed(
    value: ast.Expression | ast.InitializerList | None, slot: Slot
) -> ast.Expression | ast.InitializerList | None:
    """The initial value of a member: of an array that is copied from another one, the list of its elements."""
    if slot.length is None or not isinstance(value, ast.Expression):
        return value
    return ast.InitializerList(elements(value, slot), span=value.span)


def elements(part: ast.Expression, slot: Slot) -> tuple[ast.Expression, ...]:
    """A member, or the elements of one that is an array: `part` is its beginning then."""
    if slot.length is None:
        return (part,)
    base, offset = (part.left, part.right) if isinstance(part, ast.Infix) else (part, None)
    numbers = (ast.NumberLiteral(str(number), span=part.span) for number in range(slot.length))
    indices = (one if offset is None else ast.Infix("+", offset, one, span=part.span) for one in numbers)
    return tuple(ast.Index(base, index, span=part.span) for index in indices)
