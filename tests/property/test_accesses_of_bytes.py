"""Memory that is accessed at several sizes: random programs, beside memory of bytes; engines and machine agree."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final

import pytest

from mcm import Judged, Source, check, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm import ShownState

# How the bytes of a type are read, and how many there are.
_FORMATS: Final = {
    "char": "<b",
    "uchar": "<B",
    "short": "<h",
    "ushort": "<H",
    "int": "<i",
    "uint": "<I",
    "long": "<q",
    "ulong": "<Q",
    "float": "<f",
}
_INTEGERS: Final = tuple(name for name in _FORMATS if name != "float")
_REGIONS: Final = {"x": "global", "b": "global", "q": "global", "f": "global", "w": "private", "t": "local"}
_DECLARED: Final = {"x": "uint", "b": "uchar", "q": "long", "f": "float", "w": "int", "t": "short"}
_OPERATORS: Final = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "^": lambda one, other: one ^ other,
    "*": lambda one, other: one * other,
    "|": lambda one, other: one | other,
}


def size_of(type_: str) -> int:
    """The bytes of a type."""
    return struct.calcsize(_FORMATS[type_])


def wrapped(value: int, type_: str) -> int:
    """A number as one of an integer type."""
    bits = value % (1 << (8 * size_of(type_)))
    found: int = struct.unpack(_FORMATS[type_], bits.to_bytes(size_of(type_), "little"))[0]
    return found


@dataclass
class Writer:
    """Writes statements, and performs each on eight bytes an object."""

    random: Random
    lines: list[str] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    memory: dict[str, bytearray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin with bytes that tell their places."""
        for number, name in enumerate(_DECLARED):
            self.memory[name] = bytearray(16 * number + byte for byte in range(1, 9))

    def pointer(self, name: str, type_: str, index: int) -> str:
        """An element of an object that is seen as a type, which some pointer leads to."""
        region, declared, size = _REGIONS[name], _DECLARED[name], size_of(type_)
        place = index * size
        found = [
            f"(({region} {type_}*){name})[{index}]",
            f"*({region} {type_}*)(({region} uchar*){name} + {place})",
            f"*(({region} {type_}*)(({region} char*){name} + k * {place}))",
        ]
        if place % size_of(declared) == 0:
            found.append(f"*({region} {type_}*)({name} + {place // size_of(declared)})")
            found.append(f"*({region} {type_}*)&{name}[{place // size_of(declared)}]")
        if type_ == declared:
            found += [f"{name}[{index}]"] * 3
        return self.random.choice(found)

    def statement(self) -> None:
        """One more statement."""
        name = self.random.choice(list(_DECLARED))
        type_ = self.random.choice([*_INTEGERS, _DECLARED[name]] if _DECLARED[name] != "float" else _INTEGERS)
        size = size_of(type_)
        index = self.random.randrange(8 // size)
        where = slice(index * size, (index + 1) * size)
        old: int = struct.unpack(_FORMATS[type_], bytes(self.memory[name][where]))[0]
        pointer, operand = self.pointer(name, type_, index), self.random.choice([1, 3, 0x81, 0x7F02])
        match self.random.randrange(5):
            case 0 | 1:
                self.lines.append(f"{type_} {self._keep(old)} = {pointer};")
                return
            case 2:
                new = wrapped(operand * 0x01010101, type_)
                self.lines.append(f"{pointer} = ({type_}){operand * 0x01010101};")
            case 3:
                operator = self.random.choice(sorted(_OPERATORS))
                new = wrapped(_OPERATORS[operator](old, wrapped(operand, type_)), type_)
                self.lines.append(f"{type_} {self._keep(new)} = ({pointer} {operator}= ({type_}){operand});")
            case _:
                new = wrapped(old + 1, type_)
                self.lines.append(f"{type_} {self._keep(old)} = ({pointer})++;")
        self.memory[name][where] = struct.pack(_FORMATS[type_], new)

    def _keep(self, value: int) -> str:
        name = f"r{len(self.seen)}"
        self.seen[name] = value
        return name

    def elements(self, name: str) -> list[int | float]:
        """What an object holds, as it was declared."""
        return [one for (one,) in struct.iter_unpack(_FORMATS[_DECLARED[name]], bytes(self.memory[name]))]

    def text(self, statements: int) -> str:
        """The program, which ends with the values that the bytes mean."""
        first = {name: ", ".join(map(repr, self.elements(name))) for name in _DECLARED}
        stated = "".join(
            f" {type_} {name}[{8 // size_of(type_)}]={{{first[name]}}};" for name, type_ in _GLOBALS.items()
        )
        given = "".join(f" t[{i}] = {value};" for i, value in enumerate(self.elements("t")))
        for _ in range(statements):
            self.statement()
        values = [f"K[0]:{name}={value}" for name, value in self.seen.items()]
        values += [f"{name}[{i}]={one}" for name in "xbq" for i, one in enumerate(self.elements(name))]
        body, condition = "".join(f"  {line}\n" for line in self.lines), " /\\ ".join(values)
        return (
            f"OPENCL bytes\n{{{stated} }}\nkernel void K(global uint* x, global uchar* b, global long* q, "
            f"global float* f) {{\n  int w[2] = {{{first['w']}}}; local short t[4]; int k = 1;\n {given}\n{body}}}\n"
            f"launch K global 1, local 1;\nforall ({condition})\n"
        )


_GLOBALS: Final = {name: type_ for name, type_ in _DECLARED.items() if _REGIONS[name] == "global"}


@pytest.mark.parametrize("seed", range(30))
def test_all_sizes_are_the_same_memory(seed: int) -> None:
    text = Writer(Random(seed)).text(10)  # noqa: S311 - no secret

    for engine in ("explicit", "smt"):
        found = check(Source("bytes", text), engine=engine)
        assert isinstance(found, Judged)
        assert found.holds, (text, found.states)
        assert not found.undefined
    ran = run(Source("bytes", text), runs=1)
    assert (ran.positive, ran.problems) == (1, ())


# The types that two elements of local memory are seen as, and how many of these there are then.
_SIZES: Final = {"uchar": 8, "ushort": 4, "uint": 2, "ulong": 1}


def _shared_program(random: Random) -> str:
    """Two work-items that access local memory at several sizes, with a barrier between or not."""
    lines = []
    for unit in range(2):
        found = []
        for phase in range(2):
            type_ = random.choice(sorted(_SIZES))
            index = random.randrange(_SIZES[type_])
            where = f"((local {type_}*)t)[{index}]"
            value = 0x11 * (1 + unit + 2 * phase)
            kinds = [f"{where} = ({type_}){value};", f"r{phase} = {where};", f"{where}++;"]
            found.append(random.choice(kinds))
        lines.append(found)
    barrier = random.choice(["barrier(CLK_LOCAL_MEM_FENCE);", "barrier(CLK_LOCAL_MEM_FENCE);", ""])
    body = [f"if (get_local_id(0) == {unit}) {{ {lines[unit][0]} }}" for unit in range(2)]
    body += [barrier, *(f"if (get_local_id(0) == {unit}) {{ {lines[unit][1]} }}" for unit in range(2))]
    first = "if (get_local_id(0) == 0) { t[0] = 0x04030201; t[1] = 0x08070605; }"
    text = "\n  ".join([first, "barrier(CLK_LOCAL_MEM_FENCE);", *body])
    return (
        f"OPENCL shared\n{{ }}\nkernel void K() {{\n  local uint t[2]; ulong r0 = 0; ulong r1 = 0;\n  {text}\n}}\n"
        "launch K global 2, local 2;\nlocations [t@wg0; K[0]:r0; K[0]:r1; K[1]:r0; K[1]:r1;]\n"
    )


@pytest.mark.parametrize("seed", range(30))
def test_work_items_meet_in_parts(seed: int) -> None:
    source = Source("shared", _shared_program(Random(seed)))  # noqa: S311 - no secret

    one, other = check(source, engine="explicit"), check(source, engine="smt")
    assert isinstance(one, Judged)
    assert isinstance(other, Judged)
    assert [str(each) for each in one.undefined] == [str(each) for each in other.undefined]
    ran = run(source, schedule="exhaustive")
    assert bool(ran.problems) == bool(one.undefined)
    if not one.undefined:
        states = _values(one.states)
        assert states == _values(other.states)
        assert states == _values(found.state for found in ran.states)


def _values(states: Iterable[ShownState]) -> set[tuple[tuple[str, object], ...]]:
    return {tuple(sorted(state.values.items())) for state in states}
