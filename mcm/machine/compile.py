"""Threads to code: statements become jumps; see `expressions` for what they compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mcm.execution.evaluate import apply_binary
from mcm.machine.calls import Calls
from mcm.machine.code import Barrier, Branch, Compute, Fence, Jump, Stop, ThreadCode
from mcm.machine.expressions import constant, conversion
from mcm.program import instruction as hir
from mcm.program.topology import HostThread
from mcm.program.types import Order, Scalar
from mcm.program.walk import walk

if TYPE_CHECKING:
    from mcm.machine.code import Operand, Slots
    from mcm.program.program import Program, Thread
    from mcm.program.types import Value


def compile_program(program: Program) -> tuple[ThreadCode, ...]:
    """The code of every thread, in the order of the program."""
    return tuple(_ThreadCompiler(thread).compile() for thread in program.threads)


class _ThreadCompiler(Calls):
    """Compiles statements; `_exits` are the jumps out of the loops around, to be filled in."""

    def __init__(self, thread: Thread) -> None:
        super().__init__(thread)
        self._exits: list[tuple[list[int], list[int]]] = []
        self._returns: list[int] = []

    def compile(self) -> ThreadCode:
        """The code of the thread."""
        self.statement(self.thread.body)
        for jump in self._returns:
            self.code[jump] = Jump(len(self.code))
        self.emit(Stop())
        return ThreadCode(
            index=self.thread.index,
            name=self.thread.name,
            placement=self.thread.placement,
            instructions=tuple(self.code),
            initial=tuple(self.initial),
            registers=self.registers,
            defined=self.defined,
        )

    def statement(self, node: hir.Statement) -> None:
        """Compile a statement."""
        match node:
            case hir.Evaluate(expression):
                self.full(expression)
            case hir.Declare():
                self._declare(node)
            case hir.Block(statements):
                for statement in statements:
                    self.statement(statement)
            case hir.If(condition, then, otherwise):
                self.choose(self.full(condition), lambda: self.statement(then), lambda: self.statement(otherwise))
            case hir.Loop():
                self._loop(node)
            case hir.Return():
                self._returns.append(self.emit(Jump(-1)))
            case hir.Break():
                self._exits[-1][0].append(self.emit(Jump(-1)))
            case hir.Continue():
                self._exits[-1][1].append(self.emit(Jump(-1)))
            case hir.Fence(flags, order, scope):
                self.emit(Fence(flags, order, scope, node.span))
            case hir.Barrier():
                self._barrier(node)
            case _:
                assert_never(node)

    def _barrier(self, node: hir.Barrier) -> None:
        if isinstance(self.thread.placement, HostThread):
            # The host is in no group: nobody is waited for.
            for order in (Order.RELEASE, Order.ACQUIRE):
                self.emit(Fence(node.flags, order, node.scope, node.span))
            return
        self.emit(Barrier(node.level, node.flags, node.scope, node.site, tuple(self.counters), node.span))

    def _declare(self, node: hir.Declare) -> None:
        names = [node.register] if node.length is None else [f"{node.register}[{i}]" for i in range(node.length)]
        if node.initializer is None:
            for name in names:
                self.emit(Compute(self.defined[name], constant(0)))
            return
        values = [self.held(conversion(self.full(item), item.type, node.type)) for item in node.initializer]
        for i, name in enumerate(names):
            self.assign(name, values[i] if i < len(values) else constant(0))

    def _loop(self, node: hir.Loop) -> None:
        counter = self.slot() if _meets(node) else None
        if counter is not None:
            self.emit(Compute(counter, constant(0)))
            self.counters.append(counter)
        self._exits.append(([], []))
        enters = None if node.tests_first else self.emit(Jump(-1))
        test = len(self.code)
        condition = self.full(node.condition)
        leave = self.emit(Branch(condition, -1))
        if enters is not None:
            self.code[enters] = Jump(len(self.code))
        self.statement(node.body)
        breaks, continues = self._exits.pop()
        for jump in continues:
            self.code[jump] = Jump(len(self.code))
        if node.step is not None:
            self.full(node.step)
        if counter is not None:
            self.emit(Compute(counter, _next(counter)))
            self.counters.pop()
        self.emit(Jump(test))
        self.code[leave] = Branch(condition, len(self.code))
        for jump in breaks:
            self.code[jump] = Jump(len(self.code))


def _next(counter: int) -> Operand:
    def value(slots: Slots) -> Value:
        return apply_binary("+", slots[counter], 1, Scalar.LONG)

    return value


def _meets(loop: hir.Loop) -> bool:
    """Whether a group meets somewhere in a loop, so that its passes must be told apart."""
    return any(isinstance(node, (hir.Barrier, hir.Collective)) for node in walk(loop))
