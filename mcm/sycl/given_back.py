"""Memory that a host program gives back, by its name or by a pointer: `free(x, q)`, `delete[] x` (ADR 83)."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final, Never

from mcm.program.resolve.command_words import FREED, INSIDE, said
from mcm.sycl import tree
from mcm.sycl.aliases import Aliases, without_casts
from mcm.sycl.containers import KIND, VECTOR
from mcm.sycl.context import call, number
from mcm.sycl.exchanged_pointers import NOTHING_EXCHANGED
from mcm.sycl.freed import DELETES, DELETES_ONE, Outstanding, is_apart
from mcm.sycl.queue_lists import QueueLists
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcm.sycl.context import Object
    from mcm.syntax.ast import Expression, Node, Statement

_USM: Final = frozenset({"malloc_shared", "malloc_device", "malloc_host"})
_SHOWN: Final = {"free": "'std::free({})'", DELETES: "'delete[] {}'", DELETES_ONE: "'delete {}'"}
_NULL: Final = frozenset({"nullptr", "NULL"})


class GivenBack(QueueLists):
    """What a body of the host knows of memory that it gives back."""

    _exchanged = NOTHING_EXCHANGED
    # The body as a whole, and the loops that are being written out.
    _whole: Node | None = None
    _loops: list[Node]
    _memory: Mapping[str, Object]
    _outstanding: Outstanding
    _aliases: Aliases | None = None
    # Memory of which it is looked at who uses it after it is given back, and pointers that led to what is not.
    _freed: set[str]
    _gone: list[ast.Name]

    @abstractmethod
    def _queue_of_buffers(self, node: Node) -> ast.Name:
        """The queue of what waits for buffers."""

    def _given_back(self, how: str, arguments: tuple[Node, ...], node: Node) -> list[Statement]:
        """What gives memory back, unless the text shows that nothing uses it then or later (ADR 83)."""
        if self._aliases is None and self._whole is not None:
            self._aliases = Aliases(self._whole, self._memory)
        written = without_casts(arguments[0]) if arguments else None
        if written is None or (isinstance(written, ast.Name) and plain(written.text) in _NULL):
            return []
        if not isinstance(written, ast.Name):
            if isinstance(written, ast.Infix | ast.Prefix | tree.MemberCall) and not _is_pointed_at(written):
                self._refuse(
                    written, f"'{written.span.text}' is not what an allocation returned, so that giving it back"
                )
            message = f"memory is given back by the name of it, or of a pointer, found '{written.span.text}'"
            self.complaints.fail("E207", written.span, message)
        given: ast.Name = written
        name = given.text
        is_memory = self.scopes.find(name) is None and name in self._memory
        one = name if is_memory else None if self._aliases is None else self._aliases.object_of(name)
        if one is not None:
            self._check_how(how, one, len(arguments), given)
            names = self._exchanged.names if one in self._exchanged.names else {one}
            return [] if self._is_apart(names, node) else [self._lost(one, names, given, node)]
        return self._by_pointer(how, given, len(arguments), node)

    def _refuse(self, node: Node, what: str) -> Never:
        self.complaints.fail("E216", node.span, f"{what} is undefined")

    def _check_how(self, how: str, name: str, count: int, node: Node) -> None:
        """Refuse to give memory back in another way than it was made."""
        kind, shown = self._memory[name].kind, node.span.text
        if kind in {KIND, VECTOR, "buffer"}:
            self._refuse(node, f"'{shown}' was not made by an allocation, so that giving it back")
        is_usm = how == "free" and count > 1
        does = f"'free({shown}, q)'" if is_usm else _SHOWN[how].format(shown)
        if kind in _USM and not is_usm:
            self._refuse(node, f"'{shown}' was made by {kind}, and is given back by 'free({shown}, q)': {does}")
        if kind == "system" and (is_usm or how == DELETES_ONE):
            ways = f"'delete[] {shown}' or 'std::free({shown})'"
            self._refuse(node, f"'{shown}' was made by 'new' or 'malloc', and is given back by {ways}: {does}")

    def _is_apart(self, names: Iterable[str], node: Node) -> bool:
        """Whether all commands are complete, and nothing behind a statement uses some memory."""
        # What a loop makes anew each time is used that time alone.
        is_once = all(self._makes(loop, name) for loop in self._loops for name in names)
        is_certain = self._outstanding.is_certain and is_once and self._freed.isdisjoint(names)
        if not is_certain or self._whole is None or self._aliases is None:
            return False
        return is_apart(names, self._aliases, node, self._whole)

    def _makes(self, loop: Node, name: str) -> bool:
        """Whether some memory is made in a loop."""
        made = self._memory[name].span
        declared = (node.name for node in walk([loop]) if isinstance(node, ast.Declarator))
        return any(one.text == name and one.span == made for one in declared)

    def _lost(self, name: str, names: Iterable[str], given: ast.Name, node: Node) -> Statement:
        """What leaves memory without values."""
        self._freed |= set(names)
        memory = ast.Name(name, span=given.span)
        self.context.used[name] = None
        lost = (self._queue_of_buffers(node), memory, said(FREED, (), node))
        return ast.ExpressionStatement(call("clEnqueueSVMMemFill", lost, node), span=node.span)

    def _lost_by_task(self, given: ast.Name, awaited: tuple[Expression, ...]) -> Statement:
        """What leaves memory without values that a host task gives back at its end, behind what is `awaited`."""
        if self._aliases is None and self._whole is not None:
            self._aliases = Aliases(self._whole, self._memory)
        one = None if self._aliases is None else self._aliases.object_of(given.text)
        name = given.text if given.text in self._memory else one
        if name is None or self._memory[name].kind not in _USM:
            message = f"a host task gives back memory by the name of it, found '{given.span.text}'"
            self.complaints.fail("E207", given.span, message)
        self._freed |= {name}
        self.context.used[name] = None
        memory = ast.Name(name, span=given.span)
        lost = (self._queue_of_buffers(given), memory, said(FREED, (), given), *awaited)
        return ast.ExpressionStatement(call("clEnqueueSVMMemFill", lost, given), span=given.span)

    # --- by a pointer -------------------------------------------------------------------------------------------------

    def _by_pointer(self, how: str, given: ast.Name, count: int, node: Node) -> list[Statement]:
        """What gives back what a pointer leads to: the memory whose address it has then, which is one allocation."""
        found = None if self._aliases is None else self._aliases.reached_from(given.text)
        kinds = _USM if how == "free" and count > 1 else frozenset({"system"})
        objects = sorted(
            name for name in (self._memory if found is None else found) if self._memory[name].kind in kinds
        )
        pointer = self.value(given)
        for name in objects:
            self.context.used[name] = None
        equal = [ast.Infix("==", pointer, ast.Name(name, span=given.span), span=given.span) for name in objects]
        why = f"'{given.span.text}' is not what an allocation returned"
        checked = self._checked(equal, why, given, node)
        if self._is_apart(objects, node):
            # What the pointers of another block led to has a name of its own.
            known = [one for one in self._gone if self.scopes.find(one.text) is not None]
            gone = [ast.Infix("==", pointer, one, span=given.span) for one in known]
            self._gone.append(given)
            found_twice = f"what '{given.span.text}' leads to was given back before"
            twice = (self._required(ast.Prefix("!", one, span=given.span), found_twice, node) for one in gone)
            return [checked, *twice]
        statement = checked
        for name, test in zip(objects, equal, strict=True):
            statement = ast.If(test, self._lost(name, {name}, given, node), statement, span=node.span)
        return [statement]

    def _checked(self, equal: list[ast.Infix], why: str, given: ast.Name, node: Node) -> Statement:
        """A pointer has to be null, or the address of an allocation."""
        null = ast.Name("NULL", span=given.span)
        holds: Expression = ast.Infix("==", self.value(given), null, span=given.span)
        for one in equal:
            holds = ast.Infix("||", holds, one, span=given.span)
        return self._required(holds, why, node)

    def _required(self, holds: Expression, why: str, node: Node) -> Statement:
        """A fault unless a condition holds."""
        index = ast.Conditional(holds, number(0, node), number(1, node), span=node.span)
        asked = call(f"{INSIDE}{why}", (index, number(1, node)), node)
        return ast.ExpressionStatement(asked, span=node.span)


def _is_pointed_at(node: Node) -> bool:
    """Whether an expression is what a pointer leads to, which may be any address."""
    return isinstance(node, ast.Prefix) and node.operator != "&"
