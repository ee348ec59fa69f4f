"""Functions of OpenCL C that give two results, one through a pointer: as if the program defined them.

Each call has a definition of its own, whose parts stand where the call does: so a race is told there.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.base.source import Source
from mcm.program.resolve.parts import OF_LIBRARY, unsuffixed_type
from mcm.program.types import Scalar
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.parse import parse

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints

_TEXT: Final = """OPENCL library
{ }
float sincos(float x, float* cosine) { *cosine = cos(x); return sin(x); }
float fract(float x, float* whole) { float below = floor(x); *whole = below; return fmin(x - below, 0.99999994f); }
float modf(float x, float* whole) {
  float part = trunc(x);
  *whole = part;
  return copysign(isinf(x) ? 0.0f : x - part, x);
}
float frexp(float x, int* exponent) {
  int power = x == 0.0f || !isfinite(x) ? 0 : (int)logb(x) + 1;
  *exponent = power;
  return power == 0 ? x : ldexp(x, -power);
}
P0 () { }
"""


def with_library(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with a definition of such a function for each call of it."""
    own = {unit.name.text for unit in tree.units if isinstance(unit, ast.Function)}
    wanted = frozenset(OF_LIBRARY) - own
    made: list[ast.Function] = []
    has_doubles = unsuffixed_type(tree) is Scalar.DOUBLE

    def change(node: ast.Node) -> Any:
        if not isinstance(node, ast.Call) or node.function.text not in wanted:
            return node
        name = node.function
        if has_doubles:
            message = f"not yet supported: '{name.text}' in a program that has doubles"
            complaints.error("E100", name.span, message)
            return node
        made.append(_defined(name.text, len(made), name.span))
        return replace(node, function=made[-1].name)

    found = mapped(tree, change)
    return replace(found, units=(*made, *found.units))


def _defined(name: str, number: int, span: Span) -> ast.Function:
    """The definition of a function for one call of it."""
    found = mapped(_library()[name], lambda node: replace(node, span=span))
    return replace(found, name=ast.Name(f"{name}#{number}", span=span))


@cache
def _library() -> dict[str, ast.Function]:
    units = parse(Source("library", _TEXT)).units
    return {unit.name.text: unit for unit in units if isinstance(unit, ast.Function)}
