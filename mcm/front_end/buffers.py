"""The buffers behind the parameters of kernels: how large they are where nothing says so; and that they are results."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.program.resolve.complaints import Complaints, UnresolvedError
from mcm.program.resolve.constants import constant_integer
from mcm.program.resolve.parts import is_record
from mcm.program.resolve.spelling import LOAD_HALF, STORE_HALF
from mcm.program.resolve.type_names import space_of_memory
from mcm.program.types import Region
from mcm.syntax import ast, question
from mcm.syntax.walk import parts_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_Callee = ast.Function | ast.Kernel
# The pointer stands last, and the index before it.
_OF_HALVES: Final = frozenset({LOAD_HALF, *STORE_HALF})
_RANGES: Final = frozenset({"ndrange_1D", "ndrange_2D", "ndrange_3D"})
# How often a call of a call is followed.
_DEEPEST: Final = 20


def with_buffers(tree: ast.Litmus) -> ast.Litmus:
    """The test with an initial value, 0, for each pointer parameter of a kernel that is launched and has none.

    One that is only used as `*p` is one element. With constant indices it has as many as these need; with any other one
    there are as many as there are work-items, in the launch (in a work-group for local memory).
    """
    given = {item.name.text for item in tree.initial if isinstance(item, ast.InitialValue)}
    functions: dict[str, ast.Function | ast.Kernel] = {
        unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Function) and unit.body
    }
    added: dict[str, ast.InitialValue] = {}
    kernels = _kernels(tree)
    for launch, kernel in _launched(tree):
        for parameter in kernel.parameters:
            name = parameter.name.text
            is_whole = is_record(parameter.type.base)
            if parameter.type.pointers and name not in given and parameter.length is None and not is_whole:
                if "." in name:
                    structures = _structures(parameter, kernel, launch, {**kernels, **functions})
                    length = structures if parameter.step == 1 else parameter.step * (structures or 1)
                else:
                    length = _length(parameter, kernel, launch, {**kernels, **functions})
                    length = length if parameter.step == 1 else _whole(length, parameter.step)
                if name not in added or (length or 0) > _stated(added[name]):
                    added[name] = _buffer(parameter, length)
    return replace(tree, initial=(*tree.initial, *added.values()))


def with_results(tree: ast.Litmus) -> ast.Litmus:
    """The test; where nothing is asked, it shows what its kernels leave behind: the global memory that they are given.

    Nobody sees their variables and their local memory when they have ended, nor what a pipe keeps of its packets.
    """
    if tree.condition is not None or tree.locations:
        return tree
    stated = [item for item in tree.initial if isinstance(item, ast.InitialValue)]
    pipes = {item.name.text for item in stated if item.allocation == "pipe"}
    names = {
        parameter.name.text: parameter.name
        for _, kernel in _launched(tree)
        for parameter in kernel.parameters
        if parameter.type.pointers and space_of_memory(parameter) is Region.GLOBAL
        if parameter.name.text not in pipes
    }
    return replace(tree, locations=tuple(question.LocationReference(name, span=name.span) for name in names.values()))


def _kernels(tree: ast.Litmus) -> dict[str, ast.Kernel]:
    return {unit.name.text: unit for unit in tree.units if isinstance(unit, ast.Kernel)}


def _launched(tree: ast.Litmus) -> Iterator[tuple[ast.Launch, ast.Kernel]]:
    """The launches, each with its kernel, where there is one of that name."""
    kernels = _kernels(tree)
    for launch in tree.units:
        if isinstance(launch, ast.Launch) and launch.kernel.text in kernels:
            yield launch, kernels[launch.kernel.text]


def _stated(item: ast.InitialValue) -> int:
    return int(item.length.text) if isinstance(item.length, ast.NumberLiteral) else 0


def _is_local(parameter: ast.Parameter) -> bool:
    return space_of_memory(parameter) is Region.LOCAL


def _buffer(parameter: ast.Parameter, length: int | None) -> ast.InitialValue:
    span = parameter.span
    number = None if length is None else ast.NumberLiteral(str(length), span=span)
    # Local memory begins indeterminate; of anything else the elements are 0.
    value = None if _is_local(parameter) else ast.NumberLiteral("0", span=span)
    return ast.InitialValue(parameter.name, length=number, value=value, is_guessed=True, span=span)


def _length(
    parameter: ast.Parameter, kernel: ast.Kernel, launch: ast.Launch, functions: Mapping[str, _Callee]
) -> int | None:
    """The number of elements; None for a single object."""
    names = [parameter.name.text, *_others_for(parameter.name.text, kernel.body)]
    indices = [index for name in names for index in _indices(name, kernel.body, functions, _DEEPEST)]
    if not indices:
        return None
    sizes = {part.key: part.values for part in launch.parts}
    whole = sizes.get("global", (1,))
    items = prod(sizes.get("local", whole) if _is_local(parameter) else whole)
    needed = max((index + 1 for index in indices if index is not None and index >= 0), default=1)
    # Numbers that are those of vectors: a work-item has one of these at least.
    least = parameter.step if "." not in parameter.name.text else 1
    each = max((least if index is None else -index for index in indices if index is None or index < 0), default=0)
    return max(needed, items * each)


def _others_for(name: str, body: ast.Block) -> list[str]:
    """The variables that begin as the same pointer, perhaps as one to another type: `float4* v = (float4*)p`."""
    found = [name]
    for node in walk([body]):
        if isinstance(node, ast.Declarator) and node.initializer is not None and _root(node.initializer) in found:
            found.append(node.name.text)
    return found[1:]


def _root(pointer: ast.Expression | ast.InitializerList) -> str | None:
    """The name of a pointer, which may be cast to another type."""
    while isinstance(pointer, ast.Cast) and pointer.type.pointers:
        pointer = pointer.operand
    return pointer.text if isinstance(pointer, ast.Name) else None


def _whole(length: int | None, step: int) -> int:
    """So many numbers, or a few more, that they are vectors of so many."""
    return -(-(length or 1) // step) * step


def _structures(
    member: ast.Parameter, kernel: ast.Kernel, launch: ast.Launch, functions: Mapping[str, _Callee]
) -> int | None:
    """How many structures or vectors there are, of which a parameter is a member; None for a single one.

    There are as many as one of its members needs that is no array.
    """
    prefix = f"{member.name.text.partition('.')[0]}."
    others = [one for one in kernel.parameters if one.name.text.startswith(prefix) and one.step == 1]
    return max(filter(None, (_length(one, kernel, launch, functions) for one in others)), default=None)


def _indices(name: str, node: ast.Node, functions: Mapping[str, _Callee], depth: int) -> Iterator[int | None]:
    """The indices that a pointer is used with; None for one that is no constant. `*p` and an argument are none.

    -4 stands for 4 elements of each work-item, as in `p[4 * i + 1]` and `vload4(i, p)`.
    """
    match node:
        case ast.Name(text):
            if text == name:
                yield None
        case ast.Index(base, index) if _root(base) == name:
            yield _index(index)
            yield from _indices(name, index, functions, depth)
        case ast.Prefix("*" | "!", ast.Name()):
            return
        case ast.Call(function, arguments):
            callee = functions.get(function.text)
            if function.text == "enqueue_kernel" and depth:
                yield from _indices_of_child(name, node, functions, depth)
                return
            if function.text in _OF_HALVES and len(arguments) > 1:
                yield from _indices(name, ast.Index(arguments[-1], arguments[-2], span=node.span), functions, depth)
            if function.text == "async_work_group_copy" and len(arguments) > 2:
                count = _constant(arguments[2])
                yield from [None if count is None else count - 1] * sum(map(_is_named(name), arguments[:2]))
            for number, argument in enumerate(arguments):
                if not (isinstance(argument, ast.Name) and argument.text == name):
                    yield from _indices(name, argument, functions, depth)
                elif callee is not None and callee.body is not None and number < len(callee.parameters) and depth:
                    inner = callee.parameters[number].name.text
                    yield from _indices(inner, callee.body, functions, depth - 1)
        case _:
            for part in _uses(node):
                yield from _indices(name, part, functions, depth)


def _indices_of_child(name: str, call: ast.Call, functions: Mapping[str, _Callee], depth: int) -> Iterator[int | None]:
    """The indices in a kernel that is enqueued, whose parameters are bound by name; as many items as the call says."""
    names = (node.text for node in call.arguments if isinstance(node, ast.Name))
    child = next((functions[text] for text in names if text in functions), None)
    sizes = [one.arguments for one in call.arguments if isinstance(one, ast.Call) and one.function.text in _RANGES]
    numbers = [one for one in (*call.arguments, *(sizes[0] if sizes else ())) if isinstance(one, ast.NumberLiteral)]
    for index in () if child is None or child.body is None else _indices(name, child.body, functions, depth - 1):
        yield index
        if index is None and numbers:
            yield (_constant(numbers[0]) or 1) - 1


def _is_named(name: str) -> Callable[[ast.Expression], bool]:
    return lambda node: isinstance(node, ast.Name) and node.text == name


def _index(index: ast.Expression) -> int | None:
    """A constant index; less than 0 where each work-item has that many elements; None for any other."""
    match index:
        case ast.Infix("+", ast.Infix("*") as base, ast.NumberLiteral()):
            place = _constant(index.right)
        case ast.Infix("*") as base:
            place = 0
        case _:
            return _constant(index)
    sizes = [_constant(side) for side in (base.left, base.right) if isinstance(side, ast.NumberLiteral)]
    if len(sizes) == 1 and place is not None and sizes[0] is not None and place < sizes[0]:
        return -sizes[0]
    return _constant(index)


def _constant(index: ast.Expression) -> int | None:
    try:
        return max(0, constant_integer(index, Complaints(), "an index"))
    except UnresolvedError:
        return None


def _uses(node: ast.Node) -> list[ast.Node]:
    """The nodes directly inside a node; names that are declared are no uses."""
    return [part for part in parts_of(node) if not (isinstance(node, ast.Declarator) and part is node.name)]
