"""The expectations of one test, judged."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Final, Unpack

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.result import BOUND, Invalid, Judged, Undecided, Unreadable, Verdict
from mcm.answer.suite import Complaint, Judgement, Standing
from mcm.api import shared_session
from mcm.base.deadline import TIMEOUT, time_limit
from mcm.base.diagnostic import InputError
from mcm.catalogue.library import all_of
from mcm.explain.expectation import is_met
from mcm.front_end.test import InvalidTestError, Test
from mcm.keywords import check_options
from mcm.suite.describe import found_in_words, restated, stated_in_words, states_that_differ
from mcm.suite.difference import reason_of, rule_that_is_missing
from mcm.suite.places import complaint_of, finding_of, place_of
from mcm.suite.stated import questions_of
from mcm.texts import name_of, source_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.answer.result import Result
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.catalogue.library import ModelLike
    from mcm.keywords import CheckKeywords
    from mcm.program.header import Expectation, Header
    from mcm.queries import Options
    from mcm.session import Session, TestLike
    from mcm.suite.stated import Question

# Takes the judgements so far, those that are still to come being open for the reason `NOT_BEGUN`.
KeepJudgements = Callable[[tuple[Judgement, ...]], None]

NOT_BEGUN: Final = "not begun"

# An unknown model, an unknown rule.
_ABOUT_NAMES: Final = frozenset({"E400", "E402"})


def _keep_nothing(_judgements: tuple[Judgement, ...]) -> None:
    """Where nobody wants the judgements before they are all there."""


def judge_expectations(
    session: Session,
    test: TestLike,
    options: Options,
    rows: tuple[Expectation, ...] = (),
    keep: KeepJudgements = _keep_nothing,
) -> tuple[Judgement, ...]:
    """What became of each expectation of a test: of its header, and of the rows of tables that are about it.

    A test without any has one judgement, which says so; so has a text that is no test. `options.models` are the models
    that are asked about (none: all that are named); a test that speaks of others alone has no judgement.
    """
    asked = _asked(session, test, options, rows)
    if not isinstance(asked, _Asked):
        return asked
    judged = list(asked.begun())
    for number in range(len(judged)):
        keep(tuple(judged))
        judged[number] = _judged(session, asked, number, options)
    keep(tuple(judged))
    return tuple(judged)


class _Asked(Struct, frozen=True):
    """A test that states something, and its expectations with the models that they are about; `seconds`: to read it."""

    source: Source
    header: Header
    questions: tuple[Question, ...]
    seconds: float

    def begun(self) -> tuple[Judgement, ...]:
        """The judgements before anything is judged."""
        return tuple(_not_begun(self.source.name, self.header, question) for question in self.questions)


def _asked(
    session: Session, test: TestLike, options: Options, rows: tuple[Expectation, ...]
) -> _Asked | tuple[Judgement, ...]:
    """What is asked about a test; the judgements on it where nothing is."""
    file = name_of(test.source if isinstance(test, Test) else test)
    start = perf_counter()
    try:
        with time_limit(options.limits.seconds):
            source = session.kernels_of(test.source if isinstance(test, Test) else source_of(test))
            header = _header(session, source, stated=bool(rows))
    except InputError as error:
        return (unreadable_judgement(file, error),)
    questions = tuple(questions_of(header, rows, options.models))
    if questions:
        return _Asked(source, header, questions, perf_counter() - start)
    return () if options.models and header.expectations else (_unstated(file, header),)


def _header(session: Session, source: Source, *, stated: bool) -> Header:
    """The header of a test; it may be invalid if something is stated about it, which may be just that."""
    try:
        return session.parse(source).header
    except InvalidTestError as error:
        if not (stated or error.header.expectations):
            raise
        return error.header


def judge(
    test: TestLike, models: Iterable[ModelLike] = (), *, number: int | None = None, **keywords: Unpack[CheckKeywords]
) -> tuple[Judgement, ...]:
    """What became of each expectation that a test states, of those about `models` where any are given.

    A test without any has one judgement, which says so; so has a text that is no test. `number`: only that of those
    which `expectations` gives, counted from 0. Raises InputError when there is no such model.
    """
    session, options = shared_session(), check_options(models, keywords)
    for model in options.models:
        for one in all_of(model):
            session.load_model(one)
    if number is None:
        return judge_expectations(session, test, options)
    asked = _asked(session, test, options, ())
    return (_judged(session, asked, number, options) if isinstance(asked, _Asked) else asked[number],)


def expectations(
    test: TestLike, models: Iterable[ModelLike] = (), **keywords: Unpack[CheckKeywords]
) -> tuple[Judgement, ...]:
    """The judgements that `judge` gives, before anything is judged: they say what is stated, where, of which model."""
    asked = _asked(shared_session(), test, check_options(models, keywords), ())
    return asked.begun() if isinstance(asked, _Asked) else asked


def unreadable_judgement(file: str, error: InputError) -> Judgement:
    """The judgement on a text that is no test, or is not there."""
    complaints = tuple(map(complaint_of, error.diagnostics))
    return Judgement(
        file=file, model="", standing=Standing.INVALID, found="not a test", reason=_first(error), complaints=complaints
    )


def not_judged(file: str, reason: str, *, defect: bool = False) -> Judgement:
    """The judgement on a test of which not even the expectations are known, for a reason such as a limit."""
    return Judgement(file=file, model="", standing=Standing.DEFECT if defect else Standing.OPEN, reason=reason)


def _first(error: InputError) -> str:
    return next((one.message for one in error.diagnostics if one.is_error), "")


def _unstated(file: str, header: Header) -> Judgement:
    return Judgement(file=file, test=header.name, model="", standing=Standing.UNSTATED, reason="states no expectation")


def _not_begun(file: str, header: Header, question: Question) -> Judgement:
    expectation = question.expectation
    return Judgement(
        file=file,
        test=header.name,
        model=question.model_name,
        without=tuple(sorted(expectation.without)),
        standing=Standing.OPEN,
        stated=stated_in_words(expectation),
        reason=NOT_BEGUN,
        place=place_of(expectation.span),
    )


def _judged(session: Session, asked: _Asked, number: int, options: Options) -> Judgement:
    question, header = asked.questions[number], asked.header
    begun, expectation = _not_begun(asked.source.name, header, question), question.expectation
    alone = replace(options, models=(question.model,), without=begun.without)
    start = perf_counter() - asked.seconds
    try:
        session.require_rules(alone.models, alone.without)
        (result,) = session.results(asked.source, alone)
    except InputError as error:
        complaints = tuple(_about(expectation, one) for one in error.diagnostics)
        return replace(begun, standing=Standing.INVALID, reason=complaints[0].message, complaints=complaints)
    standing = _standing(expectation, result, options)
    seconds = options.limits.seconds
    if standing is Standing.MET and seconds is not None and perf_counter() - start > seconds:
        return replace(begun, reason=TIMEOUT)
    if standing is Standing.NOT_MET and isinstance(result, Judged) and _may_tell_why(result):
        (result,) = session.results(asked.source, replace(alone, wants_reason=True))
    return _told(begun, header, expectation, result, standing)


def _about(expectation: Expectation, diagnostic: Diagnostic) -> Complaint:
    """A complaint about the model or the rules that an expectation names, at the place of the expectation."""
    complaint = complaint_of(diagnostic)
    if diagnostic.code not in _ABOUT_NAMES:
        return complaint
    return replace(complaint, code="E146", place=place_of(expectation.span))


def _may_tell_why(result: Judged) -> bool:
    return result.verdict in {Verdict.FORBIDDEN, Verdict.REQUIRED}


def _standing(expectation: Expectation, result: Result, options: Options) -> Standing:
    if isinstance(result, Unreadable) or (isinstance(result, Invalid) and not expectation.invalid):
        return Standing.INVALID
    met = is_met(expectation, result, waits_block=options.progress is not None)
    if met and isinstance(result, Undecided) and result.reason != BOUND:
        return Standing.OPEN  # as `mcm check` has it: a limit is never a success
    return {True: Standing.MET, False: Standing.NOT_MET, None: Standing.OPEN}[met]


def _told(begun: Judgement, header: Header, expectation: Expectation, result: Result, standing: Standing) -> Judgement:
    """The judgement with what is shown of the result."""
    told = replace(begun, standing=standing, found=found_in_words(expectation, result), reason="")
    if isinstance(result, Invalid | Unreadable):
        complaints = tuple(complaint_of(one) for one in result.diagnostics if one.is_error)
        reason = complaints[0].message if complaints and standing is not Standing.MET else ""
        return replace(told, complaints=complaints, reason=reason)
    problems = (*result.undefined, *result.impl_defined)
    told = replace(
        told,
        condition="" if result.condition is None else result.condition.text,
        findings=tuple(finding_of(problem, expectation) for problem in problems),
        seconds=round(result.seconds, 6),
    )
    match standing:
        case Standing.OPEN:
            return replace(told, reason=result.reason or BOUND)
        case Standing.NOT_MET:
            reason, rules = reason_of(expectation, result)
            missing = rule_that_is_missing(header, expectation, result)
            if missing:
                reason = f"{reason}; the test states this of the model without {', '.join(missing)}"
            return replace(
                told,
                reason=reason,
                rules=missing or rules,
                states=states_that_differ(expectation, result),
                restated=restated(expectation, result),
            )
        case _:
            return told
