"""Writes of one location that may come in any order: the value after them is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, Constant, ReadValue
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from mcm.execution.event import Event

# Operators whose updates of one location may come in any order, if all are of one class.
_CLASSES: Final = {"+": "+", "-": "+", "|": "|", "&": "&", "^": "^", "min": "min", "max": "max"}


def commuting(event: Event) -> tuple[str, Scalar] | None:
    """The class of operators and the type of an update that commutes with others of the same; None if it does not."""
    if event.kind is not EventKind.UPDATE:
        return None
    match event.value:
        case BinaryValue(symbol, ReadValue(read), operand, Scalar() as type_) if (
            read == event.identifier and symbol in _CLASSES and not type_.is_floating
        ):
            return None if read in reads_of(operand) else (_CLASSES[symbol], type_)
        case _:
            return None


def in_any_order(event: Event) -> tuple[str, Scalar] | Constant | None:
    """What an atomic write has in common with those of its location that may come in any order with it.

    They commute, or all write the same constant, whatever they read. None where each order may leave another value.
    """
    found = commuting(event)
    if found is not None or event.order is None or not event.kind.writes:
        return found
    return event.value if isinstance(event.value, Constant) else None
