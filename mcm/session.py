"""A session: checks and runs tests, and keeps the tests and models that it has read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Final, TypeVar, Unpack

from msgspec.structs import replace

from mcm.answer.result import Checked, Judged, Result, Undecided, Unreadable
from mcm.base.deadline import MEMORY, LimitReachedError, time_limit
from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.recent import Recent
from mcm.base.source import Source, Span
from mcm.base.suggest import did_you_mean
from mcm.catalogue.library import ChosenModel, Library, all_of, model_names
from mcm.execution.call_orders import CallOrders
from mcm.execution.elaborate import elaborate
from mcm.execution.skeleton import FAULT_RULES
from mcm.execution.supposition import NOTHING_SUPPOSED
from mcm.explain.expectation import require_known_models
from mcm.front_end.kernel_source import KernelRequest, KernelSource, is_kernel_file
from mcm.front_end.read import header_of, read_test
from mcm.front_end.test import InvalidTestError, Test
from mcm.keywords import check_options, one_model, rules_left_out, run_options
from mcm.pipeline import check, invalid, unfinished
from mcm.program.header import DEFAULT_MODEL
from mcm.texts import name_of, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mcm.answer.explanation import Explanation
    from mcm.answer.machine_comparison import MachineComparison
    from mcm.answer.page import Page
    from mcm.answer.result import Found
    from mcm.answer.run_result import RunResult
    from mcm.catalogue.library import ModelLike
    from mcm.command_graph.graph import CommandGraph
    from mcm.engine.choose import EngineName
    from mcm.execute import RunOptions
    from mcm.execution.skeleton import Skeleton
    from mcm.execution.supposition import Suppositions
    from mcm.execution.tickets import Tickets
    from mcm.keywords import CheckKeywords, RunKeywords
    from mcm.program.header import Header
    from mcm.program.program import Extent
    from mcm.queries import Elaborate, Options

# A test as users give it: a text (of several lines), the path of a file, or what `parse` returned.
TestLike = str | PathLike[str] | Source | Test

# Takes the results of a test so far, those that are not known yet being undecided for the reason `PENDING`.
Keep = Callable[[tuple[Result, ...]], None]

# Why a result is undecided while it is being worked on.
PENDING: Final = "pending"

# How many tests and models are kept. A test of a batch is met once: those before it only take the processor's caches.
_TESTS_KEPT: Final = 8
_MODELS_KEPT: Final = 64
_MOST_UNITS_DRAWN: Final = 48

Item = TypeVar("Item")


def _keep_nothing(_results: tuple[Result, ...]) -> None:
    """Where nobody wants the results before they are all there."""


class Session:
    """Checks and runs tests. It keeps what it has read and elaborated last, by content; threads may share it."""

    def __init__(self, size: int | None = None) -> None:
        tests = _TESTS_KEPT if size is None else size
        self._tests: Recent[Test] = Recent(tests)
        self._elaborated: Recent[tuple[Skeleton, ...]] = Recent(tests)
        self._library = Library(_MODELS_KEPT if size is None else size)
        self._kernels = KernelRequest()

    def parse(self, test: TestLike) -> Test:
        """The test that a text or a file is; InputError with all that is wrong with it."""
        if isinstance(test, Test):
            return test
        source = self.kernels_of(source_of(test))
        return self._tests.get(source, lambda: read_test(source))

    @property
    def kernels(self) -> KernelRequest:
        """What is done with kernel files."""
        return self._kernels

    def take_kernels(self, request: KernelRequest) -> None:
        """From now on, do this with kernel files (`.cl`) and SYCL programs (`.cpp`)."""
        self._kernels = request

    def kernels_of(self, source: Source) -> Source:
        """The text of a kernel file or a program with what is to be done with it; any other text as it is."""
        if type(source) is not Source or not is_kernel_file(source.name):
            return source
        return KernelSource(source.name, source.text, self._kernels)

    def load_model(self, model: ModelLike, without: Iterable[str] = ()) -> ChosenModel:
        """A built-in model by name or a user's by path, less some rules.

        Raises InputError when there is no such model, its text is wrong, or it does not state one of the rules.
        """
        removed = rules_left_out(without)
        self.require_rules((model,), removed)
        return self._library.choose(model, removed)

    def include_from(self, folders: Iterable[str | PathLike[str]]) -> None:
        """From now on, models may include files of these folders too, beside those of their own."""
        self._library.include_from(folders)

    def require_rules(self, models: Iterable[ModelLike], rules: Iterable[str]) -> None:
        """Raise InputError unless each rule is one of the language's own, or stated by some of the models."""
        wanted, named = tuple(rules), tuple(models)
        if not (wanted and named):
            return
        from mcm.catalogue.rules import rules as rules_of  # noqa: PLC0415 - few tests leave rules out

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
        options = check_options(one_model(model), keywords)
        read = self.parse(test)
        self.require_rules(model_names(options.models, read.header.dialect), options.without)
        models = self._models(read.header, options, read.program.extent)
        _require(read, models, options)
        return self._explained(
            read, models[0], options, _checked(read, models[0], options, self._elaborate(read, options))
        )

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

    def explain(
        self,
        test: TestLike,
        model: ModelLike | None = None,
        *,
        state: str | None = None,
        problem: int | None = None,
        **keywords: Unpack[CheckKeywords],
    ) -> Explanation:
        """Why a test has its result under a model: the first problem, the units that wait for ever, or the outcome.

        `state` asks for another outcome than the test's condition does, `problem` for a problem by its number, from 1.
        Raises InputError as `check` does, and IndexError where there is no such problem.
        """
        options = check_options(one_model(model), keywords)
        return self.explanations(test, options, state=state, problem=problem)[0]

    def explanations(
        self,
        test: TestLike,
        options: Options,
        *,
        state: str | None = None,
        problem: int | None = None,
        everything: bool = False,
    ) -> tuple[Explanation, ...]:
        """As `explain`, for each model, and what separates neighbours; with `everything`, of all problems too."""
        # Imported here: a check needs none of it.
        from mcm.explaining import Wanted, difference, explain  # noqa: PLC0415
        from mcm.front_end.question import asked_about  # noqa: PLC0415

        read = self.parse(test) if state is None else asked_about(self.parse(test), state, self.parse)
        self.require_rules(model_names(options.models, read.header.dialect), options.without)
        models = self._models(read.header, options, read.program.extent)
        _require(read, models, options)
        elaborate = self._elaborate(read, options)
        wanted = Wanted(state is not None, problem, everything)
        found: list[Explanation] = []
        for model in models:
            with time_limit(options.limits.seconds):
                found += explain(read, model, options, elaborate, wanted)
        for one, other in pairwise(models):
            with time_limit(options.limits.seconds):
                separation = difference(read, one, other, options, elaborate)
            found += [] if separation is None else [separation]
        return tuple(found)

    def run(self, test: TestLike, **keywords: Unpack[RunKeywords]) -> RunResult:
        """What an abstract machine does with a test; InputError when there is no test, or it is no program."""
        return self.execute(test, run_options(keywords))

    def results(
        self, test: TestLike, options: Options, keep: Keep = _keep_nothing, *, only: int | None = None
    ) -> tuple[Result, ...]:
        """As `check_all`; `keep` is given the results so far before each model; all of them are returned.

        `only` asks for that of the model with this number among them; what concerns all models comes with number 0.
        """
        return tuple(result for _, result in self._results(test, options, keep, only=only))

    def compare(
        self,
        test: TestLike,
        options: Options,
        keep: Keep = _keep_nothing,
        *,
        known: tuple[Result, ...] | None = None,
    ) -> Checked:
        """The results of one test, with the rules that separate neighbouring models; `keep` as in `results`.

        `known` are the results, one for each model, where they are known already.
        """
        # Imported here: most checks need none of it.
        from mcm.explain.difference import separations  # noqa: PLC0415

        def judge(model: ChosenModel, rule: str) -> Result:
            less = self._library.choose(model, (rule,))
            return self.results(test, replace(options, models=(less,), without=()))[0]

        results: Sequence[tuple[ChosenModel | None, Result]]
        if known is None:
            results = self._kept_results(test, options, keep)
        else:
            read = self.parse(test)
            results = tuple(zip(self._models(read.header, options, read.program.extent), known, strict=True))
        judged = [(model, result) for model, result in results if model is not None]
        return Checked(tuple(result for _, result in results), separations(judged, judge))

    def command_graph(self, test: TestLike, options: Options) -> CommandGraph:
        """How the commands of a test are ordered under the first of the models; InputError when it is no program."""
        from mcm.command_graph.graph import command_graph  # noqa: PLC0415 - see `compare`

        read = self.parse(test)
        model = self._models(read.header, options, "whole")[0]
        with time_limit(options.limits.seconds):
            return command_graph(read.program, self._elaborate(read, options)(waiting=False), model.model)

    def page(self, test: TestLike, options: Options, keep: Keep = _keep_nothing, *, wants_rules: bool = True) -> Page:
        """What a page about a test shows: its results with executions, explained; `keep` as above.

        `wants_rules`: also what the test is without each rule.
        """
        from mcm.explaining import Wanted, explain, explain_soon  # noqa: PLC0415 - see `compare`
        from mcm.views import Means, page_of  # noqa: PLC0415 - see `compare`

        wanted = replace(options, wants_executions=self._is_drawn(test), wants_states=True)
        results = self._kept_results(test, wanted, keep, lists_rules=True)
        if not any(model and isinstance(result, Judged | Undecided) for model, result in results):
            return page_of(results, self._text_of(test), None)
        read = self.parse(test)
        elaborate = self._elaborate(read, wanted)

        def judge(model: ChosenModel, rules: tuple[str, ...], engine: EngineName, nodes: int) -> Result:
            less = self._library.choose(model, rules)
            limits = replace(wanted.limits, nodes=nodes)
            alone = replace(wanted, models=(less,), without=(), engine=engine, limits=limits)
            return self._explained(read, less, alone, _checked(read, less, alone, elaborate))

        def explained(model: ChosenModel, known: Found | None) -> tuple[Explanation, ...]:
            with time_limit(options.limits.seconds):
                if known is not None:
                    return explain_soon(read, model, wanted, elaborate, known)
                return explain(read, model, wanted, elaborate, Wanted(everything=True))

        return page_of(results, read.source, Means(elaborate, explained, judge if wants_rules else None))

    def _is_drawn(self, test: TestLike) -> bool:
        """Whether executions of a test are worth a picture: of hundreds of units nobody could look at one.

        They would take long, too: what barriers settle is left out where no execution is asked for.
        """
        try:
            return len(self.parse(test).program.threads) <= _MOST_UNITS_DRAWN
        except InputError:
            return False

    def _text_of(self, test: TestLike) -> Source | None:
        """The text of what may be no test; None where there is no text, as of a file that is missing."""
        if isinstance(test, Test):
            return test.source
        try:
            return self.kernels_of(source_of(test))
        except InputError:
            return None

    def execute(self, test: TestLike, options: RunOptions) -> RunResult:
        """As `run`."""
        # Imported here: a check needs none of the machine.
        from mcm.execute import execute  # noqa: PLC0415

        return execute(self.parse(test), options)

    def check_and_run(
        self, test: TestLike, options: Options, runs: int, seed: int, keep: Keep = _keep_nothing
    ) -> tuple[MachineComparison | Result, ...]:
        """Check a test and run it: one comparison for each model, or the results alone if it cannot be run.

        It cannot where it is not a program, or where a limit is reached meanwhile. `keep` as in `results`.
        """
        from mcm.machine_comparison import compare_with_machine  # noqa: PLC0415 - see `execute`

        results = self._kept_results(test, options, keep)
        found = [(model, result) for model, result in results if model and isinstance(result, Judged | Undecided)]
        if len(found) != len(results):
            return tuple(result for _, result in results)

        def judge(model: ChosenModel) -> Result:
            return self.results(test, replace(options, models=(model,), without=()))[0]

        try:
            with time_limit(options.limits.seconds):
                return compare_with_machine(self.parse(test), found, judge, runs, seed)
        except (LimitReachedError, MemoryError) as reached:
            reason = f"the run: {_reason_of(reached)}"
            return tuple(_without_run(result, reason) for _, result in found)

    def not_checked(self, source: Source, options: Options, reason: str) -> tuple[Undecided, ...]:
        """The results of a test that could not be checked, for a reason: one for each model if its header can be read.

        Nothing but the header is read: what went wrong may be the fault of the rest.
        """
        header = header_of(source)
        if header is None:
            return (Undecided(file=source.name, model=names_of(options), bound=options.iterations, reason=reason),)
        models = self._models(header, options)
        return tuple(replace(unfinished(header, source.name, model, options, reason), bare=None) for model in models)

    def unreadable(self, why: InputError | Diagnostic, options: Options) -> Unreadable:
        """The result for a text that is not a test."""
        diagnostics = why.diagnostics if isinstance(why, InputError) else (why,)
        file = diagnostics[0].span.source.name
        return Unreadable(file=file, model=names_of(options), bound=options.iterations, diagnostics=diagnostics)

    def _results(
        self,
        test: TestLike,
        options: Options,
        keep: Keep = _keep_nothing,
        *,
        only: int | None = None,
        lists_rules: bool = False,
    ) -> Sequence[tuple[ChosenModel | None, Result]]:
        """The results, each with its model; a text that is not a test has one result, without a model.

        `only` as in `results`. `lists_rules`: the models have the rules about fences and barriers in any case.
        """
        try:
            with time_limit(options.limits.seconds):
                read = self.parse(test)
        except (LimitReachedError, MemoryError) as reached:
            file = test.source.name if isinstance(test, Test) else name_of(test)
            reason = _reason_of(reached)
            result = Undecided(file=file, model=names_of(options), bound=options.iterations, reason=reason)
            return _part([(None, result)], only)
        except InvalidTestError as error:
            asked = _part(self._models(error.header, options), only)
            return [(model, invalid(error, error.header, model, options)) for model in asked]
        except InputError as error:
            return _part([(None, self.unreadable(error, options))], only)
        extent = read.program.extent
        everything = self._models(read.header, options, "memory" if lists_rules and extent == "accesses" else extent)
        models = _part(everything, only)
        results: list[tuple[ChosenModel | None, Result]]
        try:
            _require(read, everything, options)
            elaborate = self._elaborate(read, options)
            results = []
            for number, model in enumerate(models):
                if keep is not _keep_nothing:
                    left = [unfinished(read.header, read.source.name, m, options, PENDING) for m in models[number:]]
                    keep((*(result for _, result in results), *left))
                checked = _checked(read, model, options, elaborate)
                results.append((model, self._explained(read, model, options, checked)))
        except InputError as error:
            results = [(model, invalid(error, read.header, model, options)) for model in models]
        return results

    def _kept_results(
        self, test: TestLike, options: Options, keep: Keep, *, lists_rules: bool = False
    ) -> Sequence[tuple[ChosenModel | None, Result]]:
        """The same where more is done with them: `keep` is given them all before."""
        results = self._results(test, options, keep, lists_rules=lists_rules)
        keep(tuple(result for _, result in results))
        return results

    def _explained(self, test: Test, model: ChosenModel, options: Options, result: Found) -> Found:
        """The result, which can explain itself."""
        alone = replace(options, models=(model,), without=())
        return replace(result, explainer=partial(self._explanation, test, alone))

    def _explanation(self, test: Test, options: Options) -> Explanation:
        return self.explanations(test, options)[0]

    def _models(self, header: Header, options: Options, extent: Extent = "accesses") -> tuple[ChosenModel, ...]:
        """The models that are asked for, for programs of an extent; they are the smallest where there is no program."""
        names = model_names(options.models, header.dialect)
        return tuple(self._library.choose(name, options.without, extent) for name in names)

    def _elaborate(self, test: Test, options: Options) -> Elaborate:
        """Elaborates a test; the session keeps the skeletons, but for those that are asked about once."""

        def run(  # noqa: PLR0913 - what there is to choose
            *,
            waiting: bool,
            overwrites: bool = False,
            folds: bool = False,
            limit: int | None = None,
            bound: int | None = None,
            supposed: Suppositions = NOTHING_SUPPOSED,
            tickets: Tickets | None = None,
            calls: CallOrders = CallOrders.EACH,
        ) -> tuple[Skeleton, ...]:
            most = options.events if limit is None else limit
            deep = options.iterations if bound is None else bound
            make = partial(elaborate, test.program, deep, waiting=waiting, overwrites=overwrites, folds=folds)
            make = partial(make, limit=most, calls=calls)
            if supposed or tickets is not None:
                return make(supposed=supposed, tickets=tickets)
            return self._elaborated.get((test.source, deep, most, waiting, overwrites, folds, calls), make)

        return run


