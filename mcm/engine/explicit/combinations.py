"""The final states of partial executions whose reads are independent: all combinations of what these return."""

from __future__ import annotations

from itertools import islice, product
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from mcm.base.bits import mask_of
from mcm.engine.explicit.final_states import FinalWrites, final_expression
from mcm.execution.evaluate import evaluate, reads_of
from mcm.program.condition import RegisterName
from mcm.program.value_order import rank_of_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcm.answer.many_states import PackedValues
    from mcm.engine.explicit.budget import NodeBudget
    from mcm.engine.explicit.findings import Findings, Values
    from mcm.engine.explicit.independent_reads import Part
    from mcm.engine.explicit.packed_skeleton import PackedSkeleton
    from mcm.engine.explicit.propagation import ConstraintProblem
    from mcm.engine.explicit.pruning import OutcomePruning
    from mcm.engine.explicit.symmetry import Exchange
    from mcm.engine.explicit.valuation import Valuation
    from mcm.execution.expression import Expression
    from mcm.program.types import Value

# Reads that can be given their writes in fewer ways are searched: to find out that they are independent takes longer.
MANY_WAYS: Final = 32

# Time and memory are looked at once in so many states.
_STATES_AT_ONCE: Final = 1024


class Factor(Struct, frozen=True):
    """Some positions of a state, in ascending order, and the values that these can have together."""

    positions: tuple[int, ...]
    options: tuple[Values, ...]


# What stands at the positions of a state, independently of each other: the states are all combinations.
Factors = tuple[Factor, ...]


class Combinations:
    """Adds the final states of partial executions in which nothing that is left can matter to anything else."""

    def __init__(
        self,
        packed: PackedSkeleton,
        outcomes: OutcomePruning,
        exchanges: tuple[Exchange, ...],
        findings: Findings,
        budget: NodeBudget,
        many_ways: int = MANY_WAYS,
    ) -> None:
        self._packed: Final = packed
        self._outcomes: Final = outcomes
        self._exchanges: Final = exchanges
        self._findings: Final = findings
        self._budget: Final = budget
        self._many_ways: Final = many_ways
        query = findings.query
        # Where executions are asked for, each is made at a leaf.
        self.are_sought: Final = (
            query.wants_outcomes
            and query.wants_states
            and query.filter is None
            and not (query.counts or query.wants_witnesses)
        )

    def add(self, valuation: Valuation, problem: ConstraintProblem, writes: Mapping[int, int]) -> bool:
        """Add all final states below a partial execution of a complete one, if its reads are independent.

        `writes` has the reads that are left, and the possible writes of each. The problem must be propagated.
        """
        if prod(sources.bit_count() for sources in writes.values()) < self._many_ways or not valuation.is_settled:
            return False
        if any(problem.decided_order(order.number) is None for order in problem.plan.orders):
            return False
        # Imported here: few programs leave as many ways.
        from mcm.engine.explicit.independent_reads import IndependentReads  # noqa: PLC0415

        parts = IndependentReads(problem, writes).parts()
        if parts is None or self._may_be_thin_air(valuation, problem, parts):
            return False
        factors = self._factors(valuation, problem, parts)
        if factors is None or self._outcomes.may_raise_more(valuation, problem):
            return False
        for image in images_of(factors, self._exchanges):
            self._add_states(image)
        return True

    def _may_be_thin_air(self, valuation: Valuation, problem: ConstraintProblem, parts: Iterable[Part]) -> bool:
        reads_from = problem.bounds.chosen
        for part in parts:
            for number, read in enumerate(part.reads):
                sources = mask_of({chosen[number] for chosen in part.alternatives})
                reads_from |= self._packed.matrices.product(sources, 1 << read)
        return self._packed.is_thin_air(valuation.executed, reads_from)

    def _factors(self, valuation: Valuation, problem: ConstraintProblem, parts: Iterable[Part]) -> Factors | None:
        """What the final states are made of; None where a value depends on several parts."""
        last = FinalWrites(valuation, self._findings.watched)
        part_of = {read: part for part in parts for read in part.reads}
        factors = []
        # The positions and expressions of what depends on reads that are left.
        dependent: dict[Part, list[tuple[int, Expression]]] = {}
        for position, what in enumerate(self._findings.watched):
            expression = final_expression(what, self._packed.skeleton)
            if expression is None:
                assert not isinstance(what, RegisterName), "the final value of a register is an expression"
                options = _distinct((valuation.written[write],) for write in last.last(what, problem))
                factors.append(Factor((position,), options))
                continue
            value = valuation.evaluate(expression)
            if value is not None:
                factors.append(Factor((position,), ((value,),)))
                continue
            behind = {part_of.get(read) for read in reads_of(expression) if read not in valuation.values}
            part = behind.pop() if len(behind) == 1 else None
            if part is None:
                return None
            dependent.setdefault(part, []).append((position, expression))
        for part, theirs in dependent.items():
            factors.append(_factor(part, theirs, valuation))
        # A part that nothing depends on has to have an alternative too.
        return tuple(factors) if all(part.alternatives for part in parts) else (Factor((), ()),)

    def _add_states(self, factors: Factors) -> None:
        findings = self._findings
        findings.complete_exists = True
        found = findings.found
        texts = combinations(factors, found.packed)
        while some := tuple(islice(texts, _STATES_AT_ONCE)):
            found.add_packed(some)
            self._budget.check_time()
            self._budget.check_memory()


