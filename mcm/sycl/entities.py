"""What names in SYCL code stand for, other than variables: work-items, groups, atomic references, accessors."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.syntax.ast import Declarator, Name, NumberLiteral
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcm.program.operators import Level
    from mcm.program.types import Order, Region
    from mcm.sycl.tree import ClassType, MemberFunction
    from mcm.syntax.ast import Call, Expression, Index, Node, TypeName


class Item(Struct, frozen=True):
    """An `nd_item`, or an `item` or `id` of a kernel without groups (`has_groups` is False).

    `begins` are what the ids of the kernel begin with, in the order of SYCL, where that is not 0.
    """

    dimensions: int
    has_groups: bool
    begins: tuple[int, ...] = ()


class Group(Struct, frozen=True):
    """The work-group or the sub-group of the work-item."""

    level: Level
    dimensions: int


class Ids(Struct, frozen=True):
    """An `id` or a `range`: what `function` of OpenCL C is in each dimension, and what is added to it, if anything."""

    function: str
    dimensions: int
    begins: tuple[int, ...] = ()


class Point(Struct, frozen=True):
    """An id or a range that is made of numbers: those of each dimension, in the order of SYCL."""

    parts: tuple[Expression, ...]


class AtomicReference(Struct, frozen=True):
    """An `atomic_ref`: `target` is the object, in terms of the C family; `scope` is spelt as in SYCL.

    `is_host` is said of `std::atomic_ref`, which has neither a default order of its own nor a scope.
    """

    target: Expression
    type: TypeName
    order: Order
    scope: str
    is_host: bool = False


class Accessor(Struct, frozen=True):
    """An accessor of the memory object `location`; `is_local`: of local memory. `is_single`: it is the object
    itself. `sizes` has the size of each dimension, the one that varies fastest last, where there are several.
    `only_reads`: its elements are const. `only_writes`: it is for writing only, by its mode.

    Of one of a part of its buffer, or of a sub-buffer, `around` are the sizes of the buffer that it is a part of,
    `begins` is where it begins in each dimension of that, and `start` the element of the memory that that begins with.
    """

    location: str
    type: TypeName
    is_local: bool = False
    is_single: bool = False
    alias: str = ""
    sizes: tuple[int, ...] = ()
    only_reads: bool = False
    only_writes: bool = False
    around: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    start: int = 0

    @property
    def is_part(self) -> bool:
        """Whether there is more of the memory than it is of."""
        return bool(self.around)

    @property
    def name(self) -> str:
        """The name by which the body knows the object: another one where its own means something else there."""
        return self.alias or self.location


class Variable(Struct, frozen=True):
    """A variable, a parameter or a captured pointer; `type` is None where it is not known.

    `is_fixed`: it never gets another value. `region` is the address space that it surely points into, or lies in.
    `constant` is what it is where that stands in the text, `length` the number of elements, where it is known.
    `is_passed`: it is one of the host, whose value a kernel is passed when it is enqueued. `leads_into` is the memory
    of the host that a pointer of it is made to lead into.
    """

    type: TypeName | None
    is_fixed: bool = False
    region: Region | None = None
    is_array: bool = False
    constant: Expression | None = None
    length: int = 0
    is_passed: bool = False
    leads_into: str = ""


class Reference(Struct, frozen=True):
    """Another name for an object: `target` in terms of the C family, and the address space that it surely lies in.

    `is_array`: it is an array of elements of the type, `length` their number, where it is known; `is_member`: it is a
    member of the object around. `is_passed`: it is of the host, and a kernel has a copy of it; `members` are those of
    a structure, then.
    """

    target: Expression
    type: TypeName
    region: Region | None = None
    is_array: bool = False
    is_member: bool = False
    length: int = 0
    is_passed: bool = False
    members: tuple[DataMember, ...] = ()


class Reducer(Struct, frozen=True):
    """What a work-item combines values in: `target` in terms of the C family, `operation` in the words of OpenCL C.

    That of a span has a `length`: its target is the first one of as many, each so many `items` behind the one before.
    """

    target: Index
    type: TypeName
    operation: str
    length: int | None = None
    items: int = 1


class Opaque(Struct, frozen=True):
    """An object that only some calls take: a queue, an event, a handler, a buffer; `class_` says which.

    `node` is what a range is made with, `sizes` are those of a buffer of several dimensions. `start` is the element of
    the memory that a buffer of a part of it begins with; such is a sub-buffer.
    """

    class_: str
    name: str
    node: Node | None = None
    sizes: tuple[int, ...] = ()
    start: int | None = None
    is_sub_buffer: bool = False


class Passed(Enum):
    """How a parameter is passed: a work-item is that of whoever calls, and a reference to const may be to a value."""

    VALUE = "value"
    ADDRESS = "address"
    ADDRESS_OR_VALUE = "address or value"
    NOT = "not"


class Closure(Struct, frozen=True):
    """A lambda in a variable: the function that it is in terms of the C family, and how it is called.

    One that `is_reference` returns an address. `types` are those of what parameters refer to, where they do.
    """

    function: str
    result: TypeName
    passed: tuple[Passed, ...]
    is_reference: bool = False
    types: tuple[TypeName | None, ...] = ()


class Generic(Struct, frozen=True):
    """A lambda in a variable with parameters of any type: `instance` makes the function that a call is one of."""

    instance: Callable[[Call], Closure]


class DataMember(Struct, frozen=True):
    """A member of a class that is no function.

    `type` is that of an element where it `is_array`; a class (`atomic_ref<int>`, `accessor<int, 1>`) is one of SYCL.
    `node` is where it is declared, `initial` what it is made of where nothing else is said.
    """

    name: str
    type: TypeName | ClassType
    node: Node
    is_array: bool = False
    is_reference: bool = False
    initial: Node | None = None

    @property
    def length(self) -> int:
        """The number of elements of an array."""
        length = self.node.length if isinstance(self.node, Declarator) else None
        return int(length.text) if isinstance(length, NumberLiteral) else 0


class Members(Struct, frozen=True):
    """A class of the file; it stands in scopes as `struct S`, as no variable is called.

    `members` are the types of those that are values, `data` all that are no functions. An object of one that `is_apart`
    is no structure in terms of the C family: each of its members is a variable, or what names stand for (`Instance`).
    """

    members: Mapping[str, TypeName]
    name: str = ""
    data: tuple[DataMember, ...] = ()
    functions: Mapping[str, tuple[MemberFunction, ...]] = {}
    constructors: tuple[MemberFunction, ...] = ()
    destructor: MemberFunction | None = None
    constants: Mapping[str, Entity] = {}
    is_apart: bool = False
    has_made_members: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether an object is made of nothing but what is said where it is made: no class of its members says more."""
        is_said = self.constructors or self.has_made_members or any(one.initial is not None for one in self.data)
        return not is_said


