"""How large the work-groups of a launch are: as it says, and as its kernel requires."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.base.diagnostic import Note
from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.syntax.attribute import REQUIRED_SIZE

if TYPE_CHECKING:
    from mcm.base.source import Span
    from mcm.syntax.ast import Kernel
    from mcm.syntax.attribute import Attribute

_DIMENSIONS: Final = 3

Sizes = tuple[int, ...]


def group_sizes(
    kernel: Kernel, global_sizes: Sizes, written: Sizes | None, span: Span, complaints: Complaints
) -> Sizes | None:
    """The sizes that are `written` at a place; else those that the kernel requires; else all work-items are one group.

    None after an error.
    """
    attribute = _required(kernel)
    if attribute is None:
        return global_sizes if written is None else written
    required = _sizes(attribute, complaints)
    if required is None:
        return None
    count = len(global_sizes)
    if any(size > 1 for size in required[count:]) or (written or required[:count]) != required[:count]:
        if complaints.is_new("E152", span.start):
            found = "one dimension" if written is None and count == 1 else f"{count} dimensions"
            found = found if written is None else " * ".join(map(str, written))
            shown = " * ".join(map(str, required))
            message = (
                f"the work-groups of '{kernel.name.text}' have to be {shown} work-items, found {found}: "
                "it is not run (CL_INVALID_WORK_GROUP_SIZE)"
            )
            complaints.error("E152", span, message, Note("required here", attribute.span))
        return None
    return required[:count]


def required_sizes(kernel: Kernel) -> Sizes | None:
    """The sizes of work-groups that a kernel requires, in three dimensions; None where it requires none."""
    attribute = _required(kernel)
    return None if attribute is None else _sizes(attribute, Complaints())


def _required(kernel: Kernel) -> Attribute | None:
    return next((one for one in kernel.attributes if one.name.text == REQUIRED_SIZE), None)


def _sizes(attribute: Attribute, complaints: Complaints) -> Sizes | None:
    """What the attribute says, which is complained of once."""
    own = complaints if complaints.is_new(REQUIRED_SIZE, attribute.span.start) else Complaints()
    name, arguments = attribute.name.text, attribute.arguments
    if len(arguments) != _DIMENSIONS:
        own.error("E104", attribute.span, f"'{name}' has {_DIMENSIONS} sizes, found {len(arguments)}")
        return None
    try:
        sizes = tuple([constant_integer(one, own, f"a size of '{name}'") for one in arguments])
    except UnresolvedError:
        return None
    for size, node in zip(sizes, arguments, strict=True):
        if size < 1:
            own.error("E152", node.span, f"a size of 1 or more was expected, found {size}")
            return None
    return sizes
