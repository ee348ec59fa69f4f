"""Memory that is seen as numbers of several types, beside memory of bytes: random programs of one work-item."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from random import Random
from typing import Final

import pytest

from mcm import Judged, Source, check, run

_FORMATS: Final = {"int": "<i", "uint": "<I"}
_WRAP: Final = 1 << 32


def _as(bits: int, type_: str) -> int:
    found: int = struct.unpack(_FORMATS[type_], struct.pack("<I", bits))[0]
    return found


def _quotient(one: int, other: int) -> int:
    found = abs(one) // abs(other)
    return found if (one < 0) == (other < 0) else -found


_OPERATORS: Final = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
    "/": _quotient,
    "%": lambda one, other: one - other * _quotient(one, other),
    ">>": lambda one, other: one >> other,
    "&": lambda one, other: one & other,
    "^": lambda one, other: one ^ other,
}
_UPDATES: Final = {
    "add": lambda one, other: one + other,
    "sub": lambda one, other: one - other,
    "min": min,
    "max": max,
    "xchg": lambda _, other: other,
    "and": lambda one, other: one & other,
    "or": lambda one, other: one | other,
    "xor": lambda one, other: one ^ other,
}


@dataclass
class Writer:
    """Writes statements, and performs each on the bits of four elements: two were declared as `int`, two as `uint`."""

    random: Random
    bits: list[int] = field(default_factory=lambda: [0xFFFFFFFF, 7, 0x80000000, 12])
    lines: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)

    def _place(self) -> tuple[int, str, str]:
        """An element, the type that it is seen as, and a pointer to it."""
        index, type_ = self.random.randrange(4), self.random.choice(["int", "uint"])
        name, offset = ("s", index) if index < 2 else ("u", index - 2)
        pointer = self.random.choice(
            [
                f"((global {type_}*){name} + {offset})",
                f"((global {type_}*)({name} + {offset}))",
                f"((global {type_}*)((global char*){name} + {4 * offset}))",
                f"({type_}_of_{name} + {offset})",
            ]
        )
        return index, type_, pointer

    def _operand(self, type_: str) -> tuple[int, str]:
        value = self.random.choice([1, 2, 3, 7, 31])
        return (value, str(value)) if type_ == "int" else (value, f"{value}u")

    def _keep(self, value: int) -> str:
        name = f"r{len(self.seen)}"
        self.seen[name] = value
        return name

    def statement(self) -> None:
        """One more statement."""
        index, type_, pointer = self._place()
        old, (operand, text) = _as(self.bits[index], type_), self._operand(type_)
        match self.random.randrange(5):
            case 0:
                operator = self.random.choice(sorted(_OPERATORS))
                new = _OPERATORS[operator](old, operand) % _WRAP
                name = self._keep(_as(new, type_))
                self.lines.append(f"{type_} {name} = (*{pointer} {operator}= {text});")
                self.bits[index] = new
            case 1:
                self.lines.append(f"{type_} {self._keep(old)} = *{pointer};")
            case 2:
                self.lines.append(f"int {self._keep(int(old > operand))} = {pointer}[0] > {text};")
            case 3:
                update = self.random.choice(sorted(_UPDATES))
                name = self._keep(old)
                self.lines.append(f"{type_} {name} = atomic_{update}({pointer}, {text});")
                self.bits[index] = _UPDATES[update](old, operand) % _WRAP
            case _:
                expected = self.random.choice([old, 5])
                written = str(expected) if type_ == "int" else f"{expected}u"
                name = self._keep(old)
                self.lines.append(f"{type_} {name} = atomic_cmpxchg({pointer}, {written}, {text});")
                self.bits[index] = operand if expected == old else self.bits[index]

    def text(self) -> str:
        """The program, which ends with the values that the bits mean."""
        values = [f"0:{name}={value}" for name, value in self.seen.items()]
        values += [f"s[{number}]={_as(self.bits[number], 'int')}" for number in range(2)]
        values += [f"u[{number}]={self.bits[2 + number]}" for number in range(2)]
        pointers = "".join(
            f"  global {type_}* {type_}_of_{name} = (global {type_}*){name};\n"
            for type_ in ("int", "uint")
            for name in "su"
        )
        condition = " /\\ ".join(values)
        body = "".join(f"  {line}\n" for line in self.lines)
        return (
            "OPENCL bits\n{ int s[2] = {-1, 7}; uint u[2] = {0x80000000, 12}; }\n"
            f"P0@wg 0 (global int* s, global uint* u) {{\n{pointers}{body}}}\nforall ({condition})\n"
        )


@pytest.mark.parametrize("seed", range(40))
def test_bits_are_the_same(seed: int) -> None:
    writer = Writer(Random(seed))  # noqa: S311 - no secret
    for _ in range(12):
        writer.statement()
    text = writer.text()

    for engine in ("explicit", "smt"):
        found = check(Source("bits", text), engine=engine)
        assert isinstance(found, Judged)
        assert found.holds, (text, found.states)
        assert not found.undefined
    ran = run(Source("bits", text), runs=1)
    assert (ran.positive, ran.problems) == (1, ())
