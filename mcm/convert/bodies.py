"""The bodies of units: OpenCL C as SYCL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.base.source import Span
from mcm.convert.operations import Calls
from mcm.convert.refusal import refused
from mcm.program.held_units import declared_type
from mcm.program.resolve.type_names import show_type
from mcm.syntax import ast
from mcm.syntax.mapped import with_parts
from mcm.syntax.print_expressions import show_expression
from mcm.syntax.printer import print_litmus

if TYPE_CHECKING:
    from mcm.front_end.test import Test

_SPACES: Final = frozenset({"global", "local", "private", "generic"})


class Body:
    """Goes through the body of one unit; `item` is the name of its work-item, in a range of so many `dimensions`."""

    def __init__(
        self,
        test: Test,
        parameters: tuple[ast.Parameter, ...],
        *,
        is_host: bool,
        dimensions: int = 1,
        item: str = "it",
    ) -> None:
        types = {one.name.text: without_space(one.type).base for one in parameters}
        types |= {item.name: show_type(declared_type(item)).removeprefix("atomic_") for item in test.program.objects}
        self.types: Final = {name: "int" if base == "flag" else base for name, base in types.items()}
        self._calls: Final = Calls(self.show, self.types, is_host=is_host, dimensions=dimensions, item=item)

    def show(self, node: ast.Expression) -> str:
        """An expression as SYCL writes it."""
        return show_expression(self.node(node))

    def block(self, node: ast.Block) -> ast.Block:
        """A block."""
        found: ast.Block = self.node(node)
        return found

    def statements(self, node: ast.Statement) -> tuple[ast.Statement, ...]:
        """What stands in place of a statement of a block."""
        # Local objects stand in the initial state.
        return () if _declares_local(node) else (self.node(node),)

    def node(self, node: Any) -> Any:
        """A node, and all below it, as SYCL has it."""
        match node:
            case ast.Call():
                text = self._calls.convert(node)
                if text is not None:
                    return written(text, node)
            case ast.TypeName():
                return without_space(node)
            case ast.Block(statements):
                return replace(node, statements=tuple(found for one in statements for found in self.statements(one)))
            case ast.Cast(type_name) if _SPACES & {word.removeprefix("__") for word in type_name.qualifiers}:
                raise refused(node, "conversions between address spaces are not converted")
            case _:
                pass
        return self._inside(node)

    def _inside(self, node: Any) -> Any:
        """A node of which only the parts may change."""
        return with_parts(node, self.node)


def written(text: str, node: ast.Node) -> ast.Name:
    """A text that stands in place of an expression."""
    return ast.Name(text, span=node.span)


def without_space(type_name: ast.TypeName) -> ast.TypeName:
    """A type without address spaces and without what is atomic about it."""
    words = tuple(word.removeprefix("__") for word in type_name.qualifiers)
    if "constant" in words:
        raise refused(type_name, "SYCL has no constant address space")
    kept = tuple(word for word in words if word not in _SPACES)
    base = "int" if type_name.base == "atomic_flag" else type_name.base.removeprefix("atomic_")
    return replace(type_name, qualifiers=kept, base=base)


def _declares_local(node: ast.Statement) -> bool:
    """Whether a statement declares objects in local memory, not pointers to them."""
    return (
        isinstance(node, ast.Declaration)
        and bool({"local", "__local"} & set(node.type.qualifiers))
        and not any(declarator.pointers for declarator in node.declarators)
    )


def show_unit(unit: ast.Thread | ast.Function, test: Test) -> str:
    """A unit as text: a test of nothing else, without what stands around it."""
    alone = ast.Litmus("OPENCL", "t", units=(unit,), span=Span(test.tree.span.source, 0, 0))
    return print_litmus(alone).partition("{}")[2].strip()


def show_block(block: ast.Block, test: Test) -> str:
    """A block as text."""
    return show_unit(ast.Thread(0, (), (), block, span=block.span), test).partition(") ")[2].rstrip()
