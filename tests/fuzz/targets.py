"""What is attacked: how inputs are made, and what must hold of each."""

from __future__ import annotations

import signal
import tempfile
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fuzz import command, corpus, engines
from fuzz.complaint import Complaint, CounterexampleError
from fuzz.mutators import exchanged, mangled
from mcm import InputError, Session, Source, format_test, render
from mcm.front_end.read import read_test
from mcm.syntax.fingerprint import fingerprint
from mcm.syntax.parse import parse
from oracle.generate import generate
from oracle.litmus_text import to_litmus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

# Processor time, so that a busy machine makes nothing fail.
PATIENCE: Final = 60


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
    if random.random() < 0.3:
        return to_litmus(generate(random))
    return exchanged(random, random.choice(corpus.small_tests()))


def _any_model(random: Random) -> str:
    text = random.choice(corpus.models())
    return mangled(random, text, corpus.models()) if random.random() < 0.5 else exchanged(random, text)


def _require_drawable(error: InputError) -> None:
    """There is a complaint, and it can be sent to a terminal."""
    assert error.diagnostics
    for diagnostic in error.diagnostics:
        assert render(diagnostic).replace("\n", "").replace("\t", "").isprintable()


def _read(text: str) -> None:
    """A text is a test, or there is a complaint that can be drawn."""
    try:
        read_test(Source("t.litmus", text))
    except InputError as error:
        _require_drawable(error)


def _load(text: str) -> None:
    """A text is a model, or there is a complaint that can be drawn."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.cat"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            Session().load_model(path)
        except InputError as error:
            _require_drawable(error)


def _format(text: str) -> None:
    """The standard layout is that of itself, and says what the text said."""
    try:
        tree = parse(Source("t.litmus", text))
    except InputError:
        return
    printed = format_test(Source("t.litmus", text))
    again = parse(Source("printed.litmus", printed))
    if again != tree:
        raise CounterexampleError("another program", printed)
    if [comment.text for comment in again.comments] != [comment.text for comment in tree.comments]:
        raise CounterexampleError("other comments", printed)
    if format_test(Source("printed.litmus", printed)) != printed:
        raise CounterexampleError("the layout is not stable", printed)
    if fingerprint(again) != fingerprint(parse(Source("again.litmus", format_test(Source("p", printed))))):
        raise CounterexampleError("the hash is not stable", printed)


TARGETS: Final = {
    "parser": Target(_any_test, _read),
    "cat": Target(_any_model, _load, ".cat"),
    "fmt": Target(_likely_test, _format),
    "engines": Target(_likely_program, engines.agree),
    "machine": Target(_likely_program, engines.machine_agrees),
    "command": Target(_any_test, command.answers),
    "command-cat": Target(_any_model, command.judges, ".cat"),
}
