"""Why nothing orders two accesses of SYCL commands, or of a command and the host: what each rule asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.explanation import Sentence
from mcm.program.command import END, FREE, CommandKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.command import Command
    from mcm.program.program import Program, Thread


def sycl_commands_told(program: Program, earlier: Command, later: Command) -> Iterator[Sentence]:
    """SYCL-CMD-2: two commands, in the order in which they are submitted."""
    assert earlier.queue is not None
    assert later.queue is not None
    if later.name.startswith(END):
        ended = later.name.removeprefix(END)
        text = f"{ended} ends with its block at line {later.span.line}, and {earlier.name} (line {earlier.span.line})"
        yield lacks(f"{text} may go on: the host does not wait for it before", "SYCL-CMD-1")
        return
    if later.name.startswith(FREE):
        text = (
            f"free at line {later.span.line} waits for nothing, and {earlier.name} (line {earlier.span.line}) may go on"
        )
        yield lacks(text, "SYCL-CMD-1")
        return
    if earlier.name.startswith(FREE):
        text = f"{later.name} (line {later.span.line}) uses what is given back at line {earlier.span.line}"
        yield lacks(f"{text}: no command comes after a free", "SYCL-CMD-2")
        return
    names = f"{earlier.name} (line {earlier.span.line}) and {later.name} (line {later.span.line})"
    if earlier.queue != later.queue:
        pair = f"{program.queues[earlier.queue].name} and {program.queues[later.queue].name}"
        yield lacks(f"{names} are in two queues, {pair}: a queue orders its own commands only", "SYCL-CMD-2")
    elif not program.queues[earlier.queue].in_order:
        queue = program.queues[earlier.queue].name
        yield lacks(f"{names} are in one queue, but {queue} is not in_order", "SYCL-CMD-2")
        yield lacks(f"no barrier of {queue} stands between them", "SYCL-CMD-2")
    others = " and ".join(program.commands[event].name for event in (*later.waits, *later.requires))
    instead = f": it depends on {others} only" if others else ""
    yield lacks(
        f"{later.name} does not depend on {earlier.name}, by depends_on or by accessors of one buffer{instead}",
        "SYCL-CMD-2",
    )
    if earlier.queue == later.queue:
        return
    yield lacks(f"the host does not wait for {earlier.name} before it submits {later.name}", "SYCL-CMD-1")


def sycl_host_told(program: Program, command: Command, thread: Thread, line: int) -> Iterator[Sentence]:
    """SYCL-CMD-1, SYCL-CMD-3 and SYCL-CMD-4: a command, and an access of a host thread at a line."""
    here = f"line {line}"
    if command.name.startswith(FREE):
        text = f"{thread.name} accesses at {here} what is given back at line {command.span.line}"
        yield lacks(f"{text}: nothing comes after a free", "SYCL-CMD-1")
        return
    if line > command.span.line:
        text = f"{thread.name} accesses it at {here}, after {command.name} is submitted at line {command.span.line}"
        yield lacks(text, "SYCL-CMD-4")
    text = f"{thread.name} does not wait for {command.name} before {here}, on its event or on its queue"
    yield lacks(text, "SYCL-CMD-1")
    for wait in program.commands:
        if wait.kind is CommandKind.MARKER and wait.blocking and command.number in wait.requires:
            text = f"the wait for the buffer that {command.name} writes comes later, at line {wait.span.line}"
            yield lacks(text, "SYCL-CMD-3")


def lacks(text: str, *rules: str) -> Sentence:
    """What is not there, and by which rules it would order the two."""
    return Sentence(text, rules, mark=False)
