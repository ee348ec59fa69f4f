"""Kernels: command groups and lambdas, as kernels of OpenCL C and their sizes."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.base.source import Span
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.literals import integer_of
from mcm.sycl import function_objects, tree
from mcm.sycl.body import Body
from mcm.sycl.captures import HOST_TASK
from mcm.sycl.constants import constant
from mcm.sycl.context import Object, counted
from mcm.sycl.copied_arrays import in_kernel
from mcm.sycl.entities import Accessor, Broken, Item, Opaque, Scopes, Variable
from mcm.sycl.host_lambdas import LAMBDA, with_lambdas
from mcm.sycl.host_tasks import TaskBody, check_references, known
from mcm.sycl.ranges import parts_of_range
from mcm.sycl.reductions import Reduction, beginning, ending, is_reduction, partials, read, reducer
from mcm.sycl.stretches import whole
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.attribute import REQUIRED_SIZE
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.program.resolve.buffer_order import Stretch
    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Context, Functions
    from mcm.sycl.entities import Entity, Reducer, Reference
    from mcm.syntax.ast import Node, Statement

# The class of a name that stands for the lambda of a kernel.
LAUNCHES: Final = frozenset({"parallel_for", "single_task", HOST_TASK})
_HINT: Final = "work_group_size_hint"
_SUB_GROUP_SIZE: Final = "reqd_sub_group_size"
# What a kernel captures: all by value, nothing, or names.
_BY_VALUE: Final = re.compile(r"\[\s*(?:=|\w+(?:\s*,\s*\w+)*)?\s*\]")


class GivenUp(Struct, frozen=True):
    """Elements of a buffer whose contents no accessor asks for, and where that is said."""

    node: Node
    elements: frozenset[int]


class KernelDraft(Struct):
    """A kernel under construction: what is launched, on how many work-items, and what its command group says.

    Sizes are those of OpenCL, the dimension that varies fastest first. `sub_size` is None where the text says nothing.
    `accesses` are what its accessors are of, in buffers, each with whether it is only read. `given_up` are the buffers
    of whose contents no accessor asks for all. `waits` are events. One that `is_task` is that of a host task.
    `begins` are what the ids begin with, in the order of SYCL. `arrays` are those of the host of which it has copies.
    """

    name: str
    function: tree.Lambda
    span: Span
    global_sizes: tuple[int, ...] = (1,)
    local_sizes: tuple[int, ...] = (1,)
    begins: tuple[int, ...] = ()
    sub_size: int | None = None
    has_groups: bool = False
    waits: list[Node] = field(default_factory=list)
    is_task: bool = False
    accesses: dict[Stretch, bool] = field(default_factory=dict)
    given_up: dict[str, GivenUp] = field(default_factory=dict)
    outer: dict[str, Entity] = field(default_factory=dict)
    reductions: list[Reduction] = field(default_factory=list)
    first: list[Statement] = field(default_factory=list)
    arrays: dict[str, Reference] = field(default_factory=dict)


class Kernels:
    """Makes kernels; `units` are those that it has made, and `names` are given to kernels without one."""

    def __init__(self, memory: dict[str, Object], functions: Functions, complaints: Complaints) -> None:
        self._memory: Final = memory
        self._functions: Final = functions
        self._complaints: Final = complaints
        self._unnamed: int = 0
        # Where the kernels with names are launched, and how often.
        self._named: dict[str, tuple[Span, int]] = {}
        self.units: list[ast.Kernel] = []
        # Memory that the program does not name.
        self.partials: list[ast.InitialValue] = []

    def draft(self, node: tree.MemberCall, outer: dict[str, Entity], context: Context) -> KernelDraft:
        """What `q.parallel_for(…)` or `q.single_task(…)` launches."""
        *arguments, function = node.arguments or (None,)
        held = outer.get(function.text) if isinstance(function, ast.Name) else None
        if isinstance(held, Opaque) and held.class_ == LAMBDA:
            function = held.node
        if isinstance(held, Broken):
            raise UnresolvedError
        function = function_objects.lambda_of(function, outer, context) or function
        if not isinstance(function, tree.Lambda):
            message = f"'{node.name.text}' takes a lambda last, '[=](nd_item<1> it) {{ … }}'"
            self._complaints.fail("E210", node.name.span, message)
        is_task = node.name.text == HOST_TASK
        if is_task:
            outer = known(function, outer, self._memory)
            check_references(function, outer, self._complaints)
        else:
            self._check_capture(function)
        function = with_lambdas(function, outer, self._complaints)
        draft = KernelDraft(self._name(node), function, _head(node, function), outer=dict(outer), is_task=is_task)
        if node.name.text == "parallel_for":
            self._read_sizes(arguments, node, draft, context)
        else:
            self._read_events(arguments, draft, context)
        if not draft.has_groups:
            self._check_local(draft)
        self._read_attributes(draft, context)
        return draft

    def _check_capture(self, function: tree.Lambda) -> None:
        if not _BY_VALUE.fullmatch(function.capture):
            start = function.span.start
            span = Span(function.span.source, start, start + len(function.capture))
            found = function.capture.replace(" ", "")
            message = f"a kernel captures by value, '[=]', found '{found}': it may run when what it refers to is gone"
            self._complaints.fail("E211", span, message)

    def _name(self, node: tree.MemberCall) -> str:
        match node.templates:
            case (tree.NamedClass(_, name),) | (ast.Name() as name,):
                return self._apart_in_loops(plain(name.text), node)
            case (ast.TypeName(base=base),) if base.startswith("struct "):
                return self._apart_in_loops(base.removeprefix("struct "), node)
            case _:
                self._unnamed += 1
                return f"K{self._unnamed - 1}"

    def _apart_in_loops(self, name: str, node: tree.MemberCall) -> str:
        """The name of a kernel; of one in a loop of commands, with which time it is behind the first."""
        place, times = self._named.get(name, (node.span, 0))
        if place != node.span:
            return name
        self._named[name] = place, times + 1
        return f"{name}#{times + 1}" if times else name

    def _read_sizes(self, arguments: list[Node], node: tree.MemberCall, draft: KernelDraft, context: Context) -> None:
        """The range, and the events that some forms take behind it."""
        if not arguments:
            message = "'parallel_for' takes a range first, 'nd_range<1>(4, 2)' or 'range<1>(4)'"
            self._complaints.fail("E210", node.name.span, message)
        written, *events = arguments
        if events and _is_offset(events[0], draft.outer):
            offset, *events = events
            draft.begins = tuple(reversed(self._sizes(offset, draft, context, least=0)))
        self._read_events(events, draft, context)
        class_, parts = parts_of_range(written, draft.outer)
        draft.has_groups = class_ == "nd_range"
        if draft.has_groups:
            if len(parts) not in {2, 3}:
                message = f"an nd_range has a global and a local range, found {counted(len(parts))}"
                self._complaints.fail("E212", written.span, message)
            draft.global_sizes = self._sizes(parts[0], draft, context, least=0)
            draft.local_sizes = self._sizes(parts[1], draft, context)
            draft.begins = tuple(reversed(self._sizes(parts[2], draft, context, least=0))) if len(parts) == 3 else ()
        else:
            draft.global_sizes = self._sizes(written, draft, context, least=0)
            draft.local_sizes = (1,) * len(draft.global_sizes)
        self._check_sizes(written, draft)
        if 0 in draft.global_sizes:
            _make_empty(draft)

    def _check_local(self, draft: KernelDraft) -> None:
        """Kernels without work-groups have no local memory: submitting one throws (SYCL 2020, 4.7.6.11)."""
        body = draft.function.body
        declared = {one.name.text for one in walk([body]) if isinstance(one, ast.Declarator | tree.ObjectDeclarator)}
        for node in walk([body]):
            if not isinstance(node, ast.Name) or node.text in declared:
                continue
            entity, item = draft.outer.get(node.text), self._memory.get(node.text)
            is_of_test = entity is None and item is not None and item.kind == "local_accessor"
            if is_of_test or (isinstance(entity, Accessor) and entity.is_local):
                message = (
                    f"'{node.text}' is local memory, which a kernel without an nd_range does not have: an exception is "
                    "thrown (errc::kernel_argument); 'nd_range<1>(n, m)' has work-groups"
                )
                self._complaints.fail("E210", node.span, message)

    def _read_events(self, arguments: list[Node], draft: KernelDraft, context: Context) -> None:
        """The events and the reductions behind a range."""
        for argument in arguments:
            if is_reduction(argument, draft.outer):
                found = read(argument, draft.outer, draft.name, context)
                draft.reductions.append(found)
                if found.is_of_buffer:
                    draft.accesses[whole(found.location, self._memory)] = False
                continue
            draft.waits += argument.items if isinstance(argument, ast.InitializerList) else (argument,)

    def _check_sizes(self, node: Node, draft: KernelDraft) -> None:
        """The work-groups are whole in each dimension."""
        one, other = draft.global_sizes, draft.local_sizes
        if draft.begins and len(draft.begins) != len(one):
            message = f"the range has {len(one)} dimensions, but its offset has {len(draft.begins)}"
            self._complaints.fail("E212", node.span, message)
        draft.begins = draft.begins if any(draft.begins) else ()
        if len(one) != len(other):
            message = f"the global range has {len(one)} dimensions, but the local one has {len(other)}"
            self._complaints.fail("E212", node.span, message)
        for all_, part in zip(one, other, strict=True):
            if all_ % part:
                message = f"{all_} work-items do not make whole work-groups of {part}"
                self._complaints.fail("E212", node.span, message)

    def _sizes(self, node: Node, draft: KernelDraft, context: Context, least: int = 1) -> tuple[int, ...]:
        """The sizes that a range has, in the order of OpenCL."""
        class_, parts = parts_of_range(node, draft.outer)
        if class_ == "nd_range" or not 1 <= len(parts) <= 3:
            message = f"expected a range of 1 to 3 dimensions, 'range<1>(4)', found '{node.span.text}'"
            self._complaints.fail("E212", node.span, message)
        return tuple(self._size(part, context, least) for part in reversed(parts))

    def _size(self, node: Node, context: Context, least: int = 1) -> int:
        size = constant(node, context)
        if size is None or size < least:
            wanted = "a constant size" if size is None else f"a size of {least} or more"
            message = f"expected {wanted}, found '{node.span.text}'"
            self._complaints.fail("E212", node.span, message)
        return size

    def _read_attributes(self, draft: KernelDraft, context: Context) -> None:
        for attribute in draft.function.attributes:
            match attribute:
                case ast.Call(ast.Name(text), (size,)) if text.rpartition("::")[2] == _SUB_GROUP_SIZE:
                    draft.sub_size = self._size(size, context)
                case ast.Call(ast.Name(text), sizes) if text.rpartition("::")[2] == REQUIRED_SIZE:
                    required = tuple(self._size(size, context) for size in reversed(sizes))
                    self._check_required(attribute, required, draft)
                case ast.Call(ast.Name(text)) if text.rpartition("::")[2] == _HINT:
                    pass
                case _:
                    message = f"'[[sycl::{_SUB_GROUP_SIZE}(N)]]' is the attribute that means something here"
                    self._complaints.warning("W152", attribute.span, f"'{attribute.span.text}' is ignored; {message}")

    def _check_required(self, node: Node, required: tuple[int, ...], draft: KernelDraft) -> None:
        """The work-groups have the size that the kernel requires; without an nd_range they are not seen."""
        if draft.has_groups and draft.local_sizes != required:
            found = " * ".join(map(str, reversed(draft.local_sizes)))
            message = f"the work-groups of this kernel are {found} work-items: an exception is thrown (errc::nd_range)"
            self._complaints.fail("E212", node.span, message)

    # --- the kernel itself --------------------------------------------------------------------------------------------

    def finish(self, draft: KernelDraft) -> ast.Kernel:
        """The kernel; it is one of `units` from now on."""
        function = draft.function
        if copied := function_objects.copies(function.body, draft.outer):
            block = replace(function.body, statements=(*copied, *function.body.statements))
            function = replace(function, body=block)
        entities: dict[str, Entity] = {**draft.outer, **self._parameter(draft)}
        aliases = self._aliases(entities, function.body)
        private = dict(private_objects(self._memory, function.body))
        entities |= {name: Variable(item.type) for name, item in private.items()}
        memory = {name: item for name, item in self._memory.items() if item.kind != "private"}
        scopes = Scopes(entities)
        if draft.is_task:
            body: Body = TaskBody(scopes, memory, self._functions, self._complaints, function)
        else:
            body = Body(scopes, memory, self._functions, self._complaints, is_host=False)
        reducers, begun = self._reducers(draft, body.context)
        entities |= reducers
        inner = body.block(function.body)
        declared = [*draft.first, *begun, *aliases, *(_private(name, item) for name, item in private.items())]
        captured = tuple(
            ast.Parameter(type_, ast.Name(name, span=draft.span), span=draft.span)
            for name, type_ in body.context.passed.items()
        )
        copies, elements = in_kernel(body.context.arrays, draft.name, ast.Empty(span=draft.span))
        draft.arrays = dict(body.context.arrays)
        inner = _apart(
            inner, {*body.context.used, *body.context.passed, *(name for one in declared for name in _declared(one))}
        )
        kernel = ast.Kernel(
            ast.Name(draft.name, span=draft.span),
            parameters(body.context, self._memory, draft.span),
            replace(inner, statements=(*copies, *declared, *body.context.first, *inner.statements)),
            (*captured, *elements),
            span=function.span,
        )
        self.units.append(kernel)
        return kernel

    def combining(self, reduction: Reduction, count: int) -> ast.Kernel:
        """The kernel that combines the values of the work-items of another one (see `mcm.sycl.reductions`)."""
        context = Body(Scopes({}), self._memory, self._functions, self._complaints, is_host=False).context
        context.used |= dict.fromkeys((reduction.location, reduction.partials))
        span = reduction.span
        name = ast.Name(reduction.partials.replace(":", " into"), span=span)
        self.units.append(
            ast.Kernel(name, parameters(context, self._memory, span), ending(reduction, count), span=span)
        )
        return self.units[-1]

    def _reducers(self, draft: KernelDraft, context: Context) -> tuple[dict[str, Reducer], list[Statement]]:
        """What the parameters behind the first one stand for, and how their values begin."""
        found: dict[str, Reducer] = {}
        written = draft.function.parameters[1:]
        if len(written) != len(draft.reductions):
            message = f"the lambda has {counted(len(written))} for {len(draft.reductions)} reductions"
            self._complaints.fail("E210", draft.span, message)
        for parameter, reduction in zip(written, draft.reductions, strict=True):
            if reduction.partials in self._memory:
                message = "one object cannot be that of two reductions of a kernel"
                self._complaints.fail("E207", reduction.span, message)
            made = partials(reduction, prod(draft.global_sizes))
            self.partials.append(made)
            self._memory[reduction.partials] = Object("malloc_device", reduction.type, made.span, made.length)
            found[parameter.name.text] = reducer(reduction, prod(draft.global_sizes), context)
        return found, [each for one in found.values() for each in beginning(one, context)]

    def _aliases(self, entities: dict[str, Entity], body: Node) -> list[Statement]:
        """Pointers to the objects of accessors whose names mean something else in a body."""
        hiding = {one.name.text for one in walk([body]) if isinstance(one, ast.Declarator | tree.ObjectDeclarator)}
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
                # What a buffer is of may be memory of the host, which any pointer points into.
                words = ("global",) if self._memory[entity.location].kind == "buffer" else ()
                type_ = ast.TypeName((*words, *entity.type.qualifiers), entity.type.base, span=span)
                stars = (*entity.type.pointers, ())
                value = ast.Name(entity.location, span=span)
                declarator = ast.Declarator(ast.Name(name, span=span), stars, None, value, span=span)
                found.append(ast.Declaration(type_, (declarator,), span=span))
        return found

    def _parameter(self, draft: KernelDraft) -> dict[str, Entity]:
        """What the parameter of the lambda stands for."""
        written = draft.function.parameters
        if not written:
            if draft.has_groups:
                self._complaints.error("E210", draft.span, "the lambda of an nd_range takes an nd_item")
            return {}
        parameter, dimensions = written[0], len(draft.global_sizes)
        if isinstance(parameter.type, tree.ClassType):
            self._check_parameter(parameter.type, dimensions, draft)
        return {parameter.name.text: Item(dimensions, draft.has_groups, draft.begins)}

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


def _make_empty(draft: KernelDraft) -> None:
    """A range without work-items: the command is one that does nothing, and others wait for it as ever."""
    draft.global_sizes = draft.local_sizes = (1,) * len(draft.global_sizes)
    draft.function = replace(draft.function, body=replace(draft.function.body, statements=()))


def _is_offset(node: Node, outer: Mapping[str, Entity]) -> bool:
    """Whether an argument behind a range is an id, which those of the work-items begin with."""
    return not isinstance(node, ast.InitializerList) and parts_of_range(node, outer)[0] == "id"


def _head(node: tree.MemberCall, function: tree.Lambda) -> Span:
    """What a report shows of a launch: all before the body of the lambda."""
    source, start = node.span.source, node.span.start
    return Span(source, start, start + len(source.text[start : function.body.span.start].rstrip()))


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
        named = {node.text for node in walk([body]) if isinstance(node, ast.Name)}
        yield from ((name, item) for name, item in private.items() if name in named)


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