def combinations(factors: Factors, packed: PackedValues) -> Iterator[str]:
    """The states that are made of factors, which have all positions between them, packed."""
    options = [
        ["".join(map(packed.character, factor.positions, option)) for option in factor.options] for factor in factors
    ]
    positions = [position for factor in factors for position in factor.positions]
    made = map("".join, product(*options))
    if positions == sorted(positions):
        return made
    places = sorted(range(len(positions)), key=positions.__getitem__)
    return map("".join, map(itemgetter(*places), made))


def images_of(factors: Factors, exchanges: Sequence[Exchange]) -> Iterator[Factors]:
    """The factors, and all that exchanges make of them."""
    seen = {_normal(factors)}
    new = list(seen)
    while new:
        one = new.pop()
        yield one
        for exchange in exchanges:
            image = _normal(_image(one, exchange))
            if image not in seen:
                seen.add(image)
                new.append(image)


def _image(factors: Factors, exchange: Exchange) -> Factors:
    """What an exchange makes of factors: the value at `watched[i]` comes to position `i`."""
    to = {old: new for new, old in enumerate(exchange.watched)}
    images = []
    for factor in factors:
        positions = [to[position] for position in factor.positions]
        order = sorted(range(len(positions)), key=positions.__getitem__)
        images.append(
            Factor(
                tuple(positions[place] for place in order),
                tuple(tuple(option[place] for place in order) for option in factor.options),
            )
        )
    return tuple(images)


def _normal(factors: Factors) -> Factors:
    """The factors with positions in ascending order: equal ones make the same states, each with its options sorted."""
    return tuple(
        sorted((Factor(one.positions, _sorted(one.options)) for one in factors), key=lambda one: one.positions)
    )


def _sorted(options: tuple[Values, ...]) -> tuple[Values, ...]:
    return tuple(sorted(options, key=rank_of_values))


def _distinct(options: Iterable[Values]) -> tuple[Values, ...]:
    return tuple(dict.fromkeys(options))


def _factor(part: Part, dependent: Sequence[tuple[int, Expression]], valuation: Valuation) -> Factor:
    """The values of expressions that need nothing else but what the reads of a part return, at their positions."""
    options = []
    for chosen in part.alternatives:
        returned = {read: valuation.written[write] for read, write in zip(part.reads, chosen, strict=True)}
        values = {**valuation.values, **returned}
        options.append(tuple(_value(expression, values, valuation) for _, expression in dependent))
    return Factor(tuple(position for position, _ in dependent), _distinct(options))


def _value(expression: Expression, values: Mapping[int, Value], valuation: Valuation) -> Value:
    found = evaluate(expression, values, valuation.choices)
    assert found is not None, "what the reads return is known"
    return found
