"""Functions that kernels call, and `switch`: what they mean to both engines and to the machine."""

from __future__ import annotations

import pytest

from mcm import EngineName, Found, Judged, Source, check, run


def judged(text: str, engine: EngineName) -> Judged:
    found: Found = check(Source("functions.litmus", text), engine=engine)
    assert isinstance(found, Judged)
    return found


FUNCTIONS = """
int twice(int a) { return 2 * a; }
int sum(int a, int b) { return a + b; }
int next(global atomic_int* c) { return atomic_fetch_add(c, 1); }
void bump(int* p) { *p += 1; }
int sign(int a) { if (a < 0) return -1; if (a > 0) { return 1; } return 0; }
int count(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) { if (i == 3) continue; if (i == 6) break; s += i; }
  return s;
}
int below(int i, int n) { return i < n; }
int pick(int a) {
  int r = 0;
  switch (a) {
    case 0: return 7;
    case 1:
    case 2: r += 10;
    default: r = r + 1; break;
    case 9: r = 100;
  }
  return r;
}
"""

# A body, and what holds behind it.
CASES = {
    "value": ("int r = twice(4);", "r=8"),
    "nested": ("int r = twice(sum(twice(1), 3));", "r=10"),
    "two pure calls": ("int r = twice(1) + twice(2);", "r=6"),
    "argument from memory": ("int r = twice(*x) + *x;", "r=15"),
    "early return": ("int r = 100 * sign(-5) + 10 * sign(0) + sign(9);", "r=-99"),
    "loop, break and continue": ("int r = count(20);", "r=12"),
    "through a pointer": ("int r = 4; bump(&r); bump(&r);", "r=6"),
    "and": ("int n = 0; int r = twice(0) && next(c); n = atomic_load(c);", "r=0 /\\ 0:n=0"),
    "or": ("int n = 0; int r = twice(0) || next(c); n = atomic_load(c);", "r=0 /\\ 0:n=1"),
    "choice": ("int r = twice(0) ? next(c) : 5; int n = atomic_load(c);", "r=5 /\\ 0:n=0"),
    "comma": ("int r = (next(c), next(c));", "r=1"),
    "condition of while": ("int r = 0; while (below(r, 3)) r++;", "r=3"),
    "condition of do": ("int r = 0; do { r++; if (r == 1) continue; } while (below(r, 4));", "r=4"),
    "condition of for": ("int r = 0; for (int i = 0; below(i, 3); i++) { if (i == 1) continue; r += 1; }", "r=2"),
    "step of for": ("int r = 0; for (int i = 0; i < 4; bump(&i)) { if (i == 2) continue; r += i; }", "r=4"),
    "condition of if": ("int r = 0; if (below(3, 2)) r = 1; else if (below(1, 2)) r = 2;", "r=2"),
    "index and value": ("int a[3]; a[twice(1)] = twice(5); int r = a[2];", "r=10"),
    "operand of an atomic": ("atomic_store(c, twice(3)); int r = atomic_load(c);", "r=6"),
    "switch: return": ("int r = pick(0);", "r=7"),
    "switch: shared labels fall through": ("int r = pick(1) + 1000 * pick(2);", "r=11011"),
    "switch: default in the middle": ("int r = pick(5);", "r=1"),
    "switch: behind the default": ("int r = pick(9);", "r=100"),
    "switch in a loop": (
        "int r=0; for (int i=0; i<5; i++) { switch (i) { case 1: continue; case 3: break; default: r+=i; } r++; }",
        "r=10",
    ),
    "switch on memory": ("int r = 0; switch (*x) { case 4: r = 1; break; case 5: r = 2; }", "r=2"),
    "switch without a match": ("int r = 3; switch (*x) { case 4: r = 1; }", "r=3"),
    "switch of chars": ("int r = 0; switch ((uchar)(*x + 251)) { case 0: r = 1; }", "r=1"),
}


@pytest.mark.parametrize("name", CASES)
def test_meaning(name: str) -> None:
    body, expected = CASES[name]
    head = "P0 (global int* x, global atomic_int* c)"
    text = f"OPENCL t\n{{ [x]=5; [c]=0; }}{FUNCTIONS}{head} {{ {body} }}\nforall (0:{expected})"

    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        assert judged(text, engine).holds is True, engine
    (state,) = run(Source("functions.litmus", text), runs=3).states
    assert state.state.satisfies


LOCK = """OPENCL lock
{{ [l]=0; [x]=0; }}
static void lock(global atomic_uint* l);
static void lock(global atomic_uint* l) {{
  while (1) {{
    while (atomic_load_explicit(l, memory_order_relaxed) != 0) {{}}
    if (!atomic_exchange_explicit(l, 1, {order})) {{ return; }}
  }}
}}
inline void unlock(global atomic_uint* l) {{ atomic_store_explicit(l, 0, memory_order_release); }}
kernel K (global atomic_uint* l, global int* x) {{
  lock(l);
  *x = *x + 1;
  unlock(l);
}}
launch K global 2, local 1;
forall (x=2)
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize(("order", "races"), [("memory_order_acquire", False), ("memory_order_relaxed", True)])
def test_lock_in_functions(engine: EngineName, order: str, races: bool) -> None:
    found = judged(LOCK.format(order=order), engine)

    assert found.complete
    assert bool(found.undefined) is races
    assert found.holds is not races


def test_variables_of_functions_are_indeterminate_in_each_call() -> None:
    text = """OPENCL t
    { [x]=0; }
    int f(int a) { int b; if (a) b = 1; return b; }
    P0 (global int* x) { int r = f(1); r = f(0); }
    exists (0:r=1)"""

    for engine in (EngineName.EXPLICIT, EngineName.SMT):
        (problem,) = judged(text, engine).undefined
        assert problem.kind == "uninitialised-read"
    assert [problem.kind for problem in run(Source("t", text), runs=3).problems] == ["uninitialised-read"]
