"""Smaller host programs that still show something."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from oracle.host_program import Cast, Enqueue, HostProgram, Kernel, Launch, Query, Register, SetStatus, Step, WaitFor
from oracle.program import Allocation


def shrink(program: HostProgram, shows: Callable[[HostProgram], bool]) -> HostProgram:
    """Take away and simplify as long as the program remains well-formed and still shows it."""
    while smaller := next((one for one in _smaller(program) if shows(one)), None):
        program = smaller
    return program


def _smaller(program: HostProgram) -> Iterator[HostProgram]:
    for index, steps in enumerate(program.threads):
        if len(program.threads) > 1:
            yield from _kept(replace(program, threads=(*program.threads[:index], *program.threads[index + 1 :])))
        for smaller in _smaller_steps(steps):
            threads = (*program.threads[:index], smaller, *program.threads[index + 1 :])
            yield from _kept(replace(program, threads=threads))
    for index, one in enumerate(program.objects):
        if one.allocation is not Allocation.FINE_SVM:
            simpler = replace(one, allocation=Allocation.FINE_SVM)
            yield replace(program, objects=(*program.objects[:index], simpler, *program.objects[index + 1 :]))


def _kept(program: HostProgram) -> Iterator[HostProgram]:
    """Yield a program whose events all exist where they are named."""
    known = {*Cast(program).commands, *program.user_events}
    named = {name for steps in program.threads for step in steps for name in _named(step)}
    if named <= known:
        yield program


def _named(step: Step) -> tuple[str, ...]:
    match step:
        case Enqueue(waits=names) | WaitFor(names):
            return names
        case Query(_, name) | Register(name) | SetStatus(name):
            return (name,)
        case _:
            return ()


def _smaller_steps(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    for index, step in enumerate(steps):
        before, after = steps[:index], steps[index + 1 :]
        yield before + after
        for simpler in _simpler(step):
            yield (*before, simpler, *after)


def _simpler(step: Step) -> Iterator[Step]:
    if step.guard is not None:
        yield replace(step, guard=None)
    if isinstance(step, Enqueue):
        yield from (replace(step, waits=tuple(w for w in step.waits if w != one)) for one in step.waits)
        if step.blocking and step.register is None:
            yield replace(step, blocking=False)
    if isinstance(step, Enqueue | Launch) and step.kernel is not None:
        yield from (replace(step, kernel=kernel) for kernel in _smaller_kernels(step.kernel))


def _smaller_kernels(kernel: Kernel) -> Iterator[Kernel]:
    for index, steps in enumerate(kernel.items):
        others = kernel.items[:index], kernel.items[index + 1 :]
        if len(kernel.items) > 1:
            yield replace(kernel, items=(*others[0], *others[1]), local=1)
        for smaller in _smaller_steps(steps):
            yield replace(kernel, items=(*others[0], smaller, *others[1]))
