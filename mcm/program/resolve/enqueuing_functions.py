"""Functions that enqueue blocks, or take queues and ranges: the body stands where the statement with the call stood.

A block is a kernel of the unit that it stands in, and its sizes have to be plain from the text: so such a function has
no body of its own, unlike others. What it declares has names that the unit around does not use.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.program.resolve.around_blocks import ALIASES, Declared, around_of
from mcm.program.resolve.spelling import EVENT_TYPES
from mcm.program.resolve.type_names import names_local
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.walk import changed_variable, names_in, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.program.resolve.around_blocks import Around

# A unit may have so many bodies of such functions in it, so that no chain of calls makes it endless.
_MOST: Final = 200
# Functions of OpenCL C that tell something, and do nothing: `get_default_queue`, `get_global_id`, `ndrange_1D`.
_WITHOUT_EFFECT: Final = ("get_", "ndrange_")


def with_enqueuing_functions_in_place(tree: ast.Litmus) -> ast.Litmus:
    """The test with the bodies of such functions in place of the statements that call them."""
    functions = _enqueuing(tree)
    if not functions:
        return tree
    units = [
        _Placing(unit, functions, _names_of_file(tree)).unit()
        if isinstance(unit, ast.Kernel | ast.Thread) and unit.body
        else unit
        for unit in tree.units
        if not (isinstance(unit, ast.Function) and unit.name.text in functions)
    ]
    called = {node.function.text for node in walk(units) if isinstance(node, ast.Call)}
    kept = [functions[name] for name in functions if name in called and isinstance(functions[name], ast.Function)]
    return replace(tree, units=(*kept, *units))


def _enqueuing(tree: ast.Litmus) -> dict[str, ast.Function | ast.Kernel]:
    """The functions that enqueue blocks, or call one that does; of several of a name, none."""
    defined: dict[str, ast.Function | ast.Kernel] = {}
    twice: set[str] = set()
    for unit in tree.units:
        if isinstance(unit, ast.Function | ast.Kernel) and unit.body is not None:
            twice |= {unit.name.text} & defined.keys()
            defined[unit.name.text] = unit
    found = {
        name
        for name, unit in defined.items()
        if (
            any(isinstance(node, ast.BlockLiteral) and not node.is_run for node in walk([unit]))
            and any(isinstance(node, ast.Call) and node.function.text == "enqueue_kernel" for node in walk([unit]))
        )
        or any(_is_plain_word(one) for one in unit.parameters)
    }
    calls = {
        name: {node.function.text for node in walk([unit]) if isinstance(node, ast.Call)}
        for name, unit in defined.items()
    }
    while more := {name for name in calls if name not in found and calls[name] & found}:
        found |= more
    return {name: unit for name, unit in defined.items() if name in found - twice}


def _names_of_file(tree: ast.Litmus) -> frozenset[str]:
    """The variables of the file, which each function knows by name."""
    files = [unit for unit in tree.units if isinstance(unit, ast.FileVariables)]
    return frozenset(node.name.text for node in walk(files) if isinstance(node, ast.Declarator))


def _is_plain_word(parameter: ast.Parameter) -> bool:
    """Whether a parameter stands for what it is called with: a queue, a range, an event."""
    return parameter.type.base in ALIASES or parameter.type.base == "clk_event_t"


class _Placing:
    """Puts bodies into one unit."""

    def __init__(
        self, unit: ast.Kernel | ast.Thread, functions: dict[str, ast.Function | ast.Kernel], of_file: frozenset[str]
    ) -> None:
        self._functions: Final = functions
        self._unit: Final = unit
        self._around: Final[Around] = around_of(unit)
        # Names of the file that mean something else in this unit.
        self._hidden: Final = {one.text for one in _declared(unit)} & of_file
        self._taken: Final = {*names_in(unit), *of_file}
        self._changed: Final = {name for node in walk([unit]) if (name := changed_variable(node)) is not None}
        self._count = 0
        # The functions whose bodies are being put in place, one in another.
        self._chain: list[str] = [unit.name.text] if isinstance(unit, ast.Kernel) else []

    def unit(self) -> ast.Kernel | ast.Thread:
        """The unit with the bodies."""
        placed: ast.Kernel | ast.Thread = self._node(self._unit)
        return placed

    def _node(self, node: ast.Node) -> Any:
        match node:
            case ast.For(body=body):
                return replace(node, body=self._node(body))
            case ast.Block(statements):
                return replace(node, statements=tuple(one for each in statements for one in self._statement(each)))
            case ast.ExpressionStatement() | ast.Return():
                found = list(self._statement(node))
                return found[0] if len(found) == 1 else ast.Block(tuple(found), span=node.span)
            case _:
                return with_parts(node, self._node)

    def _statement(self, node: ast.Statement) -> Iterator[ast.Statement]:
        """A statement; where a call is all that it evaluates, behind the body of the function."""
        call = _called(node)
        function = None if call is None else self._functions.get(call.function.text)
        if call is None or function is None or not self._is_placed(call, function):
            yield self._node(node) if isinstance(node, ast.For | ast.Block) else with_parts(node, self._node)
            return
        if function.name.text in self._chain or self._count >= _MOST:
            yield node
            return
        self._count += 1
        self._chain.append(function.name.text)
        try:
            is_used = not isinstance(node, ast.ExpressionStatement) or isinstance(node.expression, ast.Assignment)
            result = (
                self._new_name(function.name.text, call) if is_used and isinstance(function, ast.Function) else None
            )
            if result is not None and isinstance(function, ast.Function):
                yield _declaration(function.type, result, None)
            yield self._body(call, function, result)
            if result is not None:
                yield from self._statement(_with_call_replaced(node, call, result))
        finally:
            self._chain.pop()

    def _is_placed(self, call: ast.Call, function: ast.Function | ast.Kernel) -> bool:
        """Whether the body of a function means the same in this unit; a call that is wrong is refused elsewhere."""
        nodes = list(walk([function]))
        has_local = any(isinstance(node, ast.Declaration) and names_local(node.type.qualifiers) for node in nodes)
        is_hidden = not self._hidden.isdisjoint(names_in(function))
        is_complete = len(call.arguments) == len(function.parameters)
        return is_complete and not has_local and not is_hidden and _are_apart(call.arguments)

    def _body(self, call: ast.Call, function: ast.Function | ast.Kernel, result: ast.Name | None) -> ast.Block:
        """What a call does, as a block; where it returns earlier, it goes to the end of that."""
        body = function.body
        assert body is not None
        changed = {name for node in walk([body]) if (name := changed_variable(node)) is not None}
        own = {one.text for one in _declared(body)}
        meant: dict[str, ast.Expression] = {}
        statements: list[ast.Statement] = []
        for parameter, argument in zip(function.parameters, call.arguments, strict=True):
            written = parameter.name
            if written.text not in own and self._stands_for(parameter, argument, is_changed=written.text in changed):
                meant[written.text] = argument
                continue
            meant[written.text] = new = self._new_name(written.text, written)
            stars = (*parameter.type.pointers, *(((),) if parameter.length is not None else ()))
            declaration = _declaration(replace(parameter.type, pointers=stars), new, argument)
            self._know(declaration)
            statements.append(declaration)
        for text in sorted(own - meant.keys()):
            meant[text] = self._new_name(text, function.name)
        self._changed.update(one.text for name in changed if isinstance(one := meant.get(name), ast.Name))
        end = self._new_name(f"{function.name.text} end", function.name)
        parts: list[ast.Statement] = []
        renamed = _renamed(body, meant)
        for number, one in enumerate(renamed.statements, 1):
            is_last = isinstance(one, ast.Return) and number == len(renamed.statements)
            parts += _returned(one, result) if is_last else [_without_returns(one, end, result)]
        for node in walk(parts):
            if isinstance(node, ast.Declaration):
                self._know(node)
        statements += [placed for part in parts for placed in self._statement(part)]
        if any(isinstance(node, ast.Goto) and node.label.text == end.text for node in walk(parts)):
            statements.append(ast.Labelled(end, ast.Empty(span=function.span), span=function.span))
        return ast.Block(tuple(statements), span=call.span)

    def _know(self, node: ast.Declaration) -> None:
        """Note the variables that a declaration puts in the unit."""
        for one in node.declarators:
            type_ = replace(node.type, pointers=(*node.type.pointers, *one.pointers))
            self._around.variables[one.name.text] = Declared(
                type_, one.name, one.length is not None, is_parameter=False
            )

    def _stands_for(self, parameter: ast.Parameter, argument: ast.Expression, *, is_changed: bool) -> bool:
        """Whether a parameter is another name for what it is called with: an event, or a pointer that never moves."""
        if parameter.type.base in EVENT_TYPES:
            return True
        if is_changed or not isinstance(argument, ast.Name):
            return False
        known = self._around.variables.get(argument.text)
        if known is None or argument.text in self._changed | self._around.ambiguous:
            return False
        depth = len(parameter.type.pointers) + (parameter.length is not None)
        same = (parameter.type.base, depth) == (known.type.base, len(known.type.pointers) + known.is_array)
        return depth > 0 and same

    def _new_name(self, name: str, at: ast.Node) -> ast.Name:
        """A name that nothing in the unit has: it is the one that was written, where that is free."""
        number, found = 0, name
        while found in self._taken:
            number += 1
            found = f"{name}#{number}"
        self._taken.add(found)
        return ast.Name(found, span=at.span)


def _are_apart(arguments: Sequence[ast.Expression]) -> bool:
    """Whether the order of arguments, which C leaves open, does not matter: they are evaluated in that of the text."""
    acting = [one for one in arguments if any(_acts(part) for part in walk([one]))]
    changed = {name for part in walk(acting) if (name := changed_variable(part)) is not None}
    others = [one for one in arguments if one not in acting]
    read = any(isinstance(part, ast.Index | ast.Member | ast.Prefix) for one in others for part in walk([one]))
    names = {name for one in others for name in names_in(one)}
    return not acting or (len(acting) == 1 and not read and changed.isdisjoint(names))


def _acts(node: ast.Node) -> bool:
    """Whether something happens where a part of an argument is evaluated, or may happen."""
    match node:
        case ast.Call(function):
            return not function.text.startswith(_WITHOUT_EFFECT)
        case ast.Assignment() | ast.Postfix() | ast.Prefix("++" | "--"):
            return True
        case _:
            return False


def _declaration(type_: ast.TypeName, name: ast.Name, value: ast.Expression | None) -> ast.Declaration:
    declarator = ast.Declarator(name, type_.pointers, initializer=value, span=name.span)
    return ast.Declaration(replace(type_, pointers=()), (declarator,), span=name.span)


def _called(node: ast.Statement) -> ast.Call | None:
    """The call that a statement evaluates before all else that it does."""
    match node:
        case ast.ExpressionStatement(ast.Call() as call):
            return call
        case ast.ExpressionStatement(ast.Assignment("=", ast.Name(), value)):
            return _first_call(value)
        case ast.Declaration(_, (ast.Declarator(initializer=value),)):
            return _first_call(value)
        case ast.Return(value) | ast.If(value) | ast.Switch(value):
            return _first_call(value)
        case _:
            return None


def _first_call(node: ast.Expression | ast.InitializerList | None) -> ast.Call | None:
    """The call that an expression is, perhaps compared with a number or a name of one, or negated."""
    match node:
        case ast.Call():
            return node
        case ast.Prefix("!" | "-", operand) | ast.Cast(_, operand):
            return _first_call(operand)
        case ast.Infix("==" | "!=" | "<" | ">" | "<=" | ">=", left, ast.NumberLiteral() | ast.Prefix("-")):
            return _first_call(left)
        case ast.Infix("==" | "!=", left, ast.Name(text)) if text.startswith("CL"):
            return _first_call(left)
        case _:
            return None


def _with_call_replaced(node: Any, call: ast.Call, result: ast.Name) -> Any:
    """A statement with the value of a call in its place."""
    if node is call:
        return result
    return with_parts(node, partial(_with_call_replaced, call=call, result=result))


def _declared(node: ast.Node) -> Iterator[ast.Name]:
    """The names that a unit or a body declares: variables, blocks, parameters, labels."""
    for one in walk([node]):
        if isinstance(one, ast.Declarator | ast.BlockVariable | ast.Parameter):
            yield one.name
        elif isinstance(one, ast.Labelled):
            yield one.label


def _renamed(node: Any, meant: dict[str, ast.Expression]) -> Any:
    """A body with other names; what is called has one where it is a block."""
    match node:
        case ast.Name(text):
            return replace(meant[text], span=node.span) if text in meant else node
        case ast.Member(base):
            return replace(node, base=_renamed(base, meant))
        case ast.Prefix("*", operand):
            inner = _renamed(operand, meant)
            is_address = isinstance(inner, ast.Prefix) and inner.operator == "&"
            return inner.operand if is_address else replace(node, operand=inner)
        case _:
            return with_parts(node, partial(_renamed, meant=meant))


def _without_returns(node: Any, end: ast.Name, result: ast.Name | None) -> Any:
    """A statement that goes to the end of the body where it returns."""
    match node:
        case ast.Return():
            found = _returned(node, result)
            return ast.Block((*found, ast.Goto(end, span=node.span)), span=node.span)
        case ast.BlockLiteral() | ast.Function():
            return node
        case _:
            return with_parts(node, partial(_without_returns, end=end, result=result))


def _returned(node: ast.Return, result: ast.Name | None) -> list[ast.Statement]:
    """What a `return` does besides to leave the function."""
    if node.value is None:
        return []
    value = node.value if result is None else ast.Assignment("=", result, node.value, span=node.span)
    return [ast.ExpressionStatement(value, span=node.span)]
