"""Smaller texts that still show the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz.mutators import WORD

if TYPE_CHECKING:
    from collections.abc import Callable

# Attempts, not seconds: what is found does not depend on the machine.
MOST_ATTEMPTS: Final = 300


def shrink(text: str, shows: Callable[[str], bool], attempts: int = MOST_ATTEMPTS) -> str:
    """Leave out lines and then words, as long as the rest still `shows` it."""
    for parts in (text.splitlines(keepends=True), None):
        pieces = WORD.findall(text) if parts is None else parts
        size = max(1, len(pieces) // 2)
        while attempts > 0:
            at = 0
            while at < len(pieces) and attempts > 0:
                smaller = pieces[:at] + pieces[at + size :]
                attempts -= 1
                if shows("".join(smaller)):
                    pieces = smaller
                else:
                    at += size
            if size == 1:
                break
            size = max(1, size // 2)
        text = "".join(pieces)
    return text
