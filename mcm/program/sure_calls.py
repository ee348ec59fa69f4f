"""The commands that a thread enqueues in every run that comes so far, whatever it reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program import instruction as hir
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LEAVING: Final = (hir.Return, hir.Break, hir.Continue)
# Statements behind whose choice or exit a call is not made in every run.
_CHOOSING: Final = (hir.If, hir.Switch, hir.Loop, hir.Logical, hir.Conditional, *_LEAVING)


def sure_calls(statements: Sequence[hir.Statement]) -> Iterator[int]:
    """The numbers of the commands; none behind what may leave the statements."""
    for statement in statements:
        inside = list(walk(statement))
        is_straight = not any(isinstance(node, _CHOOSING) for node in inside)
        if is_straight:
            yield from (node.command for node in inside if isinstance(node, hir.Enqueue))
        elif isinstance(statement, hir.Block):
            yield from sure_calls(statement.statements)
        if any(isinstance(node, _LEAVING) for node in inside):
            return
