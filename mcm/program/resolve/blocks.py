"""Device-side enqueue as OpenCL C writes it, in the shorter notation of litmus tests.

`enqueue_kernel(q, flags, ndrange, n, list, &event, ^{ … })` becomes `enqueue_kernel(flags, K_block1, n, wait(…))` and
so on: the block is a kernel of its own. Pointers that the kernel around has as parameters, and never moves, are
parameters of the block too; every other variable around it is passed by value. Variables of the types `queue_t` and
`ndrange_t`, and those for blocks, are names for what they are declared with.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.resolve.around_blocks import ALIASES, Around, Declared, Unit, around_of, declarator_of
from mcm.program.resolve.block_memory import has_local_memory, memory_of
from mcm.program.resolve.call_walk import CAPTURES
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.constants import known_integer
from mcm.program.resolve.events_in_branches import with_events_in_branches
from mcm.program.resolve.literals import written_integer
from mcm.program.resolve.spelling import EVENT_TYPES, REGIONS
from mcm.program.types import Region
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints

# A pseudo-argument of what this stage hands on, as `CAPTURES` is: no program can write these names.
EVENT: Final = "event of the call"

_ENQUEUE: Final = "enqueue_kernel"
_MARKER: Final = "enqueue_marker"
_RANGES: Final = {"ndrange_1D": 1, "ndrange_2D": 2, "ndrange_3D": 3}
_WITHOUT_EFFECT: Final = {"retain_event": "0", "release_event": "0", "is_valid_event": "1"}
# Where a block may stand among the arguments: behind queue, flags and range, perhaps with a wait list and an event.
_PLAIN, _WITH_EVENTS = 3, 6
_NOTHING: Final = frozenset({"NULL", "0", "CLK_NULL_EVENT"})


def without_blocks(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with a kernel for each block that is enqueued; one that is called is a function in its unit."""
    moving = _Moving(tree, complaints)
    units: list[ast.Unit] = []
    for unit in tree.units:
        is_code = isinstance(unit, ast.Kernel | ast.Function | ast.Thread) and unit.body is not None
        units.append(moving.unit(unit) if is_code else unit)  # type: ignore[arg-type]
    units += moving.kernels
    return replace(tree, units=tuple(units))


