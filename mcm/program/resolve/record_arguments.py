"""The arguments of calls: structures and vectors, and pointers to them, are passed member by member.

A command on memory of structures stays one command, which is about all of their members.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING, Literal, NoReturn

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.program.resolve.buffer_order import is_access
from mcm.program.resolve.command_words import (
    BYTES,
    ELEMENTS,
    GIVEN_UP,
    MEMBERS,
    ON_MEMORY,
    REPEATED,
    VALUES,
    WRITES_VALUE,
    bytes_of_name,
    is_said,
    numbers,
    said,
)
from mcm.program.resolve.computing import acts
from mcm.program.resolve.functions_of_views import FunctionsOfViews  # noqa: TC001 - as above
from mcm.program.resolve.record_buffers import parent_of
from mcm.program.resolve.record_copies import RecordCopies  # noqa: TC001 - as above
from mcm.program.resolve.record_pointers import RecordPointers, null_in
from mcm.program.resolve.record_types import RecordTypes, Shape, Slot, components_of, is_vector, named
from mcm.program.resolve.record_values import RecordValues, copied, elements
from mcm.program.resolve.record_views import RecordViews  # noqa: TC001 - as above
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator


class RecordArguments(Struct, frozen=True):
    """How the arguments of calls are taken apart.

    `views` knows addresses of numbers that are accessed as structures, and `of_views` functions that take some.
    `find` is what is known of a name in scope: of no record, or of one, or that nothing declares it (False); `whole`
    gives the members of an expression that is a structure, `value` takes apart what is in any other expression;
    `functions` are those of the test.
    `memory` are the types of structures and vectors in memory, by the names that the test has for it.
    """

    views: RecordViews
    of_views: FunctionsOfViews
    find: Callable[[str], Shape | Literal[False] | None]
    whole: Callable[[ast.Expression], list[ast.Expression] | None]
    value: Callable[[ast.Expression], ast.Expression]
    types: RecordTypes
    values: RecordValues
    pointers: RecordPointers
    copies: RecordCopies
    functions: Mapping[str, ast.Function]
    memory: dict[str, ast.TypeName] = field(default_factory=dict)

    def note_memory(self, tree: ast.Litmus) -> None:
        """Learn which memory holds structures and vectors."""
        named_so = [
            (item.name.text, item.type)
            for item in tree.initial
            if isinstance(item, ast.InitialValue) and item.type is not None and not item.pointers
        ]
        named_so += [
            (one.name.text, replace(one.type, pointers=one.type.pointers[:-1]))
            for unit in tree.units
            if isinstance(unit, ast.Kernel | ast.Thread | ast.Callback)
            for one in unit.parameters
            if len(one.type.pointers) == 1
        ]
        for name, type_ in named_so:
            if not type_.pointers and self.types.slots_of(type_) is not None:
                self.memory.setdefault(name, type_)
        for item in tree.initial:
            parent = parent_of(item) if isinstance(item, ast.InitialValue) else None
            if parent is not None and parent.text in self.memory:
                self.memory[item.name.text] = self.memory[parent.text]

    def of_call(self, node: ast.Call) -> ast.Call:
        """A call with its arguments taken apart."""
        if node.function.text in ON_MEMORY:
            return self._of_command(node)
        if (copy := self.copies.of_call(node)) is not None:
            return copy
        parameters = self._parameters(node)
        node = self._with_addresses(node, parameters)
        found: list[ast.Expression] = []
        for number, argument in enumerate(node.arguments):
            null = null_in(argument) if number < len(parameters) else None
            slots = None if null is None else self._pointed(parameters[number])
            if number < len(parameters) and self._is_widened(argument, parameters[number]):
                argument = ast.Cast(parameters[number].type, argument, span=argument.span)  # noqa: PLW2901
            found += self._argument(argument) if null is None or slots is None else [null] * len(slots)
        return replace(node, arguments=tuple(found))

    def _with_addresses(self, node: ast.Call, parameters: tuple[ast.Parameter, ...]) -> ast.Call:
        """A call of a function that is given addresses of numbers for those of vectors or structures."""
        found = {
            number: view
            for number, (parameter, argument) in enumerate(zip(parameters, node.arguments, strict=False))
            if (slots := self._pointed(parameter)) is not None
            and (view := self.views.view(argument)) is not None
            and view.slots == slots
        }
        if not found and node.function.text not in self.of_views.for_uses:
            return node
        arguments = (found[n].address if n in found else one for n, one in enumerate(node.arguments))
        return replace(node, function=self.of_views.named(node.function, [*found]), arguments=tuple(arguments))

    def _parameters(self, node: ast.Call) -> tuple[ast.Parameter, ...]:
        """The parameters of the function that is called; none of a built-in function."""
        function = self.functions.get(node.function.text)
        if function is None:
            return ()
        wanted, found = len(function.parameters), len(node.arguments)
        # One that returns a structure is also given where to, by now.
        if wanted != found and self.types.slots_of(function.type) is None:
            message = f"'{node.function.text}' takes {wanted} argument{'s' * (wanted != 1)}, found {found}"
            self.values.complaints.fail("E104", node.span, message)
        return function.parameters

    def _is_widened(self, argument: ast.Expression, parameter: ast.Parameter) -> bool:
        """Whether a number is given for a vector, each component of which has its value."""
        is_vector_wanted = bool(components_of(parameter.type)) and not acts(argument)
        return is_vector_wanted and self.values.vectors.components(argument) is None and self.whole(argument) is None

    def _pointed(self, parameter: ast.Parameter) -> tuple[Slot, ...] | None:
        """The members of what a parameter points to; None where that is no structure or vector."""
        return self.types.slots_of(parameter.type) if len(parameter.type.pointers) == 1 else None

    def _argument(self, node: ast.Expression) -> Iterator[ast.Expression]:
        """An argument of a call: a structure, or a pointer to one, is passed member by member."""
        made = self.values.made(node) if isinstance(node, ast.CompoundLiteral) else None
        parts = made or self.values.vectors.components(node)
        whole = parts or self.whole(node)
        if whole is None and self.views.view(node) is not None:
            message = "not yet supported: a pointer to numbers, cast to one to vectors or structures, as an argument"
            self.values.complaints.fail("E100", node.span, message)
        if whole is None:
            yield self.value(node)
        elif parts is None and not self.pointers.is_address(node):
            yield from map(copied, whole)
        else:
            yield from whole

    # --- commands on memory ---

    def _of_command(self, node: ast.Call) -> ast.Call:
        """A command on memory: each argument that is a structure, or an array of such, is said of its members."""
        found: list[ast.Expression] = []
        written: ast.TypeName | None = None
        is_first = True
        for written_so in node.arguments:
            argument = self._of_one_member(written_so)
            type_ = self._type_in_memory(argument)
            if type_ is not None:
                found.append(self._members(argument, type_))
                written = type_ if is_first else written
            elif is_first or written is None or node.function.text not in WRITES_VALUE or _says_how(argument):
                found.append(self._other(argument, written))
            else:
                found.append(self._written(argument, written))
            is_first = is_first and (written_so is node.arguments[0] or _says_how(argument))
        return replace(node, arguments=tuple(found))

    def _other(self, node: ast.Expression, read: ast.TypeName | None) -> ast.Expression:
        """An argument that is no memory of structures: a queue, a flag, events, a variable."""
        match node:
            case ast.Prefix("&", ast.Name(text) as name) if read is not None and self._is_variable(text):
                shape = self.find(text)
                assert isinstance(shape, Shape)
                parts = [each for slot in shape.slots for each in elements(named(name, slot), slot)]
                return said(VALUES, parts, node)
            case _:
                return self.value(node)

    def _is_variable(self, name: str) -> bool:
        """Whether a name is that of a structure or vector of the thread."""
        shape = self.find(name)
        return isinstance(shape, Shape) and not (shape.is_pointer or shape.is_array)

    def _type_in_memory(self, node: ast.Expression) -> ast.TypeName | None:
        """The type of the elements of memory of structures or vectors that an argument names; None for any other."""
        of_bytes = bytes_of_name(node)
        name = node if of_bytes is None else of_bytes[0]
        if not isinstance(name, ast.Name):
            return None
        known = self.find(name.text)
        is_memory = known is False or (isinstance(known, Shape) and known.is_pointer and known.viewed is None)
        return self.memory.get(name.text) if is_memory else None

    def _of_one_member(self, node: ast.Expression) -> ast.Expression:
        """Bytes of structures that are those of one member, or of some of its elements: said of the member alone."""
        of_bytes, type_ = bytes_of_name(node), self._type_in_memory(node)
        layout = None if type_ is None else self.types.layout(type_)
        if of_bytes is None or type_ is None or layout is None:
            return node
        name, first, size = of_bytes
        element, begin = divmod(first, layout.size)
        for slot, place in zip(self.types.slots_of(type_) or (), layout.places, strict=True):
            one = self.types.layout(slot.type)
            width = slot.length or 1
            if one is None or not place <= begin < begin + size <= place + width * one.size:
                continue
            at = element * width * one.size + begin - place
            return said(BYTES, (named(name, slot), *numbers((at, size), node)), node)
        return node

    def _members(self, node: ast.Expression, type_: ast.TypeName) -> ast.Call:
        """Memory of structures, or some of its bytes, as elements of the objects that its members are."""
        of_bytes = bytes_of_name(node)
        name, first, size = (node, 0, 0) if of_bytes is None else of_bytes
        assert isinstance(name, ast.Name)
        layout = self.types.layout(type_)
        if layout is None:
            message = (
                f"not yet supported: a command on '{name.span.text}', whose members have no known sizes or are arrays"
            )
            message += " of structures or vectors"
            self.values.complaints.fail("E100", node.span, message)
        slots = self.types.slots_of(type_) or ()
        parts = [
            said(
                ELEMENTS, (named(name, slot), *numbers((slot.length or 1, place, layout.size, first, size), node)), node
            )
            for slot, place in zip(slots, layout.places, strict=True)
        ]
        return said(MEMBERS, (name, *parts), node)

    def _refuse(self, node: ast.Expression, type_: ast.TypeName) -> NoReturn:
        message = f"'{node.span.text}' is no '{type_.base}', which each element of the memory is"
        self.values.complaints.fail("E122", node.span, message)

    def _written(self, node: ast.Expression, type_: ast.TypeName) -> ast.Expression:
        """The value that a command writes to each structure or vector."""
        slots = self.types.slots_of(type_) or ()
        written = node.operand if isinstance(node, ast.Prefix) and node.operator == "&" else node
        if any(is_said(written, word) for word in (REPEATED, *GIVEN_UP)):
            return written
        vectors = self.values.vectors
        if is_vector(slots):
            components = vectors.components(written)
            if components is not None and vectors.element(written) not in {None, slots[0].type.base}:
                self._refuse(node, type_)
            return said(VALUES, vectors.replicated(written, components, len(slots)), node)
        if isinstance(written, ast.NumberLiteral) and written.text == "0":
            return said(VALUES, [written for slot in slots for _ in range(slot.length or 1)], node)
        if isinstance(written, ast.CompoundLiteral) and self.types.slots_of(written.type) == slots:
            return said(VALUES, self.values.flat(written.initializer, slots), node)
        whole = self.whole(written)
        if whole is None or self.pointers.is_address(written) or self.pointers.slots_of(written) != slots:
            self._refuse(node, type_)
        found = [each for one, slot in zip(whole, slots, strict=True) for each in elements(one, slot)]
        return said(VALUES, map(copied, found), node)


def _says_how(node: ast.Expression) -> bool:
    """Whether an argument says how a call is made: whether it blocks, what it waits for."""
    match node:
        case ast.Name(text):
            return text.startswith("CL_")
        case ast.Infix("|", left, right):
            return _says_how(left) and _says_how(right)
        case ast.Call(ast.Name("wait")):
            return True
        case _:
            return is_access(node)
