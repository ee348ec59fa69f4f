"""Arrays of several dimensions, laid out in one: `t[i][j]` of `int t[4][5]` is element `i * 5 + j`.

C lays them out so, row behind row. What is left of `t[i]` is the address of a row. An index that leaves its row is not
told from one of the next row, unless it is a constant.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.literals import written_integer
from mcm.program.resolve.mentions import is_record
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

_LENGTH: Final = "the length of an array"

# The lengths of an array behind the first; None for any other variable.
Shape = tuple[int, ...] | None


def without_dimensions(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with every such array in one dimension, which knows the `shape` that it had."""
    flattening = _Flattening(complaints)
    for unit in tree.units:
        if isinstance(unit, ast.Structure):
            flattening.add_members(unit)
        elif not isinstance(unit, ast.Launch | ast.FileVariables):
            flattening.records.update(one.name.text for one in unit.parameters if is_record(one.type.base))
            # A texel of several channels is a vector; images are laid out where their sizes are asked for.
            flattening.records.update(one.name.text for one in unit.parameters if one.type.base.startswith("image"))
    initial = tuple(flattening.initial(item) for item in tree.initial)
    return replace(tree, initial=initial, units=tuple(map(flattening.unit, tree.units)))


class _Flattening:
    """What is known while a test is walked over: the variables in scope, and members of structures by their names."""

    def __init__(self, complaints: Complaints) -> None:
        self._complaints: Final = complaints
        self._scopes: list[dict[str, Shape]] = [{}]
        self._members: dict[str, Shape] = {}
        self._is_record = False
        # Parameters that are structures or arrays of these: a list of lists says what is in each.
        self.records: Final[set[str]] = set()

    def add_members(self, unit: ast.Structure) -> None:
        """Note which members of a structure are such arrays."""
        for declarator in (one for declaration in unit.members for one in declaration.declarators):
            name, shape = declarator.name.text, self._shape(declarator)
            if self._members.setdefault(name, shape) != shape:
                message = f"not yet supported: members of two structures with the name '{name}', as different arrays"
                self._complaints.error("E100", declarator.span, message)

    def initial(self, item: ast.InitialItem) -> ast.InitialItem:
        """An item of the initial state."""
        if not isinstance(item, ast.InitialValue) or item.name.text in self.records:
            return item
        found: ast.InitialValue = self._flat(item, item.value, "value")
        return found

    def unit(self, unit: ast.Unit) -> ast.Unit:
        """A thread, a kernel, a function, a structure and so on."""
        self._scopes = [{}]
        found: ast.Unit = self._node(unit)
        return found

    # --- declarations ---

    def _shape(self, item: ast.Declarator | ast.Parameter | ast.InitialValue) -> Shape:
        try:
            lengths = [constant_integer(length, self._complaints, _LENGTH) for length in item.inner]
        except UnresolvedError:
            lengths = [1] * len(item.inner)
        for length, node in zip(lengths, item.inner, strict=True):
            if length < 1:
                self._complaints.error("E132", node.span, f"an array has 1 element or more, found {length}")
        return tuple(max(1, length) for length in lengths) or None

    def _flat(self, item: Any, written: ast.Expression | ast.InitializerList | None, field: str) -> Any:
        """A declaration, with `written` in its `field` as initial value."""
        if item.length is None and item.inner:
            return self._of_rows(item)
        if item.length is None or not item.inner:
            if isinstance(written, ast.InitializerList) and written.rows and not self._is_record:
                message = f"'{item.name.text}' has one dimension, found a list of lists"
                self._complaints.error("E131", written.span, message)
                return replace(item, **{field: None})
            return item
        shape = self._shape(item) or ()
        amount = ast.NumberLiteral(str(prod(shape)), span=item.inner[0].span)
        length = ast.Infix("*", item.length, amount, span=item.length.span)
        if isinstance(written, ast.InitializerList) and written.rows:
            item = replace(item, **{field: replace(written, items=tuple(self._rows(written, shape)), rows=())})
        return replace(item, length=length, inner=(), shape=shape)

    def _of_rows(self, item: Any) -> Any:
        """A pointer to arrays: one to the elements of these, which moves by as many."""
        if isinstance(item, ast.Parameter):
            return replace(item, type=replace(item.type, pointers=(*item.type.pointers, ())), inner=())
        return replace(item, pointers=(*item.pointers, ()), inner=())

    def _rows(self, written: ast.InitializerList, shape: tuple[int, ...]) -> list[ast.Expression]:
        """The values of all elements; what a row leaves out is 0."""
        found: list[ast.Expression] = []
        for row in written.rows:
            size = prod(shape)
            if row.rows and len(shape) < 2:
                self._complaints.error("E131", row.span, "a list of lists is nested deeper than the array")
                return found
            values = self._rows(row, shape[1:]) if row.rows else list(row.items)
            if len(values) > size:
                message = f"{len(values)} initial values for a row of {size}"
                self._complaints.error("E131", values[size].span, message)
            zeros = [ast.NumberLiteral("0", span=row.span)] * (size - len(values))
            found += (*values[:size], *zeros)
        return found

    # --- bodies ---

    def _node(self, node: ast.Node) -> Any:
        match node:
            case ast.Block() | ast.For() | ast.Function() | ast.Kernel() | ast.Thread() | ast.Callback():
                self._scopes.append({})
                try:
                    return with_parts(node, self._node)
                finally:
                    self._scopes.pop()
            case ast.Declaration(type_):
                self._is_record = is_record(type_.base)
                try:
                    return with_parts(node, self._node)
                finally:
                    self._is_record = False
            case ast.Declarator() | ast.Parameter():
                self._scopes[-1][node.name.text] = self._shape(node)
                inner = with_parts(node, self._node)
                return self._flat(inner, getattr(inner, "initializer", None), "initializer")
            case ast.Index():
                return self._index(node)
            case ast.Infix("-", left, right) if self._missing(left) > 1 and self._missing(right) > 1:
                apart = ast.Infix("-", self._node(left), self._node(right), span=node.span)
                return ast.Infix("/", apart, self._step(left, node), span=node.span)
            case ast.Infix("+", left, right) if self._missing(right) > 1:
                return self._node(replace(node, left=right, right=left))
            case ast.Infix("+" | "-", left, right) if self._missing(left) > 1:
                return replace(node, left=self._node(left), right=self._scaled(self._node(right), left))
            case ast.Assignment("+=" | "-=", target, value) if self._missing(target) > 1:
                return replace(node, target=self._node(target), value=self._scaled(self._node(value), target))
            case ast.Prefix("++" | "--" as sign, operand) if self._missing(operand) > 1:
                return ast.Assignment(f"{sign[0]}=", self._node(operand), self._step(operand, node), span=node.span)
            case ast.Postfix(sign, operand) if self._missing(operand) > 1:
                # What it was before: what it is now, moved back.
                step = self._step(operand, node)
                moved = ast.Assignment(f"{sign[0]}=", self._node(operand), step, span=node.span)
                return ast.Infix("-" if sign == "++" else "+", moved, step, span=node.span)
            # The address of a row is that of its first element.
            case ast.Prefix("*", operand) if self._missing(operand) > 1:
                return self._node(operand)
            case ast.Prefix("&", operand) if self._missing(operand):
                return self._node(operand)
            case _:
                return with_parts(node, self._node)

    def _shape_of(self, name: str) -> Shape:
        return next((scope[name] for scope in reversed(self._scopes) if name in scope), None)

    def _missing(self, node: ast.Expression) -> int:
        """How many indices an expression lacks to be an element of an array of several dimensions."""
        match node:
            case ast.Index(base) | ast.Prefix("*", base):
                return max(0, self._missing(base) - 1)
            case ast.Infix("+" | "-", left, right):
                one, other = self._missing(left), self._missing(right)
                # Two of them have a number between them.
                return 0 if one and other else max(one, other)
            case ast.Assignment(_, operand) | ast.Prefix("++" | "--", operand) | ast.Postfix(_, operand):
                return self._missing(operand)
            case _:
                shape = self._known(node)
                return 0 if shape is None else 1 + len(shape)

    def _index(self, node: ast.Index) -> ast.Expression:
        """`t[i][j]`, or an address where indices are left out."""
        indices: list[ast.Expression] = []
        base: ast.Expression = node
        while (inner := self._unwound(base, indices)) is not None:
            base = inner
        shape = self._shape_behind(base) if self._missing(base) > 1 else None
        indices = [self._node(index) for index in indices]
        base = self._node(base)
        if shape is None:
            for index in indices:
                base = ast.Index(base, index, span=node.span)
            return base
        count = 1 + len(shape)
        self._check(indices[1:count], shape, base)
        flat = _flat_index(indices[:count], shape)
        if len(indices) < count:
            return ast.Infix("+", base, flat, span=node.span)
        found: ast.Expression = ast.Index(base, flat, span=node.span)
        for index in indices[count:]:
            found = ast.Index(found, index, span=node.span)
        return found

    def _unwound(self, base: ast.Expression, indices: list[ast.Expression]) -> ast.Expression | None:
        """What an index is behind, put before the others: `(*t)[j]` is `t[0][j]`, and `(t + i)[j]` `t[i + j]`."""
        match base:
            case ast.Index(inner, index):
                indices.insert(0, index)
            case ast.Prefix("*", inner) if self._missing(inner) > 1:
                indices.insert(0, ast.NumberLiteral("0", span=base.span))
            case ast.Infix("+" | "-" as sign, inner, by) if self._missing(inner) > 1:
                is_first = written_integer(indices[0]) == 0
                if sign == "-":
                    by = ast.Prefix("-", ast.Cast(_long(by), by, span=by.span), span=by.span)
                indices[0] = by if is_first else ast.Infix("+", by, indices[0], span=base.span)
            case _:
                return None
        return inner

    def _shape_behind(self, node: ast.Expression) -> Shape:
        """The lengths of the array that something points to, which lacks an index for each and one more."""
        while True:
            match node:
                case ast.Index(inner) | ast.Prefix(_, inner) | ast.Postfix(_, inner) | ast.Assignment(_, inner):
                    node = inner
                case ast.Infix(_, left, right):
                    node = left if self._missing(left) else right
                case _:
                    return self._known(node)

    def _step(self, pointer: ast.Expression, node: ast.Expression) -> ast.Expression:
        """How many elements a pointer to arrays moves by."""
        lengths = (self._shape_behind(pointer) or ())[1 - self._missing(pointer) :]
        return ast.NumberLiteral(str(prod(lengths)), span=node.span)

    def _scaled(self, by: ast.Expression, pointer: ast.Expression) -> ast.Expression:
        """So many arrays, as elements. Computed wider than any index."""
        wide = ast.Cast(_long(by), by, span=by.span)
        return ast.Infix("*", wide, self._step(pointer, by), span=by.span)

    def _known(self, base: ast.Expression) -> Shape:
        match base:
            case ast.Name(text):
                return self._shape_of(text)
            case ast.Member(_, _, ast.Name(text)):
                return self._members.get(text)
            case _:
                return None

    def _check(self, indices: list[ast.Expression], shape: tuple[int, ...], base: ast.Expression) -> None:
        """Refuse a constant index that leaves its row."""
        for index, size in zip(indices, shape, strict=False):
            number = written_integer(index)
            if number is not None and number >= size:
                message = f"a row of '{base.span.text}' has {size} elements, there is no element {number}"
                self._complaints.error("E137", index.span, message)


def _long(node: ast.Expression) -> ast.TypeName:
    return ast.TypeName((), "long", span=node.span)


def _flat_index(indices: list[ast.Expression], shape: tuple[int, ...]) -> ast.Expression:
    """`(i * m + j) * n + k`; with fewer indices, that of the beginning of a row. Computed wider than any index."""
    total: ast.Expression | None = None
    span = Span(indices[0].span.source, indices[0].span.start, indices[-1].span.end)
    for number in range(1 + len(shape)):
        if total is not None:
            amount = ast.NumberLiteral(str(shape[number - 1]), span=span)
            total = ast.Infix("*", total, amount, span=span)
        if number < len(indices):
            index = indices[number]
            if not isinstance(index, ast.NumberLiteral):
                index = ast.Cast(_long(index), index, span=index.span)
            total = index if total is None else ast.Infix("+", total, index, span=span)
    assert total is not None
    return total
