"""What accessors of SYCL order, said by events: OpenCL knows no other way in which a command waits for another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.convert.refusal import refused
from mcm.program.resolve.buffer_order import BufferOrder, accesses_of, is_access
from mcm.program.resolve.call_walk import WAITS_FOR_BUFFER
from mcm.sycl.host_commands import event_variable
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

_WAIT: Final = "wait"


def with_events(node: ast.Block) -> ast.Block:
    """The body of a host in which commands wait for the events of those that accessors order before them."""
    return _Body(node).block(node)


class _Body:
    def __init__(self, body: ast.Block) -> None:
        self._order: Final[BufferOrder[str]] = BufferOrder()
        self._taken: Final = {node.text for node in walk([body]) if isinstance(node, ast.Name)}

    def block(self, node: ast.Block) -> ast.Block:
        """A block that is executed in any case."""
        return replace(node, statements=tuple(self._statement(one) for one in node.statements))

    def _statement(self, node: ast.Statement) -> ast.Statement:
        match node:
            case ast.Block():
                return self.block(node)
            case ast.ExpressionStatement(ast.Call() as enqueuing) if _is_on_buffer(enqueuing):
                if enqueuing.function.text == WAITS_FOR_BUFFER:
                    events = self._events(enqueuing, self._order.required(accesses_of(enqueuing.arguments)))
                    waiting = ast.Call(ast.Name("clWaitForEvents", span=enqueuing.span), events, span=enqueuing.span)
                    return replace(node, expression=waiting) if events else ast.Empty(span=node.span)
                name = self._new_event(enqueuing)
                return event_variable(name, self._call(enqueuing, name.text), node)
            case ast.ExpressionStatement(ast.Assignment("=", ast.Name(text), ast.Call() as enqueuing) as assigned) if (
                _is_on_buffer(enqueuing)
            ):
                return replace(node, expression=replace(assigned, value=self._call(enqueuing, text)))
            case ast.Declaration(_, (ast.Declarator(name, initializer=ast.Call() as enqueuing) as one,)) if (
                _is_on_buffer(enqueuing)
            ):
                return replace(node, declarators=(replace(one, initializer=self._call(enqueuing, name.text)),))
            case _:
                for part in walk([node]):
                    if isinstance(part, ast.Call) and _is_on_buffer(part):
                        reason = (
                            "in a branch or a loop of SYCL, a command waits for those on its buffers that were "
                            "submitted before; in OpenCL for events alone, which are those of certain commands"
                        )
                        raise refused(part, reason)
                return node

    def _call(self, node: ast.Call, event: str) -> ast.Call:
        """A call that enqueues, with a wait list in place of accesses; its event has this name."""
        accesses = accesses_of(node.arguments)
        listed = [one for one in node.arguments if isinstance(one, ast.Call) and one.function.text == _WAIT]
        named = [one for call in listed for one in call.arguments]
        events = (*named, *self._events(node, self._order.required(accesses)))
        self._order.submit(event, accesses)
        arguments = tuple(one for one in node.arguments if one not in listed and not is_access(one))
        if not events:
            return replace(node, arguments=arguments)
        once = {one.text: one for one in events if isinstance(one, ast.Name)}
        waits = ast.Call(ast.Name(_WAIT, span=node.span), tuple(once.values()), span=node.span)
        return replace(node, arguments=(*arguments, waits))

    def _events(self, node: ast.Node, names: Iterable[str]) -> tuple[ast.Expression, ...]:
        return tuple(ast.Name(name, span=node.span) for name in names)

    def _new_event(self, node: ast.Node) -> ast.Name:
        number = 1
        while (name := f"(event {number})") in self._taken:
            number += 1
        self._taken.add(name)
        return ast.Name(name, span=node.span)


def _is_on_buffer(node: ast.Call) -> bool:
    return any(map(is_access, node.arguments))
