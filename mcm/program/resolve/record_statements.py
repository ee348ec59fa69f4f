"""Statements with structures or vectors that are several: pointers that step in an expression, structures behind `?:`.

`v = shuffle(p[0], m);` is `w = p[0]; v = shuffle(w, m);`, so that all of the vector is read.
`*p++ = v;` is `*p = v; p++;` where nothing else in the statement sees `p`: then no order can be seen.
`v = w = x;` is `w = x; v = w;`. `v = c ? f(a) : b;` is `if (c) v = f(a); else v = b;`, so that `f` is called where it
is wanted only.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.computing import GEOMETRIC, SHUFFLES, acts
from mcm.program.resolve.record_results import Results  # noqa: TC001 - as above
from mcm.program.resolve.record_types import Slot, is_vector
from mcm.program.resolve.typed_walk import VECTOR
from mcm.program.resolve.vectors import Vectors  # noqa: TC001 - as above
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import changed_variable, names_in, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.program.resolve.complaints import Complaints

_STEPS: Final = frozenset({"++", "--"})
_ACTING: Final = (ast.Assignment, ast.Call, ast.Postfix, ast.Prefix)
_SEQUENCED: Final = frozenset({"&&", "||", ","})


class RecordStatements(Struct):
    """One of `moves` says whether an expression is a pointer to structures, `is_structure` whether it is a structure.

    `results` knows calls that return one.
    """

    moves: tuple[Callable[[ast.Expression], bool], ...]
    is_structure: Callable[[ast.Expression], bool]
    results: Results
    vectors: Vectors
    count: int = 0

    def apart(self, node: ast.Statement) -> list[ast.Statement] | None:
        """The statements that one is; None where it is one."""
        if not isinstance(node, ast.Declaration | ast.ExpressionStatement | ast.Return):
            return None
        return self._stepped(node) or self._chosen(node) or self._chained(node) or self._shuffled(node)

    def numbers_before(
        self, node: ast.Statement, result: tuple[Slot, ...] | None
    ) -> tuple[list[ast.Statement], ast.Statement]:
        """The calls that give numbers for the vector of a statement, and the statement behind them.

        `result` are the members of what the function at hand returns.
        """
        match node:
            case _ if not self.results.functions:
                is_of_vector = False
            case ast.Declaration(type_, (ast.Declarator(pointers=()),)):
                is_of_vector = self.vectors.size(type_) is not None
            case ast.ExpressionStatement(ast.Assignment(_, target)):
                is_of_vector = self.vectors.variable(target) is not None
            case ast.Return():
                is_of_vector = result is not None and is_vector(result)
            case _:
                is_of_vector = False
        is_of_vector = is_of_vector or (bool(self.results.functions) and _makes_number_of_vectors(node))
        return self.results.numbers_before(node) if is_of_vector else ([], node)

    # --- elements that are shuffled ---

    def _shuffled(self, node: ast.Declaration | ast.ExpressionStatement | ast.Return) -> list[ast.Statement] | None:
        calls = [part for part in walk([node]) if isinstance(part, ast.Call) and part.function.text in SHUFFLES]
        if not calls or any(acts(root) or _may_skip(root) for root in _roots(node)):
            return None
        for one in (each for call in calls for each in call.arguments[: SHUFFLES[call.function.text]]):
            element, parts = self.vectors.element(one), self.vectors.components(one)
            if element is not None and parts is not None and any(map(_reads, walk([one]))):
                self.count += 1
                name = ast.Name(f"#shuffled{self.count}", span=one.span)
                type_ = ast.TypeName((), f"{element}{len(parts)}", span=one.span)
                kept = ast.Declarator(name, initializer=one, span=one.span)
                return [ast.Declaration(type_, (kept,), span=one.span), _Instead(one, name).node(node)]
        return None

    # --- assignments of assignments ---

    def _chained(self, node: ast.Declaration | ast.ExpressionStatement | ast.Return) -> list[ast.Statement] | None:
        """`v = w = x;` of vectors or structures is `w = x; v = w;` where one is a variable that nothing else sees."""
        match node:
            case ast.ExpressionStatement(
                ast.Assignment("=", one, ast.Assignment("=", other, value) as inner) as outer
            ) if self.vectors.components(other) is not None or self.is_structure(other):
                are_apart = self._is_private(one) and self._is_private(other)
                if not are_apart and not names_in(one).isdisjoint(names_in(other)):
                    # What is assigned may say which element the other place is.
                    return None
                if self._is_private(other):
                    first, second = inner, replace(outer, value=other)
                elif self._is_private(one) and not isinstance(value, ast.Assignment):
                    first, second = replace(outer, value=value), replace(inner, value=one)
                else:
                    return None
                return [ast.ExpressionStatement(each, span=node.span) for each in (first, second)]
            case _:
                return None

    def _is_private(self, node: ast.Expression) -> bool:
        """Whether an expression is a private variable, or a member of one."""
        while isinstance(node, ast.Member) and node.operator == ".":
            node = node.base
        return isinstance(node, ast.Name) and node.text in self.results.names.private

    # --- pointers that step ---

    def _stepped(self, node: ast.Declaration | ast.ExpressionStatement | ast.Return) -> list[ast.Statement] | None:
        roots = [node.expression] if isinstance(node, ast.ExpressionStatement) else []
        if isinstance(node, ast.Declaration) and len(node.declarators) == 1:
            initial = node.declarators[0].initializer
            roots = [initial] if isinstance(initial, ast.Expression) else []
        for root in roots:
            for step in _evaluated(root):
                uses = sum(isinstance(part, ast.Name) and part == step.operand for part in walk([node]))
                if step is root or uses != 1:
                    continue
                left = _Instead(step, step.operand).node(node)
                # Where its address is taken, the statement may see it by a pointer, too.
                is_unseen = self._is_private(step.operand) and self._is_of_vector(left)
                if is_unseen or any(one(step.operand) for one in self.moves):
                    moved = ast.ExpressionStatement(step, span=step.span)
                    return [left, moved] if isinstance(step, ast.Postfix) else [moved, left]
        return None

    def _is_of_vector(self, node: ast.Statement) -> bool:
        """Whether a statement computes a vector, component by component, where C makes each step once."""
        match node:
            case ast.ExpressionStatement(ast.Assignment(_, target)):
                return not acts(target) and self.vectors.components(target) is not None
            case ast.Declaration(type_, (ast.Declarator(pointers=(), length=None),)):
                return VECTOR.fullmatch(type_.base) is not None
            case _:
                return False

    # --- structures behind `?:` ---

    def _chosen(self, node: ast.Declaration | ast.ExpressionStatement | ast.Return) -> list[ast.Statement] | None:
        match node:
            case ast.Declaration(_, (_, _, *_)) if any(map(self._begins_with_choice, node.declarators)):
                return [replace(node, declarators=(one,)) for one in node.declarators]
            case ast.Declaration(type_, (ast.Declarator(initializer=ast.Conditional() as value) as one,)):
                if one.pointers or one.length is not None or not self._is_choice(value):
                    return None
                words = tuple(word for word in type_.qualifiers if word != "const")
                bare = replace(
                    node, type=replace(type_, qualifiers=words), declarators=(replace(one, initializer=None),)
                )
                target = ast.Name(one.name.text, span=one.name.span)
                return [bare, _either(value, lambda side: _assigned(target, side))]
            case ast.ExpressionStatement(ast.Assignment("=", target, ast.Conditional() as value)):
                acts = any(
                    isinstance(part, ast.Assignment | ast.Call | ast.Postfix | ast.Prefix) for part in walk([target])
                )
                # What the condition changes may say which element the target is, and need not come before.
                changed = {changed_variable(part) for part in walk([value.condition])}
                if acts or not changed.isdisjoint(names_in(target)) or not self._is_choice(value):
                    return None
                return [_either(value, lambda side: _assigned(target, side))]
            case ast.Return(ast.Conditional() as value) if self._is_choice(value):
                return [_either(value, lambda side: ast.Return(side, span=node.span))]
            case _:
                return None

    def _begins_with_choice(self, one: ast.Declarator) -> bool:
        return isinstance(one.initializer, ast.Conditional) and self._is_choice(one.initializer)

    def _is_choice(self, node: ast.Conditional) -> bool:
        """Whether one of two structures is chosen, or of two vectors of which a call makes one.

        Other vectors are chosen component by component.
        """
        sides = (node.then, node.otherwise)
        kinds = (self.results.are_called_in, self._is_list, self.is_structure)
        return any(kind(side) for kind in kinds for side in sides) and self.vectors.components(node.condition) is None

    def refuse_choice(self, node: ast.Expression, complaints: Complaints) -> None:
        """Refuse to choose a structure inside an expression."""
        if isinstance(node, ast.Conditional) and (self.is_structure(node.then) or self.is_structure(node.otherwise)):
            message = (
                f"not yet supported: the structure '{node.span.text}' inside an expression; "
                f"give it a name, 's = {node.span.text};', and use that"
            )
            complaints.fail("E100", node.span, message)

    def _is_list(self, node: ast.Expression) -> bool:
        """Whether an expression is a structure without a name, `(struct S){a, b}`."""
        return isinstance(node, ast.CompoundLiteral) and self.vectors.components(node) is None


def _assigned(target: ast.Expression, value: ast.Expression) -> ast.Statement:
    return ast.ExpressionStatement(ast.Assignment("=", target, value, span=value.span), span=value.span)


def _either(value: ast.Conditional, make: Callable[[ast.Expression], ast.Statement]) -> ast.If:
    return ast.If(value.condition, make(value.then), make(value.otherwise), span=value.span)


def _evaluated(node: ast.Expression) -> Iterator[ast.Prefix | ast.Postfix]:
    """The steps of variables that are made in any case where an expression is evaluated."""
    match node:
        case ast.Prefix(operator, ast.Name()) | ast.Postfix(operator, ast.Name()) if operator in _STEPS:
            yield node
        case ast.Infix(operator, left) if operator in _SEQUENCED:
            yield from _evaluated(left)
        case ast.Conditional(condition):
            yield from _evaluated(condition)
        case ast.SizeOf():
            return
        case _:
            for name in node.__struct_fields__:
                part = getattr(node, name)
                for one in part if isinstance(part, tuple) else (part,):
                    if isinstance(one, ast.Expression):
                        yield from _evaluated(one)


def _roots(node: ast.Declaration | ast.ExpressionStatement | ast.Return) -> list[ast.Expression]:
    """The expressions that a statement evaluates, without the assignment that it is."""
    match node:
        case ast.Declaration(_, declarators):
            values = [one.initializer for one in declarators]
        case ast.ExpressionStatement(ast.Assignment(_, target, value)):
            values = [target, value]
        case ast.ExpressionStatement(value) | ast.Return(value):
            values = [value]
    lists = [one.items if isinstance(one, ast.InitializerList) else (one,) for one in values if one is not None]
    return [item for items in lists for item in items]


def _may_skip(node: ast.Expression) -> bool:
    """Whether a part of an expression may not be evaluated."""
    return any(
        isinstance(part, ast.Conditional) or (isinstance(part, ast.Infix) and part.operator in {"&&", "||"})
        for part in walk([node])
    )


def _reads(node: ast.Node) -> bool:
    """Whether a node reads memory, or an element of an array."""
    return isinstance(node, ast.Index) or (isinstance(node, ast.Prefix) and node.operator == "*")


class _Instead(Struct):
    """Puts one expression in the place of another."""

    part: ast.Expression
    by: ast.Expression

    def node(self, node: Any) -> Any:
        """A part of a statement."""
        return self.by if node is self.part else with_parts(node, self.node)


def _makes_number_of_vectors(node: ast.Statement) -> bool:
    """Whether a statement of one expression has a number made of vectors in it, as `dot` is."""
    is_one = isinstance(node, ast.Declaration | ast.ExpressionStatement | ast.Return)
    return is_one and any(isinstance(part, ast.Call) and part.function.text in GEOMETRIC for part in walk([node]))
