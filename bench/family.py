"""A family: litmus tests of one shape, one for each size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.litmus import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.litmus import Kernel, Test


@dataclass(frozen=True, slots=True)
class Family:
    """A named family and the model that it is judged by.

    `states` is the number of final states that counting gives for a size (None where no short formula is known): an
    engine that finds another number has not answered, however quickly.
    """

    name: str
    model: str
    smallest: int
    test: Callable[[int], Test | Kernel]
    states: Callable[[int], int] | None

    @property
    def title(self) -> str:
        """What the family is, in one sentence."""
        return (self.test.__doc__ or "").partition("\n")[0]

    def litmus(self, size: int) -> str:
        """The litmus file of one size."""
        return text(f"{self.name}.{size}", self.title, self.test(size))


def family(
    name: str, *, model: str, smallest: int = 2, states: Callable[[int], int] | None = None
) -> Callable[[Callable[[int], Test | Kernel]], Family]:
    """Make a function from sizes to tests a family; its docstring begins with the title."""

    def make(test: Callable[[int], Test | Kernel]) -> Family:
        return Family(name, model, smallest, test, states)

    return make
