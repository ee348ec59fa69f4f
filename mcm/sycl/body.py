"""Bodies: statements and expressions of SYCL code in terms of the C family."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.suggest import did_you_mean
from mcm.program.resolve.complaints import UnresolvedError
from mcm.sycl import (
    accessors,
    atomics,
    calls,
    closures,
    declared,
    groups,
    older_atomics,
    pointers,
    points,
    records,
    reductions,
    references,
    tree,
)
from mcm.sycl.constants import constant
from mcm.sycl.containers import KIND
from mcm.sycl.context import Context, Returned, number
from mcm.sycl.entities import (
    Accessor,
    AtomicReference,
    Broken,
    Closure,
    Group,
    Ids,
    Item,
    Opaque,
    Point,
    Reducer,
    Reference,
    Variable,
)
from mcm.sycl.stable import CONSTANTS, names_object
from mcm.sycl.types import region_pointed_into, type_of, written_type
from mcm.sycl.words import EVENT_STATUS, plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Callee, Object
    from mcm.sycl.entities import Entity, Scopes
    from mcm.syntax.ast import Expression, Node, Statement


class Body:
    """Says what one body means; `context` is what its expressions are told by."""

    def __init__(
        self,
        scopes: Scopes,
        memory: Mapping[str, Object],
        functions: Mapping[str, Callee],
        complaints: Complaints,
        *,
        is_host: bool,
    ) -> None:
        self.context: Final = Context(
            complaints, scopes, memory, functions, is_host, self.value, self.place, self.entity
        )
        self.complaints: Final = complaints
        self.scopes: Final = scopes
        # What the lambda that is being read returns.
        self.returned: list[Returned] | None = None
        # The type of what the function returns, where it is written.
        self.result: ast.TypeName | None = None

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self, node: ast.Block) -> ast.Block:
        """A block, in a scope of its own."""
        self.scopes.open()
        try:
            return replace(node, statements=tuple(self.statements(node.statements)))
        finally:
            self.scopes.close()

    def statements(self, nodes: tuple[Node, ...]) -> list[Statement]:
        """Statements one behind the other; of one with an error, nothing."""
        found: list[Statement] = []
        for node in nodes:
            try:
                found += self.statement(node)
            except UnresolvedError:
                if isinstance(node, ast.Declaration | tree.ObjectDeclaration):
                    self._break(node.declarators)
                elif isinstance(node, tree.ReferenceDeclaration):
                    self.declare(node.name, Broken())
        return found

    def _break(self, declarators: tuple[ast.Declarator | tree.ObjectDeclarator, ...]) -> None:
        """After an error in a declaration: the names that it does not give a meaning to."""
        for one in declarators:
            if not self.scopes.is_in_innermost(one.name.text):
                self.scopes.declare(one.name.text, Broken())

    def inner(self, node: Node) -> Statement:
        """The statement that a branch or a loop consists of."""
        if isinstance(node, ast.Block):
            return self.block(node)
        self.scopes.open()
        try:
            found = self.statements((node,))
        finally:
            self.scopes.close()
        return found[0] if len(found) == 1 else ast.Block(tuple(found), span=node.span)

    def statement(self, node: Node) -> list[Statement]:
        """What a statement is: none, one or several."""
        match node:
            case ast.Declaration(_, (one,)) if (function := closures.function_of(one)) is not None:
                return closures.declare(one.name, function, self)
            case ast.Declaration():
                return self._declaration(node)
            case tree.ObjectDeclaration():
                return [found for one in node.declarators for found in self.declare_object(node, one)]
            case tree.ReferenceDeclaration():
                return references.declare(node, self.context)
            case ast.ExpressionStatement(ast.Cast(ast.TypeName(base="void"), operand)) if self.entity(
                operand
            ) or names_object(operand):
                # In C++, unlike in C, an object whose value is discarded is not read.
                if self.entity(operand) is None:
                    self.place(operand)
                return []
            case ast.ExpressionStatement(expression):
                return [replace(node, expression=self.effect(expression))]
            case ast.Block():
                return [self.block(node)]
            case ast.If(condition, then, otherwise):
                test = self.value(condition)
                other = None if otherwise is None else self.inner(otherwise)
                return [replace(node, condition=test, then=self.inner(then), otherwise=other)]
            case ast.While(condition, repeated) | ast.DoWhile(repeated, condition):
                return [replace(node, condition=self.value(condition), body=self.inner(repeated))]
            case ast.For():
                return [self._for(node)]
            case ast.Switch(condition, body):
                return [replace(node, condition=self.value(condition), body=self.block(body))]
            case ast.Case() | ast.Labelled():
                # What is declared there is known behind it.
                first, *others = self.statements((node.statement,)) or [ast.Empty(span=node.span)]
                if isinstance(node, ast.Case) and node.value is not None:
                    node = replace(node, value=self.value(node.value))
                return [replace(node, statement=first), *others]
            case ast.Return(returned) if listed := records.returned_list(returned, self.result, self.context):
                return [replace(node, value=listed)]
            case ast.Return(returned):
                if self.returned is not None:
                    known = None if returned is None else type_of(returned, self.context)
                    self.returned.append(Returned(returned, known))
                return [replace(node, value=None if returned is None else self.value(returned))]
            case _:
                assert isinstance(node, ast.Empty | ast.Break | ast.Continue)
                return [node]

    def _for(self, node: ast.For) -> Statement:
        self.scopes.open()
        try:
            initial = [] if node.initial is None else self.statement(node.initial)
            first = initial[0] if initial else None
            if len(initial) > 1 or not isinstance(first, ast.Declaration | ast.ExpressionStatement | None):
                message = "a loop that begins so is not part of the litmus language: put the statement before the loop"
                self.complaints.fail("E207", node.span, message)
            return replace(
                node,
                initial=first,
                condition=None if node.condition is None else self.value(node.condition),
                step=None if node.step is None else self.effect(node.step),
                body=self.inner(node.body),
            )
        finally:
            self.scopes.close()

    # --- declarations -------------------------------------------------------------------------------------------------

    def _declaration(self, node: ast.Declaration) -> list[Statement]:
        type_ = written_type(node.type)
        kept: list[ast.Declarator] = []
        for declarator in node.declarators:
            found = type_
            if type_.base == "auto":
                deduced = self._deduced(declarator, type_)
                if deduced is None:
                    continue
                found = deduced
            kept.append(self._declarator(declarator, found))
            type_ = replace(found, pointers=()) if type_.base == "auto" else type_
        return [replace(node, type=type_, declarators=tuple(kept))] if kept else []

    def _deduced(self, node: ast.Declarator, written: ast.TypeName) -> ast.TypeName | None:
        """The type of a variable that is declared `auto`; None where it is a name for an object."""
        value = node.initializer
        if value is None or isinstance(value, ast.InitializerList):
            message = f"'auto {node.name.text}' has no initial value that its type could be known from"
            self.complaints.fail("E204", node.span, message)
        entity = self.entity(value)
        if isinstance(entity, Item | Group | Ids | AtomicReference | Closure | Point | Opaque):
            self.declare(node.name, entity)
            return None
        if self.bind_call(node.name, value):
            return None
        if isinstance(value, tree.Lambda):
            message = "a lambda among several variables: declare it alone, 'auto f = [=](int a) { … };'"
            self.complaints.fail("E207", value.span, message)
        found = pointers.type_of_value(value, self.context) or type_of(value, self.context)
        if found is None:
            message = f"the type of '{value.span.text}' is not evident here: write it in place of 'auto'"
            self.complaints.fail("E204", node.type.span if isinstance(node, ast.Cast) else node.name.span, message)
        words = tuple(word for word in written.qualifiers if word not in found.qualifiers)
        return replace(found, qualifiers=(*words, *found.qualifiers), span=written.span)

    def bind_call(self, name: ast.Name, value: Node) -> bool:  # noqa: ARG002 - host programs have such calls
        """Whether `auto name = value;` declares an object that a call makes."""
        return False

    def _declarator(self, node: ast.Declarator, type_: ast.TypeName) -> ast.Declarator:
        stars = (*type_.pointers, *node.pointers)
        full = replace(type_, pointers=stars)
        length = None if node.length is None else self.value(node.length)
        initializer = node.initializer
        region = None
        if stars and initializer is not None and not isinstance(initializer, ast.InitializerList):
            region = region_pointed_into(initializer, self.context) if "const" in stars[-1] else None
        # A name means what it did before in its own initializer, but for plain variables.
        is_one = records.is_record(full) and node.length is None
        shown = records.initial(node, full, self.context) if is_one else self._initial(initializer)
        is_fixed = "const" in (stars[-1] if stars else type_.qualifiers)
        known = self._constant(node, stars) if is_fixed or self.is_constant(node.name) else None
        self.declare(node.name, Variable(full, is_fixed, region, length is not None, known))
        inner = tuple(map(self.value, node.inner))
        return replace(node, pointers=stars, length=length, inner=inner, initializer=shown)

    def is_constant(self, name: ast.Name) -> bool:  # noqa: ARG002 - host programs look at what they do
        """Whether a variable without `const` keeps its first value."""
        return False

    def _constant(self, node: ast.Declarator, stars: tuple[tuple[str, ...], ...]) -> Expression | None:
        """The value of a constant, where the text says it."""
        value = node.initializer
        if stars or node.length is not None or value is None or isinstance(value, ast.InitializerList):
            return None
        match constant(value, self.context), value:
            case None, ast.NumberLiteral() | ast.Prefix("-", ast.NumberLiteral()):
                return value
            case None, _:
                return None
            case known, _:
                return number(known, value) if known >= 0 else ast.Prefix("-", number(-known, value), span=value.span)

    def _initial(self, node: Node | None) -> Expression | ast.InitializerList | None:
        if isinstance(node, ast.InitializerList):
            return records.list_values(node, self.value)
        return None if node is None else self.value(node)

    def declare(self, name: ast.Name, entity: Entity) -> None:
        """Give a name a meaning."""
        if (alias := self.scopes.renamed_by(name.text)) is not None:
            message = f"'{name.text}' hides what '{alias}' refers to: give it another name"
            self.complaints.fail("E207", name.span, message)
        self.scopes.declare(name.text, entity)

    def declare_object(self, node: tree.ObjectDeclaration, one: tree.ObjectDeclarator) -> list[Statement]:
        """`atomic_ref<…> a(*x);`, `multi_ptr<…> p = …;` and so on."""
        class_, name = node.type, plain(node.type.name)
        if atomics.is_atomic_class(class_):
            return declared.atomic_reference(node, one, self)
        if pointers.is_pointer_class(class_):
            return declared.pointer(node, one, self)
        if name in {"id", "range", "group", "sub_group", "nd_item", "item"} and len(one.arguments) == 1:
            entity = self.entity(one.arguments[0])
            if isinstance(entity, Item | Group | Ids | Point):
                self.declare(one.name, entity)
                return []
        if name in {"id", "range"} and one.form and (made := points.made(one.arguments, self.context)) is not None:
            self.declare(one.name, made)
            return []
        # Imported here: its patterns take as long as a small test, and only wrong input needs them.
        from mcm.sycl.foreign import foreign_name  # noqa: PLC0415

        shown = node.type.span.text
        message = foreign_name(shown) or f"a declaration of '{shown}' is not part of the litmus language here"
        if name in {"queue", "event", "buffer", "handler", "host_accessor"} and not self.context.is_host:
            message = f"a {name} stands in a host program, 'host {{ … }}', not here"
        return self.complaints.fail("E207", node.type.span, message)

    # --- expressions --------------------------------------------------------------------------------------------------

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
                if not isinstance(entity, Item) or not entity.has_groups:
                    message = "'barrier' is a member of nd_item: work-items of this kernel are in no group"
                    self.complaints.fail("E206", node.span, message)
                return groups.old_barrier(node, self.context)
            case _:
                return self.value(node)

    def value(self, node: Node) -> Expression:
        """What the value of an expression is."""
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
                return replace(node, operand=self.place(operand))
            case ast.Prefix("*", operand) if isinstance(self.entity(operand), Accessor):
                message = f"'{operand.span.text}' is an accessor: name an element, '{operand.span.text}[0]'"
                return self.complaints.fail("E120", node.span, message)
            case ast.Prefix(_, operand):
                return replace(node, operand=self.value(operand))
            case ast.Infix():
                return self._infix(node)
            case ast.Assignment(_, target, assigned):
                entity = self.entity(target)
                if isinstance(entity, AtomicReference):
                    return atomics.assigned(entity, node, self.context)
                if isinstance(entity, Reducer):
                    return reductions.assigned(entity, node, self.context)
                return replace(node, target=self.place(target), value=self.value(assigned))
            case ast.Conditional(condition, then, otherwise):
                parts = [self.value(part) for part in (condition, then, otherwise)]
                return replace(node, condition=parts[0], then=parts[1], otherwise=parts[2])
            case ast.Index():
                return points.indexed(node, self.context)
            case ast.Cast(type_name, operand):
                return replace(node, type=written_type(type_name), operand=self.value(operand))
            case ast.Call():
                return calls.call(node, self.context)
            case tree.MemberCall():
                return self.member(node)
            case ast.SizeOf(ast.TypeName() as type_name, lengths):
                return replace(node, operand=written_type(type_name), lengths=tuple(map(self.value, lengths)))
            case ast.SizeOf(operand):
                return replace(node, operand=self.place(operand))
            case ast.Member():
                return records.member(node, self.context)
            case tree.Construction():
                return calls.construction(node, self.context)
            case _:
                message = f"'{node.span.text}' is not part of the litmus language here"
                return self.complaints.fail("E207", node.span, message)

    def place(self, node: Node) -> Expression:
        """What an expression names that can be assigned or referred to."""
        match node:
            case ast.Name():
                entity = self.scopes.find(node.text)
                if isinstance(entity, Accessor) and entity.is_single:
                    return accessors.single(entity, node, self.context)
                return node if isinstance(entity, Variable) else self._name(node)
            case ast.Prefix("*", operand) if not isinstance(self.entity(operand), Accessor):
                return replace(node, operand=self.value(operand))
            case _:
                return self.value(node)

    def _name(self, node: ast.Name) -> Expression:
        text = plain(node.text)
        match self.scopes.find(text):
            case Variable(constant=constant):
                return node if constant is None else replace(constant, span=node.span)
            case AtomicReference() as entity:
                return atomics.load(entity, node, self.context)
            case Reference(target):
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
            case Point() as entity:
                return points.as_number(entity, node, self.context)
            case entity:
                return groups.as_number(entity, node, self.context)

    def _free(self, text: str, node: ast.Name) -> Expression:
        """A name that the body does not declare: a captured pointer, or a constant."""
        if text in self.context.memory:
            self.check_capture(text, node)
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
        if kind == KIND and not self.context.is_host:
            message = (
                f"'{text}' is an object of the host, of which a kernel has no more than a copy: a buffer, or USM, is"
            )
            self.complaints.fail("E207", node.span, message)
        if self.context.is_host and kind in {"malloc_device", "local_accessor", "private"}:
            message = f"the host cannot access '{text}', which is {kind} memory"
            self.complaints.fail("E209", node.span, message)

    def _infix(self, node: ast.Infix) -> Expression:
        """A chain of operators, of which each may be the left operand of the next one."""
        chain = [node]
        while isinstance(left := chain[-1].left, ast.Infix):
            chain.append(left)
        found = self.value(chain[-1].left)
        for one in reversed(chain):
            right = self.effect(one.right) if one.operator == "," else self.value(one.right)
            found = replace(one, left=found, right=right)
        return found

    def member(self, node: tree.MemberCall) -> Expression:
        """A call of a member."""
        if (component := records.component(node, self.context)) is not None:
            return component
        match self.entity(node.base):
            case AtomicReference() as entity:
                return atomics.member(entity, node, self.context)
            case Point() as entity if node.name.text == "get" and len(node.arguments) == 1:
                return points.component(entity, node.arguments[0], node, self.context)
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
            case tree.MemberCall(base):
                entity = self.entity(base)
                return groups.entity_of(entity, node) if isinstance(entity, Item | Group | Ids) else None
            case tree.Construction(class_, _, arguments) if atomics.is_atomic_class(class_):
                return atomics.reference(class_, arguments, node, self.context)
            case tree.Construction() | ast.Call() | ast.Infix():
                return points.point(node, self.context)
            case _:
                return None
