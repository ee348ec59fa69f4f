"""A test of the OPENCL dialect as SYCL, where the program exists in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.base.source import Span
from mcm.convert.operations import Calls
from mcm.program.instruction import Barrier, Level
from mcm.program.resolve.type_names import show_type
from mcm.program.types import AllocationKind, Region
from mcm.program.walk import walk
from mcm.syntax import ast
from mcm.syntax.print_expressions import show_expression
from mcm.syntax.printer import print_litmus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.front_end.test import Test
    from mcm.program.program import MemoryObject

_KINDS: Final = {
    AllocationKind.BUFFER: "buffer",
    AllocationKind.COARSE_SVM: "malloc_device",
    AllocationKind.FINE_SVM_ATOMICS: "malloc_shared",
    AllocationKind.SYSTEM_SVM_ATOMICS: "system",
}
_SPACES: Final = frozenset({"global", "local", "private", "generic"})
_OF_SYCL: Final = "sycl"
_NO_FORM: Final = "no form in the other language"


def to_sycl(test: Test) -> str:
    """The text of the test in SYCL; InputError with the reason where it has no such form."""
    tree = test.tree
    for unit in tree.units:
        if not isinstance(unit, ast.Thread | ast.Kernel | ast.Launch):
            raise refused(unit, f"'{unit.span.text.split('{')[0].strip()}' is not converted")
    for item in tree.initial:
        if isinstance(item, ast.QueueObject | ast.UserEventObject | ast.InitialRegister):
            raise refused(item, "queues, events and initial registers are not converted")
    _require_equal_flags(test)
    lines = [f"SYCL {tree.name}", *(f'"{line}"' for line in tree.documentation)]
    lines += [f"{key.key}={key.value}" for key in tree.keys if _is_of_both(key.key)]
    lines += ["{", *_initial(test), "}", *_units(test), _tail(tree)]
    return "\n".join(lines) + "\n"


def _require_equal_flags(test: Test) -> None:
    """Barriers of SYCL have no flags, so that those that differ in them have no form (BAR-DIV)."""
    flags = {
        node.flags: node
        for thread in test.program.threads
        for node in walk(thread.body)
        if isinstance(node, Barrier) and node.level is Level.WORK_GROUP
    }
    if len(flags) > 1:
        raise InputError(
            Diagnostic("E100", f"{_NO_FORM}: barriers differ in their flags", list(flags.values())[1].span)
        )


def refused(node: ast.Node, reason: str) -> InputError:
    """The complaint that there is no form in the other language."""
    return InputError(Diagnostic("E100", f"{_NO_FORM}: {reason}", node.span))


def _is_of_both(key: str) -> bool:
    """Whether a key line says the same of both forms: expectations of other models are those of OpenCL."""
    head, _, model = key.partition(".")
    return head not in {"Expect", "Undefined", "Without", "Needs"} or model.startswith(_OF_SYCL)


def _tail(tree: ast.Litmus) -> str:
    """The locations, the filter and the condition, which are the same."""
    bare = replace(tree, documentation=(), documentation_spans=(), keys=(), initial=(), units=(), scope_tree=())
    return print_litmus(replace(bare, regions=(), comments=())).partition("{}")[2]


# --- memory -----------------------------------------------------------------------------------------------------------


def _initial(test: Test) -> Iterator[str]:
    seen: set[str] = set()
    for item in test.program.objects:
        if item.name not in seen:
            seen.add(item.name)
            yield f"  {_object(item, test)};"


def _object(item: MemoryObject, test: Test) -> str:
    if item.region is Region.LOCAL:
        kind = "local_accessor"
    elif item.region is Region.GLOBAL and item.allocation is AllocationKind.BUFFER and _is_one_kernel(test):
        # Kernels have buffers through accessors only. For one kernel, memory of its device is the same.
        kind = "malloc_device"
    elif item.region is Region.GLOBAL and item.allocation in _KINDS:
        kind = _KINDS[item.allocation]
    else:
        raise refused(test.tree, f"SYCL has no memory like that of '{item.name}' ({_described(item)})")
    values = item.initial
    if not all(value is None or isinstance(value, int) for value in values):
        raise refused(test.tree, f"'{item.name}' holds an address, or a number with a fraction")
    shown = f"{kind} {show_type(item.type).removeprefix('atomic_')} {item.name}"
    if item.is_array:
        shown += f"[{len(values)}]"
    if all(value is None for value in values):
        return shown
    listed = ", ".join(str(0 if value is None else value) for value in values)
    return f"{shown} = {{{listed}}}" if item.is_array else f"{shown} = {listed}"


def _is_one_kernel(test: Test) -> bool:
    """Whether the test is one kernel that is launched once."""
    units = test.tree.units
    return sum(isinstance(unit, ast.Launch) for unit in units) == 1 and not any(
        isinstance(unit, ast.Thread) for unit in units
    )


def _described(item: MemoryObject) -> str:
    return item.allocation.value if item.region is Region.GLOBAL else item.region.value


# --- units ------------------------------------------------------------------------------------------------------------


def _units(test: Test) -> Iterator[str]:
    launches: dict[str, list[ast.Launch]] = {}
    for unit in test.tree.units:
        if isinstance(unit, ast.Launch):
            launches.setdefault(unit.kernel.text, []).append(unit)
    for unit in test.tree.units:
        if isinstance(unit, ast.Thread):
            yield _thread(unit, test)
        elif isinstance(unit, ast.Kernel):
            for launch in launches.get(unit.name.text, ()):
                yield _kernel(unit, launch, test, alone=len(launches[unit.name.text]) == 1)


def _thread(unit: ast.Thread, test: Test) -> str:
    is_host = any(part.key == "host" for part in unit.placement)
    parameters = tuple(replace(one, type=_type(one.type)) for one in unit.parameters)
    body = _Body(test, unit.parameters, is_host=is_host).block(unit.body)
    return _printed(replace(unit, parameters=parameters, body=body), test)


def _kernel(unit: ast.Kernel, launch: ast.Launch, test: Test, *, alone: bool) -> str:
    sizes = {part.key: part.values for part in launch.parts}
    if not alone or set(sizes) - {"global", "local", "sub"} or any(len(values) > 1 for values in sizes.values()):
        raise refused(launch, "only launches of one dimension, once for each kernel, are converted")
    body = _Body(test, unit.parameters, is_host=False).block(unit.body)
    text = _printed(ast.Thread(0, (), (), body, span=unit.span), test)
    (count,) = sizes["global"]
    (size,) = sizes.get("local", (count,))
    head = f"q.parallel_for<class {unit.name.text}>(nd_range<1>({count}, {size}), [=](nd_item<1> it)"
    if "sub" in sizes:
        head += f" [[sycl::reqd_sub_group_size({sizes['sub'][0]})]]"
    return f"{head} {text.partition(') ')[2].rstrip()});"


def _printed(unit: ast.Thread, test: Test) -> str:
    """A unit as text: a test of nothing else, without what stands around it."""
    alone = ast.Litmus("OPENCL", "t", units=(unit,), span=_no_span(test))
    return print_litmus(alone).partition("{}")[2].strip()


def _no_span(test: Test) -> Span:
    """The span of a text that is made: the empty one at its beginning."""
    return Span(test.tree.span.source, 0, 0)


def _type(type_name: ast.TypeName) -> ast.TypeName:
    """A type without address spaces and without what is atomic about it."""
    words = tuple(word.removeprefix("__") for word in type_name.qualifiers)
    if "constant" in words:
        raise refused(type_name, "SYCL has no constant address space")
    kept = tuple(word for word in words if word not in _SPACES)
    base = "int" if type_name.base == "atomic_flag" else type_name.base.removeprefix("atomic_")
    return replace(type_name, qualifiers=kept, base=base)


def _declares_local(node: ast.Statement) -> bool:
    """Whether a statement declares objects in local memory, not pointers to them."""
    return (
        isinstance(node, ast.Declaration)
        and bool({"local", "__local"} & set(node.type.qualifiers))
        and not any(declarator.pointers for declarator in node.declarators)
    )


class _Body:
    """Goes through the body of one unit."""

    def __init__(self, test: Test, parameters: tuple[ast.Parameter, ...], *, is_host: bool) -> None:
        types = {one.name.text: _type(one.type).base for one in parameters}
        types |= {item.name: show_type(item.type).removeprefix("atomic_") for item in test.program.objects}
        types = {name: "int" if base == "flag" else base for name, base in types.items()}
        self._calls: Final = Calls(lambda node: show_expression(self.node(node)), types, is_host=is_host)

    def block(self, node: ast.Block) -> ast.Block:
        """A block."""
        found: ast.Block = self.node(node)
        return found

    def node(self, node: Any) -> Any:
        """A node, and all below it, as SYCL has it."""
        match node:
            case ast.Call():
                text = self._calls.convert(node)
                if text is not None:
                    return ast.Name(text, span=node.span)
            case ast.TypeName():
                return _type(node)
            case ast.Block(statements):
                # Local objects stand in the initial state.
                kept = tuple(self.node(one) for one in statements if not _declares_local(one))
                return replace(node, statements=kept)
            case ast.Cast(type_name) if _SPACES & {word.removeprefix("__") for word in type_name.qualifiers}:
                raise refused(node, "conversions between address spaces are not converted")
            case _:
                pass
        return self._inside(node)

    def _inside(self, node: Any) -> Any:
        """A node of which only the parts may change."""
        if isinstance(node, tuple):
            return tuple(self.node(one) for one in node)
        if not isinstance(node, ast.Node):
            return node
        changed = {name: self.node(getattr(node, name)) for name in node.__struct_fields__ if name != "span"}
        return replace(node, **changed)
