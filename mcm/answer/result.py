"""The result of one test under one model, as data: what every report format shows."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.shown_states import satisfying, without_their_executions
from mcm.base.compared import PartlyCompared
from mcm.base.frozen import FrozenMapping
from mcm.syntax.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mcm.answer.execution import Execution
    from mcm.answer.explanation import Explanation
    from mcm.answer.shown_states import ShownState
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Span
    from mcm.program.condition import Condition
    from mcm.program.header import Expectation

Access = Literal["read", "write", "update"]

# Why a search ends or concludes nothing.
BOUND: Final = "bound"
EVENTS: Final = "events"
FIRST_PROBLEM: Final = "first-problem"

# The largest bound that is tried where none is given: more iterations that data ends are not elaborated in time.
DEEPEST: Final = 64

# The kinds of problems that are races.
RACES: Final = frozenset({"data-race", "unsequenced-race"})


class Status(Enum):
    """Whether there is an answer."""

    OK = "ok"
    UNDECIDED = "undecided"
    INVALID = "invalid"
    ERROR = "error"


class Verdict(Enum):
    """The verdict, strongest first: invalid > undefined > impl-defined > that of the condition.

    NO_EXECUTION: no consistent execution is complete, so that nothing is allowed, and nothing forbidden or required.
    """

    INVALID = "invalid"
    UNDEFINED = "undefined"
    IMPL_DEFINED = "impl-defined"
    NO_EXECUTION = "no-execution"
    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    REQUIRED = "required"
    VIOLATED = "violated"
    UNDECIDED = "undecided"


class Observation(Enum):
    """How often the proposition holds among the states."""

    NEVER = "Never"
    SOMETIMES = "Sometimes"
    ALWAYS = "Always"


class Site(PartlyCompared, frozen=True):
    """An operation in the source: `thread` is the shown name (`P0`), `text` the operation as written.

    `iterations` are the numbers of the iterations of the loops around it, from 1, the outermost loop first.
    `access` is `read`, `write` or `update`; None where it is no access of memory, or not known.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset({"access"})

    thread: str | None
    span: Span
    text: str
    iterations: tuple[int, ...] = ()
    access: Access | None = None

    @property
    def iteration(self) -> int | None:
        """The iteration of the innermost loop around it, the first one being 1; None outside of loops."""
        return self.iterations[-1] if self.iterations else None


