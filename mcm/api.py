"""What `import mcm` offers to call: each function uses one session that all callers share."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Unpack

from mcm.catalogue import registry
from mcm.keywords import check_options, one_model
from mcm.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.answer.result import Found, Result
    from mcm.answer.run_result import RunResult
    from mcm.catalogue.library import ChosenModel, ModelLike
    from mcm.catalogue.rules import RuleEntry
    from mcm.command_graph.graph import CommandGraph
    from mcm.front_end.test import Test
    from mcm.keywords import CheckKeywords, RunKeywords
    from mcm.session import TestLike


@cache
def shared_session() -> Session:
    """The session of the functions of this module."""
    return Session()


def parse(test: TestLike) -> Test:
    """The test that a text of several lines or a file is; InputError with all that is wrong with it."""
    return shared_session().parse(test)


def load_model(model: ModelLike, without: Iterable[str] = ()) -> ChosenModel:
    """A built-in model by name or a user's by path, less some rules; InputError when there is no such model or rule."""
    return shared_session().load_model(model, without)


def models() -> tuple[str, ...]:
    """The names of the built-in models."""
    return registry.names()


def rules(model: ModelLike) -> tuple[RuleEntry, ...]:
    """The rules that a model states, in the order of its text."""
    from mcm.catalogue.rules import rules as rules_of  # noqa: PLC0415 - most users ask for results

    return rules_of(load_model(model).model)


def check(test: TestLike, model: ModelLike | None = None, **keywords: Unpack[CheckKeywords]) -> Found:
    """What a model allows for a test; where none is given, the model of the test's dialect.

    Raises InputError when there is no test, it is no program, or there is no such model.
    """
    return shared_session().check(test, model, **keywords)


def check_all(
    test: TestLike, models: Iterable[ModelLike] = (), **keywords: Unpack[CheckKeywords]
) -> tuple[Result, ...]:
    """The results of a test under several models, or all of them (`["all"]`).

    A test that is invalid or cannot be read is a result too; InputError is raised for what is wrong with the models.
    """
    return shared_session().check_all(test, models, **keywords)


def commands(
    test: TestLike, model: ModelLike | None = None, *, without: Sequence[str] = (), bound: int | None = None
) -> CommandGraph:
    """How the commands of a test are ordered by a model; where none is given, by that of the test's dialect.

    Raises InputError when there is no test, it is no program, or there is no such model.
    """
    options = check_options(one_model(model), {"without": without, "bound": bound})
    return shared_session().command_graph(test, options)


def run(test: TestLike, **keywords: Unpack[RunKeywords]) -> RunResult:
    """What an abstract machine does with a test; InputError when there is no test, or it is no program."""
    return shared_session().run(test, **keywords)
