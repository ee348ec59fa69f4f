"""What the public functions say of arguments that mean nothing: at once, and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import mcm

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "C t\n{ }\nP0 (atomic_int* x) { atomic_store(x, 1); }\nexists (x=1)\n"
KERNEL = "kernel void k(global int *x) { x[0] = 1; }"


MISUSES: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "a keyword": (
        lambda: mcm.check(TEXT, timout=3),  # type: ignore[call-arg]
        TypeError,
        "unknown keyword 'timout'; did you mean 'timeout'?",
    ),
    "a keyword of run": (
        lambda: mcm.run(TEXT, run=3),  # type: ignore[call-arg]
        TypeError,
        "unknown keyword 'run'; did you mean 'runs'?",
    ),
    "a schedule": (
        lambda: mcm.run(TEXT, schedule="randomly"),  # type: ignore[arg-type]
        ValueError,
        "schedule is one of 'random', 'round-robin', 'clover', 'exhaustive', 'threads', found 'randomly'",
    ),
    "a memory": (
        lambda: mcm.run(TEXT, memory="weak"),  # type: ignore[arg-type]
        ValueError,
        "memory is one of 'views', 'interleaving', found 'weak'",
    ),
    "no runs": (lambda: mcm.run(TEXT, runs=0), ValueError, "runs is at least 1, found 0"),
    "a bound": (lambda: mcm.check(TEXT, bound=-1), ValueError, "bound is at least 0, found -1"),
    "a time": (lambda: mcm.check(TEXT, timeout=-1), ValueError, "timeout is at least 0, found -1"),
    "no time": (lambda: mcm.check(TEXT, timeout=float("nan")), ValueError, "timeout is at least 0, found nan"),
    "a text as time": (
        lambda: mcm.check(TEXT, timeout="3"),  # type: ignore[arg-type]
        TypeError,
        "timeout is a number, found '3'",
    ),
    "several models": (
        lambda: mcm.check(TEXT, ["c11"]),  # type: ignore[arg-type]
        TypeError,
        "a model is a name, a path, or what load_model returned; found list",
    ),
    "all models": (
        lambda: mcm.check(TEXT, "all"),
        ValueError,
        "one model is expected, found 'all'; check_all gives a result for each",
    ),
    "one model alone": (lambda: mcm.check_all(TEXT, "c11"), TypeError, "models is a sequence, found one: ['c11']"),
    "one rule alone": (
        lambda: mcm.check(TEXT, without="COH-RR"),
        TypeError,
        "without is a sequence of rules, found one: ['COH-RR']",
    ),
    "an engine": (
        lambda: mcm.check(TEXT, engine="z3"),  # type: ignore[arg-type]
        ValueError,
        "engine is one of 'auto', 'explicit', 'smt', found 'z3'",
    ),
    "a promise": (
        lambda: mcm.check(TEXT, progress="fare"),  # type: ignore[arg-type]
        ValueError,
        "progress is one of 'fair', 'obe', 'hsa', 'unfair', found 'fare'",
    ),
    "a device": (
        lambda: mcm.check(TEXT, profile="min"),
        ValueError,
        "unknown feature 'min'; known are opencl-3.0-minimum, sycl-2020-minimum, full, and the features of devices",
    ),
    "a word for a switch": (
        lambda: mcm.check(TEXT, states="no"),  # type: ignore[arg-type]
        TypeError,
        "states is True or False, found 'no'",
    ),
    "half a bound": (
        lambda: mcm.check(TEXT, bound=2.5),  # type: ignore[arg-type]
        TypeError,
        "bound is a whole number, found 2.5",
    ),
    "a seed": (
        lambda: mcm.run(TEXT, seed="a"),  # type: ignore[arg-type]
        TypeError,
        "seed is a whole number, found 'a'",
    ),
    "a size": (lambda: mcm.Session(size=-1), ValueError, "size is at least 0, found -1"),
    "no test": (
        lambda: mcm.check(None),  # type: ignore[arg-type]
        TypeError,
        "expected a text or the path of a file, found NoneType",
    ),
    "a number": (
        lambda: mcm.parse(3),  # type: ignore[arg-type]
        TypeError,
        "expected a text or the path of a file, found int",
    ),
    "one launch": (
        lambda: mcm.KernelRequest(launches="k global 2"),  # type: ignore[arg-type]
        TypeError,
        "launches is a sequence of texts, found one: ('k global 2',)",
    ),
    "a format": (
        lambda: mcm.render_commands(mcm.commands(TEXT), "png"),  # type: ignore[arg-type]
        ValueError,
        "the format is one of 'text', 'dot', 'svg', found 'png'",
    ),
    "no trace": (lambda: mcm.render_trace(mcm.run(TEXT, runs=1)), ValueError, "the run has no trace"),
    "a language": (
        lambda: mcm.convert_test(mcm.parse(TEXT).source, "cuda"),
        ValueError,
        "the language is one of 'sycl', 'opencl', found 'cuda'",
    ),
    "no time to run": (lambda: mcm.run(TEXT, timeout=-1), ValueError, "timeout is at least 0, found -1"),
    "no rules": (
        lambda: mcm.check(TEXT, without=None),  # type: ignore[arg-type]
        TypeError,
        "without is a sequence of rules, found None",
    ),
    "the number of a rule": (
        lambda: mcm.check(TEXT, without=[5]),  # type: ignore[list-item]
        TypeError,
        "a rule is named by its ID, found 5",
    ),
    "one rule of a model alone": (
        lambda: mcm.load_model("c11", "COH-RR"),
        TypeError,
        "without is a sequence of rules, found one: ['COH-RR']",
    ),
    "no models": (
        lambda: mcm.check_all(TEXT, None),  # type: ignore[arg-type]
        TypeError,
        "models is a sequence, found None",
    ),
    "no number of events": (
        lambda: mcm.check(TEXT, events=None),  # type: ignore[typeddict-item]
        TypeError,
        "events is a whole number, found None",
    ),
    "a truth value as bound": (lambda: mcm.check(TEXT, bound=True), TypeError, "bound is a whole number, found True"),
    "a truth value as time": (lambda: mcm.check(TEXT, timeout=True), TypeError, "timeout is a number, found True"),
    "a truth value as runs": (lambda: mcm.run(TEXT, runs=True), TypeError, "runs is a whole number, found True"),
    "a truth value as seed": (lambda: mcm.run(TEXT, seed=False), TypeError, "seed is a whole number, found False"),
    "the number of a device": (
        lambda: mcm.check(TEXT, profile=3),  # type: ignore[arg-type]
        TypeError,
        "profile is the name of a profile, or features with commas between, found 3",
    ),
    "an empty text": (lambda: mcm.check(""), mcm.InputError, "text:1:1: error[E006]: the file is empty"),
    "a blank text": (lambda: mcm.check("  \r"), mcm.InputError, "text:1:1: error[E006]: the file is empty"),
    "several results as one": (
        lambda: mcm.render_herd([mcm.check(TEXT)]),  # type: ignore[arg-type]
        TypeError,
        "expected a result, found list",
    ),
    "a model to judge by": (lambda: mcm.judge(TEXT, ["c12"]), mcm.InputError, "c12:1:1: error[E400]"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_what_means_nothing_is_refused(name: str) -> None:
    misuse, error, message = MISUSES[name]
    with pytest.raises(error) as caught:
        misuse()
    assert str(caught.value).startswith(message)


def test_a_list_of_launches_is_as_good_as_a_tuple() -> None:
    request = mcm.KernelRequest(launches=["k global 1"], questions=["exists (x[0]=1)"])  # type: ignore[arg-type]
    assert request.launches == ("k global 1",)
    assert mcm.check(mcm.KernelSource("k.cl", KERNEL, request)).verdict.value == "allowed"


def test_a_text_may_have_line_ends_of_any_kind() -> None:
    for end in ("\r\n", "\r"):
        assert mcm.check(TEXT.replace("\n", end)).verdict.value == "allowed"


def test_limits_that_mean_something_are_taken() -> None:
    assert mcm.check(TEXT, timeout=None, memory=None, bound=0, events=10).verdict.value == "allowed"
    assert mcm.check(TEXT, timeout=0).verdict.value == "undecided"


@pytest.mark.parametrize("schedule", ["random", "exhaustive"])
def test_runs_end_after_their_time(schedule: str) -> None:
    """No time at all is enough for one run, or one step of a search."""
    counters = "global atomic_int* a, global atomic_int* b"
    body = "for (int i = 0; i < 8; i++) { atomic_fetch_add(a, 1); atomic_fetch_add(b, 1); }"
    text = "OPENCL t\n{ }\n" + "".join(f"P{n}@wg {n} ({counters}) {{ {body} }}\n" for n in range(3))
    ran = mcm.run(text, schedule=schedule, runs=1000, timeout=0)  # type: ignore[arg-type]
    assert ran.limit is not None
    assert ran.runs <= 1
