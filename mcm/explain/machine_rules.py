"""Whose rules the machine follows, and so whether what it shows contradicts a model that excludes it.

On one store it follows the model `sc`; on weak memory, and in what it calls a race, the default model of the dialect. A
model that asks no more than that one must allow what the machine shows; the terms of both tell. Any other may be
stronger: C11 knows no scopes, so that it orders more than OpenCL does, and of a user's model nothing is known. Then the
model that the machine follows is asked about the same test. If it excludes what was seen as well, the machine is wrong,
or the engine; if it does not, the two models differ, which contradicts nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mcm.answer.result import Judged, Undecided
from mcm.catalogue import registry
from mcm.catalogue.library import ChosenModel
from mcm.execution.skeleton import IMPL_DEFINED_FAULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeGuard

    from mcm.answer.result import Found, Problem, Result, WaitingUnit
    from mcm.base.source import Span
    from mcm.cat.model import Check, Flag, Model
    from mcm.program.program import Program
    from mcm.relation.term import Term

# The values of a final state by name, as reports show them.
ShownValues = tuple[tuple[str, "int | float | str"], ...]

# The memory that is one store, and the model of what it shows.
_ONE_STORE: Final = "interleaving"
_SEQUENTIAL: Final = "sc"

# The kinds of problems that are faults of the program, whatever the model; others are flags of models.
FAULTS: Final = frozenset(
    {
        *("barrier-divergence", "copy-misuse", "reservation-misuse", "division-by-zero", "division-overflow"),
        *("out-of-bounds", "private-atomic", "unrelated-pointers", *IMPL_DEFINED_FAULTS),
    }
)


class MachineRules:
    """The rules that the machine follows for one program; `judge` gives the result of the test under another model.

    Each method says why something that a model excludes, and that was seen on a memory, contradicts nothing; None if it
    does contradict the model.
    """

    def __init__(self, program: Program, judge: Callable[[ChosenModel], Result]) -> None:
        self._default: Final = program.dialect.default_model
        self._built_in: Final = partial(registry.get_for, extent=program.extent)
        self._judge: Final = judge
        self._results: Final[dict[str, Result]] = {}

    def excuse_state(self, model: ChosenModel, memory: str, values: ShownValues) -> str | None:
        """Why a final state is no contradiction."""
        followed = self._followed(memory)

        def allows(result: Found) -> bool:
            return any(tuple(state.values.items()) == values for state in result.states)

        reason = f"{model.name} forbids what {followed.name} allows, whose rules {_memory(memory)} follows"
        return self._excuse(model, followed, allows, reason)

    def excuse_problem(self, model: ChosenModel, memory: str, problem: Problem) -> str | None:
        """Why a problem is no contradiction."""
        is_fault = problem.kind in FAULTS
        followed = self._followed(memory) if is_fault else self._chosen(self._default)
        name = problem.kind.replace("-", "_")
        own = _flag(model.model, name)
        if own is None and not is_fault:
            return f"{model.name} raises no flag '{name}'"

        def finds(result: Found) -> bool:
            return any(known.kind == problem.kind for known in (*result.undefined, *result.impl_defined, *result.flags))

        kind = problem.kind.replace("-", " ")
        reason = f"{model.name} finds no {kind} where {followed.name} does, whose rules the machine follows"
        is_alike = is_fault or _alike(own, _flag(followed.model, name))
        return self._excuse(model, followed, finds, reason, is_alike=is_alike)

    def excuse_blocked(self, model: ChosenModel, memory: str, units: tuple[WaitingUnit, ...]) -> str | None:
        """Why units that wait for ever are no contradiction."""
        followed = self._followed(memory)
        reason = f"{model.name} lets units go on that wait under {followed.name}, whose rules {_memory(memory)} follows"
        return self._excuse(model, followed, lambda result: is_known_to_wait(units, result), reason)

    def _excuse(
        self,
        model: ChosenModel,
        followed: ChosenModel,
        has_it: Callable[[Found], bool],
        reason: str,
        *,
        is_alike: bool = True,
    ) -> str | None:
        """The reason, if the model that the machine follows has what was seen; or that it has no complete answer.

        None where a model that asks no more has to have it too, if it looks at it alike.
        """
        if is_alike and asks_no_more(model, followed, self._built_in):
            return None
        result = self._result(followed)
        if not _is_complete(result):
            return _no_answer(followed)
        return reason if has_it(result) else None

    def _followed(self, memory: str) -> ChosenModel:
        return self._chosen(_SEQUENTIAL if memory == _ONE_STORE else self._default)

    def _chosen(self, name: str) -> ChosenModel:
        return ChosenModel(self._built_in(name), (name,))

    def _result(self, model: ChosenModel) -> Result:
        if model.name not in self._results:
            self._results[model.name] = self._judge(model)
        return self._results[model.name]


def asks_no_more(model: ChosenModel, other: ChosenModel, built_in: Callable[[str], Model] = registry.get) -> bool:
    """Whether a model allows all that another allows, as far as their terms show: its checks are among the other's.

    `built_in` gives built-in models in the same form, with what is about commands or without.
    No built-in model is stronger than `sc` for programs without undefined behaviour; that is not seen from the terms.
    """
    if other.keys[0] == _SEQUENTIAL:
        return model.keys[0] in registry.names() or any(
            _is_part(model.model, built_in(name)) for name in registry.names()
        )
    return _is_part(model.model, other.model)


def _is_part(model: Model, other: Model) -> bool:
    """Whether all checks of a model are checks of another."""
    known = {_demand(check) for check in other.checks}
    return set(model.linearisations) <= set(other.linearisations) and all(
        _demand(check) in known for check in model.checks
    )


def is_known_to_wait(units: tuple[WaitingUnit, ...], result: Found) -> bool:
    """Whether units wait at the places of some execution of a result. A result has the least sets of places."""
    return any(_are_among(known.units, units) for known in result.blocked)


def _are_among(some: Iterable[WaitingUnit], units: Iterable[WaitingUnit]) -> bool:
    """Whether units wait at each place of some others; which units of a kernel wait there does not matter."""
    return all(any(_overlap(one.span, unit.span) for unit in units) for one in some)


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _demand(check: Check | Flag) -> tuple[str, bool, Term]:
    return check.shape.value, check.negated, check.term


def _flag(model: Model, name: str) -> Flag | None:
    return next((flag for flag in model.flags if flag.name == name), None)


def _alike(one: Flag | None, other: Flag | None) -> bool:
    return one is not None and other is not None and _demand(one) == _demand(other)


def _is_complete(result: Result) -> TypeGuard[Found]:
    return isinstance(result, Judged | Undecided) and result.complete


def _memory(memory: str) -> str:
    return f"the memory {memory}"


def _no_answer(model: ChosenModel) -> str:
    return f"{model.name}, whose rules the machine follows, has no complete answer"
