"""`sizeof`: a number in place of it, from the types that are declared around it.

Lengths of arrays and labels are made of such numbers, so this comes before everything that asks for them. What is
measured is not evaluated. Sizes are those of OpenCL C, with addresses of 64 bits as `size_t` has here.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.record_layouts import ADDRESS, OPAQUE, Layout, is_laid_out, together, vector_layout
from mcm.program.resolve.spelling import ATOMICS, SCALARS, VECTOR_STEP, base_of, scalar_name
from mcm.program.resolve.typed_walk import VECTOR, Measured, TypedWalk
from mcm.program.types import Scalar
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.program.resolve.complaints import Complaints

_UNKNOWN: Final = OPAQUE | {Scalar.BOOL}


def _is_type(node: ast.Expression) -> TypeGuard[ast.Name]:
    """Whether a name is that of a number or a vector."""
    return isinstance(node, ast.Name) and (VECTOR.fullmatch(node.text) is not None or node.text in SCALARS)


def _is_number(type_: ast.TypeName) -> bool:
    return scalar_name(type_.qualifiers, type_.base) in SCALARS


def without_sizes(tree: ast.Litmus, complaints: Complaints) -> ast.Litmus:
    """The test with a number for each `sizeof`."""
    return _Sizes(tree, complaints).test(tree)


class _Sizes(TypedWalk):
    """Puts numbers in place of `sizeof`."""

    def node(self, node: ast.Node) -> Any:
        """A part of the test."""
        if isinstance(node, ast.Call) and node.function.text == VECTOR_STEP and len(node.arguments) == 1:
            return ast.NumberLiteral(str(self._step(node.arguments[0])), span=node.span)
        if not isinstance(node, ast.SizeOf):
            return super().node(node)
        operand = node.operand
        measured = Measured(operand, node.lengths) if isinstance(operand, ast.TypeName) else self.type_of(operand)
        return ast.NumberLiteral(f"{self._layout(measured).size}ul", span=node.span)

    def _step(self, node: ast.Expression) -> int:
        """How many elements a vector takes, one of three as many as one of four; a number is one."""
        measured = Measured(ast.TypeName((), node.text, span=node.span)) if _is_type(node) else self.type_of(node)
        vector = None if measured.type.pointers or measured.lengths else VECTOR.fullmatch(measured.type.base)
        if vector is None and (measured.type.pointers or measured.lengths or not _is_number(measured.type)):
            message = f"'{VECTOR_STEP}' takes a number, a vector or their type, found '{node.span.text}'"
            self.complaints.fail("E119", node.span, message)
        return 1 if vector is None else {3: 4}.get(int(vector["size"]), int(vector["size"]))

    def _layout(self, measured: Measured) -> Layout:
        if measured.is_passed:
            return Layout(ADDRESS, ADDRESS)
        one = Layout(ADDRESS, ADDRESS) if measured.type.pointers else self._of_one(measured.type)
        lengths = [constant_integer(each, self.complaints, "the length of an array") for each in measured.lengths]
        return Layout(one.size * prod(lengths), one.alignment)

    def _of_one(self, type_: ast.TypeName) -> Layout:
        """The layout of a scalar, a vector or a structure; the first two are aligned to their size."""
        base = base_of(type_)
        if base.startswith(("struct ", "union ")):
            return self._of_structure(base, type_)
        name = scalar_name(type_.qualifiers, base)
        scalar = ATOMICS.get(name) or SCALARS.get(name)
        if (vector := VECTOR.fullmatch(base)) is not None:
            return vector_layout(SCALARS[vector["scalar"]], int(vector["size"]))
        if scalar is None or scalar in _UNKNOWN:
            message = f"the size of '{type_.span.text}' is not known: each implementation has its own"
            self.complaints.fail("E119", type_.span, message)
        return Layout(scalar.bits // 8, scalar.bits // 8)

    def _of_structure(self, name: str, type_: ast.TypeName) -> Layout:
        """Each member at the next multiple of its alignment, and padding behind the last one."""
        unit = self.structures.get(name)
        if unit is None:
            return self.complaints.fail("E145", type_.span, f"unknown type '{name}'")
        if is_laid_out(unit):
            message = f"not yet supported: the size of '{name}', which is packed or aligned"
            self.complaints.fail("E100", type_.span, message)
        return together(map(self._layout, self.members(unit).values()), is_union=unit.is_union)
