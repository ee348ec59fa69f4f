"""Which reads and choices expressions mention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.evaluate import subexpressions
from mcm.execution.expression import Choice, ReadValue, is_large, operands, parts

if TYPE_CHECKING:
    from mcm.execution.expression import Expression

_Atoms = frozenset[ReadValue | Choice]


class Mentions:
    """The reads and choices of expressions; those of large parts are kept, as large expressions share most of theirs.

    The guards behind a loop are each the one before and a test more.
    """

    def __init__(self) -> None:
        self._known: Final[dict[Expression, _Atoms]] = {}

    def of(self, expression: Expression) -> _Atoms:
        """What an expression mentions."""
        if not is_large(expression):
            return _of_small(expression)
        known = self._known
        for part in parts(expression, lambda each: is_large(each) and each not in known):
            if is_large(part) and part not in known:
                inside = (known[each] if is_large(each) else _of_small(each) for each in operands(part))
                known[part] = frozenset[ReadValue | Choice]().union(*inside)
        return known[expression]


def _of_small(expression: Expression) -> _Atoms:
    return frozenset([part for part in subexpressions(expression) if isinstance(part, (ReadValue, Choice))])
