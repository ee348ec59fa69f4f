"""Why a region is used while it is mapped: the unmap that would have to come first, and what does not order it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.bits import members
from mcm.execution.event import EventKind
from mcm.explain.commands_story import CommandsOf, of_stated_rules
from mcm.explain.sycl_commands_story import lacks
from mcm.program.command import CommandKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.answer.explanation import Sentence
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.program.command import Command

_RULE: Final = "MAP-3"


def mapping_story(candidate: Candidate, first: int, last: int, model: Model) -> tuple[Sentence, ...]:
    """What the use lacks to come before the map or after its unmap; nothing where the use is of no command."""
    commands = CommandsOf(candidate, first, last)
    pair = sorted(zip(commands.of_the_host(), (first, last), strict=True), key=_by_number)
    earlier, later = (command for command, _ in pair)
    if earlier is None or later is None:
        return ()
    if earlier.kind is not CommandKind.MAP:
        # It was enqueued before the map, which would have to wait for it.
        return of_stated_rules(commands.of_queues(earlier, later), model)
    return of_stated_rules(_behind_the_unmap(candidate, commands, pair[0][1], earlier, later), model)


def _by_number(one: tuple[Command | None, int]) -> int:
    return -1 if one[0] is None else one[0].number


def _behind_the_unmap(
    candidate: Candidate, commands: CommandsOf, mapped: int, mapping: Command, later: Command
) -> Iterator[Sentence]:
    """What a command lacks to start after the unmap of a map that was enqueued before it."""
    program, events = candidate.skeleton.program, candidate.skeleton.events
    unmapped = candidate.skeleton.relations["unmap"][mapped] if "unmap" in candidate.skeleton.relations else 0
    ends = [events[number] for number in members(unmapped) if number in candidate.executed]
    numbers = sorted({one.command for one in ends if one.kind is EventKind.COMPLETE and one.command is not None})
    used = f"{later.name} (line {later.span.line})"
    what = f"the {mapping.name} (line {mapping.span.line})"
    if not numbers:
        yield lacks(f"{what} has no unmap behind which {used} could start", _RULE)
    for unmap in (program.commands[number] for number in numbers):
        if unmap.number > later.number and unmap.caller == later.caller:
            yield lacks(f"{used} is enqueued before the {unmap.name} (line {unmap.span.line}) that ends {what}", _RULE)
        else:
            yield lacks(f"{used} has to start after the {unmap.name} (line {unmap.span.line}) that ends {what}", _RULE)
            yield from commands.of_queues(*sorted((unmap, later), key=lambda command: command.number))
