"""The buffers behind the parameters of kernels: how large they are where nothing says so; and that they are results."""

from __future__ import annotations

from functools import cached_property
from math import prod
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.front_end.followed import followed
from mcm.front_end.indexed import element_size, needed_by
from mcm.program.resolve.constants import known_integer
from mcm.program.resolve.group_sizes import required_sizes
from mcm.program.resolve.launches import MOST_WORK_ITEMS
from mcm.program.resolve.mentions import is_record
from mcm.program.resolve.type_names import space_of_memory
from mcm.program.types import Region
from mcm.syntax import ast, question
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.front_end.indexed import Callee


def with_buffers(tree: ast.Litmus) -> ast.Litmus:
    """The test with an initial value, 0, for each pointer parameter of a kernel that is launched and has none.

    One that is only used as `*p` is one element. With constant indices it has as many as these need; with any other one
    there are as many as there are work-items, in the launch (in a work-group for local memory), or as many as are used
    as far as that is known.
    """
    given = {item.name.text: item for item in tree.initial if isinstance(item, ast.InitialValue)}
    functions: dict[str, Callee] = {
        unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Function) and unit.body
    }
    added: dict[str, ast.InitialValue] = {}
    callees = {**_kernels(tree), **functions}
    for launch, kernel in _launched(tree):
        uses = _Uses(kernel, launch, callees, _values(given))
        for parameter in kernel.parameters:
            name = parameter.name.text
            is_whole = is_record(parameter.type.base)
            if parameter.type.pointers and name not in given and parameter.length is None and not is_whole:
                length = uses.length(parameter)
                if name not in added or (length or 0) > _stated(added[name]):
                    added[name] = _buffer(parameter, length)
    return replace(tree, initial=(*tree.initial, *added.values()))


def with_results(tree: ast.Litmus) -> ast.Litmus:
    """The test; where nothing is asked, it shows what its kernels leave behind: the global memory that they are given.

    Nobody sees their variables and their local memory when they have ended, nor what a pipe keeps of its packets.
    """
    if tree.condition is not None or tree.locations:
        return tree
    stated = [item for item in tree.initial if isinstance(item, ast.InitialValue)]
    pipes = {item.name.text for item in stated if item.allocation == "pipe"}
    names = {
        parameter.name.text: parameter.name
        for _, kernel in _launched(tree)
        for parameter in kernel.parameters
        if parameter.type.pointers and space_of_memory(parameter) is Region.GLOBAL
        if parameter.name.text not in pipes
    }
    return replace(tree, locations=tuple(question.LocationReference(name, span=name.span) for name in names.values()))


def _kernels(tree: ast.Litmus) -> dict[str, ast.Kernel]:
    return {unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Kernel)}


def _launched(tree: ast.Litmus) -> Iterator[tuple[ast.Launch, ast.Kernel]]:
    """The launches, each with its kernel, where there is one of that name."""
    kernels = _kernels(tree)
    for launch in tree.units:
        if isinstance(launch, ast.Launch) and launch.kernel.text in kernels:
            yield launch, kernels[launch.kernel.text]


def _stated(item: ast.InitialValue) -> int:
    return int(item.length.text) if isinstance(item.length, ast.NumberLiteral) else 0


def _is_local(parameter: ast.Parameter) -> bool:
    return space_of_memory(parameter) is Region.LOCAL


def _buffer(parameter: ast.Parameter, length: int | None) -> ast.InitialValue:
    span = parameter.span
    number = None if length is None else ast.NumberLiteral(str(length), span=span)
    # Local memory begins indeterminate; of anything else the elements are 0.
    value = None if _is_local(parameter) else ast.NumberLiteral("0", span=span)
    return ast.InitialValue(parameter.name, length=number, value=value, is_guessed=True, span=span)


def _values(given: Mapping[str, ast.InitialValue]) -> dict[str, int]:
    """The integers that parameters are given."""
    numbers = {
        name: None if item.value is None or isinstance(item.value, ast.InitializerList) else known_integer(item.value)
        for name, item in given.items()
        if item.length is None
    }
    return {name: number for name, number in numbers.items() if number is not None}


class _Uses(Struct, dict=True, frozen=True):
    """How a kernel that is launched uses its buffers."""

    kernel: ast.Kernel
    launch: ast.Launch
    functions: Mapping[str, Callee]
    values: Mapping[str, int]

    @cached_property
    def followed(self) -> Mapping[str, int]:
        """How many elements it uses, as far as that follows from ids, constants and the values that it is given."""
        return followed(self.kernel, self.launch, self.functions, self.values)

    @cached_property
    def casts_pointers(self) -> bool:
        """Whether the kernel, or a function beside it, sees memory as something else."""
        bodies = [self.kernel.body, *(one.body for one in self.functions.values() if one.body is not None)]
        return any(isinstance(node, ast.Cast) and node.type.pointers for node in walk(bodies))

    def length(self, parameter: ast.Parameter) -> int | None:
        """How many elements a buffer has, of which nothing states it; None for a single object."""
        if "." not in parameter.name.text:
            length = self._elements(parameter)
            return length if parameter.step == 1 else _whole(length, parameter.step)
        structures = self._structures(parameter)
        return structures if parameter.step == 1 else parameter.step * (structures or 1)

    def _elements(self, parameter: ast.Parameter) -> int | None:
        """The number of elements that are used; None for a single object."""
        name = parameter.name.text
        # Numbers that are those of vectors: a work-item has one of these at least.
        least = parameter.step if "." not in name else 1
        needed = list(needed_by(parameter, self.kernel.body, self.functions, least))
        sizes = {part.key: part.values for part in self.launch.parts}
        whole = sizes.get("global", (1,))
        local = sizes.get("local") or required_sizes(self.kernel) or whole
        # A launch that has too many work-items, or none, is refused: its buffers are nothing to complain of as well.
        items = min(max(1, prod(local if _is_local(parameter) else whole)), MOST_WORK_ITEMS)
        length = max((-(-one.of(items) // element_size(parameter)) for one in needed), default=None)
        if self.casts_pointers and (seen := self.followed.get(name, 0)) > (length or 1):
            return seen
        if length is None or not any(one.each for one in needed):
            return length
        return max(length, self.followed.get(name, 0))

    def _structures(self, member: ast.Parameter) -> int | None:
        """How many structures or vectors there are, of which a parameter is a member; None for a single one.

        There are as many as one of its members needs that is no array.
        """
        prefix = f"{member.name.text.partition('.')[0]}."
        members = [one for one in self.kernel.parameters if one.name.text.startswith(prefix)]
        needed = [self._elements(one) for one in members if one.step == 1]
        # An array that is used beyond that of the first structure is one of several.
        of_arrays = [-(-self.followed.get(one.name.text, 0) // one.step) for one in members if one.step > 1]
        return max((*filter(None, needed), *(number for number in of_arrays if number > 1)), default=None)


def _whole(length: int | None, step: int) -> int:
    """So many numbers, or a few more, that they are vectors of so many."""
    return -(-(length or 1) // step) * step
