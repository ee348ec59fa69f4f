"""Structures are copied where not all of their members have values; what has none may still not be used."""

from __future__ import annotations

from random import Random

import pytest

from mcm import EngineName, Judged, KernelRequest, KernelSource, check, run

TEXT = """
struct s {{ int a; int b; int t[2]; }};
struct pair {{ int a; int b; }};
struct pair same(struct pair p) {{ return p; }}
struct pair made(int n) {{ struct pair p; p.a = n; if (n > 1) p.b = n; return p; }}
int first(struct pair p) {{ return p.a; }}
int second(struct pair p) {{ return p.b; }}
void put(struct pair* to, struct pair from) {{ *to = from; }}
kernel void K(global int* x, global int* out, global struct pair* all) {{
  struct s s; s.a = 1; s.t[1] = 2;
  struct pair p; p.a = 3;
  {}
}}
"""
DEFINED = {
    "struct s q = s; *out = q.a + q.t[1];": 3,
    "struct s q; q = s; q.b = 5; *out = q.b + q.t[1];": 7,
    "*out = first(p) + first(same(p));": 6,
    "struct pair q = same(same(p)); q.b = 1; struct pair r = q; *out = r.b;": 1,
    "struct pair q = made(*x); if (*x > 1) q.a = q.b; *out = q.a;": 2,
    "struct pair q[2]; q[1] = p; struct pair r = q[1]; *out = r.a;": 3,
    "struct pair q; put(&q, p); *out = q.a;": 3,
    "struct pair q = {1, 2}; if (*x == 1) q = p; *out = q.b;": 2,
    "struct pair q[2] = {p, {7, 8}}; *out = q[0].a + q[1].b;": 11,
    "struct pair q[2]; q[0].b = 4; q[1] = p; struct pair r = q[*x - 1]; *out = r.a;": 3,
    "struct pair q[2]; q[*x - 1] = p; q[0] = q[*x - 1]; *out = q[0].a;": 3,
    "struct pair q[2]; struct pair* r = &q[*x - 1]; *r = p; q[0] = *r; *out = q[0].a;": 3,
    "all[0] = p; *out = all[0].a;": 3,
    "all[0] = p; all[1] = all[0]; struct pair r = all[1]; *out = first(r) + first(all[1]);": 6,
    "all[0] = p; all[0].b = 1; *out = all[0].b;": 1,
    "local struct pair l[2]; l[1].a = 4; struct pair r = l[1]; l[0] = r; *out = l[0].a;": 4,
    "local struct pair l[2]; l[*x - 1] = p; all[1] = l[1]; *out = all[1].a;": 3,
    "local struct pair l; l = made(*x); *out = l.b;": 2,
    "local struct s l; l = s; struct s r = l; *out = r.a + r.t[1];": 3,
}
UNDEFINED = [
    "struct s q = s; *out = q.b;",
    "struct s q; q = s; *out = q.t[0];",
    "*out = second(p);",
    "struct pair q = same(p); *out = q.b;",
    "struct pair q = made(*x - 1); *out = q.b;",
    "struct pair q = {1, 2}; q = p; *out = q.b;",
    "struct pair q = {1, 2}; put(&q, p); *out = q.b;",
    "struct pair q = {1, 2}; if (*x == 2) q = p; *out = q.b;",
    "struct pair q[2]; q[1] = p; struct pair r = q[*x - 1]; *out = r.b;",
    "struct pair q[2]; struct pair* r = &q[*x - 1]; *r = p; q[0] = *r; *out = q[0].b;",
    "all[0] = p; *out = all[0].b;",
    "all[0] = p; struct pair r = all[0]; *out = second(r);",
    "all[0] = p; all[0].b++;",
    "all[0] = p; atomic_inc((volatile global int*)&all[0].b);",
    "local struct pair l[2]; l[1].a = 4; *out = l[1].b;",
    "local struct pair l[2]; l[1].a = 4; struct pair r = l[1]; all[0] = r; *out = all[0].b;",
    "local struct pair l; l = made(*x - 1); *out = l.b;",
    "local struct s l; l = s; struct s r = l; *out = r.t[0];",
    "local int l[1]; *out = l[0];",
    "struct pair q = p; q.b += 1;",
]
ENGINES = (EngineName.EXPLICIT, EngineName.SMT)


def source(body: str, question: str) -> KernelSource:
    request = KernelRequest(("K global 1",), (), ("x = 2",), (question,))
    return KernelSource("k.cl", TEXT.format(body), request)


