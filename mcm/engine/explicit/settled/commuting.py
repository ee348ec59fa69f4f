"""Updates of one location that may come in any order: the value after them is the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import reads_of
from mcm.execution.event import EventKind
from mcm.execution.expression import BinaryValue, ReadValue
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
