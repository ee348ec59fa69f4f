"""Every final state of a program and whether it is undefined, by trying every candidate execution."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from oracle import partial_orders, rules
from oracle.candidates import Candidate, candidates, held_candidates
from oracle.model import Consistency, Model
from oracle.program import Barrier, Program
from oracle.relations import Execution
from oracle.total_order import s_exists, sc_0

State = tuple[tuple[str, int], ...]
"""Every register (`0:r0`) and location with its final value, sorted by name."""


@dataclass(slots=True)
class Answer:
    states: set[State] = field(default_factory=set)
    racy: bool = False
    divergent: bool = False
    indeterminate: bool = False


def answer(program: Program, model: Model) -> Answer:
    return answers(program, (model,))[0]


def answers(program: Program, models: Sequence[Model]) -> tuple[Answer, ...]:
    """Answer for several models at once (they must agree on which objects have a modification order)."""
    order_all = models[0].orders_every_location
    assert all(model.orders_every_location is order_all for model in models)
    prune = not any(model.without for model in models)
    found = tuple(Answer() for _ in models)
    for candidate in candidates(program, order_all=order_all, prune=prune):
        for model, result in zip(models, found, strict=True):
            if not _nothing_new(candidate, result, model):
                _judge(Execution(candidate, model), candidate, result)
    for candidate in held_candidates(program, order_all=order_all, prune=prune):
        for model, result in zip(models, found, strict=True):
            if not (result.racy and result.divergent):
                _look_for_problems(Execution(candidate, model), result)
    return found


def _judge(x: Execution, candidate: Candidate, result: Answer) -> None:
    if not _look_for_problems(x, result):
        return
    last = [[write.written_value for write in rules.last_writes(x, location)] for location in x.program.locations]
    result.states |= _states(candidate, last)


def _look_for_problems(x: Execution, result: Answer) -> bool:
    """Note what is wrong with a consistent execution; tell whether it is one."""
    if not consistent(x):
        return False
    result.racy = result.racy or (not x.model.interleaving and bool(rules.races(x)))
    result.divergent = result.divergent or rules.diverges(x)
    result.indeterminate = result.indeterminate or rules.reads_indeterminate(x)
    return True


def _states(candidate: Candidate, last: Sequence[Sequence[int | None]]) -> set[State]:
    names = [location.name for location in candidate.program.locations]
    return {
        tuple(
            sorted(
                [
                    *candidate.registers,
                    *((name, value) for name, value in zip(names, values, strict=True) if value is not None),
                ]
            )
        )
        for values in product(*last)
    }


def _nothing_new(candidate: Candidate, result: Answer, model: Model) -> bool:
    """Tell whether this candidate could add nothing, consistent or not."""
    program = candidate.program
    if not (result.racy or model.interleaving):
        return False
    if not result.divergent and any(isinstance(i, Barrier) for i in program.instructions()):
        return False
    if not result.indeterminate and any(location.initial is None for location in program.locations):
        return False
    last = [
        [candidate.events[candidate.modification_order[location.name][-1]].written_value]
        if location.name in candidate.modification_order
        else [event.written_value for event in candidate.events if event.writes and event.location == location]
        for location in program.locations
    ]
    return _states(candidate, last) <= result.states


def consistent(x: Execution) -> bool:
    """HB-ACYC, VIS-1..3, COH-*, RMW-1, SC-1..5, SC-F1..4, each unless the model leaves it out."""
    if x.model.interleaving:
        return rules.rmw_1(x) and partial_orders.interleaving(x)
    checks = (
        ("HB-ACYC", rules.hb_acyc),
        ("VIS-3", rules.vis_3),
        ("COH-WW", rules.coh_ww),
        ("COH-RR", rules.coh_rr),
        ("COH-RW", rules.coh_rw),
        ("COH-WR", rules.coh_wr),
        ("RMW-1", rules.rmw_1),
    )
    if not all(check(x) for rule, check in checks if x.model.has(rule)):
        return False
    if x.model.visible_side_effects and not rules.vis_2(x):
        return False
    if x.model.no_load_buffering and not partial_orders.no_load_buffering(x):
        return False
    match x.model.consistency:
        case Consistency.TOTAL | Consistency.CONDITIONAL:
            return not sc_0(x) or s_exists(x)
        case Consistency.SCOPED | Consistency.SIMPLE:
            return partial_orders.popl_sc(x)
        case Consistency.PARTIAL:
            return partial_orders.psc(x)
        case Consistency.NONE:
            return True
