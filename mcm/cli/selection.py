"""Names of models and rules on the command line: known, or a usage error with a suggestion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mcm.base.dialect import DIALECTS
from mcm.base.suggest import did_you_mean
from mcm.execution.skeleton import FAULT_RULES
from mcm.models import registry
from mcm.models.rules import rules
from mcm.models.selection import ALL_MODELS, load_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.answer.query import SolverName
    from mcm.cat.model import Model


def require_known_models(names: Iterable[str]) -> None:
    """A name is a built-in model, `all`, or the path of a .cat file; mistakes in such a file are InputErrors."""
    for name in names:
        try:
            load_models(name)
        except registry.UnknownModelError as error:
            message = f"{error}; `mcm models` lists them, and the path of a model of your own ends in .cat"
            raise click.BadParameter(message, param_hint="--model") from None
        except (OSError, UnicodeDecodeError) as error:
            raise click.BadParameter(f"cannot read '{name}': {error}", param_hint="--model") from None


def require_known_rules(models: Sequence[str], identifiers: Sequence[str]) -> None:
    """A rule that is left out is one of some model that is asked for, or one of the language's own."""
    if not identifiers:
        return
    names = models or [dialect.default_model for dialect in DIALECTS]
    known = {
        *FAULT_RULES,
        *(
            rule
            for name in names
            for model in load_models(name)
            for entry in rules(model)
            for rule in entry.rule.identifiers
        ),
    }
    for identifier in identifiers:
        if identifier not in known:
            raise click.BadParameter(
                f"no rule '{identifier}' in {' or '.join(names)}{did_you_mean(identifier, known)};"
                " `mcm rules MODEL` lists them",
                param_hint="--without",
            )


def require_known_profile(text: str | None) -> None:
    """A profile is known by name, or is a comma list of features."""
    if text is None:
        return
    from mcm.program.capability import UnknownFeatureError, profile

    try:
        profile(text)
    except UnknownFeatureError as error:
        raise click.BadParameter(str(error), param_hint="--caps") from None


def require_installed_solver(solver: SolverName) -> None:
    """A solver that is asked for is there, or the message says how to get it."""
    from mcm.engine.smt.solver import missing_distribution

    missing = missing_distribution(solver)
    if missing is not None:
        message = f"'{solver.value}' needs {missing}, which is not installed: pip install 'mcm[fast]'"
        raise click.BadParameter(message, param_hint="--solver")


def load_models(name: str) -> tuple[Model, ...]:
    """The models that one word of the command line names."""
    return tuple(load_model(one) for one in (registry.names() if name == ALL_MODELS else (name,)))
