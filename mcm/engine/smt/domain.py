"""Which values a read can return: a fixpoint over what the writes that it may read from can write.

A value that is not out of thin air comes to a read along a chain of distinct reads, so a component of reads that may
depend on each other needs no more rounds than it has members. Where the model lets values depend on themselves, they
have no domain (`circular`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from mcm.engine.smt.budget import UndecidedError
from mcm.engine.smt.common_part import Shapes
from mcm.engine.smt.rows import components
from mcm.engine.smt.ways import ways_to_write
from mcm.execution.evaluate import reads_of
from mcm.execution.expression import (
    BinaryValue,
    Choice,
    Constant,
    GroupResult,
    ReadValue,
    Select,
    UnaryValue,
    is_large,
    parts,
    unfilled,
)
from mcm.execution.mentions import Mentions
from mcm.program.value_arithmetic import apply_binary, apply_unary, is_true
from mcm.program.value_order import rank_of_value

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from mcm.engine.smt.budget import Budget
    from mcm.execution.event import Event
    from mcm.execution.expression import Expression
    from mcm.execution.skeleton import Skeleton
    from mcm.program.types import Type, Value

MOST_VALUES: Final = 4096
MOST_PAIRS: Final = 1 << 20
"""Of how many pairs of values an operator is applied to each."""

Domain = frozenset["Value"]
_Combined = dict[tuple[str, Domain, Domain, "Type"], Domain]


def in_order(values: Collection[Value]) -> list[Value]:
    """Values in order: numbers, addresses of memory, addresses of private variables."""
    return sorted(values, key=rank_of_value)


def value_rows(skeleton: Skeleton, sources: Mapping[int, Sequence[int]]) -> list[int]:
    """For each read the reads on which the values that it may return depend."""
    needed = [0 if e.value is None else sum(1 << read for read in reads_of(e.value)) for e in skeleton.events]
    rows = [0] * len(skeleton.events)
    for read, writes in sources.items():
        for write in writes:
            rows[read] |= needed[write]
    return rows


def read_domains(
    skeleton: Skeleton,
    sources: Mapping[int, Sequence[int]],
    rows: Sequence[int],
    budget: Budget,
    open_reads: frozenset[int] = frozenset(),
    numbers: Mapping[int, Sequence[Value]] = {},
) -> dict[int, Domain]:
    """The domain of every read, given the writes that it may read from and the reads that its values depend on.

    That of `open_reads` is left empty. Of some it is known that it is within `numbers`.
    """
    domains: dict[int, Domain] = {e.identifier: frozenset() for e in skeleton.events if e.kind.reads}
    combined: _Combined = {}
    shapes = Shapes()
    written = _Written(skeleton, domains, budget)
    for component in components(rows, sources):
        if not open_reads.isdisjoint(component):
            continue
        alone = len(component) == 1 and not rows[component[0]] >> component[0] & 1
        # A chain through a component visits each of its reads at most once.
        for _ in range(1 if alone else len(component)):
            ranges = _Ranges(domains, budget, combined, shapes)
            grown = {
                read: _within(
                    domains[read].union(*(written.by(w, ranges) for w in sources[read])),
                    numbers.get(read),
                )
                for read in component
            }
            if all(grown[read] == domains[read] for read in component):
                break
            domains.update(grown)
    return domains


def _within(values: Domain, known: Sequence[Value] | None) -> Domain:
    return values if known is None else values.intersection(known)


class _Written:
    """What writes write by the domains of the reads that they mention; it is computed again where one of them grows."""

    def __init__(self, skeleton: Skeleton, domains: Mapping[int, Domain], budget: Budget) -> None:
        self._events: Final = skeleton.events
        self._domains: Final = domains
        self._budget: Final = budget
        self._mentions: Final = Mentions()
        self._reads: Final[dict[int, tuple[int, ...]]] = {}
        self._known: Final[dict[int, tuple[tuple[Domain, ...], Domain]]] = {}

    def by(self, number: int, ranges: _Ranges) -> Domain:
        """What a write writes; `ranges` knows what else has been computed of the same domains."""
        reads = self._reads.get(number)
        if reads is None:
            reads = self._reads[number] = self._reads_of(self._events[number])
        needed = tuple([self._domains[read] for read in reads])
        before = self._known.get(number)
        if before is None or before[0] != needed:
            self._known[number] = before = needed, self._computed(self._events[number], ranges)
        return before[1]

    def _reads_of(self, write: Event) -> tuple[int, ...]:
        parts = (write.guard, write.value)
        atoms = (atom for part in parts if part is not None for atom in self._mentions.of(part))
        return tuple(sorted({a.event for a in atoms if isinstance(a, ReadValue) and a.event in self._domains}))

    def _computed(self, write: Event, ranges: _Ranges) -> Domain:
        self._budget.check()
        assert write.value is not None, "a write writes a value"
        ways = ways_to_write(write, ranges.of_read)
        return ranges.of(write.value) if ways is None else frozenset(value for _, value in ways)


class _Ranges:
    """The values that expressions can have when reads return values of given domains.

    What an operator makes of two domains is `combined` once: work-items add different things to the same sums.
    """

    def __init__(self, reads: Mapping[int, Domain], budget: Budget, combined: _Combined, shapes: Shapes) -> None:
        self._reads = reads
        self._budget = budget
        self._combined = combined
        self._shapes = shapes
        self._known: dict[Expression, Domain] = {}

    def of_read(self, read: int) -> Domain:
        """The values of a read."""
        return self._reads[read]

    def of(self, expression: Expression) -> Domain:
        found = self._known.get(expression)
        if found is None:
            known = self._known
            for part in parts(expression, lambda part: part not in known) if is_large(expression) else (expression,):
                found = known[part] = known[part] if part in known else self._find(part)
                if len(found) > MOST_VALUES:
                    raise UndecidedError(f"more than {MOST_VALUES} values are possible in one place")
        assert found is not None, "the last part is the expression"
        return found

    def _find(self, expression: Expression) -> Domain:
        part = self._shapes.common_part(expression)
        if part is not None:
            return frozenset(value for _, value in self._shapes.by_part(expression, self.of(part)))
        match expression:
            case Constant(value):
                return frozenset((value,))
            case ReadValue(event):
                return self._reads[event]
            case Choice():
                return frozenset((0, 1))
            case UnaryValue(symbol, operand, type_):
                return frozenset(apply_unary(symbol, value, type_) for value in self.of(operand))
            case BinaryValue(symbol, left, right, type_):
                key = symbol, self.of(left), self.of(right), type_
                if key not in self._combined:
                    self._combined[key] = self._binary(*key)
                return self._combined[key]
            case Select(condition, then, otherwise):
                tests = self.of(condition)
                taken = self.of(then) if any(is_true(test) for test in tests) else frozenset()
                return taken if all(map(is_true, tests)) else taken | self.of(otherwise)
            case GroupResult():
                raise unfilled(expression)
            case _:
                assert_never(expression)

    def _binary(self, symbol: str, left: Domain, right: Domain, type_: Type) -> Domain:
        if symbol in {"&&", "||"}:
            # One operand may decide the result when the other has no value.
            decisive = 0 if symbol == "&&" else 1
            decided = any(is_true(value) == bool(decisive) for value in left | right)
            other = any(is_true(a) != bool(decisive) for a in left) and any(is_true(b) != bool(decisive) for b in right)
            return frozenset(([decisive] if decided else []) + ([1 - decisive] if other else []))
        if len(left) * len(right) > MOST_PAIRS:
            raise UndecidedError(f"an operator has more than {MOST_PAIRS} pairs of values in one place")
        found: set[Value] = set()
        for one in left:
            for another in right:
                self._budget.tick()
                found.add(apply_binary(symbol, one, another, type_))
            if len(found) > MOST_VALUES:
                break
        return frozenset(found)
