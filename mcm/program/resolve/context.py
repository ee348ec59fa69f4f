"""The state of resolving the body of one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcm.program.topology import HostThread
from mcm.program.types import Region, Scope

if TYPE_CHECKING:
    from mcm.base.dialect import Dialect
    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.resolve.memory import MemoryObjects
    from mcm.program.resolve.names import Names
    from mcm.program.topology import Placement, WorkItem
    from mcm.syntax.ast import TypeName


class ThreadContext(Struct):
    """The thread whose body is being resolved.

    `work_items` are the places of all threads on devices. `constants` are registers declared const, `read_only`
    pointers to a type declared const, `reassigned` registers that have been assigned so far.
    """

    number: int
    body_span: Span
    dialect: Dialect
    placement: Placement
    work_items: tuple[WorkItem, ...]
    memory: MemoryObjects
    names: Names
    complaints: Complaints
    constants: set[str] = field(default_factory=set)
    read_only: set[str] = field(default_factory=set)
    reassigned: set[str] = field(default_factory=set)
    loop_depth: int = 0
    pending_label: str | None = None
    _sites: dict[str, int] = field(default_factory=dict)

    @property
    def is_host(self) -> bool:
        """Whether this is a thread of the host program."""
        return isinstance(self.placement, HostThread)

    @property
    def is_work_item(self) -> bool:
        """Whether this is a work-item on a device, in a work-group."""
        return not self.is_host and self.dialect.has_devices

    @property
    def default_scope(self) -> Scope:
        """The scope of an atomic operation that names none; atomics of the host act at ALL (HOST-SVM-3)."""
        return Scope.DEVICE if self.is_work_item else Scope.ALL_SVM_DEVICES

    @property
    def unnamed_region(self) -> Region:
        """The address space that a pointer type without one points into."""
        return Region.GENERIC if self.is_work_item else Region.NONE

    @property
    def private_region(self) -> Region:
        """The address space of the thread's own variables."""
        return Region.PRIVATE if self.is_work_item else Region.NONE

    def site(self, kind: str) -> str:
        """The call site of a barrier or collective: its label, or its number among the unlabelled ones."""
        if self.pending_label is not None:
            label, self.pending_label = self.pending_label, None
            return label
        self._sites[kind] = self._sites.get(kind, 0) + 1
        return f"{kind}#{self._sites[kind]}"

    def note_const(self, register: str, written: TypeName, stars: tuple[tuple[str, ...], ...]) -> None:
        """Remember what a declaration makes const: the variable, or what it points at."""
        levels = (written.qualifiers, *written.pointers, *stars)
        if "const" in levels[-1]:
            self.constants.add(register)
        if len(levels) > 1 and "const" in levels[-2]:
            self.read_only.add(register)

    def unknown_name(self, name: str, span: Span, hint: str) -> None:
        """Complain once about a name that means nothing in this thread."""
        if not self.names.is_forgotten(name) and self.complaints.is_new("E101", self.number, name):
            self.complaints.error("E101", span, f"unknown name '{name}'{hint}")
