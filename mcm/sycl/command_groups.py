"""Command groups: accessors, dependencies, and the one command that is submitted."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.complaints import UnresolvedError
from mcm.sycl import tree
from mcm.sycl.captures import HOST_TASK
from mcm.sycl.closures import function_of
from mcm.sycl.constants import chosen, condition, constant, typed
from mcm.sycl.data import DATA_COMMANDS
from mcm.sycl.entities import Accessor, Opaque, Variable
from mcm.sycl.freed import without_frees
from mcm.sycl.hierarchical import HIERARCHICAL, flat
from mcm.sycl.host_lambdas import LAMBDA
from mcm.sycl.kernels import LAUNCHES, GivenUp
from mcm.sycl.parts import accessor_of, buffer_of, offsets, required, stretches
from mcm.sycl.ranges import names_range, range_object, range_sizes
from mcm.sycl.reductions import CLASS, is_reduction
from mcm.sycl.types import written_type
from mcm.sycl.words import meant, plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.program.resolve.buffer_order import Stretch
    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import Entity
    from mcm.sycl.kernels import KernelDraft, Kernels
    from mcm.syntax.ast import Node, Statement

_READING: Final = frozenset({"read_only", "read_only_host_task", "read_constant"})
_WRITING: Final = frozenset({"write_only", "write_only_host_task"})
_ACCESSORS: Final = frozenset({"accessor", "local_accessor"})


class CommandGroup:
    """What stands in the lambda of `submit`: accessors, dependencies, and one launch."""

    def __init__(
        self, kernels: Kernels, complaints: Complaints, context: Context, memory: Mapping[str, Object]
    ) -> None:
        self._kernels: Final = kernels
        self._complaints: Final = complaints
        self._context: Final = context
        self._memory: Final = memory
        self.outer: dict[str, Entity] = {}
        self.waits: list[Node] = []
        self.accesses: dict[Stretch, bool] = {}
        # For each buffer, the elements that accessors give up, and one that does, and those that some accessor needs.
        self._given_up: dict[str, GivenUp] = {}
        self._needed: dict[str, frozenset[int]] = {}
        self.first: list[Statement] = []
        self.command: tree.MemberCall | None = None
        self._function: tree.Lambda | None = None

    def read(self, function: tree.Lambda, outer: dict[str, Entity]) -> None:
        """Read the statements; `command` is then the call of the handler that says what is done."""
        self.outer = dict(outer)
        self._function = function
        if len(function.parameters) != 1:
            self._complaints.fail("E210", function.span, "a command group takes a handler, '[&](handler& h) { … }'")
        handler = function.parameters[0].name.text
        self.outer[handler] = Opaque("handler", handler)
        for statement in function.body.statements:
            try:
                self._statement(statement, handler)
            except UnresolvedError:
                continue

    def _statement(self, node: Node, handler: str) -> None:
        match node:
            case tree.ObjectDeclaration(_, class_, declarators):
                for one in declarators:
                    self._object(class_, one, node)
            case ast.Declaration(
                ast.TypeName(base="auto"), (ast.Declarator(name, (), None, tree.MemberCall() as call),)
            ):
                self._get_access(name, call, node)
            case ast.Declaration(ast.TypeName(base="auto"), (ast.Declarator(name, (), None, value),)) if (
                value is not None and (made := _made(value)) is not None
            ):
                class_, arguments = made
                self._object(class_, tree.ObjectDeclarator(name, "(", arguments, span=node.span), node)
            case ast.Declaration(_, (one,)) if (function := function_of(one)) is not None:
                self.outer[one.name.text] = Opaque(LAMBDA, one.name.text, function)
            case ast.Declaration(_, (ast.Declarator(name, (), None, value),)) if value is not None and is_reduction(
                value, self.outer
            ):
                self.outer[name.text] = Opaque(CLASS, name.text, value)
            case ast.Declaration(_, declarators) if all(self._constant(one, node.type) for one in declarators):
                pass
            case ast.ExpressionStatement(tree.MemberCall(ast.Name(text), _, name) as call) if text == handler:
                if name.text == "depends_on":
                    for argument in call.arguments:
                        self.waits += argument.items if isinstance(argument, ast.InitializerList) else (argument,)
                elif name.text == "require" and (place := self._placeholder(call)) is not None:
                    written = place.node
                    assert isinstance(written, tree.Construction)
                    buffer, *rest = written.arguments
                    name = ast.Name(place.name, span=call.span)
                    self._access(name, buffer, tuple(rest), written.type.arguments or ())
                elif self.command is None:
                    self.command = call
                else:
                    self._complaints.fail("E210", call.span, "a command group says once what is done")
            case ast.ExpressionStatement(ast.Assignment("=", ast.Name() as target)) if self._is_of_host(target):
                self._context.pending += self._context.body.statement(node)
            case ast.Empty():
                pass
            case ast.Block(statements):
                for statement in statements:
                    self._statement(statement, handler)
            case ast.If(written, then, otherwise) if (holds := condition(written, self._context)) is not None:
                self._statement(then if holds else otherwise or ast.Empty(span=node.span), handler)
            case _:
                message = (
                    "a command group holds accessors, 'h.depends_on(e)', and what is done: other statements are not "
                    "part of the litmus language there"
                )
                self._complaints.fail("E207", node.span, message)

    def _is_of_host(self, target: ast.Name) -> bool:
        """Whether a variable is one of the host that the command group assigns, and does not name otherwise.

        The host does that before anything is enqueued.
        """
        nodes = [] if self._function is None else list(walk([self._function]))
        named = sum(isinstance(node, ast.Name) and node.text == target.text for node in nodes)
        targets = [node.target for node in nodes if isinstance(node, ast.Assignment)]
        assigned = sum(isinstance(one, ast.Name) and one.text == target.text for one in targets)
        is_variable = isinstance(self._context.scopes.find(target.text), Variable)
        return self._context.is_host and is_variable and named == assigned

    def _constant(self, one: ast.Declarator, type_: ast.TypeName) -> bool:
        """Declare a constant, or a range, of the command group; whether it is one."""
        value = one.initializer
        if value is not None and not isinstance(value, ast.InitializerList) and names_range(value, self.outer):
            self.outer[one.name.text] = Opaque("range", one.name.text, value)
            return True
        known = None if value is None or isinstance(value, ast.InitializerList) else constant(value, self._context)
        if known is None or one.pointers or one.length is not None:
            return False
        found = ast.TypeName((), "int", span=type_.span) if type_.base == "auto" else written_type(type_)
        literal = typed(known, found, one)
        self.outer[one.name.text] = Variable(found, is_fixed=True, constant=literal)
        self._context.scopes.declare(one.name.text, self.outer[one.name.text])
        return True

    def _object(self, class_: tree.ClassType, one: tree.ObjectDeclarator, node: Node) -> None:
        match plain(class_.name):
            case "local_accessor":
                self._local(class_, one, node)
            case "range" | "nd_range":
                self.outer[one.name.text] = range_object(class_, one)
            case "accessor" if any("target::local" in meant(node) for node in class_.arguments or ()):
                self._local(class_, one, node)
            case "accessor":
                if not one.arguments:
                    self._complaints.fail("E104", one.span, "an accessor is made of a buffer: 'accessor a(b, h);'")
                self._access(one.name, one.arguments[0], one.arguments[1:], class_.arguments or ())
            case _:
                message = f"a declaration of '{class_.span.text}' is not part of the litmus language in a command group"
                self._complaints.fail("E207", class_.span, message)

    def _local(self, class_: tree.ClassType, one: tree.ObjectDeclarator, node: Node) -> None:
        """`local_accessor<int, 1> t(range<1>(4), h);`: a variable of the kernel in local memory."""
        templates = class_.arguments or ()
        if not templates or not isinstance(templates[0], ast.TypeName):
            self._complaints.fail("E204", class_.span, "expected the type of the elements, 'local_accessor<int, 1>'")
        type_ = written_type(templates[0])
        written = [a for a in one.arguments if not self._is_handler(a)]
        sizes: tuple[int, ...] = ()
        length: ast.NumberLiteral | None = None
        if written:
            sizes = range_sizes(written[0], self.outer, self._context)
            length = ast.NumberLiteral(str(prod(sizes)), span=written[0].span)
        declarator = ast.Declarator(one.name, type_.pointers, length, None, span=one.span)
        local = ast.TypeName(("local", *type_.qualifiers), type_.base, span=type_.span)
        self.first.append(ast.Declaration(local, (declarator,), span=node.span))
        self.outer[one.name.text] = Accessor(one.name.text, type_, is_local=True, is_single=length is None, sizes=sizes)

    def _is_handler(self, node: Node) -> bool:
        entity = self.outer.get(node.text) if isinstance(node, ast.Name) else None
        return isinstance(entity, Opaque) and entity.class_ == "handler"

    def _placeholder(self, call: tree.MemberCall) -> Opaque | None:
        """The accessor that `h.require(a)` is about; None where it is none of a host program."""
        match call.arguments:
            case (ast.Name(text),) if isinstance(entity := self.outer.get(text), Opaque):
                return entity if entity.class_ == "placeholder" else None
            case _:
                return None

    def _get_access(self, name: ast.Name, call: tree.MemberCall, node: ast.Declaration) -> None:
        """`auto a = b.get_access<access::mode::read>(h);`, or a constant."""
        if call.name.text != "get_access":
            if self._constant(node.declarators[0], node.type):
                return
            self._complaints.fail("E207", call.span, f"'{call.name.text}' is not part of the litmus language here")
        self._access(name, call.base, call.arguments, call.templates or ())

    def _access(self, name: ast.Name, buffer: Node, rest: tuple[Node, ...], templates: tuple[Node, ...]) -> None:
        buffer = chosen(buffer, self._context)
        found = buffer_of(buffer, self.outer, self._memory)
        if found is None:
            self._complaints.fail("E208", buffer.span, f"expected a buffer, found '{buffer.span.text}'")
        is_read_only, location = only_reads(rest, templates), found.name
        accessor = accessor_of(found, rest, self._memory[location].type, self.outer, self._context)
        self.outer[name.text] = replace(accessor, only_reads=is_read_only, only_writes=only_writes(rest, templates))
        one = required(found)
        self.accesses[one] = is_read_only and self.accesses.get(one, True)
        if any(is_giving_up(node) for node in (*rest, *templates)):
            before = self._given_up.get(location)
            elements = offsets(accessor) | (before.elements if before is not None else frozenset())
            self._given_up[location] = GivenUp(name, elements)
        else:
            self._needed[location] = self._needed.get(location, frozenset()) | offsets(accessor)

    def draft(self) -> KernelDraft | None:
        """The kernel that the command group launches; None where it does something else."""
        if self.command is not None and self.command.name.text == HIERARCHICAL:
            self._flatten(self.command)
        if self.command is None or self.command.name.text not in LAUNCHES:
            return None
        if self.command.name.text == HOST_TASK:
            self._check_host_task(self.command)
        draft = self._kernels.draft(self.command, self.outer, self._context)
        draft.waits += self.waits
        draft.given_up = {
            location: replace(one, elements=one.elements - self._needed.get(location, frozenset()))
            for location, one in self._given_up.items()
            if all(location != other.location for other in draft.accesses)
        }
        draft.accesses = self.accesses | draft.accesses
        draft.first += self.first
        return draft

    def _flatten(self, command: tree.MemberCall) -> None:
        """A hierarchical kernel as one on an nd_range, with what its groups share in local memory."""
        found = flat(command, self.outer, self._memory, self._context)
        for declaration in found.shared:
            for one in declaration.declarators:
                self._object(declaration.type, one, declaration)
        self.command = found.launch

    def on_memory(self) -> tree.MemberCall | None:
        """The copy or the fill of the command group, about memory in place of its accessors, what they are of."""
        command = self.command
        if command is None or command.name.text not in DATA_COMMANDS:
            return None
        accessors = [self.outer.get(one.text) for one in command.arguments if isinstance(one, ast.Name)]
        first = next((one for one in accessors if isinstance(one, Accessor) and not one.is_local), None)
        if first is None:
            return command
        found: list[Node] = []
        for argument in command.arguments:
            entity = self.outer.get(argument.text) if isinstance(argument, ast.Name) else None
            if isinstance(entity, Accessor) and not entity.is_local:
                argument = self._beginning(entity, argument)  # noqa: PLW2901 - what it means
            found.append(argument)
        item = self._memory[first.location]
        number = ast.NumberLiteral(str(prod(first.sizes)), span=command.span)
        # The pattern of a fill is a value of the type of the elements.
        return replace(command, templates=(item.type,), arguments=(*found, number))

    def _beginning(self, accessor: Accessor, node: Node) -> ast.Expression:
        """Where the elements of an accessor begin, which follow each other."""
        name = ast.Name(accessor.location, span=node.span)
        one, *others = stretches(accessor)
        if others:
            message = f"the elements of '{node.span.text}' do not follow each other: a kernel with a loop does the same"
            self._complaints.fail("E207", node.span, message)
        if one.first == 0:
            return name
        return ast.Infix("+", name, ast.NumberLiteral(str(one.first), span=node.span), span=node.span)

    def _check_host_task(self, command: tree.MemberCall) -> None:
        """What a host task does is done by the host: only plain accesses are those of any other command."""
        declared = {node.name.text for node in walk([command]) if isinstance(node, ast.Declarator)}
        tasks = (one.body for one in command.arguments if isinstance(one, tree.Lambda))
        given_back = {id(name) for body in tasks for name in without_frees(body)[1]}
        for node in walk([command]):
            if id(node) in given_back:
                continue
            item = self._memory.get(node.text) if isinstance(node, ast.Name) else None
            if item is not None and item.kind == "malloc_device" and node.span.text not in {*declared, *self.outer}:
                message = f"a host task runs on the host, which cannot access '{node.span.text}': malloc_device memory"
                self._complaints.fail("E209", node.span, message)
            names = node.name if isinstance(node, tree.ClassType) else node.text if isinstance(node, ast.Name) else ""
            if "atomic" in names:
                message = (
                    "atomic operations in a host task are not part of the litmus language: in a host thread they are"
                )
                self._complaints.fail("E207", node.span, message)


def _made(node: Node) -> tuple[tree.ClassType, tuple[Node, ...]] | None:
    """The class of an accessor that an expression makes, and what it is made with; None for other expressions."""
    match node:
        case tree.Construction(class_, _, arguments) if plain(class_.name) in _ACCESSORS:
            return class_, arguments
        case ast.Call(ast.Name(name) as function, arguments) if plain(name) in _ACCESSORS:
            return tree.ClassType(name, span=function.span), arguments
        case _:
            return None


def only_reads(arguments: tuple[Node, ...], templates: tuple[Node, ...]) -> bool:
    """Whether an accessor is for reading only: by what it is made with, or by the type of its elements."""
    written = (*arguments, *templates)
    if any(_is_reading(node) for node in written):
        return True
    is_const = bool(templates) and isinstance(templates[0], ast.TypeName) and "const" in templates[0].qualifiers
    return is_const and not any("mode::" in meant(node) for node in written)


def only_writes(arguments: tuple[Node, ...], templates: tuple[Node, ...]) -> bool:
    """Whether an accessor is for writing only, by what it is made with."""
    return any(
        (text := meant(node)) in _WRITING or text.endswith(("mode::write", "mode::discard_write"))
        for node in (*arguments, *templates)
    )


def _is_reading(node: Node) -> bool:
    text = meant(node)
    return text in _READING or text.endswith(("mode::read", "access_mode::read"))


def is_giving_up(node: Node) -> bool:
    """Whether an argument says that the contents of a buffer are given up."""
    return any(
        (text := meant(one)) in {"no_init", "noinit"}
        or text.endswith(("property::no_init", "property::noinit", "::discard_write", "::discard_read_write"))
        for one in walk([node])
        if isinstance(one, ast.Name | tree.ClassType)
    )
