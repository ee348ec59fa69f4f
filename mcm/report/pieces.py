"""Long texts piece by piece: of a test with a million final states no more is kept than what is printed at once."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LINES: Final = 1000
# What is printed is flushed, which takes time.
_CHARACTERS: Final = 1 << 16


def pieces(lines: Iterable[str], between: str = "\n") -> Iterator[str]:
    """The lines, many at a time, with `between` between any two of them."""
    waiting = iter(lines)
    gap = ""
    while some := list(islice(waiting, _LINES)):
        yield f"{gap}{between.join(some)}"
        gap = between


def gathered(texts: Iterable[str]) -> Iterator[str]:
    """The texts together: in one piece, or in pieces of some size where they are long."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        waiting.append(text)
        size += len(text)
        if size >= _CHARACTERS:
            yield "".join(waiting)
            waiting.clear()
            size = 0
    if waiting:
        yield "".join(waiting)
