"""What functions of OpenCL C tell each work-item of a launch: its ids, and the sizes around it."""

from __future__ import annotations

from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Final

from mcm.program.resolve.group_sizes import required_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcm.syntax import ast

_ITEMS: Final = "work-items"
_ITEMS_OF_GROUP: Final = "work-items of a group"
# How many ids of a kind there are.
COUNTS: Final = {
    "get_global_id": "get_global_size",
    "get_local_id": "get_enqueued_local_size",
    "get_group_id": "get_num_groups",
    "get_global_linear_id": _ITEMS,
    "get_local_linear_id": _ITEMS_OF_GROUP,
    "get_sub_group_id": "get_enqueued_num_sub_groups",
    "get_sub_group_local_id": "get_max_sub_group_size",
}


def ids_of_work_items(kernel: ast.Kernel, launch: ast.Launch) -> Iterator[Mapping[str, tuple[int, ...]]]:
    """What functions give each work-item, in each dimension; the last ones and the first ones come first."""
    sizes = {part.key: part.values for part in launch.parts}
    whole = sizes.get("global", (1,))
    local = sizes.get("local") or required_sizes(kernel) or whole
    local = (*local, *[1] * (len(whole) - len(local)))
    groups = tuple(-(-size // max(1, one)) for size, one in zip(whole, local, strict=False))
    number = prod(whole)
    each = max(1, min(*sizes.get("sub", (prod(local),)), prod(local)))
    if not number:
        # A launch of nothing is refused where its sizes are looked at.
        return
    first = dict.fromkeys((number - 1, 0, max(0, number - 2), min(1, number - 1)))
    for linear in chain(first, (n for n in range(number) if n not in first)):
        left, place = linear, []
        for size in whole:
            left, index = divmod(left, size)
            place.append(index)
        group = tuple(index // max(1, one) for index, one in zip(place, local, strict=False))
        # The last group of a dimension may be smaller.
        own = tuple(min(one, size - one * at) for one, size, at in zip(local, whole, group, strict=False))
        inside = tuple(index % max(1, one) for index, one in zip(place, local, strict=False))
        in_group = sum(index * prod(own[:dimension]) for dimension, index in enumerate(inside))
        yield {
            "get_global_id": tuple(place),
            "get_local_id": inside,
            "get_group_id": group,
            "get_global_size": whole,
            "get_local_size": own,
            "get_enqueued_local_size": local,
            "get_num_groups": groups,
            "get_global_linear_id": (linear,),
            "get_local_linear_id": (in_group,),
            "get_sub_group_id": (in_group // each,),
            "get_sub_group_local_id": (in_group % each,),
            "get_max_sub_group_size": (each,),
            "get_enqueued_num_sub_groups": (-(-prod(local) // each),),
            _ITEMS: (number,),
            _ITEMS_OF_GROUP: (prod(local),),
        }
