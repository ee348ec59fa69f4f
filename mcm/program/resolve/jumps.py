"""`goto` in other words: a jump forward is a way round what is between, a jump back is a loop.

A label stands in a block, and a jump to it in that block, or in a block, branch or loop that this block holds. What is
between is left by `break`, one loop after the other, or stands under a condition; a variable that no program can name
says where the jump goes, where that does not follow from the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.base.suggest import did_you_mean
from mcm.program.resolve.complaints import UnresolvedError
from mcm.program.resolve.type_names import names_local
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints

_Statements = list[ast.Statement]
_Unit = ast.Kernel | ast.Thread | ast.Function | ast.Callback | ast.BlockLiteral
_LOOPS: Final = (ast.While, ast.DoWhile, ast.For)


def without_jumps(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test without `goto`; complaints about jumps that have no such form."""
    return replace(tree, units=tuple(_without(unit, complaints) for unit in tree.units))


def _without(node: Any, complaints: Complaints) -> Any:
    """A part of a test; functions and blocks in it have labels of their own."""

    def inner(part: Any) -> Any:
        return _without(part, complaints)

    node = with_parts(node, inner)
    if not isinstance(node, _Unit) or node.body is None:
        return node
    body = node.body
    labels = [one.label.text for one in walk([body]) if isinstance(one, ast.Labelled)]
    try:
        while (found := _next(body)) is not None:
            block, label, place = found
            statements = tuple(_without_label(block, label, place, complaints))
            body = _Exchange(block, replace(block, statements=statements)).node(body)
    except UnresolvedError:
        return node
    for jump in _jumps(body):
        _refuse(jump, labels, complaints)
    return replace(node, body=body)


def _refuse(jump: ast.Goto, labels: list[str], complaints: Complaints) -> None:
    """A jump whose label is nowhere, or not around it."""
    text = jump.label.text
    if text not in labels:
        complaints.error("E101", jump.label.span, f"there is no label '{text}'{did_you_mean(text, labels)}")
        return
    message = (
        f"'goto' is supported to a label of a block around it; to '{text}' it leads into a block or a 'switch',"
        " or back across a 'break' or 'continue' of another loop"
    )
    complaints.error("E050", jump.span, message)


class _Exchange:
    """Puts one block in place of another."""

    def __init__(self, old: ast.Block, new: ast.Block) -> None:
        self._old: Final = old
        self._new: Final = new

    def node(self, node: Any) -> Any:
        """A part of a body."""
        return self._new if node is self._old else with_parts(node, self.node)


# --- what there is ----------------------------------------------------------------------------------------------------


def _jumps(node: ast.Node) -> Iterator[ast.Goto]:
    """The jumps in a part of a body; a block that is passed has its own."""
    if isinstance(node, ast.Goto):
        yield node
    elif not isinstance(node, ast.BlockLiteral):
        for part in parts_of(node):
            yield from _jumps(part)


def _has(node: ast.Node, label: str) -> bool:
    return any(jump.label.text == label for jump in _jumps(node))


def _blocks(node: ast.Node) -> Iterator[ast.Block]:
    """The blocks of a body in which a label may stand, outer before inner; the body of a `switch` is none."""
    if isinstance(node, ast.Block):
        yield node
    for part in parts_of(node):
        if isinstance(node, ast.Switch) and part is node.body:
            for statement in node.body.statements:
                yield from _blocks(statement)
        elif not isinstance(part, ast.BlockLiteral):
            yield from _blocks(part)


def _labels(node: ast.Statement) -> Iterator[str]:
    """The labels that stand before a statement."""
    while isinstance(node, ast.Labelled):
        yield node.label.text
        node = node.statement


def _next(body: ast.Block) -> tuple[ast.Block, str, int] | None:
    """A block with a label in it, and where it stands, that jumps in it lead to: first those that lead forward."""
    back = None
    for block in _blocks(body):
        for number, statement in enumerate(block.statements):
            for label in _labels(statement):
                if any(_has(one, label) for one in block.statements[:number]):
                    return block, label, number
                rest = block.statements[number : _last(block.statements, label) + 1]
                if rest and not any(_is_left(one) for one in rest):
                    back = back or (block, label, number)
    return back


