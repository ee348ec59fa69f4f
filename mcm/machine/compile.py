"""Threads to code: statements become jumps; `expressions` compiles what they compute."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, assert_never

from mcm.machine.alike import threads_alike
from mcm.machine.builder import CodeBuilder, binary, constant, conversion
from mcm.machine.code import Barrier, Branch, Compute, Fence, Jump, Stop, ThreadCode
from mcm.machine.expressions import Expressions
from mcm.program import instruction as hir
from mcm.program.topology import HostThread
from mcm.program.types import Order, Scalar, zero_of
from mcm.program.value_arithmetic import apply_binary
from mcm.program.walk import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.base.dialect import Dialect
    from mcm.machine.code import Operand, Slots
    from mcm.program.program import MemoryObject, Thread
    from mcm.program.types import Type, Value


def compile_threads(
    threads: Sequence[Thread],
    performing: Sequence[int],
    objects: Sequence[MemoryObject],
    dialect: Dialect,
    *,
    counts_loops: bool = False,
) -> tuple[ThreadCode, ...]:
    """The code of all threads; `performing` are the positions of those that perform asynchronous copies.

    It counts the iterations of loops around group functions, and where it `counts_loops` those of all loops.
    """
    found: dict[int, ThreadCode] = {}
    for alike in threads_alike(threads, performing):
        if len(alike.positions) == 1:
            (position,) = alike.positions
            builder = CodeBuilder(alike.first, dialect, performs=alike.performs, objects=objects)
            found[position] = _Statements(builder, counts_loops=counts_loops).compile()
            continue
        builder = CodeBuilder(alike.first, dialect, performs=alike.performs, varying=alike.varying(), objects=objects)
        code = _Statements(builder, counts_loops=counts_loops).compile()
        for position, literals in zip(alike.positions, alike.literals, strict=True):
            found[position] = builder.code_of(threads[position], code, literals)
    return tuple([found[position] for position in range(len(threads))])


class _LoopExits(NamedTuple):
    """The jumps out of one iteration of a loop whose targets are not known yet, by their indices in the code."""

    breaks: list[int]
    continues: list[int]


class _Statements:
    """Compiles statements; `_exits` has an entry for each loop around the current statement.

    Where it `counts_loops`, slots count the iterations of all loops, not only of those around group functions.
    """

    def __init__(self, code: CodeBuilder, *, counts_loops: bool) -> None:
        self._code = code
        self._counts_loops = counts_loops
        # The slots that count the iterations of the loops around, None for those that are not counted.
        self._counters: list[int | None] = []
        self._expressions = Expressions(code)
        self._exits: list[_LoopExits] = []
        self._returns: list[int] = []

    def compile(self) -> ThreadCode:
        """The code of the thread."""
        code, thread = self._code, self._code.thread
        self._statement(thread.body)
        self._fill_in(self._returns)
        code.emit(Stop())
        return ThreadCode(
            index=thread.index,
            name=thread.name,
            placement=thread.placement,
            instructions=tuple(code.code),
            initial=tuple(code.initial),
            registers=code.registers,
            defined=code.defined,
            iterations=frozenset(code.all_iterations),
            around=tuple(code.around),
        )

    def _fill_in(self, jumps: list[int]) -> None:
        """Let jumps lead to the next instruction."""
        for jump in jumps:
            self._code.code[jump] = Jump(len(self._code.code))

    def _statement(self, node: hir.Statement) -> None:
        match node:
            case hir.Evaluate(expression):
                self._expressions.full(expression)
            case hir.Declare():
                self._declare(node)
            case hir.Block():
                self._block(node)
            case hir.If(condition, then, otherwise):
                self._code.branch(
                    self._expressions.full(condition), lambda: self._statement(then), lambda: self._statement(otherwise)
                )
            case hir.Switch():
                self._switch(node)
            case hir.Inlined(body):
                returns, self._returns = self._returns, []
                self._statement(body)
                self._fill_in(self._returns)
                self._returns = returns
            case hir.Loop():
                self._loop(node)
            case hir.Return():
                self._returns.append(self._code.emit(Jump(-1)))
            case hir.Break():
                self._exits[-1].breaks.append(self._code.emit(Jump(-1)))
            case hir.Continue():
                self._exits[-1].continues.append(self._code.emit(Jump(-1)))
            case hir.Fence(flags, order, scope):
                self._code.emit(Fence(flags, order, scope, node.span))
            case hir.Barrier():
                self._barrier(node)
            case _:
                assert_never(node)

    def _block(self, node: hir.Block) -> None:
        code = self._code
        around = code.iterations
        if node.iteration is not None and self._counts_loops:
            code.iterations = (*around, code.slot(node.iteration))
        for statement in node.statements:
            self._statement(statement)
        code.iterations = around
        if node.ends_iteration:
            self._count()

    def _barrier(self, node: hir.Barrier) -> None:
        if isinstance(self._code.thread.placement, HostThread):
            # A host thread is in no group, and waits for nobody.
            for order in (Order.RELEASE, Order.ACQUIRE):
                self._code.emit(Fence(node.flags, order, node.scope, node.span))
            return
        self._code.emit(Barrier(node.level, node.flags, node.scope, node.site, self._code.iterations, node.span))

    def _declare(self, node: hir.Declare) -> None:
        names = [node.register] if node.length is None else [f"{node.register}[{i}]" for i in range(node.length)]
        if node.initializer is None:
            for name in names:
                self._code.emit(Compute(self._code.defined[name], constant(0)))
            return
        values = [self._initial(item, node.type) for item in node.initializer]
        for i, name in enumerate(names):
            value, is_value = values[i] if i < len(values) else (constant(zero_of(node.type)), None)
            self._code.assign(name, value, is_value)

    def _initial(self, node: hir.Expression, type_: Type) -> tuple[Operand, Operand | None]:
        """What a variable begins with, and whether that is a value; None if it always is."""
        value, is_value = self._expressions.initial(node)
        return self._code.held(conversion(value, node.type, type_)), is_value

    def _switch(self, node: hir.Switch) -> None:
        """Branches to the arms, which stand one behind the other."""
        value = self._code.held(self._expressions.full(node.condition))
        type_ = node.condition.type
        enters: list[list[int]] = []
        for arm in node.arms:
            others = (binary("!=", value, constant(label), type_) for label in arm.values)
            enters.append([self._code.emit(Branch(other, -1)) for other in others])
        otherwise = self._code.emit(Jump(-1))
        # `continue` goes on with the loop around.
        exits = _LoopExits([], self._exits[-1].continues if self._exits else [])
        self._exits.append(exits)
        default: int | None = None
        for arm, branches in zip(node.arms, enters, strict=True):
            here = len(self._code.code)
            default = here if arm.is_default else default
            for branch in branches:
                condition = self._code.code[branch]
                assert isinstance(condition, Branch)
                self._code.code[branch] = Branch(condition.condition, here)
            self._statement(arm.body)
        self._exits.pop()
        self._code.code[otherwise] = Jump(len(self._code.code) if default is None else default)
        self._fill_in(exits.breaks)

    def _loop(self, node: hir.Loop) -> None:
        around = self._code.iterations
        self._begin_counting(node)
        exits = _LoopExits([], [])
        self._exits.append(exits)
        enters = None if node.tests_first else self._code.emit(Jump(-1))
        test = len(self._code.code)
        condition = self._expressions.full(node.condition)
        leave = self._code.emit(Branch(condition, -1))
        if enters is not None:
            # What is tested behind the body belongs to the iteration that ends.
            self._count()
            self._code.code[enters] = Jump(len(self._code.code))
        self._statement(node.body)
        self._exits.pop()
        self._fill_in(exits.continues)
        if node.step is not None:
            self._expressions.full(node.step)
        if node.tests_first and not _ends_iterations_itself(node):
            self._count()
        self._code.iterations = around
        self._counters.pop()
        self._code.emit(Jump(test, node.span))
        self._code.code[leave] = Branch(condition, len(self._code.code))
        self._fill_in(exits.breaks)

    def _begin_counting(self, node: hir.Loop) -> None:
        """Let a slot count the iterations of a loop, if somebody asks for it."""
        code = self._code
        counter = code.slot() if self._counts_loops or _calls_group_functions(node) else None
        self._counters.append(counter)
        if counter is not None:
            code.emit(Compute(counter, constant(0)))
            code.iterations = (*code.iterations, counter)
            code.all_iterations.add(counter)

    def _count(self) -> None:
        """An iteration of the innermost loop ends."""
        counter = self._counters[-1]
        if counter is not None:
            self._code.emit(Compute(counter, _incremented(counter)))


def _ends_iterations_itself(loop: hir.Loop) -> bool:
    """Whether iterations end where the next ones begin."""
    return any(isinstance(part, hir.If) and part.then.ends_iteration for part in loop.body.statements)


def _incremented(counter: int) -> Operand:
    def value(slots: Slots) -> Value:
        return apply_binary("+", slots[counter], 1, Scalar.LONG)

    return value


def _calls_group_functions(loop: hir.Loop) -> bool:
    """Whether a loop contains a group function, so that its iterations have to be counted."""
    return any(isinstance(node, (hir.Barrier, hir.Collective, hir.AsyncCopy, hir.AwaitCopies)) for node in walk(loop))
