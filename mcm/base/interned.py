"""Hash-consing: values that are built alike are the same object."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Final
from weakref import ReferenceType

from msgspec import Struct, StructMeta


class Interning(StructMeta):
    """The class of interned classes: a call returns the value that exists, or makes it."""

    if not TYPE_CHECKING:  # a type checker takes the parameters from the fields of each class

        def __call__(cls, *arguments: object) -> Any:  # noqa: N805 - a metaclass
            """The value of this class with these arguments."""
            key = (cls, *arguments)
            entry = _TABLE.get(key)
            found = None if entry is None else entry()
            return cls.enter(key, arguments) if found is None else found

    def enter(cls, key: tuple[object, ...], arguments: tuple[object, ...]) -> Any:  # noqa: N805 - a metaclass
        """The value known by `key`, which is made of `arguments` unless another thread was quicker."""
        with _LOCK:
            entry = _TABLE.get(key)
            found: Any = None if entry is None else entry()
            if found is None:
                found = super().__call__(*arguments)
                entry = _TABLE[key] = _Entry(found, _forget)
                entry.key = key
            return found


class Interned(Struct, frozen=True, eq=False, weakref=True, metaclass=Interning):
    """Base of structs whose construction returns the same object for the same arguments, given by position.

    Equality and hashing are then those of the identity, however deep the value is; unpickling interns again, so that
    identity survives the way to another process. Threads may build values at the same time. `copy` and `replace` do not
    intern: values are built anew instead.
    """


class _Entry(ReferenceType[Interned]):
    """A value in the table, which does not keep it alive: a `WeakValueDictionary` with less around it."""

    __slots__ = ("key",)
    key: tuple[object, ...]


_TABLE: Final[dict[tuple[object, ...], _Entry]] = {}
# Reentrant, because a value may be forgotten (by the garbage collector) while this thread enters another one.
_LOCK: Final = RLock()


# The table and the lock are parameters because values outlive the names of a module when the interpreter ends.
def _forget(entry: _Entry, table: dict[tuple[object, ...], _Entry] = _TABLE, lock: Any = _LOCK) -> None:
    """Nobody uses the value any more; meanwhile it may have been made anew."""
    with lock:
        if table.get(entry.key) is entry:
            del table[entry.key]
