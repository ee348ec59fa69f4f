"""What is asked for a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mcm.answer.page import Effect
from mcm.answer.result import Undecided
from mcm.execution.elaborate import elaborate
from mcm.session import Session
from mcm.views import Means, page_of

if TYPE_CHECKING:
    from mcm.catalogue.library import ChosenModel
    from mcm.engine.choose import EngineName

MP = Path(__file__).parents[2] / "litmus" / "opencl" / "patterns" / "MP.dv.litmus"


def test_where_the_short_search_gives_up_twice_no_more_rules_are_asked_about() -> None:
    session = Session()
    test = session.parse(MP)
    asked: list[tuple[str, ...]] = []

    def judge(model: ChosenModel, rules: tuple[str, ...], engine: EngineName, nodes: int) -> Undecided:
        del engine, nodes
        asked.append(rules)
        return Undecided(file=str(MP), model=model.name, bound=2, reason="budget")

    means = Means(lambda **how: elaborate(test.program, 2, **how), lambda _model, _known: (), judge)
    (view,) = page_of([(session.load_model("opencl-3.0"), session.check(MP))], test.source, means).views

    assert len(asked) == 2
    unknown = [switch for switch in view.switches if switch.effect is Effect.UNKNOWN]
    assert len(unknown) > 2
    assert {switch.effect for switch in view.switches} <= {Effect.UNKNOWN, Effect.IDLE, Effect.FIXED}
