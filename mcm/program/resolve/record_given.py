"""Arrays in structures that a kernel is given by value: each element is a parameter of its own.

The kernel begins with an array of these, as a parameter of such a type is a variable that the host has filled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm.program.resolve.record_types import named
from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcm.program.resolve.record_types import Slot


def given_elements(
    parameter: ast.Parameter, slot: Slot, made: list[ast.Statement], arrays: dict[str, int]
) -> Iterator[ast.Parameter]:
    """The parameters for the elements of a member; the array of them is added to those `made`, and to the `arrays`."""
    assert slot.length is not None
    whole = named(parameter.name, slot)
    arrays[whole.text] = slot.length
    names = [_element(whole, number) for number in range(slot.length)]
    values = ast.InitializerList(tuple(names), span=whole.span)
    count = ast.NumberLiteral(str(slot.length), span=whole.span)
    made.append(
        ast.Declaration(slot.type, (ast.Declarator(whole, (), count, values, span=whole.span),), span=whole.span)
    )
    for name in names:
        yield replace(parameter, type=slot.type, name=name)


def values_of_elements(items: Iterable[ast.InitialItem], arrays: Mapping[str, int]) -> Iterator[ast.InitialItem]:
    """The items of the initial state, where what is said of such an array is said of its elements."""
    for item in items:
        if not isinstance(item, ast.InitialValue) or item.name.text not in arrays:
            yield item
            continue
        written = item.value.items if isinstance(item.value, ast.InitializerList) else ()
        for number in range(arrays[item.name.text]):
            value = written[number] if number < len(written) else ast.NumberLiteral("0", span=item.span)
            yield replace(item, name=_element(item.name, number), length=None, value=value)


def _element(name: ast.Name, number: int) -> ast.Name:
    return ast.Name(f"{name.text}#{number}", span=name.span)
