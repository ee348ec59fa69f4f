"""Total orders that a model asks for: encoded by the pairs that matter."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import pytest
from smt_inputs import assert_witnessed, query, seeded, states

from mcm.answer.query import Limits
from mcm.catalogue import registry
from mcm.engine.explicit.decide import decide as decide_explicitly
from mcm.engine.smt.budget import Budget
from mcm.engine.smt.decide import decide
from mcm.engine.smt.encode import Encoding
from mcm.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from mcm.cat.model import Model

GROUPS = """OPENCL groups
{ }
kernel K (global int a[4], local atomic_int* c) {
  if (get_local_id(0) == 0) { atomic_init(c, 0); }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  int mine = atomic_fetch_add(c, 1);
  int all = atomic_load(c);
  if (mine == 3) { a[get_group_id(0)] = all; }
}
launch K global 16, local 4, dev 0;
exists (a[0]=4)
"""


def model_of(tmp_path: Path, text: str) -> Model:
    file = tmp_path / "ordered.cat"
    file.write_text(f'"ordered"\n{text}')
    return Session().load_model(str(file)).model


def test_atomics_of_different_groups_are_not_compared() -> None:
    asked = query(GROUPS, "opencl-3.0")
    (skeleton,) = asked.skeletons
    encoding = Encoding(skeleton, asked.model, Budget(Limits()))
    assert encoding.solve()
    (order,) = encoding.orders
    # Of each of four groups the pairs of eight atomics, of 32 in all.
    assert 0 < len(order.variables) <= 4 * comb(8, 2) < comb(len(order.members), 2)


def test_pairs_that_are_asked_for_later_are_ordered_too(tmp_path: Path) -> None:
    """Flags are looked for behind the states, and speak of pairs that no check looks at."""
    model = model_of(
        tmp_path,
        "let once = rf | mo | rf^-1 ; mo\nacyclic (po & loc) | once\n"
        "with T from linearisations(SC, po)\n"
        "flag ~empty (T & ext & (W * W)) ; (T & ext & (W * R)) as apart\n"
        "flag ~empty (T ; T) & id as circle\n",
    )
    text = "C later\n{ [x]=0; [y]=0; [z]=0; }\n" + "".join(
        f"P{n} (atomic_int* {one}, atomic_int* {two}) {{ atomic_store({one}, 1); int r0 = atomic_load({two}); }}\n"
        for n, (one, two) in enumerate(["xy", "yz", "zx"])
    )
    found, listed = (ask(query(text, model)) for ask in (decide, decide_explicitly))
    assert_witnessed(found, model)
    assert states(found) == states(listed)
    assert {flag.name for flag in found.flags} == {flag.name for flag in listed.flags} == {"apart"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_both_engines_find_the_same(seed: int) -> None:
    """Programs of sequentially consistent atomics and others, in which the total order decides."""
    random = seeded(seed)
    threads = []
    for thread in range(3):
        body = ""
        for place in range(3):
            location, order = random.choice("xyz"), random.choice(("seq_cst", "seq_cst", "relaxed"))
            if random.random() < 0.5:
                body += f" atomic_store_explicit({location}, {3 * thread + place + 1}, memory_order_{order});"
            else:
                body += f" int r{place} = atomic_load_explicit({location}, memory_order_{order});"
        threads.append(f"P{thread} (atomic_int* x, atomic_int* y, atomic_int* z) {{{body} }}\n")
    text = "C mixed\n{ [x]=0; [y]=0; [z]=0; }\n" + "".join(threads)
    for name in ("opencl-3.0", "c11", "rc11"):
        model = registry.get(name)
        found = decide(query(text, model, wants_witnesses=True))
        assert states(found) == states(decide_explicitly(query(text, model)))
        assert_witnessed(found, model)
