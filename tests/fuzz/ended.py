"""What a disturbed command leaves behind, and what must hold of it."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from fuzz.complaint import CounterexampleError

_INTERRUPTED: Final = 130
_BROKEN_PIPE: Final = 141
_LOST: Final = "crash: SIGKILL"
# Why what an interrupt has left unfinished is undecided.
_UNFINISHED: Final = "interrupted"
_VARYING: Final = frozenset({"seconds", "run"})
_OWN_CODES: Final = frozenset({0, 1, 2, 3})


@dataclass(frozen=True)
class Ended:
    """What a command leaves behind; `killed` workers were killed by us."""

    code: int
    out: bytes
    err: bytes
    killed: int = 0


@dataclass(frozen=True)
class Result:
    """A result in the output: the name of the file, and all that is said of the test, but for times."""

    file: str
    model: str
    status: str
    reason: str | None
    answer: str

    @property
    def is_lost(self) -> bool:
        """Whether the worker was killed."""
        return self.reason == _LOST

    @property
    def is_gone(self) -> bool:
        """Whether the file could not be read."""
        return self.status == "error"


Results = list[Result]


def results_of(ended: Ended) -> Results:
    """The results in the output; CounterexampleError if that is not JSON."""
    try:
        document = json.loads(ended.out)
    except ValueError:
        raise CounterexampleError("no JSON", repr(ended)) from None
    return [
        Result(
            Path(one["file"]).name,
            one["model"],
            one["status"],
            one["reason"],
            json.dumps({key: value for key, value in one.items() if key not in _VARYING}),
        )
        for one in document["results"]
    ]


def require(holds: object, kind: str, ended: Ended) -> None:
    if not holds:
        raise CounterexampleError(kind, repr(ended))


def is_whole(ended: Ended, quiet: Results) -> None:
    """Every test is there, in order; at most one is lost for each worker that was killed."""
    results = results_of(ended)
    by_file = [list(group) for _, group in groupby(results, lambda one: one.file)]
    expected = [list(group) for _, group in groupby(quiet, lambda one: one.file)]
    require([one[0].file for one in by_file] == [one[0].file for one in expected], "tests are missing", ended)
    lost = [found for found in by_file if any(one.is_lost for one in found)]
    require(len(lost) <= ended.killed, "more tests are lost than workers were killed", ended)
    for found, wanted in zip(by_file, expected, strict=True):
        if found[0].is_gone:
            continue
        require([one.model for one in found] == [one.model for one in wanted], "models are missing", ended)
        wrong = [one for one, other in zip(found, wanted, strict=True) if not one.is_lost and one != other]
        require(not wrong, "another answer", ended)
    require(b"Traceback" not in ended.err, "a stack trace", ended)
    require(ended.code in _OWN_CODES, "an exit code that is not the command's own", ended)
    require(not lost or ended.code != 0, "a test is lost, and the exit code is 0", ended)
    require(not any(one.is_gone for one in results) or ended.code == 2, "a test cannot be read: no 2", ended)


def is_ended(ended: Ended, _quiet: Results) -> None:
    """The signal ends the command, unless it was through."""
    require(ended.code < 0 or ended.code in _OWN_CODES, "not the end that a signal makes", ended)


def is_interrupted(ended: Ended, quiet: Results) -> None:
    """What was finished is there, as it would have been, in the order of the tests; all others are named.

    Before the command is ready for anything and when it is through, an interrupt is the affair of Python or the system.
    """
    if ended.code in _OWN_CODES:
        is_whole(ended, quiet)
    elif ended.code == _INTERRUPTED:
        require(b"Traceback" not in ended.err, "a stack trace", ended)
        found = results_of(ended) if ended.out else []
        finished = [one for one in found if one.reason != _UNFINISHED]
        require(finished == [one for one in quiet if one in finished], "not what would have been there", ended)
        named, wanted = ([file for file, _ in groupby(each, lambda one: one.file)] for each in (found, quiet))
        require(not found or named == wanted, "a test that is not finished is not named", ended)
    else:
        require(-ended.code in {signal.SIGINT, signal.SIGTERM}, "not the end that an interrupt makes", ended)


def is_left(ended: Ended, _quiet: Results) -> None:
    """The reader has gone: that is an exit code of its own, unless all was written before."""
    require(ended.code in {*_OWN_CODES, _BROKEN_PIPE}, "not the end of a closed output", ended)
    # What the machine met goes to the error stream in this format.
    require(b"Traceback" not in ended.err, "a stack trace", ended)
