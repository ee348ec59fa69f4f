"""States and results as lines of JSON, in the shape that `line_records` states and `docs/json.md` describes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.answer.result import Findings
from mcm.answer.shown_states import are_counted, are_thin_air
from mcm.report.json_format import result_record, state_record
from mcm.report.json_records import encode_line
from mcm.report.json_values import values_record
from mcm.report.line_records import ExampleLine, ResultLine, StateLine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.answer.result import Result
    from mcm.answer.shown_states import ShownState
    from mcm.report.json_records import Number


class JsonLines:
    """Tells of the states of one test as they are found, and of its results; `write` gets each line, with its end."""

    def __init__(self, file: str, write: Callable[[str], object]) -> None:
        self._file: Final = file
        self._write: Final = write
        # For each model, how many states were told of, and how many of them satisfy the proposition.
        self._told: Final[dict[str, list[int]]] = {}
        # The beginnings of lines about states, by model.
        self._heads: Final[dict[str, str]] = {}
        self._parts: Final = _Parts()

    def state(self, model: str, state: ShownState) -> None:
        """Tell of a state, whose values are those of some execution and depend on nothing that depends on them."""
        self._count(model, state)
        head = self._heads.get(model)
        if head is None:
            head = self._heads[model] = (
                f'{{"kind": "state", "file": {encode_line(self._file)}, "model": {encode_line(model)}, "state": '
            )
        values = ", ".join(map(self._parts.__getitem__, state.values.items()))
        satisfies = "true" if state.satisfies else "false"
        # There may be millions of them: as `encode_line` writes a `StateLine`, in a tenth of the time.
        self._write(
            f'{head}{{"values": {{{values}}}, "satisfies": {satisfies}, "thin_air": false,'
            ' "executions": null, "example_of": null}}\n'
        )

    def result(self, result: Result) -> None:
        """Tell of a result, and first of those of its states that could not be told of before."""
        for left in self._left(result):
            self._write(f"{encode_line(left)}\n")
        states, satisfying = self._told.get(result.model, (0, 0))
        # The states were told of one by one.
        bare = replace(result, states=()) if isinstance(result, Findings) else result
        line = ResultLine(states=states, satisfying=satisfying, result=result_record(bare))
        self._write(f"{encode_line(line)}\n")

    def _left(self, result: Result) -> Iterator[StateLine | ExampleLine]:
        if not isinstance(result, Findings) or not (are_counted(result.states) or are_thin_air(result.states)):
            return
        for state in result.states:
            if state.thin_air or state.executions is not None:
                self._count(result.model, state)
                yield StateLine(file=self._file, model=result.model, state=state_record(state))
            elif state.example_of is not None:
                yield ExampleLine(file=self._file, model=result.model, state=state_record(state))

    def _count(self, model: str, state: ShownState) -> None:
        told = self._told.setdefault(model, [0, 0])
        told[0] += 1
        told[1] += state.satisfies


class _Parts(dict["tuple[str, Number]", str]):
    """Names with their values as JSON has them; each is put into words once."""

    def __missing__(self, item: tuple[str, Number]) -> str:
        """The text for a name and a value that were not there yet."""
        name, value = item
        self[item] = text = f"{encode_line(name)}: {encode_line(values_record({name: value})[name])}"
        return text
