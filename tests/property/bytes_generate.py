"""Random structures, commands on memory of them, and what these leave in the bytes of the memory."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMATS = {"char": "b", "uchar": "B", "short": "h", "int": "i", "uint": "I", "long": "q", "float": "f", "double": "d"}
COUNT = 2


class Leaf(Struct, frozen=True):
    """A scalar, an array of scalars (`length`) or a component in a type: its name, and where it begins."""

    name: str
    type: str
    begin: int
    length: int = 1

    @property
    def size(self) -> int:
        """The bytes of one scalar."""
        return struct.calcsize(f"<{FORMATS[self.type]}")


class Shape(Struct, frozen=True):
    """A type of elements: how it is written, its bytes, its alignment, and its scalars."""

    name: str
    size: int
    alignment: int
    leaves: tuple[Leaf, ...]
    definition: str = ""


def scalar(name: str) -> Shape:
    """A type of numbers."""
    size = struct.calcsize(f"<{FORMATS[name]}")
    return Shape(name, size, size, (Leaf("", name, 0),))


def vector(name: str, count: int) -> Shape:
    """A type of vectors; one of three has the bytes of one of four."""
    each = scalar(name).size
    size = each * {3: 4}.get(count, count)
    return Shape(f"{name}{count}", size, size, tuple(Leaf("xyzw"[n], name, n * each) for n in range(count)))


def structure(name: str, chosen: random.Random, *, is_inner: bool = False) -> Shape:
    """A structure with some members; padding is where alignment asks for it."""
    written: list[str] = []
    leaves: list[Leaf] = []
    definitions = ""
    end, alignment = 0, 1
    for number in range(chosen.randint(1, 3)):
        member, length = f"m{number}", 0
        kind = chosen.random()
        if kind < 0.2 and not is_inner:
            of = structure(f"{name}{number}", chosen, is_inner=True)
            definitions += of.definition
        elif kind < 0.35:
            of = vector(chosen.choice(["int", "float", "short"]), chosen.choice([2, 3, 4]))
        else:
            of = scalar(chosen.choice(list(FORMATS)))
            length = chosen.randint(2, 3) if kind < 0.55 else 0
        begin = -(-end // of.alignment) * of.alignment
        end, alignment = begin + of.size * (length or 1), max(alignment, of.alignment)
        leaves += [
            Leaf(f"{member}.{one.name}".rstrip("."), one.type, begin + one.begin, length or one.length)
            for one in of.leaves
        ]
        written.append(f"{of.name} {member}{f'[{length}]' if length else ''};")
    size = -(-end // alignment) * alignment
    definition = f"{definitions}struct {name} {{ {' '.join(written)} }};\n"
    return Shape(f"struct {name}", size, alignment, tuple(leaves), definition)


class Memory(Struct):
    """An object: its elements, and its bytes."""

    name: str
    shape: Shape
    content: bytearray

    def values(self) -> Iterator[tuple[str, float]]:
        """What each scalar is, by the name that a state has for it."""
        for leaf in self.shape.leaves:
            for number in range(len(self.content) // self.shape.size * leaf.length):
                element, at = divmod(number, leaf.length)
                begin = element * self.shape.size + leaf.begin + at * leaf.size
                (value,) = struct.unpack_from(f"<{FORMATS[leaf.type]}", self.content, begin)
                yield f"{self.name}.{leaf.name}".rstrip(".") + f"[{number}]", value

    def place(self, chosen: random.Random) -> tuple[str, int]:
        """A place in the object, as it is written, and its byte."""
        element = chosen.randrange(len(self.content) // self.shape.size)
        leaf = chosen.choice(self.shape.leaves)
        first = next(one for one in self.shape.leaves if one.name.split(".")[0] == leaf.name.split(".")[0])
        is_vector = "." not in leaf.name and leaf.name in {"x", "y", "z", "w"}
        if leaf.name and not is_vector and chosen.random() < 0.5:
            is_array = leaf.length > 1 and "." not in leaf.name
            text = f"&{self.name}[{element}].{leaf.name.split('.')[0]}{'[0]' if is_array else ''}"
            return text, element * self.shape.size + first.begin
        return f"{self.name} + {element}", element * self.shape.size


class Program(Struct):
    """Commands one after the other, and the memory that they leave."""

    objects: list[Memory]
    commands: list[str] = field(default_factory=list)

    def text(self, *more: str) -> str:
        """The test, with another command perhaps."""
        shapes = dict.fromkeys(one.shape.definition for one in self.objects)
        made = [
            f"{one.shape.name}* {one.name} = malloc_shared<{one.shape.name}>({len(one.content) // one.shape.size}, q); "
            f"q.memset({one.name}, 0, {len(one.content)}).wait();"
            for one in self.objects
        ]
        lines = "\n  ".join(("queue q;", *made, *self.commands, *more))
        asked = "; ".join(f"{one.name}.{leaf.name}".rstrip(".") for one in self.objects for leaf in one.shape.leaves)
        return f"SYCL t\n{{ }}\n{''.join(shapes)}host {{\n  {lines}\n}}\nlocations [{asked};]\nexists (true)\n"


def command(program: Program, chosen: random.Random) -> tuple[str, Memory, int, bytes]:
    """A command as it is written, and the bytes that it leaves somewhere."""
    target = chosen.choice(program.objects)
    place, begin = target.place(chosen)
    size = chosen.choice([4, 8, target.shape.size, len(target.content) - begin])
    if chosen.random() < 0.4:
        byte = chosen.choice([0, 1, 0x3F, 0xFF])
        return f"q.memset({place}, {byte}, {size}).wait();", target, begin, bytes([byte]) * size
    source = chosen.choice(program.objects)
    other, first = source.place(chosen)
    if chosen.random() < 0.4:
        place, begin, other, first, size = target.name, 0, source.name, 0, len(source.content)
    written = bytes(source.content[first : first + size])
    return f"q.memcpy({place}, {other}, {size}).wait();", target, begin, written


def program(seed: int) -> Program:
    """Some objects of random structures, and of numbers and vectors that may lie as their members do."""
    chosen = random.Random(seed)  # noqa: S311 - nothing secret
    first = structure("S", chosen)
    shapes = [
        first,
        first,
        structure("T", chosen),
        scalar("int"),
        vector(chosen.choice(["int", "float", "short"]), chosen.choice([2, 4])),
    ]
    return Program(
        [Memory(name, shape, bytearray(shape.size * COUNT)) for name, shape in zip("prthg", shapes, strict=True)]
    )
