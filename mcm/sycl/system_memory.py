"""Memory of the host that kernels use by its address: a device without system USM has no such memory (W156)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.sycl.containers import KIND, VECTOR
from mcm.sycl.entities import Variable
from mcm.sycl.sizes import pointed
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.sycl.context import Context
    from mcm.syntax.ast import Node, TypeName

_SYSTEM: Final = "system"


def led_into(value: Node | None, type_: TypeName, context: Context) -> str:
    """The memory of the host that a pointer of the host is made to lead into; "" for other memory and variables."""
    if not context.is_host or not type_.pointers or value is None or isinstance(value, ast.InitializerList):
        return ""
    match value:
        case ast.Prefix("&", ast.Name(text)) if isinstance(context.scopes.find(text), Variable):
            return text
        case ast.Name(text) if isinstance(one := context.scopes.find(text), Variable):
            return text if one.is_array else one.leads_into
        case _:
            pass
    found = pointed(value, context)
    return found.name.text if found is not None and is_of_host(found.name.text, context) else ""


def is_of_host(name: str, context: Context) -> bool:
    """Whether an object is memory that a program has without asking SYCL for it, as `new` and containers make it."""
    item = context.object_named(name)
    return item is not None and (item.kind in {KIND, VECTOR} or (item.kind == _SYSTEM and item.is_made))


def warn(name: str, node: Node, context: Context) -> None:
    """Tell of a kernel that uses memory of the host."""
    text = node.span.text
    what = f"'{text}' is" if text == name else f"'{text}' leads into '{name}', which is"
    message = (
        f"{what} memory of the host: a kernel may access that on a device with 'aspect::usm_system_allocations' alone "
        "(SYCL 2020, 4.8), which is assumed here; buffers and USM are there on others, too"
    )
    context.complaints.warning("W156", node.span, message)
