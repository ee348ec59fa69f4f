"""Pipes as they are written: `pipe int p[4];` in the initial state, and parameters of kernels.

In what this stage hands on a pipe is an object in global memory and a parameter is a pointer to it, which only the
functions for pipes are given (mcm.program.resolve.pipe_functions).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.pipe_state import MOST_PACKETS
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.spelling import SCALARS, scalar_name
from mcm.program.types import AllocationKind
from mcm.syntax import ast
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.program.resolve.complaints import Complaints

WORD: Final = "pipe"

_ACCESS: Final = {"read_only": "read", "write_only": "write"}
_HOST: Final = "a pipe is not accessible from the host"


class _End(Struct, frozen=True):
    """The end of a pipe that a parameter is: "read" or "write"."""

    access: str
    parameter: ast.Parameter


def without_pipes(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with pipes as objects in memory, after checking that nothing else is done with them."""
    initial = tuple(_declared(item, complaints) for item in tree.initial)
    # What is a pipe already has been looked at.
    new = (item for item, before in zip(initial, tree.initial, strict=True) if item is not before)
    declared = {item.name.text: item for item in new if isinstance(item, ast.InitialValue)}
    functions = {unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Function)}
    units = tuple(_unit(unit, declared, functions, complaints) for unit in tree.units)
    others = (*(item for item in initial if item.name.text not in declared), *tree.locations)
    conditions = tuple(part for part in (tree.filter, tree.condition) if part is not None)
    for name in (node for node in walk((*others, *conditions)) if isinstance(node, ast.Name)):
        if name.text in declared:
            complaints.error("E168", name.span, f"{_HOST}: '{name.text}' has no value that a test can state or ask for")
    return replace(tree, initial=initial, units=units)


def _declared(item: ast.InitialItem, complaints: Complaints) -> ast.InitialItem:
    """A declaration, where it is one of a pipe as that of an object of this kind."""
    if not isinstance(item, ast.InitialValue) or item.type is None or WORD not in item.type.qualifiers:
        return item
    name = item.name.text
    message = f"a pipe is declared with how many packets it has room for: 'pipe int {name}[4];'"
    if item.allocation is not None or item.pointers or item.length is None or not item.type.base:
        complaints.error("E168", item.span, f"{message}, found '{item.span.text}'")
    elif item.value is not None:
        complaints.error("E168", item.span, f"a pipe is empty in the beginning, found a value for '{name}'")
    else:
        _check_capacity(item.length, complaints)
    type_ = _packet(item.type, complaints)
    return replace(item, allocation=AllocationKind.PIPE.value, type=type_, value=None)


def _check_capacity(length: ast.Expression, complaints: Complaints) -> None:
    try:
        number = constant_integer(length, complaints, "the number of packets")
    except UnresolvedError:
        return
    if not 0 < number <= MOST_PACKETS:
        message = f"a pipe has room for 1 to {MOST_PACKETS} packets here, found {number}"
        complaints.error("E168", length.span, message)


def _packet(written: ast.TypeName, complaints: Complaints) -> ast.TypeName:
    """The type of the packets, as that of an object in global memory."""
    kept = [word for word in written.qualifiers if word != WORD and word.strip("_") not in {*_ACCESS, "read_write"}]
    if written.base and (scalar_name(tuple(kept), written.base) not in SCALARS or written.pointers):
        message = f"not yet supported: packets of type '{written.base}{'*' * len(written.pointers)}'; numbers are"
        complaints.error("E100", written.span, message)
        return replace(written, qualifiers=("global",), base="int", pointers=())
    return replace(written, qualifiers=("global", *kept), pointers=())


