"""Private variables that are read through a pointer behind the end of their block (INIT-2)."""

from __future__ import annotations

import pytest

import mcm

TEXT = """OPENCL t
{{ [x]=0; }}
static int *kept(int a) {{ int t = a + 1; return &t; }}
static int read(int *p) {{ return *p; }}
static void give(int *p) {{ *p = 3; }}
P0 (global int* x) {{
  int one = 1;
  int *p = &one;
  {}
}}
exists (x=5)
"""
ENDED = {
    "a block": "{ int t = 5; p = &t; } *x = *p;",
    "a block in a block": "{ { int t = 5; p = &t; } } *x = *p;",
    "a branch": "if (*x == 0) { int t = 5; p = &t; } *x = *p;",
    "a branch without braces": "if (*x == 0) { int t = 5; p = &t; } else p = &one; *x = *p;",
    "a loop": "for (int i = 0; i < 2; i++) { int t = 5; p = &t; } *x = *p;",
    "an iteration before": "for (int i = 0; i < 2; i++) { int r = *p; int t = 5; p = &t; *x = r; }",
    "a loop that is left": "while (1) { int t = 5; p = &t; break; } *x = *p;",
    "a switch": "switch (one) { case 1: { int t = 5; p = &t; break; } default: break; } *x = *p;",
    "a function": "p = kept(4); *x = *p;",
    "an array": "{ int a[2] = {4, 5}; p = a; } *x = p[1];",
    "an element": "{ int a[2] = {4, 5}; p = &a[1]; } *x = *p;",
    "another pointer": "{ int t = 5; int *q = &t; p = q; } *x = *p;",
    "a pointer in an array": "int *all[2]; { int t = 5; all[1] = &t; } *x = *all[1];",
    "a compound assignment": "{ int t = 5; p = &t; } *p += 1; *x = one;",
    "a variable of a loop": "for (int i = 5; i < 6; i++) { p = &i; } *x = *p;",
}
ALIVE = {
    "in the block": "{ int t = 5; p = &t; *x = *p; }",
    "another variable": "{ int t = 5; p = &t; } p = &one; *x = *p;",
    "written in the block": "{ int *q = p; *q = 5; } *x = *p;",
    "an argument": "{ int t = 5; *x = read(&t); give(&t); *x += read(&t); }",
    "in each iteration": "for (int i = 0; i < 2; i++) { int t = i; p = &t; *x = *p; }",
    "a pointer that ends too": "{ int t = 5; int *q = &t; *x = *q; }",
    "an outer variable": "{ int t = 5; one = t; p = &one; } *x = *p;",
    "a variable of the same name around it": "int t = 3; { int t = 5; p = &t; } *x = t;",
    "a variable of the same name behind it": "{ int t = 5; p = &t; } int t = 4; *x = t;",
    "another call": "int *q = kept(1); int r = read(&one) + read(p); *x = r;",
    "never read": "{ int t = 5; p = &t; } *x = 5;",
    "a branch not taken": "if (one == 0) { int t = 5; p = &t; } *x = *p;",
    "expected": "int e; { int f = 0; atomic_compare_exchange_strong((global atomic_int*)x, &f, 1); e = f; } *x = e;",
}


def found(body: str) -> list[set[str]]:
    """The kinds of what is undefined, by each engine and by the machine."""
    source = mcm.Source("t.litmus", TEXT.format(body))
    kinds = []
    for engine in (mcm.EngineName.EXPLICIT, mcm.EngineName.SMT):
        result = mcm.check(source, engine=engine)
        assert isinstance(result, mcm.Judged)
        kinds.append({problem.kind for problem in result.undefined})
    return [*kinds, {problem.kind for problem in mcm.run(source, schedule="exhaustive").problems}]


@pytest.mark.parametrize("name", ENDED)
def test_a_variable_is_read_behind_its_block(name: str) -> None:
    assert found(ENDED[name]) == [{"uninitialised-read"}] * 3


@pytest.mark.parametrize("name", ALIVE)
def test_a_variable_lives_in_its_block(name: str) -> None:
    assert found(ALIVE[name]) == [set()] * 3


def test_final_states_keep_the_values() -> None:
    """A condition may name a variable of a block, which has the value that it had there."""
    result = mcm.check(TEXT.format("{ int t = 5; p = &t; }").replace("x=5", "0:t=5"))
    assert result.verdict.value == "allowed"
    assert [dict(state.values) for state in result.states] == [{"0:t": 5}]


def test_the_reason_tells_of_the_block() -> None:
    (problem,) = mcm.check(TEXT.format(ENDED["a block"])).undefined
    assert problem.why == "'t' is read through a pointer and has no value: it was given none, or its block has ended"
    (explanation, *_) = mcm.shared_session().explanations(TEXT.format(ENDED["a block"]), mcm.Options())
    assert [sentence.text for story in explanation.stories for sentence in story.sentences] == [
        "'t' lives in its block, from line 9 on: P0 line 9 comes behind that, or before a value"
    ]
