"""Memory of numbers that is accessed as vectors or structures, through a pointer: `((global float4*)p)[i]`.

Each component of a vector is the element that it is of the numbers, as with `vload4(i, p)` and `vstore4(v, i, p)`. Each
member of a structure is a number at its byte, `*(global uint*)((global uchar*)p + 4)`. A variable for such a pointer
keeps the address of the numbers, or of the bytes, under a name that no program uses.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints  # noqa: TC001 - as above
from mcm.program.resolve.record_pointers import is_null
from mcm.program.resolve.record_types import RecordTypes, Shape, Slot, is_vector, typed
from mcm.program.resolve.spelling import ALIGNED
from mcm.program.resolve.vectors_in_memory import times
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span

_MOVES: Final = {"+=": "+", "-=": "-", "++": "+", "--": "-"}
_COMPARED: Final = frozenset({"==", "!=", "<", ">", "<=", ">="})
_BYTE: Final = "uchar"


class _View(Struct, frozen=True):
    """An address of numbers, or of bytes, that is one of vectors or structures.

    `type` is that of the pointer, and `step` how many of these numbers lie between two elements; `places` are the bytes
    of members of a structure, None of vectors.
    """

    address: ast.Expression
    type: ast.TypeName
    slots: tuple[Slot, ...]
    step: int
    places: tuple[int, ...] | None


class RecordViews(Struct, frozen=True):
    """The accesses of a test to numbers as vectors or structures.

    `shape_of` is what is known of a variable, `whole` gives the members of an expression that is a structure or a
    pointer to one, `scalar` takes apart what is in any other, and `repeated` what is computed so often; `blocks` are
    those around the statement at hand.
    """

    shape_of: Callable[[str], Shape | None]
    types: RecordTypes
    whole: Callable[[ast.Expression], list[ast.Expression] | None]
    scalar: Callable[[ast.Expression], ast.Expression]
    repeated: Callable[[ast.Expression, int], ast.Expression]
    complaints: Complaints
    blocks: list[ast.Block] = field(default_factory=list)

    def declared(self, node: ast.Declaration, declarator: ast.Declarator) -> tuple[Shape, ast.Declaration] | None:
        """A variable for such an address, `float* v = (float*)p` for `float4* v = (float4*)p`; None for others."""
        value = declarator.initializer
        if len(declarator.pointers) != 1 or declarator.length is not None or isinstance(value, ast.InitializerList):
            return None
        is_later = value is None or is_null(value)
        values = self._given_later(declarator.name) if is_later else [value]
        slots = self.types.slots_of(node.type)
        view = next((one for each in values if each and (one := self.view(each)) and one.slots == slots), None)
        if view is None:
            return None
        type_ = replace(node.type, base=_BYTE if view.places else view.slots[0].type.base)
        begun = replace(declarator, name=_hidden(declarator.name), initializer=value if is_later else view.address)
        made = ast.Declaration(type_, (begun,), span=node.span)
        written = replace(node.type, pointers=declarator.pointers)
        return Shape(view.slots, is_pointer=True, is_array=False, viewed=written), made

    def _given_later(self, name: ast.Name) -> Iterator[ast.Expression]:
        """What a variable of the block at hand is assigned in it."""
        for node in walk(self.blocks[-1:]):
            match node:
                case ast.Assignment("=", ast.Name(text), value) if text == name.text:
                    yield value

    def parameter(self, parameter: ast.Parameter) -> tuple[Shape, ast.Parameter]:
        """A parameter that is given such an address, for one that is a pointer to vectors or structures."""
        view = self._of(parameter.name, parameter.type, parameter.name)
        base = _BYTE if view.places else view.slots[0].type.base
        made = replace(parameter, type=replace(parameter.type, base=base), name=_hidden(parameter.name))
        return Shape(view.slots, is_pointer=True, is_array=False, viewed=parameter.type), made

    def is_variable(self, node: ast.Expression) -> bool:
        """Whether an expression is a variable for such an address."""
        return isinstance(node, ast.Name) and self.view(node) is not None

    def view(self, node: ast.Expression) -> _View | None:
        """The address that an expression is; None for anything else."""
        match node:
            case ast.Name(text) as name:
                shape = self.shape_of(text)
                return None if shape is None or shape.viewed is None else self._of(_hidden(name), shape.viewed, name)
            case ast.Cast(type_, operand):
                return self._cast(type_, operand, node)
            case ast.Infix("+" | "-" as operator, left, right):
                base, by = left, right
                view = self.view(left)
                if view is None and operator == "+":
                    base, by = right, left
                    view = self.view(right)
                if view is None or self.view(by) is not None:
                    return None
                return self._moved(view, operator, by, base.span)
            case ast.Prefix("&", element) if (accessed := _accessed(element)) is not None:
                view = self.view(accessed[0])
                return None if view is None else self._moved(view, "+", accessed[1], node.span)
            case ast.Conditional():
                return self._chosen(node)
            case _:
                return None

    def _chosen(self, node: ast.Conditional) -> _View | None:
        """One of two such addresses, or such an address or a null pointer."""
        parts = (node.then, node.otherwise)
        views = [self.view(part) for part in parts]
        found = next((one for one in views if one is not None), None)
        if found is None:
            return None
        for part, one in zip(parts, views, strict=True):
            if not is_null(part) if one is None else one.slots != found.slots:
                return None
        then, otherwise = (part if one is None else one.address for part, one in zip(parts, views, strict=True))
        chosen = ast.Conditional(self.scalar(node.condition), then, otherwise, span=node.span)
        return replace(found, address=chosen)

    def _cast(self, type_: ast.TypeName, operand: ast.Expression, node: ast.Cast) -> _View | None:
        slots = self.types.slots_of(type_) if len(type_.pointers) == 1 else None
        if slots is None or is_null(operand):
            return None
        around = self.view(operand)
        if around is None and self.whole(operand) is not None:
            return None
        address = self.scalar(operand) if around is None else around.address
        base = slots[0].type.base if is_vector(slots) else _BYTE
        cast = ast.Cast(replace(type_, base=base), address, span=node.span)
        layout = self.types.layout(replace(type_, pointers=()))
        if layout is None:
            return self._of(cast, type_, node)
        count = ast.NumberLiteral(str(layout.alignment), span=node.span)
        return self._of(ast.Call(ast.Name(ALIGNED, span=node.span), (cast, count), span=node.span), type_, node)

    def _of(self, address: ast.Expression, type_: ast.TypeName, node: ast.Expression) -> _View:
        slots = self.types.slots_of(type_) or ()
        if is_vector(slots):
            # Vectors of three are as large as those of four: what stands there between them is no component.
            return _View(address, type_, slots, {3: 4}.get(len(slots), len(slots)), None)
        layout = self.types.layout(replace(type_, pointers=()))
        if layout is None:
            message = "a pointer that is cast to one to structures whose members have no known places, or are arrays"
            self.complaints.fail("E100", node.span, f"not yet supported: {message} of structures or vectors")
        return _View(address, type_, slots, layout.size, layout.places)

    def _moved(self, view: _View, operator: str, by: ast.Expression, span: Span) -> _View:
        """The address so many elements further on; an `unsigned` number would wrap where the address does not."""
        count = ast.Cast(ast.TypeName((), "long", span=by.span), self.scalar(by), span=by.span)
        return replace(view, address=ast.Infix(operator, view.address, times(count, view.step), span=span))

    def components(self, node: ast.Expression) -> list[ast.Expression] | None:
        """The numbers that are the members of a vector or structure in memory of numbers; None for anything else."""
        accessed = _accessed(node)
        view = None if accessed is None else self.view(accessed[0])
        if accessed is None or view is None:
            return None
        many = len(view.slots)
        if many > 1:
            self.repeated(accessed[0].operand if isinstance(accessed[0], ast.Cast) else view.address, many)
        first = times(self.repeated(accessed[1], many), view.step)
        if view.places is None:
            numbers = [ast.NumberLiteral(str(number), span=node.span) for number in range(many)]
            indices = [ast.Infix("+", first, number, span=node.span) for number in numbers]
            return [ast.Index(view.address, index, span=node.span) for index in indices]
        return [self._member(view, slot, first, place) for slot, place in zip(view.slots, view.places, strict=True)]

    def slots_in(self, node: ast.Expression) -> tuple[Slot, ...]:
        """The members of a vector or structure in memory of numbers."""
        accessed = _accessed(node)
        view = None if accessed is None else self.view(accessed[0])
        return () if view is None else view.slots

    def _member(self, view: _View, slot: Slot, first: ast.Expression, place: int) -> ast.Expression:
        """A member of a structure; of an array, its beginning."""
        span = first.span
        begin = ast.Infix("+", first, ast.NumberLiteral(str(place), span=span), span=span)
        address = ast.Infix("+", view.address, begin, span=span)
        pointer = ast.Cast(typed(slot, view.type, view.type.pointers), address, span=span)
        return pointer if slot.length is not None else ast.Prefix("*", pointer, span=span)

    def assigned(self, node: ast.Expression) -> ast.Expression | None:
        """An expression that gives such a variable another address, or moves it; None for any other."""
        match node:
            case ast.Assignment("=", ast.Name() as name, value) if (own := self.view(name)) is not None:
                view = self.view(value)
                if view is not None and view.slots != own.slots:
                    return None
                address = value if is_null(value) else None if view is None else view.address
            case ast.Assignment(operator, ast.Name() as name, by) if operator in _MOVES:
                own = self.view(name)
                address = None if own is None else self._moved(own, _MOVES[operator], by, node.span).address
            case ast.Prefix(operator, ast.Name() as name) | ast.Postfix(operator, ast.Name() as name) if (
                operator in _MOVES
            ):
                own, by = self.view(name), ast.NumberLiteral("1", span=node.span)
                address = None if own is None else self._moved(own, _MOVES[operator], by, node.span).address
            case _:
                return None
        return None if address is None else ast.Assignment("=", _hidden(name), address, span=node.span)

    def compared(self, node: ast.Infix) -> ast.Expression | None:
        """Such addresses, compared or subtracted; None for any other operation."""
        one, other = self.view(node.left), self.view(node.right)
        if one is not None and other is not None and one.slots == other.slots:
            found = replace(node, left=one.address, right=other.address)
            if node.operator == "-":
                return ast.Infix("/", found, ast.NumberLiteral(str(one.step), span=node.span), span=node.span)
            return found if node.operator in _COMPARED else None
        if node.operator not in _COMPARED or (one is None and other is None):
            return None
        left = node.left if one is None else one.address
        right = node.right if other is None else other.address
        return replace(node, left=left, right=right) if is_null(left) or is_null(right) else None


def _hidden(name: ast.Name) -> ast.Name:
    """The variable that keeps the address of numbers."""
    return ast.Name(f"{name.text}#numbers", span=name.span)


def _accessed(node: ast.Expression) -> tuple[ast.Expression, ast.Expression] | None:
    """The pointer and the index of `p[i]` and `*p`; None for anything else."""
    match node:
        case ast.Index(base, index):
            return base, index
        case ast.Prefix("*", base):
            return base, ast.NumberLiteral("0", span=node.span)
        case _:
            return None
