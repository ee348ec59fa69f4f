"""The older barrier of a work-item orders the memory of the space that it names alone (SYCL-BAR-2, SYCL-BAR-3)."""

from __future__ import annotations

from random import Random

import pytest

from mcm import EngineName, Source, check

HEAD = """SYCL t
{ int x[2] = {0, 0}; local_accessor int t[2]; int y[2] = {0, 0}; int f[1] = {0}; }
q.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {
  int i = it.get_local_id(0);
  t[i] = 0;
"""
LOCAL, GLOBAL = "it.barrier(access::fence_space::local_space);", "it.barrier(access::fence_space::global_space);"
BOTH = "it.barrier(access::fence_space::global_and_local);"
ENGINES = (EngineName.EXPLICIT, EngineName.SMT)


def races(body: str, engine: EngineName, model: str = "sycl-2020") -> bool:
    return bool(check(Source("t", f"{HEAD}{body}}});\nlocations [x; y]\n"), model=model, engine=engine).races)


@pytest.mark.parametrize("model", ["sycl-2020", "sycl-next", "sycl-2020+literal"])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"x[i] = 1; {LOCAL} y[i] = x[1 - i];", True),
        (f"x[i] = 1; {GLOBAL} y[i] = x[1 - i];", False),
        (f"x[i] = 1; {BOTH} y[i] = x[1 - i];", False),
        ("x[i] = 1; it.barrier(); y[i] = x[1 - i];", False),
        (f"{LOCAL} y[i] = t[1 - i];", False),
        (f"{GLOBAL} y[i] = t[1 - i];", True),
        # One after the other, each orders its own space.
        (f"x[i] = 1; {LOCAL} {GLOBAL} y[i] = x[1 - i] + t[1 - i];", False),
        # What others order with it goes on.
        (f"x[i] = 1; {GLOBAL} {BOTH} y[i] = x[1 - i] + t[1 - i];", False),
        # An atomic operation orders both spaces, whatever the barriers do.
        (
            (
                "atomic_ref<int, memory_order::acq_rel, memory_scope::work_group> a(f[0]); if (i == 0) { x[0] = 1; "
                f"a.store(1); }} else {{ int r = a.load(); if (r) y[0] = x[0] + t[0]; }} {LOCAL}"
            ),
            False,
        ),
    ],
)
def test_spaces(body: str, expected: bool, engine: EngineName, model: str) -> None:
    assert races(body, engine, model) is expected


def random_body(rng: Random) -> str:
    places = ("x[i]", "x[1 - i]", "t[i]", "t[1 - i]")
    found: list[str] = []
    for _ in range(rng.randint(2, 4)):
        for kind in rng.choices("wwrra", k=rng.randint(1, 2)):
            if kind == "w":
                found.append(f"{rng.choice(places)} = {rng.randint(1, 3)};")
            elif kind == "r":
                found.append(f"y[i] = {rng.choice(places)};")
            else:
                order = rng.choice(("relaxed", "acq_rel"))
                found.append(f"atomic_ref<int, memory_order::{order}, memory_scope::work_group>(f[0]).fetch_add(1);")
        found.append(rng.choice((LOCAL, GLOBAL, BOTH, "group_barrier(it.get_group());")))
    return " ".join([*found, f"y[i] += {rng.choice(places)};"])


@pytest.mark.parametrize("seed", range(30))
def test_engines_agree(seed: int) -> None:
    text = f"{HEAD}{random_body(Random(seed))}}});\nlocations [x; y]\n"  # noqa: S311 - nothing secret
    one, other = (check(Source("t", text), engine=engine) for engine in ENGINES)

    assert one.verdict is other.verdict, text
    assert {problem.kind for problem in one.undefined} == {problem.kind for problem in other.undefined}, text
    if not one.undefined:
        assert {str(state.values) for state in one.states} == {str(state.values) for state in other.states}, text
