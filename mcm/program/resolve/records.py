"""Structures and small vectors, taken apart: each member is a variable, a buffer or a parameter of its own.

A structure is used by its members (`s.a`, `p[i].a`, `p->a`), and as a whole only where it is declared, assigned
from another one, or passed by its address. So `struct S* p` becomes one pointer for each member, `p.a` and `p.b`, and
`p[i].a` becomes `p.a[i]`. Memory models speak of the members only: they are the memory locations of C.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from mcm.program.resolve.functions_of_views import FunctionsOfViews
from mcm.program.resolve.parameters_seen import seen_parameters
from mcm.program.resolve.pointer_arrays import with_chosen_pointers
from mcm.program.resolve.record_arguments import RecordArguments
from mcm.program.resolve.record_buffers import initial_items
from mcm.program.resolve.record_copies import RecordCopies
from mcm.program.resolve.record_given import given_elements, values_of_elements
from mcm.program.resolve.record_members import RecordMembers, member_of_element
from mcm.program.resolve.record_pointers import RecordPointers, is_null
from mcm.program.resolve.record_results import Results, own_names
from mcm.program.resolve.record_statements import RecordStatements
from mcm.program.resolve.record_types import (
    RecordTypes,
    Shape,
    Slot,
    is_inner_vector,
    is_vector,
    member_of,
    named,
    shapes_of,
    typed,
)
from mcm.program.resolve.record_values import RecordValues, copied, copied_array, copies
from mcm.program.resolve.record_views import RecordViews
from mcm.program.resolve.stepped_indices import SteppedIndices
from mcm.program.resolve.vector_relations import as_in_c, shifted_by
from mcm.program.resolve.vectors import Vectors, assignments
from mcm.program.resolve.vectors_in_memory import times
from mcm.syntax import ast
from mcm.syntax.chains import together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.dialect import Dialect
    from mcm.program.resolve.complaints import Complaints


def without_records(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with every structure and vector taken apart."""
    return _Taking(tree.dialect, complaints).test(with_chosen_pointers(tree, complaints))


