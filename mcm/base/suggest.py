"""Did you mean …?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is most probably a misspelling of, or None.

    >>> nearest("atomic_laod", ["atomic_load", "atomic_store"])
    'atomic_load'
    >>> nearest("banana", ["atomic_load"]) is None
    True

    Of a word whose length is quite another too much would be missing, unless it is the end:

    >>> nearest("foo", ["floor"]) is None, nearest("opencl", ["opencl-3.1"])
    (True, 'opencl-3.1')
    """
    # Imported here: the module costs a millisecond, and only wrong input needs it.
    from difflib import get_close_matches  # noqa: PLC0415

    choices = sorted(set(known))
    by_lower = {choice.lower(): choice for choice in reversed(choices)}
    most = max(1, len(word) // 3)
    alike = [lower for lower in by_lower if abs(len(lower) - len(word)) <= most or lower.startswith(word.lower())]
    found = get_close_matches(word.lower(), alike, n=1, cutoff=0.7)
    return by_lower[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The words `; did you mean '…'?`, or nothing, to be put after a message.

    >>> did_you_mean("memory_scope_devise", ["memory_scope_device"])
    "; did you mean 'memory_scope_device'?"
    """
    found = nearest(word, known)
    return "" if found is None else f"; did you mean '{found}'?"