class Instance(Struct, frozen=True):
    """An object of a class whose members are apart: its member `m` is what the name `path#m` stands for."""

    class_: Members
    path: str
    is_const: bool = False


class Overloads(Struct, frozen=True):
    """The functions of a class that have one name, where they are called by it: `receiver` is the object, if any."""

    class_: Members
    name: str
    receiver: Node | None


class Broken(Struct, frozen=True):
    """A name whose declaration had an error: its uses are not reported."""


Entity = (
    Broken
    | Item
    | Group
    | Ids
    | Point
    | AtomicReference
    | Accessor
    | Reference
    | Reducer
    | Variable
    | Closure
    | Generic
    | Members
    | Instance
    | Overloads
    | Opaque
)


class Scopes:
    """The names of a body, in blocks that enclose each other."""

    def __init__(self, outermost: dict[str, Entity]) -> None:
        self._blocks: list[dict[str, Entity]] = [outermost]

    def open(self) -> None:
        """Begin a block."""
        self._blocks.append({})

    def close(self) -> None:
        """End the innermost block."""
        self._blocks.pop()

    def declare(self, name: str, entity: Entity) -> None:
        """Give a name a meaning in the innermost block."""
        self._blocks[-1][name] = entity

    def assign(self, name: str, entity: Entity) -> None:
        """Give a name another meaning in the block in which it has one, or everywhere where it has none."""
        next((block for block in reversed(self._blocks) if name in block), self._blocks[0])[name] = entity

    def declare_beside(self, other: str, name: str, entity: Entity) -> None:
        """Give a name a meaning in the block in which another one has one."""
        next(block for block in reversed(self._blocks) if other in block)[name] = entity

    def find(self, name: str) -> Entity | None:
        """What a name stands for."""
        return next((block[name] for block in reversed(self._blocks) if name in block), None)

    def is_in_innermost(self, name: str) -> bool:
        """Whether a name is declared in the innermost block."""
        return name in self._blocks[-1]

    def renamed_by(self, name: str) -> str | None:
        """A reference that is another name for an object with this name in it, if there is one."""
        for block in self._blocks:
            for alias, entity in block.items():
                if alias != name and isinstance(entity, AtomicReference | Reference) and _names(entity.target, name):
                    return alias
        return None

    def apart(self, known: dict[str, Entity]) -> list[dict[str, Entity]]:
        """Hide all names but those that are given, and of members that are apart; what stood before, for `back`."""
        around = self._blocks
        hidden = {name: entity for block in around for name, entity in block.items() if "#" in name}
        self._blocks = [known | hidden]
        return around

    def back(self, around: list[dict[str, Entity]]) -> None:
        """What stood before again."""
        self._blocks = around

    def names(self) -> list[str]:
        """All names, for suggestions."""
        return [name for block in self._blocks for name in block]


def _names(node: Node, name: str) -> bool:
    return any(isinstance(part, Name) and part.text == name for part in walk([node]))
