"""A host program as text in the litmus language."""

from collections.abc import Iterator, Sequence
from typing import Final

from oracle.host_brute import declared
from oracle.host_program import (
    Cast,
    Enqueue,
    Finish,
    HostProgram,
    Kernel,
    Kind,
    Launch,
    Query,
    Register,
    SetStatus,
    Step,
    WaitFor,
)
from oracle.litmus_text import SCOPES
from oracle.program import UNASSIGNED, Exchange, FetchAdd, Load, Order, Scope, Store

PACKET: Final = "packet"
"""The variable of kernels that hands packets over; nobody asks for its value."""


def to_litmus(program: HostProgram) -> str:
    """Print the program."""
    cast = Cast(program)
    lines = [f"OPENCL {program.name}", "{"]
    for one in program.objects:
        length, value = ("", "0") if one.size is None else (f"[{one.size}]", f"{{{', '.join('0' * one.size)}}}")
        lines.append(f"  {one.allocation.value} int {one.name}{length} = {value};")
    if program.has_part:
        lines.append("  buffer s = clCreateSubBuffer(x, 1, 1);")
    if any(command.call.kernel is not None and command.call.kernel.end for command in cast.commands.values()):
        lines.append("  pipe int packets[8];")
    lines += [f"  queue {q.name} = {'in' if q.in_order else 'out_of'}_order dev {q.device};" for q in program.queues]
    lines += [*(f"  user_event {name};" for name in program.user_events), "}"]
    for command in cast.commands.values():
        if command.call.kernel is not None:
            lines += _kernel(program, cast, f"K{command.name}", command.call.kernel)
    for callback in program.callbacks:
        if any(actor.name == f"{callback.name}[0]" for actor in cast.actors):
            registers = declared(cast, callback.name)
            lines += [f"callback {callback.name} {_parameters(program)} {{", *_body(program, callback.steps, registers)]
    for number, steps in enumerate(program.threads):
        lines += [f"P{number}@host {_parameters(program)} {{", *_body(program, steps, declared(cast, f"P{number}"))]
    return "\n".join((*lines, "exists (true)", ""))


def _parameters(program: HostProgram, kernel: Kernel | None = None) -> str:
    by_part = kernel is not None and kernel.by_part
    shown = [
        f"global {'atomic_int' if one.atomic else 'int'}* {'s' if by_part and one.name == 'x' else one.name}"
        for one in program.objects
    ]
    if kernel is not None and kernel.end is not None:
        shown.append(f"{kernel.end}_only pipe int packets")
    return f"({', '.join(shown)})"


def _kernel(program: HostProgram, cast: Cast, name: str, kernel: Kernel) -> Iterator[str]:
    yield f"kernel {name} {_parameters(program, kernel)} {{"
    yield from _declarations(declared(cast, name))
    if kernel.end is not None:
        yield f"  int {PACKET} = 1;"
    for index, steps in enumerate(kernel.items):
        at_first = [f"{kernel.end}_pipe(packets, &{PACKET});"] if kernel.end is not None and index == 0 else []
        body = " ".join((*at_first, *(_guarded(program, step) for step in steps)))
        body = body.replace("x[1]", "s[0]") if kernel.by_part else body
        yield f"  {body}" if len(kernel.items) == 1 else f"  if (get_global_id(0) == {index}) {{ {body} }}"
    yield "}"


def _body(program: HostProgram, steps: Sequence[Step], registers: Sequence[str]) -> Iterator[str]:
    yield from _declarations(registers)
    yield from (f"  {_guarded(program, step)}" for step in steps)
    yield "}"


def _declarations(registers: Sequence[str]) -> Iterator[str]:
    yield from (f"  int {register} = {UNASSIGNED};" for register in registers)


def _guarded(program: HostProgram, step: Step) -> str:
    text = f"{_statement(program, step)};"
    # The name of an event is one of the whole thread, also where its call stands behind a condition.
    return text if step.guard is None else f"if ({step.guard.register} == {step.guard.value}) {{ {text} }}"


