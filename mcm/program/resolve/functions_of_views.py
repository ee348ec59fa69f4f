"""Functions that are given addresses of numbers for those of vectors or structures: another one for each such use.

`sum((global float4*)p)` calls `sum#0`, whose first parameter is the address of numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from mcm.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# The name of a function, and which of its parameters are such addresses.
_Use = tuple[str, tuple[int, ...]]


class FunctionsOfViews(Struct):
    """The uses of `functions` that were met, and those that have been taken apart.

    Those that see structures as numbers are taken apart for their uses only, others as they are, too.
    """

    functions: Mapping[str, ast.Function]
    for_uses: frozenset[str] = frozenset()
    wanted: dict[_Use, str] = field(default_factory=dict)
    made: dict[_Use, ast.Function] = field(default_factory=dict)

    def named(self, function: ast.Name, places: Sequence[int]) -> ast.Name:
        """The name of the function that takes such addresses in these places."""
        name = f"{function.text}#{'_'.join(map(str, places))}"
        self.wanted[function.text, tuple(places)] = name
        return replace(function, text=name)

    def with_these(
        self, units: Sequence[ast.Unit], take: Callable[[ast.Function, tuple[int, ...]], ast.Function]
    ) -> tuple[ast.Unit, ...]:
        """The units, with such functions behind what they are uses of; `take` takes one apart, and may want others."""
        while missing := [use for use in self.wanted if use not in self.made]:
            for name, places in missing:
                unit = self.functions[name]
                of_use = replace(unit, name=replace(unit.name, text=self.wanted[name, places]))
                self.made[name, places] = take(of_use, places)
        found: list[ast.Unit] = []
        for one in units:
            if not (isinstance(one, ast.Function) and one.name.text in self.for_uses):
                found.append(one)
            if isinstance(one, ast.Function) and one.body is not None:
                found += [made for (name, _), made in self.made.items() if name == one.name.text]
        return tuple(found)
