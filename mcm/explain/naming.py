"""Events of an execution in words: `P0 line 12`, `line 12` where that is enough, `the initial value of x`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.event import iteration_numbers
from mcm.program.pipe_state import show_pipe_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.program.types import Value

# Base relations by the words of the specifications.
_SPOKEN: Final = {"po": "sb"}


# So many names are listed.
_LISTED: Final = 4


def and_more(names: Sequence[str]) -> str:
    """Names in a row: `P0`, `P0 and P1`, of many `k[0], k[1], k[2] and 61 more`."""
    if len(names) > _LISTED:
        names = [*names[: _LISTED - 1], f"{len(names) - _LISTED + 1} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def ordinal(number: int) -> str:
    """A number as the place in a row: `1st`, `22nd`, `13th`."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


class Names:
    """The names of the events of one execution."""

    def __init__(self, candidate: Candidate) -> None:
        self._candidate = candidate
        self._events = candidate.skeleton.events
        self._program = candidate.skeleton.program
        executed = [self._events[number] for number in sorted(candidate.executed)]
        executed = [event for event in executed if event.thread is not None]
        self._of_line: dict[tuple[int | None, int], list[int]] = {}
        self._threads_of_line: dict[int, set[int | None]] = {}
        for event in executed:
            line = event.span.line
            self._of_line.setdefault((event.thread, line), []).append(event.identifier)
            self._threads_of_line.setdefault(line, set()).add(event.thread)

    def thread(self, number: int) -> str:
        """The unit of an event: `P0`."""
        thread = self._events[number].thread
        return "the initial state" if thread is None else self._program.thread(thread).name

    def full(self, number: int) -> str:
        """With the thread: `P0 line 12`."""
        event = self._events[number]
        if event.kind.is_of_commands and event.command is not None and event.thread is None:
            return f"the {event.kind.noun} of {self._program.commands[event.command].name}"
        if event.thread is None:
            word = "state" if self._candidate.lacks_value(number) else "value"
            return f"the initial {word} of {self.location(number)}"
        return f"{self._program.thread(event.thread).name} {self._place(event)}"

    def short(self, number: int) -> str:
        """Without the thread, where only one has operations on that line."""
        event = self._events[number]
        if event.thread is None and event.kind.is_of_commands:
            return self.full(number)
        if event.thread is None:
            return f"init {self.location(number)}"
        return self._place(event) if len(self._threads_of_line[event.span.line]) == 1 else self.full(number)

    def location(self, number: int) -> str:
        """What an event accesses: `x`, `a[1]`."""
        location = self._candidate.locations.get(number)
        return "" if location is None else self._program.show_location(location)

    def value(self, number: int, *, written: bool) -> str:
        """What an event writes or reads."""
        values = self._candidate.written_values if written else self._candidate.read_values
        if self._events[number].pipe is not None:
            return show_pipe_state(values[number])
        return self.shown(values[number])

    def shown(self, value: Value) -> str:
        """A value, an address as `&x`."""
        return str(value) if isinstance(value, (int, float)) else str(self._program.show_value(value))

    def edge(self, name: str) -> str:
        """A relation as an arrow: `→ghb`."""
        return f"→{_SPOKEN.get(name, name)}"

    def _place(self, event: Event) -> str:
        place = f"line {event.span.line}"
        others = self._of_line.get((event.thread, event.span.line), [])
        alike = [n for n in others if self._events[n].span == event.span and self._events[n].kind is event.kind]
        if len({(self._events[n].span.start, self._events[n].kind) for n in others}) > 1:
            if len({self._events[n].span.start for n in others}) > 1:
                place += f":{event.span.column}"
            same_place = [n for n in others if self._events[n].span.start == event.span.start]
            if len({self._events[n].kind for n in same_place}) > 1:
                place += f" ({event.kind.value})"
        told = self._told_apart(event.identifier, alike)
        return f"{place} ({told})" if told else place

    def _told_apart(self, number: int, alike: Sequence[int]) -> str:
        """What tells an event from those like it: what it accesses, the iterations of the loops around it, or both."""
        is_part = self._candidate.skeleton.is_part
        if len(alike) == 1:
            # There may be others in what is left out.
            return self._iteration(number) if is_part else ""
        differing = [tell for tell in (self.location, self._iteration) if len({tell(one) for one in alike}) > 1]
        for tell in differing:
            if len({tell(one) for one in alike}) == len(alike):
                return tell(number)
        told = [tell(number) for tell in differing]
        same = [one for one in alike if [tell(one) for tell in differing] == told]
        if len(same) > 1:
            # Text of a function that is called several times: which call comes first may be open.
            told.append(f"{ordinal(same.index(number) + 1)} of {len(same)}{' shown' if is_part else ''}")
        return ", ".join(filter(None, told))

    def _iteration(self, number: int) -> str:
        iteration = self._events[number].iteration
        return f"iteration {iteration_numbers(iteration)}" if iteration else ""