def _statement(program: HostProgram, step: Step) -> str:
    match step:
        case Store(name, value, order, scope):
            if order is None:
                return f"{_place(name)} = {value}"
            return f"atomic_store_explicit({_pointer(name)}, {value}, {_how(order, scope)})"
        case Load(register, name, order, scope):
            if order is None:
                return f"{register} = {_place(name)}"
            return f"{register} = atomic_load_explicit({_pointer(name)}, {_how(order, scope)})"
        case Exchange(register, name, value, order, scope):
            return f"{register} = atomic_exchange_explicit({_pointer(name)}, {value}, {_how(order, scope)})"
        case FetchAdd(register, name, addend, order, scope):
            return f"{register} = atomic_fetch_add_explicit({_pointer(name)}, {addend}, {_how(order, scope)})"
        case WaitFor(events):
            return f"{_assigned(step)}clWaitForEvents({', '.join(events)})"
        case Finish(queue):
            return f"clFinish({queue})"
        case SetStatus(event, status):
            return f"{_assigned(step)}clSetUserEventStatus({event}, {'CL_COMPLETE' if status == 0 else status})"
        case Register(event, callback):
            return f"clSetEventCallback({event}, {callback})"
        case Query(register, event):
            return f"{register} = clGetEventInfo({event})"
        case Launch(event, flag, kernel):
            size = f"{len(kernel.items)}, {kernel.local}"
            return f"enqueue_kernel(CLK_ENQUEUE_FLAGS_{flag.value}, K{event}, {size})"
        case Enqueue():
            return _enqueue(program, step)


def _assigned(step: WaitFor | SetStatus) -> str:
    return "" if step.register is None else f"{step.register} = "


def _place(name: str) -> str:
    return name if "[" in name else f"*{name}"


def _pointer(name: str) -> str:
    return f"&{name}" if "[" in name else name


def _how(order: Order | None, scope: Scope | None) -> str:
    assert order is not None
    assert scope is not None
    return f"memory_order_{order.value}, {SCOPES[scope]}"


def _enqueue(program: HostProgram, step: Enqueue) -> str:
    svm = step.target is not None and program.object(step.target).allocation.value != "buffer"
    blocking = "CL_TRUE" if step.blocking else "CL_FALSE"
    flag = "CL_MAP_WRITE" if step.for_writing else "CL_MAP_READ"
    target = "s" if step.by_part else step.target
    name, *arguments = {
        Kind.KERNEL: ("clEnqueueNDRangeKernel", step.queue, f"K{step.event}"),
        Kind.READ: ("clEnqueueReadBuffer", step.queue, target, blocking),
        Kind.WRITE: ("clEnqueueWriteBuffer", step.queue, target, blocking, str(step.value)),
        Kind.FILL: ("clEnqueueFillBuffer", step.queue, target, str(step.value)),
        Kind.COPY: ("clEnqueueCopyBuffer", step.queue, step.target, step.copied_to),
        Kind.MAP: (
            ("clEnqueueSVMMap", step.queue, blocking, flag, step.target)
            if svm
            else ("clEnqueueMapBuffer", step.queue, target, blocking, flag)
        ),
        Kind.UNMAP: ("clEnqueueSVMUnmap" if svm else "clEnqueueUnmapMemObject", step.queue, target),
        Kind.MARKER: ("clEnqueueMarkerWithWaitList", step.queue),
        Kind.BARRIER: ("clEnqueueBarrierWithWaitList", step.queue),
    }[step.kind]
    shown = [one for one in arguments if one is not None]
    if step.kernel is not None:
        shown += [str(len(step.kernel.items)), str(step.kernel.local)]
    if step.waits:
        shown.append(f"wait({', '.join(step.waits)})")
    assigned = f"event {step.event} =" if step.register is None else f"{step.register} ="
    return f"{assigned} {name}({', '.join(shown)})"
