"""Hash-consing: values that are built alike are the same object."""

from __future__ import annotations

from sys import getrefcount
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, StructMeta


class Interning(StructMeta):
    """The class of interned classes: a call returns the value that exists, or makes it."""

    if not TYPE_CHECKING:  # a type checker takes the parameters from the fields of each class

        def __call__(cls, *arguments: object) -> Any:  # noqa: N805 - a metaclass
            """The value of this class with these arguments."""
            key = (cls, *arguments)
            found = _VALUES.get(key)
            return cls.enter(key, arguments) if found is None else found

    def enter(cls, key: tuple[object, ...], arguments: tuple[object, ...]) -> Any:  # noqa: N805 - a metaclass
        """The value known by `key`, which is made of `arguments` unless another thread was quicker."""
        with _LOCK:
            found: Any = _VALUES.get(key)
            if found is None:
                if len(_VALUES) >= _SWEEPING.most:
                    _SWEEPING.make_room()
                found = _VALUES[key] = StructMeta.__call__(cls, *arguments)
            return found


class Interned(Struct, frozen=True, eq=False, gc=False, metaclass=Interning):
    """Base of structs whose construction returns the same object for the same arguments, given by position.

    Equality and hashing are then those of the identity, however deep the value is; unpickling interns again, so that
    identity survives the way to another process. Threads may build values at the same time. `copy` and `replace` do not
    intern: values are built anew instead. What a value is made of does not lead back to it.
    """


class _Sweeping:
    """Lets go the values that only the table has, whenever the table has grown to twice what was left the last time.

    Weak references would not do: the garbage collector clears those to all that it takes for garbage before finalisers
    run, and what a finaliser saves would live on unknown to the table, beside another value that is built alike.
    """

    def __init__(self, least: int) -> None:
        self._least: Final = least
        self.most = least
        # What `getrefcount` says of a value that only a local variable has, and of one that the table has as well.
        fresh = object()
        self._free: Final = getrefcount(fresh)
        self._known: Final = self._free + 1

    def make_room(self) -> None:
        """Sweep, and have the next sweep wait for twice what is left. The lock is held, here and below."""
        self.most *= 2  # a finaliser that is run by the sweep may build values
        self.sweep()
        self.most = max(self._least, 2 * len(_VALUES))

    def sweep(self) -> None:
        """Drop each value that nobody has; those that have others were made later, so that they go first."""
        keys = list(_VALUES)
        while keys:
            key = keys.pop()
            value = _VALUES.get(key)
            if value is not None and getrefcount(value) <= self._known:
                del _VALUES[key]
                if getrefcount(value) > self._free:  # a thread that needs no lock to look it up was quicker
                    _VALUES[key] = value


_VALUES: Final[dict[tuple[object, ...], Interned]] = {}
# Reentrant, because a finaliser that builds values may run while this thread enters another one.
_LOCK: Final = RLock()
_SWEEPING: Final = _Sweeping(1 << 14)
