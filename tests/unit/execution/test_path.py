"""What expressions are on a path, and behind conditions on it."""

from __future__ import annotations

from mcm.execution.algebra import TRUE, negation, under
from mcm.execution.expression import BinaryValue, Constant, ReadValue, Select
from mcm.execution.knowledge import NOTHING_KNOWN
from mcm.execution.path import Path, State
from mcm.program.types import Scalar

FIRST, SECOND = (BinaryValue("==", ReadValue(read), Constant(1), Scalar.INT) for read in range(2))
CHOICE = Select(FIRST, Select(SECOND, ReadValue(2), ReadValue(3)), ReadValue(4))


def test_each_condition_is_looked_behind_by_itself() -> None:
    path = Path(TRUE, NOTHING_KNOWN, State({}))
    for _ in range(2):
        assert path.simplified(CHOICE) is CHOICE
        assert path.simplified(CHOICE, FIRST) is Select(SECOND, ReadValue(2), ReadValue(3))
        assert path.simplified(CHOICE, negation(FIRST)) is ReadValue(4)


def test_what_is_learnt_holds_behind_conditions_as_well() -> None:
    path = Path(TRUE, NOTHING_KNOWN, State({}))
    assert path.simplified(CHOICE, FIRST) is Select(SECOND, ReadValue(2), ReadValue(3))
    path.learn(SECOND)
    assert path.simplified(CHOICE, FIRST) is ReadValue(2)
    path.narrow(FIRST)
    assert path.simplified(CHOICE, SECOND) is path.simplified(CHOICE) is ReadValue(2)


def test_what_is_known_takes_the_place_of_a_whole_condition() -> None:
    both = BinaryValue("||", FIRST, SECOND, Scalar.INT)
    assert under(both, {both: TRUE}) is TRUE
    assert under(both, {FIRST: Constant(0)}) is SECOND
