"""The keywords of the public functions, and the options that they stand for."""

from __future__ import annotations

import os
from collections import abc
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, TypedDict, TypeVar

from mcm.answer.progress import Progress
from mcm.answer.query import Limits, SolverName
from mcm.base.suggest import did_you_mean
from mcm.catalogue.library import ALL_MODELS, ChosenModel
from mcm.engine.choose import EngineName
from mcm.execution.elaborate import MOST_EVENTS
from mcm.queries import Options

Word = TypeVar("Word", bound=Enum)

# The time that a test may take under each model where nothing else is asked for.
DEFAULT_SECONDS: Final = 60.0

# The most memory that a test may take where nothing else is asked for: half of the machine's, up to this.
_MOST_MEGABYTES: Final = 4096

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcm.catalogue.library import ModelLike
    from mcm.execute import RunOptions

    # Here, because at run time nobody needs them, and Python takes long to make them.
    class CheckKeywords(TypedDict, total=False):
        """Keywords of `check` and `check_all`.

        `without`: rules that are left out, by ID. `bound`: iterations of a loop whose end depends on memory
        (None: 2, and as many as runs of the machine need where those decide nothing); `accept_bounded`: what holds
        within them is an answer. `progress`: what the device promises about units that
        could go on (None: what those of the dialect do). `events`: how many a test may have. `states`: list all final
        states (default), or only give the verdict. `executions`: keep an execution for each state. `count`: count
        the executions of each state. `profile`: what the device offers. `timeout` in seconds (60 where none is given)
        and `memory` in megabytes (half of the machine's where none is given, at most 4096) hold for each model; None:
        no limit.
        """

        without: Sequence[str]
        engine: EngineName | Literal["auto", "explicit", "smt"]
        solver: SolverName | Literal["auto", "z3", "cadical"]
        bound: int | None
        accept_bounded: bool
        progress: Progress | Literal["fair", "obe", "hsa", "unfair"] | None
        events: int
        states: bool
        executions: bool
        count: bool
        profile: str | None
        timeout: float | None
        memory: int | None

    class RunKeywords(TypedDict, total=False):
        """Keywords of `run`. `runs` and `seed` concern random runs; `trace`: tell the first run step by step.

        After `timeout` seconds (None: no limit) the runs or the search end, and the result says so (`limit`).
        """

        schedule: Literal["random", "round-robin", "clover", "exhaustive", "threads"]
        memory: Literal["views", "interleaving"]
        runs: int
        seed: int
        trace: bool
        until_found: bool
        timeout: float | None


