"""A test of the OPENCL dialect as SYCL, where the program exists in both languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.base.diagnostic import Diagnostic, InputError
from mcm.convert.bodies import Body, show_block, show_unit, without_space
from mcm.convert.hosts import HostBody, declared_queues
from mcm.convert.kernels import launch_shape, launched
from mcm.convert.memory import initial_state
from mcm.convert.names import free_name, words_of
from mcm.convert.refusal import refused
from mcm.convert.runs import runs_of
from mcm.program.instruction import Barrier, Fence
from mcm.program.operators import Level
from mcm.program.types import Flag, Region
from mcm.program.walk import walk
from mcm.syntax import ast
from mcm.syntax.mapped import mapped
from mcm.syntax.printer import print_litmus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcm.convert.runs import Runs
    from mcm.front_end.test import Test

_OF_SYCL: Final = "sycl"
_FLAGS: Final = {Region.GLOBAL: Flag.GLOBAL, Region.LOCAL: Flag.LOCAL}


def to_sycl(test: Test) -> str:
    """The text of the test in SYCL; InputError with the reason where it has no such form."""
    tree = test.tree
    _refuse_units(tree)
    _require_equal_flags(test)
    runs = runs_of(test)
    queues = {item.name.text: item for item in tree.initial if isinstance(item, ast.QueueObject)}
    is_program = _is_host_program(tree)
    lines = [f"SYCL {tree.name}", *(f'"{line}"' for line in tree.documentation)]
    lines += [f"{key.key}={key.value}" for key in tree.keys if _is_of_both(key.key)]
    lines += ["{", *initial_state(test, runs)]
    lines += [f"  queue {name} = {one.order} dev {one.device};" for name, one in queues.items() if not is_program]
    lines += ["}", *_wider(test), *_units(test, runs, queues if is_program else None), _tail(test, runs)]
    return "\n".join(lines) + "\n"


def _refuse_units(tree: ast.Litmus) -> None:
    for unit in tree.units:
        if isinstance(unit, ast.Callback):
            raise refused(unit, "SYCL has no callbacks of events")
        if not isinstance(unit, ast.Thread | ast.Kernel | ast.Launch | ast.Function):
            raise refused(unit, f"'{unit.span.text.split('{')[0].strip()}' is not converted")
    for item in tree.initial:
        if isinstance(item, ast.UserEventObject):
            raise refused(item, "SYCL has no events that the host sets")
        if isinstance(item, ast.QueueObject) and item.order == "on_device":
            raise refused(item, "SYCL has no queues of a device, as its kernels enqueue nothing")
        if isinstance(item, ast.InitialRegister):
            raise refused(item, "initial values of variables are not converted")
        if isinstance(item, ast.InitialValue) and isinstance(item.value, ast.Call):
            raise refused(item, "sub-buffers are not converted: in SYCL accessors order the commands on them")


def _require_equal_flags(test: Test) -> None:
    """Barriers of SYCL have no flags, so that those that differ in them have no form (BAR-DIV)."""
    flags = {
        node.flags: node
        for thread in test.program.threads
        for node in walk(thread.body)
        if isinstance(node, Barrier) and node.level is Level.WORK_GROUP
    }
    if len(flags) > 1:
        message = "no form in the other language: barriers differ in their flags"
        raise InputError(Diagnostic("E100", message, list(flags.values())[1].span))


def _wider(test: Test) -> Iterator[str]:
    """Comments on barriers and fences that leave out memory which the program has: those of SYCL order all of it."""
    regions = {item.region: _FLAGS[item.region] for item in test.program.objects if item.region in _FLAGS}
    told: set[frozenset[Flag]] = set()
    for thread in test.program.threads:
        for node in walk(thread.body):
            if isinstance(node, Barrier | Fence) and node.flags not in told:
                told.add(node.flags)
                ordered = [f"{region.value} memory" for region, flag in _FLAGS.items() if flag in node.flags]
                if not node.flags.issuperset(regions.values()):
                    what = f"{' and '.join(ordered)} alone" if ordered else "neither global nor local memory"
                    yield f"// '{node.span.text}' orders {what}; here all memory is ordered"


def _is_of_both(key: str) -> bool:
    """Whether a key line says the same of both forms: expectations of other models are those of OpenCL."""
    head, _, model = key.partition(".")
    return head not in {"Expect", "Undefined", "Without", "Needs"} or model.startswith(_OF_SYCL)


def _is_host_program(tree: ast.Litmus) -> bool:
    """Whether there is one thread, of the host: the host program, which is thread 0, too."""
    threads = [unit for unit in tree.units if isinstance(unit, ast.Thread)]
    return len(threads) == 1 and threads[0].number == 0 and threads[0].is_host


def _tail(test: Test, runs: Runs) -> str:
    """The locations, the filter and the condition."""
    tree = test.tree
    bare = replace(tree, documentation=(), documentation_spans=(), keys=(), initial=(), units=(), scope_tree=())
    bare = replace(bare, regions=(), comments=())
    return print_litmus(mapped(bare, lambda node: runs.renamed(node, test.program))).partition("{}")[2]


def _units(test: Test, runs: Runs, queues: dict[str, ast.QueueObject] | None) -> Iterator[str]:
    """The units; `queues` are those that the host program declares."""
    kernels = {unit.name.text: unit for unit in test.tree.units if isinstance(unit, ast.Kernel)}
    for unit in test.tree.units:
        if isinstance(unit, ast.Thread) and queues is not None:
            yield _host_program(unit, test, runs, queues)
        elif isinstance(unit, ast.Thread):
            yield _thread(unit, test, runs)
        elif isinstance(unit, ast.Function):
            yield _function(unit, test)
        elif isinstance(unit, ast.Launch):
            kernel = kernels[unit.kernel.text]
            yield f"{launched(kernel, launch_shape(unit, kernel), runs.classes[unit.span], 'q', test)};"


def _host_program(unit: ast.Thread, test: Test, runs: Runs, queues: dict[str, ast.QueueObject]) -> str:
    body = HostBody(test, unit.parameters, runs).block(unit.body)
    first, *rest = show_block(body, test).split("\n")
    return "\n".join((f"host {first.rstrip('}')}", *declared_queues(queues), *rest, *("}" * (not rest))))


def _function(unit: ast.Function, test: Test) -> str:
    """A function that is called by others; what is told by the work-item itself it is not passed."""
    parameters = tuple(replace(one, type=without_space(one.type)) for one in unit.parameters)
    item = free_name(words_of(unit.span.text), "it", "item", "nd_it", "this_item")
    body = None if unit.body is None else Body(test, unit.parameters, is_host=False, item=item).block(unit.body)
    text = show_unit(replace(unit, type=without_space(unit.type), parameters=parameters, body=body), test)
    if f"{item}." in text:
        raise refused(unit, f"'{unit.name.text}' asks for its work-item: functions that do are not converted")
    return text


def _thread(unit: ast.Thread, test: Test, runs: Runs) -> str:
    parameters = tuple(replace(one, type=without_space(one.type)) for one in unit.parameters)
    body = HostBody(test, unit.parameters, runs) if unit.is_host else Body(test, unit.parameters, is_host=False)
    return show_unit(replace(unit, parameters=parameters, body=body.block(unit.body)), test)
