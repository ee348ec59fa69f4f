"""Host tasks: commands of the host, whose lambdas may refer to what the host has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.sycl.body import Body
from mcm.sycl.captures import referred
from mcm.sycl.containers import KIND, VECTOR
from mcm.sycl.copied_arrays import is_copy
from mcm.sycl.entities import Opaque, Reference, Variable
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcm.program.resolve.complaints import Complaints
    from mcm.sycl import tree
    from mcm.sycl.context import Functions, Object
    from mcm.sycl.entities import Entity, Scopes


def known(function: tree.Lambda, outer: Mapping[str, Entity], memory: Mapping[str, Object]) -> dict[str, Entity]:
    """What a host task knows of the names around it: memory of the host that it refers to as well."""
    found = dict(outer)
    for name in referred(function):
        item = memory.get(name)
        entity = found.get(name)
        is_single = isinstance(entity, Opaque) or (isinstance(entity, Reference) and not entity.is_array)
        if item is not None and item.kind in {KIND, VECTOR} and is_single:
            target = ast.Prefix("*", ast.Name(name, span=item.span), span=item.span)
            found[name] = Reference(target, item.type)
        elif item is not None and is_copy(entity):
            del found[name]
    return found


def check_references(function: tree.Lambda, outer: Mapping[str, Entity], complaints: Complaints) -> None:
    """Refuse references to variables of the host that do not lie in memory."""
    names = referred(function)
    for node in walk([function]):
        entity = outer.get(node.text) if isinstance(node, ast.Name) and node.text in names else None
        if isinstance(entity, Variable | Reference) and entity.is_passed:
            message = f"a host task has no references to variables of the host, such as '{node.span.text}': use '[=]'"
            complaints.fail("E211", node.span, message)


class TaskBody(Body):
    """The body of a host task, in terms of a kernel with one work-item."""

    def __init__(
        self,
        scopes: Scopes,
        memory: Mapping[str, Object],
        functions: Functions,
        complaints: Complaints,
        function: tree.Lambda,
    ) -> None:
        super().__init__(scopes, memory, functions, complaints, is_host=False)
        self._referred: Final = referred(function)
        named = {node.text for node in walk([function.body]) if isinstance(node, ast.Name)}
        for name in sorted(self._referred & named):
            if isinstance(scopes.find(name), Reference) and name in memory:
                self.context.used[name] = None

    def tell_of_host(self, name: str, node: ast.Name) -> None:
        """A host task may use all memory of the host."""

    def check_capture(self, text: str, node: ast.Name) -> None:
        """Refuse memory that a host task cannot use by its name."""
        if text not in self._referred or self.context.memory[text].kind not in {KIND, VECTOR}:
            super().check_capture(text, node)
