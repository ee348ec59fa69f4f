"""Whether some values agree with what is decided of an execution, asked once: no model has a say in it.

Who explains an outcome asks about one program under many sets of rules, and meets the same executions again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.deadline import want_solver
from mcm.base.recent import Recent
from mcm.engine.equations.circles import has_no_solution
from mcm.engine.equations.trial import tried

if TYPE_CHECKING:
    from collections.abc import Hashable

    from mcm.engine.equations.decided import DecidedExecution
    from mcm.engine.equations.solving import Left
    from mcm.engine.equations.system import Equations

# Answers are kept for so many programs, of which one may have two skeletons, and of each for so many executions.
_PROGRAMS: Final = 8
_MOST: Final = 1 << 14


class _Answers(Struct, frozen=True):
    """What is known of the executions of a program; its `parts` are kept so that their identities are."""

    parts: tuple[object, ...]
    found: dict[Hashable, bool]


_ANSWERS: Final[Recent[_Answers]] = Recent(_PROGRAMS)


def is_possible(decided: DecidedExecution, left: Left) -> bool:
    """Whether some values agree with what is decided. Raises UndecidedEquationsError."""
    answers, key = _answers(decided), _key(decided)
    known = answers.get(key)
    if known is None:
        known = tried(decided)
        if known is None:
            return solvable(decided, left) is not None
        _keep(answers, key, is_solved=known)
    return known


def solvable(decided: DecidedExecution, left: Left) -> Equations | None:
    """The equations of an execution; None where no values solve them. Raises UndecidedEquationsError."""
    answers, key = _answers(decided), _key(decided)
    if answers.get(key) is False:
        return None
    equations = None if has_no_solution(decided) else _solved(decided, left)
    _keep(answers, key, is_solved=equations is not None)
    return equations


def _keep(answers: dict[Hashable, bool], key: Hashable, *, is_solved: bool) -> None:
    if len(answers) < _MOST:
        answers[key] = is_solved


def _solved(decided: DecidedExecution, left: Left) -> Equations | None:
    want_solver()
    # Imported here, because it loads Z3.
    from mcm.engine.equations.system import Equations  # noqa: PLC0415

    equations = Equations(decided, left)
    return equations if equations.is_possible() else None


def _answers(decided: DecidedExecution) -> dict[Hashable, bool]:
    """Those about the program of this execution. Sets and relations of a skeleton are for models, and no part of it."""
    skeleton = decided.skeleton
    parts = (skeleton.program, skeleton.events, skeleton.constraints, skeleton.stops)
    return _ANSWERS.get(tuple(map(id, parts)), lambda: _Answers(parts, {})).found


def _key(decided: DecidedExecution) -> Hashable:
    return (
        decided.executed,
        decided.skipped,
        frozenset(decided.sources.items()),
        frozenset(decided.locations.items()),
        frozenset(decided.known.items()),
        decided.choices,
        frozenset(decided.supposed.items()),
    )
