"""Sizes of sub-groups that no attribute chooses: here a work-group is one sub-group, which is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Diagnostic, Severity
from mcm.front_end.cpp.words import texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.pieces import Piece

_CHOICE: Final = "reqd_sub_group_size"
# What depends on which work-items are in one sub-group.
_USES: Final = frozenset({"get_sub_group", "this_sub_group", "memory_scope_sub_group"})
_SCOPE: Final = ("memory_scope", "::", "sub_group")


def supposed_sub_groups(words: Sequence[Piece]) -> tuple[Diagnostic, ...]:
    """What is told of the first use of sub-groups in a program that never says how large they are."""
    if any(word.text == _CHOICE for word in words):
        return ()
    for number, word in enumerate(words):
        is_scope = number > 1 and texts(words, number - 2, 3) == _SCOPE
        if (is_scope or word.text in _USES) and word.span is not None:
            message = (
                "each device chooses the size of sub-groups, and here a work-group is one sub-group: with "
                f"'[[sycl::{_CHOICE}(N)]]' behind the parameters of the kernel the verdict may differ"
            )
            return (Diagnostic("W155", message, word.span, Severity.WARNING),)
    return ()
