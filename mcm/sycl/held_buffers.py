"""What ends with a block of the host; a command that conflicts with a host accessor waits for its end (3.9.8.1).

The end of a host accessor is a user event in terms of the C family, which the host sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.sycl.context import call
from mcm.sycl.frames import OfHost
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.program.resolve.buffer_order import Stretch
    from mcm.syntax.ast import Node, Statement

_WAIT: Final = "wait"
# The condition of statements that are done where their block is left, which no program has.
AT_END: Final = "__at_end"
# What `return` is given where the program ends and leaves no block.
EXIT: Final = "__exit"


class Held(OfHost):
    """A host accessor: what it is of, whether it only reads, and the event of its end once a command waits for that.

    One that is made in a branch or a loop `is_perhaps`: it may end several times.
    """

    stretch: Stretch
    only_reads: bool
    is_perhaps: bool
    end: str = ""

    def conflicts(self, accesses: Mapping[Stretch, bool]) -> bool:
        """Whether a command with these accesses waits for its end."""
        return any(one.overlaps(self.stretch) and not (reads and self.only_reads) for one, reads in accesses.items())


class Buffer(OfHost):
    """A buffer that writes back to memory of the host."""

    memory: str


class Lost(OfHost):
    """A variable of the host that commands name; the first `number` of commands, before its block, use none of it."""

    name: str
    number: int


class AtEnd(OfHost):
    """Statements that are done where their block is left: what the destructor of an object of the host does."""

    block: ast.Block


class Open(Struct):
    """A block of the host: the buffers and host accessors that it has declared so far.

    `variables` are those that it declares and that commands name, `number` how many commands there were before it.
    """

    made: list[Held | Buffer] = field(default_factory=list)
    variables: tuple[str, ...] = ()
    number: int = 0

    @property
    def buffers(self) -> list[str]:
        """The memory that buffers have."""
        return [one.memory for one in self.made if isinstance(one, Buffer) and not one.is_over]

    @property
    def accessors(self) -> list[Held]:
        """The host accessors that live."""
        return [one for one in self.made if isinstance(one, Held) and not one.is_over]


def at_end(node: Node) -> ast.Block | None:
    """What is done at the end of the block that a statement stands in; None of any other statement."""
    match node:
        case ast.If(ast.Name(text), ast.Block() as then, None) if text == AT_END:
            return then
        case _:
            return None


def ended(held: Held, node: Node) -> Statement:
    """What the host does at the end of an accessor."""
    arguments = (ast.Name(held.end, span=node.span), ast.Name("CL_COMPLETE", span=node.span))
    return ast.ExpressionStatement(call("clSetUserEventStatus", arguments, node), span=node.span)


def waiting_for(enqueuing: ast.Call, events: Iterable[str]) -> ast.Call:
    """A call that enqueues a command, which waits for these events too."""
    names: tuple[ast.Expression, ...] = tuple(ast.Name(one, span=enqueuing.span) for one in events)
    found: list[ast.Expression] = []
    for argument in enqueuing.arguments:
        if isinstance(argument, ast.Call) and argument.function.text == _WAIT:
            names = (*argument.arguments, *names)
        else:
            found.append(argument)
    waits = call(_WAIT, names, enqueuing)
    return ast.Call(enqueuing.function, (*found, waits), span=enqueuing.span)
