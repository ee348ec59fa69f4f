"""What is known of a unit around its blocks: its variables, and the names that stand for queues, ranges and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.syntax import ast
from mcm.syntax.walk import changed_variable, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ALIASES: Final = frozenset({"queue_t", "ndrange_t"})

Unit = ast.Kernel | ast.Function | ast.Thread


class Declared(Struct, frozen=True):
    """A variable of a unit, with its whole type."""

    type: ast.TypeName
    name: ast.Name
    is_array: bool
    is_parameter: bool


class Around(Struct):
    """What is known of the unit around a block.

    `aliases` are variables that stand for a queue or a range, `blocks` those for blocks, `events` the lengths of arrays
    of events (None for a single one), `moved` the variables that something is assigned to, or whose address is taken.
    """

    unit: Unit
    variables: dict[str, Declared]
    ambiguous: set[str]
    moved: frozenset[str]
    aliases: dict[str, ast.Expression | None] = field(default_factory=dict)
    blocks: dict[str, ast.BlockLiteral] = field(default_factory=dict)
    events: dict[str, int | None] = field(default_factory=dict)


def around_of(unit: Unit) -> Around:
    """The variables of a unit, those of its blocks aside."""
    variables: dict[str, Declared] = {}
    ambiguous: set[str] = set()
    for type_, node in _declarations(unit):
        pointers = node.pointers if isinstance(node, ast.Declarator) else ()
        whole = replace(type_, pointers=(*type_.pointers, *pointers))
        is_parameter = isinstance(node, ast.Parameter)
        one = Declared(whole, node.name, node.length is not None and not is_parameter, is_parameter)
        known = variables.setdefault(node.name.text, one)
        if known is not one and (known.type != one.type or known.is_parameter):
            ambiguous.add(node.name.text)
    moved = frozenset(name for node in _outside_blocks(unit) if (name := changed_variable(node)) is not None)
    return Around(unit, variables, ambiguous, moved)


def _declarations(unit: ast.Node) -> Iterator[tuple[ast.TypeName, ast.Declarator | ast.Parameter]]:
    if isinstance(unit, Unit):
        yield from ((parameter.type, parameter) for parameter in unit.parameters)
        if isinstance(unit, ast.Kernel):
            yield from ((one.type, ast.Declarator(one.name, span=one.span)) for one in unit.captured)
    for node in _outside_blocks(unit):
        if isinstance(node, ast.Declaration):
            yield from ((node.type, one) for one in node.declarators)


def _outside_blocks(node: ast.Node) -> Iterator[ast.Node]:
    if not isinstance(node, ast.BlockLiteral):
        yield node
        for part in parts_of(node):
            yield from _outside_blocks(part)


def declarator_of(name: str, unit: ast.Node) -> ast.Declarator | None:
    """The declaration of a variable; None where there are others of this name, in other blocks."""
    declared = (one for _, one in _declarations(unit) if isinstance(one, ast.Declarator))
    found = [one for one in declared if one.name.text == name]
    return found[0] if len(found) == 1 else None
