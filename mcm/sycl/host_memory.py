"""The memory that host programs make: `int* x = malloc_shared<int>(4, q);`, `buffer<int> b(range<1>(4));`, containers.

Each such place makes one object, which has no value at the beginning but what constants say. Its size is a constant, or
has the name of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.changes import changed_variables, changing
from mcm.sycl.constants import BYTES_OF, SIZE, constant_of, whole_of
from mcm.sycl.containers import (
    CONTAINERS,
    KIND,
    VECTOR,
    Addressed,
    addressed,
    container,
    initial_values,
    named_memory,
    without_const,
)
from mcm.sycl.copied_buffers import Copies
from mcm.sycl.host_events import is_list
from mcm.sycl.host_records import aggregates, elements_listed
from mcm.sycl.queue_lists import is_queue_list
from mcm.sycl.types import is_record, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import changed_variable, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.copied_buffers import Copied
    from mcm.sycl.host_records import Aggregates
    from mcm.syntax.ast import Node

    # How many elements names stand for: constants, and ranges; None for other variables.
    Sizes = dict[str, int | None]

# What may change something where it is evaluated.
_CHANGING: Final = (ast.Call, tree.MemberCall, ast.Assignment, ast.Postfix)
# What makes memory, and its kind.
ALLOCATORS: Final = {
    **{name: name for name in ("malloc_shared", "malloc_device", "malloc_host")},
    "malloc": "system",
}


def made_by_hosts(units: tuple[Node, ...], complaints: Complaints) -> list[ast.InitialValue]:
    """The objects that host programs make, as items of the initial state."""
    found: list[ast.InitialValue] = []
    outside: Sizes = {}
    records = aggregates(units)
    for unit in units:
        if isinstance(unit, ast.FileVariables):
            none = Addressed(frozenset(), frozenset())
            list(_Made(frozenset(), none, Copies(unit), records, complaints).objects(unit.declaration, outside))
        if isinstance(unit, ast.Structure) and (name := f"struct {unit.name.text}") in records.structures:
            outside[BYTES_OF + name] = records.size(name, lambda node: constant_of(node, outside.get))
        if isinstance(unit, tree.Host) or (isinstance(unit, ast.Thread) and unit.is_host):
            copies = Copies(unit.body)
            changed = changed_variables(unit.body, changing(units))
            made = _Made(changed, addressed(unit.body), copies, records, complaints)
            found += made.objects(unit.body, dict(outside))
    return found


class _Made:
    """Goes through a host program in the order of its text."""

    def __init__(
        self,
        changed: frozenset[str],
        addressed: Addressed,
        copies: Copies,
        records: Aggregates,
        complaints: Complaints,
    ) -> None:
        self._changed: Final = changed
        self._addressed: Final = addressed
        self._copies: Final = copies
        self._records: Final = records
        self._complaints: Final = complaints
        # The buffers that were met, of which there may be sub-buffers.
        self._buffers: Final[set[str]] = set()
        # The objects that were made, by their names.
        self._named: Final[dict[str, ast.InitialValue]] = {}

    def objects(self, node: Node, known: Sizes) -> Iterator[ast.InitialValue]:
        """The objects that a part makes; `known` learns the constants and ranges that it declares."""
        for made in self._objects(node, known):
            self._named[made.name.text] = made
            yield made

    def _objects(self, node: Node, known: Sizes) -> Iterator[ast.InitialValue]:
        match node:
            case tree.Lambda():
                return
            case ast.For() | ast.While() | ast.DoWhile():
                inner = dict(known)
                for part in parts_of(node):
                    for made in self.objects(part, inner):
                        yield self._checked(made)
            case ast.Declaration(type_, declarators):
                for one in declarators:
                    yield from self._declared(one, type_, known)
            case tree.ObjectDeclaration(_, class_, made):
                for each in made:
                    yield from self._constructed(class_, each, known)
            case _:
                inner = dict(known) if isinstance(node, ast.Block) else known
                for part in parts_of(node):
                    yield from self.objects(part, inner)

    def _checked(self, made: ast.InitialValue) -> ast.InitialValue:
        """Memory that is made in a loop has no value at first: another one would be that of the first time alone."""
        if made.value is not None:
            message = (
                f"'{made.name.text}' is made anew each time in a loop: declare it before, and give it values there"
            )
            self._complaints.error("E207", made.name.span, message)
        return made

    def _declared(self, one: ast.Declarator, type_: ast.TypeName, known: Sizes) -> Iterator[ast.InitialValue]:
        value: Node | None = one.initializer
        if isinstance(value, tree.Construction) and is_allocation(value):
            size = _count(value.arguments[0], known) if value.arguments else None
            if value.arguments and size is None:
                written = value.arguments[0].span
                self._complaints.error("E212", written, f"expected a constant size, found '{written.text}'")
            yield _object(one.name, ALLOCATORS[plain(value.type.name)], value.type, size, value.span)
        elif self._addressed.has(one) and not one.pointers and not one.inner and type_.base != "auto":
            yield self._variable(one, type_, known)
        is_number = one.length is None and not one.is_counted and not one.pointers
        self._learn(one.name, _count(value, known) if value is not None and is_number else None, known)

    def _variable(self, one: ast.Declarator, type_: ast.TypeName, known: Sizes) -> ast.InitialValue:
        """A variable or an array whose memory a buffer is made of, or a command copies."""
        size = None if one.length is None else _count(one.length, known)
        if one.length is not None and size is None:
            message = f"expected a constant size, found '{one.length.span.text}'"
            self._complaints.error("E212", one.length.span, message)
        length = None if size is None else ast.NumberLiteral(str(size), span=one.name.span)
        written = written_type(type_)
        value: ast.Expression | ast.InitializerList | None
        if is_record(written):
            value = self._of_records(one.name, one.initializer, written, size, known)
        else:
            values = self._values(one.initializer, size or 1, known)
            value = values if size is not None or values is None else values.items[0]
        return ast.InitialValue(
            one.name,
            allocation=KIND,
            type=written,
            length=length,
            value=value,
            is_made=True,
            span=one.name.span,
        )

    def _values(self, node: Node | None, count: int, known: Sizes) -> ast.InitializerList | None:
        """What the elements begin with; None where that is no constant, or nothing."""
        if node is None:
            return None
        if isinstance(node, ast.InitializerList) and node.rows:
            return None
        zero = ast.NumberLiteral("0", span=node.span)
        listed = (node.items or (zero,)) if isinstance(node, ast.InitializerList) else (node,)
        return initial_values(listed, count, lambda one: _literal(one, known))

    def _refuse_constructed(self, name: ast.Name) -> None:
        message = f"'{name.text}' has elements of a class with constructors, which are not called here: use USM"
        self._complaints.error("E207", name.span, message)

    def _of_records(
        self, name: ast.Name, node: Node | None, type_: ast.TypeName, size: int | None, known: Sizes
    ) -> ast.InitializerList | None:
        """What a structure or vector, or an array of them, begins with; None where that is no constant, or nothing."""
        if size is not None and not self._records.has(type_):
            self._refuse_constructed(name)
            return None
        if node is None:
            return None
        if size is None:
            return self._records.row(node, type_, lambda one: _literal(one, known))
        listed = elements_listed((node,), "=") if isinstance(node, ast.InitializerList) else (node,)
        listed = listed or (ast.NumberLiteral("0", span=node.span),)
        return self._records.rows(listed, size, type_, lambda one: _literal(one, known))

    def _constructed(
        self, class_: tree.ClassType, one: tree.ObjectDeclarator, known: Sizes
    ) -> Iterator[ast.InitialValue]:
        first = without_const(one.arguments[0]) if one.arguments else None
        size = None if first is None else _count(first, known)
        is_part = len(one.arguments) > 2 and isinstance(first, ast.Name) and first.text in self._buffers
        if plain(class_.name) == "buffer":
            self._buffers.add(one.name.text)
        match plain(class_.name):
            case _ if is_list(class_) or is_queue_list(class_):
                self._learn(one.name, None, known)
            case "buffer" if is_part:
                known[one.name.text] = None
                known[one.name.text + SIZE] = _count(one.arguments[2], known)
            case "buffer" if (copied := self._copies.of(one, lambda node: _count(node, known))) is not None:
                yield from self._copied(copied, one, known)
            case "buffer" if first is not None and size is not None:
                known[one.name.text + SIZE] = size
                yield _object(one.name, "buffer", class_, size, first.span)
            case name if name in CONTAINERS:
                yield from self._container(name, class_, one, known)
            case "buffer" if first is not None and (memory := named_memory(first)) is not None:
                given = _count(one.arguments[1], known) if len(one.arguments) > 1 else None
                known[one.name.text] = None
                known[one.name.text + SIZE] = known.get(memory.text + SIZE) if given is None else given
            case "range":
                self._learn(one.name, size if one.form == "=" else _product(one.arguments, known), known)
            case _:
                self._learn(one.name, None, known)

    def _copied(self, copied: Copied, one: tree.ObjectDeclarator, known: Sizes) -> Iterator[ast.InitialValue]:
        """A buffer with copies of memory of the host."""
        of = self._named.get(copied.memory.text)
        if of is None or of.type is None or not isinstance(of.length, ast.NumberLiteral | None):
            message = f"a buffer with a copy of '{copied.memory.text}' needs memory that the program makes before"
            self._complaints.error("E207", one.span, message)
            return
        whole = 1 if of.length is None else constant_of(of.length, known.get) or 1
        count = whole - copied.first if copied.count is None else copied.count
        known[one.name.text] = None
        known[one.name.text + SIZE] = count
        type_ = replace(of.type, qualifiers=tuple(word for word in of.type.qualifiers if word != "const"))
        length = ast.NumberLiteral(str(count), span=one.name.span)
        yield ast.InitialValue(
            one.name, allocation="buffer", type=type_, length=length, is_made=True, span=one.name.span
        )

    def _container(
        self, class_name: str, class_: tree.ClassType, one: tree.ObjectDeclarator, known: Sizes
    ) -> Iterator[ast.InitialValue]:
        """`std::vector<int> v(4, 1);`, `std::array<int, 4> a = {1, 2, 3, 4};`."""
        made = container(class_name, class_, one, lambda node: _count(node, known))
        if isinstance(made, str):
            self._complaints.error("E207", one.span, made)
            known[one.name.text + SIZE] = None
            return
        type_, size, values = made
        # What constructors make is assigned where it is declared.
        is_constructed = is_record(type_) and not self._records.has(type_)
        listed: ast.InitializerList | None = None
        if is_record(type_) and not is_constructed:
            listed = self._records.rows(values, size, type_, lambda node: _literal(node, known))
        elif values and not is_constructed:
            listed = initial_values(values, size, lambda node: _literal(node, known))
        if values and listed is None and not is_constructed and not _are_assigned(values):
            self._complaints.error("E207", one.span, f"expected constants for the elements, found '{one.span.text}'")
        length = ast.NumberLiteral(str(size), span=one.name.span)
        known[one.name.text] = None
        known[one.name.text + SIZE] = size
        kind = VECTOR if class_name == "vector" else KIND
        yield ast.InitialValue(
            one.name, allocation=kind, type=type_, length=length, value=listed, is_made=True, span=one.name.span
        )

    def _learn(self, name: ast.Name, size: int | None, known: Sizes) -> None:
        known[name.text] = None if name.text in self._changed else size
        known[name.text + SIZE] = known[name.text]


def _are_assigned(values: tuple[Node, ...]) -> bool:
    """Whether code can assign values to the elements: each is evaluated once, or changes nothing."""
    if len({id(one) for one in values}) == len(values):
        return True
    return not any(isinstance(one, _CHANGING) or changed_variable(one) is not None for one in walk([*values]))


def is_allocation(value: Node | None) -> bool:
    """Whether a value is memory that is made."""
    return isinstance(value, tree.Construction) and plain(value.type.name) in ALLOCATORS


def _object(name: ast.Name, kind: str, class_: tree.ClassType, count: int | None, size_span: Span) -> ast.InitialValue:
    templates = class_.arguments or ()
    type_ = templates[0] if templates and isinstance(templates[0], ast.TypeName) else None
    scalar = ast.TypeName((), "int", span=class_.span) if type_ is None else written_type(type_)
    length = None if count is None else ast.NumberLiteral(str(count), span=size_span)
    return ast.InitialValue(name, allocation=kind, type=scalar, length=length, is_made=True, span=name.span)


def _literal(node: Node, known: Sizes) -> ast.Expression | None:
    """A constant as a literal; None for anything else."""
    match node:
        case ast.NumberLiteral() | ast.Prefix("-", ast.NumberLiteral()) | ast.Name("true" | "false"):
            return node
        case ast.Cast(_, operand):
            return _literal(operand, known)
        case tree.Construction(tree.ClassType(name), _, (operand,)) if plain(name) == "static_cast":
            return _literal(operand, known)
        case _:
            value = _count(node, known)
            if value is None:
                return None
            digits = ast.NumberLiteral(str(abs(value)), span=node.span)
            return digits if value >= 0 else ast.Prefix("-", digits, span=node.span)


def _count(node: Node, known: Sizes) -> int | None:
    """The number of elements that a range or a constant says; None where it is neither."""
    match node:
        case tree.Construction(tree.ClassType(name), _, parts) if plain(name) == "range":
            return _product(parts, known)
        case ast.Call(ast.Name(name), parts) if plain(name) == "range":
            return _product(parts, known)
        case ast.InitializerList(parts):
            return _product(parts, known)
        case tree.MemberCall(ast.Name(text), ".", ast.Name("get_range"), None, ()):
            return known.get(text + SIZE)
        case _:
            return whole_of(node, known.get)


def _product(parts: tuple[Node, ...], known: Sizes) -> int | None:
    found = 1
    for part in parts:
        size = _count(part, known)
        if size is None:
            return None
        found *= size
    return found
