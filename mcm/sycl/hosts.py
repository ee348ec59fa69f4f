"""Host programs: queues, events, buffers and commands, as calls of the host API of the C family."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.sycl import objects, records, tree
from mcm.sycl.aliases import without_casts
from mcm.sycl.changes import changed_variables
from mcm.sycl.command_groups import is_giving_up, only_reads, only_writes
from mcm.sycl.constants import chosen, constant
from mcm.sycl.containers import CONTAINERS, named_memory, without_const
from mcm.sycl.context import call, number
from mcm.sycl.copied_buffers import Copies, copies_made
from mcm.sycl.entities import Broken, Members, Opaque, Reference, Variable
from mcm.sycl.exchanged_buffers import exchanged
from mcm.sycl.exchanged_pointers import NOTHING_EXCHANGED, exchanged_names
from mcm.sycl.followed_numbers import followed_numbers
from mcm.sycl.freed import GIVES_BACK
from mcm.sycl.function_objects import changed_objects, declared, names_device, with_kept_values
from mcm.sycl.held_buffers import EXIT, AtEnd, Buffer, Held, Lost, at_end
from mcm.sycl.host_commands import event_variable
from mcm.sycl.host_events import COMPLETE, EVENT, is_list
from mcm.sycl.host_lambdas import LAMBDA, check_captured, held
from mcm.sycl.host_loops import plain_loop
from mcm.sycl.host_memory import is_allocation
from mcm.sycl.host_turns import HostTurns
from mcm.sycl.host_values import known_value, of_container
from mcm.sycl.kernels import LAUNCHES
from mcm.sycl.lifetimes import declared_here
from mcm.sycl.moved_pointers import with_own_pointers
from mcm.sycl.named_only import pointers_of
from mcm.sycl.parts import accessor_of, buffer_of, required, sub_buffer
from mcm.sycl.queue_lists import is_queue_list
from mcm.sycl.ranges import is_range, is_range_of, names_range, range_object, range_sizes
from mcm.sycl.temporary_accessors import in_condition, temporary, with_names
from mcm.sycl.types import is_record
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm.sycl.copied_buffers import Copied
    from mcm.syntax.ast import Expression, Node, Statement

_STATUS: Final = "info::event::command_execution_status"


class HostBody(HostTurns):
    """The body of a thread of the host; `queues` are those that it declares, with their order and their device."""

    # How many host accessors have no name.
    _temporaries = 0

    def is_constant(self, name: ast.Name) -> bool:
        """Whether a variable keeps its first value, so that kernels may know it."""
        return name.text not in self._changed

    # --- statements ---------------------------------------------------------------------------------------------------

    def block(self, node: ast.Block) -> ast.Block:
        """A block; its end waits for the commands on its buffers (SYCL-CMD-3)."""
        if not self._open:
            self._exchanged = exchanged_names(node, self._memory)
            if not self._exchanged.names:
                node = with_own_pointers(node, self._memory, self.complaints)
            self._changed |= changed_variables(node, self.context.functions.changing) - self._exchanged.names
            self._changed_objects = changed_objects(node, self.context)
            self._copies, self._pointers = Copies(node), pointers_of(node)
            self._whole = node
            self._numbers = followed_numbers(node, self._memory, self.context.functions.changing)
        self._open.append(self._opened(node))
        try:
            return super().block(node)
        finally:
            self._open.pop()

    def inner(self, node: Node) -> Statement:
        """The statement that a branch or a loop consists of."""
        self._branches += 1
        self._outstanding.enter(node)
        try:
            return super().inner(node)
        finally:
            self._branches -= 1
            self._outstanding.leave()

    def statement(self, node: Node) -> list[Statement]:
        """What a statement is: none, one or several."""
        if (last := at_end(node)) is not None:
            self._lives(AtEnd(last))
            return []
        if self._changed_queues(node):
            return []
        for name in declared_here(node, self._memory):
            if name in self._open[-1].variables:
                self._lives(Lost(name, self._open[-1].number))
        node = self._followed(self._with_queues(plain_loop(node)))
        exchanged = self._exchanged
        if not exchanged.names or isinstance(node, ast.Block):
            return self._statement(node)
        if exchanged.moves_in(node):
            if exchanged.move(node):
                return []
            return self._statement(node)
        # What is in it has its names, then.
        self._exchanged = NOTHING_EXCHANGED
        try:
            return self._statement(exchanged.meant(node))
        finally:
            self._exchanged = exchanged

    def _statement(self, node: Node) -> list[Statement]:
        """The same of a statement with the names of what is meant."""
        if (again := in_condition(node)) is not None:
            message = f"'{again.span.text}' in the condition of a loop: a host_accessor that is declared in the loop is"
            self.complaints.fail("E207", again.span, message)
        if accessors := temporary(node):
            return self._with_accessors(node, accessors)
        match node:
            case ast.ExpressionStatement(tree.MemberCall() as expression) if self._is_command(expression):
                return self._command(expression, None, node)
            case ast.ExpressionStatement(ast.Assignment("=", ast.Name(text) as name, tree.MemberCall() as value)) if (
                self._is_event_variable(text) and self._is_command(value)
            ):
                return self._assign(name, value, node)
            case ast.ExpressionStatement() if (found := self._changed_list(node)) is not None:
                return found
            case _ if self._other_name(node):
                return []
            case ast.ExpressionStatement(ast.Call(ast.Name(text), arguments) as expression):
                if plain(text) in GIVES_BACK:
                    return self._given_back(plain(text), arguments, node)
                if plain(text) == "swap" and self._exchange(expression):
                    return []
                if plain(text) in {"event::wait", "event::wait_and_throw"}:
                    return [self._wait_for(self._events(arguments), expression)]
                return super().statement(node)
            case ast.Declaration(
                ast.TypeName(base="auto"), (ast.Declarator(name, (), None, tree.MemberCall() as value),)
            ):
                return self._auto(name, value, node)
            case ast.Declaration() if (lambda_ := held(node)) is not None:
                name, function = lambda_
                self.declare(name, Broken())
                if self._whole is not None:
                    check_captured(name, function, self._whole, self._changed_objects, self.context)
                self.declare(name, Opaque(LAMBDA, name.text, function))
                return []
            case _ if (turns := self._turns(node)) is not None:
                return turns
            case ast.Declaration(_, (ast.Declarator(name, (), None, made),)) if made is not None and is_range(made):
                self.declare(name, Opaque("range", name.text, made))
                return []
            case ast.Declaration(declarators=declarators) if any(self._is_memory(one) for one in declarators):
                return [found for one in declarators for found in self._declare_memory(one, node)]
            case ast.Declaration() if (object_ := declared(node, self._changed_objects, self.context)) is not None:
                return self._declare_copied(object_, node)
            case ast.Break() | ast.Continue() | ast.Return():
                return self._leaving(node)
            case _:
                return super().statement(node)

    def _leaving(self, node: ast.Break | ast.Continue | ast.Return) -> list[Statement]:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name) and node.value.text == EXIT:
            # Nothing ends, but the program.
            return [replace(node, value=None)]
        found = super().statement(node)
        if not isinstance(node, ast.Return):
            self._outstanding.leave_early()
        return found

    def _exchange(self, node: ast.Call) -> bool:
        return exchanged(node, self.scopes, self._memory, self.complaints, is_always=not self._branches)

    def _with_accessors(self, node: Node, made: list[tree.MemberCall]) -> list[Statement]:
        """A statement behind the construction of the host accessors that end with it."""
        found: list[Statement] = []
        names: dict[int, ast.Name] = {}
        for one in made:
            self._temporaries += 1
            names[one.span.start] = ast.Name(f"(accessor {self._temporaries})", span=one.span)
            found += self._host_accessor(names[one.span.start], one.base, one.arguments, one.templates or (), one)
            # It is over before anything could wait for its end.
            self._open[-1].made.pop()
            self.frame.alive[-1].pop()
        return [*found, *self._statement(with_names(node, names))]

    def _declare_copied(self, object_: Opaque, node: ast.Declaration) -> list[Statement]:
        """An object that never changes: kernels that name it have copies, which are made of the same."""
        before, object_ = with_kept_values(object_, self._changed, self.context)
        name = node.declarators[0].name
        class_ = self.scopes.find(node.type.base)
        is_kernel = isinstance(class_, Members) and "operator()" in class_.functions and self._is_launched(name.text)
        is_apart = isinstance(class_, Members) and (class_.is_apart or is_kernel)
        if is_apart or names_device(node, self._memory):
            self.declare(name, object_)
            return before
        found = super().statement(node)
        self.copied[name.text] = object_
        return [*before, *found]

    def _is_launched(self, name: str) -> bool:
        """Whether an object is what a command calls."""
        nodes = [] if self._whole is None else walk([self._whole])
        launches = (one for one in nodes if isinstance(one, tree.MemberCall) and one.name.text in LAUNCHES)
        return any(isinstance(given, ast.Name) and given.text == name for one in launches for given in one.arguments)

    def _is_memory(self, one: ast.Declarator) -> bool:
        """Whether a variable is an object of memory, or a pointer to memory that is made for it."""
        return self._is_made_here(one.name)

    def _declare_memory(self, one: ast.Declarator, node: ast.Declaration) -> list[Statement]:
        """Memory that is made here: a pointer names it, or the variable that lies there."""
        if not self._is_memory(one):
            return super().statement(replace(node, declarators=(one,)))
        if is_allocation(one.initializer):
            return []
        self.context.used[one.name.text] = None
        item = self._memory[one.name.text]
        value = one.initializer
        if one.length is None:
            target = ast.Prefix("*", one.name, span=one.name.span)
            self.scopes.declare(one.name.text, Reference(target, item.type))
            first = None if item.value is not None else self._first_value(one, item.type)
            if first is not None:
                assigned = ast.Assignment("=", target, first, span=one.span)
                return [ast.ExpressionStatement(assigned, span=node.span)]
        elif value is not None and item.value is None:
            return objects.first_of_array(one, value, item, self)
        return []

    def _first_value(self, one: ast.Declarator, type_: ast.TypeName) -> Expression | None:
        """What code assigns to a variable that lies in memory where it is declared; None for nothing."""
        if not is_record(type_):
            return None if one.initializer is None else self.value(one.initializer)
        found = records.initial(one, type_, self.context)
        if isinstance(found, ast.InitializerList):
            return ast.CompoundLiteral(replace(type_, qualifiers=()), found, span=one.span)
        return found

    def _auto(self, name: ast.Name, value: tree.MemberCall, node: ast.Declaration) -> list[Statement]:
        if self._is_command(value):
            return self._declare_event(name, value, node)
        if value.name.text in {"get_host_access", "get_access"} and not value.arguments[1:]:
            templates = value.templates or ()
            return self._host_accessor(name, value.base, value.arguments, templates, node)
        if is_range_of(value):
            self.declare(name, Opaque("range", name.text, value))
            return []
        return super().statement(node)

    def value(self, node: Node) -> Expression:
        """What the value of an expression is."""
        for name in self._pointers.accessed(node, self.scopes):
            self._check_is_free(name, node)
        return known_value(node, self._memory, self.context) or super().value(node)

    def check_capture(self, text: str, node: ast.Name) -> None:
        """Refuse memory that the host cannot use by its name, and warn of what a buffer has."""
        super().check_capture(text, node)
        self._check_is_free(text, node)

    def _check_is_free(self, text: str, node: Node) -> None:
        """Warn where the host accesses memory that belongs to a buffer, which commands write to."""
        belongs = self._on_buffers.is_written(text) and any(text in block.buffers for block in self._open)
        is_named = node.span in self._pointers.places and not (belongs and self._memory[text].type.pointers)
        if belongs and not is_named and text not in self._warned:
            self._warned.add(text)
            message = (
                f"'{text}' belongs to a buffer here, which commands write to: what the host finds before the end "
                "of the buffer is undefined (SYCL 2020, 4.7.2), and taken for what the buffer holds; end its block "
                "first, or use a host_accessor"
            )
            self.complaints.warning("W153", node.span, message)

    def member(self, node: tree.MemberCall) -> Expression:
        """A call of a member: an event tells its status, which is no synchronisation."""
        is_complete = isinstance(node.base, ast.Name) and self._is_complete(node.base)
        if (event := self._event(node.base)) is not None or is_complete:
            match node.name.text, node.templates, node.arguments:
                case "get_info", (ast.Name(query),), () if plain(query) == _STATUS:
                    if event is None:
                        return number(0, node)
                    return call("clGetEventInfo", (ast.Name(event.text, span=event.span),), node)
                case _:
                    message = f"an event has 'wait()' and 'get_info<{_STATUS}>()' here, found '{node.name.text}'"
                    self.complaints.fail("E203", node.name.span, message)
        return of_container(node, self._memory, self.context) or super().member(node)

    # --- declarations -------------------------------------------------------------------------------------------------

    def declare_object(self, node: tree.ObjectDeclaration, one: tree.ObjectDeclarator) -> list[Statement]:
        """Queues, events, buffers and host accessors."""
        name = plain(node.type.name)
        if name == "queue":
            return self._queue(one)
        if name == "buffer":
            return self._buffer(one)
        if name == "host_accessor":
            if not one.arguments:
                self.complaints.fail("E104", one.span, f"a host_accessor is made of a buffer: '{one.name.text}(b)'")
            templates = node.type.arguments or ()
            return self._host_accessor(one.name, one.arguments[0], one.arguments[1:], templates, node)
        if is_list(node.type):
            return self._declare_list(one, node)
        if is_queue_list(node.type):
            return self._declare_queues(node.type, one)
        if name in CONTAINERS and (one.form or name == "array"):
            if one.name.text in self._memory:
                self.context.used[one.name.text] = None
                return objects.first_elements(one, self._memory[one.name.text], self)
            # What is wrong with it was told where memory is made.
            self.declare(one.name, Broken())
            return []
        if name in {"range", "nd_range"} and one.arguments:
            self.declare(one.name, range_object(node.type, one))
            return []
        if name == "accessor" and (place := self._placeholder(node.type, one)) is not None:
            self.declare(one.name, place)
            return []
        if name != EVENT:
            return super().declare_object(node, one)
        if one.form == "=" and self._is_command(one.arguments[0]):
            value = one.arguments[0]
            assert isinstance(value, tree.MemberCall)
            return self._declare_event(one.name, value, node)
        is_empty = all(isinstance(item, ast.InitializerList) and not item.items for item in one.arguments)
        if one.form and not is_empty:
            message = f"an event is that of a command: expected a call that enqueues one, found '{one.span.text}'"
            self.complaints.fail("E161", one.span, message)
        if one.name.text not in self._changed:
            # The event of no command is that of one that is complete.
            self.declare(one.name, Opaque(COMPLETE, one.name.text))
            return []
        self.declare(one.name, Opaque(COMPLETE, self._declared_event(one.name, has_command=False).text))
        return []

    def _queue(self, one: tree.ObjectDeclarator) -> list[Statement]:
        """`queue q{property::queue::in_order()};`; a queue of another device is made with its name, `dev1`."""
        same = self.entity(one.arguments[0]) if len(one.arguments) == 1 else None
        if isinstance(same, Opaque) and same.class_ == "queue":
            # A copy is the same queue (SYCL 2020, 4.5.2).
            self.declare(one.name, same)
            return []
        words = [plain(word) for word in _names_in(one.arguments)]
        order = "in_order" if any(word.endswith("queue::in_order") for word in words) else "out_of_order"
        device = next((int(word[3:]) for word in words if word.startswith("dev") and word[3:].isdecimal()), 0)
        self.queues.append(ast.QueueObject(one.name, order, device, span=one.span))
        self.declare(one.name, Opaque("queue", one.name.text))
        return []

    def _buffer(self, one: tree.ObjectDeclarator) -> list[Statement]:
        """A buffer of memory of the host, which its end writes back to; or memory of its own."""
        copied = self._copies.of(one, lambda node: constant(node, self.context))
        if copied is not None:
            return self._copied_buffer(one, copied)
        first = named_memory(without_const(one.arguments[0])) if one.arguments else None
        same = self.entity(one.arguments[0]) if len(one.arguments) == 1 else None
        if isinstance(same, Opaque) and same.class_ == "buffer":
            # A copy is the same buffer (SYCL 2020, 4.5.2).
            self.declare(one.name, same)
            return []
        parent = buffer_of(one.arguments[0], self._captured(), self._memory) if len(one.arguments) > 1 else None
        if parent is not None:
            if len(one.arguments) < 3:
                message = f"a sub-buffer has a place and a range, '{one.name.text}(b, id<1>(4), range<1>(4))'"
                self.complaints.fail("E104", one.span, message)
            made = sub_buffer(one.name, parent, one.arguments[1:], self._captured(), self.context)
            self.declare(one.name, made)
            return []
        if first is not None and first.text in self._memory:
            self.context.used[first.text] = None
            if any(first.text in block.buffers for block in self._open):
                message = (
                    f"'{first.text}' has a buffer already, which it belongs to as long as that lives: what a second "
                    "one does is undefined (SYCL 2020, 4.7.2)"
                )
                self.complaints.error("E214", one.span, message)
            sizes = self._buffer_sizes(one.arguments[1:], self._memory[first.text].count)
            self.declare(one.name, self._buffer_of(first, sizes, one))
            self._lives(Buffer(first.text))
            return []
        given = without_casts(one.arguments[0]) if one.arguments else None
        array = self.entity(given) if isinstance(given, ast.Name) else None
        if isinstance(given, ast.Name) and isinstance(array, Variable) and array.is_array:
            message = (
                f"'{given.span.text}' is an array of several dimensions, of which no buffer is made here: one of one "
                "dimension is, with a range of several, 'buffer<int, 2> b(x, range<2>(2, 2))'"
            )
            self.complaints.fail("E207", given.span, message)
        if one.name.text not in self._memory:
            message = f"a buffer is made of memory and a range, '{one.name.text}(x, range<1>(4))', or of a range alone"
            self.complaints.fail("E104", one.span, message)
        item = self._memory[one.name.text]
        self.declare(one.name, Opaque("buffer", one.name.text, sizes=self._buffer_sizes(one.arguments, item.count)))
        if item.span == one.name.span and not self._on_buffers.is_used(one.name.text):
            self._empty.add(one.name.text)
        return []

    def _is_made_here(self, name: ast.Name) -> bool:
        return name.text in self._memory and self._memory[name.text].span == name.span

    def _copied_buffer(self, one: tree.ObjectDeclarator, copied: Copied) -> list[Statement]:
        """A buffer with a copy of what memory of the host holds, which nothing writes back."""
        if not self._is_made_here(one.name):
            # What is wrong with it was told where memory is made.
            self.declare(one.name, Broken())
            return []
        self.context.used[copied.memory.text] = None
        self.context.used[one.name.text] = None
        self._check_is_free(copied.memory.text, copied.memory)
        count = self._memory[one.name.text].count
        self.declare(one.name, Opaque("buffer", one.name.text, sizes=self._buffer_sizes(one.arguments[1:], count)))
        if copied.waits:
            self._lives(Buffer(one.name.text))
        return copies_made(one.name, copied, count, one)

    def _placeholder(self, class_: tree.ClassType, one: tree.ObjectDeclarator) -> Opaque | None:
        """`accessor a{b};`: it waits for nothing until a command group requires it."""
        buffer = self.entity(one.arguments[0]) if one.arguments else None
        is_made = isinstance(buffer, Opaque) and buffer.class_ == "buffer"
        made = tree.Construction(class_, one.form, one.arguments, span=one.span)
        return Opaque("placeholder", one.name.text, made) if is_made else None

    def _buffer_of(self, memory: ast.Name, sizes: tuple[int, ...], one: tree.ObjectDeclarator) -> Opaque:
        """A buffer of memory of the host, or of the first elements of it."""
        count, size = self._memory[memory.text].count, prod(sizes)
        if size > count:
            message = (
                f"a buffer of {size} elements is made of '{memory.text}', which has {count}: what it does is undefined "
                "(SYCL 2020, 4.7.2)"
            )
            self.complaints.error("E212", one.span, message)
        return Opaque("buffer", memory.text, sizes=sizes, start=0 if size < count else None)

    def _buffer_sizes(self, arguments: tuple[Node, ...], count: int) -> tuple[int, ...]:
        """The sizes of a buffer, which is one of all elements of its memory where nothing else is said."""
        outer = self._captured()
        written = next((one for one in arguments if names_range(one, outer)), None)
        if written is None:
            given = constant(arguments[0], self.context) if arguments else None
            return (given or count,)
        return range_sizes(written, outer, self.context)

    def _host_accessor(
        self, name: ast.Name, buffer: Node, rest: tuple[Node, ...], templates: tuple[Node, ...], node: Node
    ) -> list[Statement]:
        """Its construction waits for the commands on the buffer that conflict with it."""
        buffer = chosen(buffer, self.context)
        outer = {buffer.text: entity} if isinstance(buffer, ast.Name) and (entity := self.entity(buffer)) else {}
        of = buffer_of(buffer, outer, self._memory)
        if of is None:
            self.complaints.fail("E208", buffer.span, f"expected a buffer, found '{buffer.span.text}'")
        self.context.used[of.name] = None
        accessor = accessor_of(of, rest, self._memory[of.name].type, outer | self._captured(), self.context)
        is_read_only = only_reads(rest, templates)
        self.declare(name, replace(accessor, only_reads=is_read_only, only_writes=only_writes(rest, templates)))
        self._lives(Held(required(of), is_read_only, is_perhaps=self._branches > 0))
        found = self._await(required(of), node, only_reads=is_read_only)
        if any(is_giving_up(one) for one in (*rest, *templates)):
            found += self._give_up_now(accessor, name)
        self._empty.discard(of.name)
        return found

    def _declare_event(self, name: ast.Name, value: tree.MemberCall, node: Node) -> list[Statement]:
        variable = self._declared_event(name, has_command=True)
        found = self._command(value, variable, node)
        self.declare(name, Opaque(EVENT, variable.text))
        return found

    def _assign(self, name: ast.Name, value: tree.MemberCall, node: ast.ExpressionStatement) -> list[Statement]:
        enqueued = self._enqueued(value)
        if (variable := self._reassigned_event(name)) is not None:
            self._note(enqueued, variable.text)
            return [*enqueued.before, event_variable(variable, enqueued.call, node)]
        entity = self.scopes.find(name.text)
        assert isinstance(entity, Opaque)
        self._note(enqueued, entity.name)
        assigned = ast.Assignment("=", ast.Name(entity.name, span=name.span), enqueued.call, span=enqueued.call.span)
        return [*enqueued.before, replace(node, expression=assigned)]


def _names_in(nodes: Iterable[Node]) -> Iterable[str]:
    """All names in some nodes, those of classes too."""
    for node in walk(nodes):
        if isinstance(node, ast.Name):
            yield node.text
        elif isinstance(node, tree.ClassType):
            yield node.name
