"""Which elements kernels use, as far as that follows from ids, constants and the values that they are given.

A kernel is followed for one work-item after the other, without memory: what is read there is not known, nor what is
computed with it. Where a condition is not known, both ways are followed; a loop of which it is not known how long it
goes on is followed once. So not all is found, and nothing rests on it but guesses of sizes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.front_end.indexed import bytes_of, element_size
from mcm.front_end.launched_ids import COUNTS, ids_of_work_items
from mcm.program.resolve.constants import known_integer
from mcm.program.resolve.literals import NAMED_CONSTANTS
from mcm.program.resolve.spelling import ALIGNED, SCALARS, scalar_name
from mcm.program.types import Scalar
from mcm.program.value_arithmetic import apply_binary, apply_unary
from mcm.syntax import ast
from mcm.syntax.walk import changed_variable, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mcm.front_end.indexed import Callee

# How many nodes are looked at, for each work-item and for all of them.
_MOST: Final = 20_000
_MOST_OF_ALL: Final = 60_000
# How often a call of a call is followed.
_DEEPEST: Final = 20
# Up to here the number in a test is taken for the size of a buffer.
_MOST_TESTED: Final = 1024


class _Id(int):
    """An id, or the one before or behind it: by these, a buffer has an element for each work-item and no more.

    Or the place of one of the `each` elements that a work-item has, `4 * i + 1`. There are `count` ids.
    """

    each: int = 1
    count: int = 0

    def at(self, place: int, each: int = 1) -> _Id:
        """A place that follows from this id."""
        found = _Id(place)
        found.each, found.count = each, self.count
        return found


class _Pointer(Struct, frozen=True):
    """The address of an element of a buffer; None where it is not known of which.

    `size` is that of the elements that `offset` counts, in bytes, and `declared` that of those of the buffer.
    """

    name: str
    offset: int | None
    size: int = 1
    declared: int = 1


_Value = int | _Pointer | None
_Variables = dict[str, _Value]


class _EnoughError(Exception):
    """So many nodes were looked at that it ends."""


def followed(
    kernel: ast.Kernel, launch: ast.Launch, functions: Mapping[str, Callee], given: Mapping[str, int]
) -> dict[str, int]:
    """How many elements of its buffers a kernel uses, by their names, as far as it is known.

    `given`: the values of parameters that are no pointers.
    """
    begun: _Variables = {**given}
    for parameter in kernel.parameters:
        if parameter.type.pointers:
            size = element_size(parameter)
            begun[parameter.name.text] = _Pointer(parameter.name.text, 0, size, size)
    used: dict[str, int] = {}
    left = _MOST_OF_ALL
    for ids in ids_of_work_items(kernel, launch):
        item = _Item(ids, functions, used, min(left, _MOST))
        with suppress(_EnoughError):
            item.follow(kernel.body, dict(begun))
        left -= min(left, _MOST) - max(item.left, 0)
        if left <= 0:
            break
    return used


class _Item(Struct):
    """How a kernel is followed for one work-item: `used` is what was found, `left` how many nodes may be looked at."""

    ids: Mapping[str, tuple[int, ...]]
    functions: Mapping[str, Callee]
    used: dict[str, int]
    left: int
    depth: int = 0
    returned: list[_Value] = field(default_factory=list)

    def follow(self, node: ast.Node | None, known: _Variables) -> type[ast.Jump] | None:
        """Follow a statement, which changes what is known of variables; what jump it surely ends with."""
        self.left -= 1
        if self.left <= 0:
            raise _EnoughError
        match node:
            case ast.Block(statements):
                return self._in_order(statements, known)
            case ast.Declaration(_, declarators):
                for one in declarators:
                    value = self._of(one.initializer, known) if one.initializer is not None else None
                    known[one.name.text] = None if one.length is not None else value
            case ast.If(condition, then, otherwise):
                return self._either(condition, then, otherwise, known)
            case ast.For() | ast.While() | ast.DoWhile():
                return self._loop(node, known)
            case ast.Return(value):
                self.returned.append(None if value is None else self._of(value, known))
                return ast.Return
            case ast.Break() | ast.Continue():
                return type(node)
            case ast.Switch(condition):
                self._of(condition, known)
                self._once(node, known)
            case None | ast.Empty():
                pass
            case _ if isinstance(node, ast.Expression):
                self._of(node, known)
            case _:
                for part in parts_of(node):
                    if jump := self.follow(part, known):
                        return jump
        return None

    def _in_order(self, statements: Iterable[ast.Statement], known: _Variables) -> type[ast.Jump] | None:
        """Statements of a block; its variables end with it."""
        around: _Variables = {}
        jump = None
        for statement in statements:
            if isinstance(statement, ast.Declaration):
                for one in statement.declarators:
                    if one.name.text in known:
                        around.setdefault(one.name.text, known[one.name.text])
            jump = self.follow(statement, known)
            if jump is not None:
                break
        known.update(around)
        return jump

    def _either(
        self, test: ast.Expression, then: ast.Node, otherwise: ast.Node | None, known: _Variables
    ) -> type[ast.Jump] | None:
        """One of two ways, or both; of what is done on both, what is the same is known behind them."""
        condition = self._of(test, known)
        if condition is not None:
            return self.follow(otherwise if condition == 0 else then, known)
        other = {**known, **self._greatest(test, known, holds=False)}
        known.update(self._greatest(test, known, holds=True))
        jumps = self.follow(then, known), self.follow(otherwise, other)
        if jumps[0] is not None and jumps[1] is None:
            known.clear()
            known.update(other)
        elif jumps[1] is None:
            for name in known.keys() | other.keys():
                known[name] = known.get(name) if known.get(name) == other.get(name) else None
        return jumps[0] if jumps[0] is jumps[1] else None

    def _loop(self, loop: ast.Loop, known: _Variables) -> type[ast.Jump] | None:
        """A loop, as often as it is known that it goes on; then once more, if it is not known whether it does."""
        around = dict(known)
        step = None
        if isinstance(loop, ast.For):
            self.follow(loop.initial, known)
            step = loop.step
        condition: _Value = 1 if isinstance(loop, ast.DoWhile) or loop.condition is None else None
        jump = None
        while True:
            before = dict(known)
            if condition is None or not isinstance(loop, ast.DoWhile):
                condition = 1 if loop.condition is None else self._of(loop.condition, known)
            if condition is None:
                self._once(loop, known)
            if condition is None or condition == 0:
                break
            jump = self.follow(loop.body, known)
            if jump is ast.Break or jump is ast.Return:
                break
            if step is not None:
                self._of(step, known)
            if isinstance(loop, ast.DoWhile):
                condition = self._of(loop.condition, known)
                if condition is None or condition == 0:
                    break
            elif before == known:
                # It waits for what nobody here changes.
                break
        if isinstance(loop, ast.For) and isinstance(loop.initial, ast.Declaration):
            known.update((one.name.text, around.get(one.name.text)) for one in loop.initial.declarators)
        return jump if jump is ast.Return else None

    def _greatest(self, test: ast.Expression, known: _Variables, *, holds: bool) -> dict[str, int]:
        """The greatest values of variables of which nothing is known but that a test holds, or does not: `i < 24`."""
        match test:
            case ast.Infix("&&" | "||" as symbol, left, right) if holds is (symbol == "&&"):
                return {**self._greatest(left, known, holds=holds), **self._greatest(right, known, holds=holds)}
            case ast.Infix("<" | "<=" | ">" | ">=" as symbol, left, right):
                is_below = holds is symbol.startswith("<")
                name = _variable_of(left if is_below else right)
                if name is None or known.get(name, 0) is not None:
                    return {}
                limit = self._of(right if is_below else left, dict(known))
                is_less = (symbol in {"<", ">"}) is holds
                return {name: limit - is_less} if isinstance(limit, int) and is_less <= limit <= _MOST_TESTED else {}
        return {}

    def _once(self, statement: ast.Loop | ast.Switch, known: _Variables) -> None:
        """A statement of which it is not known what it executes and how often: all of it is followed once."""
        greatest: dict[str, int] = {}
        if not isinstance(statement, ast.Switch) and statement.condition is not None:
            greatest = self._greatest(statement.condition, known, holds=True)
        known.update(greatest)
        for one in statement.body.statements if isinstance(statement, ast.Switch) else (statement.body,):
            self.follow(one, known)
        changed = {name for node in walk([statement]) if (name := changed_variable(node)) is not None}
        known.update(dict.fromkeys((changed & known.keys()) | greatest.keys()))

    def _of(self, node: ast.Node, known: _Variables) -> _Value:
        """The value of an expression, as far as it is known; what it uses is found on the way."""
        self.left -= 1
        if self.left <= 0:
            raise _EnoughError
        match node:
            case ast.NumberLiteral():
                return known_integer(node)
            case ast.Name(text):
                if text in known:
                    return known[text]
                constant = NAMED_CONSTANTS.get(text, (None,))[0]
                return constant if isinstance(constant, int) else None
            case ast.Prefix(symbol, operand):
                return self._prefix(symbol, operand, known)
            case ast.Postfix(symbol, operand):
                value = self._of(operand, known)
                self._assign(operand, _computed(symbol[0], value, 1), known)
                return value
            case ast.Infix(symbol, left, right):
                return self._infix(symbol, left, right, known)
            case ast.Assignment(symbol, target, operand):
                value = self._of(operand, known)
                if symbol != "=":
                    value = _computed(symbol[:-1], self._of(target, known), value)
                self._assign(target, value, known)
                return value
            case ast.Conditional(condition, then, otherwise):
                chosen = self._of(condition, known)
                if chosen is not None:
                    return self._of(otherwise if chosen == 0 else then, known)
                one, other = self._of(then, known), self._of(otherwise, known)
                return one if one == other else None
            case ast.Call(ast.Name(name), (operand, _)) if name == ALIGNED:
                return self._of(operand, known)
            case ast.Call():
                return self._call(node, known)
            case ast.Index():
                self._use(self._place(node, known))
                return None
            case ast.Cast(type_, operand):
                return _cast(type_, self._of(operand, known))
            case _:
                for part in parts_of(node):
                    self._of(part, known)
                return None

    def _prefix(self, symbol: str, operand: ast.Expression, known: _Variables) -> _Value:
        match symbol, operand:
            case "&", ast.Index():
                return self._place(operand, known)
            case "&", ast.Prefix("*", pointer):
                return self._of(pointer, known)
            case "&", ast.Name(text):
                # What is done with it through its address is not looked at.
                known.update({text: None} if text in known else {})
                return None
        value = self._of(operand, known)
        if symbol in {"++", "--"}:
            value = _computed(symbol[0], value, 1)
            self._assign(operand, value, known)
            return value
        if symbol == "*":
            self._use(value)
        if not isinstance(value, int) or symbol in {"*", "&"}:
            return None
        number = value if symbol == "+" else apply_unary(symbol, value, Scalar.LONG)
        return number if isinstance(number, int) else None

    def _infix(self, symbol: str, left: ast.Expression, right: ast.Expression, known: _Variables) -> _Value:
        one = self._of(left, known)
        if symbol in {"&&", "||"} and one is not None and (one == 0) is (symbol == "&&"):
            return int(symbol == "||")
        other = self._of(right, known)
        if symbol == ",":
            return other
        number = _computed(symbol, one, other)
        if (place := _place_of_id(symbol, left, one, right, other)) is not None:
            return place
        beside = _beside(symbol, left, one, right, other)
        return beside.at(number) if beside is not None and isinstance(number, int) else number

    def _assign(self, target: ast.Expression, value: _Value, known: _Variables) -> None:
        if isinstance(target, ast.Name):
            if target.text in known:
                known[target.text] = value
        else:
            self._of(target, known)

    def _place(self, node: ast.Index, known: _Variables) -> _Value:
        """The address of an element."""
        return _computed("+", self._of(node.base, known), self._of(node.index, known))

    def _use(self, place: _Value) -> None:
        if not isinstance(place, _Pointer) or place.offset is None:
            return
        length, offset = place.offset + 1, place.offset
        if isinstance(offset, _Id):
            # That each work-item has its elements is known, and what lies behind those of the last one is a mistake.
            length = min(length, offset.count * offset.each) if offset.each > 1 else 0
        self.used[place.name] = max(self.used.get(place.name, 0), -(-length * place.size // place.declared))

    def _call(self, call: ast.Call, known: _Variables) -> _Value:
        name, arguments = call.function.text, [self._of(argument, known) for argument in call.arguments]
        if name in self.ids:
            dimension = arguments[0] if arguments else 0
            if not isinstance(dimension, int):
                return None
            amounts = self.ids[name]
            is_id = name.endswith("_id")
            amount = amounts[dimension] if 0 <= dimension < len(amounts) else int(not is_id)
            if not is_id:
                return amount
            sizes = self.ids[COUNTS[name]]
            return _id_of(amount, sizes[dimension] if 0 <= dimension < len(sizes) else 1)
        callee = self.functions.get(name)
        if callee is None or callee.body is None or self.depth == _DEEPEST:
            for argument in arguments:
                self._use(argument)
            return _built_in(name, arguments)
        names = (parameter.name.text for parameter in callee.parameters)
        inner = _Item(self.ids, self.functions, self.used, self.left, self.depth + 1)
        try:
            inner.follow(callee.body, dict(zip(names, arguments, strict=False)))
        finally:
            self.left = inner.left
        return inner.returned[0] if len(inner.returned) == 1 else None


def _computed(symbol: str, one: _Value, other: _Value) -> _Value:
    """What an operator gives, where it is known."""
    match one, other:
        case _Pointer(name, offset, size, declared), _:
            if symbol not in {"+", "-"} or isinstance(other, _Pointer):
                return None
            place = _computed(symbol, offset, other)
            return _Pointer(name, place if isinstance(place, int) else None, size, declared)
        case _, _Pointer():
            return _computed(symbol, other, one) if symbol == "+" else None
        case int(), int():
            if symbol in {"/", "%"} and other == 0:
                return None
            number = apply_binary(symbol, one, other, Scalar.LONG)
            assert isinstance(number, int), "operators of integers give integers"
            # The place of an id in a whole buffer is that id.
            return other if isinstance(other, _Id) and one == 0 and symbol == "+" else number
        case _:
            return None


def _id_of(number: int, count: int) -> _Id:
    found = _Id(number)
    found.count = count
    return found


def _beside(symbol: str, left: ast.Expression, one: _Value, right: ast.Expression, other: _Value) -> _Id | None:
    """The id that an expression is one before or behind of; None for anything else."""
    if symbol in {"+", "-"} and isinstance(one, _Id) and one.each == 1 and _is_one(right):
        return one
    return other if symbol in {"+", "-"} and isinstance(other, _Id) and other.each == 1 and _is_one(left) else None


def _place_of_id(symbol: str, left: ast.Node, one: _Value, right: ast.Node, other: _Value) -> _Id | None:
    """The place of one of the elements that a work-item has: of `4 * i`, and of `4 * i + 1`; None for others."""
    if symbol == "*" and isinstance(other, _Id) and isinstance(left, ast.NumberLiteral):
        one, other, right = other, one, left
    if not isinstance(one, _Id) or not isinstance(other, int) or not isinstance(right, ast.NumberLiteral):
        return None
    if symbol == "*" and one.each == 1 and other > 0:
        return one.at(one * other, other)
    if symbol == "+" and one.each > 1 and 0 <= other < one.each and one % one.each == 0:
        return one.at(one + other, one.each)
    return None


def _variable_of(node: ast.Expression) -> str | None:
    """The variable whose value an expression is: `i`, or `i = f()`."""
    match node:
        case ast.Name(text) | ast.Assignment("=", ast.Name(text)):
            return text
        case ast.Cast(_, operand):
            return _variable_of(operand)
    return None


def _is_one(node: ast.Expression) -> bool:
    return isinstance(node, ast.NumberLiteral) and known_integer(node) == 1


def _cast(type_: ast.TypeName, value: _Value) -> _Value:
    """A value as one of another type: of an integer as a float nothing is known; a pointer counts other elements."""
    if isinstance(value, _Pointer) and len(type_.pointers) == 1:
        size = bytes_of(type_)
        if size is None or size == value.size:
            return value
        if value.offset is None:
            return _Pointer(value.name, None, size, value.declared)
        # What begins in the middle of an element is not looked at closely.
        offset = -(-value.offset * value.size // size)
        if isinstance(value.offset, _Id) and value.offset.each * value.size % size == 0:
            offset = value.offset.at(offset, value.offset.each * value.size // size)
        return _Pointer(value.name, offset, size, value.declared)
    scalar = None if type_.pointers else SCALARS.get(scalar_name(type_.qualifiers, type_.base))
    return None if scalar is not None and scalar.is_floating else value


def _built_in(name: str, arguments: list[_Value]) -> _Value:
    """What a function of the language gives for numbers."""
    numbers = [one for one in arguments if isinstance(one, int)]
    compute = _BUILT_IN.get((name, len(numbers)))
    return None if compute is None or len(numbers) < len(arguments) else compute(*numbers)


_BUILT_IN: Final[dict[tuple[str, int], Callable[..., int]]] = {
    ("min", 2): min,
    ("max", 2): max,
    ("abs", 1): abs,
    ("clamp", 3): lambda value, low, high: min(max(value, low), high),
    ("mul24", 2): lambda one, other: one * other,
    ("mad24", 3): lambda one, other, more: one * other + more,
}
