"""The context of Z3 in which everything of one thread is built."""

from __future__ import annotations

import threading
from typing import Final

import z3

# A context of Z3 is for one thread at a time. Z3 has one from the start, which is the main thread's.
_CONTEXTS: Final = threading.local()


def context_of_this_thread() -> z3.Context:
    """The context of this thread."""
    if threading.current_thread() is threading.main_thread():
        return z3.main_ctx()
    if not hasattr(_CONTEXTS, "own"):
        _CONTEXTS.own = z3.Context()
    return _CONTEXTS.own
