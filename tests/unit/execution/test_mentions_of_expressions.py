"""What expressions mention is the same whether they are looked into as a whole or by parts that were seen before."""

from mcm.execution.algebra import TRUE, binary, conjunction
from mcm.execution.evaluate import subexpressions
from mcm.execution.expression import Choice, Constant, Expression, ReadValue, is_large
from mcm.execution.mentions import Mentions
from mcm.program.types import Scalar


def guards(number: int) -> list[Expression]:
    """Guards of which each is the one before, a test and a choice more."""
    found: list[Expression] = [TRUE]
    for read in range(number):
        test = binary("==", ReadValue(read), Constant(read), Scalar.INT)
        found.append(conjunction(found[-1], test, Choice(read)))
    return found


def test_each_guard_mentions_what_is_in_it() -> None:
    mentions, written = Mentions(), guards(60)
    assert is_large(written[-1])
    for order in (written, list(reversed(written))):
        for guard in order:
            expected = {part for part in subexpressions(guard) if isinstance(part, (ReadValue, Choice))}
            assert mentions.of(guard) == expected
