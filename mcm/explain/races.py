"""Flags and faults that an execution has, as problems: what, where, and why in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.execution import Execution
from mcm.answer.result import RACES, Problem, Site
from mcm.explain.faults import holds_in, reason_in
from mcm.explain.flag_names import IMPL_DEFINED_FLAGS, undefined_flags
from mcm.explain.reason import Reason
from mcm.explain.site import ACCESSES, one_line, site_at, site_of
from mcm.program.operators import PipeEnd
from mcm.program.types import AllocationKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from mcm.answer.answer import RaisedFault, RaisedFlag
    from mcm.base.source import Span
    from mcm.cat.model import Model
    from mcm.execution.candidate import Candidate
    from mcm.execution.event import Event
    from mcm.execution.skeleton import Fault
    from mcm.picture.marks import Marks


def explain_flags(
    flags: Iterable[RaisedFlag], names: Collection[str], model: Model, *, tells_why: bool = True
) -> tuple[Problem, ...]:
    """The raised flags of these names as problems, one for each pair of sites, in order of position.

    Unless it `tells_why`, they have neither a reason nor an execution, which take longer than all the rest.
    """
    explain = _explain_flag if tells_why else _name_flag
    problems = (explain(flag, model) for flag in _distinct(flag for flag in flags if flag.name in names))
    return tuple(sorted(problems, key=_position))


def explain_other_flags(flags: Sequence[RaisedFlag], model: Model, *, tells_why: bool = True) -> tuple[Problem, ...]:
    """The same of the flags that a model raises under names of its own."""
    known = undefined_flags(model) | IMPL_DEFINED_FLAGS
    return explain_flags(flags, {flag.name for flag in flags} - known, model, tells_why=tells_why)


def explain_faults(faults: Iterable[RaisedFault], model: Model) -> tuple[Problem, ...]:
    """Faults of the program as problems."""
    distinct: dict[tuple[object, ...], RaisedFault] = {}
    for raised in faults:
        fault = raised.fault
        # Where the program was run too, the address is known, and the reason says it.
        why = "" if fault.kind == "out-of-bounds" else fault.why
        key = fault.kind, fault.thread, fault.spans, fault.events, why
        distinct.setdefault(key, raised)
    problems = dict.fromkeys(_explain_fault(raised, model) for raised in distinct.values())
    return tuple(sorted(problems, key=lambda problem: (_position(problem), problem.why)))


def _explain_fault(raised: RaisedFault, model: Model) -> Problem:
    fault, skeleton = raised.fault, raised.witness.skeleton
    sites = tuple(site_of(skeleton.events[identifier], raised.witness) for identifier in fault.events)
    sites = sites or tuple(_site_of_fault(span, fault, raised.witness) for span in fault.spans)
    # Imported here, as below: most tests have no problem.
    from mcm.explain.attempted import marks_of_fault  # noqa: PLC0415

    first = first_like(fault, raised.witness)
    execution = Execution(raised.witness, model, marks_of_fault(first, raised.witness))
    return Problem(fault.kind, sites, reason_in(first, raised.witness), (fault.rule,), execution)


def _site_of_fault(span: Span, fault: Fault, witness: Candidate) -> Site:
    """A place of a fault: with the thread, and the first iteration in which the execution has it."""
    program = witness.skeleton.program
    if fault.thread is None:
        return site_at(span, program)
    first = first_like(fault, witness)
    iterations = tuple(number + 1 for number in first.iteration)
    access = ACCESSES.get(fault.access) if fault.access is not None else None
    return Site(program.thread(fault.thread).name, span, one_line(span), iterations, access)


def first_like(fault: Fault, witness: Candidate) -> Fault:
    """The first of the faults of an execution that are reported as one: that of the earliest iteration."""
    return next(
        (one for one in witness.skeleton.faults if one.reported == fault.reported and holds_in(one, witness)), fault
    )


def _distinct(flags: Iterable[RaisedFlag]) -> Iterator[RaisedFlag]:
    """The first flag for each name and pair of sites: one is enough, and only that is explained."""
    seen = set()
    for flag in flags:
        key = flag.name, *((event.thread, event.span.start) for event in _events(flag))
        if key not in seen:
            seen.add(key)
            yield flag


def _name_flag(flag: RaisedFlag, _model: Model) -> Problem:
    sites = tuple(site_of(event, flag.witness) for event in _events(flag))
    return Problem(flag.name.replace("_", "-"), sites, "", () if flag.rule is None else (flag.rule,))


def _explain_flag(flag: RaisedFlag, model: Model) -> Problem:
    reason = _reason(flag, model)
    rules = dict.fromkeys([*([flag.rule] if flag.rule else []), *reason.rules])
    sites = tuple(site_of(event, flag.witness) for event in _events(flag))
    kind = flag.name.replace("_", "-")
    execution = Execution(flag.witness, model, _marks(kind, flag, sites))
    return Problem(kind, sites, reason.text, tuple(rules), execution, _object_of(flag))


def _marks(kind: str, flag: RaisedFlag, sites: tuple[Site, ...]) -> Marks:
    """What a picture of the execution points out: the events of the flag, and the pair that they are."""
    from mcm.base.style import PROBLEM  # noqa: PLC0415
    from mcm.picture.marks import MarkedPair, Marks  # noqa: PLC0415

    events = _events(flag)
    if len(events) != 2:
        return Marks(events=frozenset(flag.events))
    first, second = (f"{site.thread or 'the initial state'} line {site.span.line}" for site in sites)
    name = "race" if kind in RACES else kind
    title = f"{kind}: {first} and {second}"
    return Marks(pairs=(MarkedPair(events[0].identifier, events[1].identifier, name, PROBLEM, title, directed=False),))


def _events(flag: RaisedFlag) -> list[Event]:
    """The events of a flag in the order in which they are shown."""
    events = flag.witness.skeleton.events
    return sorted(
        (events[identifier] for identifier in flag.events),
        key=lambda event: (event.thread is None, event.thread, event.span.start),
    )


def _reason(flag: RaisedFlag, model: Model) -> Reason:
    match flag.name:
        case "data_race" | "scopes_not_inclusive":
            # Imported here: most tests have no race.
            from mcm.explain.exclusion import why_race  # noqa: PLC0415

            return why_race(flag, model)
        case "unsequenced_race":
            return Reason(f"the two accesses of {_object_of(flag)} are unsequenced in one expression")
        case "uninitialised_read":
            return Reason(f"{_object_of(flag)} is read before anything is written to it")
        case "work_item_scope":
            return Reason(f"an atomic operation on {_object_of(flag)} at work_item scope")
        case "implementation_defined":
            return _why_implementation_defined(flag)
        case "overlapping_use":
            return Reason("buffers that overlap, a sub-buffer and its parent or two sub-buffers, are used at a time")
        case "map_misuse":
            return Reason(
                f"{_object_of(flag)} is used while it is mapped: nothing puts the use before the map or after an unmap"
            )
        case "pipe_misuse":
            return _why_pipe(flag)
        case "unmapped_access":
            return _why_unmapped(flag)
        case "abnormal_event":
            return Reason("what commands do that wait for an event with a negative status is implementation-defined")
        case _ if flag.name in undefined_flags(model):
            return Reason(f"the model {model.name} leaves this undefined: {flag.name}")
        case _:
            return Reason(f"the model {model.name} raises its flag {flag.name} here")


def _why_pipe(flag: RaisedFlag) -> Reason:
    """PIPE-1, of the pipe and what is done with it."""
    first = _events(flag)[0]
    does = "read" if first.pipe is PipeEnd.READ else "write"
    what = f"two kernel instances {does} the pipe {_object_of(flag)}"
    return Reason(f"{what}, and neither has to end before the other starts")


def _why_unmapped(flag: RaisedFlag) -> Reason:
    """MAP-4, of the memory that is accessed, and for what."""
    (event,) = _events(flag)
    objects, location = flag.witness.skeleton.program.objects, flag.witness.locations[event.identifier]
    is_coarse = objects[location.object].allocation is AllocationKind.COARSE_SVM
    what = f"{_object_of(flag)} is {'coarse-grain SVM' if is_coarse else 'a buffer'}, which the host may"
    if event.kind.writes:
        return Reason(f"{what} write only while it is mapped for writing: nothing says that it is so here")
    return Reason(f"{what} read only between a map and its unmap: nothing says that it is mapped here")


def _why_implementation_defined(flag: RaisedFlag) -> Reason:
    rule = f" ({flag.rule})" if flag.rule else ""
    witness = flag.witness
    places = {witness.locations[event.identifier] for event in _events(flag) if event.identifier in witness.locations}
    what = f"of the buffer {_object_of(flag)}"
    if len(places) > 1:
        buffer = witness.skeleton.program.object_at(min(places)).name
        what = f"of different elements of the buffer {buffer}, which kernels share as a whole,"
    return Reason(f"atomic accesses {what} by kernel instances that no synchronisation point separates{rule}")


def _object_of(flag: RaisedFlag) -> str | None:
    """The location that the first of the events accesses, None if it is no access, or if no events raise the flag."""
    witness = flag.witness
    events = _events(flag)
    location = witness.locations.get(events[0].identifier) if events else None
    return None if location is None else witness.skeleton.program.show_location(location)


def _position(problem: Problem) -> list[int]:
    return [site.span.start for site in problem.sites]
