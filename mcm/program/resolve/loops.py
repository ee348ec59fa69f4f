"""Loops in terms of instructions: with calls between iterations, and those of the host that enqueue commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.program.instruction import Arm, Assign, Block, Break, Declare, Evaluate, If, Literal, Loop, Read, Switch
from mcm.program.types import Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mcm.base.source import Span
    from mcm.program.instruction import Expression, Statement
    from mcm.program.resolve.context import ThreadContext
    from mcm.syntax import ast


def written_out(
    node: ast.Statement,
    span: Span,
    context: ThreadContext,
    test: Callable[[], tuple[list[Statement], Expression]],
    iteration: Callable[[], Iterator[Statement]],
    *,
    tests_first: bool,
) -> Switch:
    """The first iterations of a loop with this body, and where it is cut.

    `test` resolves the condition, and `iteration` body and step. What leaves the loop leaves a `switch`.
    """
    statements: list[Statement] = []
    turns = context.written_out(node, span)
    for turn in turns:
        if tests_first or turn:
            before, condition = test()
            tested = (*before, leave_unless(condition))
            statements.append(Block(tested, turn if tests_first else turn - 1, span=span))
        statements.append(Block(tuple(iteration()), turn, span=span))
    before, condition = test()
    rest = (*before, Loop(condition, Block((), span=span), is_cut=True, span=span))
    statements.append(Block(rest, turns.stop if tests_first else turns.stop - 1, span=span))
    arm = Arm((), is_default=True, body=Block(tuple(statements), span=span), span=span)
    return Switch(Literal(0, Scalar.INT, span=span), (arm,), span=span)


def endless(statements: tuple[Statement, ...], step: Expression | None, span: Span) -> Loop:
    """A loop that only `break` and `return` leave."""
    return Loop(Literal(1, Scalar.INT, span=span), Block(statements, span=span), step, span=span)


def leave_unless(test: Expression) -> If:
    """What leaves a loop where a condition does not hold."""
    leave = Block((Break(span=test.span),), span=test.span)
    return If(test, Block((), span=test.span), leave, span=test.span)


def with_calls_between(
    before: list[Statement],
    test: Expression,
    body: Block,
    between: list[Statement],
    span: Span,
    context: ThreadContext,
    tests_first: bool,  # noqa: FBT001 - as of a loop
) -> Iterator[Statement]:
    """A loop in which functions are called between two iterations; `continue` goes to these calls.

    A register tells the first iteration from the others, before which the calls are made.
    """
    from mcm.program.resolve.functions import temporary  # noqa: PLC0415 - the conditions of few loops call functions

    again = temporary("again", Scalar.INT, span, context)
    zero, one = Literal(0, Scalar.INT, span=span), Literal(1, Scalar.INT, span=span)
    tested = (*before, leave_unless(test))
    repeats = Block((*between, *(() if tests_first else tested)), ends_iteration=True, span=span)
    statements = (
        If(Read(again, Scalar.INT, span=span), repeats, Block((), span=span), span=span),
        Evaluate(Assign(again, one, Scalar.INT, span=span), span=span),
        *(tested if tests_first else ()),
        body,
    )
    yield Declare(again.register, Scalar.INT, None, (zero,), span=span)
    yield endless(statements, None, span)
