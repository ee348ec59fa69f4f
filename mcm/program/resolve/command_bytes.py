"""Which elements the bytes are that a command copies, and what bytes mean in another type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.program.float_arithmetic import float_of
from mcm.program.instruction import Literal
from mcm.program.resolve.conversions import converted, same_bits
from mcm.program.resolve.record_layouts import bytes_of
from mcm.program.resolve.type_names import show_type
from mcm.program.types import Part, PointerType, Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.base.source import Span
    from mcm.program.instruction import Expression
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.types import Type


class Run(Struct, frozen=True):
    """Elements of an object that a command is about, and where they lie.

    `width` elements lie in each `stride` bytes, from byte `place` of these on; the command begins at byte `begin` of
    the memory that is called `name`. `index` is the number of the first element in the object or sub-buffer.
    """

    name: str
    part: Part
    stride: int
    width: int = 1
    place: int = 0
    begin: int = 0
    index: int = 0

    def place_of(self, number: int, size: int) -> int:
        """The byte of the command at which an element of the object begins, where each has so many bytes."""
        return number // self.width * self.stride + self.place + number % self.width * size - self.begin


class Element(Struct, frozen=True):
    """An element of a part, and the byte of the command at which it begins."""

    part: Part
    offset: int
    type: Type
    place: int
    is_alone: bool


def elements_of(run: Run, type_: Type) -> Iterator[Element]:
    """The elements of a run; one `is_alone` whose object is no member of a structure."""
    size = bytes_of(type_) or 1
    is_alone = run.width == 1 and run.stride == size
    for offset in range(run.part.length):
        yield Element(run.part, offset, type_, run.place_of(run.index + offset, size), is_alone)


def paired(
    targets: Sequence[Element],
    sources: Sequence[Element],
    names: tuple[str, str],
    span: Span,
    complaints: Complaints,
) -> Iterator[tuple[Element, Element]]:
    """Each element that is written, and the one that is read for it: that which lies at the same place."""
    source, target = names
    if _overlap(targets, sources):
        complaints.fail("E166", span, f"what is copied in '{target}' overlaps with where it is copied to")
    if all(one.is_alone for one in (*targets, *sources)):
        if len(targets) != len(sources):
            complaints.fail("E166", span, f"'{source}' and '{target}' have different numbers of elements")
        yield from zip(targets, sources, strict=True)
        return
    read = {(one.place, bytes_of(one.type)): one for one in sources}
    written = [(one.place, bytes_of(one.type)) for one in targets]
    if set(written) != set(read):
        message = f"the bytes of '{source}' and '{target}' are divided into members, or elements, in different ways"
        complaints.fail("E166", span, message)
    yield from ((one, read[place]) for one, place in zip(targets, written, strict=True))


def _overlap(targets: Sequence[Element], sources: Sequence[Element]) -> bool:
    """Whether some elements are read and written, but not all at their own places."""
    written, read = ([(one.part.object, one.part.first + one.offset) for one in each] for each in (targets, sources))
    return written != read and not set(written).isdisjoint(read)


def reinterpreted(value: Expression, type_: Type, names: tuple[str, str], complaints: Complaints) -> Expression:
    """A value whose bytes are copied into another type."""
    given = value.type
    if given == type_ or (isinstance(given, PointerType) and isinstance(type_, PointerType)):
        return converted(value, type_)
    if isinstance(given, PointerType) or isinstance(type_, PointerType) or bytes_of(given) != bytes_of(type_):
        source, target = names
        message = (
            f"a copy is one of bytes: what those of '{show_type(given)}' in '{source}' mean as "
            f"'{show_type(type_)}' in '{target}' is not known here"
        )
        complaints.fail("E166", value.span, message)
    if Scalar.BOOL in {given, type_}:
        message = f"not yet supported: a copy of the bytes of '{show_type(given)}' as '{show_type(type_)}'"
        complaints.fail("E100", value.span, message)
    return same_bits(value, type_, value.span)


def of_repeated_byte(byte: int, type_: Type, name: str, span: Span, complaints: Complaints) -> Expression:
    """The value of a type of which each byte has a value."""
    zero = converted(Literal(0, Scalar.INT, span=span), type_)
    size = bytes_of(type_)
    if byte == 0:
        return zero
    if size is None or isinstance(type_, PointerType) or type_ is Scalar.BOOL:
        message = f"what '{name}' is with {byte} in each byte is not known here: it has type '{show_type(type_)}'"
        complaints.fail("E166", span, message)
    bits = bytes([byte]) * size
    if type_.is_floating:
        return Literal(float_of(int.from_bytes(bits, "little"), type_.bits), type_, span=span)
    return Literal(int.from_bytes(bits, "little", signed=type_.signed), type_, span=span)
