"""Hash-consing: values that are built alike are the same object."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final, Self
from weakref import ReferenceType


class Interned:
    """Base of frozen dataclasses (`eq=False, slots=True, weakref_slot=True`) whose construction returns the same
    object for the same arguments, given by position.

    Equality and hashing are then those of the identity, however deep the value is.
    """

    __slots__ = ()

    def __new__(cls, *arguments: object) -> Self:
        """The value of this class with these arguments."""
        key = (cls, *arguments)
        entry = _TABLE.get(key)
        found: Any = None if entry is None else entry()
        if found is None:
            found = super().__new__(cls)
            entry = _TABLE[key] = _Entry(found, _forget)
            entry.key = key
        return found  # type: ignore[no-any-return]

    def __reduce__(self) -> tuple[object, ...]:
        """Unpickling interns again, so that identity survives the way to another process."""
        return (type(self), tuple(getattr(self, f.name) for f in fields(self)))  # type: ignore[arg-type]


class _Entry(ReferenceType[Interned]):
    """A value in the table, which does not keep it alive: a `WeakValueDictionary` with less around it."""

    __slots__ = ("key",)
    key: tuple[object, ...]


_TABLE: Final[dict[tuple[object, ...], _Entry]] = {}


# The table is a parameter because values outlive the names of a module when the interpreter ends.
def _forget(entry: _Entry, table: dict[tuple[object, ...], _Entry] = _TABLE) -> None:
    """Nobody uses the value any more; meanwhile it may have been made anew."""
    if table.get(entry.key) is entry:
        del table[entry.key]
