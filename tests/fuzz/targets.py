"""What is attacked: how inputs are made, and what must hold of each."""

from __future__ import annotations

import json
import signal
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Final

from fuzz import command, corpus, engines, texts
from fuzz.complaint import Complaint, CounterexampleError, require_drawable
from fuzz.mutators import exchanged, mangled
from mcm import (
    InputError,
    Limits,
    Options,
    Source,
    render_herd,
    render_json,
    render_text,
    shared_session,
)
from mcm.catalogue import registry
from mcm.cli.alarm import interrupt_at_time_limits
from mcm.front_end.read import read_test
from mcm.syntax.fingerprint import commented
from mcm.syntax.parse import parse
from mcm.syntax.printer import print_litmus
from oracle.generate import generate
from oracle.kernels import kernel
from oracle.litmus_text import to_litmus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

# Processor time, so that a busy machine makes nothing fail.
PATIENCE: Final = 60

# The limits of a check within this process, and by how much it may exceed the first.
_SECONDS: Final = 1.0
_MEGABYTES: Final = 2048
_OVERSHOOT: Final = 0.5


@dataclass(frozen=True)
class Target:
    """`make` an input; `attack` raises whatever shows a defect. `suffix` is that of the file that holds an input."""

    make: Callable[[Random], str]
    attack: Callable[[str], None]
    suffix: str = ".litmus"

    def complaint(self, text: str) -> Complaint | None:
        """What is wrong with how an input is dealt with."""
        try:
            with _limited_time():
                self.attack(text)
        except CounterexampleError as found:
            return found.complaint
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a defect
            return Complaint(_place(error), traceback.format_exc())
        return None


class TookTooLongError(Exception):
    """The input kept the processor busy for longer than `PATIENCE`."""


@contextmanager
def _limited_time() -> Iterator[None]:
    def end(_number: int, _frame: object) -> None:
        raise TookTooLongError

    before = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _place(error: Exception) -> str:
    """Where an exception came from: two inputs with the same place show the same defect."""
    if isinstance(error, TookTooLongError | RecursionError):
        return type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    return f"{type(error).__name__} in {frames[-1].name}" if frames else type(error).__name__


def _any_test(random: Random) -> str:
    return mangled(random, random.choice(corpus.tests()), corpus.tests())


def _likely_test(random: Random) -> str:
    return exchanged(random, random.choice(corpus.tests()))


def _likely_program(random: Random) -> str:
    kind = random.random()
    if kind < 0.3:
        return to_litmus(generate(random))
    if kind < 0.45:
        return kernel(random)
    return exchanged(random, random.choice(corpus.small_tests()))


def _any_model(random: Random) -> str:
    text = random.choice(corpus.models())
    return mangled(random, text, corpus.models()) if random.random() < 0.5 else exchanged(random, text)


def _read(text: str) -> None:
    """A text is a test, or there is a complaint that can be drawn."""
    try:
        read_test(Source("t.litmus", text))
    except InputError as error:
        require_drawable(error)


def _load(text: str) -> None:
    """A text is a model, or there is a complaint that can be drawn."""
    path = Path("m.cat")
    try:
        registry.load_file(path, lambda one: text if one == path else registry.text_of(one))
    except InputError as error:
        require_drawable(error)


def _format(text: str) -> None:
    """The standard layout is that of itself, and says what the text said."""
    try:
        tree = parse(Source("t.litmus", text))
    except InputError:
        return
    printed = print_litmus(tree)
    again = parse(Source("printed.litmus", printed))
    if again != tree:
        raise CounterexampleError("another program", printed)
    if [comment.text for comment in again.comments] != [comment.text for comment in tree.comments]:
        raise CounterexampleError("other comments", printed)
    if print_litmus(again) != printed:
        raise CounterexampleError("the layout is not stable", printed)
    if commented(again).bare != _bare_text_of_other_layout(printed):
        raise CounterexampleError("the hash is not stable", printed)


def _bare_text_of_other_layout(printed: str) -> str:
    """What is left of the same text with more lines and a comment."""
    return commented(parse(Source("other.litmus", printed.replace("\n", "\n\n") + "/* more */\n"))).bare


# The handler is put in place once: a process has one.
_interrupt_once: Final = cache(interrupt_at_time_limits)


def _check(text: str) -> None:
    """A text has a result within the limits, which every format can show."""
    _interrupt_once()
    start = process_time()
    results = shared_session().results(Source("t.litmus", text), Options(limits=Limits(_SECONDS, _MEGABYTES)))
    spent = process_time() - start
    # Reading has the time once, and each of the models too; no time limit may be exceeded by more than half a second.
    if spent > (1 + len(results)) * _SECONDS + _OVERSHOOT:
        raise CounterexampleError("a time limit is exceeded", f"{spent:.2f} s")
    json.loads(render_json(results))
    for result in results:
        shown = render_text(result) + render_herd(result)
        if any(one not in "\n\t" and not one.isprintable() for one in shown):
            raise CounterexampleError("control characters are shown", shown)


TARGETS: Final = {
    "parser": Target(_any_test, _read),
    "cat": Target(_any_model, _load, ".cat"),
    "fmt": Target(_likely_test, _format),
    "check": Target(_likely_test, _check),
    "sycl": Target(texts.sycl_text, texts.lay_out),
    "convert": Target(_likely_test, texts.convert),
    "expectations": Target(texts.table_text, texts.read_expectations, ".csv"),
    "engines": Target(_likely_program, engines.agree),
    "machine": Target(_likely_program, engines.machine_agrees),
    "command": Target(_any_test, command.answers),
    "command-cat": Target(_any_model, command.judges, ".cat"),
    "settings": Target(texts.settings_text, command.obeys, ".toml"),
}
