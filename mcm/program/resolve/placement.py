"""The placement of threads, written `Pn@…` or as a `scopeTree`."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.topology import Device, HostThread, KernelInstance, SubGroup, WorkGroup, WorkItem, sub_group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.program.topology import Enclosing, Placement
    from mcm.syntax import ast
    from mcm.syntax.places import ScopeNode

# The parts of a placement as they are written, from the outermost to the innermost.
_PARTS: Final = ("dev", "ki", "wg", "sg")


class PlacedThread(Struct, frozen=True):
    """A thread and its placement; a work-item of a kernel (`is_launched`) is a thread with the text of the kernel.

    `name` is how it is shown: `P0`, `K[1]`; `kernel` is the name of its kernel or callback. `locals` are the variables
    of a kernel that live in local memory, each as its declaration would be in a list of parameters; `captured` are the
    variables that a block has been passed.
    """

    unit: ast.Thread
    name: str
    placement: Placement
    is_launched: bool = False
    kernel: str = ""
    locals: tuple[ast.Parameter, ...] = ()
    captured: tuple[ast.Parameter, ...] = ()

    @property
    def number(self) -> int:
        """Its number in conditions."""
        return self.unit.number


def place_threads(
    tree: ast.Litmus, threads: tuple[ast.Thread, ...], complaints: Complaints
) -> tuple[PlacedThread, ...]:
    """The threads of the file with their placements."""
    placements = _placements(tree, threads, complaints)
    return tuple(PlacedThread(thread, f"P{thread.number}", placements[thread.number]) for thread in threads)


def _placements(tree: ast.Litmus, threads: tuple[ast.Thread, ...], complaints: Complaints) -> dict[int, Placement]:
    if not tree.dialect.has_devices:
        _refuse_placement(tree, threads, complaints)
        return {thread.number: _alone(index) for index, thread in enumerate(threads)}
    written = {thread.number: _written_sub_group(thread, complaints) for thread in threads}
    if tree.scope_tree:
        written = _in_scope_tree(tree, threads, complaints)
    items = number_work_items({number: place for number, place in written.items() if place is not None})
    return {thread.number: items.get(thread.number, HostThread()) for thread in threads}


def _alone(index: int) -> WorkItem:
    """The placement of a thread in a language without devices: a work-group of its own."""
    return WorkItem(sub_group(work_group=index), global_id=index)


def _refuse_placement(tree: ast.Litmus, threads: tuple[ast.Thread, ...], complaints: Complaints) -> None:
    dialect = f"the {tree.dialect.name} dialect"
    for thread in threads:
        if thread.placement:
            span = thread.placement[0].span.to(thread.placement[-1].span)
            complaints.error("E116", span, f"threads of {dialect} have no placement, found one on P{thread.number}")
    if tree.scope_tree:
        complaints.error("E116", tree.scope_tree[0].span, f"{dialect} has no scopeTree")


def _written_sub_group(thread: ast.Thread, complaints: Complaints) -> SubGroup | None:
    """The sub-group written after `@`; None for a host thread."""
    numbers: dict[str, int | None] = {}
    for part in thread.placement:
        if part.key in numbers:
            first = next(one for one in thread.placement if one.key == part.key)
            note = Note("first written here", first.span)
            complaints.error("E114", part.span, f"'{part.key}' is written twice in the placement", note)
        else:
            numbers[part.key] = part.value
    if "host" not in numbers:
        return sub_group(*[numbers.get(key) or 0 for key in _PARTS])
    if any(number is not None for number in numbers.values()):
        span = next(part.span for part in thread.placement if part.key != "host")
        complaints.error("E117", span, "a host thread is in no work-group and on no device")
    return None


# --- the older form -------------------------------------------------------------------------------------------------


def _in_scope_tree(
    tree: ast.Litmus, threads: tuple[ast.Thread, ...], complaints: Complaints
) -> dict[int, SubGroup | None]:
    known = {thread.number: thread for thread in threads}
    found: dict[int, SubGroup | None] = {}
    seen: dict[int, Span] = {}
    for number, place, span in _leaves(tree.scope_tree, complaints):
        if number not in known:
            complaints.error("E115", span, f"scopeTree names P{number}, but there is no such thread")
        elif number in seen:
            complaints.error("E115", span, f"scopeTree names P{number} twice", Note("first here", seen[number]))
        else:
            seen[number], found[number] = span, place
    for thread in threads:
        if thread.placement:
            span = thread.placement[0].span
            complaints.error("E115", span, f"P{thread.number} is placed both here and by the scopeTree")
        elif thread.number not in seen:
            complaints.error("E115", tree.scope_tree[0].span, f"scopeTree does not name P{thread.number}")
    return found


def _leaves(nodes: tuple[ScopeNode, ...], complaints: Complaints) -> Iterator[tuple[int, SubGroup, Span]]:
    """The threads of a scopeTree with their places; units of each kind are numbered in order inside their parent."""
    has_devices = any(node.kind == "device" for node in nodes)
    for index, node in enumerate(nodes):
        if has_devices:
            yield from _device(node, KernelInstance(Device(index)), complaints)
        else:
            yield from _group(node, WorkGroup(KernelInstance(), index), complaints)


def _device(node: ScopeNode, instance: KernelInstance, complaints: Complaints) -> Iterator[tuple[int, SubGroup, Span]]:
    if not _is_kind(node, "device", complaints):
        return
    for number in node.threads:
        complaints.error("E115", node.span, f"scopeTree puts P{number} in no work_group")
        yield number, SubGroup(WorkGroup(instance)), node.span
    for index, child in enumerate(node.children):
        yield from _group(child, WorkGroup(instance, index), complaints)


def _group(node: ScopeNode, group: WorkGroup, complaints: Complaints) -> Iterator[tuple[int, SubGroup, Span]]:
    if not _is_kind(node, "work_group", complaints):
        return
    sub_groups = [child for child in node.children if child.kind != "work_item"]
    for index, child in enumerate(sub_groups):
        if _is_kind(child, "sub_group", complaints):
            yield from _items(child, SubGroup(group, index), complaints)
    # Threads of a work-group that are in none of its sub-groups form another one.
    rest = replace(node, children=tuple(child for child in node.children if child.kind == "work_item"))
    yield from _items(rest, SubGroup(group, len(sub_groups)), complaints)


def _items(node: ScopeNode, place: SubGroup, complaints: Complaints) -> Iterator[tuple[int, SubGroup, Span]]:
    yield from ((number, place, node.span) for number in node.threads)
    for child in node.children:
        if _is_kind(child, "work_item", complaints):
            yield from ((number, place, child.span) for number in child.threads)


def _is_kind(node: ScopeNode, kind: str, complaints: Complaints) -> bool:
    if node.kind != kind:
        complaints.error("E115", node.span, f"expected '{kind}' at this level of the scopeTree, found '{node.kind}'")
    return node.kind == kind


# --- numbering ------------------------------------------------------------------------------------------------------


def number_work_items(places: dict[int, SubGroup]) -> dict[int, WorkItem]:
    """Give every work-item its numbers: ranks inside sub-group, work-group and kernel instance, in thread order."""
    sizes: defaultdict[Enclosing, int] = defaultdict(int)
    for place in places.values():
        sizes[place.work_group] += 1
        sizes[place.work_group.kernel_instance] += 1
    ranks: defaultdict[Enclosing, Iterator[int]] = defaultdict(count)
    return {
        number: WorkItem(
            place,
            global_id=next(ranks[place.work_group.kernel_instance]),
            local_id=next(ranks[place.work_group]),
            local_size=sizes[place.work_group],
            global_size=sizes[place.work_group.kernel_instance],
            sub_group_local_id=next(ranks[place]),
        )
        for number, place in sorted(places.items())
    }
