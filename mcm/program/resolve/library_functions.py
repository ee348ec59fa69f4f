"""Functions of OpenCL C that give two results, one through a pointer: as if the program defined them.

Each call has a definition of its own, whose parts stand where the call does: so a race is told there.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.base.source import Source
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.mentions import OF_LIBRARY
from mcm.program.resolve.parts import unsuffixed_type
from mcm.program.resolve.spelling import MADE
from mcm.program.resolve.typed_walk import VECTOR, TypedWalk
from mcm.program.types import Scalar
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.parse import parse

if TYPE_CHECKING:
    from mcm.base.source import Span

# Of numbers and vectors, `T`; the largest one below 1 of its type is `LESS`.
_OF_ALL: Final = """OPENCL library
{ }
T sincos(T x, T* cosine) { *cosine = cos(x); return sin(x); }
T fract(T x, T* whole) { T below = floor(x); *whole = below; return fmin(x - below, LESS); }
T modf(T x, T* whole) {
  T part = trunc(x);
  *whole = part;
  return copysign(isinf(x) ? (T)(0.0f) : x - part, x);
}
"""
_OF_NUMBERS: Final = """
T frexp(T x, int* exponent) {
  int power = x == 0.0f || !isfinite(x) ? 0 : (int)logb(x) + 1;
  *exponent = power;
  return power == 0 ? x : ldexp(x, -power);
}
"""
_END: Final = "P0 () { }\n"
_LESS: Final = {"float": "0.99999994f", "double": "0.9999999999999999"}
_VECTORS: Final = frozenset({"sincos", "fract", "modf"})


def with_library(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with a definition of such a function for each call of it."""
    own = {unit.name.text for unit in tree.units if isinstance(unit, ast.Function)}
    defining = _Defining(tree, frozenset(OF_LIBRARY) - own, complaints)
    found = defining.test(tree)
    return replace(found, units=(*defining.made, *found.units))


class _Defining(TypedWalk):
    """Makes the definitions. What is wrong with the types of a test otherwise is for others to say."""

    def __init__(self, tree: ast.Litmus, wanted: frozenset[str], told: Complaints) -> None:
        super().__init__(tree, Complaints())
        self.made: Final[list[ast.Function]] = []
        self._wanted: Final = wanted
        self._told: Final = told
        self._has_doubles: Final = unsuffixed_type(tree) is Scalar.DOUBLE

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        if isinstance(node, ast.Structure):
            return node
        if isinstance(node, ast.FileVariables):
            return replace(node, declaration=self.node(node.declaration))
        node = super().node(node)
        if not isinstance(node, ast.Call) or node.function.text not in self._wanted:
            return node
        name = node.function
        type_ = self._type(node)
        if type_ is None:
            message = f"not yet supported: '{name.text}' in a program that has doubles, of what has no plain type"
            self._told.error("E100", name.span, f"{message}; give it a variable")
            return node
        if type_.base not in _LESS and name.text not in _VECTORS:
            self._told.error("E100", name.span, f"not yet supported: '{name.text}' of '{type_.base}'")
            # Of the same type: nothing further is to be said of it.
            return node.arguments[0]
        self.made.append(_defined(name.text, type_.base, len(self.made), name.span))
        return replace(node, function=self.made[-1].name)

    def _type(self, node: ast.Call) -> ast.TypeName | None:
        """The type of what is computed: of what its second result has, or its argument where that is an integer."""
        if len(node.arguments) == 2:
            given = node.arguments[int(node.function.text in _VECTORS)]
            with suppress(UnresolvedError):
                found = self.type_of(given).type
                vector = VECTOR.fullmatch(found.base)
                if (found.base if vector is None else vector["scalar"]) in _LESS:
                    return found
        return None if self._has_doubles else ast.TypeName((), "float", span=node.span)


def _defined(name: str, type_: str, number: int, span: Span) -> ast.Function:
    """The definition of a function of a type for one call of it."""
    found = mapped(_library(type_)[name], lambda node: replace(node, span=span))
    return replace(found, name=ast.Name(f"{name}#{number}{MADE}", span=span))


@cache
def _library(type_: str) -> dict[str, ast.Function]:
    vector = VECTOR.fullmatch(type_)
    text = _OF_ALL if vector is not None else _OF_ALL + _OF_NUMBERS
    less = _LESS[type_ if vector is None else vector["scalar"]]
    units = parse(Source("library", re.sub(r"\bT\b", type_, text).replace("LESS", less) + _END)).units
    return {unit.name.text: unit for unit in units if isinstance(unit, ast.Function)}
