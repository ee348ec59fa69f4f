"""Where threads and objects stand, as the old form of tests says it: behind the threads."""

from __future__ import annotations

from mcm.syntax.ast import Name, Node


class ScopeNode(Node, frozen=True):
    """A node of the old `scopeTree`: `kind` is `device`, `work_group` or `sub_group`; `threads` are numbers."""

    kind: str
    children: tuple[ScopeNode, ...] = ()
    threads: tuple[int, ...] = ()


class RegionEntry(Node, frozen=True):
    """`x:global` in a region line of the old form."""

    name: Name
    region: str
