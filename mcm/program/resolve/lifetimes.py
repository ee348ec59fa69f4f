"""INIT-2: a private variable has no value behind the block that declares it, where only a pointer still leads to it.

C ends its lifetime there (6.2.4). It is declared again behind the statement with its block, and where each iteration of
a loop begins, which leaves it without a value: so both engines and the machine report who reads it through a pointer.
Writes through such a pointer are not reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.instruction import (
    AddressOfRegister,
    Arm,
    Assign,
    Block,
    Declare,
    ElementPlace,
    If,
    Inlined,
    Loop,
    Read,
    RegisterPlace,
    Switch,
)
from mcm.program.types import PointerType
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from mcm.program.instruction import Statement, Written


def with_ends(block: Block, pointed: AbstractSet[str]) -> Block:
    """A body in which variables end whose address is kept outside of their block; that of `pointed` is taken."""
    found: list[Statement] = []
    for statement in block.statements:
        inner = _inside(statement, pointed)
        found += (inner, *_ended(statement, pointed))
    same = len(found) == len(block.statements) and all(map(_is_same, found, block.statements))
    return block if same else replace(block, statements=tuple(found))


def _is_same(one: Statement, other: Statement) -> bool:
    return one is other


def _inside(node: Statement, pointed: AbstractSet[str]) -> Statement:
    """A statement with ends inside it."""
    match node:
        case Block():
            return with_ends(node, pointed)
        case If(then=then, otherwise=otherwise):
            changed = with_ends(then, pointed), with_ends(otherwise, pointed)
            is_same = changed[0] is then and changed[1] is otherwise
            return node if is_same else replace(node, then=changed[0], otherwise=changed[1])
        case Inlined(body=body):
            inner = with_ends(body, pointed)
            return node if inner is body else replace(node, body=inner)
        case Switch(arms=arms):
            return replace(node, arms=tuple(_arm(arm, pointed) for arm in arms))
        case Loop(body=body):
            inner = with_ends(body, pointed)
            if ends := _ended(body, pointed):
                inner = replace(inner, statements=(*ends, *inner.statements))
            return node if inner is body else replace(node, body=inner)
        case _:
            return node


def _arm(node: Arm, pointed: AbstractSet[str]) -> Arm:
    inner = with_ends(node.body, pointed)
    return node if inner is node.body else replace(node, body=inner)


def _ended(node: Statement, pointed: AbstractSet[str]) -> tuple[Declare, ...]:
    """The variables that end with a statement, if it keeps the address of one of them for later."""
    if not isinstance(node, Block | If | Inlined | Loop | Switch):
        return ()
    nodes = walk(node)
    declared = {one.register: one for one in nodes if isinstance(one, Declare)}
    if pointed.isdisjoint(declared) or not any(_keeps(one, declared) for one in nodes):
        return ()
    return tuple(replace(one, initializer=None) for name, one in declared.items() if name in pointed)


def _keeps(node: Written, declared: Mapping[str, Declare]) -> bool:
    """Whether a node may assign the address of one of the variables to something else."""
    if not (isinstance(node, Assign) and isinstance(node.type, PointerType)):
        return False
    match node.place:
        case RegisterPlace(name) | ElementPlace(name) if name in declared:
            return False
        case _:
            return any(_may_lead_to(part, declared) for part in walk(node.value))


def _may_lead_to(node: Written, declared: Mapping[str, Declare]) -> bool:
    match node:
        case AddressOfRegister(RegisterPlace(name) | ElementPlace(name)):
            return name in declared
        case Read(RegisterPlace(name) | ElementPlace(name), PointerType()):
            return name in declared
        case _:
            return False
