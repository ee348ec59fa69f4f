"""Memory of numbers that is accessed as vectors, through a pointer that was cast: `((global float4*)p)[i]`.

Each component is the element that it is of the numbers, as with `vload4(i, p)` and `vstore4(v, i, p)`. A variable for
such a pointer keeps the address of the numbers.
"""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - the fields of a Struct
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.program.resolve.record_pointers import is_null
from mcm.program.resolve.record_types import Shape, Slot, is_vector
from mcm.program.resolve.vectors_in_memory import times
from mcm.syntax import ast

# Vectors of three are as large as those of four: what stands there between them is no component.
_SIZES: Final = frozenset({2, 4, 8, 16})


class VectorViews(Struct, frozen=True):
    """The accesses of a test to numbers as vectors.

    `shape_of` is what is known of a variable, `slots_of` are the members of a type, `whole` those of an expression that
    is a structure or a pointer to one, `scalar` takes apart what is in any other, and `repeated` what is computed so
    often.
    """

    shape_of: Callable[[str], Shape | None]
    slots_of: Callable[[ast.TypeName], tuple[Slot, ...] | None]
    whole: Callable[[ast.Expression], list[ast.Expression] | None]
    scalar: Callable[[ast.Expression], ast.Expression]
    repeated: Callable[[ast.Expression, int], ast.Expression]

    def declared(
        self, node: ast.Declaration, declarator: ast.Declarator, slots: tuple[Slot, ...]
    ) -> ast.Declaration | None:
        """A variable for the address of numbers, `float* v = (float*)p` for `float4* v = (float4*)p`; else None."""
        value = declarator.initializer
        numbers = self._numbers(value) if declarator.pointers and isinstance(value, ast.Cast) else None
        if numbers is None or numbers.type.base != slots[0].type.base:
            return None
        type_ = replace(node.type, base=numbers.type.base)
        return ast.Declaration(type_, (replace(declarator, initializer=numbers),), span=node.span)

    def components(self, node: ast.Expression) -> list[ast.Expression] | None:
        """The elements that the components of a vector in memory of numbers are; None for anything else."""
        found = _accessed(node)
        if found is None:
            return None
        pointer: ast.Expression | None = None
        slots: tuple[Slot, ...] | None = None
        match found[0]:
            case ast.Name(text) as name if (shape := self.shape_of(text)) is not None and shape.is_view:
                pointer, slots = name, shape.slots
            case ast.Cast(type_) as cast:
                pointer, slots = self._numbers(cast), self.slots_of(type_)
                if pointer is not None and slots is not None:
                    self.repeated(cast.operand, len(slots))
        if pointer is None or slots is None:
            return None
        first = times(self.repeated(found[1], len(slots)), len(slots))
        places = (ast.NumberLiteral(str(number), span=node.span) for number in range(len(slots)))
        return [ast.Index(pointer, ast.Infix("+", first, place, span=node.span), span=node.span) for place in places]

    def _numbers(self, cast: ast.Cast) -> ast.Cast | None:
        """The pointer to numbers that one to vectors was, with the type of a component; None for any other cast."""
        slots = self.slots_of(cast.type) if len(cast.type.pointers) == 1 else None
        if slots is None or not is_vector(slots) or len(slots) not in _SIZES or is_null(cast.operand):
            return None
        if self.whole(cast.operand) is not None:
            return None
        return replace(cast, type=replace(cast.type, base=slots[0].type.base), operand=self.scalar(cast.operand))


def _accessed(node: ast.Expression) -> tuple[ast.Expression, ast.Expression] | None:
    """The pointer and the index of `p[i]`, `*p`, `*(p + i)`; None for anything else."""
    match node:
        case ast.Index(base, index):
            return base, index
        case ast.Prefix("*", ast.Infix("+", base, index)):
            return base, index
        case ast.Prefix("*", base):
            return base, ast.NumberLiteral("0", span=node.span)
        case _:
            return None
