"""What accessors order: commands on elements of one buffer, in the order in which a thread submits them (SYCL-CMD-2).

A command comes after all that were submitted before it and access the same elements, unless both only read. Which these
are is told by the text once loops are written out; whether one of them is submitted at all, only a run tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

from msgspec import Struct

from mcm.program.resolve.command_words import said
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

CommandT = TypeVar("CommandT")

# Pseudo-arguments of calls that enqueue: the elements of a buffer that an accessor is of, the first one and how many.
# The name of the buffer stands behind the words.
_READS: Final = "accessor for reading of "
_ACCESSES: Final = "accessor of "


class Stretch(Struct, frozen=True):
    """So many elements of the memory of a buffer that follow each other, from one on."""

    location: str
    first: int
    count: int

    def overlaps(self, other: Stretch) -> bool:
        """Whether two have an element in common."""
        is_apart = self.first + self.count <= other.first or other.first + other.count <= self.first
        return self.location == other.location and not is_apart

    @property
    def elements(self) -> range:
        """The numbers of the elements."""
        return range(self.first, self.first + self.count)


# What a command accesses of buffers, and whether it only reads that.
Accesses = dict[Stretch, bool]


class BufferOrder(Generic[CommandT]):
    """The commands on buffers that a thread has submitted so far, in this order."""

    def __init__(self) -> None:
        self._submitted: Final[dict[str, list[tuple[Stretch, bool, CommandT]]]] = {}

    def submit(self, command: CommandT, accesses: Mapping[Stretch, bool]) -> None:
        """One more command."""
        for one, only_reads in accesses.items():
            self._submitted.setdefault(one.location, []).append((one, only_reads, command))

    def required(self, accesses: Mapping[Stretch, bool]) -> tuple[CommandT, ...]:
        """The commands that one with these accesses comes after."""
        found = (
            command
            for one, only_reads in accesses.items()
            for earlier, was_reading, command in self._submitted.get(one.location, ())
            if one.overlaps(earlier) and not (only_reads and was_reading)
        )
        return tuple(dict.fromkeys(found))

    def is_used(self, location: str) -> bool:
        """Whether some command accesses a buffer."""
        return location in self._submitted

    def is_written(self, location: str) -> bool:
        """Whether some command may write elements of a buffer."""
        return any(not only_reads for _, only_reads, _ in self._submitted.get(location, ()))


# --- between stages ---------------------------------------------------------------------------------------------------


def said_accesses(accesses: Mapping[Stretch, bool], node: ast.Node) -> Iterator[ast.Call]:
    """Accesses as arguments of a call, at the place of a node."""
    for one, only_reads in accesses.items():
        places = (ast.NumberLiteral(str(number), span=node.span) for number in (one.first, one.count))
        yield said(f"{_READS if only_reads else _ACCESSES}{one.location}", places, node)


def is_access(node: ast.Expression) -> bool:
    """Whether an argument says what is accessed of a buffer."""
    return isinstance(node, ast.Call) and node.function.text.startswith((_READS, _ACCESSES))


def accesses_of(arguments: Iterable[ast.Expression]) -> Accesses:
    """What arguments of a call say is accessed of buffers."""
    found: Accesses = {}
    for argument in arguments:
        match argument:
            case ast.Call(ast.Name(word), (ast.NumberLiteral(first), ast.NumberLiteral(count))) if is_access(argument):
                only_reads = word.startswith(_READS)
                location = word.removeprefix(_READS if only_reads else _ACCESSES)
                one = Stretch(location, int(first), int(count))
                found[one] = only_reads and found.get(one, True)
            case _:
                pass
    return found
