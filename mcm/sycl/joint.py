"""Group algorithms over a range of memory, `joint_reduce(g, p, p + 4, plus<>())`: functions of the kernel.

All work-items of the group meet, the first one goes through the elements, and all meet again (SYCL-COLL-1). Which
work-items do that is open in SYCL 2020 (4.17.4), and makes no difference: what they do comes after all that the group
did before the call, and before all that the group does behind it. Floating-point values are combined in the order of
the elements (ADR 59).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.collectives import identity
from mcm.program.operators import Level
from mcm.sycl import closures, pointers
from mcm.sycl.algorithms import SYMBOLS, operation_word
from mcm.sycl.context import call, counted, number
from mcm.sycl.groups import LEVELS, group_of
from mcm.sycl.types import named, pointer_to, scalar_of, target_of, type_of
from mcm.sycl.words import plain
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.sycl.entities import Group
    from mcm.syntax.ast import Expression, Node, Statement, TypeName

_ASKS: Final = {"joint_any_of": "any", "joint_all_of": "all", "joint_none_of": "none"}
_SCANS: Final = ("joint_inclusive_scan", "joint_exclusive_scan")
# What the words of `mcm.program.collectives` combine with.
_COMBINED: Final = {**SYMBOLS, "min": "min", "max": "max"}
_FIRST, _LAST, _TO, _VALUE, _AT = "first", "last", "to", "value", "at"


def joint(node: ast.Call, context: Context) -> Expression:
    """The value of a group algorithm over a range."""
    name = plain(node.function.text)
    if len(node.arguments) < 4:
        message = f"'{name}' takes a group, where a range begins and ends, and what is done: {_found(node)}"
        context.complaints.fail("E104", node.span, message)
    group = group_of(node.arguments[0], context)
    element = element_of(node.arguments[1], context)
    if element is None or scalar_of(element) is None:
        first = node.arguments[1]
        message = f"expected a pointer to numbers, found '{first.span.text}'"
        context.complaints.fail("E204", first.span, message)
    maker = _Maker(name, group, element, node, context)
    if name in _ASKS:
        return maker.question()
    return maker.scan() if name in _SCANS else maker.reduction()


def element_of(node: Node, context: Context) -> TypeName | None:
    """The type of what an address is that of, wherever it lies."""
    while isinstance(node, ast.Infix) and node.operator in {"+", "-"}:
        node = node.left
    found = target_of(pointers.type_of_value(node, context) or type_of(node, context))
    words = () if found is None else tuple(word for word in found.qualifiers if word == "const")
    return None if found is None else replace(found, qualifiers=words)


def _found(node: ast.Call) -> str:
    return f"found {counted(len(node.arguments))}"


class _Maker:
    """Makes the function that one call is."""

    def __init__(self, name: str, group: Group, element: TypeName, node: ast.Call, context: Context) -> None:
        self._name: Final = name
        self._prefix: Final = LEVELS[group.level]
        self._is_sub: Final = group.level is Level.SUB_GROUP
        self._element: Final = element
        self._node: Final = node
        self._context: Final = context

    # --- what each is -------------------------------------------------------------------------------------------------

    def reduction(self) -> Expression:
        """`joint_reduce(g, first, last, [initial,] operation)`."""
        _, first, last, *initial, written = self._node.arguments
        self._check_count(len(initial) <= 1)
        # Where there is an initial value, the elements are combined in its type, and so is what is returned.
        type_ = (type_of(initial[0], self._context) if initial else None) or self._element
        word = operation_word(written, self._context, type_)
        body = [self._declared(_VALUE, type_, self._identity(word)), *self._met()]
        body.append(self._by_one(self._each([self._kept(_VALUE, self._combined(word, self._value(), self._here()))])))
        spread = call(f"{self._prefix}_broadcast", (self._value(), number(0, self._node)), self._node)
        found = self._called(type_, body, (first, last))
        self._returns(body, spread)
        if not initial:
            return found
        return ast.Cast(type_, self._combined(word, self._context.value(initial[0]), found), span=self._node.span)

    def scan(self) -> Expression:
        """`joint_inclusive_scan(g, first, last, to, operation[, initial])`, exclusive ones with that before it."""
        _, first, last, to, *rest = self._node.arguments
        self._check_count(1 <= len(rest) <= 2)
        is_inclusive = self._name == _SCANS[0]
        written, initial = (rest[0], rest[1:]) if is_inclusive else (rest[-1], rest[:-1])
        out = element_of(to, self._context) or self._element
        type_ = (type_of(initial[0], self._context) if initial else None) or self._element
        word = operation_word(written, self._context, type_)
        begins = self._context.value(initial[0]) if initial else self._identity(word)
        new = self._combined(word, self._value(), self._here())
        stored = ast.Assignment("=", self._pointed(_TO), self._value(), span=self._node.span)
        stores = ast.ExpressionStatement(stored, span=self._node.span)
        if is_inclusive:
            each: list[Statement] = [self._kept(_VALUE, new), stores]
        else:
            # The element is read before what is written, which may be the same.
            each = [self._declared("next", type_, new), stores, self._kept(_VALUE, self._named("next"))]
        step = ast.Postfix("++", self._named(_TO), span=self._node.span)
        each.append(ast.ExpressionStatement(step, span=self._node.span))
        # What the text passes is evaluated by the caller.
        body = [*self._met(), self._by_one(self._each(each)), *self._met()]
        parameters = [(_FIRST, pointer_to(self._element)), (_LAST, pointer_to(self._element)), (_TO, pointer_to(out))]
        function = self._function(named("void", self._node), body, [*parameters, (_VALUE, type_)])
        values = (*(self._context.value(one) for one in (first, last, to)), begins)
        return call(function, values, self._node)

    def question(self) -> Expression:
        """`joint_any_of(g, first, last, [](int a) { return a == 3; })`."""
        _, first, last, written = self._node.arguments[:4]
        self._check_count(len(self._node.arguments) == 4)
        asked = closures.predicate(written, self._context)
        is_any = _ASKS[self._name] != "all"
        type_ = named("int", self._node)
        body = [self._declared(_VALUE, type_, number(0 if is_any else 1, self._node)), *self._met()]
        holds: Expression = call(asked.function, (self._here(),), self._node)
        if not is_any:
            holds = ast.Prefix("!", holds, span=self._node.span)
        changed = self._kept(_VALUE, number(int(is_any), self._node))
        body.append(self._by_one(self._each([ast.If(holds, changed, None, span=self._node.span)])))
        spread = call(f"{self._prefix}_broadcast", (self._value(), number(0, self._node)), self._node)
        found = self._called(type_, body, (first, last))
        self._returns(body, spread)
        return ast.Prefix("!", found, span=self._node.span) if _ASKS[self._name] == "none" else found

    def _check_count(self, is_right: bool) -> None:  # noqa: FBT001 - what is asked
        if not is_right:
            message = f"this is not how '{self._name}' is called: {_found(self._node)}"
            self._context.complaints.fail("E104", self._node.span, message)

    # --- parts of functions -------------------------------------------------------------------------------------------

    def _called(self, type_: TypeName, body: list[Statement], range_: tuple[Node, Node]) -> Expression:
        """The call of a function with such a body, which may still grow."""
        pointer = pointer_to(self._element)
        function = self._function(type_, body, [(_FIRST, pointer), (_LAST, pointer)])
        return call(function, tuple(map(self._context.value, range_)), self._node)

    def _returns(self, body: list[Statement], value: Expression) -> None:
        body.append(ast.Return(value, span=self._node.span))
        self._finish(body)

    def _function(self, type_: TypeName, body: list[Statement], parameters: list[tuple[str, TypeName]]) -> str:
        context = self._context
        context.closures += 1
        name = f"{self._name}#{context.closures}"
        listed = tuple(
            ast.Parameter(one, ast.Name(text, span=self._node.span), span=self._node.span) for text, one in parameters
        )
        self._unfinished = name, type_, listed
        if type_.base == "void":
            self._finish(body)
        return name

    def _finish(self, body: list[Statement]) -> None:
        name, type_, parameters = self._unfinished
        block = ast.Block(tuple(body), span=self._node.span)
        function = ast.Name(name, span=self._node.function.span)
        self._context.pending.append(ast.Function(function, (), type_, parameters, block, span=self._node.span))

    def _met(self) -> list[Statement]:
        """All work-items of the group meet."""
        met = call(f"{self._prefix}_all", (number(1, self._node),), self._node)
        return [ast.ExpressionStatement(met, span=self._node.span)]

    def _by_one(self, statement: Statement) -> Statement:
        """What the first work-item of the group does alone."""
        own = call("get_sub_group_local_id" if self._is_sub else "get_local_linear_id", (), self._node)
        is_first = ast.Infix("==", own, number(0, self._node), span=self._node.span)
        return ast.If(is_first, statement, None, span=self._node.span)

    def _each(self, statements: list[Statement]) -> Statement:
        """A loop over the range."""
        node = self._node
        declared = self._declared(_AT, pointer_to(self._element), self._named(_FIRST))
        goes_on = ast.Infix("!=", self._named(_AT), self._named(_LAST), span=node.span)
        step = ast.Postfix("++", self._named(_AT), span=node.span)
        return ast.For(declared, goes_on, step, ast.Block(tuple(statements), span=node.span), span=node.span)

    def _declared(self, name: str, type_: TypeName, value: Expression) -> ast.Declaration:
        span = self._node.span
        declarator = ast.Declarator(ast.Name(name, span=span), type_.pointers, None, value, span=span)
        words = tuple(word for word in type_.qualifiers if type_.pointers or word != "const")
        return ast.Declaration(ast.TypeName(words, type_.base, span=span), (declarator,), span=span)

    def _kept(self, name: str, value: Expression) -> Statement:
        assigned = ast.Assignment("=", self._named(name), value, span=self._node.span)
        return ast.ExpressionStatement(assigned, span=self._node.span)

    def _named(self, name: str) -> ast.Name:
        return ast.Name(name, span=self._node.span)

    def _value(self) -> Expression:
        return self._named(_VALUE)

    def _pointed(self, name: str) -> Expression:
        return ast.Prefix("*", self._named(name), span=self._node.span)

    def _here(self) -> Expression:
        return self._pointed(_AT)

    def _combined(self, word: str, one: Expression, other: Expression) -> Expression:
        if word in SYMBOLS:
            return ast.Infix(SYMBOLS[word], one, other, span=self._node.span)
        return call(word, (one, other), self._node)

    def _identity(self, word: str) -> Expression:
        """What is combined with the first element: what changes nothing, or that element itself."""
        if word not in SYMBOLS:
            return self._pointed(_FIRST)
        scalar = scalar_of(self._element)
        assert scalar is not None
        found = int(identity(_COMBINED[word], scalar))
        literal = number(abs(found), self._node)
        return literal if found >= 0 else ast.Prefix("-", literal, span=self._node.span)
