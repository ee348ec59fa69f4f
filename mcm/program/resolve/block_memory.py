"""The local memory of a block: each parameter of it points to some, as large as the call that enqueues it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.spelling import ATOMICS, SCALARS, base_of, scalar_name
from mcm.program.resolve.type_names import names_local
from mcm.syntax import ast
from mcm.syntax.walk import walk

if TYPE_CHECKING:
    from collections.abc import Sequence

_BYTE: Final = 8


def has_local_memory(block: ast.BlockLiteral) -> bool:
    """Whether the parameters of a block are such: `local void*`, which is a pointer to bytes by now."""
    return all(len(one.type.pointers) == 1 and names_local(one.type.qualifiers) for one in block.parameters)


def memory_of(block: ast.BlockLiteral, sizes: Sequence[int]) -> tuple[ast.Parameter, ...]:
    """The parameters as arrays of so many bytes; of what they are seen as, where that is one type of numbers."""
    return tuple(_array(one, block, size) for one, size in zip(block.parameters, sizes, strict=True))


def _array(parameter: ast.Parameter, block: ast.BlockLiteral, size: int) -> ast.Parameter:
    base, each = _seen(parameter.name.text, block) or (parameter.type.base, 1)
    length = ast.NumberLiteral(str(size // each), span=parameter.span)
    return replace(parameter, type=replace(parameter.type, base=base, pointers=()), length=length)


def _seen(name: str, block: ast.BlockLiteral) -> tuple[str, int] | None:
    """The numbers that bytes are seen as by all of their uses, and the bytes of one; None where there are none."""
    uses = [node for node in walk([block.body]) if isinstance(node, ast.Name) and node.text == name]
    casts = [node for node in walk([block.body]) if isinstance(node, ast.Cast) and node.operand in uses]
    bases = {scalar_name((), base_of(node.type)) for node in casts if len(node.type.pointers) == 1}
    if len(bases) != 1 or len(casts) != len(uses):
        return None
    (base,) = bases
    scalar = ATOMICS.get(base) or SCALARS.get(base)
    return None if scalar is None else (base, scalar.bits // _BYTE)
