"""A test in SYCL as OpenCL C: what it means in terms of the C family, with regions and atomic types written out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from mcm.convert.buffer_events import with_events
from mcm.convert.refusal import refused
from mcm.program.resolve.call_walk import CAPTURES
from mcm.program.resolve.command_words import BYTES, GIVEN_UP, INSIDE, REPEATED
from mcm.program.types import Region
from mcm.sycl.host_commands import BUFFER_QUEUE
from mcm.sycl.lower import lowered
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.parsed_text import text_of
from mcm.syntax.printer import print_litmus

if TYPE_CHECKING:
    from collections.abc import Collection

    from mcm.front_end.test import Test
    from mcm.program.program import MemoryObject


def to_opencl(test: Test) -> str:
    """The text of the test in OpenCL C; InputError with the reason where it has no such form."""
    tree, _ = lowered(test.tree)
    objects = {item.name: item for item in test.program.objects}
    taken = frozenset(re.findall(r"\w+", text_of(test.tree)))

    def named(node: ast.Node) -> ast.Node:
        return _named(node, taken)

    units = tuple(mapped(_unit(unit, objects), named) for unit in map(_of_events, tree.units))
    hosts = [unit for unit in tree.units if isinstance(unit, ast.Thread) and unit.is_host]
    on_host = {one.name.text for host in hosts for one in host.parameters}
    initial = tuple(mapped(_shared(item, on_host), named) for item in tree.initial if not _waits_for_buffers(item))
    keys = tuple(key for key in tree.keys if not key.key.startswith(("Expect.", "Undefined.", "Without.", "Needs")))
    return print_litmus(replace(tree, word="OPENCL", initial=initial, units=units, keys=keys, comments=()))


def _shared(item: Any, on_host: Collection[str]) -> Any:
    """A buffer that the host accesses as what it may access without a map; events order both alike."""
    if isinstance(item, ast.InitialValue) and item.allocation == "buffer" and item.name.text in on_host:
        return replace(item, allocation="fine_svm")
    return item


def _unit(unit: Any, objects: dict[str, MemoryObject]) -> Any:
    if not isinstance(unit, ast.Thread | ast.Kernel):
        return unit
    return replace(unit, parameters=tuple(_parameter(one, objects) for one in unit.parameters))


def _of_events(unit: Any) -> Any:
    """A host in which commands wait for events."""
    is_host = isinstance(unit, ast.Thread) and unit.is_host
    return replace(unit, body=with_events(unit.body)) if is_host else unit


def _waits_for_buffers(item: Any) -> bool:
    return isinstance(item, ast.QueueObject) and item.name.text == BUFFER_QUEUE


def _named(node: ast.Node, taken: Collection[str]) -> ast.Node:
    """A node in which what a program cannot name has a name that is not `taken`.

    `(event 1)` is `event_1`, and the value of each work-item for a reduction `(K1: x)` is in `K1_x`.
    """
    match node:
        case ast.Name(text) if text.startswith("("):
            name = re.sub(r"\W+", "_", text.strip("()"))
            while name in taken:
                name += "_"
            return replace(node, text=name)
        case ast.Call(ast.Name(word)) if word in GIVEN_UP:
            raise refused(node, "OpenCL has no command that gives up what a buffer holds, as 'no_init' does")
        case ast.Call(ast.Name(word), (index, _)) if word.startswith(INSIDE):
            return index
        case ast.Call(ast.Name(word)) if word == CAPTURES:
            raise refused(node, "a kernel is passed the values of variables of the host")
        case ast.Call(ast.Name(word)) if word in {BYTES, REPEATED}:
            reason = "commands on a part of memory are not converted, nor bytes that are neither numbers nor 0"
            raise refused(node, reason)
        case _:
            return node


def _parameter(node: ast.Parameter, objects: dict[str, MemoryObject]) -> ast.Parameter:
    """A pointer into the region of its object, to an atomic type where it is accessed atomically."""
    item = objects.get(node.name.text)
    if item is None or item.region not in {Region.GLOBAL, Region.LOCAL}:
        return node
    words = tuple(word for word in node.type.qualifiers if word not in {"generic", "global", "local"})
    base = f"atomic_{node.type.base}" if item.atomic and node.type.base in _ATOMIC else node.type.base
    return replace(node, type=replace(node.type, qualifiers=(item.region.value, *words), base=base))


_ATOMIC = frozenset({"int", "uint", "long", "ulong", "float", "double"})
