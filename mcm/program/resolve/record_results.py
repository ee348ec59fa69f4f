"""Functions that return a structure or a vector: each member is returned through a pointer of its own.

`p = f(x)` becomes a variable for what is returned, a call that is given the addresses of its members, and the
assignment of that variable. So the call stands before its statement, which is refused where C leaves another order open
that matters, or where the call may not be made at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import TYPE_CHECKING, Any, Final, NoReturn

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.resolve.computing import COMPUTING, LOAD
from mcm.program.resolve.record_types import Slot, named, typed
from mcm.program.resolve.record_values import elements
from mcm.program.resolve.spelling import MADE, REGIONS
from mcm.program.types import Region
from mcm.syntax import ast
from mcm.syntax.chains import items_of
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import names_in, parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.program.resolve.complaints import Complaints

# The variable that a function returns, as the names of its pointers have it.
RESULT: Final = "#result"
_LOOPS: Final = (ast.While, ast.DoWhile, ast.For)
_STEPS: Final = frozenset({"++", "--"})
_CONDITIONAL: Final = frozenset({"&&", "||", ","})
# The variables for what calls return.
_PLACE: Final = "#call"
# Functions that vectors are taken apart of, beside those that compute.
_QUIET: Final = re.compile(r"(?:as|convert)_[a-z]+(?:2|3|4|8|16)?")
# What the place consists of to which the value of a call may go, whatever the call does.
_PLACES: Final = (ast.Name, ast.NumberLiteral, ast.Index, ast.Member)


class OwnNames(Struct, frozen=True):
    """The variables of a unit: those that are `private`, as only their names lead to them, and those that `lead` away.

    The latter are pointers that may lead to what another name leads to: variables, and parameters of functions. Those
    of a kernel lead to objects of their own.
    """

    private: frozenset[str] = frozenset()
    lead: frozenset[str] = frozenset()


class Results(Struct):
    """The calls of a test that return structures; `slots_of` are the members of a type, None for other types.

    `names` are those of the unit at hand.
    """

    slots_of: Callable[[ast.TypeName], tuple[Slot, ...] | None]
    functions: dict[str, ast.Function]
    complaints: Complaints
    names: OwnNames = OwnNames()
    _count: int = 0
    _quiet: dict[str, bool] = field(default_factory=dict)

    def returned_by(self, function: ast.Function) -> tuple[Slot, ...] | None:
        """The members of what a function returns; None where that is no structure or vector."""
        slots = self.slots_of(function.type)
        if slots is not None and function.type.pointers:
            message = (
                f"'{function.name.text}' returns a pointer to structures or vectors; return the number of the element"
            )
            self.complaints.fail("E100", function.type.span, f"not yet supported: {message}")
        return slots

    def pointers(self, function: ast.Function, slots: tuple[Slot, ...]) -> tuple[ast.Parameter, ...]:
        """The parameters for the addresses of the members, or of the first elements of those that are arrays."""
        name, around = ast.Name(RESULT, span=function.name.span), replace(function.type, qualifiers=())
        return tuple(
            ast.Parameter(
                typed(slot, around, ((),)),
                named(name, slot),
                span=function.type.span,
                step=slot.length or 1,
            )
            for slot in slots
        )

    def stored(
        self,
        node: ast.Return,
        slots: tuple[Slot, ...],
        values: list[ast.Expression],
        copied: Callable[[ast.Expression], ast.Expression] | None,
    ) -> list[ast.Statement]:
        """What `return value;` is in such a function; `copied` marks members of a structure, which need no values."""
        name = ast.Name(RESULT, span=node.span)
        stores = [
            ast.Assignment("=", to, one if copied is None else copied(one), span=node.span)
            for slot, value in zip(slots, values, strict=True)
            for to, one in zip(_stored_to(named(name, slot), slot), elements(value, slot), strict=True)
        ]
        return [*(ast.ExpressionStatement(one, span=node.span) for one in stores), replace(node, value=None)]

    # --- calls ---

    def before(self, node: ast.Statement) -> tuple[list[ast.Statement], ast.Statement]:
        """The calls in a statement that stand before it now, and the statement with variables in their places."""
        if not self.functions:
            return [], node
        match node:
            case ast.Declaration(_, declarators) if len(declarators) > 1:
                # Each of its variables has its turn.
                return [], node
            case ast.ExpressionStatement(expression) if self._is_call(expression):
                found, _ = self._moved(node, node)
                return found, ast.Empty(span=node.span)
            case ast.Declaration() | ast.ExpressionStatement() | ast.Return():
                return self._moved(node, node)
            case ast.If(condition) | ast.Switch(condition):
                found, value = self._moved(condition, condition)
                return found, replace(node, condition=value)
            case _ if isinstance(node, _LOOPS):
                parts = (one for one in parts_of(node) if isinstance(one, ast.Expression))
                for call in (one for part in parts for one in walk([part]) if self._is_call(one)):
                    message = f"'{call.span.text}' returns a structure or vector, in what a loop repeats"
                    self.complaints.fail("E100", call.span, f"not yet supported: {message}; call it in the body")
                return [], node
            case _:
                return [], node

    def numbers_before(self, node: ast.Statement) -> tuple[list[ast.Statement], ast.Statement]:
        """The calls in a statement about vectors that give numbers, which each component would make again.

        Those stand before it that are made for sure, and that no order matters to.
        """
        parts: Sequence[ast.Node] = (node,)
        match node:
            case ast.Declaration(_, (ast.Declarator(ast.Name(text), initializer=ast.Call(_, arguments)),)) if (
                text.startswith(_PLACE)
            ):
                # It has been moved itself.
                parts = arguments
        found_calls = (one for part in parts for one in self._calls(part, is_sure=True, wanted=self._gives_number))
        calls = [one for one, is_sure in found_calls if is_sure]
        found: list[ast.Statement] = []
        names: dict[int, ast.Name] = {}
        for call in calls:
            if self._acts(node, call):
                continue
            self._count += 1
            name = names[id(call)] = ast.Name(f"{_PLACE}{self._count}", span=call.span)
            type_ = replace(self.functions[call.function.text].type, qualifiers=())
            declarator = ast.Declarator(name, initializer=call, span=call.span)
            found.append(ast.Declaration(type_, (declarator,), span=call.span))
        return found, _with_names(node, names) if found else node

    def _gives_number(self, node: ast.Node) -> bool:
        """Whether this calls a function of the file that only computes a number."""
        function = self.functions.get(node.function.text) if isinstance(node, ast.Call) else None
        if function is None or function.type.pointers or function.type.base == "void":
            return False
        return self.returned_by(function) is None and self._is_quiet(function.name.text)

    def are_called_in(self, node: ast.Node) -> bool:
        """Whether a part of a body has such calls."""
        return bool(self.functions) and any(self._is_call(one) for one in walk([node]))

    def _is_call(self, node: ast.Node) -> bool:
        function = self.functions.get(node.function.text) if isinstance(node, ast.Call) else None
        if function is None or self.returned_by(function) is None:
            return False
        # One that has been given where its value goes needs no other place.
        match node:
            case ast.Call(_, (*_, ast.Prefix("&", ast.Name(text)))) if text.startswith(_PLACE):
                return False
            case _:
                return True

    def _moved(self, node: Any, whole: ast.Node) -> tuple[list[ast.Statement], Any]:
        """The calls in a statement or in a part of it, the innermost first, and what is left."""
        calls = list(self._calls(node, is_sure=True))
        if not calls:
            return [], node
        found: list[ast.Statement] = []
        names: dict[int, ast.Name] = {}
        for call, is_sure in calls:
            if not is_sure:
                self._refuse(call, "which may not be called at all")
            is_free = self._is_quiet(call.function.text) and not self._acts(whole, call)
            if not is_free and not _is_alone(call, whole) and not self._is_apart(whole, call):
                self._refuse(call, "and what else stands there may come before or after it")
            self._check_count(call)
            before, arguments = self._arguments(call)
            self._count += 1
            name = ast.Name(f"{_PLACE}{self._count}", span=call.span)
            found += (*before, *self._called(replace(call, arguments=arguments), name))
            names[id(call)] = name
        return found, _with_names(node, names)

    def _check_count(self, call: ast.Call) -> None:
        wanted, found = len(self.functions[call.function.text].parameters), len(call.arguments)
        if wanted != found:
            message = f"'{call.function.text}' takes {wanted} argument{'s' if wanted != 1 else ''}, found {found}"
            self.complaints.fail("E104", call.span, message)

    def _arguments(self, call: ast.Call) -> tuple[list[ast.Statement], tuple[ast.Expression, ...]]:
        """The arguments of a call, without calls of this kind in them."""
        found: list[ast.Statement] = []
        arguments: list[ast.Expression] = []
        for argument in call.arguments:
            before, changed = self._moved(argument, call)
            found += before
            arguments.append(changed)
        return found, tuple(arguments)

    def _called(self, call: ast.Call, name: ast.Name) -> list[ast.Statement]:
        """A variable for what is returned, and the call."""
        function = self.functions[call.function.text]
        type_ = replace(function.type, qualifiers=())
        variable = ast.Declaration(type_, (ast.Declarator(name, span=call.span),), span=call.span)
        result = ast.Prefix("&", name, span=call.span)
        now = replace(call, arguments=(*call.arguments, result))
        return [variable, ast.ExpressionStatement(now, span=call.span)]

    def _refuse(self, call: ast.Call, why: str) -> NoReturn:
        message = f"'{call.span.text}' returns a structure or vector, {why}; make it a statement of its own"
        self.complaints.fail("E154", call.span, message)

    def _calls(
        self, node: ast.Node, *, is_sure: bool, wanted: Callable[[ast.Node], bool] | None = None
    ) -> Iterator[tuple[ast.Call, bool]]:
        """The outermost calls in a part of a statement, and whether each is made for sure; `wanted` are others."""
        match node:
            case ast.Call() if (wanted or self._is_call)(node):
                yield node, is_sure
                return
            case ast.Cast(type_, ast.Infix(",") as listed) if self.slots_of(type_) is not None:
                # The components of a vector: each is computed.
                for item in items_of(listed):
                    yield from self._calls(item, is_sure=is_sure, wanted=wanted)
                return
            case ast.Infix(operator, left, right) if operator in _CONDITIONAL:
                yield from self._calls(left, is_sure=is_sure, wanted=wanted)
                yield from self._calls(right, is_sure=is_sure and operator == ",", wanted=wanted)
                return
            case ast.Conditional(condition, then, otherwise):
                yield from self._calls(condition, is_sure=is_sure, wanted=wanted)
                yield from self._calls(then, is_sure=False, wanted=wanted)
                yield from self._calls(otherwise, is_sure=False, wanted=wanted)
                return
            case ast.Block() | ast.Function():
                return
            case _:
                for part in parts_of(node):
                    yield from self._calls(part, is_sure=is_sure, wanted=wanted)

    # --- whether another order could matter ---

    def _is_apart(self, node: ast.Node, call: ast.Call) -> bool:
        """Whether all of a statement but a call computes with variables that the call cannot change."""
        match node:
            case _ if node is call:
                return True
            case ast.Name(text):
                return text in self.names.private
            case ast.ExpressionStatement(ast.Assignment("=", target, value)):
                return _is_place(target) and self._is_apart(value, call)
            case ast.ExpressionStatement(value) | ast.Return(value) if value is not None:
                return self._is_apart(value, call)
            case ast.Declaration(_, (ast.Declarator(initializer=value),)) if value is not None:
                return self._is_apart(value, call)
            case ast.Infix(operator, left, right) if operator not in _CONDITIONAL:
                return self._is_apart(left, call) and self._is_apart(right, call)
            case ast.Cast(type_, ast.Infix(",") as listed) if self.slots_of(type_) is not None:
                return all(self._is_apart(item, call) for item in items_of(listed))
            case ast.Prefix("+" | "-" | "~" | "!", operand) | ast.Cast(_, operand) | ast.Member(operand, "."):
                return self._is_apart(operand, call)
            case ast.Call(function, arguments):
                return function.text in COMPUTING and all(self._is_apart(one, call) for one in arguments)
            case _:
                return isinstance(node, ast.NumberLiteral)

    def check_order(self, items: Sequence[ast.Expression]) -> None:
        """Refuse values of one list of which one changes what another one depends on: they are not sequenced."""
        acting = next((item for item in items if self._changes(item)), None)
        if acting is None:
            return
        changed = _changed_names(acting)
        for other in items:
            if other is not acting and (self._changes(other) or self._reads(other) or _mentions(other, changed)):
                message = "it is open in C which of these values is evaluated first, and it matters"
                note = Note("the other one", acting.span)
                self.complaints.fail("E154", other.span, f"{message}; give one a variable of its own", note)

    def _changes(self, node: ast.Expression) -> bool:
        """Whether an expression does more than read and compute."""
        return any(
            isinstance(part, ast.Assignment | ast.Postfix)
            or (isinstance(part, ast.Prefix) and part.operator in _STEPS)
            or (isinstance(part, ast.Call) and not self._is_quiet(part.function.text))
            for part in walk([node])
        )

    def _reads(self, node: ast.Expression) -> bool:
        """Whether an expression may read memory."""
        return any(
            isinstance(part, ast.Index)
            or (isinstance(part, ast.Prefix) and part.operator == "*")
            or (isinstance(part, ast.Member) and part.operator == "->")
            or (isinstance(part, ast.Call) and part.function.text in self.functions)
            for part in walk([node])
        )

    def _acts(self, whole: ast.Node, call: ast.Call) -> bool:
        """Whether a statement does more than read and compute, and assign at its end, beside a call."""
        last = whole.expression if isinstance(whole, ast.ExpressionStatement) else None
        waiting = [whole]
        while waiting:
            node = waiting.pop()
            match node:
                case _ if node is call:
                    continue
                case ast.Block():
                    continue
                case ast.Assignment() if node is not last:
                    return True
                case ast.Postfix() | ast.Prefix("++" | "--"):
                    return True
                case ast.Call(function) if (
                    node is not whole and not self._is_quiet(function.text) and not _has_argument(node, call)
                ):
                    return True
                case _:
                    waiting += parts_of(node)
        return False

    def _is_quiet(self, name: str) -> bool:
        """Whether a function only reads and computes."""
        function = self.functions.get(name)
        if function is None or function.body is None:
            return name in COMPUTING or any(one.fullmatch(name) is not None for one in (_QUIET, LOAD))
        if name not in self._quiet:
            # One that calls itself is refused elsewhere.
            self._quiet[name] = False
            declared = [one for one in walk([function.body]) if isinstance(one, ast.Declarator)]
            values = {one.name.text for one in function.parameters if not one.type.pointers and one.length is None}
            own = values | {one.name.text for one in declared}
            pointers = {one.name.text for one in declared if one.pointers}
            self._quiet[name] = all(self._only_computes(one, own, own - pointers) for one in walk([function.body]))
        return self._quiet[name]

    def _only_computes(self, node: ast.Node, own: set[str], objects: set[str]) -> bool:
        """Whether a node writes nothing but variables of its function."""
        match node:
            case ast.Assignment(_, target) | ast.Postfix(_, target) | ast.Prefix("++" | "--", target):
                return (isinstance(target, ast.Name) and target.text in own) or _root(target) in objects
            case ast.Call(function, (*_, ast.Prefix("&", target))) if function.text.endswith(MADE):
                # The second result of `sincos` goes there.
                return _root(target) in objects
            case ast.Call(function):
                return self._is_quiet(function.text)
            case ast.Function() | ast.BlockLiteral():
                return False
            case _:
                return True


def _stored_to(pointer: ast.Name, slot: Slot) -> tuple[ast.Expression, ...]:
    """What is at the address of a member: the elements of one that is an array."""
    return (ast.Prefix("*", pointer, span=pointer.span),) if slot.length is None else elements(pointer, slot)


def _root(node: ast.Expression) -> str | None:
    """The variable that an element or a member is a part of; None behind a pointer."""
    while not isinstance(node, ast.Name):
        match node:
            case ast.Index(base) | ast.Member(base, "."):
                node = base
            case _:
                return None
    return node.text


def _is_alone(call: ast.Call, whole: ast.Node) -> bool:
    """Whether a statement consists of a call, and of where its value goes."""
    match whole:
        case ast.ExpressionStatement(ast.Assignment("=", target, value)):
            return value is call and _is_place(target)
        case ast.ExpressionStatement(value) | ast.Return(value):
            return value is call
        case ast.Declaration(_, (ast.Declarator(initializer=value),)):
            return value is call
        case ast.Call(_, (argument,)):
            return argument is call
        case _:
            return False


def _is_place(target: ast.Expression) -> bool:
    """Whether a place is the same, whatever a call does."""
    match target:
        case ast.Infix(operator, left, right):
            return operator not in _CONDITIONAL and _is_place(left) and _is_place(right)
        case ast.Cast(_, operand):
            return _is_place(operand)
        case ast.Call(function, arguments):
            return function.text in COMPUTING and all(map(_is_place, arguments))
        case _ if isinstance(target, _PLACES):
            return all(_is_place(part) for part in parts_of(target) if isinstance(part, ast.Expression))
        case _:
            return False


def own_names(unit: ast.Unit) -> OwnNames:
    """The private variables of a unit whose addresses it does not take, and its pointers that another may equal."""
    nodes = list(walk([unit]))
    lead: set[str] = set()
    if isinstance(unit, ast.Function):
        lead.update(parameter.name.text for parameter in unit.parameters)
    declared = {one.name.text for one in nodes if isinstance(one, ast.Parameter)}
    shared: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Declaration):
            names = {one.name.text for one in node.declarators}
            declared |= names
            lead |= {one.name.text for one in node.declarators if one.pointers or node.type.pointers}
            is_shared = any(REGIONS.get(word, Region.PRIVATE) is not Region.PRIVATE for word in node.type.qualifiers)
            if "static" in node.type.qualifiers or any(one.length for one in node.declarators):
                shared |= names
            elif is_shared:
                # The address space is that of what a pointer points to.
                shared |= {one.name.text for one in node.declarators if not one.pointers}
        elif isinstance(node, ast.Prefix) and node.operator == "&":
            place = node.operand
            while isinstance(place, ast.Index | ast.Member):
                place = place.base
            # Where an index stands in it, the address is not that of what the index is computed of.
            shared |= names_in(place)
    return OwnNames(frozenset(declared - shared), frozenset(lead))


def _changed_names(node: ast.Expression) -> frozenset[str]:
    """The variables that an expression changes, or whose addresses it takes."""
    found = []
    for part in walk([node]):
        match part:
            case ast.Assignment(_, target):
                found.append(target)
            case ast.Postfix(_, operand):
                found.append(operand)
            case ast.Prefix("++" | "--" | "&", operand):
                found.append(operand)
    return frozenset(part.text for part in walk(found) if isinstance(part, ast.Name))


def _mentions(node: ast.Expression, names: frozenset[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.text in names for part in walk([node]))


def _has_argument(node: ast.Call, call: ast.Call) -> bool:
    """Whether a call is in the arguments of another one: all of these are evaluated before that does anything."""
    return any(one is call for argument in node.arguments for one in walk([argument]))


def _with_names(node: Any, names: dict[int, ast.Name]) -> Any:
    """A statement with variables in place of calls."""

    def change(part: ast.Node) -> Any:
        return names[id(part)] if id(part) in names else with_parts(part, change)

    return change(node)