class _Moving:
    """Moves the blocks of one test out of their units; `kernels` are those that it has made."""

    def __init__(self, tree: ast.Litmus, complaints: Complaints) -> None:
        self._complaints: Final = complaints
        self._queues: Final = {item.name.text for item in tree.initial if isinstance(item, ast.QueueObject)}
        self._values: Final = {
            item.name.text: item.value
            for item in tree.initial
            if isinstance(item, ast.InitialValue) and isinstance(item.value, ast.NumberLiteral)
        }
        self._taken: Final = {unit.name.text for unit in tree.units if isinstance(unit, ast.Kernel | ast.Function)}
        self.kernels: list[ast.Kernel] = []

    def unit(self, unit: Unit) -> Unit:
        """A unit without blocks."""
        around = around_of(unit)
        parameters = []
        for parameter in unit.parameters:
            if parameter.type.base == "queue_t":
                around.aliases[parameter.name.text] = parameter.name if parameter.name.text in self._queues else None
            else:
                parameters.append(parameter)
        assert unit.body is not None
        body = self._node(with_events_in_branches(unit.body), around)
        return replace(unit, parameters=tuple(parameters), body=body)

    # --- statements ---

    def _node(self, node: ast.Node, around: Around) -> Any:
        match node:
            case ast.Block(statements):
                found: list[ast.Statement] = []
                for statement in statements:
                    try:
                        found += self._statement(statement, around)
                    except UnresolvedError:
                        continue
                return replace(node, statements=tuple(found))
            case ast.Call(ast.Name(name)) if name == _ENQUEUE:
                return self._enqueue(node, around)
            case ast.Call(ast.Name(name)) if name == _MARKER:
                return self._marker(node, around)
            case ast.Call(ast.Name(name), (argument,)) if name in _WITHOUT_EFFECT:
                self._event(argument, around)
                return ast.NumberLiteral(_WITHOUT_EFFECT[name], span=node.span)
            case ast.Index(ast.Name(text)) if text in around.events:
                return self._event(node, around)
            case ast.For() if any(_is_enqueue(one) for one in walk([node.body])):
                return with_parts(self._plain_loop(node, around), partial(self._node, around=around))
            case _:
                return with_parts(node, partial(self._node, around=around))

    def _statement(self, node: ast.Statement, around: Around) -> Iterator[ast.Statement]:
        match node:
            case ast.BlockVariable(name, value):
                if not isinstance(value, ast.BlockLiteral):
                    self._refuse(value.span, f"expected a block, '^{{ … }}', found '{value.span.text}'")
                around.blocks[name.text] = value
                if any(isinstance(one, ast.Call) and one.function.text == name.text for one in walk([around.unit])):
                    yield self._called(node, value, around)
            case ast.Declaration(type_, declarators) if type_.base in ALIASES:
                for declarator in declarators:
                    self._alias(type_.base, declarator, around)
            case ast.Declaration(type_, declarators) if type_.base in EVENT_TYPES:
                for declarator in declarators:
                    yield from self._declared_events(node, declarator, around)
            case _:
                yield self._node(node, around)

    def _called(self, node: ast.BlockVariable, block: ast.BlockLiteral, around: Around) -> ast.Function:
        """A block that is called by its name. It has the values that the variables around it had here."""
        own = {one.name.text for one in walk([block]) if isinstance(one, ast.Declarator | ast.Parameter)}
        for part in walk([block.body]):
            is_captured = isinstance(part, ast.Name) and part.text in around.variables and part.text not in own
            if isinstance(part, ast.Name) and is_captured and part.text in around.moved:
                self._refuse(part.span, f"not yet supported: '{part.text}' changes, in a block that is called")
        body = self._node(block.body, around)
        return ast.Function(node.name, (), node.type, block.parameters, body, span=node.span)

    def _alias(self, type_: str, declarator: ast.Declarator, around: Around) -> None:
        """A name for a queue or a range."""
        name, value = declarator.name, declarator.initializer
        if name.text in around.moved or not isinstance(value, ast.Expression):
            self._refuse(declarator.span, f"'{name.text}' of type '{type_}' gets its value once, where it is declared")
        if type_ == "queue_t":
            around.aliases[name.text] = self._queue(value, around)
        elif isinstance(value, ast.Name) and value.text in around.aliases:
            around.aliases[name.text] = around.aliases[value.text]
        elif isinstance(value, ast.Call) and value.function.text in _RANGES:
            around.aliases[name.text] = value
        else:
            self._refuse(
                value.span, f"expected 'ndrange_1D(…)', 'ndrange_2D(…)' or 'ndrange_3D(…)', found '{value.span.text}'"
            )

    def _declared_events(
        self, node: ast.Declaration, declarator: ast.Declarator, around: Around
    ) -> Iterator[ast.Statement]:
        """Event variables, one for each element of an array."""
        name = declarator.name
        if declarator.length is None:
            around.events[name.text] = None
            yield replace(node, declarators=(self._node(declarator, around),))
            return
        length = written_integer(declarator.length)
        if length is None or declarator.initializer is not None:
            self._refuse(declarator.span, "expected an array of events with a constant length and without a beginning")
        around.events[name.text] = length
        for number in range(length):
            element = replace(declarator, name=ast.Name(f"{name.text}[{number}]", span=name.span), length=None)
            yield replace(node, declarators=(element,))

    # --- calls ---

    def _enqueue(self, node: ast.Call, around: Around) -> ast.Expression:
        place, block = self._block(node, around)
        if block is None:
            return self._short_form(node, around)
        if place not in {_PLAIN, _WITH_EVENTS}:
            message = f"expected 'enqueue_kernel(queue, flags, ndrange, [number, list, &event,] block)', found {place}"
            self._refuse(node.span, f"{message} arguments before the block")
        given = [known_integer(self._told(one, around)) for one in node.arguments[place + 1 :]]
        sizes = [one for one in given if one is not None and one > 0]
        if not (len(sizes) == len(given) == len(block.parameters) and has_local_memory(block)):
            message = (
                "each parameter of a block is a 'local void*', and a constant size of its own stands behind the block"
            )
            self._refuse(block.span, message)
        queue, flags, range_, *events = node.arguments[:place]
        kernel = self._kernel(replace(block, parameters=memory_of(block, sizes)), around)
        arguments = [flags, kernel.name, self._range(range_, around), *self._events(events, around)]
        chosen = self._queue(queue, around)
        if chosen is not None:
            arguments.insert(0, chosen)
        if kernel.captured:
            names = tuple(ast.Name(one.name.text, span=block.span) for one in kernel.captured)
            arguments.append(_pseudo(CAPTURES, names, block.span))
        return replace(node, arguments=tuple(arguments))

    def _block(self, node: ast.Call, around: Around) -> tuple[int, ast.BlockLiteral | None]:
        """Which argument is a block."""
        for number, argument in enumerate(node.arguments):
            if isinstance(argument, ast.BlockLiteral):
                return number, argument
            if isinstance(argument, ast.Name) and argument.text in around.blocks:
                return number, around.blocks[argument.text]
        return 0, None

    def _short_form(self, node: ast.Call, around: Around) -> ast.Call:
        """A call that names a kernel."""
        arguments: list[ast.Expression] = []
        for argument in node.arguments:
            if isinstance(argument, ast.Name) and argument.text in around.aliases:
                known = around.aliases[argument.text]
                arguments += [] if known is None else [self._range(known, around)]
            else:
                arguments.append(self._node(argument, around))
        return replace(node, arguments=tuple(arguments))

    def _marker(self, node: ast.Call, around: Around) -> ast.Expression:
        if len(node.arguments) != 4:
            self._refuse(node.span, f"expected 'enqueue_marker(queue, number, list, &event)', found '{node.span.text}'")
        queue, *events = node.arguments
        chosen = self._queue(queue, around)
        return replace(node, arguments=(*(() if chosen is None else (chosen,)), *self._events(events, around)))

    def _queue(self, node: ast.Expression, around: Around) -> ast.Expression | None:
        """A queue that the initial state declares; None for the default queue of the device."""
        match node:
            case ast.Call(ast.Name("get_default_queue"), ()):
                return None
            case ast.Name(text) if text in around.aliases:
                return around.aliases[text]
            case _:
                return node

    def _range(self, node: ast.Expression, around: Around) -> ast.Expression:
        """A range of constants: an offset of 0 is left out, and lists stand for what they hold."""
        if isinstance(node, ast.Name) and around.aliases.get(node.text) is not None:
            node = around.aliases[node.text] or node
        if not isinstance(node, ast.Call) or node.function.text not in _RANGES:
            return node
        dimensions = _RANGES[node.function.text]
        parts = [self._sizes(argument, around) for argument in node.arguments]
        if len(node.arguments) == 3 and (dimensions == 1 or all(len(part) == dimensions for part in parts)):
            if any(written_integer(one) != 0 for one in parts[0]):
                self._refuse(node.arguments[0].span, "not yet supported: a range with an offset that is not 0")
            parts = parts[1:]
        return replace(node, arguments=tuple(size for part in parts for size in part))

    def _sizes(self, node: ast.Expression, around: Around) -> tuple[ast.Expression, ...]:
        """The sizes that an argument of a range is: those of an array, or itself."""
        if isinstance(node, ast.Name) and node.text not in around.moved | around.ambiguous:
            declarator = declarator_of(node.text, around.unit)
            if declarator is not None and isinstance(declarator.initializer, ast.InitializerList):
                return tuple(self._told(item, around) for item in declarator.initializer.items)
        return (self._told(node, around),)

    def _told(self, node: Any, around: Around, seen: frozenset[str] = frozenset()) -> Any:
        """An expression with what the text says of variables that never change, and of parameters, in their places."""
        match node:
            case ast.Call():
                arguments = tuple(self._told(argument, around, seen) for argument in node.arguments)
                return replace(node, arguments=arguments)
            case ast.Name(text) if text not in around.moved | around.ambiguous | seen:
                declarator = declarator_of(text, around.unit)
                if declarator is not None and not declarator.pointers and declarator.length is None:
                    value = declarator.initializer
                    return self._told(value, around, seen | {text}) if isinstance(value, ast.Expression) else node
                # The parameters of a function have the values that it is called with.
                variable, is_function = around.variables.get(text), isinstance(around.unit, ast.Function)
                if variable is not None and variable.is_parameter and not is_function and text in self._values:
                    return replace(self._values[text], span=node.span)
                return node
            case ast.Name():
                return node
            case _:
                return with_parts(node, partial(self._told, around=around, seen=seen))

    def _plain_loop(self, node: ast.For, around: Around) -> ast.For:
        """A loop that enqueues, with numbers for what the text says of where it begins, how it goes on, and its end."""

        def number(value: Any) -> Any:
            found = known_integer(self._told(value, around)) if isinstance(value, ast.Expression) else None
            return value if found is None or found < 0 else ast.NumberLiteral(str(found), span=value.span)

        initial, condition, step = node.initial, node.condition, node.step
        match initial:
            case ast.Declaration(_, (ast.Declarator() as one,)):
                initial = replace(initial, declarators=(replace(one, initializer=number(one.initializer)),))
            case ast.ExpressionStatement(ast.Assignment("=", _, value) as one):
                initial = replace(initial, expression=replace(one, value=number(value)))
        if isinstance(condition, ast.Infix):
            condition = replace(condition, right=number(condition.right))
        if isinstance(step, ast.Assignment):
            step = replace(step, value=number(step.value))
        return replace(node, initial=initial, condition=condition, step=step)

    # --- events ---

    def _events(self, nodes: list[ast.Expression], around: Around) -> list[ast.Expression]:
        """The wait list and the event of a call, as pseudo-arguments."""
        if not nodes:
            return []
        number, listed, returned = nodes
        count = written_integer(number)
        if count is None:
            self._refuse(number.span, f"expected a constant number of events, found '{number.span.text}'")
        found: list[ast.Expression] = []
        if count:
            waits = self._listed(listed, count, around)
            found.append(_pseudo("wait", waits, listed.span))
        if returned.span.text not in _NOTHING:
            if not isinstance(returned, ast.Prefix) or returned.operator != "&":
                self._refuse(returned.span, f"expected the address of an event variable, found '{returned.span.text}'")
            found.append(_pseudo(EVENT, (self._event(returned.operand, around),), returned.span))
        return found

    def _listed(self, node: ast.Expression, count: int, around: Around) -> tuple[ast.Expression, ...]:
        """The events of a wait list: `&e`, `list`, `&list[1]`."""
        first: int | None = 0
        match node:
            case ast.Prefix("&", ast.Name() as name) if count == 1:
                return (name,)
            case ast.Name(text) as base if around.events.get(text) is not None:
                pass
            case ast.Prefix("&", ast.Index(ast.Name() as base, index)):
                first = written_integer(index)
            case _:
                first = None
        if first is None:
            message = f"expected {count} events, '&event' or an array of events, found '{node.span.text}'"
            return self._refuse(node.span, message)
        return tuple(self._element(base, first + number, node.span, around) for number in range(count))

    def _event(self, node: ast.Expression, around: Around) -> ast.Name:
        """The name of an event variable."""
        match node:
            case ast.Index(ast.Name() as base, index) if (number := written_integer(index)) is not None:
                return self._element(base, number, node.span, around)
            case ast.Name():
                return node
            case _:
                return self._refuse(node.span, f"expected an event variable, found '{node.span.text}'")

    def _element(self, base: ast.Name, number: int, span: Span, around: Around) -> ast.Name:
        length = around.events.get(base.text)
        if length is not None and number >= length:
            self._refuse(span, f"'{base.text}' has {length} events, there is no event {number}")
        return ast.Name(base.text if length is None else f"{base.text}[{number}]", span=span)

    # --- blocks ---

    def _kernel(self, block: ast.BlockLiteral, around: Around) -> ast.Kernel:
        """The kernel that a block is."""
        unit = around.unit
        if isinstance(unit, ast.Function):
            message = f"a block in '{unit.name.text}', which is called by more than 'f(…);' or 'x = f(…);'"
            self._refuse(block.span, f"not yet supported: {message}, or calls itself; write it in the kernel")
        own = {node.name.text for node in walk([block.body]) if isinstance(node, ast.Declarator | ast.BlockVariable)}
        own |= {one.name.text for one in block.parameters}
        own |= {name for name in around.aliases if around.aliases[name] is None}
        used = list(dict.fromkeys(name for name in _names(block.body) if name in around.variables and name not in own))
        parameters: list[ast.Parameter] = []
        captured: list[ast.Parameter] = []
        for name in used:
            one = around.variables[name]
            self._check_captured(one, block, around)
            parameter = ast.Parameter(one.type, ast.Name(name, span=block.span), span=block.span)
            by_name = one.is_parameter and name not in around.moved
            (parameters if by_name else captured).append(parameter)
        name = self._new_name(f"P{unit.number}" if isinstance(unit, ast.Thread) else unit.name.text)
        given = (*parameters, *block.parameters)
        made = ast.Kernel(ast.Name(name, span=block.span), given, block.body, tuple(captured), span=block.span)
        inner = Around(made, dict(around.variables), around.ambiguous, around.moved, dict(around.aliases))
        for passed in captured:
            inner.variables[passed.name.text] = replace(around.variables[passed.name.text], is_parameter=False)
        nested = around_of(made)
        inner.variables |= nested.variables
        inner.ambiguous = inner.ambiguous | nested.ambiguous
        inner.blocks = dict(around.blocks)
        body: ast.Block = self._node(block.body, inner)
        made = replace(made, body=body)
        self.kernels.append(made)
        return made

    def _check_captured(self, one: Declared, block: ast.BlockLiteral, around: Around) -> None:
        note = Note("declared here", one.name.span)
        if one.name.text in around.ambiguous:
            message = f"which '{one.name.text}' the block uses is not plain: give them names of their own"
            self._complaints.fail("E169", block.span, message, note)
        if one.is_array:
            message = f"the block uses the array '{one.name.text}' of the kernel around it: blocks copy no arrays"
            self._complaints.fail("E169", block.span, message, note)
        if any(REGIONS.get(word) is Region.LOCAL for word in one.type.qualifiers):
            message = f"the block uses '{one.name.text}' in local memory: a child does not share it with its parent"
            self._complaints.fail("E169", block.span, message, note)

    def _new_name(self, unit: str) -> str:
        number = 1
        while (name := f"{unit}_block{number}") in self._taken:
            number += 1
        self._taken.add(name)
        return name

    def _refuse(self, span: Span, message: str) -> NoReturn:
        self._complaints.fail("E169", span, message)


def _pseudo(name: str, arguments: tuple[ast.Expression, ...], span: Span) -> ast.Call:
    return ast.Call(ast.Name(name, span=span), arguments, span=span)


def _is_enqueue(node: ast.Node) -> bool:
    return isinstance(node, ast.Call) and node.function.text in {_ENQUEUE, _MARKER}


def _names(node: ast.Node) -> Iterator[str]:
    """The names of variables in a body, in the order in which they stand there."""
    match node:
        case ast.Name(text):
            yield text
        case ast.Call(_, arguments):
            for argument in arguments:
                yield from _names(argument)
        case ast.Member(base):
            yield from _names(base)
        case _:
            for part in parts_of(node):
                if not (isinstance(node, ast.Declarator) and part is node.name):
                    yield from _names(part)
