"""Kernels of OpenCL C as what SYCL launches: lambdas and ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from mcm.convert.bodies import Body, show_block
from mcm.convert.names import free_name, words_of
from mcm.convert.refusal import refused
from mcm.program.resolve.group_sizes import required_sizes
from mcm.program.resolve.type_names import is_by_value
from mcm.program.topology import WorkItem
from mcm.syntax import ast

if TYPE_CHECKING:
    from mcm.front_end.test import Test
    from mcm.program.program import Thread


class Shape(Struct, frozen=True):
    """The sizes of a kernel, the dimension that varies fastest first; `sub_size` is None where the text says none."""

    global_sizes: tuple[int, ...]
    local_sizes: tuple[int, ...]
    sub_size: int | None = None


def launch_shape(launch: ast.Launch, kernel: ast.Kernel) -> Shape:
    """The sizes of a launch; InputError for what a kernel of SYCL is not told."""
    sizes = {part.key: part.values for part in launch.parts}
    for part in launch.parts:
        if part.key in {"dev", "ki"} and part.values != (0,):
            reason = "a kernel outside a host program runs on the first device of SYCL's, as the first instance"
            raise refused(part, reason)
    whole = sizes["global"]
    local = sizes.get("local") or (required_sizes(kernel) or whole)[: len(whole)]
    return whole_groups(Shape(whole, local, sizes["sub"][0] if "sub" in sizes else None), launch)


def shape_of(thread: Thread, sub_size: int | None) -> Shape:
    """The sizes of the kernel that a work-item runs."""
    place = thread.placement
    assert isinstance(place, WorkItem)
    if not place.dimensions:
        assert place.enqueued is not None
        return Shape((place.global_size,), (place.enqueued.local_size,), sub_size)
    wholes = tuple(one.global_size for one in place.dimensions)
    return Shape(wholes, tuple(one.enqueued_local_size for one in place.dimensions), sub_size)


def whole_groups(shape: Shape, node: ast.Node) -> Shape:
    """The sizes that a launch or a command has; InputError where work-groups are smaller than others."""
    for whole, part in zip(shape.global_sizes, shape.local_sizes, strict=True):
        if whole % part:
            raise refused(node, f"an nd_range has whole work-groups: {whole} work-items are not groups of {part}")
    return shape


def launched(kernel: ast.Kernel, shape: Shape, name: str, receiver: str, test: Test) -> str:
    """The call that launches a kernel, `receiver` being a queue or a handler."""
    dimensions = len(shape.global_sizes)
    item = free_name(words_of(kernel.span.text), "it", "item", "nd_it", "this_item")
    body = Body(test, kernel.parameters, is_host=False, dimensions=dimensions, item=item)
    text = show_block(body.block(_with_values(kernel, test.tree)), test)
    if shape.global_sizes == (1,) and f"{item}." not in text:
        return f"{receiver}.single_task<class {name}>([=]() {text})"
    whole, part = _range(shape.global_sizes), _range(shape.local_sizes)
    sub = "" if shape.sub_size is None else f" [[sycl::reqd_sub_group_size({shape.sub_size})]]"
    sizes = f"nd_range<{dimensions}>({whole}, {part})"
    return f"{receiver}.parallel_for<class {name}>({sizes}, [=](nd_item<{dimensions}> {item}){sub} {text})"


def _with_values(kernel: ast.Kernel, tree: ast.Litmus) -> ast.Block:
    """The body of a kernel, in which variables stand for its parameters that are values, as the test states them."""
    stated = {item.name.text: item.value for item in tree.initial if isinstance(item, ast.InitialValue)}
    variables = tuple(
        ast.Declaration(one.type, (ast.Declarator(one.name, (), None, value, span=one.span),), span=one.span)
        for one in kernel.parameters
        if is_by_value(one) and isinstance(value := stated.get(one.name.text), ast.Expression)
    )
    return replace(kernel.body, statements=(*variables, *kernel.body.statements))


def _range(sizes: tuple[int, ...]) -> str:
    """A range in the order of SYCL, whose last dimension varies fastest."""
    shown = ", ".join(map(str, reversed(sizes)))
    return shown if len(sizes) == 1 else f"range<{len(sizes)}>({shown})"
