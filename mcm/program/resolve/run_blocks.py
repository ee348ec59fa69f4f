"""What GNU C adds to expressions: `typeof(x)`, the type of an expression, and `({ … })`, a block with a value.

Such a block is a function in its unit that is called where the block stands: it knows the variables around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec.structs import replace

from mcm.program.resolve.spelling import REGIONS
from mcm.program.resolve.typed_walk import Measured, TypedWalk
from mcm.syntax import ast
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.resolve.complaints import Complaints

_LOOPS: Final = (ast.While, ast.DoWhile, ast.For)


def without_run_blocks(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with types in place of `typeof`, and functions in place of such blocks."""
    return _Named(tree, complaints).test(tree)


class _Named(TypedWalk):
    """Names types, and blocks that are run where they stand."""

    def __init__(self, tree: ast.Litmus, complaints: Complaints) -> None:
        super().__init__(tree, complaints)
        self._count = 0
        # The functions that are defined before the statement at hand.
        self._before: list[ast.Statement] = []

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        match node:
            case ast.TypeName() if node.of is not None:
                return self._named(node)
            case ast.Declaration(type_, declarators) if type_.of is not None:
                found = self._named(type_)
                stars = tuple(replace(one, pointers=(*found.pointers, *one.pointers)) for one in declarators)
                return super().node(replace(node, type=replace(found, pointers=()), declarators=stars))
            case ast.Parameter(type_) if type_.of is not None:
                return super().node(replace(node, type=self._named(type_)))
            case ast.ExpressionStatement(ast.BlockLiteral(is_run=True) as block):
                return replace(node, expression=self._run(block, is_used=False))
            case ast.BlockLiteral(is_run=True):
                return self._run(node, is_used=True)
            case ast.Switch(condition, body):
                # No statement may stand before the first label.
                statements = tuple(map(self.node, body.statements))
                return replace(node, condition=self.node(condition), body=replace(body, statements=statements))
            case ast.Block(statements):
                self._scopes.append({})
                try:
                    return replace(node, statements=tuple(one for each in statements for one in self._statement(each)))
                finally:
                    self._scopes.pop()
            case _:
                return super().node(node)

    def _statement(self, node: ast.Statement) -> Iterator[ast.Statement]:
        """A statement, behind the functions that it calls."""
        if not any(isinstance(one, ast.BlockLiteral) and one.is_run for one in walk([node])):
            yield self.node(node)
            return
        if isinstance(node, ast.Declaration) and len(node.declarators) > 1:
            for one in node.declarators:
                yield from self._statement(replace(node, declarators=(one,)))
            return
        if isinstance(node, ast.For) and node.initial is not None:
            inside = ast.Block((node.initial, replace(node, initial=None)), span=node.span)
            yield self.node(inside)
            return
        around, self._before = self._before, []
        try:
            found = self.node(node)
            yield from self._before
            yield found
        finally:
            self._before = around

    def _named(self, type_: ast.TypeName) -> ast.TypeName:
        """The type that `typeof` names; that of what lies in memory is that of its value."""
        assert type_.of is not None
        found = self._value_of(type_.of)
        words = (word for word in (*type_.qualifiers, *found.qualifiers) if found.pointers or word not in REGIONS)
        return replace(found, qualifiers=tuple(words), pointers=(*found.pointers, *type_.pointers), span=type_.span)

    def _value_of(self, node: ast.Expression) -> ast.TypeName:
        """The type of the value of an expression: of an array, a pointer to its first element."""
        measured: Measured = self.type_of(self.node(node))
        if len(measured.lengths) > 1:
            self._refuse(node)
        is_address = measured.is_passed or bool(measured.lengths)
        return replace(measured.type, pointers=(*measured.type.pointers, *(((),) if is_address else ())))

    def _run(self, block: ast.BlockLiteral, *, is_used: bool) -> ast.Call:
        """A call of the function that a block is; it returns nothing where its value is not used."""
        for one in _jumps(block.body):
            self.complaints.fail("E050", one.span, "a jump out of a block with a value, '({ … })', is not supported")
        self._scopes.append({})
        try:
            statements = [one for each in block.body.statements for one in self._statement(each)]
            type_ = ast.TypeName((), "void", span=block.span)
            last = statements[-1] if statements else None
            if isinstance(last, ast.ExpressionStatement) and is_used:
                type_ = self._value_of(last.expression)
                words = tuple(word for word in type_.qualifiers if type_.pointers or word not in {*REGIONS, "const"})
                type_ = replace(type_, qualifiers=words)
                statements[-1] = ast.Return(last.expression, span=last.span)
        finally:
            self._scopes.pop()
        self._count += 1
        name = ast.Name(f"block#{self._count}", span=block.span)
        body = replace(block.body, statements=tuple(statements))
        self._before.append(ast.Function(name, (), type_, (), body, span=block.span))
        self._functions[name.text] = type_
        return ast.Call(name, (), span=block.span)

    def _refuse(self, node: ast.Expression) -> NoReturn:
        message = (
            f"the type of '{node.span.text}', which 'typeof' or a block with a value needs; name it, or cast to it"
        )
        self.complaints.fail("E100", node.span, f"not yet supported: {message}")


def _jumps(node: ast.Node) -> Iterator[ast.Node]:
    """The jumps that leave a block."""
    if isinstance(node, ast.Return | ast.Goto | ast.Break | ast.Continue):
        yield node
    for part in parts_of(node):
        leaving = _jumps(part)
        # A loop, or a `switch`, is left by some of its own.
        is_own = (
            (ast.Break, ast.Continue) if isinstance(node, _LOOPS) else ast.Break if isinstance(node, ast.Switch) else ()
        )
        yield from (one for one in leaving if not isinstance(one, is_own))