def _part(items: Sequence[Item], only: int | None) -> Sequence[Item]:
    """All items, or the one of this number, if there is one."""
    return items if only is None else items[only : only + 1]


def _checked(test: Test, model: ChosenModel, options: Options, elaborate: Elaborate) -> Found:
    """The result of a test under one model within the limits."""
    try:
        with time_limit(options.limits.seconds):
            return check(test, model, options, elaborate)
    except (LimitReachedError, MemoryError) as reached:
        return unfinished(test.header, test.source.name, model, options, _reason_of(reached))


def _reason_of(reached: LimitReachedError | MemoryError) -> str:
    return reached.reason if isinstance(reached, LimitReachedError) else MEMORY


def _without_run(result: Found, reason: str) -> Undecided:
    """The result of a test that should have been run too, and was not."""
    fields = {name: getattr(result, name) for name in Undecided.__struct_fields__ if name != "reason"}
    return Undecided(**fields, reason=reason)


def _require(test: Test, models: tuple[ChosenModel, ...], options: Options) -> None:
    """Raise InputError unless a test may be checked with these models, on a device that offers what it needs."""
    require_known_models(test.header, models)
    if options.profile is not None:
        # Imported here: few tests are checked for a device.
        from mcm.program.capability import require_features  # noqa: PLC0415

        require_features(test.program, options.profile)


def names_of(options: Options) -> str:
    """The models that are asked for, as reports name them where no test says which is meant."""
    names = [model.name if isinstance(model, ChosenModel) else str(model) for model in options.models]
    return ", ".join(names) or DEFAULT_MODEL
