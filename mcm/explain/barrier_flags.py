"""What would order two accesses if the barriers of an execution had a flag that they lack.

A flag is written once, and is asked for at the entry and the exit, and by each step of an order there. So barriers are
tried as a whole, as scopes are (`excuse`): added up condition by condition (`costs`), they would seem far away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from mcm.explain.derivation import why
from mcm.explain.excuse import marked
from mcm.explain.violation import mentions
from mcm.relation.evaluate import Evaluator

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mcm.answer.explanation import Derivation
    from mcm.explain.derivation import Marks
    from mcm.relation.evaluate import Structure
    from mcm.relation.term import RelationTerm

_FLAGS: Final = ("G", "L")


def with_flags(
    structure: Structure, wanted: Sequence[tuple[RelationTerm, int, int]], marks: Marks
) -> Iterator[Derivation]:
    """The orders that there would be with one flag more at each barrier; flags that are not there are MISSING."""
    sets = structure.sets
    barriers = sets.get("EF", 0) | sets.get("XF", 0)
    for flag in _FLAGS if barriers else ():
        if flag not in sets or not barriers & ~sets[flag]:
            continue
        changed = replace(structure, sets={**sets, flag: sets[flag] | barriers})
        evaluator = Evaluator(changed)
        for term, first, last in wanted:
            if mentions(term, {"po"}) and evaluator.relation(term)[first] >> last & 1:
                found = why(term, first, last, changed, marks)
                assert found is not None, "what the changed execution has is derived in it"
                yield marked(found, Evaluator(structure))
