"""What an event with a negative status leads to in one execution: which commands end without having run (HOST-18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.answer.explanation import Sentence
from mcm.execution.event import EventKind
from mcm.program.command import FAILED_IN_WAIT_LIST, CommandKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.program.command import Command

_OVER: Final = f"is over with the status {FAILED_IN_WAIT_LIST}"


def failure_story(candidate: Candidate, call: int, model: Model) -> tuple[Sentence, ...]:
    """What becomes of those that wait for the user event that a call sets to an error; the call is an event."""
    number = candidate.skeleton.events[call].command
    assert number is not None
    return tuple(_sentences(candidate, candidate.skeleton.program.commands[number], model))


def _sentences(candidate: Candidate, failed: Command, model: Model) -> Iterator[Sentence]:
    commands = candidate.skeleton.program.commands
    executed = [candidate.skeleton.events[number] for number in sorted(candidate.executed)]
    called = {one.command for one in executed if one.kind is EventKind.API_CALL}
    # What fails because of its wait list is complete without an end of its work.
    ended = {one.command for one in executed if one.kind is EventKind.END}
    over = {one.command for one in executed if one.kind is EventKind.COMPLETE}
    lost = {failed.number: failed}
    before = 0
    while before != len(lost):
        before = len(lost)
        for one in commands:
            if one.number in lost or one.number not in called or one.number not in over:
                continue
            cause = next((lost[each] for each in one.waits if each in lost), None)
            if cause is not None and one.number not in ended:
                lost[one.number] = one
                yield Sentence(f"{_told(one)} waits for {_told(cause)}: here it does not run, and {_OVER}")
            elif child := next((each for each in lost.values() if each.parent == one.number), None):
                lost[one.number] = one
                yield Sentence(f"{_told(one)} has enqueued {_told(child)}: here it {_OVER}, as its child is")
    if before == 1:
        yield Sentence(f"no command waits for {failed.name} here")
    yield Sentence(f"{model.name} leaves to the implementation what becomes of these and of their queues", ("HOST-18",))
    yield Sentence(
        f"with CL_COMPLETE (0) in the place of the error, {failed.name} is complete, and nothing is left open"
    )


def _told(command: Command) -> str:
    """A command with its line; a user event is known by its name."""
    return command.name if command.kind is CommandKind.USER else f"{command.name} (line {command.span.line})"