def _last(statements: Sequence[ast.Statement], label: str) -> int:
    """The last of some statements that has a jump to a label; -1 where none has."""
    return max((number for number, one in enumerate(statements) if _has(one, label)), default=-1)


def _is_left(node: ast.Node, in_switch: bool = False) -> bool:  # noqa: FBT001, FBT002 - what is around
    """Whether a statement has a `break` or `continue` of a loop around it."""
    match node:
        case ast.Break():
            return not in_switch
        case ast.Continue():
            return True
        case ast.While() | ast.DoWhile() | ast.For() | ast.BlockLiteral():
            return False
        case _:
            inside = in_switch or isinstance(node, ast.Switch)
            return any(_is_left(part, inside) for part in parts_of(node))


# --- what stands in its place -----------------------------------------------------------------------------------------


def _without_label(block: ast.Block, label: str, place: int, complaints: Complaints) -> _Statements:
    """The statements of a block without the jumps to a label at a place in it that lead forward, or those back."""
    before, behind = list(block.statements[:place]), list(block.statements[place:])
    first = next((number for number, one in enumerate(before) if _has(one, label)), place)
    end = _last(behind, label) + 1
    if first < place:
        moved, between = _declared_before(before[first:], behind, complaints)
        target = behind if end else _unlabelled(behind, label)
        return [*before[:first], *moved, *_Jump(label).forward(between), *target]
    moved, repeated = _declared_before(_unlabelled(behind[:end], label), behind[end:], complaints)
    return [*before, *moved, _Jump(label, is_back=True).back(repeated), *behind[end:]]


def _unlabelled(statements: _Statements, label: str) -> _Statements:
    """The statements, the first of them without a label."""
    first = statements[0]
    return [_bare(first, label), *statements[1:]]


def _bare(node: ast.Statement, label: str) -> ast.Statement:
    assert isinstance(node, ast.Labelled)
    return node.statement if node.label.text == label else replace(node, statement=_bare(node.statement, label))


