"""Mappings that do not change."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class FrozenMapping(Mapping[Key, Value]):
    """A mapping that keeps its order, can be hashed and pickled, and equals any mapping of the same items.

    >>> values = FrozenMapping({"x": 1})
    >>> values["x"], values == {"x": 1}
    (1, True)
    """

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, Value]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: Key) -> Value:
        """The value of a key; KeyError if there is none."""
        return self._items[key]

    def items(self) -> ItemsView[Key, Value]:
        """The items, in order: those of a dictionary, which are got at sooner than one by one."""
        return self._items.items()

    def __iter__(self) -> Iterator[Key]:
        """The keys, in order."""
        return iter(self._items)

    def __len__(self) -> int:
        """How many items there are."""
        return len(self._items)

    def __hash__(self) -> int:
        """The hash of the items, whatever their order."""
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        """As a dictionary is shown."""
        return repr(self._items)