def _unit(
    unit: ast.Unit,
    declared: Mapping[str, ast.InitialValue],
    functions: Mapping[str, ast.Function],
    complaints: Complaints,
) -> ast.Unit:
    """A unit whose parameters point at pipes, after checking what it does with them."""
    if isinstance(unit, ast.Launch | ast.Structure | ast.FileVariables):
        return unit
    is_host = isinstance(unit, ast.Callback) or (isinstance(unit, ast.Thread) and unit.is_host)
    ends = {p.name.text: _end(p, complaints) for p in unit.parameters if WORD in p.type.qualifiers}
    for name, end in ends.items():
        span = end.parameter.span
        if is_host:
            complaints.error("E168", span, f"{_HOST}: kernels have the parameter '{name}'")
        elif not isinstance(unit, ast.Function) and name not in declared:
            message = f"the pipe '{name}' is not declared; the initial state says how many packets it has room for"
            complaints.error("E168", span, f"{message}: 'pipe {end.parameter.type.base} {name}[4];'")
    for parameter in unit.parameters:
        name = parameter.name.text
        if name in declared and name not in ends and not isinstance(unit, ast.Function):
            note = Note("a pipe here", declared[name].span)
            complaints.error("E168", parameter.span, f"'{name}' is a pipe: 'read_only pipe int {name}'", note)
    if unit.body is not None:
        _Body(ends, declared if is_host else {}, functions, complaints).check(unit.body)
    parameters = tuple(_pointer(p, complaints) if p.name.text in ends else p for p in unit.parameters)
    return replace(unit, parameters=parameters)


def _end(parameter: ast.Parameter, complaints: Complaints) -> _End:
    words = [word.strip("_") for word in parameter.type.qualifiers]
    if "read_write" in words or {"read_only", "write_only"} <= {*words}:
        message = f"a kernel reads a pipe or writes it: '{parameter.name.text}' is 'read_only' or 'write_only'"
        complaints.error("E168", parameter.span, message)
    if parameter.length is not None or parameter.type.pointers:
        message = f"there are no arrays of pipes, and no pointers to them, found '{parameter.span.text}'"
        complaints.error("E168", parameter.span, message)
    return _End("write" if "write_only" in words else "read", parameter)


def _pointer(parameter: ast.Parameter, complaints: Complaints) -> ast.Parameter:
    type_ = _packet(parameter.type, complaints)
    return replace(parameter, type=replace(type_, pointers=((),)), length=None)


class _Body:
    """What a body does with the pipes that it knows, and, of the host, with those that it must not know."""

    def __init__(
        self,
        ends: Mapping[str, _End],
        foreign: Mapping[str, ast.InitialValue],
        functions: Mapping[str, ast.Function],
        complaints: Complaints,
    ) -> None:
        self._ends: Final = ends
        self._foreign: Final = foreign
        self._functions: Final = functions
        self._complaints: Final = complaints

    def check(self, node: ast.Node) -> None:
        """Report every use of a pipe but as an argument of a function that takes one."""
        match node:
            case ast.Call(ast.Name(function), arguments):
                for place, argument in enumerate(arguments):
                    if isinstance(argument, ast.Name) and argument.text in self._ends:
                        self._passed(function, place, argument)
                    else:
                        self.check(argument)
            case ast.Name(text) if text in self._ends:
                self._complain(node, f"a pipe is only passed to functions that take one, found '{text}'")
            case ast.Name(text) if text in self._foreign:
                self._complain(node, f"{_HOST}, found '{text}'")
            case ast.Declaration(type_, _) if WORD in type_.qualifiers:
                self._complain(node, "a pipe is declared in the initial state, and is a parameter of kernels")
            case _:
                for part in parts_of(node):
                    self.check(part)

    def _passed(self, function: str, place: int, argument: ast.Name) -> None:
        """A pipe as an argument: of a function of the language, or one of the file's own."""
        end = self._ends[argument.text]
        note = Note(f"'{end.access}_only' here", end.parameter.span)
        if function in self._functions:
            parameters = self._functions[function].parameters
            taken = parameters[place] if place < len(parameters) else None
            if taken is None or WORD not in taken.type.qualifiers:
                self._complain(argument, f"'{function}' takes no pipe here")
            elif _end(taken, self._complaints).access != end.access:
                self._complain(
                    argument, f"'{function}' does not take the end of '{argument.text}' to {end.access}", note
                )
        elif "_pipe" not in function or place:
            self._complain(argument, f"'{function}' takes no pipe here")
        elif {"read": "write", "write": "read"}[end.access] in function.split("_"):
            message = f"'{argument.text}' is '{end.access}_only': '{function}' cannot"
            self._complaints.error("E168", argument.span, message, note)

    def _complain(self, node: ast.Node, message: str, *notes: Note) -> None:
        self._complaints.error("E168", node.span, message, *notes)
