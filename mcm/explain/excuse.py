"""What would excuse two accesses that nothing orders: as atomic operations, with scopes, that a model lets race.

An access has one scope. So what is missing is not put together from single facts, as elsewhere (`costs`): each scope
is tried as a whole, and the model says whether that does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from mcm.answer.explanation import How
from mcm.explain.derivation import why
from mcm.explain.violation import mentions
from mcm.relation.evaluate import Evaluator
from mcm.relation.term import SetTerm

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.answer.explanation import Derivation
    from mcm.execution.candidate import Candidate
    from mcm.explain.derivation import Marks
    from mcm.relation.evaluate import Structure
    from mcm.relation.term import RelationTerm

# From narrow to wide; that of a sub-group last, for where nothing else will do.
_SCOPES: Final = ("WG", "DV", "ALL", "SG")
_EVERY_SCOPE: Final = {*_SCOPES, "WI"}


class _Change(Struct, frozen=True):
    """The scope that each of two accesses is given, None where it keeps what it has."""

    first: str | None
    last: str | None


def excuse(
    candidate: Candidate,
    structure: Structure,
    wanted: Sequence[tuple[RelationTerm, int, int]],
    marks: Marks,
) -> Derivation | None:
    """Why a model would let two accesses race if they were atomic; None if they may not be, or if that does not help.

    `wanted` is what the model takes out of races. Facts that are not so are MISSING in the derivation.
    """
    terms = [one for one in wanted if not mentions(one[0], {"po"})]
    if not terms or not all(_may_be_atomic(candidate, event) for event in terms[0][1:]):
        return None
    for change in _changes(candidate, *terms[0][1:]):
        changed = _changed(structure, change, *terms[0][1:])
        evaluator = Evaluator(changed)
        for term, first, last in terms:
            if evaluator.relation(term)[first] >> last & 1:
                found = why(term, first, last, changed, marks)
                assert found is not None
                return marked(found, Evaluator(structure))
    return None


def _may_be_atomic(candidate: Candidate, number: int) -> bool:
    """Whether a program could have an atomic operation in place of an access.

    It could not for those of commands and asynchronous copies, nor for an initial one.
    """
    event = candidate.skeleton.events[number]
    if event.thread is None or not event.kind.is_access or event.asynchronous is not None:
        return False
    program = candidate.skeleton.program
    command = program.thread(event.thread).started_by
    return command is None or program.commands[command].kind.runs_kernel


def _changes(candidate: Candidate, first: int, last: int) -> Iterator[_Change]:
    """What to try, the least first: nothing of scopes, one scope, both."""
    events = candidate.skeleton.events
    yield _Change(None, None)
    for scope in _SCOPES:
        if not events[first].atomic:
            yield _Change(scope, None)
        if not events[last].atomic:
            yield _Change(None, scope)
    for scope in _SCOPES:
        yield _Change(scope, scope)


def _changed(structure: Structure, change: _Change, first: int, last: int) -> Structure:
    """An execution with both accesses atomic, and scopes as a change says."""
    sets = dict(structure.sets)
    sets["A"] |= 1 << first | 1 << last
    for event, scope in ((first, change.first), (last, change.last)):
        for name in _EVERY_SCOPE & sets.keys() if scope is not None else ():
            sets[name] = sets[name] & ~(1 << event) | (1 << event if name == scope else 0)
    return replace(structure, sets=sets)


def marked(derivation: Derivation, actual: Evaluator) -> Derivation:
    """A derivation in another execution, as one in this one: with what is not so here as MISSING."""
    if not derivation.parts:
        return _marked_leaf(derivation, actual)
    return replace(derivation, parts=tuple(marked(part, actual) for part in derivation.parts))


def _marked_leaf(leaf: Derivation, actual: Evaluator) -> Derivation:
    if leaf.how not in {How.BASE, How.ABSENT}:
        return leaf
    if isinstance(leaf.term, SetTerm):
        is_so = bool(actual.set(leaf.term) >> leaf.first & 1)
    else:
        is_so = bool(actual.relation(leaf.term)[leaf.first] >> leaf.last & 1)
    if is_so is (leaf.how is How.BASE):
        return leaf
    return replace(leaf, how=How.EXCESS if is_so else How.MISSING)
