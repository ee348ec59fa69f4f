"""Did you mean …?"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

# As many of the nearest words are asked which of them comes first.
_MOST_CLOSE: Final = 8


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` is most probably a misspelling of, or None.

    >>> nearest("atomic_laod", ["atomic_load", "atomic_store"])
    'atomic_load'
    >>> nearest("banana", ["atomic_load"]) is None
    True

    Of a word whose length is quite another too much would be missing, unless it is the end. Of words that are as near
    as each other the first one is meant, by their order, or of a set by the alphabet.

    >>> nearest("foo", ["floor"]) is None, nearest("opencl", ["opencl-3.1"])
    (True, 'opencl-3.1')
    >>> nearest("opencl3", ["opencl-3.0", "opencl-3.1"])
    'opencl-3.0'
    """
    # Imported here: the module costs a millisecond, and only wrong input needs it.
    from difflib import SequenceMatcher, get_close_matches  # noqa: PLC0415

    typed, by_lower = word.lower(), dict[str, str]()
    most = max(1, len(word) // 2)
    for choice in sorted(known) if isinstance(known, AbstractSet) else known:
        lower = choice.lower()
        if abs(len(lower) - len(word)) <= most or lower.startswith(typed):
            by_lower.setdefault(lower, choice)
    close = get_close_matches(typed, list(by_lower), n=_MOST_CLOSE, cutoff=0.7)
    if not close:
        return None
    alike = {choice: SequenceMatcher(None, choice, typed).ratio() for choice in close}
    return next(by_lower[choice] for choice in by_lower if alike.get(choice) == max(alike.values()))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The words `; did you mean '…'?`, or nothing, to be put after a message.

    >>> did_you_mean("memory_scope_devise", ["memory_scope_device"])
    "; did you mean 'memory_scope_device'?"
    """
    found = nearest(word, known)
    return "" if found is None else f"; did you mean '{found}'?"
