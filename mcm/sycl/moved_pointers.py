"""Names of memory that a host program gives other addresses: pointers of their own, from there on.

`std::swap(a, b)` of what `malloc_shared` made leaves both objects where they are. From the first statement that moves
`a`, its name is that of a variable, `(a)`, which begins as the address of the object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.changes import named_objects
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import changed_variable, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Object
    from mcm.syntax.ast import Node

# Memory whose name is a pointer. What is `system` may be a variable of the host, which has a value of its own.
_KINDS: Final = frozenset({"malloc_shared", "malloc_host"})


def with_own_pointers(body: ast.Block, memory: Mapping[str, Object], complaints: Complaints) -> ast.Block:
    """The body of a host program, with variables for the names of memory that it moves."""
    assigned = _assigned([body])
    moved = {name for name in _moved([body], assigned) if name in memory and memory[name].kind in _KINDS}
    if not moved:
        return body
    for node in outside_kernels([body]):
        if isinstance(node, ast.Declarator) and node.name.text in moved:
            # What is assigned may be a variable of that name.
            moved -= {node.name.text} if node.name.span != memory[node.name.text].span else set()
    for node in walk([body]):
        if isinstance(node, ast.Member | tree.MemberCall) and node.name.text in moved:
            text = node.name.text
            message = f"'{text}' is given other addresses, and there are members '{text}': give it a name of its own"
            complaints.error("E207", node.name.span, message)
    for name in sorted(moved):
        body = _from_where_it_moves(body, name, memory[name], assigned)
    return body


def _from_where_it_moves(block: ast.Block, name: str, item: Object, assigned: Collection[str]) -> ast.Block:
    """The block in which a name is declared, or around it, where the name is a variable from where it moves."""
    inner = next((one for one in block.statements if isinstance(one, ast.Block) and _declares(one, name, item)), None)
    if inner is not None:
        changed = _from_where_it_moves(inner, name, item, assigned)
        return replace(block, statements=tuple(changed if one is inner else one for one in block.statements))
    number = next(i for i, one in enumerate(block.statements) if name in _moved([one], assigned))
    first = block.statements[number]
    own = ast.Name(f"({name})", span=first.span)
    address = ast.Name(name, span=first.span)
    declarator = ast.Declarator(own, (*item.type.pointers, ()), None, address, span=first.span)
    declared = ast.Declaration(replace(item.type, pointers=()), (declarator,), span=first.span)

    def renamed(node: Node) -> Node:
        return replace(node, text=own.text) if isinstance(node, ast.Name) and node.text == name else node

    rest = (mapped(one, renamed) for one in block.statements[number:])
    return replace(block, statements=(*block.statements[:number], declared, *rest))


def _declares(node: Node, name: str, item: Object) -> bool:
    """Whether memory is made in a part of a body; in another call of a function it has another name."""
    made = (one.name for one in walk([node]) if isinstance(one, ast.Declarator))
    return any(one.text == name and one.span == item.span for one in made)


def _assigned(nodes: Iterable[Node]) -> set[str]:
    """The names that the host assigns to, or takes the address of, `swapped(&a, &b)`."""
    return {name for node in outside_kernels(nodes) if (name := changed_variable(node)) is not None}


def _moved(nodes: Collection[Node], assigned: Collection[str]) -> set[str]:
    """The names that the host assigns to, or has a reference to, where all that is `assigned` is known."""
    found = _assigned(nodes)
    for node in outside_kernels(nodes):
        if isinstance(node, tree.ReferenceDeclaration):
            # One of several that is never assigned is what it was before.
            is_plain = isinstance(node.initializer, ast.Name)
            found |= set(named_objects(node.initializer)) if is_plain or node.name.text in assigned else set()
    return found


def outside_kernels(nodes: Iterable[Node]) -> Iterator[Node]:
    """All nodes but those in kernels."""
    for node in nodes:
        if not isinstance(node, tree.Lambda):
            yield node
            yield from outside_kernels(parts_of(node))
