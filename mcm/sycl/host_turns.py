"""Loops of a host program that are written out, one turn after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl.constants import condition, typed
from mcm.sycl.early_ends import early_ends
from mcm.sycl.entities import Variable
from mcm.sycl.followed_numbers import FollowedNumbers
from mcm.sycl.host_commands import HostCommands
from mcm.sycl.host_loops import enqueues, in_sequence, unrolled
from mcm.sycl.types import written_type
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.syntax.ast import Expression, Node, Statement

_MOST: Final = 64


class HostTurns(HostCommands):
    """A body of the host, as far as it has loops with commands, and numbers that these depend on."""

    _numbers = FollowedNumbers()
    # How many switches, and loops with a head, are around what is being read.
    _heads = 0

    def _followed(self, node: Node) -> Node:
        """A statement with what numbers are known to be in place of their names, which are followed."""
        found = self._numbers.read(node)
        if not self._branches and not self._heads:
            self._numbers.follow(found, self.context)
        return found

    def _around(self, node: Node) -> Statement:
        if not isinstance(node, ast.If | ast.While | ast.DoWhile | ast.For | ast.Switch):
            return super()._around(node)
        if self._exchanged.moves_in(node):
            message = "memory is exchanged here in a loop of which it is not known how often it goes round"
            self.complaints.fail("E207", node.span, message)
        # What it writes is known neither in it nor behind it, whatever it begins with.
        self._numbers.forget(node)
        self._heads += isinstance(node, ast.Switch | ast.For)
        try:
            return super()._around(node)
        finally:
            self._heads -= isinstance(node, ast.Switch | ast.For)

    def _turns(self, node: Node) -> list[Statement] | None:
        """A loop with commands whose condition is known in each turn, as its turns; None for other statements.

        Where the condition is not known any more, the loop goes on behind the turns.
        """
        match node:
            case ast.For() if (values := unrolled(node, self.context)) is not None:
                return self._unrolled(node, *values)
            case ast.While(test, body) | ast.DoWhile(body, test):
                pass
            case ast.For(initial, test, step, body) if test is not None and not any(early_ends(body)):
                return self._turns_of_for(initial, ast.While(test, _with_step(body, step), span=node.span))
            case _:
                return None
        if not enqueues(body) or any(early_ends(body)) or not self._numbers.knows(test):
            return None
        found: list[Statement] = []
        is_first = isinstance(node, ast.DoWhile)
        self._loops.append(node)
        for turn in range(_MOST):
            holds = is_first or self._holds(test)
            is_first = False
            if not holds:
                break
            block = body if isinstance(body, ast.Block) else ast.Block((body,), span=body.span)
            found.append(replace(self.block(block), iteration=turn))
        self._loops.pop()
        if holds is not False:
            found.append(self._around(ast.While(test, body, span=node.span)))
        return found

    def _unrolled(self, node: ast.For, variable: ast.Declarator, values: tuple[int, ...]) -> list[Statement]:
        """A loop with commands, one time after the other: the variable is a constant each time."""
        found: list[Statement] = []
        assert isinstance(node.initial, ast.Declaration)
        self._loops.append(node)
        type_ = written_type(node.initial.type)
        for turn, value in enumerate(values):
            self.scopes.open()
            found_type = replace(type_, base="int") if type_.base == "auto" else type_
            literal = typed(value, found_type, variable)
            self.scopes.declare(variable.name.text, Variable(found_type, is_fixed=True, constant=literal))
            body: Node = node.body
            block = body if isinstance(body, ast.Block) else ast.Block((node.body,), span=body.span)
            found.append(replace(self.block(block), iteration=turn))
            self.scopes.close()
        self._loops.pop()
        return found

    def _turns_of_for(self, initial: Statement | None, loop: ast.While) -> list[Statement] | None:
        """The turns of a loop that begins with a statement."""
        if not enqueues(loop.body) or self._branches or self._heads:
            return None
        if initial is not None:
            self._numbers.follow(self._numbers.read(initial), self.context)
        if not self._numbers.knows(loop.condition) or self._holds(loop.condition) is None:
            return None
        first = () if initial is None else (initial,)
        return self._scope((*first, loop), loop)

    def _holds(self, test: Expression) -> bool | None:
        return condition(self._numbers.with_values(test), self.context)


def _with_step(body: Statement, step: Expression | None) -> ast.Block:
    """The body of a loop with what stands behind each turn at its end."""
    last = () if step is None else tuple(ast.ExpressionStatement(one, span=one.span) for one in in_sequence(step))
    statements = body.statements if isinstance(body, ast.Block) else (body,)
    return ast.Block((*statements, *last), span=body.span)