@pytest.mark.parametrize(("body", "value"), DEFINED.items())
def test_members_without_values_are_copied(body: str, value: int) -> None:
    asked = source(body, f"forall (out={value})")
    for engine in ENGINES:
        found = check(asked, engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ()), engine
    ran = run(asked, runs=1)
    assert (ran.positive, ran.problems) == (1, ())


@pytest.mark.parametrize("body", UNDEFINED)
def test_members_without_values_are_not_used(body: str) -> None:
    asked = source(body, "exists (true)")
    for engine in ENGINES:
        assert {problem.kind for problem in check(asked, engine=engine).undefined} == {"uninitialised-read"}, engine
    assert {problem.kind for problem in run(asked, runs=1).problems} == {"uninitialised-read"}


RACE = """
struct pair { int a; int b; };
kernel void K(global int* out, global struct pair* all) {
  struct pair p; p.a = 3;
  if (get_global_id(0) == 0) all[0] = p;
  else { struct pair q = all[0]; *out = q.a; }
}
"""


def test_a_copy_of_members_without_values_races() -> None:
    asked = KernelSource("k.cl", RACE, KernelRequest(("K global 2",), (), (), ("exists (true)",)))
    for engine in ENGINES:
        found = check(asked, engine=engine)
        assert {race.kind for race in found.races} == {"data-race"}, engine
    assert {problem.kind for problem in run(asked, runs=50).problems} == {"data-race"}


def test_memory_that_holds_no_value_says_so() -> None:
    asked = source("all[1] = p; *out = 1;", "exists (all.b[1] = 0)")
    for engine in ENGINES:
        found = check(asked, engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (False, ())
        assert [state.values["all.b[1]"] for state in found.states] == ["no value"]


def random_kernel(rng: Random) -> tuple[str, list[int] | None]:
    """A kernel that copies structures about, and what it leaves; None where it uses a member without a value."""
    n = rng.randint(0, 1)
    meant = {"x[n]": f"x[{n}]", "l[n]": f"l[{n}]", "g[n]": f"g[{n}]", "(*p)": f"x[{n}]"}
    places = ["s", "t", "x[0]", "x[1]", "l[0]", "l[1]", "g[0]", *meant]
    held: dict[tuple[str, str], int | None] = {}
    held.update(((f"g[{i}]", member), 0) for i in range(2) for member in "ab")
    left: list[int] = []
    lines: list[str] = []
    is_defined = True
    for kind in [*rng.choices("wwcccid", k=rng.randint(3, 7)), "r"]:
        to, of = rng.choice(places), rng.choice(places)
        target, source_ = meant.get(to, to), meant.get(of, of)
        member, value = rng.choice("ab"), rng.randint(1, 9)
        if kind == "w":
            lines.append(f"{to}.{member} = {value};")
            held[target, member] = value
        elif kind == "r":
            lines.append(f"out[0] = {of}.{member};")
            found = held.get((source_, member))
            is_defined = found is not None
            left = [found or 0]
        else:
            taken = kind != "i" or value % 2 == n
            form = {
                "c": "{} = {};",
                "i": f"if (n == {value % 2}) {{}} = {{}};",
                "d": "{{ struct S u = {1}; {0} = u; }}",
            }
            lines.append(form[kind].format(to, of))
            if taken:
                held.update({(target, one): held.get((source_, one)) for one in "ab"})
    text = f"""OPENCL copies
{{ int m = {n}; int out[1]; struct S g[2]; }}
struct S {{ int a; int b; }};
kernel void K(global int* m, global int* out, global struct S* g) {{
  int n = *m;
  local struct S l[2];
  struct S s, t, x[2], *p = &x[n];
  {" ".join(lines)}
}}
launch K global 1, local 1;
locations [out]
"""
    return text, left if is_defined else None


@pytest.mark.parametrize("seed", range(40))
def test_random_copies(seed: int) -> None:
    text, left = random_kernel(Random(seed))  # noqa: S311 - nothing secret

    for engine in ENGINES:
        found = check(text, engine=engine)
        kinds = {problem.kind for problem in (*found.undefined, *found.races)}
        assert kinds == (set() if left else {"uninitialised-read"}), (text, engine)
        if left:
            assert [[state.values["out[0]"]] for state in found.states] == [left], (text, engine)
    kinds = {problem.kind for problem in run(text, runs=2, seed=seed).problems}
    assert kinds == (set() if left else {"uninitialised-read"}), text