class Problem(PartlyCompared, frozen=True):
    """Why the program is undefined or implementation-defined: a kind, the operations, the reason, the rules.

    `location` is where the operations access memory (`x`, `a[1]`), None if that is not what the problem is about.
    `execution` is one in which it occurs; None if the machine found it.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset({"execution"})

    kind: str
    sites: tuple[Site, ...]
    why: str
    rules: tuple[str, ...]
    execution: Execution | None = None
    location: str | None = None


class WaitingUnit(Struct, frozen=True):
    """A unit that waits at a place: `waits_for` says in words what has to happen (`f to change from 0`)."""

    thread: str
    span: Span
    waits_for: str


class BlockedExecution(PartlyCompared, frozen=True):
    """A consistent execution in which `units` wait forever, everything else having finished."""

    not_compared: ClassVar[frozenset[str]] = frozenset({"execution"})

    units: tuple[WaitingUnit, ...]
    execution: Execution | None = None


class Exclusion(Struct, frozen=True):
    """Why no consistent execution is complete: names of checks of the model that exclude them, and their rules.

    Without any it is the program's values that exclude them, or units wait in all of them.
    """

    checks: tuple[str, ...]
    rules: tuple[str, ...]


class Subject(PartlyCompared, frozen=True, kw_only=True):
    """What a result is about: a test under a model.

    `bound` is the number of iterations after which loops are cut. `test` is the name in the file, None when the text
    could not be read that far, and `bare` its text without comments and white space. `expected` is the expectation
    that applies to this model and `as_expected` whether it was met: None when there is none, and None when
    an answer that is undecided or bounded cannot tell.
    """

    file: str
    model: str
    bound: int
    test: str | None = None
    bare: str | None = None
    expected: Expectation | None = None
    as_expected: bool | None = None

    @property
    def fingerprint(self) -> str | None:
        """What identifies the text whatever its comments and layout."""
        return None if self.bare is None else fingerprint(self.bare)


class Findings(Subject, frozen=True, kw_only=True):
    """What a search found, whether it was complete or not.

    `reason` says why not everything was looked at, or why nothing can be concluded: a limit (`timeout`, `memory`,
    `events` …), `bound`, or `first-problem` where the search ended as soon as the program was known to be undefined.
    Where the verdict stands nevertheless, and it is not `undefined`, nothing is missing but states.
    `has_execution`: some consistent execution is complete, so that there are final states; None when that is not known.
    Where there is none, `excluded` says why. `passes`: some complete execution passes the filter of the test; None
    where it has none, or that is not known. `engine` answered, on a `solver` if it is `smt`. `reachable` says whether
    some state satisfies the proposition, `holds` whether the quantified condition holds; None when there is no
    condition, or it is not known. `bounded` lists the loops that were cut, `written_out` how
    often those go round that enqueue commands, whatever the bound is; `enough` how often one goes round that takes
    all jobs from a counter, `needed` how often one goes round in a run of the machine, where that is
    too often. `waits` are units whose end depends on units that nobody promises to go on, `blocked` the executions in
    which units wait forever. `flags` are those that the model raises under a name without meaning for the verdict;
    `diagnostics` are warnings. `time_limit` and `seconds` are what the search was allowed and what it took.
    `explainer` gives the explanation; `because` is the reason of a forbidden outcome in one line, where it was
    asked for. `names` has what reports for people write for names of `states`: `K[1]:r0` for `3:r0`, where the test
    says so.
    """

    not_compared: ClassVar[frozenset[str]] = frozenset({"explainer"})

    reason: str | None = None
    has_execution: bool | None = None
    passes: bool | None = None
    engine: str | None = None
    solver: str | None = None
    condition: Condition | None = None
    reachable: bool | None = None
    holds: bool | None = None
    observation: Observation | None = None
    bounded: tuple[Span, ...] = ()
    written_out: Mapping[Span, int] = FrozenMapping({})
    enough: int | None = None
    needed: int | None = None
    waits: tuple[WaitingUnit, ...] = ()
    blocked: tuple[BlockedExecution, ...] = ()
    excluded: Exclusion | None = None
    states: Sequence[ShownState] = ()
    names: Mapping[str, str] = FrozenMapping({})
    undefined: tuple[Problem, ...] = ()
    impl_defined: tuple[Problem, ...] = ()
    flags: tuple[Problem, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    time_limit: float | None = None
    seconds: float = 0.0
    explainer: Callable[[], Explanation] | None = None
    because: str | None = None

    def shown_name(self, name: str) -> str:
        """A name of a state as reports for people write it."""
        return self.names.get(name, name)

    def explain(self) -> Explanation:
        """Why the test has this result: its outcome, or its first problem where it has one.

        Raises ValueError for a result that another process has worked out: `Session.explain` explains the test then.
        """
        if self.explainer is None:
            raise ValueError("this result does not know its test any more; ask Session.explain about the test")
        return self.explainer()

    @property
    def complete(self) -> bool:
        """Whether every consistent execution was looked at."""
        return not self.bounded and self.reason is None

    @property
    def lacks_only_states(self) -> bool:
        """Whether some executions were not looked at for their final states, and all were for everything else."""
        return False

    @property
    def races(self) -> tuple[Problem, ...]:
        """The data races and unsequenced races."""
        return tuple(problem for problem in self.undefined if problem.kind in RACES)

    @property
    def satisfying(self) -> int:
        """How many of the listed states satisfy the proposition."""
        return satisfying(self.states)


class Judged(Findings, frozen=True, kw_only=True):
    """The verdict stands, whatever was not looked at."""

    verdict: Verdict

    @property
    def status(self) -> Status:
        """`Status.OK`."""
        return Status.OK

    @property
    def lacks_only_states(self) -> bool:
        """As `Findings`: where there is no problem, a verdict is given if nothing else is open."""
        return self.reason is not None and self.verdict is not Verdict.UNDEFINED


class Undecided(Findings, frozen=True, kw_only=True):
    """There is no verdict, for a `reason`. What was found is true."""

    reason: str

    @property
    def status(self) -> Status:
        """`Status.UNDECIDED`."""
        return Status.UNDECIDED

    @property
    def verdict(self) -> Verdict:
        """`Verdict.UNDECIDED`."""
        return Verdict.UNDECIDED


class Invalid(Subject, frozen=True, kw_only=True):
    """A test that a compiler must reject; it may expect that."""

    diagnostics: tuple[Diagnostic, ...]

    @property
    def status(self) -> Status:
        """`Status.INVALID`."""
        return Status.INVALID

    @property
    def verdict(self) -> Verdict:
        """`Verdict.INVALID`."""
        return Verdict.INVALID


class Unreadable(Subject, frozen=True, kw_only=True):
    """A text that is no test: it could not be read, or its syntax is wrong."""

    diagnostics: tuple[Diagnostic, ...]

    @property
    def status(self) -> Status:
        """`Status.ERROR`."""
        return Status.ERROR

    @property
    def verdict(self) -> Verdict:
        """`Verdict.INVALID`."""
        return Verdict.INVALID


Found = Judged | Undecided
Result = Found | Invalid | Unreadable


def without_executions(result: Result) -> Result:
    """The result without the executions that it keeps, and what they are explained by: they are large."""
    if not isinstance(result, Judged | Undecided):
        return result
    return replace(
        result,
        states=without_their_executions(result.states),
        undefined=_bare(result.undefined),
        impl_defined=_bare(result.impl_defined),
        flags=_bare(result.flags),
        blocked=tuple(replace(one, execution=None) for one in result.blocked),
        explainer=None,
    )


def _bare(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    return tuple(replace(problem, execution=None) for problem in problems)


class Separation(Struct, frozen=True):
    """Why two models give different verdicts on a test: each of `rules` makes the difference alone.

    `rules` is empty when only several rules together do.
    """

    first: str
    second: str
    rules: tuple[str, ...]


class Checked(Struct, frozen=True):
    """All results of one test; `separations` when its models are to be shown side by side."""

    results: tuple[Result, ...]
    separations: tuple[Separation, ...] | None = None