class _Taking:
    """Takes one test apart. `_scopes` are the variables of structure types, and other names (None) that hide them."""

    def __init__(self, dialect: Dialect, complaints: Complaints) -> None:
        self._complaints = complaints
        self._types = RecordTypes(complaints)
        self._slots_of = self._types.slots_of
        self._functions: dict[str, ast.Function] = {}
        self._scopes: list[dict[str, Shape | None]] = [{}]
        # The members of what threads and kernels are given; None of what has none.
        self._buffers: dict[str, tuple[Slot, ...] | None] = {}
        # The arrays in structures that kernels are given by value, with their lengths.
        self._given: dict[str, int] = {}
        self._results = Results(self._slots_of, self._functions, complaints)
        self._vectors = Vectors(
            self._vector,
            self._element_type,
            self._value,
            self._types.size,
            complaints,
            self._functions,
            self._results.check_order,
            as_in_c if dialect.orders_lists else shifted_by,
            dialect.has_unsigned_distances,
        )
        whole, repeated = self._whole, self._vectors.repeated
        self._views = RecordViews(self._shape, self._types, whole, self._value, repeated, complaints)
        self._steps = SteppedIndices(self._shape, self._results)
        self._members = RecordMembers(self._views, self._shape, self._value, complaints)
        array_of, view = self._members.array, self._views.view
        self._pointers = RecordPointers(
            self._shape, self._slots_in, whole, self._value, repeated, self._slots_of, array_of, view, complaints
        )
        moves = (self._pointers.is_variable, self._views.is_variable)
        self._several = RecordStatements(moves, self._is_structure, self._results, self._vectors)
        # The members of what the function at hand returns.
        self._result: tuple[Slot, ...] | None = None
        self._values = RecordValues(
            self._vectors, self._whole, self._value, self._slots_of, complaints, dialect.orders_lists
        )
        self._of_views = FunctionsOfViews(self._functions)
        self._arguments = RecordArguments(
            self._views,
            self._of_views,
            self._find,
            self._whole,
            self._value,
            self._types,
            self._values,
            self._pointers,
            RecordCopies(self._whole, self._slots_in, self._value, self._vectors.repeated, complaints),
            self._functions,
        )

    def test(self, tree: ast.Litmus) -> ast.Litmus:
        """The whole test; the structures themselves are left out."""
        units: list[ast.Unit] = []
        for unit in tree.units:
            if isinstance(unit, ast.Structure):
                self._types.add(unit)
            elif isinstance(unit, ast.Function):
                self._functions[unit.name.text] = unit
        self._of_views.for_uses = frozenset(seen_parameters(tree.units))
        self._arguments.note_memory(tree)
        for unit in tree.units:
            if isinstance(unit, ast.Structure):
                continue
            if isinstance(unit, ast.Launch | ast.FileVariables):
                units.append(unit)
                continue
            self._scopes = [{}]
            if isinstance(unit, ast.Function):
                units.append(unit if unit.name.text in self._of_views.for_uses else self._function(unit))
                continue
            self._results.names = own_names(unit)
            given: list[ast.Statement] = []
            parameters = tuple(one for parameter in unit.parameters for one in self._parameter(parameter, given=given))
            self._buffers.update((name, shape.slots if shape else None) for name, shape in self._scopes[-1].items())
            body = self._block(unit.body)
            body = replace(body, statements=(*given, *body.statements)) if given else body
            units.append(replace(unit, parameters=parameters, body=body))
        initial = initial_items(tree.initial, self._buffers, self._slots_of, self._arguments.memory, self._complaints)
        every = self._of_views.with_these(units, self._function)
        return replace(tree, initial=tuple(values_of_elements(initial, self._given)), units=every)

    def _function(self, unit: ast.Function, viewed: tuple[int, ...] = ()) -> ast.Function:
        """A function, or a declaration of one; a structure is returned through pointers.

        The parameters in the places that are `viewed` are addresses of numbers.
        """
        made: list[ast.Statement] = []
        given = [(one, number in viewed) for number, one in enumerate(unit.parameters)]
        parameters = tuple(one for each, is_viewed in given for one in self._parameter(each, made, is_viewed=is_viewed))
        around = self._result, self._results.names
        self._result, self._results.names = self._results.returned_by(unit), own_names(unit)
        try:
            type_ = unit.type
            if self._result is not None:
                parameters = (*parameters, *self._results.pointers(unit, self._result))
                type_ = ast.TypeName((), "void", span=unit.type.span)
            body = None if unit.body is None else self._block(unit.body)
        finally:
            self._result, self._results.names = around
        if body is not None and made:
            body = replace(body, statements=(*made, *body.statements))
        return replace(unit, type=type_, parameters=parameters, body=body)

    def _nested(self, unit: ast.Function) -> ast.Function:
        """A function that a body defines."""
        self._functions[unit.name.text] = unit
        self._scopes.append({})
        try:
            return self._function(unit)
        finally:
            self._scopes.pop()

    # --- types ---

    def _parameter(
        self,
        parameter: ast.Parameter,
        made: list[ast.Statement] | None = None,
        given: list[ast.Statement] | None = None,
        *,
        is_viewed: bool = False,
    ) -> Iterator[ast.Parameter]:
        """The parameters for the members; copies that a function has are added to those `made`, of a kernel `given`."""
        if is_viewed:
            self._scopes[-1][parameter.name.text], one = self._views.parameter(parameter)
            yield one
            return
        slots = self._slots_of(parameter.type)
        name = parameter.name.text
        if slots is None:
            self._scopes[-1][name] = None
            yield parameter
            return
        depth = len(parameter.type.pointers) + (parameter.length is not None)
        if depth > 1:
            self._complaints.fail("E100", parameter.span, "not yet supported: a pointer to a pointer to a structure")
        self._scopes[-1][name] = Shape(slots, depth == 1, parameter.length is not None)
        for slot in slots:
            if depth == 0 and slot.length is not None and made is not None:
                yield copied_array(parameter, slot, made)
                continue
            if depth == 0 and slot.length is not None and given is not None:
                yield from given_elements(parameter, slot, given, self._given)
                continue
            type_ = typed(slot, parameter.type, parameter.type.pointers)
            length = parameter.length
            if length is not None and slot.length is not None:
                length = times(length, slot.length)
            yield replace(parameter, type=type_, name=named(parameter.name, slot), length=length, step=slot.length or 1)

    # --- statements ---

    def _block(self, block: ast.Block) -> ast.Block:
        self._scopes.append({})
        self._views.blocks.append(block)
        try:
            return replace(block, statements=tuple(one for each in block.statements for one in self._statements(each)))
        finally:
            self._scopes.pop()
            self._views.blocks.pop()

    def _statement(self, node: ast.Statement) -> ast.Statement:
        """One statement; what it is taken apart into stands in a block."""
        self._scopes.append({})
        try:
            found = tuple(self._statements(node))
        finally:
            self._scopes.pop()
        return found[0] if len(found) == 1 else ast.Block(found, span=node.span)

    def _statements(self, node: ast.Statement) -> Iterator[ast.Statement]:
        if (several := self._several.apart(node)) is not None:
            for part in several:
                yield from self._statements(part)
            return
        before, node = self._results.before(node)
        numbers, node = self._several.numbers_before(node, self._result)
        indices, node = self._steps.before(node)
        for call in (*before, *numbers):
            yield from self._statements(call)
        yield from indices
        match node:
            case ast.Declaration(_, declarators) if len(declarators) > 1 and self._results.are_called_in(node):
                for each in declarators:
                    yield from self._statements(replace(node, declarators=(each,)))
            case ast.Declaration():
                yield from self._declaration(node)
            case ast.ExpressionStatement(ast.Assignment(_, target) as one) if (
                vector := self._vector(target)
            ) is not None:
                yield from self._vectors.stored(one, vector, self._slots_in(target)[0].type)
            case ast.ExpressionStatement(ast.Assignment("=", target, ast.CompoundLiteral() as made) as one) if (
                values := self._values.made(made)
            ) is not None:
                yield from self._assigned(one, target, values)
            case ast.ExpressionStatement(expression):
                yield from (ast.ExpressionStatement(one, span=node.span) for one in self._effects(expression))
            case ast.Block():
                yield self._block(node)
            case ast.If(condition, then, otherwise):
                other = None if otherwise is None else self._statement(otherwise)
                yield replace(node, condition=self._truth(condition), then=self._statement(then), otherwise=other)
            case ast.Switch(condition, body):
                yield replace(node, condition=self._value(condition), body=self._block(body))
            case ast.Case(_, statement) | ast.Labelled(_, statement):
                yield replace(node, statement=self._statement(statement))
            case ast.While(condition, body) | ast.DoWhile(body, condition):
                yield replace(node, condition=self._truth(condition), body=self._statement(body))
            case ast.For():
                yield self._for(node)
            case ast.Function():
                yield self._nested(node)
            case ast.Return(value) if value is not None and self._result is not None:
                values, is_made = self._values.returned(value, self._result)
                yield from self._results.stored(node, self._result, values, None if is_made else copied)
            case ast.Return(value):
                yield node if value is None else replace(node, value=self._value(value))
            case _:
                yield node

    def _for(self, node: ast.For) -> ast.Statement:
        self._scopes.append({})
        try:
            before = [] if node.initial is None else list(self._statements(node.initial))
            loop = replace(
                node,
                initial=before[0] if len(before) == 1 else None,
                condition=None if node.condition is None else self._truth(node.condition),
                step=None if node.step is None else together(self._effects(node.step), node.step.span),
                body=self._statement(node.body),
            )
        finally:
            self._scopes.pop()
        return loop if len(before) < 2 else ast.Block((*before, loop), span=node.span)

    def _declaration(self, node: ast.Declaration) -> Iterator[ast.Statement]:
        slots = self._slots_of(node.type)
        if slots is None:
            self._scopes[-1].update((declarator.name.text, None) for declarator in node.declarators)
            yield replace(node, declarators=tuple(map(self._declarator, node.declarators)))
            return
        for declarator in node.declarators:
            if (view := self._views.declared(node, declarator)) is not None:
                self._scopes[-1][declarator.name.text] = view[0]
                yield view[1]
            else:
                apart = tuple(self._values.declarations(node, declarator, slots))
                self._scopes[-1].update(shapes_of(declarator, slots))
                yield from apart

    def _declarator(self, node: ast.Declarator) -> ast.Declarator:
        match node.initializer:
            case None:
                return node
            case ast.InitializerList(items):
                return replace(node, initializer=replace(node.initializer, items=tuple(map(self._value, items))))
            case value:
                return replace(node, initializer=self._value(value))

    def _assigned(
        self, node: ast.Assignment, target: ast.Expression, values: list[ast.Expression]
    ) -> Iterator[ast.Statement]:
        """`s = (struct S){…}`."""
        whole = self._whole(target)
        if whole is None or len(whole) != len(values):
            message = f"'{node.value.span.text}' is no structure or vector like '{target.span.text}'"
            self._complaints.fail("E122", node.value.span, message)
        yield from assignments(node, whole, values, [slot.type for slot in self._slots_in(target)])

    # --- expressions ---

    def _vector(self, node: ast.Expression) -> list[ast.Expression] | None:
        """The components of a variable or an element that is a vector."""
        node = self._pointers.plain(node)
        match node:
            case ast.Name(text):
                shape = self._shape(text)
                is_one = shape is not None and not (shape.is_pointer or shape.is_array)
            case ast.Index(ast.Name(text)) | ast.Prefix("*", ast.Name(text)):
                shape, is_one = self._shape(text), True
            case ast.Index(ast.Member()):
                return self._whole(node) if self._members.is_vector(node.base) else None
            case ast.Member():
                is_vector_in_it = is_inner_vector(node, self._members.inner(node)[1])
                return self._whole(node) if is_vector_in_it else self._vectors.swizzled(node)
            case _:
                return self._views.components(node) if is_vector(self._views.slots_in(node)) else None
        return self._whole(node) if is_one and shape is not None and is_vector(shape.slots) else None

    def _element_type(self, node: ast.Expression) -> str | None:
        """The type of the components of a variable or an element that is a vector."""
        slots = () if self._vector(node) is None else self._slots_in(node)
        return slots[0].type.base if slots else None

    def _effects(self, node: ast.Expression) -> Iterator[ast.Expression]:
        """An expression statement; the assignment of a structure is one for each member."""
        node = self._views.assigned(node) or self._pointers.assigned(node)
        if isinstance(node, ast.Assignment) and (vector := self._vector(node.target)) is not None:
            yield from self._vectors.assigned(node.operator, vector, node.value, node)
            return
        match node:
            case ast.Assignment("=", place, value) if (target := self._whole(place)) is not None:
                source = self._pointers.given(place, value, len(target))
                if source is None or len(source) != len(target):
                    self._several.refuse_choice(value, self._complaints)
                    message = f"'{value.span.text}' is no structure or vector like '{place.span.text}'"
                    self._complaints.fail("E122", value.span, message)
                slots = () if self._pointers.is_variable(place) else self._slots_in(place)
                yield from copies(node, target, source, slots, self._vectors)
            case ast.Infix(",", left, right):
                yield from (*self._effects(left), *self._effects(right))
            case _:
                yield self._value(node)

    def _shape(self, name: str) -> Shape | None:
        return self._find(name) or None

    def _find(self, name: str) -> Shape | Literal[False] | None:
        """What is known of a name in scope; False where it is in none."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return False

    def _whole(self, node: ast.Expression) -> list[ast.Expression] | None:
        """The members of an expression that is a structure, or a pointer to one; None for any other."""
        node = self._pointers.plain(node)
        if (viewed := self._views.components(node)) is not None:
            return viewed
        match node:
            case ast.Name(text) if (shape := self._shape(text)) is not None and shape.viewed is not None:
                return None
            case ast.Name(text) if (shape := self._shape(text)) is not None:
                return [member_of(node, slot) for slot in shape.slots]
            case ast.Index(ast.Name(text) as base, index) if (shape := self._shape(text)) is not None:
                index = self._vectors.repeated(index, len(shape.slots))
                return [member_of_element(base, slot, index, node) for slot in shape.slots]
            case ast.Index(ast.Member() as array, index) if slots := self._members.array(array)[1]:
                return self._members.element(array, self._vectors.repeated(index, len(slots)), node)
            case ast.Prefix("*", ast.Name(text) as base) if (shape := self._shape(text)) is not None:
                return [
                    one if slot.length is not None else ast.Prefix("*", one, span=node.span)
                    for slot, one in ((slot, member_of(base, slot)) for slot in shape.slots)
                ]
            case ast.Member():
                return self._members.whole(node)
            case ast.CompoundLiteral() if (unnamed := self._values.unnamed(node)) is not None:
                return unnamed
            case ast.Prefix("&", operand):
                whole = self._whole(operand)
                if whole is None:
                    return None
                if isinstance(operand, ast.CompoundLiteral):
                    return [ast.Prefix("&", one, span=node.span) for one in whole]
                # An array is an address already.
                return [
                    one if slot.length is not None else ast.Prefix("&", one, span=node.span)
                    for one, slot in zip(whole, self._slots_in(operand), strict=True)
                ]
            case ast.Conditional() | ast.Cast() | ast.Call():
                return self._pointers.made(node)
            case ast.Infix("+" | "-" as operator, left, right):
                moved = self._whole(left)
                if moved is None:
                    return None
                by = self._vectors.repeated(self._value(right), len(moved))
                steps = [by if slot.length is None else times(by, slot.length) for slot in self._slots_in(left)]
                return [ast.Infix(operator, one, step, span=node.span) for one, step in zip(moved, steps, strict=True)]
            case _:
                return None

    def _is_structure(self, node: ast.Expression) -> bool:
        """Whether an expression is a structure itself, no vector and no pointer to one."""
        if self._pointers.is_address(node) or self._vectors.components(node) is not None:
            return False
        return self._whole(node) is not None

    def _slots_in(self, node: ast.Expression) -> tuple[Slot, ...]:
        """The members of what is a structure, or a pointer to one."""
        array = node.base if isinstance(node, ast.Index) else node
        if in_it := self._members.array(array)[1]:
            return tuple(slot.in_element() for slot in in_it)
        if isinstance(node, ast.Member) and (inner := self._members.inner(node)[1]):
            return tuple(inner)
        while not isinstance(node, ast.Name):
            match node:
                case ast.Cast(type_):
                    return self._slots_of(type_) or ()
                case ast.Conditional(_, then, otherwise):
                    node = otherwise if is_null(then) else then
                case ast.Index(base) | ast.Member(base) | ast.Prefix(_, base) | ast.Infix(_, base):
                    node = base
        shape = self._shape(node.text)
        assert shape is not None
        return shape.slots

    def _truth(self, node: ast.Expression) -> ast.Expression:
        """A condition: a pointer to a structure is asked whether it is null."""
        return self._value(self._pointers.asked(node))

    def _value(self, node: ast.Expression) -> ast.Expression:
        """An expression that is no structure."""
        node = self._pointers.plain(node)
        match node:
            case ast.Infix() if (compared := self._views.compared(node) or self._pointers.compared(node)) is not None:
                return compared
            case ast.Prefix("!") | ast.Infix("&&" | "||") if (asked := self._pointers.asked(node)) != node:
                return self._value(asked)
            case ast.Member():
                return self._vectors.component(node) or self._members.named(node)
            case ast.Call() if (apart := self._vectors.called(node)) is not None:
                return apart
            case ast.Call():
                return self._arguments.of_call(node)
            case ast.Cast(_, operand) if (view := self._views.view(operand)) is not None:
                return replace(node, operand=view.address)
            case ast.Prefix(_, operand) | ast.Postfix(_, operand) | ast.Cast(_, operand):
                return replace(node, operand=self._value(operand))
            case ast.Infix(_, left, right):
                return replace(node, left=self._value(left), right=self._value(right))
            case ast.Assignment(_, target, value):
                return replace(node, target=self._value(target), value=self._value(value))
            case ast.Conditional(condition, then, otherwise):
                self._several.refuse_choice(node, self._complaints)
                return replace(
                    node,
                    condition=self._truth(condition),
                    then=self._value(then),
                    otherwise=self._value(otherwise),
                )
            case ast.Index(base, index):
                return replace(node, base=self._value(base), index=self._value(index))
            case ast.CompoundLiteral(_, written) if not written.rows:
                return replace(node, initializer=replace(written, items=tuple(map(self._value, written.items))))
            case ast.Name(text) if self._shape(text) is not None:
                message = f"not yet supported: '{node.span.text}' as a whole; name its members"
                return self._complaints.fail("E100", node.span, message)
            case _:
                return node
