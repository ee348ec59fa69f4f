"""Which of several functions with one name a call means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.program.resolve.conversions import promoted
from mcm.sycl import tree
from mcm.sycl.types import scalar_of, show, type_of, written_type
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm.sycl.context import Context
    from mcm.sycl.tree import MemberFunction
    from mcm.syntax.ast import Node, TypeName

# How far a parameter is from an argument: of the same type, promoted, converted.
_SAME: Final = 0
_PROMOTED: Final = 1
_CONVERTED: Final = 2


def chosen(
    functions: Sequence[MemberFunction],
    arguments: Sequence[Node],
    node: Node,
    context: Context,
    *,
    is_const: bool = False,
) -> MemberFunction | None:
    """The function that a call means; None where none takes so many arguments of such types.

    `is_const` is said of the object. InputError where several are meant equally.
    """
    fitting = [one for one in functions if _takes(one, len(arguments)) and not (is_const and _changes(one))]
    fitting = fitting or [one for one in functions if _takes(one, len(arguments))]
    if len(fitting) < 2:
        return fitting[0] if fitting else None
    types = [type_of(argument, context) for argument in arguments]
    for place, type_ in enumerate(types):
        wanted = {_shown(one.parameters[place]) for one in fitting}
        if type_ is None and len(wanted) > 1 and context.entity(arguments[place]) is None:
            message = f"the type of '{arguments[place].span.text}', on which it depends what is called, is not evident"
            context.complaints.fail("E204", arguments[place].span, message)
    costs = [(costs, one) for one in fitting if (costs := _costs(one, types)) is not None]
    if not costs:
        return None
    best = [
        (mine, one)
        for mine, one in costs
        if all(all(a <= b for a, b in zip(mine, theirs, strict=True)) for theirs, _ in costs)
    ]
    if len(best) > 1:
        # Those that differ in what they say of the object alone.
        better = [(mine, one) for mine, one in best if one.is_const is is_const]
        best = better if len(better) == 1 else best
    if len(best) != 1:
        name = fitting[0].name.text
        message = f"which of several functions '{name}' is meant here is not evident: give each a name of its own"
        context.complaints.fail("E207", node.span, message)
    return best[0][1]


def fits(function: MemberFunction, arguments: Sequence[Node], context: Context) -> bool:
    """Whether a function takes such arguments."""
    if not _takes(function, len(arguments)):
        return False
    return _costs(function, [type_of(argument, context) for argument in arguments]) is not None


def _changes(function: MemberFunction) -> bool:
    return function.kind == "function" and not function.is_const and "static" not in function.words


def _takes(function: MemberFunction, count: int) -> bool:
    least = sum(1 for one in function.parameters if default_of(one) is None)
    return least <= count <= len(function.parameters)


def default_of(parameter: Node) -> Node | None:
    """What a parameter is where a call passes nothing for it."""
    match parameter:
        case tree.DefaultedParameter(default=default) | tree.ReferenceParameter(default=default):
            return default
        case _:
            return None


def _shown(parameter: Node) -> str:
    """The type of a parameter, as far as it says which function is meant."""
    if isinstance(parameter, ast.Parameter | tree.ReferenceParameter):
        return show(written_type(parameter.type))
    return parameter.span.text


def _costs(function: MemberFunction, types: Sequence[TypeName | None]) -> list[int] | None:
    """How far each parameter is from its argument; None where one does not fit."""
    found: list[int] = []
    for parameter, type_ in zip(function.parameters, types, strict=False):
        cost = _cost(parameter, type_)
        if cost is None:
            return None
        found.append(cost)
    return found


def _cost(parameter: Node, type_: TypeName | None) -> int | None:
    if isinstance(parameter, tree.ObjectParameter):
        return _SAME if type_ is None or scalar_of(type_) is not None else None
    assert isinstance(parameter, ast.Parameter | tree.ReferenceParameter)
    wanted = written_type(parameter.type)
    if type_ is None:
        # A list, or an object that is no value: it fits whatever is no number.
        return _SAME
    if show(wanted) == show(type_):
        return _SAME
    one, other = scalar_of(wanted), scalar_of(type_)
    if one is None or other is None:
        return None
    return _PROMOTED if promoted(other) is one else _CONVERTED
