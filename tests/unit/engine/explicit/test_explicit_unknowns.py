"""The unknown relations and least fixpoints are bounded and narrowed soundly: no execution is lost."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

from mcm.engine.explicit import operators
from mcm.engine.explicit.bit_matrices import BitMatrices
from mcm.engine.explicit.bounds import Bounds
from mcm.engine.explicit.fixpoint import Fixpoint
from mcm.engine.explicit.operators import Narrowing
from mcm.engine.explicit.unknowns import ReadsFrom, TotalOrder

SIZE = 4
MATRICES = BitMatrices(SIZE)
ROUNDS = 300


def ordered_pairs(order: tuple[int, ...]) -> int:
    return sum(MATRICES.pair(a, b) for i, a in enumerate(order) for b in order[i + 1 :])


def test_a_total_order_keeps_every_order_that_agrees_with_what_was_decided() -> None:
    random = Random("orders")  # noqa: S311 - not for cryptography
    operator = TotalOrder(1, 0, 0)
    every = [ordered_pairs(order) for order in permutations(range(SIZE))]
    narrowed = 0
    for _ in range(ROUNDS):
        # given: bounds in which some pairs of one total order are decided
        bounds = Bounds(MATRICES, 2, 1)
        domain = MATRICES.full & ~MATRICES.identity
        bounds.set(0, domain, domain)
        bounds.ordered[0] = decided = random.choice(every) & random.getrandbits(SIZE * SIZE)
        possible = [order for order in every if not decided & ~order]
        # when
        lower, upper = operator.bound(bounds)
        # then
        assert all(not lower & ~order and not order & ~upper for order in possible)

        # when: something is excluded, and something else included
        bounds.set(1, lower, upper)
        excluded = upper & ~lower & random.getrandbits(SIZE * SIZE) & random.getrandbits(SIZE * SIZE)
        included = upper & ~lower & ~excluded & random.getrandbits(SIZE * SIZE) & random.getrandbits(SIZE * SIZE)
        narrowing = Narrowing(2)
        operator.narrow(bounds, narrowing, excluded, included)
        # then
        assert narrowing.changed == (bounds.ordered[0] != decided)
        narrowed += narrowing.changed
        for order in possible:
            if not order & excluded and not included & ~order:
                assert not bounds.ordered[0] & ~order
    assert narrowed


def test_reads_from_keeps_every_choice_of_writes_that_is_not_excluded() -> None:
    random = Random("reads")  # noqa: S311 - not for cryptography
    operator = ReadsFrom(1, 0)
    writes, reads = (0, 1), (2, 3)
    every = [sum(MATRICES.pair(w, r) for w, r in zip(chosen, reads, strict=True)) for chosen in product(writes, writes)]
    narrowed = 0
    for _ in range(ROUNDS):
        # given: bounds in which some reads have a write, and some pairs are forbidden
        bounds = Bounds(MATRICES, 2, 1)
        possible = MATRICES.product(0b0011, 0b1100)
        bounds.set(0, possible, possible)
        solution = random.choice(every)
        for write, read in MATRICES.pairs(solution):
            if random.random() < 0.3:
                bounds.choose(write, read)
        bounds.forbidden = before = possible & ~solution & random.getrandbits(SIZE * SIZE)
        left = [rf for rf in every if not bounds.chosen & ~rf and not rf & before]
        # when
        lower, upper = operator.bound(bounds)
        # then
        assert all(not lower & ~rf and not rf & ~upper for rf in left)

        # when: something is excluded, and something else included
        bounds.set(1, lower, upper)
        excluded = upper & ~lower & random.getrandbits(SIZE * SIZE) & random.getrandbits(SIZE * SIZE)
        included = upper & ~lower & ~excluded & random.getrandbits(SIZE * SIZE) & random.getrandbits(SIZE * SIZE)
        narrowing = Narrowing(2)
        operator.narrow(bounds, narrowing, excluded, included)
        # then
        assert narrowing.changed == (bounds.forbidden != before)
        narrowed += narrowing.changed
        for rf in left:
            if not rf & excluded and not included & ~rf:
                assert not rf & bounds.forbidden
    assert narrowed


def test_a_fixpoint_is_bounded_by_the_fixpoints_of_the_bounds() -> None:
    random = Random("fixpoints")  # noqa: S311 - not for cryptography
    # let rec x = r | (r ; x): the closure of r, which is in slot 0
    inner = (operators.Composition(2, 0, 1), operators.Union(3, 0, 2))
    operator = Fixpoint(4, 1, ((1, 3),), inner, (0,))
    for _ in range(ROUNDS):
        # given
        bounds = Bounds(MATRICES, 5, 0)
        upper = random.getrandbits(SIZE * SIZE) & random.getrandbits(SIZE * SIZE)
        lower = upper & random.getrandbits(SIZE * SIZE)
        bounds.set(0, lower, upper)
        # when
        found = operator.bound(bounds)
        # then
        assert found == (MATRICES.closure(lower), MATRICES.closure(upper))
