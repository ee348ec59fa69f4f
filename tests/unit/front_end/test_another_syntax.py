"""A syntax that shares nothing with C ends in the same tests: nothing behind the front end knows what was written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import mcm
from mcm.base.dialect import C
from mcm.base.source import Source, Span
from mcm.front_end.test import Test
from mcm.program import instruction as hir
from mcm.program.condition import And, Comparison, Condition, Fixed, Observed, Quantifier, RegisterName
from mcm.program.header import Header
from mcm.program.program import MemoryObject, Program, Register, Thread
from mcm.program.topology import WorkItem, sub_group
from mcm.program.types import AllocationKind, Location, Order, PointerType, Region, Scalar, Scope
from mcm.syntax.fingerprint import Commented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.front_end.read import FrontEnd

ADDRESS = PointerType(Scalar.INT, Region.NONE, atomic=True)
ALL = Scope.ALL_SVM_DEVICES


class Arrows:
    """One thread a line: `x<-1` is a relaxed store, `y->` a relaxed load into the next register."""

    @staticmethod
    def read(source: Source, /) -> Test:
        lines = source.text.splitlines()
        names = sorted(set(re.findall(r"[a-z]", source.text)))
        whole = Span(source, 0, len(source.text))
        objects = tuple(
            MemoryObject(name, Scalar.INT, Region.NONE, AllocationKind.BUFFER, (0,), True, False, whole)  # noqa: FBT003
            for name in names
        )
        threads = tuple(thread(number, line.split(), names, whole) for number, line in enumerate(lines))
        condition = Condition(Quantifier.EXISTS, zero(threads), "all registers are 0", whole)
        program = Program(source, C, "arrows", threads, objects, (), None, condition, ())
        header = Header(C, "arrows", (), (), (), (), Commented(source.text, ()))
        tree: Any = None
        return Test(header, tree, program, ())

    @staticmethod
    def format(source: Source, /) -> str:
        return source.text


def thread(number: int, words: list[str], names: list[str], span: Span) -> Thread:
    statements: list[hir.Statement] = []
    registers: list[Register] = []
    for word in words:
        address = hir.Literal(Location(names.index(word[0])), ADDRESS, span=span)
        if word.endswith("->"):
            name = f"r{len(registers)}"
            registers.append(Register(name, Scalar.INT))
            load = hir.AtomicLoad(address, Order.RELAXED, ALL, Scalar.INT, span=span)
            statements.append(hir.Declare(name, Scalar.INT, None, (load,), span=span))
        else:
            value = hir.Literal(int(word[3:]), Scalar.INT, span=span)
            store = hir.AtomicStore(address, value, Order.RELAXED, ALL, Scalar.INT, span=span)
            statements.append(hir.Evaluate(store, span=span))
    place = WorkItem(sub_group(work_group=number), global_id=number)
    body = hir.Block(tuple(statements), span=span)
    return Thread(number, f"P{number}", place, tuple(registers), body, span)


def zero(threads: Sequence[Thread]) -> Any:
    """All registers are 0."""
    first, *others = [
        Comparison("=", Observed(RegisterName(each.index, register.name)), Fixed(0))
        for each in threads
        for register in each.registers
    ]
    proposition: Any = first
    for other in others:
        proposition = And(proposition, other)
    return proposition


def observation(text: str, model: str) -> str:
    front_end: FrontEnd = Arrows()
    return str(mcm.check(front_end.read(Source("arrows", text)), model=model).observation.value)


def test_store_buffering_in_another_syntax() -> None:
    assert observation("x<-1 y->\ny<-1 x->\n", "c11") == "Sometimes"
    assert observation("x<-1 y->\ny<-1 x->\n", "sc") == "Never"
