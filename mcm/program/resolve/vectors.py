"""Vectors as operands: an operator between vectors is one between each two of their components.

`a + b`, `-a`, `2 * a`, `(float4)(x)`, `a += b`. A number that stands for a vector has the same value in each component;
it is written down once for each, so it must not do anything but read.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

_COMPONENT_WISE: Final = frozenset({"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"})
_SIGNS: Final = frozenset({"+", "-", "~"})
_STEPS: Final = frozenset({"++", "--"})

Components = list[ast.Expression]


class Vectors(Struct, frozen=True):
    """How the vectors of a test are taken apart.

    `variable` gives the components of a variable or an element, None where that is no vector; `scalar` takes apart what
    is in any other expression; `size` is that of a vector type, None for other types.
    """

    variable: Callable[[ast.Expression], Components | None]
    scalar: Callable[[ast.Expression], ast.Expression]
    size: Callable[[ast.TypeName], int | None]
    complaints: Complaints

    def components(self, node: ast.Expression) -> Components | None:
        """The components of an expression; None where it is no vector."""
        match node:
            case ast.Infix(operator, left, right) if operator in _COMPONENT_WISE:
                one, other = self.components(left), self.components(right)
                if one is None and other is None:
                    return None
                size = len(one or other or ())
                one, other = self.replicated(left, one, size), self.replicated(right, other, size)
                return [ast.Infix(operator, a, b, span=node.span) for a, b in zip(one, other, strict=True)]
            case ast.Prefix(sign, operand) if sign in _SIGNS:
                found = self.components(operand)
                return None if found is None else [ast.Prefix(sign, one, span=node.span) for one in found]
            case ast.Cast(type_, operand) if (length := self.size(type_)) is not None:
                return self.listed(operand, length)
            case _:
                return self.variable(node)

    def listed(self, node: ast.Expression, size: int) -> Components:
        """`(a, b, c, d)`, `(x)`, or vectors in place of some of their components."""
        items = _items(node)
        if len(items) == 1:
            return self.replicated(node, self.components(node), size)
        found: Components = []
        for item in items:
            part = self.components(item)
            found += [self.scalar(item)] if part is None else part
        if len(found) != size:
            message = f"{len(found)} values for the {size} components of a vector"
            self.complaints.fail("E131", node.span, message)
        return found

    def replicated(self, node: ast.Expression, found: Components | None, size: int) -> Components:
        """The components of an operand, of a vector or of a number that is one in each component."""
        if found is None:
            if _acts(node):
                message = f"'{node.span.text}' would be computed once for each component: give it a variable of its own"
                self.complaints.fail("E100", node.span, f"not yet supported: {message}")
            return [self.scalar(node)] * size
        if len(found) != size:
            message = f"'{node.span.text}' has {len(found)} components, the other operand has {size}"
            self.complaints.fail("E122", node.span, message)
        return found

    def assigned(self, operator: str, target: Components, value: ast.Expression, node: ast.Expression) -> Components:
        """The assignments that `target operator value` is."""
        source = self.replicated(value, self.components(value), len(target))
        for number, one in enumerate(target):
            if any(_mentions(other, one) for other in source[number + 1 :]):
                message = f"'{value.span.text}' reads components that are overwritten before: use a variable of its own"
                self.complaints.fail("E100", value.span, f"not yet supported: {message}")
        return [ast.Assignment(operator, a, b, span=node.span) for a, b in zip(target, source, strict=True)]


def _items(node: ast.Expression) -> tuple[ast.Expression, ...]:
    return (*_items(node.left), node.right) if isinstance(node, ast.Infix) and node.operator == "," else (node,)


def _acts(node: ast.Expression) -> bool:
    """Whether an expression does more than read."""
    return any(
        isinstance(part, ast.Call | ast.Assignment | ast.Postfix)
        or (isinstance(part, ast.Prefix) and part.operator in _STEPS)
        for part in walk([node])
    )


def _mentions(node: ast.Expression, target: ast.Expression) -> bool:
    return any(part == target for part in walk([node]))
