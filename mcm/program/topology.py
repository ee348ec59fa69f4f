"""Where threads stand: host threads, and devices with their kernel instances, work-groups, sub-groups and work-items.

Each value contains what encloses it, so equal values are the same group, instance or device.
"""

from __future__ import annotations

from msgspec import Struct


class Device(Struct, frozen=True, order=True):
    """A device."""

    number: int = 0


class KernelInstance(Struct, frozen=True, order=True):
    """One execution of a kernel on a device."""

    device: Device = Device()
    number: int = 0


class WorkGroup(Struct, frozen=True, order=True):
    """A work-group of a kernel instance."""

    kernel_instance: KernelInstance = KernelInstance()
    number: int = 0


class SubGroup(Struct, frozen=True, order=True):
    """A sub-group of a work-group."""

    work_group: WorkGroup = WorkGroup()
    number: int = 0


# What encloses a work-item.
Enclosing = Device | KernelInstance | WorkGroup | SubGroup


class Dimension(Struct, frozen=True, order=True):
    """Where a work-item stands in one dimension of an ND-range; `local_size` is that of its own work-group.

    The last work-group is smaller than the others, of `enqueued_local_size`, where these do not divide `global_size`.
    """

    global_id: int
    local_id: int
    group_id: int
    local_size: int
    enqueued_local_size: int
    global_size: int

    @property
    def groups(self) -> int:
        """The number of work-groups."""
        return -(-self.global_size // self.enqueued_local_size)


class Enqueued(Struct, frozen=True, order=True):
    """What a kernel is launched with: the sizes of work-groups and sub-groups that are no smaller remainders."""

    local_size: int
    sub_group_size: int

    @property
    def sub_groups(self) -> int:
        """The number of sub-groups of a whole work-group."""
        return -(-self.local_size // self.sub_group_size)


class WorkItem(Struct, frozen=True, order=True):
    """A work-item in its sub-group; ids and sizes are linear, as of an ND-range of one dimension.

    `dimensions` says where it stands in each dimension; an ND-range of one dimension may leave them out. `local_size`
    is that of its own work-group; `enqueued` is None where work-items are written one by one.
    """

    sub_group: SubGroup = SubGroup()
    global_id: int = 0
    local_id: int = 0
    local_size: int = 1
    global_size: int = 1
    sub_group_local_id: int = 0
    dimensions: tuple[Dimension, ...] = ()
    enqueued: Enqueued | None = None

    @property
    def is_in_remainder(self) -> bool:
        """Whether its work-group is smaller than those that the kernel is launched with."""
        return self.enqueued is not None and self.local_size < self.enqueued.local_size

    @property
    def work_group(self) -> WorkGroup:
        """The work-group that the work-item is in."""
        return self.sub_group.work_group

    @property
    def kernel_instance(self) -> KernelInstance:
        """The kernel instance that the work-item belongs to."""
        return self.sub_group.work_group.kernel_instance

    @property
    def device(self) -> Device:
        """The device that the work-item runs on."""
        return self.kernel_instance.device

    @property
    def enclosing(self) -> tuple[Device, KernelInstance, WorkGroup, SubGroup]:
        """What encloses the work-item, from the outermost to the innermost."""
        return self.device, self.kernel_instance, self.work_group, self.sub_group


class HostThread(Struct, frozen=True, order=True):
    """A thread of the host program: in no work-group, on no device."""


class DataCommand(Struct, frozen=True, order=True):
    """A command that reads, writes or copies memory: on the device of its queue, in no kernel instance."""

    device: Device = Device()


Placement = WorkItem | HostThread | DataCommand


def sub_group(device: int = 0, kernel_instance: int = 0, work_group: int = 0, number: int = 0) -> SubGroup:
    """The sub-group of these numbers."""
    return SubGroup(WorkGroup(KernelInstance(Device(device), kernel_instance), work_group), number)
