"""Asynchronous copies of vectors: one of each component, each of which joins those before it.

`e = async_work_group_copy(to, from, n, 0)` of `float2` copies the components `x` with a new event, and `y` with that
event. So the copy of each component is one of numbers, and all are waited for together, as the copy of the vectors is.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints  # noqa: TC001 - as above
from mcm.program.resolve.copies import COPY, PREFETCH, STRIDED
from mcm.program.resolve.record_types import Slot, is_vector

if TYPE_CHECKING:
    from mcm.syntax import ast

# How many arguments calls have.
_COUNTS = {COPY: 4, STRIDED: 5}


class RecordCopies(Struct, frozen=True):
    """Takes asynchronous copies apart.

    `whole` gives the members of an expression that is a pointer to structures or vectors, `slots_of` what these are;
    `value` takes apart what is no such expression, and `repeated` what is computed so often.
    """

    whole: Callable[[ast.Expression], list[ast.Expression] | None]
    slots_of: Callable[[ast.Expression], tuple[Slot, ...]]
    value: Callable[[ast.Expression], ast.Expression]
    repeated: Callable[[ast.Expression, int], ast.Expression]
    complaints: Complaints

    def of_call(self, node: ast.Call) -> ast.Call | None:
        """An asynchronous copy of vectors, or a `prefetch` of them, taken apart; None for any other call."""
        name, arguments = node.function.text, node.arguments
        if name == PREFETCH and len(arguments) == 2 and (whole := self.whole(arguments[0])):
            return replace(node, arguments=(whole[0], self.value(arguments[1])))
        if len(arguments) != _COUNTS.get(name):
            return None
        target, source, *numbers, event = arguments
        sides = self.whole(target), self.whole(source)
        if sides == (None, None):
            return None
        slots = self._check(node, target, source)
        numbers = [self.repeated(number, len(slots)) for number in numbers]
        made = replace(node, arguments=(*(side[0] for side in sides if side), *numbers, self.value(event)))
        to, given = (side or [] for side in sides)
        for one, other in zip(to[1:], given[1:], strict=True):
            made = replace(node, arguments=(one, other, *numbers, made))
        return made

    def _check(self, node: ast.Call, target: ast.Expression, source: ast.Expression) -> tuple[Slot, ...]:
        """The components of both sides, which have to be vectors of one type."""
        both = [() if self.whole(side) is None else self.slots_of(side) for side in (target, source)]
        for side, slots in zip((target, source), both, strict=True):
            if slots and not is_vector(slots):
                message = f"'{node.function.text}' copies numbers and vectors, '{side.span.text}' points to structures"
                self.complaints.fail("E170", side.span, message)
        first, second = ([slot.type.base for slot in slots] for slots in both)
        if first != second:
            message = f"'{source.span.text}' has other elements than '{target.span.text}': expected vectors of one type"
            self.complaints.fail("E170", source.span, message)
        return both[0]
