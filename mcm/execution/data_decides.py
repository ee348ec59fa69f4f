"""Whether data decides where a program goes: which accesses are made, or at which elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program import instruction as hir
from mcm.program.walk import walk_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.instruction import Expression, Written
    from mcm.program.program import Program

# What returns something that depends on memory, or on other units.
_FROM_MEMORY = (
    hir.MemoryPlace,
    hir.AtomicLoad,
    hir.AtomicUpdate,
    hir.CompareExchange,
    hir.LegacyCompareExchange,
    hir.Collective,
    hir.PipeAction,
)


def data_decides(program: Program) -> bool:
    """Whether a condition or an address may depend on what some unit reads; registers are followed by name."""
    nodes = list(walk_once(thread.body for thread in program.threads))
    assigned = [pair for node in nodes for pair in _assigned(node)]
    registers: set[str] = set()
    while True:
        more = {name for name, value in assigned if name not in registers and _is_read(value, registers)}
        if not more:
            break
        registers |= more
    return any(_is_read(each, registers) for node in nodes for each in _deciding(node))


def _is_read(expression: Expression, registers: set[str]) -> bool:
    """Whether the value of an expression may depend on memory, given the registers that do."""
    return any(
        isinstance(node, _FROM_MEMORY)
        or (isinstance(node, hir.RegisterPlace) and node.register in registers)
        or (isinstance(node, hir.ElementPlace) and node.array in registers)
        for node in walk_once((expression,))
    )


def _assigned(node: Written) -> Iterator[tuple[str, Expression]]:
    """What a node assigns to registers and private arrays."""
    match node:
        case hir.Assign(hir.RegisterPlace(name), value) | hir.Modify(_, hir.RegisterPlace(name), value):
            yield name, value
        case hir.Assign(hir.ElementPlace(name), value) | hir.Modify(_, hir.ElementPlace(name), value):
            yield name, value
        case hir.Declare(name, initializer=(_, *_) as values):
            yield from ((name, value) for value in values)
        case hir.CompareExchange(expected=hir.RegisterPlace(name)):
            yield name, node
        case _:
            pass


def _deciding(node: Written) -> Iterator[Expression]:
    """The conditions and addresses of a node."""
    match node:
        case hir.If(condition) | hir.Loop(condition) | hir.Switch(condition):
            yield condition
        case hir.Conditional(condition, then, otherwise):
            if _is_read(then, set()) or _is_read(otherwise, set()):
                yield condition
        case hir.Logical(_, left, right):
            if _is_read(right, set()):
                yield left
        case hir.ElementPlace(_, _, index):
            yield index
        case hir.MemoryPlace(address) | hir.AtomicLoad(address) | hir.AtomicStore(address) | hir.AtomicInit(address):
            yield address
        case hir.AtomicUpdate(_, address) | hir.CompareExchange(address) | hir.LegacyCompareExchange(address):
            yield address
        case _:
            pass
