"""Primitives of the Linux kernel: litmus tests in C are written for its memory model, too."""

from __future__ import annotations

import re
from typing import Final

# What comes nearest to some of them.
_NEAREST: Final[dict[str, str]] = {
    "READ_ONCE": "a relaxed atomic load",
    "WRITE_ONCE": "a relaxed atomic store",
    "smp_load_acquire": "an acquire load",
    "smp_store_release": "a release store",
    "smp_mb": "a seq_cst fence",
    "smp_rmb": "an acquire fence",
    "smp_wmb": "a release fence",
}
_OTHERS: Final = re.compile(
    r"smp_mb__\w+|rcu_\w+|synchronize_(?:s?rcu|rcu_expedited)|srcu_\w+|spin_(?:un)?lock|spin_trylock|spin_is_locked"
    r"|(?:cmp)?xchg(?:_relaxed|_acquire|_release)?|atomic_(?:read|set|add_return|sub_return|inc_return)(?:_\w+)?"
)


def about_linux(name: str) -> str:
    """The end of a message about a function that is the Linux kernel's; nothing for any other.

    >>> about_linux("smp_mb")
    ': it belongs to the Linux kernel, whose memory model is another one; what comes nearest is a seq_cst fence'
    >>> about_linux("smp_map")
    ''
    """
    nearest = _NEAREST.get(name)
    if nearest is None and _OTHERS.fullmatch(name) is None:
        return ""
    advice = "" if nearest is None else f"; what comes nearest is {nearest}"
    return f": it belongs to the Linux kernel, whose memory model is another one{advice}"
