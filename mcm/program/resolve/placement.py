"""Where each thread stands: from `Pn@…` headers, or from the `scopeTree` of the older form."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import count
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.base.diagnostic import Note
from mcm.program.topology import HostThread, Placement, WorkItem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.base.source import Span
    from mcm.program.resolve.complaints import Complaints
    from mcm.syntax import ast


class _Spot(Struct, frozen=True):
    """The parts of a placement that can be written."""

    device: int = 0
    kernel_instance: int = 0
    work_group: int = 0
    sub_group: int = 0


_FIELDS = {"dev": "device", "ki": "kernel_instance", "wg": "work_group", "sg": "sub_group"}


def place_threads(tree: ast.Litmus, threads: tuple[ast.Thread, ...], complaints: Complaints) -> dict[int, Placement]:
    """The placement of every thread, by its number."""
    if not tree.dialect.has_devices:
        _refuse_placement(tree, threads, complaints)
        return {thread.number: _alone(index) for index, thread in enumerate(threads)}
    written = {thread.number: _written_spot(thread, complaints) for thread in threads}
    if tree.scope_tree:
        written = _spots_of_tree(tree, threads, complaints)
    items = number_work_items({number: spot for number, spot in written.items() if spot is not None})
    return {thread.number: items.get(thread.number, HostThread()) for thread in threads}


def _alone(index: int) -> WorkItem:
    """A C thread is in a group of its own."""
    return WorkItem(work_group=index, group_id=index, global_id=index)


def _refuse_placement(tree: ast.Litmus, threads: tuple[ast.Thread, ...], complaints: Complaints) -> None:
    dialect = f"the {tree.dialect.name} dialect"
    for thread in threads:
        if thread.placement:
            span = thread.placement[0].span.to(thread.placement[-1].span)
            complaints.error("E116", span, f"threads of {dialect} have no placement, found one on P{thread.number}")
    if tree.scope_tree:
        complaints.error("E116", tree.scope_tree[0].span, f"{dialect} has no scopeTree")


def _written_spot(thread: ast.Thread, complaints: Complaints) -> _Spot | None:
    """The spot written after `@`; None for a host thread."""
    first: dict[str, ast.PlacementPart] = {}
    values: dict[str, int] = {}
    for part in thread.placement:
        if part.key in first:
            note = Note("first written here", first[part.key].span)
            complaints.error("E114", part.span, f"'{part.key}' is written twice in the placement", note)
            continue
        first[part.key] = part
        if part.value is not None:
            values[_FIELDS[part.key]] = part.value
    if "host" in first and values:
        span = next(part.span for part in thread.placement if part.key != "host")
        complaints.error("E117", span, "a host thread is in no work-group and on no device")
    return None if "host" in first else _Spot(**values)


# --- the older form -------------------------------------------------------------------------------------------------


def _spots_of_tree(
    tree: ast.Litmus, threads: tuple[ast.Thread, ...], complaints: Complaints
) -> dict[int, _Spot | None]:
    known = {thread.number: thread for thread in threads}
    spots: dict[int, _Spot | None] = {}
    seen: dict[int, Span] = {}
    for number, spot, span in _leaves(tree.scope_tree, complaints):
        if number not in known:
            complaints.error("E115", span, f"scopeTree names P{number}, but there is no such thread")
        elif number in seen:
            complaints.error("E115", span, f"scopeTree names P{number} twice", Note("first here", seen[number]))
        else:
            seen[number], spots[number] = span, spot
    for thread in threads:
        if thread.placement:
            span = thread.placement[0].span
            complaints.error("E115", span, f"P{thread.number} is placed both here and by the scopeTree")
        elif thread.number not in seen:
            complaints.error("E115", tree.scope_tree[0].span, f"scopeTree does not name P{thread.number}")
    return spots


def _leaves(nodes: tuple[ast.ScopeNode, ...], complaints: Complaints) -> Iterator[tuple[int, _Spot, Span]]:
    """The threads of a scopeTree with their spots; units of each kind are numbered in order inside their parent."""
    has_devices = any(node.kind == "device" for node in nodes)
    for index, node in enumerate(nodes):
        if has_devices:
            yield from _device(node, _Spot(device=index), complaints)
        else:
            yield from _group(node, _Spot(work_group=index), complaints)


def _device(node: ast.ScopeNode, spot: _Spot, complaints: Complaints) -> Iterator[tuple[int, _Spot, Span]]:
    if not _is_kind(node, "device", complaints):
        return
    for number in node.threads:
        complaints.error("E115", node.span, f"scopeTree puts P{number} in no work_group")
        yield number, spot, node.span
    for index, child in enumerate(node.children):
        yield from _group(child, replace(spot, work_group=index), complaints)


def _group(node: ast.ScopeNode, spot: _Spot, complaints: Complaints) -> Iterator[tuple[int, _Spot, Span]]:
    if not _is_kind(node, "work_group", complaints):
        return
    sub_groups = [child for child in node.children if child.kind != "work_item"]
    for index, child in enumerate(sub_groups):
        if _is_kind(child, "sub_group", complaints):
            yield from _items(child, replace(spot, sub_group=index), complaints)
    # Threads beside the sub-groups of a work-group form one more.
    rest = replace(node, children=tuple(child for child in node.children if child.kind == "work_item"))
    yield from _items(rest, replace(spot, sub_group=len(sub_groups)), complaints)


def _items(node: ast.ScopeNode, spot: _Spot, complaints: Complaints) -> Iterator[tuple[int, _Spot, Span]]:
    yield from ((number, spot, node.span) for number in node.threads)
    for child in node.children:
        if _is_kind(child, "work_item", complaints):
            yield from ((number, spot, child.span) for number in child.threads)


def _is_kind(node: ast.ScopeNode, kind: str, complaints: Complaints) -> bool:
    if node.kind != kind:
        complaints.error("E115", node.span, f"expected '{kind}' at this level of the scopeTree, found '{node.kind}'")
    return node.kind == kind


# --- numbering ------------------------------------------------------------------------------------------------------


def number_work_items(spots: dict[int, _Spot]) -> dict[int, WorkItem]:
    """Give every work-item its numbers: ranks inside sub-group, work-group and kernel instance, in thread order."""
    instances = {number: (spot.device, spot.kernel_instance) for number, spot in spots.items()}
    groups = {number: (*instances[number], spot.work_group) for number, spot in spots.items()}
    sub_groups = {number: (*groups[number], spot.sub_group) for number, spot in spots.items()}
    instance_sizes, group_sizes = Counter(instances.values()), Counter(groups.values())
    ranks: defaultdict[tuple[int, ...], Iterator[int]] = defaultdict(count)
    return {
        number: WorkItem(
            device=spot.device,
            kernel_instance=spot.kernel_instance,
            work_group=spot.work_group,
            sub_group=spot.sub_group,
            global_id=next(ranks[instances[number]]),
            local_id=next(ranks[groups[number]]),
            group_id=spot.work_group,
            local_size=group_sizes[groups[number]],
            global_size=instance_sizes[instances[number]],
            sub_group_local_id=next(ranks[sub_groups[number]]),
        )
        for number, spot in sorted(spots.items())
    }
