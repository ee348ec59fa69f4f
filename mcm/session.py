"""A session: checks and runs tests, and keeps the tests and models that it has read."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Final, Unpack

from msgspec.structs import replace

from mcm.answer.result import Checked, Judged, Undecided, Unreadable
from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.recent import Recent
from mcm.base.source import Source, Span
from mcm.base.suggest import did_you_mean
from mcm.catalogue.library import ChosenModel, Library, all_of, model_names, without_load_buffering
from mcm.catalogue.rules import rules as rules_of
from mcm.execution.elaborate import elaborate
from mcm.execution.skeleton import FAULT_RULES
from mcm.explain.expectation import require_known_models
from mcm.front_end.read import read_test
from mcm.front_end.test import InvalidTestError, Test
from mcm.keywords import check_options, run_options
from mcm.pipeline import check, invalid
from mcm.program.header import DEFAULT_MODEL
from mcm.syntax.read import read_source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.machine_comparison import MachineComparison
    from mcm.answer.result import Found, Result
    from mcm.answer.run_result import RunResult
    from mcm.asking import Elaborate, Options
    from mcm.catalogue.library import ModelLike
    from mcm.execute import RunOptions
    from mcm.execution.skeleton import Skeleton
    from mcm.keywords import CheckKeywords, RunKeywords
    from mcm.program.header import Header

# A test as users give it: a text (of several lines), the path of a file, or what `parse` returned.
TestLike = str | PathLike[str] | Source | Test

_KEPT: Final = 64


class Session:
    """Checks and runs tests. It keeps what it has read and elaborated last, by content; threads may share it."""

    def __init__(self, size: int = _KEPT) -> None:
        self._tests: Recent[Test] = Recent(size)
        self._elaborated: Recent[tuple[Skeleton, ...]] = Recent(size)
        self._library = Library(size)

    def parse(self, test: TestLike) -> Test:
        """The test that a text or a file is; InputError with all that is wrong with it."""
        if isinstance(test, Test):
            return test
        source = source_of(test)
        return self._tests.get(source, lambda: read_test(source))

    def load_model(self, model: ModelLike, without: Iterable[str] = ()) -> ChosenModel:
        """A built-in model by name or a user's by path, less some rules.

        Raises InputError when there is no such model, its text is wrong, or it does not state one of the rules.
        """
        removed = tuple(without)
        self.require_rules((model,), removed)
        return self._library.choose(model, removed)

    def require_rules(self, models: Iterable[ModelLike], rules: Iterable[str]) -> None:
        """Raise InputError unless each rule is one of the language's own, or stated by some of the models."""
        wanted, named = tuple(rules), tuple(models)
        if not (wanted and named):
            return
        chosen = [self._library.choose(model) for one in named for model in all_of(one)]
        known = {*FAULT_RULES, *(i for one in chosen for entry in rules_of(one.model) for i in entry.rule.identifiers)}
        for rule in wanted:
            if rule not in known:
                where = " or ".join(one.name for one in chosen)
                message = f"no rule '{rule}' in {where}{did_you_mean(rule, known)}"
                raise InputError(Diagnostic("E402", message, Span(Source(rule, ""), 0, 0)))

    def check(self, test: TestLike, model: ModelLike | None = None, **keywords: Unpack[CheckKeywords]) -> Found:
        """What a model allows for a test; where none is given, the model of the test's dialect.

        Raises InputError when there is no test, it is no program, or there is no such model.
        """
        options = check_options(() if model is None else (model,), keywords)
        read = self.parse(test)
        self.require_rules(model_names(options.models, read.header.dialect), options.without)
        models = self._models(read.header, options)
        _require(read, models, options)
        return check(read, models[0], options, self._elaborate(read, options))

    def check_all(
        self, test: TestLike, models: Iterable[ModelLike] = (), **keywords: Unpack[CheckKeywords]
    ) -> tuple[Result, ...]:
        """The results of a test under several models, or all of them (`["all"]`).

        A test that is invalid or cannot be read is a result too; InputError is raised for what is wrong with the
        models.
        """
        options = check_options(models, keywords)
        self.require_rules(options.models, options.without)
        return self.results(test, options)

    def run(self, test: TestLike, **keywords: Unpack[RunKeywords]) -> RunResult:
        """What an abstract machine does with a test; InputError when there is no test, or it is no program."""
        return self.execute(test, run_options(keywords))

    def results(self, test: TestLike, options: Options) -> tuple[Result, ...]:
        """As `check_all`."""
        return tuple(result for _, result in self._results(test, options))

    def compare(self, test: TestLike, options: Options) -> Checked:
        """The results of one test, with the rules that separate neighbouring models."""
        # Imported here: most checks need none of it.
        from mcm.explain.difference import separations  # noqa: PLC0415

        def judge(model: ChosenModel, rule: str) -> Result:
            less = self._library.choose(model, (rule,))
            return self.results(test, replace(options, models=(less,), without=()))[0]

        results = self._results(test, options)
        judged = [(model, result) for model, result in results if model is not None]
        return Checked(tuple(result for _, result in results), separations(judged, judge))

    def execute(self, test: TestLike, options: RunOptions) -> RunResult:
        """As `run`."""
        # Imported here: a check needs none of the machine.
        from mcm.execute import execute  # noqa: PLC0415

        return execute(self.parse(test), options)

    def check_and_run(
        self, test: TestLike, options: Options, runs: int, seed: int
    ) -> tuple[MachineComparison | Result, ...]:
        """Check a test and run it: one comparison for each model, or the results alone if the test is not a program."""
        from mcm.machine_comparison import compare_with_machine  # noqa: PLC0415 - see `execute`

        results = self._results(test, options)
        found = [(model, result) for model, result in results if model and isinstance(result, Judged | Undecided)]
        if len(found) != len(results):
            return tuple(result for _, result in results)

        def stricter(model: ChosenModel) -> Result:
            return self.results(test, replace(options, models=(without_load_buffering(model),), without=()))[0]

        return compare_with_machine(self.parse(test), found, stricter, runs, seed)

    def unreadable(self, why: InputError | Diagnostic, options: Options) -> Unreadable:
        """The result for a text that is not a test."""
        diagnostics = why.diagnostics if isinstance(why, InputError) else (why,)
        file = diagnostics[0].span.source.name
        return Unreadable(file=file, model=names_of(options), bound=options.bound, diagnostics=diagnostics)

    def _results(self, test: TestLike, options: Options) -> list[tuple[ChosenModel | None, Result]]:
        """The results, each with its model; a text that is not a test has one result, without a model."""
        try:
            read = self.parse(test)
        except InvalidTestError as error:
            return [
                (model, invalid(error, error.header, model, options)) for model in self._models(error.header, options)
            ]
        except InputError as error:
            return [(None, self.unreadable(error, options))]
        models = self._models(read.header, options)
        try:
            _require(read, models, options)
            elaborate = self._elaborate(read, options)
            return [(model, check(read, model, options, elaborate)) for model in models]
        except InputError as error:
            return [(model, invalid(error, read.header, model, options)) for model in models]

    def _models(self, header: Header, options: Options) -> tuple[ChosenModel, ...]:
        names = model_names(options.models, header.dialect)
        return tuple(self._library.choose(name, options.without) for name in names)

    def _elaborate(self, test: Test, options: Options) -> Elaborate:
        """Elaborates a test; the session keeps the skeletons."""

        def run(*, waiting: bool) -> tuple[Skeleton, ...]:
            key = test.source, options.bound, options.events, waiting
            return self._elaborated.get(
                key, lambda: elaborate(test.program, options.bound, waiting=waiting, limit=options.events)
            )

        return run


def _require(test: Test, models: tuple[ChosenModel, ...], options: Options) -> None:
    """Raise InputError unless a test may be checked with these models, on a device that offers what it needs."""
    require_known_models(test.header, models)
    if options.profile is not None:
        # Imported here: few tests are checked for a device.
        from mcm.program.capability import require_features  # noqa: PLC0415

        require_features(test.program, options.profile)


def source_of(test: str | PathLike[str] | Source) -> Source:
    """The text that a user means: a string of several lines is one, any other names a file."""
    match test:
        case Source():
            return test
        case str() if "\n" in test:
            return Source("text", test.replace("\r\n", "\n").replace("\r", "\n"))
        case _:
            return read_source(test)


def names_of(options: Options) -> str:
    """The models that are asked for, as reports name them where no test says which is meant."""
    names = [model.name if isinstance(model, ChosenModel) else str(model) for model in options.models]
    return ", ".join(names) or DEFAULT_MODEL
