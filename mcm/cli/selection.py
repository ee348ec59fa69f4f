"""Names of models and rules on the command line: known, or a usage error with a suggestion."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from mcm import ALL_MODELS, DIALECTS, InputError, LimitReachedError, shared_session, time_limit
from mcm.cli.alarm import interrupt_at_time_limits, memory_limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import click

    from mcm import ChosenModel, Limits, SolverName

# Codes of what is wrong with a name, not with the text of a model.
_UNKNOWN_MODEL = "E400"
_UNREADABLE_MODEL = "E401"


@contextmanager
def limited(limits: Limits) -> Iterator[None]:
    """The limits hold within, for the loading of models."""
    interrupt_at_time_limits()
    try:
        with time_limit(limits.seconds), memory_limit(limits.megabytes):
            yield
    except (LimitReachedError, MemoryError) as reached:
        reason = reached.reason if isinstance(reached, LimitReachedError) else "memory"
        message = f"the model could not be loaded within the limits ({reason})"
        raise _bad_parameter(message, "--model") from None


def known_models(names: Iterable[str], option: str = "--model") -> tuple[str | ChosenModel, ...]:
    """The models of these names, those in files loaded, so that workers need not read them again.

    A name is a built-in model, `all`, or the path of a .cat file; mistakes in such a file are InputErrors. `option` is
    where they are given.
    """
    return tuple(name if name == ALL_MODELS else _known_model(name, option) for name in names)


def _known_model(name: str, option: str) -> str | ChosenModel:
    try:
        model = shared_session().load_model(name)
    except InputError as error:
        (first, *_) = error.diagnostics
        if first.code == _UNKNOWN_MODEL:
            stated, mark, meant = first.message.partition("; did you mean")
            hint = f"{mark}{meant}"
            message = f"{stated}; `mcm models` lists them, and the path of a model of your own ends in .cat{hint}"
        elif first.code == _UNREADABLE_MODEL:
            message = f"cannot read '{name}': {first.message}"
        else:
            raise
        raise _bad_parameter(message, option) from None
    return model if name.endswith(".cat") else name


def require_known_rules(asked: Sequence[str | ChosenModel], identifiers: Sequence[str]) -> None:
    """A rule that is left out is one of some model that is asked for, or one of the language's own."""
    try:
        shared_session().require_rules(asked or [dialect.default_model for dialect in DIALECTS], identifiers)
    except InputError as error:
        message = f"{error.diagnostics[0].message}; `mcm rules MODEL` lists them"
        raise _bad_parameter(message, "--without") from None


def require_known_profile(text: str | None) -> None:
    """A profile is known by name, or is a comma list of features."""
    if text is None:
        return
    from mcm import UnknownFeatureError, profile

    try:
        profile(text)
    except UnknownFeatureError as error:
        raise _bad_parameter(str(error), "--caps") from None


def require_installed_solver(solver: SolverName) -> None:
    """A solver that is asked for is there, or the message says how to get it."""
    from mcm import SolverName

    if solver is not SolverName.CADICAL:
        # It comes with mcm, or is not asked for by name.
        return
    # Imported here: it is about the solver, which most commands need not.
    from mcm import missing_distribution

    missing = missing_distribution(solver)
    if missing is not None:
        message = f"'{solver.value}' needs {missing}, which is not installed: pip install 'mcm[fast]'"
        raise _bad_parameter(message, "--solver")


def _bad_parameter(message: str, option: str) -> click.BadParameter:
    # Imported here, as wherever a check may end in a usage error: a small one needs nothing else of click.
    import click

    return click.BadParameter(message, param_hint=option)
