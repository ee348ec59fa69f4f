"""Units of execution and where they stand: host threads, devices, kernel instances, work-groups, sub-groups."""

from __future__ import annotations

from msgspec import Struct


class WorkItem(Struct, frozen=True, order=True):
    """Where a work-item stands. A work-group is `(device, kernel_instance, work_group)`; a sub-group adds `sub_group`.

    The last six are what the work-item functions return in dimension 0.
    """

    device: int = 0
    kernel_instance: int = 0
    work_group: int = 0
    sub_group: int = 0
    global_id: int = 0
    local_id: int = 0
    group_id: int = 0
    local_size: int = 1
    global_size: int = 1
    sub_group_local_id: int = 0

    @property
    def group_key(self) -> tuple[int, int, int]:
        """Identity of the work-group."""
        return (self.device, self.kernel_instance, self.work_group)

    @property
    def sub_group_key(self) -> tuple[int, int, int, int]:
        """Identity of the sub-group."""
        return (*self.group_key, self.sub_group)


class HostThread(Struct, frozen=True, order=True):
    """A thread of the host program: in no work-group, on no device."""


Placement = WorkItem | HostThread
