"""Names that a converted test may use for what has none in the original."""

from __future__ import annotations

import re
from itertools import chain, count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


def words_of(text: str) -> frozenset[str]:
    """The words of a text: every name in it, and more."""
    return frozenset(re.findall(r"\w+", text))


def free_name(taken: Collection[str], *names: str) -> str:
    """The first of some names that is not taken; where all are, the last with the least number that is free.

    >>> free_name({"it", "item", "item_2"}, "it", "item")
    'item_3'
    """
    numbered = (f"{names[-1]}_{number}" for number in count(2))
    return next(name for name in chain(names, numbered) if name not in taken)