def default_megabytes() -> int:
    """The memory that a test may take where nothing else is asked for."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not every system says
        return _MOST_MEGABYTES
    return min(_MOST_MEGABYTES, (pages * size >> 20) // 2)


_OF_CHECK: Final = frozenset(
    {
        *("without", "engine", "solver", "bound", "accept_bounded", "progress", "events", "states", "executions"),
        *("count", "profile", "timeout", "memory"),
    }
)
_OF_RUN: Final = frozenset({"schedule", "memory", "runs", "seed", "trace", "until_found", "timeout"})
# The least values of keywords that are numbers; all but the time are whole ones.
_LEAST: Final = {"bound": 0, "events": 1, "timeout": 0, "memory": 1, "runs": 1}
# Those of them that may be None.
_OPTIONAL: Final = frozenset({"bound", "timeout", "memory", "runs"})
_SWITCHES: Final = ("accept_bounded", "states", "executions", "count", "trace", "until_found")
# What `run` knows, by keyword.
_WORDS_OF_RUN: Final = {
    "schedule": ("random", "round-robin", "clover", "exhaustive", "threads"),
    "memory": ("views", "interleaving"),
}


def check_options(models: Iterable[ModelLike], keywords: CheckKeywords) -> Options:
    """Options from keywords; TypeError for one that there is not, ValueError for a value that is not allowed."""
    _require_known(keywords, _OF_CHECK)
    _require_numbers(keywords)
    _require_switches(keywords)
    progress = keywords.get("progress")
    return Options(
        models=_models(models),
        without=rules_left_out(keywords.get("without", ())),
        engine=_word(EngineName, "engine", keywords.get("engine", "auto")),
        solver=_word(SolverName, "solver", keywords.get("solver", "auto")),
        bound=keywords.get("bound"),
        accepts_bounded=keywords.get("accept_bounded", False),
        progress=None if progress is None else _word(Progress, "progress", progress),
        events=keywords.get("events", MOST_EVENTS),
        wants_states=keywords.get("states", True),
        wants_executions=keywords.get("executions", False),
        counts=keywords.get("count", False),
        profile=_profile(keywords.get("profile")),
        limits=Limits(
            seconds=keywords.get("timeout", DEFAULT_SECONDS), megabytes=keywords.get("memory", default_megabytes())
        ),
        goes_on="timeout" in keywords,
    )


def run_options(keywords: RunKeywords) -> RunOptions:
    """Options from keywords; TypeError for one that there is not, ValueError for a value that is not allowed."""
    _require_known(keywords, _OF_RUN)
    for name, words in _WORDS_OF_RUN.items():
        _require_word(name, keywords.get(name, words[0]), words)
    _require_numbers({name: value for name, value in keywords.items() if name not in _WORDS_OF_RUN})
    _require_switches(keywords)
    seed: object = keywords.get("seed", 0)
    if isinstance(seed, bool) or not isinstance(seed, int):
        message = f"seed is a whole number, found {keywords['seed']!r}"
        raise TypeError(message)
    # Imported here: a check needs none of the machine.
    from mcm.execute import RunOptions  # noqa: PLC0415
    from mcm.machine.exhaustive import Budget  # noqa: PLC0415

    return RunOptions(
        schedule=keywords.get("schedule", "random"),
        memory=keywords.get("memory", "views"),
        runs=keywords.get("runs"),
        seed=keywords.get("seed", 0),
        budget=Budget(seconds=keywords.get("timeout")),
        wants_trace=keywords.get("trace", False),
        until_found=keywords.get("until_found", False),
    )


def _require_known(keywords: Mapping[str, object], known: frozenset[str]) -> None:
    """Refuse a keyword that is not known: that it means nothing would be found out late, or never."""
    for name in keywords:
        if name not in known:
            message = f"unknown keyword '{name}'{did_you_mean(name, known)}"
            raise TypeError(message)


def one_model(model: ModelLike | None) -> tuple[ModelLike, ...]:
    """The model that is asked for, if any; ValueError for the name of all of them."""
    if model == ALL_MODELS:
        message = f"one model is expected, found {ALL_MODELS!r}; check_all gives a result for each"
        raise ValueError(message)
    return () if model is None else (model,)


def _models(models: Iterable[object]) -> tuple[ModelLike, ...]:
    """The models; TypeError for one name alone, whose letters would be taken for names."""
    found: list[ModelLike] = []
    for model in _several("models", "", models):
        if not isinstance(model, str | os.PathLike | ChosenModel):
            message = f"a model is a name, a path, or what load_model returned; found {type(model).__name__}"
            raise TypeError(message)
        found.append(model)
    return tuple(found)


def rules_left_out(without: Iterable[object]) -> tuple[str, ...]:
    """The rules that are left out; TypeError for one alone."""
    rules: list[str] = []
    for rule in _several("without", " of rules", without):
        if not isinstance(rule, str):
            message = f"a rule is named by its ID, found {rule!r}"
            raise TypeError(message)
        rules.append(rule)
    return tuple(rules)


def _several(name: str, of: str, values: object) -> tuple[object, ...]:
    """The values of a keyword that takes several; TypeError for one alone."""
    if isinstance(values, str):
        message = f"{name} is a sequence{of}, found one: [{values!r}]"
        raise TypeError(message)
    if not isinstance(values, abc.Iterable):
        message = f"{name} is a sequence{of}, found {values!r}"
        raise TypeError(message)
    return tuple(values)


def _profile(profile: object) -> str | None:
    """What the device offers; TypeError for what is no text."""
    if not isinstance(profile, str | None):
        message = f"profile is the name of a profile, or features with commas between, found {profile!r}"
        raise TypeError(message)
    return profile


def _word(kind: type[Word], name: str, value: Word | str) -> Word:
    """The member of an enumeration that a word names; ValueError with all words for another one."""
    if not isinstance(value, kind):
        _require_word(name, value, [one.value for one in kind])
    return kind(value)


def _require_word(name: str, word: object, words: Sequence[str]) -> None:
    if word not in words:
        message = f"{name} is one of {', '.join(map(repr, words))}, found {word!r}"
        raise ValueError(message)


def _require_switches(keywords: Mapping[str, object]) -> None:
    for name in _SWITCHES:
        if not isinstance(value := keywords.get(name, False), bool):
            message = f"{name} is True or False, found {value!r}"
            raise TypeError(message)


def _require_numbers(keywords: Mapping[str, object]) -> None:
    for name, least in _LEAST.items():
        value = keywords.get(name, least)
        if value is None and name in _OPTIONAL:
            continue
        # A truth value is a number to Python, and none to whoever reads the call.
        if isinstance(value, bool) or not isinstance(value, (int, float) if name == "timeout" else int):
            message = f"{name} is a {'' if name == 'timeout' else 'whole '}number, found {value!r}"
            raise TypeError(message)
        # The comparison is written so that it fails of what is no number at all.
        if not value >= least:
            message = f"{name} is at least {least}, found {value}"
            raise ValueError(message)
