"""Hash-consing: values that are built alike are the same object."""

from __future__ import annotations

from sys import getrefcount
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, Literal, Never, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable


class _Derived:
    """How a field follows from the others."""

    def __init__(self, function: Callable[[Any], object]) -> None:
        self.function: Final = function


def derived(function: Callable[[Any], object], *, init: Literal[False] = False) -> Any:  # noqa: ARG001 - for mypy
    """A field that no argument gives: what `function` says of the value, once the fields before it are known."""
    return _Derived(function)


# Not structs of msgspec: the interpreter calls them without asking their metaclass, where a call has called built-in
# classes before (`for make in (list, Leaf): make(x)`). Values would be made then that the table does not know.
@dataclass_transform(eq_default=False, frozen_default=True, field_specifiers=(derived,))
class Interning(type):
    """The class of interned classes: a call returns the value that exists, or makes it."""

    fields: tuple[str, ...]
    _derived: tuple[tuple[str, Callable[[Any], object]], ...]

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Interning:
        """A class with a slot for each annotated name; names with values, other than `derived`, are constants of it."""
        fields = tuple(field for field in namespace.get("__annotations__", ()) if field not in namespace)
        later = {field: value.function for field, value in namespace.items() if isinstance(value, _Derived)}
        body = {field: value for field, value in namespace.items() if field not in later}
        made = super().__new__(cls, name, bases, body | {"__slots__": (*fields, *later), "__match_args__": fields})
        made.fields, made._derived = fields, tuple(later.items())
        return made

    if not TYPE_CHECKING:  # a type checker takes the parameters from the fields of each class

        def __call__(cls, *arguments: object) -> Any:
            """The value of this class with these arguments."""
            key = (cls, *arguments)
            found = _VALUES.get(key)
            return cls.enter(key, arguments) if found is None else found

    def enter(cls, key: tuple[object, ...], arguments: tuple[object, ...]) -> Any:
        """The value known by `key`, which is made of `arguments` unless another thread was quicker."""
        with _LOCK:
            found: Any = _VALUES.get(key)
            if found is None:
                if len(_VALUES) >= _SWEEPING.most:
                    _SWEEPING.make_room()
                found = _VALUES[key] = cls._made(arguments)
            return found

    def _made(cls, arguments: tuple[object, ...]) -> Any:
        """A new value; a `TypeError` says that there are too few arguments or too many."""
        if len(arguments) != len(cls.fields):
            raise TypeError(f"{cls.__name__} is made of {', '.join(cls.fields) or 'nothing'}; given are {arguments}")
        value: Any = super().__call__()
        for field, argument in zip(cls.fields, arguments, strict=True):
            object.__setattr__(value, field, argument)
        for field, function in cls._derived:
            object.__setattr__(value, field, function(value))
        return value


class Interned(metaclass=Interning):
    """Base of classes whose construction returns the same object for the same arguments, given by position.

    The fields of a class are what it annotates. Equality and hashing are those of the identity, however deep the value
    is; unpickling and copying intern again, so that identity survives the way to another process. Threads may build
    values at the same time. What a value is made of does not lead back to it.
    """

    def __setattr__(self, name: str, value: object) -> Never:
        """Refused."""
        raise AttributeError(f"{type(self).__name__} does not change: {name}")

    def __repr__(self) -> str:
        """The call that makes it, with the names of its fields."""
        parts = (f"{field}={getattr(self, field)!r}" for field in type(self).fields)
        return f"{type(self).__name__}({', '.join(parts)})"

    def __reduce__(self) -> tuple[object, ...]:
        """The call that makes it."""
        return type(self), tuple(getattr(self, field) for field in type(self).fields)


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
