"""Values of which some fields are no part of what they are, such as the span that they were written at."""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable


class PartlyCompared(Struct, frozen=True, gc=False):
    """Base of structs that are compared, hashed and shown without the fields named in `not_compared`."""

    not_compared: ClassVar[frozenset[str]] = frozenset({"span"})

    def __eq__(self, other: object) -> bool:
        """Whether the other is of the same class and alike in all fields that are compared."""
        kind = type(self)
        if type(other) is not kind:
            return NotImplemented
        compared = _compared(kind)
        return self is other or bool(compared(self) == compared(other))

    def __hash__(self) -> int:
        """The hash of what is compared."""
        return hash(_compared(type(self))(self))

    def __repr__(self) -> str:
        """The class with the fields that are compared."""
        shown = (f"{name}={getattr(self, name)!r}" for name in _names(type(self)))
        return f"{type(self).__qualname__}({', '.join(shown)})"


def _names(kind: type[PartlyCompared]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name not in kind.not_compared)


@cache
def _compared(kind: type[PartlyCompared]) -> Callable[[Any], Any]:
    """The function from a value of this class to what is compared: one attribute, or the tuple of several."""
    names = _names(kind)
    return attrgetter(*names) if names else lambda _: ()
