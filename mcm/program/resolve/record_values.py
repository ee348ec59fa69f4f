"""Initial values of structures and vectors: that of each member."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.computed_once import refuse_unknown
from mcm.program.resolve.real_names import where_real
from mcm.program.resolve.record_pointers import null_in
from mcm.program.resolve.record_types import Slot, is_vector, named, places_of, typed
from mcm.program.resolve.spelling import COPIED
from mcm.program.resolve.vectors import Vectors  # noqa: TC001 - as above
from mcm.program.resolve.vectors_in_memory import times
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        if not declarator.pointers and isinstance(written, ast.CompoundLiteral) and self._is_of(written, slots):
            return self._columns(written.initializer, slots, is_array=False)
        if isinstance(written, ast.InitializerList):
            if declarator.pointers and declarator.length is not None:
                return list(self._pointers(written, len(slots)))
            return self._columns(written, slots, is_array=declarator.length is not None)
        if declarator.pointers and (null := null_in(written)) is not None:
            return [null] * len(slots)
        of_vector = not declarator.pointers and is_vector(slots)
        whole = self.vectors.components(written) if of_vector else self.whole(written)
        if of_vector and (whole is not None or not isinstance(written, ast.Call)):
            return list(self.vectors.replicated(written, whole, len(slots)))
        if whole is None:
            if isinstance(written, ast.Call):
                self._refuse_call(written)
            message = "a structure begins with '{…}', another structure, or, for a vector, '(type)(…)'"
            self.complaints.fail("E131", written.span, message)
        if of_vector or declarator.pointers:
            return list(whole)
        return [one if slot.length is not None else copied(one) for slot, one in zip(slots, whole, strict=False)]

    def _pointers(self, written: ast.InitializerList, count: int) -> Iterator[ast.InitializerList]:
        """The initial values of an array of pointers: a list for each member of what they point to."""
        rows: list[list[ast.Expression]] = []
        for item in written.items:
            null = null_in(item)
            row = self.whole(item) if null is None else [null] * count
            if row is None or len(row) != count:
                self.complaints.fail("E131", item.span, f"'{item.span.text}' is no pointer of this type")
            rows.append(row)
        for column in zip(*rows, strict=True):
            yield replace(written, items=column, widths=())

    def _refuse_call(self, call: ast.Call) -> None:
        """Refuse a function that is real, but not supported, or that nothing defines."""
        name = call.function
        if where_real(name.text) is not None:
            self.complaints.fail("E100", name.span, f"not yet supported: the function '{name.text}'")
        refuse_unknown(call, self.vectors.functions, self.complaints)

    def _is_of(self, node: ast.CompoundLiteral, slots: tuple[Slot, ...]) -> bool:
        """Whether an object without a name is a structure with these members."""
        is_one = not node.type.pointers and node.length is None
        return is_one and not is_vector(slots) and self.slots_of(node.type) == slots

    def made(self, node: ast.CompoundLiteral) -> list[ast.Expression] | None:
        """The values of the members of `(struct S){…}`; None where that is no structure."""
        slots = None if node.type.pointers or node.length is not None else self.slots_of(node.type)
        if slots is None or is_vector(slots):
            return None
        if any(slot.length is not None for slot in slots):
            message = "not yet supported: an object without a name of a structure with arrays in it; declare a variable"
            self.complaints.fail("E100", node.span, message)
        found = self._columns(node.initializer, slots, is_array=False)
        return [one for one in found if isinstance(one, ast.Expression)]

    def declarations(
        self, node: ast.Declaration, declarator: ast.Declarator, slots: tuple[Slot, ...]
    ) -> Iterator[ast.Declaration]:
        """A variable of a structure type: one for each member."""
        is_pointer = bool(declarator.pointers)
        if len(declarator.pointers) > 1 and declarator.length is not None:
            message = "not yet supported: an array of pointers to pointers to structures or vectors"
            self.complaints.fail("E100", declarator.span, message)
        for slot, value in zip(slots, self.initial(declarator, slots), strict=True):
            length = declarator.length
            if slot.length is not None and not is_pointer:
                one = ast.NumberLiteral(str(slot.length), span=declarator.span)
                value = listed(value, slot)  # noqa: PLW2901
                length = one if length is None else times(length, slot.length)
            type_ = typed(slot, node.type, declarator.pointers)
            name = named(declarator.name, slot)
            apart = ast.Declarator(name, type_.pointers, length, value, span=declarator.span)
            yield ast.Declaration(replace(type_, pointers=()), (apart,), span=node.span)

    def returned(self, node: ast.Expression, slots: tuple[Slot, ...]) -> tuple[list[ast.Expression], bool]:
        """The members of what a function returns that returns a structure or vector, and whether it is made there."""
        is_made = is_vector(slots) or isinstance(node, ast.CompoundLiteral)
        if is_vector(slots):
            values = self.vectors.replicated(node, self.vectors.components(node), len(slots))
        else:
            made = self.made(node) if isinstance(node, ast.CompoundLiteral) else None
            values = made or self.whole(node) or []
        if len(values) != len(slots):
            message = f"'{node.span.text}' is no structure of the type that is returned"
            self.complaints.fail("E122", node.span, message)
        return values, is_made

    def unnamed(self, node: ast.CompoundLiteral) -> list[ast.Expression] | None:
        """Objects without names for the members of `(struct S){…}`; None where that is no structure."""
        values = self.made(node)
        if values is None:
            return None
        slots = self.slots_of(node.type) or ()
        lists = (ast.InitializerList((one,), span=node.span) for one in values)
        return [
            ast.CompoundLiteral(typed(slot, node.type, ()), one, span=node.span)
            for slot, one in zip(slots, lists, strict=True)
        ]

    def flat(self, written: ast.InitializerList, slots: tuple[Slot, ...]) -> list[ast.Expression]:
        """A value for each member of one structure, and for each element of its members that are arrays."""
        found = self._values(written, slots)
        each = sum(slot.length or 1 for slot in slots)
        if len(found) > each:
            self.complaints.fail("E131", found[each].span, f"{len(found)} values for {each} members")
        return [*found, *[ast.NumberLiteral("0", span=written.span)] * (each - len(found))]

    def _columns(
        self, written: ast.InitializerList, slots: tuple[Slot, ...], *, is_array: bool
    ) -> list[ast.Expression | ast.InitializerList | None]:
        """The initial value of each member, a list for one that has several; what is left out is 0."""
        found = self._values(written, slots)
        each = sum(slot.length or 1 for slot in slots)
        if len(found) > each and not is_array:
            self.complaints.fail("E131", found[each].span, f"{len(found)} values for {each} members")
        zero = ast.NumberLiteral("0", span=written.span)
        count = max(1, -(-len(found) // each))
        columns: list[ast.Expression | ast.InitializerList | None] = []
        for slot, own in zip(slots, places_of(slots), strict=True):
            places = [row * each + place for row in range(count) for place in own]
            column = [found[place] for place in places if place < len(found)] or [zero]
            is_list = is_array or slot.length is not None
            columns.append(ast.InitializerList(tuple(column), span=written.span) if is_list else column[0])
        return columns

    def _values(self, written: ast.InitializerList, slots: tuple[Slot, ...]) -> list[ast.Expression]:
        """A value for each number of a list; those that stand for several are taken apart."""
        if not self.orders_lists:
            self.vectors.check_order(written.items)
        found: list[ast.Expression] = []
        for item, width in zip(written.items, written.widths or (1,) * len(written.items), strict=True):
            if width == 1:
                found.append(self.scalar(item))
                continue
            parts = self.vectors.components(item)
            if parts is None:
                parts = self._members(item, len(found), width, slots)
            if len(parts) != width:
                if isinstance(item, ast.Conditional):
                    # A choice of structures says so itself.
                    self.scalar(item)
                self.complaints.fail("E131", item.span, f"'{item.span.text}' is no value of this type")
            found += parts
        return found

    def _members(self, node: ast.Expression, place: int, width: int, slots: tuple[Slot, ...]) -> list[ast.Expression]:
        """The members of a structure that is copied into a list, those of its members that are arrays one by one."""
        whole = self.whole(node) or []
        place %= sum(slot.length or 1 for slot in slots)
        values: dict[int, ast.Expression] = {}
        parts = iter(whole)
        for slot, places in zip(slots, places_of(slots), strict=True):
            inside = [one for one in places if place <= one < place + width]
            if inside and (part := next(parts, None)) is not None:
                own = slot if len(inside) == len(places) else slot.in_element()
                values.update(zip(inside, map(copied, elements(part, own)), strict=False))
        return [values[number] for number in sorted(values)]


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
        of = copied if slots else _itself
        yield from (ast.Assignment("=", to, of(value), span=node.span) for to, value in pairs)


def copied(node: ast.Expression) -> ast.Expression:
    """A member of a structure that is copied, which needs no value: a structure is never a trap (C 6.2.6.1)."""
    return ast.Call(ast.Name(COPIED, span=node.span), (node,), span=node.span)


def _itself(node: ast.Expression) -> ast.Expression:
    return node


def listed(
    value: ast.Expression | ast.InitializerList | None, slot: Slot
) -> ast.Expression | ast.InitializerList | None:
    """The initial value of a member: of an array that is copied from another one, the list of its elements."""
    if slot.length is None or not isinstance(value, ast.Expression):
        return value
    return ast.InitializerList(tuple(map(copied, elements(value, slot))), span=value.span)


def copied_array(parameter: ast.Parameter, slot: Slot, made: list[ast.Statement]) -> ast.Parameter:
    """The address of a member that is an array, of what is passed by value; `made`: with the array of the function."""
    span = parameter.span
    address = ast.Name(f"{named(parameter.name, slot).text}#passed", span=span)
    length = ast.NumberLiteral(str(slot.length), span=span)
    copy = ast.Declarator(named(parameter.name, slot), (), length, listed(address, slot), span=span)
    made.append(ast.Declaration(slot.type, (copy,), span=span))
    type_ = replace(slot.type, pointers=(*slot.type.pointers, ()))
    return replace(parameter, type=type_, name=address, step=slot.length or 1)


def elements(part: ast.Expression, slot: Slot) -> tuple[ast.Expression, ...]:
    """A member, or the elements of one that is an array: `part` is its beginning then."""
    if slot.length is None:
        return (part,)
    base, offset = (part.left, part.right) if isinstance(part, ast.Infix) else (part, None)
    numbers = (ast.NumberLiteral(str(number), span=part.span) for number in range(slot.length))
    indices = (one if offset is None else ast.Infix("+", offset, one, span=part.span) for one in numbers)
    return tuple(ast.Index(base, index, span=part.span) for index in indices)
