"""The attributes of kernels that mean something, or may be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.syntax.ast import Node

if TYPE_CHECKING:
    from mcm.syntax.ast import Expression, Name

# The size of the work-groups that a kernel is launched with, and one that compilers may expect.
REQUIRED_SIZE: Final = "reqd_work_group_size"
GROUP_SIZES: Final = (REQUIRED_SIZE, "work_group_size_hint")

# A function of which there may be several with one name.
OVERLOADABLE: Final = "overloadable"


class Attribute(Node, frozen=True):
    """`__attribute__((NAME(arguments)))`."""

    name: Name
    arguments: tuple[Expression, ...]
