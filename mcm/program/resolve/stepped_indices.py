"""`p[n++] = v` and `p[atomic_inc(n)] = v` with vectors or structures: the index stands before the statement.

Each member is accessed by itself, and all of them at one index.
"""

from __future__ import annotations

import re
from collections.abc import Callable  # noqa: TC003 - the field of a Struct
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from mcm.program.resolve.computing import only_computes
from mcm.program.resolve.record_results import OwnNames, Results  # noqa: TC001 - as above
from mcm.program.resolve.record_types import Shape  # noqa: TC001 - as above
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import names_in, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEPS: Final = frozenset({"++", "--"})
_UPDATES: Final = re.compile(r"atom(?:ic)?_\w+")
# They order nothing, so that reads of other memory may come before or after them.
_RELAXED: Final = re.compile(r"atom(?:ic)?_(?:add|sub|inc|dec|xchg|cmpxchg|min|max|and|or|xor)")


class SteppedIndices(Struct):
    """Such indices in the statements of a test; `shape_of` is what is known of a variable that is a record.

    `results` knows the private variables that no pointer leads to.
    """

    shape_of: Callable[[str], Shape | None]
    results: Results
    _count: int = 0

    def before(self, node: ast.Statement) -> tuple[list[ast.Statement], ast.Statement]:
        """The variables for such indices of a statement, and the statement with them.

        Only what nothing else in the statement depends on is made before: then no order can be seen.
        """
        found: list[ast.Statement] = []
        for place in _places(node):
            match place:
                case ast.Index(ast.Name(record), index) | ast.Infix("+", ast.Name(record), index) if self._is_place(
                    record
                ) and _may_come_first(index, node, self.results.names):
                    self._count += 1
                    name = ast.Name(f"#index{self._count}", span=index.span)
                    variable = ast.Declarator(name, initializer=index, span=index.span)
                    type_ = ast.TypeName((), "long", span=index.span)
                    found.append(ast.Declaration(type_, (variable,), span=index.span))
                    node = _With(index, name).node(node)
                case _:
                    pass
        return found, node

    def _is_place(self, name: str) -> bool:
        """Whether a variable points to structures or vectors, or is an array of such."""
        shape = self.shape_of(name)
        return shape is not None and (shape.is_pointer or shape.is_array)


def _places(node: ast.Statement) -> Iterator[ast.Expression]:
    """The place that a statement assigns to, and the value that it takes: both are accessed for sure, and once."""
    match node:
        case ast.ExpressionStatement(ast.Assignment(_, target, value)):
            yield _whole(target)
            yield _taken(value)
        case ast.Declaration(
            _, (ast.Declarator(initializer=ast.Index() | ast.Member() | ast.Prefix() | ast.Infix() as value),)
        ):
            yield _taken(value)
        case _:
            return


def _taken(value: ast.Expression) -> ast.Expression:
    """The record whose value or address a value is, `p[k].a` and `&p[k]`; else the value itself."""
    return _whole(value.operand) if isinstance(value, ast.Prefix) and value.operator == "&" else _whole(value)


def _whole(node: ast.Expression) -> ast.Expression:
    """The record of which a member is accessed."""
    while isinstance(node, ast.Member) and node.operator == ".":
        node = node.base
    return node


def _may_come_first(index: ast.Expression, statement: ast.Statement, names: OwnNames) -> bool:
    """Whether an index does more than read, and nothing else in its statement depends on what it does."""
    acting = [part for part in walk([index]) if _acts(part)]
    changed: set[str] = set()
    is_relaxed = is_unseen = True
    for part in acting:
        match part:
            case ast.Postfix(_, ast.Name(text)) | ast.Prefix(_, ast.Name(text)):
                changed.add(text)
                is_unseen &= text in names.private
            case ast.Call(function, (target, *others)) if _UPDATES.fullmatch(function.text):
                changed |= names_in(target)
                words = {one.text for one in others if isinstance(one, ast.Name)}
                is_relaxed &= _RELAXED.fullmatch(function.text) is not None or "memory_order_relaxed" in words
            case _:
                return False
    rest = _besides(statement, index)
    root = statement.expression if isinstance(statement, ast.ExpressionStatement) else None
    if not acting or any(_acts(part) and part is not root and not _steps_apart(part, index) for part in rest):
        return False
    used = {part.text for part in rest if isinstance(part, ast.Name)}
    reads = [part for part in rest if _reads(part)]
    # What an update changes may be read through another pointer.
    updates = any(isinstance(part, ast.Call) for part in acting)
    is_led_to = updates and any(not names.lead.isdisjoint(names_in(part)) for part in reads)
    return changed.isdisjoint(used) and (not reads or (is_relaxed and is_unseen and not is_led_to))


def _steps_apart(node: ast.Node, index: ast.Expression) -> bool:
    """Whether a part of a statement is a step of a variable that an index does not mention."""
    match node:
        case ast.Postfix(_, ast.Name(text)) | ast.Prefix(_, ast.Name(text)):
            return text not in names_in(index)
        case _:
            return False


def _acts(node: ast.Node) -> bool:
    match node:
        case ast.Call(function):
            return not only_computes(function.text)
        case ast.Postfix() | ast.Assignment():
            return True
        case ast.Prefix(operator):
            return operator in _STEPS
        case _:
            return False


def _reads(node: ast.Node) -> bool:
    """Whether a part of a value may read memory; the place that is assigned to comes last in any case."""
    match node:
        case ast.Index() | ast.Member(_, "->") | ast.Prefix("*"):
            return True
        case ast.Call(function):
            return function.text.startswith("vload")
        case _:
            return False


def _besides(statement: ast.Statement, index: ast.Expression) -> list[ast.Node]:
    """All parts of a statement but an index, and the place that is assigned to at this index."""
    left = {id(part) for part in walk([index])}
    if isinstance(statement, ast.ExpressionStatement) and isinstance(statement.expression, ast.Assignment):
        whole = _whole(statement.expression.target)
        if isinstance(whole, ast.Index) and whole.index is index:
            left.add(id(whole))
    return [part for part in walk([statement]) if id(part) not in left]


class _With(Struct):
    """Puts a variable in the place of an index."""

    index: ast.Expression
    name: ast.Name

    def node(self, node: ast.Statement) -> ast.Statement:
        """A statement."""
        found = self._part(node)
        assert isinstance(found, ast.Statement)
        return found

    def _part(self, node: Any) -> Any:
        return self.name if node is self.index else with_parts(node, self._part)
