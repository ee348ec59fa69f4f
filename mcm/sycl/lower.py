"""A SYCL test in terms of the C family: threads, kernels and their launches, calls of the host API.

Every node keeps the place in the text that it is about. What only SYCL refuses is told here; everything else is told by
the resolution of what comes out.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import InputError
from mcm.base.source import Span
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.types import Region
from mcm.sycl import tree
from mcm.sycl.body import Body
from mcm.sycl.build_classes import REFERENCE
from mcm.sycl.calls import own_name
from mcm.sycl.changes import changing
from mcm.sycl.classes import structure
from mcm.sycl.closures import entity_of
from mcm.sycl.command_groups import CommandGroup
from mcm.sycl.containers import KIND, VECTOR
from mcm.sycl.context import Callee, Functions, Object
from mcm.sycl.entities import Accessor, Broken, Item, Opaque, Passed, Reference, Scopes, Variable
from mcm.sycl.host_memory import made_by_hosts
from mcm.sycl.hosts import HostBody
from mcm.sycl.kernels import LAUNCHES, Kernels, parameters, private_objects
from mcm.sycl.methods import declared_in, referred, stands_for_name
from mcm.sycl.overloads import default_of
from mcm.sycl.pointers import is_pointer_class, pointer_class
from mcm.sycl.types import named, pointer_to, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.base.diagnostic import Diagnostic
    from mcm.sycl.entities import Entity
    from mcm.sycl.kernels import KernelDraft
    from mcm.syntax.ast import InitialItem, Node, Unit

_DEFAULT_KIND: Final = "malloc_shared"
# The allocation kinds of memory that the host may share, and how far atomic operations on it reach.
_ALLOCATIONS: Final = {
    "malloc_shared": "fine_svm_atomics",
    "malloc_host": "fine_svm_atomics",
    "malloc_device": "coarse_svm",
    "system": "system_svm_atomics",
    KIND: "system_svm_atomics",
    VECTOR: "system_svm_atomics",
    "buffer": "buffer",
}


def lowered(test: ast.Litmus, *, is_program: bool = False) -> tuple[ast.Litmus, tuple[Diagnostic, ...]]:
    """The test in terms of the C family, and warnings; InputError with all that is wrong.

    The host of one that `is_program` is the function `main`, behind which nothing is.
    """
    complaints = Complaints()
    found = _Lowering(test, complaints, is_program=is_program).result()
    if complaints.has_errors:
        raise InputError(*complaints.diagnostics)
    return found, complaints.diagnostics


class _Lowering:
    """Goes through the units of a test."""

    def __init__(self, test: ast.Litmus, complaints: Complaints, *, is_program: bool) -> None:
        self._test: Final = test
        self._is_program: Final = is_program
        self._complaints: Final = complaints
        made = made_by_hosts(test.units, complaints)
        self._made: Final = tuple(made)
        items = (*(item for item in test.initial if isinstance(item, ast.InitialValue)), *made)
        self._memory: Final = {item.name.text: _object(item) for item in items}
        self._functions: Final = _functions(test)
        self._kernels: Final = Kernels(self._memory, self._functions, complaints)
        # What stands outside units: constants, which all units know.
        self._outside: Final[dict[str, Entity]] = self._functions.outside
        self._launches: list[ast.Launch] = []
        self._queues: list[ast.QueueObject | ast.UserEventObject] = []
        self._next = 1 + max((unit.number for unit in test.units if isinstance(unit, ast.Thread)), default=-1)

    def result(self) -> ast.Litmus:
        """The test."""
        units: list[Unit] = []
        for unit in self._test.units:
            with suppress(UnresolvedError):
                units += self._unit(unit)
        written = (*self._test.initial, *self._made, *self._kernels.partials)
        initial = tuple(found for item in written for found in _initial(item))
        queues = {queue.name.text: queue for queue in self._queues}
        return replace(
            self._test,
            initial=(*initial, *queues.values()),
            units=(*units, *self._functions.made, *self._kernels.units, *self._launches),
        )

    def _unit(self, unit: Node) -> list[Unit]:
        match unit:
            case ast.Thread():
                return [self._thread(unit)]
            case ast.Function():
                return self._function(unit)
            case tree.Command(tree.MemberCall(ast.Name(), ".", ast.Name("wait" | "wait_and_throw"), None, ())):
                self._check_last(unit)
                return []
            case tree.Command(expression):
                self._command(self._waited(expression, unit))
                return []
            case tree.ObjectDeclaration(_, class_, declarators):
                if plain(class_.name) != "queue" or any(one.form for one in declarators):
                    message = f"'{unit.span.text}' stands in a host program, 'host {{ … }}', not here"
                    self._complaints.fail("E213", unit.span, message)
                # Kernels outside a host program all run from the beginning, as in a queue that orders nothing.
                return []
            case tree.Host():
                return [self._host(unit)]
            case ast.FileVariables(_, declaration):
                self._declare(declaration)
                return []
            case _:
                assert isinstance(unit, ast.Structure)
                return self._structure(unit)

    def _structure(self, unit: ast.Structure) -> list[Unit]:
        """A class of the file; its functions are made where they are called."""
        body = Body(Scopes(dict(self._outside)), {}, self._functions, self._complaints, is_host=False)
        found, class_ = structure(unit, body.context)
        self._outside[f"struct {unit.name.text}"] = class_
        if found is not None:
            self._functions.structures[f"struct {unit.name.text}"] = found
        self._functions.declared |= declared_in(unit)
        self._functions.has_classes |= isinstance(unit, tree.ClassDefinition)
        self._functions.of_classes |= set(class_.functions)
        return [] if found is None else [found]

    def _declare(self, node: ast.Declaration) -> None:
        """Note constants, which stand outside units."""
        body = Body(Scopes(self._outside), {}, self._functions, self._complaints, is_host=False)
        body.statement(node)
        for one in node.declarators:
            entity = self._outside.get(one.name.text)
            if not isinstance(entity, Variable) or entity.constant is None:
                message = (
                    f"'{one.name.text}' is no constant with a number for its value, 'constexpr int n = 4;': variables "
                    "stand in the initial state, or in units"
                )
                self._complaints.error("E207", one.span, message)
                self._outside[one.name.text] = Broken()

    # --- threads and functions ----------------------------------------------------------------------------------------

    def _thread(self, unit: ast.Thread) -> ast.Thread:
        is_host = unit.is_host
        entities = dict(self._outside) if is_host else {**self._outside, "it": Item(1, has_groups=True)}
        private = dict(private_objects(self._memory, unit.body))
        entities |= {name: Variable(item.type) for name, item in private.items()}
        written = tuple(self._parameter(one, entities, is_host=is_host) for one in unit.parameters)
        if is_host:
            known = {name: item for name, item in self._memory.items() if name not in entities}
            host = HostBody(
                Scopes(self._host_objects() | entities), known, self._functions, self._complaints, self._kernels
            )
            host.context.given = {
                one.name.text: self._memory[one.name.text] for one in written if one.name.text in self._memory
            }
            block = host.block(unit.body)
            block = replace(block, statements=(*host.context.first, *block.statements))
            self._queues += [*host.queues, *host.user_events]
            captured = parameters(host.context, known, unit.span)
            return replace(unit, parameters=(*written, *captured), body=block)
        body = Body(Scopes(entities), {}, self._functions, self._complaints, is_host=False)
        return replace(unit, parameters=written, body=body.block(unit.body))

    def _host_objects(self) -> dict[str, Entity]:
        """The queues of the initial state, and constants."""
        return {
            item.name.text: Opaque("queue", item.name.text)
            for item in self._test.initial
            if isinstance(item, ast.QueueObject)
        } | self._outside

    def _host(self, unit: tree.Host) -> ast.Thread:
        """The host program: a thread of the host, which knows all memory."""
        body = HostBody(Scopes(self._host_objects()), self._memory, self._functions, self._complaints, self._kernels)
        block = body.block(unit.body)
        if self._is_program and not self._complaints.has_errors:
            body.tell_of_end()
        block = replace(block, statements=(*body.context.first, *block.statements))
        self._queues += [*body.queues, *body.user_events]
        placement = (ast.PlacementPart("host", span=unit.span),)
        head = Span(unit.span.source, unit.span.start, unit.body.span.start)
        self._next += 1
        captured = parameters(body.context, self._memory, head)
        return ast.Thread(self._next - 1, placement, captured, block, span=unit.span)

    def _parameter(self, node: Node, entities: dict[str, Entity], *, is_host: bool) -> ast.Parameter:
        """A parameter of a thread: a pointer to memory of the initial state, or an accessor."""
        if isinstance(node, tree.ObjectParameter):
            return self._object_parameter(node, entities)
        assert isinstance(node, ast.Parameter)
        type_ = written_type(node.type)
        if node.length is not None:
            type_ = pointer_to(type_)
        name = node.name.text
        item = self._memory.get(name)
        space = "local" if item is not None and item.kind == "local_accessor" else "generic"
        region = Region.LOCAL if space == "local" else Region.GLOBAL
        entities[name] = Variable(type_, is_fixed=True, region=region)
        if is_host:
            return replace(node, type=type_, length=None)
        return replace(node, type=replace(type_, qualifiers=(space, *type_.qualifiers)), length=None)

    def _object_parameter(self, node: tree.ObjectParameter, entities: dict[str, Entity]) -> ast.Parameter:
        class_, name = node.type, node.name
        templates = class_.arguments or ()
        if (
            plain(class_.name) in {"accessor", "local_accessor"}
            and templates
            and isinstance(templates[0], ast.TypeName)
        ):
            is_local = plain(class_.name) == "local_accessor"
            type_ = written_type(templates[0])
            entities[name.text] = Accessor(name.text, type_, is_local=is_local)
            space = "local" if is_local else "global"
        elif is_pointer_class(class_):
            with suppress(UnresolvedError):
                body = Body(Scopes({}), {}, Functions(), self._complaints, is_host=False)
                found = pointer_class(class_, body.context)
                entities[name.text] = Variable(found.type, is_fixed=True, region=found.region)
                return ast.Parameter(found.type, name, span=node.span)
            raise UnresolvedError
        else:
            message = f"a parameter of type '{class_.span.text}' is not part of the litmus language here"
            self._complaints.fail("E207", class_.span, message)
        full = ast.TypeName((space, *type_.qualifiers), type_.base, (*type_.pointers, ()), span=class_.span)
        return ast.Parameter(full, name, span=node.span)

    def _function(self, unit: ast.Function) -> list[Unit]:
        """A function: work-items and groups among its parameters are those of whoever calls it."""
        if unit.name.text.startswith("operator") or unit.name.text in self._functions.specialised:
            return []
        if unit.name.text == "main":
            message = "'main' is not part of the litmus language: what it does stands in 'host { … }'"
            self._complaints.fail("E207", unit.name.span, message)
        entities = dict(self._outside)
        kept: list[ast.Parameter] = []
        parameters: tuple[Node, ...] = unit.parameters
        known = Body(Scopes(entities), {}, self._functions, self._complaints, is_host=False).context
        if unit.body is not None and any(stands_for_name(one, known) for one in parameters):
            # What is passed has no value, so that each call has a function of its own.
            self._functions.specialised[unit.name.text] = tree.as_member(unit, unit.span)
            self._functions.declared |= declared_in(unit)
            self._functions.has_classes = True
            return []
        for parameter in parameters:
            if isinstance(parameter, ast.Parameter):
                type_ = written_type(parameter.type)
                entities[parameter.name.text] = Variable(type_)
                kept.append(replace(parameter, type=type_))
            elif isinstance(parameter, tree.ReferenceParameter):
                type_ = written_type(parameter.type)
                name = parameter.name
                entities[name.text] = Reference(ast.Prefix("*", name, span=name.span), type_)
                kept.append(ast.Parameter(pointer_to(type_), name, span=parameter.span))
            elif isinstance(parameter, tree.ObjectParameter) and (entity := _entity_of(parameter)) is not None:
                entities[parameter.name.text] = entity
            elif isinstance(parameter, tree.ObjectParameter) and is_pointer_class(parameter.type):
                kept.append(self._object_parameter(parameter, entities))
            else:
                message = f"a parameter such as '{parameter.span.text}' is not part of the litmus language here"
                self._complaints.fail("E207", parameter.span, message)
        body = Body(Scopes(entities), {}, self._functions, self._complaints, is_host=False)
        callee = self._functions[unit.name.text]
        with body.function(callee.result, is_reference=callee.is_reference):
            inner = None if unit.body is None else body.block(unit.body)
        name = replace(unit.name, text=own_name(unit.name.text))
        type_ = pointer_to(callee.result) if callee.is_reference else callee.result
        return [replace(unit, name=name, type=type_, parameters=tuple(kept), body=inner)]

    # --- kernels that run from the beginning --------------------------------------------------------------------------

    def _waited(self, node: Node, unit: Node) -> Node:
        """A launch without the `wait` behind it: behind the last one, nothing waits for it but the end of the test."""
        match node:
            case tree.MemberCall(tree.MemberCall() as launch, ".", ast.Name("wait" | "wait_and_throw"), None, ()):
                self._check_last(unit)
                return launch
            case _:
                return node

    def _check_last(self, unit: Node) -> None:
        """Refuse to wait where a kernel stands behind."""
        behind = self._test.units[self._test.units.index(unit) + 1 :]
        for other in behind:
            if isinstance(other, tree.Command) and not _is_wait(other.expression):
                message = (
                    "kernels outside a host program run from the beginning, all at the same time: one that others wait "
                    "for stands in one, 'host { queue q; q.parallel_for(…).wait(); … }'"
                )
                self._complaints.fail("E213", unit.span, message)

    def _command(self, node: Node) -> None:
        body = Body(Scopes(dict(self._outside)), self._memory, self._functions, self._complaints, is_host=False)
        draft = self._draft(node, body)
        if draft.waits:
            message = "a kernel outside a host program runs from the beginning, and waits for nothing"
            self._complaints.error("E213", draft.waits[0].span, message)
        if draft.reductions:
            message = (
                "a reduction ends its command, which something waits for: it stands in a host program, "
                "'host { queue q; q.parallel_for(…).wait(); … }'"
            )
            self._complaints.fail("E213", draft.reductions[0].span, message)
        self._kernels.finish(draft)
        parts = [
            ast.LaunchPart("global", draft.global_sizes, span=draft.span),
            ast.LaunchPart("local", draft.local_sizes, span=draft.span),
        ]
        if draft.sub_size is not None:
            parts.append(ast.LaunchPart("sub", (draft.sub_size,), span=draft.span))
        name = ast.Name(draft.name, span=draft.span)
        self._launches.append(ast.Launch(name, tuple(parts), span=draft.span))

    def _draft(self, node: Node, body: Body) -> KernelDraft:
        match node:
            case tree.MemberCall(ast.Name(), _, ast.Name(name)) if name in LAUNCHES:
                return self._kernels.draft(node, dict(self._outside), body.context)
            case tree.MemberCall(ast.Name(), _, ast.Name("submit"), _, (tree.Lambda() as function,)):
                group = CommandGroup(self._kernels, self._complaints, body.context, self._memory)
                group.read(function, dict(self._outside))
                draft = group.draft()
                if draft is not None:
                    return draft
            case _:
                pass
        message = (
            "expected 'q.parallel_for(…);', 'q.single_task(…);' or 'q.submit(…);' with a kernel; other commands stand "
            "in a host program, 'host { … }'"
        )
        return self._complaints.fail("E213", node.span, message)


def _is_wait(node: Node) -> bool:
    """Whether a command is `q.wait()`."""
    return isinstance(node, tree.MemberCall) and isinstance(node.base, ast.Name) and node.name.text.startswith("wait")


def _functions(test: ast.Litmus) -> Functions:
    """What calls of the functions of a file have to know."""
    found = Functions()
    found.changing = changing(test.units)
    for unit in test.units:
        if not isinstance(unit, ast.Function):
            continue
        if unit.name.text.startswith("operator"):
            known = found.operators.get(unit.name.text, ())
            found.operators[unit.name.text] = (*known, tree.as_member(unit, unit.span))
            found.has_classes = True
            found.declared |= declared_in(unit)
            continue
        if unit.type.base == "auto" and unit.body is not None:
            # What it returns is told by its body, which is read where it is called.
            found.specialised[unit.name.text] = tree.as_member(unit, unit.span)
            found.has_classes = True
            found.declared |= declared_in(unit)
            continue
        type_ = written_type(unit.type)
        is_reference = type_.pointers[-1:] == (REFERENCE,)
        result = replace(type_, pointers=type_.pointers[:-1]) if is_reference else type_
        defaults = tuple(map(default_of, unit.parameters))
        ways = tuple(map(_passed, unit.parameters))
        types = referred(tree.as_member(unit, unit.span))
        found[unit.name.text] = Callee(result, ways, is_reference, defaults, types)
    return found


def _passed(parameter: Node) -> Passed:
    """How a parameter of a function is passed."""
    if isinstance(parameter, tree.ReferenceParameter):
        return Passed.ADDRESS_OR_VALUE if "const" in parameter.type.qualifiers else Passed.ADDRESS
    return Passed.VALUE if _entity_of(parameter) is None else Passed.NOT


def _entity_of(parameter: Node) -> Entity | None:
    """What a parameter stands for that is a work-item or a group."""
    return entity_of(parameter.type) if isinstance(parameter, tree.ObjectParameter) else None


# --- the initial state ------------------------------------------------------------------------------------------------


def _object(item: ast.InitialValue) -> Object:
    type_ = written_type(item.type) if item.type is not None else named("int", item.name)
    full = replace(type_, pointers=(*type_.pointers, *[()] * item.pointers))
    return Object(item.allocation or _DEFAULT_KIND, full, item.span, item.length, item.value, item.is_made)


def _initial(item: InitialItem) -> list[InitialItem]:
    """An item as the C family has it; what is private belongs to the bodies."""
    if not isinstance(item, ast.InitialValue):
        return [item]
    kind = item.allocation or _DEFAULT_KIND
    if kind == "private":
        return []
    type_ = written_type(item.type) if item.type is not None else ast.TypeName((), "int", span=item.name.span)
    space = "local" if kind == "local_accessor" else "global"
    # A pointer itself lies there; what it points at may lie anywhere.
    words = ("generic" if item.pointers else space, *type_.qualifiers)
    return [replace(item, type=replace(type_, qualifiers=words), allocation=_ALLOCATIONS.get(kind))]
