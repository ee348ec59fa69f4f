"""Kernels: command groups and lambdas, as kernels of OpenCL C and their sizes."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.base.source import Span
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.literals import integer_of
from mcm.sycl import tree
from mcm.sycl.body import Body
from mcm.sycl.constants import constant
from mcm.sycl.context import counted
from mcm.sycl.entities import Accessor, Item, Opaque, Scopes, Variable
from mcm.sycl.types import written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Callee, Context, Object
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Node, Statement

LAUNCHES: Final = frozenset({"parallel_for", "single_task"})
_SIZES: Final = frozenset({"range", "nd_range", "id"})
_IGNORED_ATTRIBUTES: Final = frozenset({"reqd_work_group_size", "work_group_size_hint"})
_SUB_GROUP_SIZE: Final = "reqd_sub_group_size"
_WITH_GROUPS: Final = "nd_item"


class KernelDraft(Struct):
    """A kernel under construction: what is launched, on how many work-items, and what its command group says.

    Sizes are those of OpenCL, the dimension that varies fastest first. `sub_size` is None where the text says nothing.
    `accesses` are the buffers that its accessors are of, each with whether it is only read. `waits` are events.
    """

    name: str
    function: tree.Lambda
    span: Span
    global_sizes: tuple[int, ...] = (1,)
    local_sizes: tuple[int, ...] = (1,)
    sub_size: int | None = None
    has_groups: bool = False
    waits: list[Node] = field(default_factory=list)
    accesses: dict[str, bool] = field(default_factory=dict)
    outer: dict[str, Entity] = field(default_factory=dict)
    first: list[Statement] = field(default_factory=list)


class Kernels:
    """Makes kernels; `units` are those that it has made, and `names` are given to kernels without one."""

    def __init__(self, memory: Mapping[str, Object], functions: Mapping[str, Callee], complaints: Complaints) -> None:
        self._memory: Final = memory
        self._functions: Final = functions
        self._complaints: Final = complaints
        self._unnamed: int = 0
        self.units: list[ast.Kernel] = []

    def draft(self, node: tree.MemberCall, outer: dict[str, Entity], context: Context) -> KernelDraft:
        """What `q.parallel_for(…)` or `q.single_task(…)` launches."""
        *arguments, function = node.arguments or (None,)
        if not isinstance(function, tree.Lambda):
            message = f"'{node.name.text}' takes a lambda last, '[=](nd_item<1> it) {{ … }}'"
            self._complaints.fail("E210", node.name.span, message)
        if function.capture.replace(" ", "") not in {"[=]", "[]"}:
            start = function.span.start
            span = Span(function.span.source, start, start + len(function.capture))
            self._complaints.fail("E211", span, f"a kernel captures by value, '[=]', found '{function.capture}'")
        draft = KernelDraft(self._name(node), function, _head(node, function), outer=dict(outer))
        if node.name.text == "parallel_for":
            self._read_sizes(arguments, node, draft, context)
        elif arguments:
            message = f"'single_task' takes a lambda, found {counted(len(node.arguments))}"
            self._complaints.fail("E104", node.span, message)
        self._read_attributes(draft, context)
        return draft

    def _name(self, node: tree.MemberCall) -> str:
        match node.templates:
            case (tree.NamedClass(_, name),) | (ast.Name() as name,):
                return plain(name.text)
            case _:
                self._unnamed += 1
                return f"K{self._unnamed - 1}"

    def _read_sizes(self, arguments: list[Node], node: tree.MemberCall, draft: KernelDraft, context: Context) -> None:
        """The range, and the events that some forms take behind it."""
        if not arguments:
            message = "'parallel_for' takes a range first, 'nd_range<1>(4, 2)' or 'range<1>(4)'"
            self._complaints.fail("E210", node.name.span, message)
        written, *events = arguments
        for event in events:
            draft.waits += event.items if isinstance(event, ast.InitializerList) else (event,)
        class_, parts = _range_parts(written, draft.outer)
        draft.has_groups = class_ == "nd_range"
        if draft.has_groups:
            if len(parts) != 2:
                message = f"an nd_range has a global and a local range, found {counted(len(parts))}"
                self._complaints.fail("E212", written.span, message)
            draft.global_sizes, draft.local_sizes = (self._sizes(part, draft, context) for part in parts)
        else:
            draft.global_sizes = self._sizes(written, draft, context)
            draft.local_sizes = (1,) * len(draft.global_sizes)
        self._check_sizes(written, draft)

    def _check_sizes(self, node: Node, draft: KernelDraft) -> None:
        """The work-groups are whole in each dimension."""
        one, other = draft.global_sizes, draft.local_sizes
        if len(one) != len(other):
            message = f"the global range has {len(one)} dimensions, but the local one has {len(other)}"
            self._complaints.fail("E212", node.span, message)
        for whole, part in zip(one, other, strict=True):
            if whole % part:
                message = f"{whole} work-items do not make whole work-groups of {part}"
                self._complaints.fail("E212", node.span, message)

    def _sizes(self, node: Node, draft: KernelDraft, context: Context) -> tuple[int, ...]:
        """The sizes that a range has, in the order of OpenCL."""
        class_, parts = _range_parts(node, draft.outer)
        if class_ == "nd_range" or not 1 <= len(parts) <= 3:
            message = f"expected a range of 1 to 3 dimensions, 'range<1>(4)', found '{node.span.text}'"
            self._complaints.fail("E212", node.span, message)
        return tuple(self._size(part, context) for part in reversed(parts))

    def _size(self, node: Node, context: Context) -> int:
        size = constant(node, context)
        if size is None or size < 1:
            message = f"expected a constant size of 1 or more, found '{node.span.text}'"
            self._complaints.fail("E212", node.span, message)
        return size

    def _read_attributes(self, draft: KernelDraft, context: Context) -> None:
        for attribute in draft.function.attributes:
            match attribute:
                case ast.Call(ast.Name(text), (size,)) if text.rpartition("::")[2] == _SUB_GROUP_SIZE:
                    draft.sub_size = self._size(size, context)
                case ast.Call(ast.Name(text)) if text.rpartition("::")[2] in _IGNORED_ATTRIBUTES:
                    pass
                case _:
                    message = f"'[[sycl::{_SUB_GROUP_SIZE}(N)]]' is the attribute that means something here"
                    self._complaints.warning("W152", attribute.span, f"'{attribute.span.text}' is ignored; {message}")

    # --- the kernel itself --------------------------------------------------------------------------------------------

    def finish(self, draft: KernelDraft) -> ast.Kernel:
        """The kernel; it is one of `units` from now on."""
        function = draft.function
        entities: dict[str, Entity] = {**draft.outer, **self._parameter(draft)}
        aliases = self._aliases(entities, function.body)
        private = dict(private_objects(self._memory, function.body))
        entities |= {name: Variable(item.type) for name, item in private.items()}
        memory = {name: item for name, item in self._memory.items() if item.kind != "private"}
        body = Body(Scopes(entities), memory, self._functions, self._complaints, is_host=False)
        inner = body.block(function.body)
        declared = [*draft.first, *aliases, *(_private(name, item) for name, item in private.items())]
        inner = _apart(inner, {*body.context.used, *(name for one in declared for name in _declared(one))})
        kernel = ast.Kernel(
            ast.Name(draft.name, span=draft.span),
            parameters(body.context, self._memory, draft.span),
            replace(inner, statements=(*declared, *body.context.first, *inner.statements)),
            span=function.span,
        )
        self.units.append(kernel)
        return kernel

    def _aliases(self, entities: dict[str, Entity], body: Node) -> list[Statement]:
        """Pointers to the objects of accessors whose names mean something else in a body."""
        hiding = set(_hiding(body))
        found: list[Statement] = []
        for name, entity in entities.items():
            if (
                isinstance(entity, Accessor)
                and not entity.is_local
                and entity.location in hiding
                and name not in hiding
            ):
                entities[name] = replace(entity, alias=name)
                span = self._memory[entity.location].span
                type_ = ast.TypeName(("global", *entity.type.qualifiers), entity.type.base, span=span)
                stars = (*entity.type.pointers, ())
                value = ast.Name(entity.location, span=span)
                declarator = ast.Declarator(ast.Name(name, span=span), stars, None, value, span=span)
                found.append(ast.Declaration(type_, (declarator,), span=span))
        return found

    def _parameter(self, draft: KernelDraft) -> dict[str, Entity]:
        """What the parameter of the lambda stands for."""
        written = draft.function.parameters
        if not written or (len(written) > 1 and draft.global_sizes == (1,)):
            if draft.has_groups:
                self._complaints.error("E210", draft.span, "the lambda of an nd_range takes an nd_item")
            return {}
        parameter, dimensions = written[0], len(draft.global_sizes)
        if len(written) > 1:
            message = "reductions and other further parameters of a kernel are not part of the litmus language"
            self._complaints.error("E207", written[1].span, message)
        if isinstance(parameter.type, tree.ClassType):
            self._check_parameter(parameter.type, dimensions, draft)
        return {parameter.name.text: Item(dimensions, draft.has_groups)}

    def _check_parameter(self, class_: tree.ClassType, dimensions: int, draft: KernelDraft) -> None:
        name = plain(class_.name)
        wanted = ("nd_item",) if draft.has_groups else ("id", "item")
        if name not in wanted:
            kind = "an nd_range" if draft.has_groups else "a range"
            choices = " or ".join(f"'{one}<{dimensions}>'" for one in wanted)
            message = f"the lambda of {kind} takes {choices}, found '{class_.span.text}'"
            self._complaints.error("E210", class_.span, message)
            return
        match class_.arguments:
            case (ast.NumberLiteral(text),) if integer_of(text) != dimensions:
                message = f"'{class_.span.text}' has {text} dimensions, but the range has {dimensions}"
                self._complaints.error("E212", class_.span, message)
            case _:
                pass


def _head(node: tree.MemberCall, function: tree.Lambda) -> Span:
    """What a report shows of a launch: all before the body of the lambda."""
    source, start = node.span.source, node.span.start
    return Span(source, start, start + len(source.text[start : function.body.span.start].rstrip()))


def _range_parts(node: Node, outer: Mapping[str, Entity]) -> tuple[str, tuple[Node, ...]]:
    """The class of a range (empty for a bare number) and what it consists of; `outer` has those with names."""
    match node:
        case ast.Name(text) if isinstance(entity := outer.get(plain(text)), Opaque) and entity.node is not None:
            return _range_parts(entity.node, outer)
        case tree.Construction(tree.ClassType(name), _, arguments) if plain(name) in _SIZES:
            return plain(name), arguments
        case ast.Call(ast.Name(name), arguments) if plain(name) in _SIZES:
            return plain(name), arguments
        case ast.InitializerList(items):
            return "", items
        case _:
            return "", (node,)


def is_range(node: Node) -> bool:
    """Whether an expression makes a range."""
    match node:
        case tree.Construction(tree.ClassType(name)) | ast.Call(ast.Name(name)):
            return plain(name) in {"range", "nd_range"}
        case _:
            return False


def range_object(class_: tree.ClassType, one: tree.ObjectDeclarator) -> Opaque:
    """A range that has a name, `range<1> r{4};`."""
    made = tree.Construction(class_, one.form, one.arguments, span=one.span)
    return Opaque("range", one.name.text, one.arguments[0] if one.form == "=" else made)


def range_sizes(node: Node, outer: Mapping[str, Entity], context: Context) -> tuple[int, ...]:
    """The sizes of memory that a range says, in the order of SYCL."""
    _, parts = _range_parts(node, outer)
    return tuple(_constant_size(part, context) for part in parts)


def _constant_size(node: Node, context: Context) -> int:
    size = constant(node, context)
    if size is None or size < 1:
        context.complaints.fail("E212", node.span, f"expected a constant size, found '{node.span.text}'")
    return size


def parameters(context: Context, memory: Mapping[str, Object], span: Span) -> tuple[ast.Parameter, ...]:
    """The captured pointers and accessors of a body, as parameters."""
    return tuple(_captured(name, memory[name], context, span) for name in sorted(context.used) if name in memory)


def _captured(name: str, item: Object, context: Context, span: Span) -> ast.Parameter:
    space = {"local_accessor": "local", "buffer": "global"}.get(item.kind, "generic")
    words = () if context.is_host else (space,)
    type_ = ast.TypeName(
        (*words, *item.type.qualifiers), item.type.base, (*item.type.pointers, ()), span=item.type.span
    )
    return ast.Parameter(type_, ast.Name(name, span=span), span=span)


def private_objects(memory: Mapping[str, Object], body: Node) -> Iterator[tuple[str, Object]]:
    """The objects in private memory that a body names."""
    private = {name: item for name, item in memory.items() if item.kind == "private"}
    if private:
        named = set(_names(body))
        yield from ((name, item) for name, item in private.items() if name in named)


def _hiding(node: Node) -> Iterator[str]:
    """The names that a body declares."""
    if isinstance(node, ast.Declarator | tree.ObjectDeclarator):
        yield node.name.text
    for inner in _inside(node):
        yield from _hiding(inner)


def _inside(node: Node) -> Iterator[Node]:
    for name in node.__struct_fields__:
        part = getattr(node, name)
        yield from (one for one in (part if isinstance(part, tuple) else (part,)) if isinstance(one, ast.Node))


def _names(node: Node) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.text
    for inner in _inside(node):
        yield from _names(inner)


def _apart(block: ast.Block, outer: set[str]) -> ast.Block:
    """The block, or one around it where it declares names that captured pointers have."""
    if not any(name in outer for statement in block.statements for name in _declared(statement)):
        return block
    return replace(block, statements=(block,))


def _declared(node: Node) -> tuple[str, ...]:
    return tuple(one.name.text for one in node.declarators) if isinstance(node, ast.Declaration) else ()


def _private(name: str, item: Object) -> ast.Declaration:
    """The variable that an object in private memory is for one work-item."""
    assert item.value is None or isinstance(item.value, ast.Expression | ast.InitializerList)
    declarator = ast.Declarator(
        ast.Name(name, span=item.span), item.type.pointers, item.length, item.value, span=item.span
    )
    return ast.Declaration(replace(item.type, pointers=()), (declarator,), span=item.span)


# --- command groups ---------------------------------------------------------------------------------------------------


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
        self.accesses: dict[str, bool] = {}
        self.first: list[Statement] = []
        self.command: tree.MemberCall | None = None

    def read(self, function: tree.Lambda, outer: dict[str, Entity]) -> None:
        """Read the statements; `command` is then the call of the handler that says what is done."""
        self.outer = dict(outer)
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
                self._get_access(name, call)
            case ast.Declaration(_, declarators) if all(self._constant(one, node.type) for one in declarators):
                pass
            case ast.ExpressionStatement(tree.MemberCall(ast.Name(text), _, name) as call) if text == handler:
                if name.text == "depends_on":
                    for argument in call.arguments:
                        self.waits += argument.items if isinstance(argument, ast.InitializerList) else (argument,)
                elif self.command is None:
                    self.command = call
                else:
                    self._complaints.fail("E210", call.span, "a command group says once what is done")
            case ast.Empty():
                pass
            case _:
                message = (
                    "a command group holds accessors, 'h.depends_on(e)', and what is done: other statements are not "
                    "part of the litmus language there"
                )
                self._complaints.fail("E207", node.span, message)

    def _constant(self, one: ast.Declarator, type_: ast.TypeName) -> bool:
        """Declare a constant, or a range, of the command group; whether it is one."""
        value = one.initializer
        if value is not None and is_range(value):
            self.outer[one.name.text] = Opaque("range", one.name.text, value)
            return True
        known = None if value is None or isinstance(value, ast.InitializerList) else constant(value, self._context)
        if known is None or one.pointers or one.length is not None:
            return False
        found = ast.TypeName((), "int", span=type_.span) if type_.base == "auto" else written_type(type_)
        literal = ast.NumberLiteral(str(known), span=one.span)
        self.outer[one.name.text] = Variable(found, is_fixed=True, constant=literal)
        self._context.scopes.declare(one.name.text, self.outer[one.name.text])
        return True

    def _object(self, class_: tree.ClassType, one: tree.ObjectDeclarator, node: Node) -> None:
        match plain(class_.name):
            case "local_accessor":
                self._local(class_, one, node)
            case "range" | "nd_range":
                self.outer[one.name.text] = range_object(class_, one)
            case "accessor" if any("target::local" in plain(node.span.text) for node in class_.arguments or ()):
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

    def _get_access(self, name: ast.Name, call: tree.MemberCall) -> None:
        """`auto a = b.get_access<access::mode::read>(h);`."""
        if call.name.text != "get_access":
            self._complaints.fail("E207", call.span, f"'{call.name.text}' is not part of the litmus language here")
        self._access(name, call.base, (), call.templates or ())

    def _access(self, name: ast.Name, buffer: Node, rest: tuple[Node, ...], templates: tuple[Node, ...]) -> None:
        location = location_of(buffer, self.outer, self._memory)
        if location is None:
            self._complaints.fail("E208", buffer.span, f"expected a buffer, found '{buffer.span.text}'")
        is_read_only = any(is_reading(node) for node in (*rest, *templates))
        self.accesses[location] = is_read_only and self.accesses.get(location, True)
        entity = self.outer.get(buffer.text) if isinstance(buffer, ast.Name) else None
        sizes = entity.sizes if isinstance(entity, Opaque) else ()
        self.outer[name.text] = Accessor(location, self._memory[location].type, sizes=sizes)

    def draft(self) -> KernelDraft | None:
        """The kernel that the command group launches; None where it does something else."""
        if self.command is None or self.command.name.text not in LAUNCHES:
            return None
        draft = self._kernels.draft(self.command, self.outer, self._context)
        draft.waits += self.waits
        draft.accesses |= self.accesses
        draft.first += self.first
        return draft


def is_reading(node: Node) -> bool:
    """Whether an argument says that an accessor is for reading only."""
    text = plain(node.span.text)
    return text in {"read_only", "read_constant"} or text.endswith(("mode::read", "access_mode::read"))


def location_of(node: Node, outer: Mapping[str, Entity], memory: Mapping[str, Object]) -> str | None:
    """The memory object that a buffer stands for."""
    if not isinstance(node, ast.Name):
        return None
    entity = outer.get(node.text)
    if isinstance(entity, Opaque) and entity.class_ == "buffer":
        return entity.name
    return node.text if node.text in memory and memory[node.text].kind == "buffer" else None
