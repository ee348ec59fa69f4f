"""What a hierarchical kernel does outside `parallel_for_work_item`: once for each work-group.


What is the same whoever computes it (`mcm.sycl.group_variables`) each work-item computes, so that it knows what
branches and loops do. Anything else is done by the first work-item of the group, and what a branch with
`parallel_for_work_item` in it depends on is broadcast. The group synchronises before and after each
`parallel_for_work_item`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from msgspec.structs import replace

from mcm.sycl import tree
from mcm.sycl.constants import constant
from mcm.sycl.group_variables import INNER, PRIVATE, GroupVariables, assigned
from mcm.sycl.inner_items import with_names_of_items
from mcm.sycl.ranges import range_sizes
from mcm.sycl.words import plain
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.sycl.context import Context, Object
    from mcm.sycl.entities import Entity
    from mcm.syntax.ast import Expression, Node, Statement

# The work-item of the kernel, as no variable is called.
ITEM: Final = "item#"


def number(value: int, node: Node) -> ast.NumberLiteral:
    """A number that is not written."""
    return ast.NumberLiteral(str(value), span=node.span)


class WorkGroupScope:
    """The body of a hierarchical kernel: `total` is the size of a group, `size` the one that it was given."""

    def __init__(
        self,
        function: tree.Lambda,
        total: tuple[int, ...],
        size: tuple[int, ...],
        outer: Mapping[str, Entity],
        memory: Mapping[str, Object],
        context: Context,
    ) -> None:
        self._function: Final = function
        self._group: Final = function.parameters[0].name.text
        self._total: Final = total
        self._size: Final = size
        self._outer: Final = outer
        self._context: Final = context
        self._variables: Final = GroupVariables(function, outer, memory)
        # Whether the first work-item did something that others are not known to see yet.
        self._pending = False
        self._broadcasts = 0

    def _fail(self, node: Node, message: str) -> NoReturn:
        self._context.complaints.fail("E207", node.span, message)

    def shared(self) -> tuple[tree.ObjectDeclaration, ...]:
        """The variables in local memory, as a command group declares them."""
        return tuple(self._local(name) for name in self._variables.declared if name in self._variables.shared)

    def _local(self, name: str) -> tree.ObjectDeclaration:
        written, one = self._variables.declared[name]
        if written.base == "auto":
            self._fail(one, f"the work-items of a group share '{name}': write its type in place of 'auto'")
        if one.pointers:
            self._fail(one, f"'{name}' is a pointer that the work-items of a group share: name what it points to")
        lengths = () if one.length is None else (one.length, *one.inner)
        dimensions = number(len(lengths), one)
        type_ = replace(written, qualifiers=tuple(word for word in written.qualifiers if word != "const"))
        class_ = tree.ClassType("local_accessor", (type_, dimensions), span=one.span)
        sizes = tree.Construction(tree.ClassType("range", span=one.span), "(", lengths, span=one.span)
        made = tree.ObjectDeclarator(one.name, "(" if lengths else "", (sizes,) if lengths else (), span=one.span)
        return tree.ObjectDeclaration((), class_, (made,), span=one.span)

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self) -> tuple[Statement, ...]:
        """What a work-item does."""
        span = self._function.parameters[0].span
        group = self._call("get_group", self._function.parameters[0])
        name = ast.Name(self._group, span=span)
        declared = ast.Declaration(
            ast.TypeName((), "auto", span=span), (ast.Declarator(name, (), None, group, span=span),), span=span
        )
        found = self._all(self._function.body.statements)
        if found and _is_barrier(found[-1]):
            # Nothing is left that it could order.
            found.pop()
        return (declared, *found)

    def _all(self, nodes: tuple[Node, ...]) -> list[Statement]:
        """Statements one behind the other; those of the first work-item that follow each other stand together."""
        found: list[Statement] = []
        first: list[Statement] = []
        for node in nodes:
            alone, rest = self._one(node)
            if rest and first:
                found.append(self._by_first(first))
                first = []
            found += rest
            first += alone
        return [*found, self._by_first(first)] if first else found

    def _one(self, node: Node) -> tuple[list[Statement], list[Statement]]:
        """What the first work-item does for a statement, behind what all do."""
        match node:
            case ast.Declaration():
                return self._declaration(node)
            case tree.ObjectDeclaration(_, class_) if plain(class_.name) == PRIVATE:
                return [], [self._private(node)]
            case tree.ObjectDeclaration() | tree.ReferenceDeclaration() | ast.Empty():
                return [], [node]  # type: ignore[list-item]  # see `mcm.sycl.tree`
            case ast.ExpressionStatement(expression) if self._variables.is_inner(expression):
                return [], self._inner(expression)
            case _ if self._variables.is_for_all(node):
                return [], self._around(node)
            case _ if self._variables.is_known(node):
                return [], [node]  # type: ignore[list-item]
            case _:
                self._check_alone(node)
                self._pending = True
                return [node], []  # type: ignore[list-item]

    def _check_alone(self, node: Node) -> None:
        for one in walk([node]):
            if isinstance(one, ast.Name) and one.text in self._variables.privates:
                message = f"'{one.text}' is private memory, which a work-item has: use it in '{INNER}'"
                self._fail(one, message)

    def _declaration(self, node: ast.Declaration) -> tuple[list[Statement], list[Statement]]:
        kept = tuple(one for one in node.declarators if one.name.text not in self._variables.shared)
        alone = [
            ast.ExpressionStatement(one, span=one.span)
            for each in node.declarators
            if each.name.text in self._variables.shared
            for one in self._initial(each)
        ]
        self._pending = self._pending or bool(alone)
        return list(alone), [replace(node, declarators=kept)] if kept else []

    def _initial(self, node: ast.Declarator) -> Iterator[Expression]:
        """What variables in local memory begin with."""
        if node.initializer is None:
            return
        if node.length is None:
            yield ast.Assignment("=", node.name, node.initializer, span=node.span)  # type: ignore[arg-type]
            return
        length = None if node.inner else constant(node.length, self._context)
        if length is None or not isinstance(node.initializer, ast.InitializerList):
            self._fail(
                node, f"'{node.name.text}' is shared by the work-items of a group: give its elements values one by one"
            )
        values = node.initializer.items
        for place in range(length):
            value = values[place] if place < len(values) else number(0, node)
            element = ast.Index(node.name, number(place, node), span=node.span)
            yield ast.Assignment("=", element, value, span=node.span)

    def _private(self, node: tree.ObjectDeclaration) -> ast.Declaration:
        """`private_memory<int> p(g);`: a variable of each work-item."""
        templates = node.type.arguments or ()
        if not templates or not isinstance(templates[0], ast.TypeName):
            self._fail(node.type, "expected the type of what is private, 'private_memory<int> p(g);'")
        declared = tuple(ast.Declarator(one.name, (), None, None, span=one.span) for one in node.declarators)
        return ast.Declaration(templates[0], declared, span=node.span)

    def _around(self, node: Node) -> list[Statement]:
        """A statement that all work-items execute."""
        match node:
            case ast.Block(statements):
                return [replace(node, statements=tuple(self._all(statements)))]
            case ast.If(condition, then, otherwise):
                before, test = self._tested(condition)
                start = self._pending
                branch = self._block(then)
                end, self._pending = self._pending, start
                other = None if otherwise is None else self._block(otherwise)
                self._pending = self._pending or end
                return [*before, replace(node, condition=test, then=branch, otherwise=other)]
            case ast.While(condition, body):
                return [replace(node, **self._loop(condition, body))]
            case ast.For():
                return self._for(node)
            case ast.Return() | ast.Break() | ast.Continue():
                return [node]
            case _:
                message = (
                    f"'{INNER}' stands in branches, and in loops that begin with what they depend on, but not here"
                )
                return self._fail(node, message)

    def _loop(self, condition: Expression | None, body: Node) -> dict[str, Node | None]:
        """The condition and the body of a loop."""
        was_pending, broadcasts = self._pending, self._broadcasts
        found = self._iteration(condition, body)
        if self._pending and not was_pending:
            # What the first work-item does at the end of the body, others may not have seen when it begins again.
            self._broadcasts = broadcasts
            found = self._iteration(condition, body)
        return found

    def _iteration(self, condition: Expression | None, body: Node) -> dict[str, Node | None]:
        if condition is None or self._variables.is_known(condition):
            return {"condition": condition, "body": self._block(body)}
        before, test = self._tested(condition)
        span = condition.span
        leave = ast.If(ast.Prefix("!", test, span=span), ast.Break(span=span), None, span=span)
        repeated = self._block(body)
        return {
            "condition": number(1, condition),
            "body": replace(repeated, statements=(*before, leave, *repeated.statements)),
        }

    def _for(self, node: ast.For) -> list[Statement]:
        before: list[Statement] = []
        initial: Node | None = node.initial
        if initial is not None:
            alone, rest = self._one(initial)
            before = [self._by_first(alone)] if alone else []
            initial = rest[0] if rest else None
        if node.step is not None and not self._variables.is_known(node.step):
            message = (
                f"what this loop counts with is in memory that the work-items of a group share: in a loop around "
                f"'{INNER}' it depends on constants and the group alone"
            )
            self._fail(node.step, message)
        return [*before, replace(node, initial=initial, **self._loop(node.condition, node.body))]

    def _block(self, node: Node) -> ast.Block:
        statements = node.statements if isinstance(node, ast.Block) else (node,)
        return ast.Block(tuple(self._all(statements)), span=node.span)

    def _tested(self, condition: Expression) -> tuple[list[Statement], Expression]:
        """What has to stand before a condition that all work-items know, and the condition."""
        if self._variables.is_known(condition):
            return [], condition
        self._check_alone(condition)
        span = condition.span
        self._broadcasts += 1
        name = ast.Name(f"holds#{self._broadcasts}", span=span)
        declarator = ast.Declarator(name, (), None, number(0, condition), span=span)
        declared = ast.Declaration(ast.TypeName((), "int", span=span), (declarator,), span=span)
        one, zero = number(1, condition), number(0, condition)
        value = ast.Conditional(condition, one, zero, span=span)
        noted = ast.ExpressionStatement(ast.Assignment("=", name, value, span=span), span=span)
        group = ast.Name(self._group, span=span)
        told = ast.Call(ast.Name("group_broadcast", span=span), (group, name), span=span)
        self._pending = False
        return [declared, self._by_first([noted])], told

    def _by_first(self, statements: list[Statement]) -> Statement:
        """Statements of the first work-item alone."""
        node = statements[0]
        place = self._call("get_local_linear_id", node)
        test = ast.Infix("==", place, number(0, node), span=node.span)
        return ast.If(test, ast.Block(tuple(statements), span=node.span), None, span=node.span)

    def _call(self, name: str, node: Node) -> Expression:
        """A member of the work-item."""
        item, called = (ast.Name(text, span=node.span) for text in (ITEM, name))
        return tree.MemberCall(item, ".", called, None, (), span=node.span)  # type: ignore[return-value]

    def _barrier(self, node: tree.MemberCall) -> Statement:
        group = ast.Name(self._group, span=node.name.span)
        called = ast.Name("group_barrier", span=node.name.span)
        return ast.ExpressionStatement(ast.Call(called, (group,), span=node.name.span), span=node.name.span)

    def _inner(self, node: tree.MemberCall) -> list[Statement]:
        """`g.parallel_for_work_item(…)`: what each work-item does, between barriers."""
        before = [self._barrier(node)] if self._pending else []
        self._pending = False
        function = node.arguments[-1] if node.arguments else None
        if not isinstance(function, tree.Lambda) or len(function.parameters) != 1:
            self._fail(node.name, f"'{INNER}' takes a lambda of an h_item last, '[&](h_item<1> it) {{ … }}'")
        self._check_captured(function)
        parameter = function.parameters[0]
        given = self._own_range(node)
        body = mapped(function.body, self._without_call)
        body = with_names_of_items(body, parameter.name.text, self._context, is_all=given is None)
        statements = self._called(parameter, replace(function, body=body))
        block: Statement = ast.Block(tuple(statements), span=function.span)
        if given is not None:
            block = ast.If(self._within(given, node), block, None, span=function.span)
        return [*before, block, self._barrier(node)]

    def _check_captured(self, function: tree.Lambda) -> None:
        """What a lambda has copies of, it cannot write."""
        written = [one.strip() for one in function.capture[1:-1].split(",")]
        if "&" in written:
            return
        for name in assigned(function.body):
            is_own = name.text in self._variables.declared and not _declares(function.body, name.text)
            if is_own and f"&{name.text}" not in [one.replace(" ", "") for one in written]:
                message = f"'{name.text}' is captured by value, and cannot be written: '[&](h_item<1> it) {{ … }}' can"
                self._context.complaints.fail("E211", name.span, message)

    def _own_range(self, node: tree.MemberCall) -> tuple[int, ...] | None:
        """The range of one call; None where it is that of the group."""
        own = self._size
        if len(node.arguments) == 2:
            own = range_sizes(node.arguments[0], self._outer, self._context)
        return None if own == self._total else own

    def _within(self, sizes: tuple[int, ...], node: tree.MemberCall) -> Expression:
        """Whether the work-item is one of a range."""
        found: Expression | None = None
        for dimension, size in enumerate(sizes):
            if size == self._total[dimension]:
                continue
            place = self._call("get_local_id", node)
            id_ = replace(place, arguments=(number(dimension, node),))
            test = ast.Infix("<", id_, number(size, node), span=node.name.span)
            found = test if found is None else ast.Infix("&&", found, test, span=node.name.span)
        assert found is not None
        return found

    def _called(self, parameter: tree.LambdaParameter, function: tree.Lambda) -> list[Statement]:
        """What a work-item does in the lambda: its statements, or a call where it returns before its end."""
        item = ast.Name(ITEM, span=parameter.span)
        auto = ast.TypeName((), "auto", span=parameter.span)
        if not any(isinstance(one, ast.Return) for one in walk([function.body])):
            named = ast.Declarator(parameter.name, (), None, item, span=parameter.span)
            return [ast.Declaration(auto, (named,), span=parameter.span), *function.body.statements]
        class_ = tree.ClassType("nd_item", (number(len(self._total), parameter),), span=parameter.span)
        taken = replace(function, capture="[&]", parameters=(replace(parameter, type=class_),))
        name = ast.Name("work#", span=parameter.span)
        held = ast.Declarator(name, (), None, taken, span=function.span)  # type: ignore[arg-type]
        called = ast.Call(name, (item,), span=function.span)
        return [
            ast.Declaration(auto, (held,), span=function.span),
            ast.ExpressionStatement(called, span=function.span),
        ]

    def _without_call(self, node: Node) -> Node:
        """`p(it)` of private memory is the variable itself."""
        match node:
            case ast.Call(ast.Name(text) as name, (_,)) if text in self._variables.privates:
                return name
            case _:
                return node


def _declares(body: Node, name: str) -> bool:
    return any(isinstance(one, ast.Declarator) and one.name.text == name for one in walk([body]))


def _is_barrier(node: Node) -> bool:
    match node:
        case ast.ExpressionStatement(ast.Call(ast.Name("group_barrier"))):
            return True
        case _:
            return False
