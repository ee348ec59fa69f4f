"""Names of their own for variables outside functions in a unit that has variables of these names too.

`global int n; kernel void k() { int i = n; { int n = 0; … } }`: where `n` is the one outside, it is `n` with a mark
behind it, which nothing that is written is called. In functions that is the name of the parameter. Kernels and threads
are given memory by its own name, and have a pointer to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.resolve.constants_in_scope import with_constants_in_scope
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mcm.syntax.ast import Parameter

WithCode = ast.Thread | ast.Kernel | ast.Function | ast.Callback


def other_name(name: str) -> str:
    """What a variable outside functions is called where its name has another meaning."""
    return f"{name}@"


def with_other_names(unit: WithCode, names: Collection[str]) -> WithCode:
    """The unit with such a name for each of these, where it is the variable outside functions."""
    other = {name: ast.Name(other_name(name), span=unit.span) for name in names}
    named: WithCode = with_constants_in_scope(unit, other)
    return named


def hidden_altogether(unit: WithCode, hidden: Mapping[str, Parameter]) -> str | None:
    """A variable that a kernel or a thread can have no pointer to, if there is one."""
    if isinstance(unit, ast.Function) or unit.body is None:
        return None
    parameters = {one.name.text for one in unit.parameters}
    is_apart = not any(map(_is_local, _divided(unit.body, hidden)[1]))
    for name, one in hidden.items():
        if name in parameters or one.inner or not is_apart:
            return name
    return None


def with_pointers(unit: WithCode, hidden: Mapping[str, Parameter]) -> WithCode:
    """A kernel or a thread that begins with a pointer to each of these; what hides them is in a block behind it."""
    if unit.body is None:
        return unit
    first, rest = _divided(unit.body, hidden)
    pointers = (_pointer(name, one) for name, one in hidden.items())
    block = (ast.Block(rest, span=unit.body.span),) if rest else ()
    return replace(unit, body=replace(unit.body, statements=(*pointers, *first, *block)))


def _pointer(name: str, one: Parameter) -> ast.Declaration:
    span = one.name.span
    variable = ast.Name(other_name(name), span=span)
    declarator = ast.Declarator(variable, ((),), initializer=ast.Name(name, span=span), span=span)
    return ast.Declaration(replace(one.type, pointers=()), (declarator,), span=span)


def _divided(body: ast.Block, hidden: Collection[str]) -> tuple[tuple[ast.Statement, ...], tuple[ast.Statement, ...]]:
    """The statements before the first that hides a variable, and the others."""
    for number, statement in enumerate(body.statements):
        if isinstance(statement, ast.Declaration) and any(one.name.text in hidden for one in statement.declarators):
            return body.statements[:number], body.statements[number:]
    return body.statements, ()


def _is_local(statement: ast.Statement) -> bool:
    """Whether a statement declares memory of a work-group, which only the outermost block may."""
    return isinstance(statement, ast.Declaration) and any(
        word.strip("_") == "local" for word in statement.type.qualifiers
    )
