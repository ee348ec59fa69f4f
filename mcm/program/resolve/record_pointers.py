"""Pointers to structures and vectors in other words: those that taking them apart knows.

`(p + i)->a` and `*(p + i)` are elements, `p += n` and `p++` assignments, and two pointers are compared by the pointers
to one of their members.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints  # noqa: TC001 - as above
from mcm.program.resolve.record_types import Shape, Slot, is_vector, typed
from mcm.program.resolve.spelling import COPIED
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.base.source import Span

_STEPS: Final = {"++": "+", "--": "-"}
_MOVES: Final = {"+=": "+", "-=": "-"}
_EQUALITIES: Final = frozenset({"==", "!="})
_COMPARED: Final = _EQUALITIES | {"<", ">", "<=", ">=", "-"}


class RecordPointers(Struct, frozen=True):
    """Puts such pointers in other words.

    `shape_of` is what is known of a variable that is a record, `slots_of` has the members of what an expression is or
    points to, `whole` these of an expression; `value` takes apart what is no record, and `repeated` what is computed so
    often; `members_of` are the members of a type, and `array_of` those of the elements of an array in a structure;
    `view` is what is known of an address of numbers. An index of a vector is refused.
    """

    shape_of: Callable[[str], Shape | None]
    slots_of: Callable[[ast.Expression], tuple[Slot, ...]]
    whole: Callable[[ast.Expression], list[ast.Expression] | None]
    value: Callable[[ast.Expression], ast.Expression]
    repeated: Callable[[ast.Expression, int], ast.Expression]
    members_of: Callable[[ast.TypeName], tuple[Slot, ...] | None]
    array_of: Callable[[ast.Expression], tuple[ast.Expression, list[Slot]]]
    view: Callable[[ast.Expression], object]
    complaints: Complaints

    def plain(self, node: ast.Expression) -> ast.Expression:
        """An expression in which an element stands where a pointer was moved before it is followed."""
        match node:
            case ast.Prefix("*", operand) if (element := self._moved(operand, None)) is not None:
                return element
            case ast.Index(base) if self._is_one_vector(base):
                message = "not yet supported: an index of a vector; name its component, '.s0', '.s1'"
                return self.complaints.fail("E100", node.span, message)
            case ast.Index(ast.Member() as array):
                return replace(node, base=self.plain(array))
            case ast.Index(base, index) if not isinstance(base, ast.Name):
                return self._moved(base, index) or node
            case ast.Infix("+", left, right) if not self._is_pointer(left) and self._is_pointer(right):
                return replace(node, left=right, right=left)
            case ast.Member(base, "->", _) if (element := self._moved(base, None)) is not None:
                return replace(node, base=element, operator=".")
            case ast.Member(base, ".", _):
                return replace(node, base=self.plain(base))
            case _:
                return node

    def _is_one_vector(self, node: ast.Expression) -> bool:
        """Whether an expression is a variable that is a vector, or an element that is one."""
        name = node.base if isinstance(node, ast.Index) else node
        shape = self.shape_of(name.text) if isinstance(name, ast.Name) else None
        if shape is None or shape.viewed is not None or not is_vector(shape.slots):
            return False
        levels = shape.is_pointer + shape.is_array
        return levels == isinstance(node, ast.Index)

    def assigned(self, node: ast.Expression) -> ast.Expression:
        """An expression statement that moves a pointer, as an assignment."""
        match node:
            case ast.Assignment(operator, target, value) if operator in _MOVES and self.is_variable(target):
                return replace(node, operator="=", value=ast.Infix(_MOVES[operator], target, value, span=node.span))
            case ast.Assignment(_, target, _):
                return replace(node, target=self.plain(target))
            case ast.Prefix(operator, operand) | ast.Postfix(operator, operand) if operator in _STEPS:
                if not self.is_variable(operand):
                    return node
                moved = ast.Infix(_STEPS[operator], operand, _number("1", node.span), span=node.span)
                return ast.Assignment("=", operand, moved, span=node.span)
            case _:
                return node

    def compared(self, node: ast.Infix) -> ast.Expression | None:
        """Pointers that are compared, with each other or with null, or subtracted; None for any other operation."""
        sides = node.left, node.right
        pointers = [side for side in sides if self._is_pointer(side)]
        if node.operator not in _COMPARED or len(pointers) < (1 if node.operator in _EQUALITIES else 2):
            return None
        slots = self.slots_of(pointers[0])
        number = next((number for number, slot in enumerate(slots) if slot.length is None), 0)
        left, right = (self._member(side, number) for side in sides)
        found = replace(node, left=left, right=right)
        length = slots[number].length
        if node.operator != "-" or length is None:
            return found
        return ast.Infix("/", found, ast.NumberLiteral(str(length), span=node.span), span=node.span)

    def given(self, place: ast.Expression, value: ast.Expression, count: int) -> list[ast.Expression] | None:
        """The members of what a place is given: of a pointer, null for each of them; None where it is no record."""
        return self._or_null(value, count) if self.is_variable(place) else self.whole(value)

    def made(self, node: ast.Expression) -> list[ast.Expression] | None:
        """A pointer that is chosen or cast, or is a member of a structure that is copied; None for others."""
        match node:
            case ast.Conditional():
                return self.chosen(node)
            case ast.Cast():
                return self.cast(node)
            case ast.Call(ast.Name(text), (operand,)) if text == COPIED and (whole := self.whole(operand)) is not None:
                return [replace(node, arguments=(one,)) for one in whole]
            case _:
                return None

    def chosen(self, node: ast.Conditional) -> list[ast.Expression] | None:
        """`c ? p : q`, one of which may be null; None where these are no such pointers."""
        sides = node.then, node.otherwise
        if not all(is_null(side) or self.is_address(side) for side in sides):
            return None
        count = max(len(self.whole(side) or ()) for side in sides)
        then, otherwise = (self._or_null(side, count) for side in sides)
        if not count or then is None or otherwise is None or len(then) != len(otherwise):
            return None
        condition = self.repeated(self.asked(node.condition), count)
        return [
            ast.Conditional(condition, one, other, span=node.span) for one, other in zip(then, otherwise, strict=True)
        ]

    def cast(self, node: ast.Cast) -> list[ast.Expression] | None:
        """`(global struct S*)p` of a pointer to such; None for any other cast."""
        slots = self.members_of(node.type) if len(node.type.pointers) == 1 else None
        if slots is None or not self.is_address(node.operand) or self.whole(node.operand) is None:
            return None
        if self.slots_of(node.operand) != slots:
            return None
        whole = self.whole(node.operand) or []
        return [
            ast.Cast(typed(slot, node.type, node.type.pointers), one, span=node.span)
            for slot, one in zip(slots, whole, strict=True)
        ]

    def _or_null(self, node: ast.Expression, count: int) -> list[ast.Expression] | None:
        null = null_in(node)
        return self.whole(node) if null is None else [null] * count

    def asked(self, node: ast.Expression) -> ast.Expression:
        """An expression that is only asked whether it is 0: of a pointer, whether it is null."""
        match node:
            case ast.Prefix("!", operand) if self._is_pointer(operand) or self.view(operand) is not None:
                return ast.Infix("==", operand, _number("0", node.span), span=node.span)
            case ast.Prefix("!", operand):
                return replace(node, operand=self.asked(operand))
            case ast.Infix("&&" | "||", left, right):
                return replace(node, left=self.asked(left), right=self.asked(right))
            case _ if self._is_pointer(node) or self.view(node) is not None:
                return ast.Infix("!=", node, _number("0", node.span), span=node.span)
            case _:
                return node

    def _member(self, side: ast.Expression, number: int) -> ast.Expression:
        whole = self.whole(side)
        return self.value(side) if whole is None else whole[number]

    def is_variable(self, node: ast.Expression) -> bool:
        """Whether an expression is a variable that is such a pointer."""
        shape = self.shape_of(node.text) if isinstance(node, ast.Name) else None
        return shape is not None and shape.is_pointer and shape.viewed is None

    def is_address(self, node: ast.Expression) -> bool:
        """Whether an expression is such a pointer, of whatever kind."""
        return (isinstance(node, ast.Prefix) and node.operator == "&") or self._is_pointer(node)

    def _is_pointer(self, node: ast.Expression) -> bool:
        """Whether an expression is such a pointer: a variable, an array, one that is moved, or an address."""
        match node:
            case ast.Name(text):
                shape = self.shape_of(text)
                return shape is not None and (shape.is_pointer or shape.is_array) and shape.viewed is None
            case ast.Infix("+", left, right):
                return self._is_pointer(left) or self._is_pointer(right)
            case ast.Infix("-", left, right):
                return self._is_pointer(left) and not self._is_pointer(right)
            case ast.Prefix("&", ast.Index(base, _)):
                return self._is_pointer(base)
            case ast.Prefix("&", ast.Name(text)):
                shape = self.shape_of(text)
                return shape is not None and not (shape.is_pointer or shape.is_array)
            case ast.Conditional():
                return self.chosen(node) is not None
            case ast.Cast():
                return self.cast(node) is not None
            case ast.Member():
                return bool(self.array_of(node)[1])
            case _:
                return False

    def _moved(self, node: ast.Expression, index: ast.Expression | None) -> ast.Expression | None:
        """The element at an index (None: 0) from where a moved pointer points; None for any other expression."""
        match node:
            case ast.Infix("+" | "-" as operator, left, right) if self._is_pointer(node):
                base, by = (left, right) if self._is_pointer(left) else (right, left)
                # An `unsigned` number would wrap where the address does not.
                by = ast.Cast(ast.TypeName((), "long", span=by.span), by, span=by.span)
                if operator == "-":
                    by = ast.Prefix("-", by, span=by.span)
                at = by if index is None else ast.Infix("+", by, index, span=node.span)
                if isinstance(base, ast.Name):
                    return ast.Index(base, at, span=node.span)
                return self._moved(base, at)
            case _:
                return None


def null_in(node: ast.Expression) -> ast.Expression | None:
    """The null pointer that an expression is, as it is mostly written, without casts; None for any other."""
    while isinstance(node, ast.Cast) and node.type.pointers:
        node = node.operand
    is_zero = isinstance(node, ast.NumberLiteral) and node.text == "0"
    return node if is_zero or (isinstance(node, ast.Name) and node.text == "NULL") else None


def is_null(node: ast.Expression) -> bool:
    """Whether an expression is a null pointer as it is mostly written."""
    return null_in(node) is not None


def _number(text: str, span: Span) -> ast.NumberLiteral:
    return ast.NumberLiteral(text, span=span)
