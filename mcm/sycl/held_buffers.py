"""Host accessors that live: a command that conflicts with one waits for its end (SYCL 2020, 3.9.8.1).

The end is a user event in terms of the C family, which the host sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from mcm.sycl.context import call
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.program.resolve.buffer_order import Stretch
    from mcm.syntax.ast import Node, Statement

_WAIT: Final = "wait"


class Held(Struct):
    """A host accessor: what it is of, whether it only reads, and the event of its end once a command waits for that.

    `behind` is how many buffers of its block are declared before it. One that is made in a branch or a loop
    `is_perhaps`: it may end several times.
    """

    stretch: Stretch
    only_reads: bool
    behind: int
    is_perhaps: bool
    end: str = ""

    def conflicts(self, accesses: Mapping[Stretch, bool]) -> bool:
        """Whether a command with these accesses waits for its end."""
        return any(one.overlaps(self.stretch) and not (reads and self.only_reads) for one, reads in accesses.items())


class Open(Struct):
    """What the end of a block destroys: buffers that write back, and host accessors.

    `variables` of the host that commands name end with it, too; the first `number` of commands, before it, use none.
    """

    buffers: list[str] = field(default_factory=list)
    accessors: list[Held] = field(default_factory=list)
    variables: tuple[str, ...] = ()
    number: int = 0

    def ends(self) -> Iterator[str | Held]:
        """The buffers and the accessors that a command waits for, what was made last first."""
        for place in range(len(self.buffers), -1, -1):
            yield from (one for one in reversed(self.accessors) if one.behind == place and one.end)
            if place:
                yield self.buffers[place - 1]


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
