"""The runs of kernels in a test, and what SYCL calls them: each place that launches one has a kernel of its own."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.convert.names import free_name
from mcm.convert.refusal import refused
from mcm.program.command import CommandKind
from mcm.program.resolve.plan import FUNCTIONS
from mcm.syntax import ast, question
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.front_end.test import Test
    from mcm.program.program import Program

_CHILDREN: Final = "a kernel of SYCL enqueues no kernels"


class Run(Struct, frozen=True):
    """A run of a kernel: what reports call it, where it is launched, and the command that it is (None: a launch)."""

    name: str
    kernel: ast.Kernel
    place: Span
    command: int | None


class Runs(Struct, frozen=True):
    """All runs, in order; `classes` has the name of the kernel in SYCL by the place that launches it."""

    runs: tuple[Run, ...]
    classes: dict[Span, str]

    def of_object(self, name: str) -> tuple[Run, ...]:
        """The runs of kernels that are given a memory object."""
        return tuple(run for run in self.runs if any(one.name.text == name for one in run.kernel.parameters))

    def renamed(self, node: ast.Node, program: Program) -> ast.Node:
        """A node of a condition; a register is that of the name that its work-item has in SYCL."""
        return (
            replace(node, unit=self._unit(node.unit, program)) if isinstance(node, question.RegisterReference) else node
        )

    def _unit(self, unit: int | tuple[str, int], program: Program) -> int | tuple[str, int]:
        if isinstance(unit, int):
            name, bracket, number = program.thread(unit).name.partition("[")
            if not bracket:
                return unit
            unit = (name, int(number[:-1]))
        run = next((run for run in self.runs if run.name == unit[0]), None)
        if run is None or sum(one.place == run.place for one in self.runs) > 1:
            return unit
        return self.classes[run.place], unit[1]


def runs_of(test: Test) -> Runs:
    """The runs of a test; InputError where kernels enqueue kernels."""
    kernels = {unit.name.text: unit for unit in test.tree.units if isinstance(unit, ast.Kernel)}
    runs = [*_launched(test, kernels), *_enqueued(test, kernels)]
    taken = {run.kernel.name.text for run in runs}
    classes: dict[Span, str] = {}
    for run in runs:
        name = run.kernel.name.text
        if run.place not in classes:
            others = set(classes.values())
            classes[run.place] = name if name not in others else free_name(taken | others, name)
    return Runs(tuple(runs), classes)


def _launched(test: Test, kernels: dict[str, ast.Kernel]) -> list[Run]:
    """The launches: their work-items follow each other, behind the threads."""
    items = [one for one in test.program.threads if one.started_by is None and "[" in one.name]
    found: list[Run] = []
    first = 0
    for unit in test.tree.units:
        if isinstance(unit, ast.Launch):
            name = items[first].name.partition("[")[0]
            found.append(Run(name, kernels[unit.kernel.text], unit.span, None))
            first += prod(next(part.values for part in unit.parts if part.key == "global"))
    return found


def _enqueued(test: Test, kernels: dict[str, ast.Kernel]) -> list[Run]:
    calls = (node for node in walk(test.tree.units) if isinstance(node, ast.Call))
    places = {call.span: call for call in calls if call.function.text in FUNCTIONS}
    found: list[Run] = []
    for command in test.program.commands:
        if command.kind is CommandKind.CHILD:
            raise refused(places[command.span], _CHILDREN)
        if command.kind is CommandKind.NDRANGE:
            kernel = kernel_of(places[command.span], kernels)
            found.append(Run(command.name, kernel, command.span, command.number))
    return found


def kernel_of(call: ast.Call, kernels: dict[str, ast.Kernel]) -> ast.Kernel:
    """The kernel that a call enqueues."""
    return next(kernels[one.text] for one in call.arguments[1:] if isinstance(one, ast.Name) and one.text in kernels)
