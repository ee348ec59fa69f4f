"""Enumerations of C++ programs, whose names are types, and those of `enum class` stand behind them."""

from __future__ import annotations

from host_samples import holds, kinds, refused

import mcm

R = "int* r = malloc_shared<int>(2, q); r[0] = r[1] = 0; "


def test_names_behind_that_of_the_class() -> None:
    before = (
        "enum class Colour : std::uint8_t { red = 200, green, blue = green + 2 };"
        "struct Cell { Colour c; int n; };"
        "int pick(Colour c) { switch (c) {"
        " case Colour::red: return 1; case Colour::blue: return 4; default: return 0; } }"
    )
    body = f"{R} Colour c = Colour::blue; q.single_task([=] {{ Cell a{{c, 2}}; r[0] = pick(a.c) + a.n; }}).wait();"
    assert holds(body, "r[0]=6", before)
    assert holds(f"{R} r[1] = static_cast<int>(Colour::green);", "r[1]=201", before)
    assert "unknown name 'red'" in refused(f"{R} r[0] = red;", before)


def test_plain_enumerations_are_types_too() -> None:
    before = "enum Kind { none, some = 5 }; enum : int { FOUR = 4 };"
    body = f"{R} Kind k = some; q.single_task([=] {{ r[0] = k == Kind::some ? FOUR : none; }})"
    assert holds(body + ".wait();", "r[0]=4", before)
    assert kinds(body + "; int s = r[0];", before) == {"data-race"}


def test_in_a_test() -> None:
    text = """SYCL enumerations
{ int x = 0; }
enum class Step { first = 3, second };
q.single_task([=] { Step s = Step::second; *x = s == Step::second ? 7 : 8; });
forall (x=7)
"""
    assert mcm.check(text).verdict is mcm.Verdict.REQUIRED
