"""Flags and faults as problems of which nothing is told but their kinds: what a line for each test needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.answer.result import Problem
from mcm.explain.flag_names import IMPL_DEFINED_FLAGS, undefined_flags

if TYPE_CHECKING:
    from mcm.answer.answer import RaisedFault, RaisedFlag
    from mcm.cat.model import Model


def kinds_of_problems(
    flags: tuple[RaisedFlag, ...], faults: tuple[RaisedFault, ...], model: Model
) -> tuple[tuple[Problem, ...], ...]:
    """What makes a program undefined, what is implementation-defined, and the flags under names of the model's own.

    Each kind comes once for each rule, sorted.
    """
    undefined = undefined_flags(model)
    raised = sorted({(flag.name, flag.rule or "") for flag in flags})
    broken = sorted({(raised.fault.kind, raised.fault.rule) for raised in faults})
    return (
        tuple(_problem(kind, rule) for kind, rule in (*broken, *(one for one in raised if one[0] in undefined))),
        tuple(_problem(name, rule) for name, rule in raised if name in IMPL_DEFINED_FLAGS),
        tuple(_problem(name, rule) for name, rule in raised if name not in undefined | IMPL_DEFINED_FLAGS),
    )


def _problem(name: str, rule: str) -> Problem:
    return Problem(name.replace("_", "-"), (), "", (rule,) if rule else ())
