"""Hash-consing: values that are built alike are the same object."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar, Self
from weakref import WeakValueDictionary


class Interned:
    """Base of frozen dataclasses (`eq=False, slots=True, weakref_slot=True`) whose construction returns the same
    object for the same arguments, given by position.

    Equality and hashing are then those of the identity, however deep the value is.
    """

    __slots__ = ()
    _table: ClassVar[WeakValueDictionary[tuple[object, ...], Any]] = WeakValueDictionary()

    def __new__(cls, *arguments: object) -> Self:
        """The value of this class with these arguments."""
        key = (cls, *arguments)
        found: Self | None = cls._table.get(key)
        if found is None:
            found = super().__new__(cls)
            cls._table[key] = found
        return found

    def __reduce__(self) -> tuple[object, ...]:
        """Unpickling interns again, so that identity survives the way to another process."""
        return (type(self), tuple(getattr(self, f.name) for f in fields(self)))  # type: ignore[arg-type]