class _Jump:
    """The jumps to one label, in what they leave: out of loops by `break`, where they lead back by `continue`.

    `_is_told`: a variable says that there was one, since something asks for it.
    """

    def __init__(self, label: str, *, is_back: bool = False) -> None:
        self._label: Final = label
        self._is_back: Final = is_back
        self._is_told = False

    def forward(self, between: _Statements) -> _Statements:
        """What stands before a label, from the first statement with a jump to it on."""
        return self._with_variable(between)

    def back(self, repeated: _Statements) -> ast.Statement:
        """What is behind a label, up to the last statement with a jump to it."""
        first, last = repeated[0].span, repeated[-1].span
        inner = self._with_variable(repeated)
        body = ast.Block((*inner, ast.Break(span=last)), span=replace(first, end=last.end))
        return ast.While(ast.NumberLiteral("1", span=first), body, span=body.span)

    def _with_variable(self, statements: _Statements) -> _Statements:
        """The statements without jumps, behind a variable if something asks for it."""
        found = self._around(statements, breaks=False)
        if not self._is_told:
            return found
        span = statements[0].span
        zero = ast.Declarator(self._variable(span), initializer=ast.NumberLiteral("0", span=span), span=span)
        declared = ast.Declaration(ast.TypeName((), "int", span=span), (zero,), span=span)
        return [declared, *self._around(statements, breaks=False)]

    def _around(self, statements: Sequence[ast.Statement], *, breaks: bool) -> _Statements:
        """Statements behind each other; `breaks`: a jump here is one out of the loop or `switch` around them."""
        found: _Statements = []
        for number, one in enumerate(statements):
            if not _has(one, self._label):
                found.append(one)
                continue
            found.append(self._left(one, breaks=breaks))
            rest = statements[number + 1 :]
            if breaks or self._is_back:
                if self._crosses(one, breaks=breaks):
                    leave: ast.Statement = ast.Break(span=one.span) if breaks else ast.Continue(span=one.span)
                    found.append(ast.If(self._asked(one), leave, None, span=one.span))
                continue
            if rest:
                then = ast.Block(tuple(self._around(rest, breaks=False)), span=rest[0].span)
                test = ast.Prefix("!", self._asked(one), span=one.span)
                found.append(ast.If(test, then, None, span=rest[0].span))
            break
        return found

    def _inner(self, node: ast.Statement, *, breaks: bool) -> ast.Statement:
        """A statement in another one, a branch or a body: a block, if several have come of it."""
        if isinstance(node, ast.Block):
            return self._left(node, breaks=breaks)
        found = self._around([node], breaks=breaks)
        return found[0] if len(found) == 1 else ast.Block(tuple(found), span=node.span)

    def _left(self, node: ast.Statement, *, breaks: bool) -> ast.Statement:
        """A statement with jumps in it."""
        match node:
            case ast.Goto():
                return self._jump(node, breaks=breaks)
            case ast.Block(statements):
                return replace(node, statements=tuple(self._around(statements, breaks=breaks)))
            case ast.If(_, then, otherwise):
                other = None if otherwise is None else self._inner(otherwise, breaks=breaks)
                return replace(node, then=self._inner(then, breaks=breaks), otherwise=other)
            case ast.Case(_, inner) | ast.Labelled(_, inner):
                return replace(node, statement=self._inner(inner, breaks=breaks))
            case ast.Switch(_, body):
                return replace(node, body=self._inner(body, breaks=breaks or not self._is_back))
            case _:
                assert isinstance(node, _LOOPS), "nothing else holds statements"
                return replace(node, body=self._inner(node.body, breaks=True))

    def _jump(self, node: ast.Goto, *, breaks: bool) -> ast.Statement:
        """What a jump is here."""
        span = node.span
        if self._is_back and not breaks:
            return ast.Continue(span=span)
        leave: tuple[ast.Statement, ...] = (ast.Break(span=span),) if breaks else ()
        if not self._is_told:
            return leave[0] if leave else ast.Empty(span=span)
        one = ast.NumberLiteral("1", span=span)
        told = ast.ExpressionStatement(ast.Assignment("=", self._variable(span), one, span=span), span=span)
        return ast.Block((told, *leave), span=span)

    def _crosses(self, node: ast.Node, *, breaks: bool) -> bool:
        """Whether a jump in a statement leaves a loop or a `switch` in it, but not yet what is around."""
        kinds = (*_LOOPS, ast.Switch) if breaks or not self._is_back else _LOOPS
        return any(isinstance(one, kinds) and _has(one, self._label) for one in walk([node]))

    def _asked(self, node: ast.Node) -> ast.Name:
        """The variable, which is needed."""
        self._is_told = True
        return self._variable(node.span)

    def _variable(self, span: Span) -> ast.Name:
        return ast.Name(f"goto#{self._label}", span=span)


# --- what is declared between -----------------------------------------------------------------------------------------


def _declared_before(
    statements: _Statements, behind: Sequence[ast.Statement], complaints: Complaints
) -> tuple[_Statements, _Statements]:
    """What is declared in statements that get a block of their own, and must be known behind it; and what is left.

    A variable in local memory stands in the outermost block anyway.
    """
    used = {node.text for node in walk(behind) if isinstance(node, ast.Name)}
    moved: _Statements = []
    left: _Statements = []
    for one in statements:
        if not isinstance(one, ast.Declaration):
            left.append(one)
            continue
        for each in one.declarators:
            alone = replace(one, declarators=(each,))
            if each.name.text not in used and not names_local((each.pointers or (one.type.qualifiers,))[-1]):
                left.append(alone)
                continue
            if isinstance(each.initializer, ast.InitializerList) or (each.initializer is not None and each.length):
                message = f"'goto' past the declaration of '{each.name.text}', which is used behind the label"
                complaints.fail("E050", each.span, f"not supported: {message}; declare it before")
            plain = tuple(word for word in one.type.qualifiers if word != "const")
            pointers = tuple(tuple(word for word in words if word != "const") for words in each.pointers)
            bare = replace(each, initializer=None, pointers=pointers)
            moved.append(replace(alone, type=replace(one.type, qualifiers=plain), declarators=(bare,)))
            if each.initializer is not None:
                given = ast.Assignment("=", each.name, each.initializer, span=each.span)
                left.append(ast.ExpressionStatement(given, span=each.span))
    return moved, left
