"""Choices that say who wins contests: of n participants there are n ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mcm.execution.algebra import FALSE, TRUE, select
from mcm.execution.expression import Choice
from mcm.execution.substitution import Substitution

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcm.engine.explicit.settled.contests import Atoms, Contest, Participant
    from mcm.execution.expression import Expression
    from mcm.program.types import Location


class Winning:
    """Who wins each of some contests, told by ⌈log₂ n⌉ choices; the first of all has the number `first`.

    `choices` is the number behind the last of them. `places` are the numbers of the contest of each participant, and of
    the participant in it; `wins` is the condition under which it wins, and `written` what each contest's object has
    then. `known` puts that in the place of what the participants read, and of the choices whether they succeed.
    """

    def __init__(self, contests: Sequence[Contest], first: int) -> None:
        self._sizes: Final = [len(contest.participants) for contest in contests]
        # For each contest, the first of the choices that say who wins it.
        self._choices: Final = [first]
        self.places: Final[dict[Participant, tuple[int, int]]] = {}
        self.wins: Final[dict[Participant, Expression]] = {}
        self.written: Final[dict[Location, Expression]] = {}
        atoms: Atoms = {}
        for number, contest in enumerate(contests):
            self._choices.append(self._choices[-1] + (self._sizes[number] - 1).bit_length())
            written = self.by_winner(number, {i: one.written for i, one in enumerate(contest.participants)}, FALSE)
            self.written[contest.location] = written
            for place, one in enumerate(contest.participants):
                self.places[one] = number, place
                self.wins[one] = self.by_winner(number, {place: TRUE}, FALSE)
                atoms.update(one.known(self.wins[one], contest.first, written))
        self.known: Final = Substitution(atoms)
        self.choices: Final = self._choices[-1]

    def by_winner(self, number: int, values: Mapping[int, Expression], otherwise: Expression) -> Expression:
        """What belongs to the place of the participant who wins a contest."""

        def between(first: int, last: int, choice: int) -> Expression:
            if last - first == 1:
                return values.get(first, otherwise)
            middle = (first + last) // 2
            return select(Choice(choice), between(middle, last, choice + 1), between(first, middle, choice + 1))

        return between(0, self._sizes[number], self._choices[number])
