"""Expressions of SYCL code in terms of the C family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.suggest import did_you_mean
from mcm.program.operators import Level
from mcm.program.resolve.complaints import UnresolvedError
from mcm.sycl import (
    accessors,
    arrays,
    asynchronous,
    atomics,
    calls,
    groups,
    members,
    older_atomics,
    pointers,
    points,
    records,
    reductions,
    tree,
    vectors,
)
from mcm.sycl.constants import constant, sizes_of
from mcm.sycl.containers import KIND, VECTOR
from mcm.sycl.context import Context, number, size
from mcm.sycl.entities import (
    Accessor,
    AtomicReference,
    Broken,
    Group,
    Ids,
    Instance,
    Item,
    Members,
    Opaque,
    Overloads,
    Point,
    Reducer,
    Reference,
    Variable,
)
from mcm.sycl.methods import only_value
from mcm.sycl.references import is_place
from mcm.sycl.stable import CONSTANTS
from mcm.sycl.system_memory import is_of_host, warn
from mcm.sycl.types import type_of, written_type
from mcm.sycl.words import EVENT_STATUS, plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Functions, Object
    from mcm.sycl.entities import Entity, Scopes
    from mcm.syntax.ast import Expression, Node, TypeName


class Expressions:
    """Says what the expressions of one body mean; `context` is what they are told by."""

    def __init__(
        self,
        scopes: Scopes,
        memory: Mapping[str, Object],
        functions: Functions,
        complaints: Complaints,
        *,
        is_host: bool,
    ) -> None:
        self.context: Final = Context(
            complaints,
            scopes,
            memory,
            functions,
            is_host,
            self,  # type: ignore[arg-type]  # bodies alone are made
            self.value,
            self.place,
            self.entity,
        )
        self.complaints: Final = complaints
        self.scopes: Final = scopes

    def declare(self, name: ast.Name, entity: Entity) -> None:
        """Give a name a meaning."""
        if (alias := self.scopes.renamed_by(name.text)) is not None:
            message = f"'{name.text}' hides what '{alias}' refers to: give it another name"
            self.complaints.fail("E207", name.span, message)
        self.scopes.declare(name.text, entity)

    def effect(self, node: Node) -> Expression:
        """An expression that stands as a statement."""
        match node:
            case ast.Call(ast.Name(text)) if plain(text) in groups.BARRIERS:
                return (
                    groups.barrier(node, self.context)
                    if plain(text) == "group_barrier"
                    else groups.fence(node, self.context)
                )
            case tree.MemberCall(base, _, ast.Name("barrier")) if self.entity(base) is not None:
                entity = self.entity(base)
                if isinstance(entity, Group) and entity.level is Level.SUB_GROUP and not node.arguments:
                    # As it was called before SYCL 2020.
                    return groups.barrier(ast.Call(node.name, (base,), span=node.span), self.context)
                if not isinstance(entity, Item) or not entity.has_groups:
                    message = "'barrier' is a member of nd_item: work-items of this kernel are in no group"
                    self.complaints.fail("E206", node.span, message)
                return groups.old_barrier(node, self.context)
            case _:
                found = self.value(node)
                # In C++, unlike in C, an object whose value is discarded is not read.
                is_object = isinstance(found, ast.Prefix) and found.operator == "*" and self.returns_object(node)
                return found.operand if is_object and isinstance(found, ast.Prefix) else found

    def type_of_call(self, node: Node) -> TypeName | None:
        """The type of what a function of a class, or an operator of the file, returns; None for anything else."""
        found = members.meant(node, self.context)
        return None if found is None else members.type_of_call(found, self.context)

    def returns_object(self, node: Node) -> bool | None:
        """Whether a call of a function returns a reference; None for what calls none."""
        if isinstance(node, ast.Call) and (callee := self.context.functions.get(plain(node.function.text))) is not None:
            return callee.is_reference and self.scopes.find(node.function.text) is None
        found = members.meant(node, self.context)
        return None if found is None else found.target is not None

    def value(self, node: Node) -> Expression:
        """What the value of an expression is."""
        if (found := members.meant(node, self.context)) is not None:
            return members.called(found, node, self.context)
        match node:
            case ast.NumberLiteral():
                return node
            case ast.Name():
                return self._name(node)
            case ast.Prefix("&", operand):
                return replace(node, operand=self.place(operand))
            case ast.Prefix("++" | "--", operand) | ast.Postfix(_, operand):
                entity = self.entity(operand)
                if isinstance(entity, AtomicReference):
                    return atomics.stepped(entity, node, self.context)
                if isinstance(entity, Reducer):
                    return reductions.stepped(entity, node, self.context)
                accessors.check_written(operand, self.context)
                accessors.check_read(operand, self.context)
                return replace(node, operand=self.place(operand))
            case ast.Prefix("*", operand) if isinstance(self.entity(operand), Accessor):
                message = f"'{operand.span.text}' is an accessor: name an element, '{operand.span.text}[0]'"
                return self.complaints.fail("E120", node.span, message)
            case ast.Prefix(_, operand):
                return replace(node, operand=self.value(operand))
            case ast.Infix():
                return self._infix(node)
            case ast.Assignment(_, target, ast.InitializerList() as listed):
                return self.value(replace(node, value=records.listed(listed, target, self.context)))
            case ast.Assignment(operator, target, assigned):
                self._check_whole(target, node)
                entity = self.entity(target)
                if isinstance(entity, AtomicReference):
                    return atomics.assigned(entity, node, self.context)
                if isinstance(entity, Reducer):
                    return reductions.assigned(entity, node, self.context)
                accessors.check_written(target, self.context)
                if operator != "=":
                    accessors.check_read(target, self.context)
                vectors.check_components(assigned, type_of(target, self.context), self.context)
                return replace(node, target=self._assignable(target), value=self.value(assigned))
            case ast.Conditional(condition, then, otherwise):
                parts = [self.value(part) for part in (condition, then, otherwise)]
                return replace(node, condition=parts[0], then=parts[1], otherwise=parts[2])
            case ast.Index():
                accessors.check_read(node, self.context)
                return points.indexed(node, self.context)
            case ast.Cast(type_name, operand):
                return replace(node, type=written_type(type_name), operand=self.value(operand))
            case _:
                return self._of_object(node)

    def _of_object(self, node: Node) -> Expression:
        """A call, a member, the size or the construction of an object."""
        match node:
            case ast.Call():
                return calls.call(node, self.context)
            case tree.MemberCall():
                accessors.check_read(node, self.context)
                return self.member(node)
            case ast.SizeOf(ast.TypeName() as type_name, lengths):
                return replace(node, operand=written_type(type_name), lengths=tuple(map(self.value, lengths)))
            case ast.SizeOf(operand):
                return replace(node, operand=self.place(operand))
            case ast.Member(base, _, name) if isinstance(instance := self.entity(base), Instance):
                return self.value(self._part(instance, name))
            case ast.Member():
                accessors.check_read(node, self.context)
                return records.member(node, self.context)
            case tree.Construction():
                return calls.construction(node, self.context)
            case _:
                message = f"'{node.span.text}' is not part of the litmus language here"
                return self.complaints.fail("E207", node.span, message)

    def place(self, node: Node) -> Expression:
        """What an expression names that can be assigned or referred to."""
        if (found := members.meant(node, self.context)) is not None:
            return members.called(found, node, self.context)
        match node:
            case ast.Member(base, _, name) if isinstance(instance := self.entity(base), Instance):
                return self.place(self._part(instance, name))
            case ast.Name():
                entity = self.scopes.find(node.text)
                if isinstance(entity, Accessor) and entity.is_single:
                    return accessors.single(entity, node, self.context)
                return node if isinstance(entity, Variable) and not entity.is_passed else self._name(node)
            case ast.Prefix("*", operand) if not isinstance(self.entity(operand), Accessor):
                return replace(node, operand=self.value(operand))
            case ast.Index():
                return points.indexed(node, self.context)
            case ast.Member():
                return records.member(node, self.context)
            case tree.MemberCall():
                return self.member(node)
            case ast.Conditional(condition, one, other) if is_place(node, self.context):
                addresses = (self._address(each) for each in (one, other))
                chosen = ast.Conditional(self.value(condition), *addresses, span=node.span)
                return ast.Prefix("*", chosen, span=node.span)
            case _:
                return self.value(node)

    def _address(self, node: Node) -> Expression:
        """The address of a place."""
        found = self.place(node)
        if isinstance(found, ast.Prefix) and found.operator == "*":
            return found.operand
        return ast.Prefix("&", found, span=node.span)

    def _part(self, instance: Instance, name: ast.Name) -> ast.Name:
        """The name of a member of an object that is apart."""
        if name.text in instance.class_.constants:
            return replace(name, text=f"{instance.class_.name}::{name.text}")
        known = [one.name for one in instance.class_.data]
        if name.text not in known:
            listed = ", ".join(f"'{one}'" for one in known) or "none"
            message = f"'{instance.class_.name}' has no member '{name.text}'; it has {listed}"
            self.complaints.fail("E183", name.span, message)
        return replace(name, text=f"{instance.path}#{name.text}")

    def _assignable(self, node: Node) -> Expression:
        """What is assigned, which is an object."""
        found = self.place(node)
        if isinstance(found, ast.Name | ast.Index | ast.Member) or (
            isinstance(found, ast.Prefix) and found.operator == "*"
        ):
            return found
        message = f"cannot assign to '{node.span.text}'; expected a variable, '*pointer' or 'array[index]'"
        return self.complaints.fail("E048", node.span, message)

    def _name(self, node: ast.Name) -> Expression:
        text = plain(node.text)
        match self.scopes.find(text):
            case Variable(type_, constant=constant, is_passed=is_passed, leads_into=leads_into):
                if is_passed and type_ is not None:
                    if leads_into and text not in self.context.passed:
                        self.tell_of_host(leads_into, node)
                    self.context.passed[text] = type_
                return node if constant is None else replace(constant, span=node.span)
            case AtomicReference() as entity:
                return atomics.load(entity, node, self.context)
            case Reference(target) as entity:
                if entity.is_passed:
                    self.context.arrays[text] = entity
                return replace(target, span=node.span)
            case Accessor(is_single=True) as entity:
                return accessors.single(entity, node, self.context)
            case Accessor():
                message = f"'{text}' is an accessor: name an element, '{text}[0]'"
                return self.complaints.fail("E120", node.span, message)
            case Opaque(class_):
                told = f"'{text}' is a {class_}{'' if ':' in class_ else ', expected a value'}"
                return self.complaints.fail("E119", node.span, told)
            case Broken():
                raise UnresolvedError
            case None:
                return self._free(text, node)
            case Instance(class_):
                message = f"'{text}' is an object of '{class_.name}', of which a member is a value"
                return self.complaints.fail("E119", node.span, message)
            case Overloads():
                return self.complaints.fail("E119", node.span, f"'{text}' is a function: call it, '{text}()'")
            case Point() as entity:
                return points.as_number(entity, node, self.context)
            case entity:
                return groups.as_number(entity, node, self.context)

    def _free(self, text: str, node: ast.Name) -> Expression:
        """A name that the body does not declare: a captured pointer, or a constant."""
        if text in self.context.memory:
            self.check_capture(text, node)
            if text not in self.context.used and not self.context.is_host and is_of_host(text, self.context):
                self.tell_of_host(text, node)
            self.context.used[text] = None
            return node
        if text in CONSTANTS:
            return replace(node, text="NULL" if text == "nullptr" else text)
        if text in EVENT_STATUS:
            return replace(node, text=EVENT_STATUS[text])
        # Imported here: its patterns take as long as a small test, and only wrong input needs them.
        from mcm.sycl.foreign import foreign_name  # noqa: PLC0415

        if (told := foreign_name(node.text)) is not None:
            return self.complaints.fail("E207", node.span, told)
        hint = did_you_mean(text, [*self.scopes.names(), *self.context.memory, *self.context.functions])
        return self.complaints.fail("E101", node.span, f"unknown name '{node.text}'{hint}")

    def check_capture(self, text: str, node: ast.Name) -> None:
        """Refuse memory that a kernel, or the host, cannot use by its name."""
        kind = self.context.memory[text].kind
        if kind == "buffer":
            how = f"'accessor a(b, h, read_write);' in the command group, with '{text}' for b"
            if self.context.is_host:
                how = f"'host_accessor a({text});'"
            message = f"'{text}' is a buffer, which is accessed through an accessor: {how}"
            self.complaints.fail("E208", node.span, message)
        if kind in {KIND, VECTOR} and not self.context.is_host:
            message = (
                f"'{text}' is an object of the host, of which a kernel has no more than a copy: a buffer, or USM, is"
            )
            self.complaints.fail("E207", node.span, message)
        if self.context.is_host and kind in {"malloc_device", "local_accessor", "private"}:
            message = f"the host cannot access '{text}', which is {kind} memory"
            self.complaints.fail("E209", node.span, message)

    def tell_of_host(self, name: str, node: ast.Name) -> None:
        """Tell of an address of memory of the host in a kernel; a host task may use it."""
        warn(name, node, self.context)

    def _infix(self, node: ast.Infix) -> Expression:
        """A chain of operators, of which each may be the left operand of the next one."""
        if (same := points.compared(node, self.context)) is not None:
            return same
        chain = [node]
        while isinstance(left := chain[-1].left, ast.Infix) and not self._is_of_objects(left):
            chain.append(left)
        found = self.value(chain[-1].left)
        for one in reversed(chain):
            self._check_compared(one)
            right = self.effect(one.right) if one.operator == "," else self.value(one.right)
            found = replace(one, left=found, right=right)
        return found

    def _is_of_objects(self, node: ast.Infix) -> bool:
        """Whether an operator means something else than one of numbers."""
        return members.meant(node, self.context) is not None or points.compared(node, self.context) is not None

    def _check_compared(self, node: ast.Infix) -> None:
        """Containers are compared by their elements."""
        for operand in (node.left, node.right):
            self._check_whole(operand, node)

    def _check_whole(self, operand: Node, node: Node) -> None:
        """A container is what it has as elements, and no address."""
        item = self.context.memory.get(operand.text) if isinstance(operand, ast.Name) else None
        if item is not None and item.kind == VECTOR and self.entity(operand) is None:
            message = (
                f"'{node.span.text}' is about a whole container: 'w = v;', '==' and '!=' between two that have names, "
                "where nothing before them in the statement decides whether they are compared, are"
            )
            self.complaints.fail("E207", node.span, message)

    def member(self, node: tree.MemberCall) -> Expression:
        """A call of a member."""
        if (component := vectors.member(node, self.context)) is not None:
            return component
        if (element := arrays.member(node, self.context)) is not None:
            return element
        if (copied := asynchronous.member(node, self.context)) is not None:
            return copied
        match self.entity(node.base):
            case AtomicReference() as entity:
                return atomics.member(entity, node, self.context)
            case Point() as entity if node.name.text == "get" and len(node.arguments) == 1:
                return points.component(entity, node.arguments[0], node, self.context)
            case Opaque("range") if (found := points.of_range(node, self.context)) is not None:
                return found
            case (Item() | Group() | Ids()) as entity:
                return groups.member(entity, node, self.context)
            case Accessor() as entity:
                return pointers.of_accessor(entity, node, self.context)
            case Reducer() as entity:
                return reductions.member(entity, node, self.context)
            case Variable(type_name) if type_name is not None and type_name.pointers:
                return pointers.of_variable(node, self.context)
            case Broken():
                raise UnresolvedError
            case _ if (accessor := pointers.captured_local(node.base, self.context)) is not None:
                return pointers.of_accessor(accessor, node, self.context)
            case Opaque("buffer") if (count := constant(node, self.context)) is not None:
                return size(count, node)
            case _ if (older := older_atomics.member(node, self.context)) is not None:
                return older
            case _:
                text = node.base.span.text
                message = f"'{text}' has no members that are part of the litmus language, found '{node.name.text}'"
                return self.complaints.fail("E203", node.span, message)

    def entity(self, node: Node) -> Entity | None:
        """The object that an expression stands for; None where it is a value."""
        match node:
            case ast.Name(text):
                return self.scopes.find(plain(text))
            case ast.Prefix("*", ast.Name("this")):
                found = self.scopes.find("this")
                return found if isinstance(found, Instance) else None
            case ast.Index(base, index) if isinstance(reducer := self.entity(base), Reducer):
                return reductions.element(reducer, index, self.context)
            case ast.Member(base, _, ast.Name(text)):
                instance = self.entity(base)
                return self.scopes.find(f"{instance.path}#{text}") if isinstance(instance, Instance) else None
            case tree.MemberCall(ast.Name(text), ".", ast.Name("get_range"), None, ()) if sizes := sizes_of(
                text, self.context
            ):
                return Point(tuple(number(size, node) for size in sizes))
            case tree.MemberCall(base, ".", ast.Name("get_offset"), None, ()) if isinstance(
                accessor := self.entity(base), Accessor
            ):
                begins = accessor.begins or (0,) * len(accessor.sizes)
                return Point(tuple(number(begin, node) for begin in begins))
            case tree.MemberCall() | ast.Call() if (entity := self._returned(node)) is not None:
                return entity
            case tree.MemberCall(base):
                entity = self.entity(base)
                return groups.entity_of(entity, node) if isinstance(entity, Item | Group | Ids) else None
            case tree.Construction(class_, _, arguments) if atomics.is_atomic_class(class_):
                return atomics.reference(class_, arguments, node, self.context)
            case tree.Construction(tree.ClassType(name), _, ()) if name.startswith("struct"):
                # An object without members is the same as any other.
                made = self.scopes.find(" ".join(name.split()))
                is_empty = isinstance(made, Members) and made.is_apart and not made.data
                return Instance(made, f"{made.name}#") if isinstance(made, Members) and is_empty else None
            case tree.Construction() | ast.Call() | ast.Infix():
                return points.point(node, self.context)
            case _:
                return None

    def _returned(self, node: tree.MemberCall | ast.Call) -> Entity | None:
        """What the name stands for that a function of a class returns, and nothing else."""
        found = members.meant(node, self.context)
        if found is None or not found.is_named:
            return None
        if only_value(found.function) is None:
            message = f"'{found.function.name.text}' returns what has no value: 'return …;' alone is supported"
            self.complaints.fail("E207", found.function.span, message)
        return members.inlined(found, node, self.context, self.entity)
