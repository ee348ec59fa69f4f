"""The ways to an outcome, by what is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mcm import Source, load_model, parse
from mcm.catalogue.weaken import with_only
from mcm.engine.explicit import witness
from mcm.engine.explicit.ways import find_ways
from mcm.execution.elaborate import elaborate
from mcm.queries import Options, query_for, skeletons_for

if TYPE_CHECKING:
    import pytest

    from mcm.answer.query import Query

# Without rules each of the locations may end with either value.
ORDERS = r"""C orders
{ [x]=0; [y]=0; [z]=0; [s]=0; }
P0 (atomic_int* x, atomic_int* y, atomic_int* z, atomic_int* s) {
  atomic_store(x, 1); atomic_store(y, 1); atomic_store(z, 1);
  atomic_store(x, 2); atomic_store(y, 2); atomic_store(z, 2);
  int r0 = atomic_load(s);
}
P1 (atomic_int* s) { atomic_store(s, 1); }
exists ((x=1 \/ x=2) /\ (y=1 \/ y=2) /\ (z=1 \/ z=2) /\ 0:r0<2)
"""


def query_of(text: str) -> Query:
    chosen, test = load_model("c11"), parse(Source("orders.litmus", text))
    skeletons = skeletons_for(chosen.model, lambda **how: elaborate(test.program, 2, limit=100, **how))
    condition = test.program.condition
    assert condition is not None
    query = query_for(test, chosen, Options(), skeletons)
    model = with_only(replace(chosen.model, flags=()), ())
    asked = replace(query, model=model, proposition=condition.proposition, wants_states=False, wants_flags=False)
    return replace(asked, wants_witnesses=True)


def test_of_one_way_one_order_of_writes_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    witness_of = witness.witness_of

    def counting(*arguments: object) -> object:
        made.append(arguments)
        return witness_of(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(witness, "witness_of", counting)
    ways = find_ways(query_of(ORDERS), 12)

    assert (len(ways.executions), ways.open_) == (2, None)
    assert len({frozenset(one.reads_from.items()) for one in ways.executions}) == 2
    assert len(made) == 2
