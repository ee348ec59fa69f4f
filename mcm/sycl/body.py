"""Bodies: statements and declarations of SYCL code in terms of the C family."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.program.resolve.complaints import UnresolvedError
from mcm.sycl import (
    apart,
    arrays,
    asynchronous,
    atomics,
    bindings,
    closures,
    declared,
    members,
    objects,
    pointers,
    points,
    records,
    references,
    system_memory,
    tree,
)
from mcm.sycl.constants import chosen, condition, constant, typed
from mcm.sycl.entities import (
    AtomicReference,
    Broken,
    Closure,
    Generic,
    Group,
    Ids,
    Item,
    Opaque,
    Point,
    Variable,
)
from mcm.sycl.expressions import Expressions
from mcm.sycl.frames import Frame, ended, returned
from mcm.sycl.stable import names_object
from mcm.sycl.types import is_record, region_pointed_into, scalar_of, type_of, written_type
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl.context import Functions, Object, Returned
    from mcm.sycl.entities import Scopes
    from mcm.sycl.frames import OfHost
    from mcm.sycl.methods import Receiver
    from mcm.syntax.ast import Expression, Node, Statement


_OF_OBJECTS: Final = frozenset({"const", "volatile"})


class Body(Expressions):
    """Says what one body means."""

    def __init__(
        self,
        scopes: Scopes,
        memory: Mapping[str, Object],
        functions: Functions,
        complaints: Complaints,
        *,
        is_host: bool,
    ) -> None:
        super().__init__(scopes, memory, functions, complaints, is_host=is_host)
        self.frame = Frame()

    @contextmanager
    def function(
        self,
        result: ast.TypeName | None,
        *,
        is_reference: bool = False,
        instead: tuple[Expression | None] | None = None,
    ) -> Iterator[list[Returned]]:
        """Read a function: what it returns, where its type is not written, stands in the list behind it."""
        around, pending = self.frame, self.context.pending
        returned: list[Returned] = []
        self.frame = Frame(result, returned, is_reference, instead)
        self.context.pending = []
        try:
            yield returned
        finally:
            self.frame, self.context.pending = around, pending

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self, node: ast.Block) -> ast.Block:
        """A block, in a scope of its own."""
        return replace(node, statements=tuple(self._scope(node.statements, node)))

    def _scope(self, nodes: tuple[Node, ...], node: Node) -> list[Statement]:
        """Statements in a scope of their own, at whose end its objects end."""
        self.scopes.open()
        self.frame.alive.append([])
        try:
            found = self.statements(nodes)
            left = self.frame.alive[-1][::-1]
            if left:
                brace = ast.Empty(span=Span(node.span.source, max(node.span.start, node.span.end - 1), node.span.end))
                found += self._behind_pending(lambda: self.ended(left, brace))
            return found
        finally:
            self.frame.alive.pop()
            self.scopes.close()

    def ended(self, left: Sequence[Receiver | OfHost], node: Node) -> list[Statement]:
        """What is done at the ends of what is left, in this order."""
        return ended(left, node, self.context)

    def _behind_pending(self, read: Callable[[], list[Statement]]) -> list[Statement]:
        """Statements, behind those that have to stand before them."""
        around, self.context.pending = self.context.pending, []
        try:
            found = read()
            return [*self.context.pending, *found]
        finally:
            self.context.pending = around

    def statements(self, nodes: tuple[Node, ...]) -> list[Statement]:
        """Statements one behind the other; of one with an error, nothing."""
        found: list[Statement] = []
        for node in nodes:
            try:
                found += self._behind_pending(partial(self.statement, node))
            except UnresolvedError:
                if isinstance(node, ast.Declaration | tree.ObjectDeclaration):
                    self._break(node.declarators)
                elif isinstance(node, tree.ReferenceDeclaration | tree.BindingDeclaration):
                    for name in (node.name,) if isinstance(node, tree.ReferenceDeclaration) else node.names:
                        self.declare(name, Broken())
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
        found = self._scope((node,), node)
        return found[0] if len(found) == 1 else ast.Block(tuple(found), span=node.span)

    def statement(self, node: Node) -> list[Statement]:
        """What a statement is: none, one or several."""
        match node:
            case ast.Declaration(_, (one,)) if (function := closures.function_of(one)) is not None:
                return closures.declare(one.name, function, self)
            case ast.Declaration() if (made := self._apart(node)) is not None:
                return made
            case ast.Declaration():
                return self._declaration(node)
            case tree.ObjectDeclaration():
                return [found for one in node.declarators for found in self.declare_object(node, one)]
            case tree.ReferenceDeclaration():
                return references.declare(node, self.context)
            case tree.BindingDeclaration():
                return [found for one in bindings.declared(node, self.context) for found in self.statement(one)]
            case ast.ExpressionStatement(ast.Cast(ast.TypeName(base="void"), operand)) if self.entity(
                operand
            ) or names_object(operand):
                # In C++, unlike in C, an object whose value is discarded is not read.
                if self.entity(operand) is None:
                    self.place(operand)
                return []
            case ast.ExpressionStatement(expression) if (filled := arrays.filled(expression, self.context)) is not None:
                return [*filled]
            case ast.ExpressionStatement(expression):
                return self._evaluated(node, expression)
            case tree.ConstantIf():
                return self._chosen(node)
            case ast.Case() | ast.Labelled():
                # What is declared there is known behind it.
                first, *others = self.statements((node.statement,)) or [ast.Empty(span=node.span)]
                if isinstance(node, ast.Case) and node.value is not None:
                    node = replace(node, value=self.value(node.value))
                return [replace(node, statement=first), *others]
            case ast.Return():
                return self._return(node)
            case ast.Break() | ast.Continue():
                return [*self.ended(self.frame.left_by(node), node), node]
            case _:
                return [self._around(node)]

    def _around(self, node: Node) -> Statement:
        """A statement around others, or an empty one."""
        match node:
            case ast.Block():
                return self.block(node)
            case ast.If(condition, then, otherwise):
                test = self.value(condition)
                other = None if otherwise is None else self.inner(otherwise)
                return replace(node, condition=test, then=self.inner(then), otherwise=other)
            case ast.While(condition, repeated) | ast.DoWhile(repeated, condition):
                test = self.value(condition)
                return replace(node, condition=test, body=self._repeated(repeated))
            case ast.For():
                return self._for(node)
            case ast.Switch(condition, body):
                test = self.value(condition)
                self.frame.breaks.append(len(self.frame.alive))
                try:
                    return replace(node, condition=test, body=self.block(body))
                finally:
                    self.frame.breaks.pop()
            case _:
                assert isinstance(node, ast.Empty)
                return node

    def _chosen(self, node: tree.ConstantIf) -> list[Statement]:
        """The statement that a condition of constants chooses; the other one is as if it were not there."""
        holds = condition(node.condition, self.context)
        if holds is None:
            message = f"the condition of 'if constexpr' is one of constants, found '{node.condition.span.text}'"
            self.complaints.fail("E207", node.condition.span, message)
        one = node.then if holds else node.otherwise
        if one is None:
            return []
        return [self.block(one)] if isinstance(one, ast.Block) else self._scope((one,), one)

    def _evaluated(self, node: ast.ExpressionStatement, expression: Node) -> list[Statement]:
        """An expression, behind the calls in it that return their object."""
        before, rest = members.without_self(expression, self.context)
        first: list[Statement] = [replace(node, expression=one) for one in before]
        found = members.meant(expression, self.context)
        is_all = found is not None and found.is_self
        return first if is_all else [*first, replace(node, expression=self.effect(rest))]

    def _repeated(self, node: Node) -> Statement:
        """The body of a loop."""
        self.frame.breaks.append(len(self.frame.alive))
        self.frame.continues.append(len(self.frame.alive))
        try:
            return self.inner(node)
        finally:
            self.frame.breaks.pop()
            self.frame.continues.pop()

    def _return(self, node: ast.Return) -> list[Statement]:
        """What leaves a function: the value is that before its objects end."""
        context = self.context
        listed = records.returned_list(node.value, self.frame.result, context)
        first: list[Statement] = []
        if listed is None and node.value is not None and self.frame.instead is None:
            before, rest = members.without_self(node.value, context)
            first = [ast.ExpressionStatement(one, span=node.span) for one in before]
            node = replace(node, value=rest) if before else node
        value = listed or returned(node, self.frame, context)
        last = self.frame.left_by(node)
        if value is not None and last and self.frame.instead is None:
            result = self.frame.result or (type_of(node.value, context) if node.value is not None else None)
            if result is None or self.frame.is_reference:
                message = f"the type of '{node.span.text}', behind which objects end, is not evident"
                self.complaints.fail("E204", node.span, message)
            context.closures += 1
            name = ast.Name(f"returned#{context.closures}", span=node.span)
            declarator = ast.Declarator(name, result.pointers, None, value, span=node.span)
            first.append(ast.Declaration(replace(result, pointers=()), (declarator,), span=node.span))
            value = name
        return [*first, *self.ended(last, node), replace(node, value=value)]

    def _for(self, node: ast.For) -> Statement:
        self.scopes.open()
        try:
            before = len(self.frame.alive[-1]) if self.frame.alive else 0
            initial = [] if node.initial is None else self.statement(node.initial)
            if self.frame.alive and len(self.frame.alive[-1]) > before:
                message = "an object whose end does something is declared before a loop, not in its head"
                self.complaints.fail("E207", node.span, message)
            first = initial[0] if initial else None
            if len(initial) > 1 or not isinstance(first, ast.Declaration | ast.ExpressionStatement | None):
                message = "a loop that begins so is not part of the litmus language: put the statement before the loop"
                self.complaints.fail("E207", node.span, message)
            return replace(
                node,
                initial=first,
                condition=None if node.condition is None else self.value(node.condition),
                step=None if node.step is None else self._step(node.step),
                body=self._repeated(node.body),
            )
        finally:
            self.scopes.close()

    def _step(self, node: Node) -> Expression:
        """What a loop does at the end of each time: one expression."""
        found = members.meant(node, self.context)
        if found is not None and found.is_self and found.receiver is not None and members.is_fixed(found.receiver.node):
            return members.only_called(found, node, self.context)
        return self.effect(node)

    # --- declarations -------------------------------------------------------------------------------------------------

    def _apart(self, node: ast.Declaration) -> list[Statement] | None:
        """A declaration of objects whose members are apart; None for any other."""
        if not self.context.functions.has_classes:
            return None
        type_ = written_type(node.type)
        found: list[Statement] = []
        for one in node.declarators:
            value: Node | None = one.initializer
            if type_.base == "auto" and isinstance(value, tree.Construction):
                type_ = replace(type_, base=" ".join(value.type.name.split()))
            class_ = members.class_of(type_, self.context)
            if class_ is None or not class_.is_apart:
                return None
            if one.pointers or one.length is not None:
                message = f"'{class_.name}' has members such as references: its objects are variables, one by one"
                self.complaints.fail("E207", one.span, message)
            found += apart.declare(class_, one.name, objects.of_variable(one, class_), self)
            objects.note_end(class_, one.name, self)
        return found

    def _declaration(self, node: ast.Declaration) -> list[Statement]:
        type_ = written_type(node.type)
        behind: list[Statement] = []
        kept: list[ast.Declarator] = []
        for declarator in node.declarators:
            found = type_
            if type_.base == "auto":
                deduced = self._deduced(declarator, type_)
                if deduced is None:
                    continue
                found = deduced
            first, found_one = self._without_self(declarator)
            kept.append(self._declarator(found_one, found))
            self.context.pending += first
            behind += self._elements(declarator, found)
            type_ = replace(found, pointers=()) if type_.base == "auto" else type_
        return [replace(node, type=type_, declarators=tuple(kept)), *behind] if kept else behind

    def _without_self(self, node: ast.Declarator) -> tuple[list[Statement], ast.Declarator]:
        """Calls in an initial value that return their object stand before it."""
        value = node.initializer
        if value is None or isinstance(value, ast.InitializerList):
            return [], node
        before, rest = members.without_self(value, self.context)
        if not before:
            return [], node
        first: list[Statement] = [ast.ExpressionStatement(one, span=node.span) for one in before]
        return first, replace(node, initializer=rest)

    def _are_objects(self, node: ast.Declarator, type_: ast.TypeName) -> bool:
        """Whether a variable is an array of objects that constructors make."""
        class_ = None if type_.pointers or node.length is None else members.class_of(type_, self.context)
        return class_ is not None and not class_.is_plain

    def _elements(self, node: ast.Declarator, type_: ast.TypeName) -> list[Statement]:
        """What the elements of an array of objects begin with, where the class says it."""
        if node.length is None:
            if not node.pointers and (one := members.class_of(type_, self.context)) is not None:
                objects.note_end(one, node.name, self)
            return []
        class_ = members.class_of(replace(type_, pointers=()), self.context)
        if class_ is None or not self._are_objects(node, replace(type_, pointers=node.pointers)):
            return []
        length = constant(node.length, self.context)
        if length is None or node.inner:
            message = f"an array of '{class_.name}' has one length, which is a constant"
            self.complaints.fail("E207", node.span, message)
        return objects.elements(class_, node, length, self)

    def _deduced(self, node: ast.Declarator, written: ast.TypeName) -> ast.TypeName | None:
        """The type of a variable that is declared `auto`; None where it is a name for an object."""
        value = node.initializer
        if value is None or isinstance(value, ast.InitializerList):
            message = f"'auto {node.name.text}' has no initial value that its type could be known from"
            self.complaints.fail("E204", node.span, message)
        entity = self.entity(value)
        if isinstance(entity, Item | Group | Ids | AtomicReference | Closure | Generic | Point | Opaque):
            self.declare(node.name, entity)
            return None
        if self.bind_call(node.name, value):
            return None
        if isinstance(value, tree.Lambda):
            message = "a lambda among several variables: declare it alone, 'auto f = [=](int a) { … };'"
            self.complaints.fail("E207", value.span, message)
        found = pointers.type_of_value(value, self.context) or type_of(value, self.context)
        if asynchronous.is_copy(value):
            found = asynchronous.event_type(value)
        if found is None:
            self.value(value)
            message = f"the type of '{value.span.text}' is not evident here: write it in place of 'auto'"
            self.complaints.fail("E204", node.type.span if isinstance(node, ast.Cast) else node.name.span, message)
        if not found.pointers:
            # A variable is a copy, whatever it is one of.
            found = replace(found, qualifiers=tuple(one for one in found.qualifiers if one not in _OF_OBJECTS))
        return replace(self._of_auto(found, written, node), span=written.span)

    def _of_auto(self, found: ast.TypeName, written: ast.TypeName, node: ast.Declarator) -> ast.TypeName:
        """The type that `auto` stands for in `const auto p`, and what is pointed at in `const auto* p`."""
        stars = len(node.pointers)
        if stars > len(found.pointers):
            message = f"'{node.span.text}' is declared a pointer, and its value is none"
            self.complaints.fail("E204", node.span, message)
        if found.pointers and not stars and "const" in written.qualifiers:
            # What does not change is the pointer.
            return replace(found, pointers=(*found.pointers[:-1], (*found.pointers[-1], "const")))
        words = tuple(word for word in written.qualifiers if word not in found.qualifiers)
        kept = found.pointers[: len(found.pointers) - stars]
        return replace(found, qualifiers=(*words, *found.qualifiers), pointers=kept)

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
        is_one = is_record(full) and node.length is None
        if self._are_objects(node, full):
            # Each element is given its value behind the declaration.
            shown = None
        else:
            shown = records.initial(node, full, self.context) if is_one else self._initial(initializer)
        is_fixed = "const" in (stars[-1] if stars else type_.qualifiers)
        known = self._constant(node, full) if is_fixed or self.is_constant(node.name) else None
        size = 0 if length is None or node.inner else constant(length, self.context) or 0
        leads = system_memory.led_into(initializer, full, self.context)
        self.declare(node.name, Variable(full, is_fixed, region, length is not None, known, size, leads_into=leads))
        inner = tuple(map(self.value, node.inner))
        return replace(node, pointers=stars, length=length, inner=inner, initializer=shown)

    def is_constant(self, name: ast.Name) -> bool:  # noqa: ARG002 - host programs look at what they do
        """Whether a variable without `const` keeps its first value."""
        return False

    def _constant(self, node: ast.Declarator, type_: ast.TypeName) -> Expression | None:
        """The value of a constant, where the text says it."""
        if type_.pointers or node.length is not None or node.initializer is None:
            return None
        value = chosen(node.initializer, self.context)
        if isinstance(value, ast.InitializerList):
            return None
        holds = condition(value, self.context)
        known = constant(value, self.context)
        if known is None and holds is not None:
            known = int(holds)
        if known is not None:
            return typed(known, type_, value)
        match value:
            case ast.NumberLiteral() | ast.Prefix("-", ast.NumberLiteral()):
                # A number with a fraction, which a variable of another type has none of, or another precision.
                is_known = scalar_of(type_) is not None
                return ast.Cast(replace(type_, qualifiers=()), value, span=value.span) if is_known else value
            case _:
                return None

    def _initial(self, node: Node | None) -> Expression | ast.InitializerList | None:
        if isinstance(node, ast.InitializerList):
            return records.list_values(node, self.value)
        return None if node is None else self.value(node)

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
        if (event := asynchronous.declaration(node, one, self.context)) is not None:
            return self.statement(event)
        if (array := arrays.declaration(node, one, self.context)) is not None:
            return self.statement(array)
        # Imported here: its patterns take as long as a small test, and only wrong input needs them.
        from mcm.sycl.foreign import foreign_name  # noqa: PLC0415

        shown = node.type.span.text
        message = foreign_name(shown) or f"a declaration of '{shown}' is not part of the litmus language here"
        if name in {"queue", "event", "buffer", "handler", "host_accessor"} and not self.context.is_host:
            message = f"a {name} stands in a host program, 'host {{ … }}', not here"
        return self.complaints.fail("E207", node.type.span, message)
