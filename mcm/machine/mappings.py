"""Which unmap ends which map of a program (MAP-3, MAP-4), as far as that is the same in every run.

An unmap ends the latest map of the same buffer by its thread that no unmap before it has ended; where its thread has
none left, those of other threads. Where a buffer is mapped or unmapped by a call that is not made in every run, that is
left open: any unmap of the buffer may have ended any of its maps, and none surely has. Nor has any where several may.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.program.command import CommandKind
from mcm.program.sure_calls import sure_calls

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mcm.program.command import Command
    from mcm.program.program import Program
    from mcm.program.types import Part


class Mappings(Struct, frozen=True):
    """For each map the unmaps that may end it, and those that surely do where they are called."""

    may_end: Mapping[int, tuple[int, ...]]
    surely_end: Mapping[int, tuple[int, ...]]


def mappings_of(program: Program) -> Mappings:
    """The maps of a program, by their numbers."""
    maps = [command for command in program.commands if command.kind is CommandKind.MAP]
    unmaps = [command for command in program.commands if command.kind is CommandKind.UNMAP]
    if not maps:
        return Mappings({}, {})
    sure = {number for thread in program.threads for number in sure_calls(thread.body.statements)}
    may_end: dict[int, tuple[int, ...]] = {}
    surely_end: dict[int, tuple[int, ...]] = {}
    for parts in dict.fromkeys(command.parts for command in maps):
        made, ended = _of(parts, maps), _of(parts, unmaps)
        if all(command.number in sure for command in (*made, *ended)):
            pairs = list(_pairs(made, ended))
            exact = {one.number: tuple(unmap for number, unmap in pairs if number == one.number) for one in made}
            may_end |= exact
            surely_end |= {number: found if len(found) == 1 else () for number, found in exact.items()}
        else:
            may_end |= dict.fromkeys([one.number for one in made], tuple(unmap.number for unmap in ended))
            surely_end |= dict.fromkeys([one.number for one in made], ())
    return Mappings(may_end, surely_end)


def _of(parts: tuple[Part, ...], commands: Sequence[Command]) -> list[Command]:
    return [command for command in commands if command.parts == parts]


def _pairs(maps: Sequence[Command], unmaps: Sequence[Command]) -> Iterator[tuple[int, int]]:
    """Maps of one buffer and the unmaps that end them, where all of them are called in every run."""
    left = list(maps)
    for unmap in unmaps:
        own = [one for one in left if one.caller == unmap.caller and one.number < unmap.number]
        if own:
            left.remove(own[-1])
        ended = own[-1:] or [one for one in left if one.caller != unmap.caller]
        yield from ((one.number, unmap.number) for one in ended)
