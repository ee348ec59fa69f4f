"""A cache that keeps the values which were used last."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """At most `size` values by key; the one that was not used for longest goes first. Threads may share it."""

    def __init__(self, size: int) -> None:
        """ValueError for a size below 0."""
        if size < 0:
            message = f"size is at least 0, found {size}"
            raise ValueError(message)
        self._size = size
        self._values: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = Lock()

    def __reduce__(self) -> tuple[type[Recent[Value]], tuple[int]]:
        """A copy, as of a result that goes to another process, begins empty: values are made again when asked for."""
        return Recent, (self._size,)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made if it is not kept; two threads may make it at once, and then share one.

        What `make` raises is passed on, and nothing is kept.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            kept = self._values.setdefault(key, made)
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
        return kept

    def forget(self, key: Hashable) -> None:
        """Drop the value of a key, if it is kept."""
        with self._lock:
            self._values.pop(key, None)

    def kept(self) -> tuple[Hashable, ...]:
        """The keys of what is kept, that of the value which was used last at the end."""
        with self._lock:
            return tuple(self._values)
