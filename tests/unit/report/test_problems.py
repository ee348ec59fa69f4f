"""Problems in the report for people."""

from __future__ import annotations

from mcm.answer.result import Problem, Site
from mcm.base.source import Source, Span
from mcm.report.colour import Palette
from mcm.report.problems import problem_blocks

SOURCE = Source("k.litmus", "kernel k (global int* a) {\n\ta[0] = b[i];\n}\n")
WRITE = Span(SOURCE, SOURCE.text.index("a[0]"), SOURCE.text.index(" = "))
READ = Span(SOURCE, SOURCE.text.index("b[i]"), SOURCE.text.index(";"))


def race(writer: str, reader: str, element: int, iterations: tuple[int, ...] = ()) -> Problem:
    sites = (Site(writer, WRITE, "a[0]", iterations, "write"), Site(reader, READ, "b[i]", (), "read"))
    return Problem("data-race", sites, "nothing orders them", ("DR-1",), location=f"a[{element}]")


def test_accesses_are_named_and_pointed_at() -> None:
    (block,) = problem_blocks([race("k[0]", "k[10]", 3, iterations=(2, 1))], Palette())

    assert block.splitlines() == [
        "  data race on a[3] [DR-1]",
        "    k[0] writes  k.litmus:2  a[0] = b[i];  (iteration 2, 1)",
        "                             ^^^^",
        "    k[10] reads  k.litmus:2  a[0] = b[i];",
        "                                    ^^^^",
        "    nothing orders them",
    ]


def test_many_of_one_kind_are_folded() -> None:
    races = [race(f"k[{number}]", f"k[{number + 1}]", number) for number in range(320)]

    (block,) = problem_blocks(races, Palette())

    assert block.splitlines()[-1] == "    and 319 more of this kind, e.g. k[1] and k[2] on a[1]"


def test_what_happens_elsewhere_is_told_apart() -> None:
    other = Problem("data-race", (Site("k[0]", READ, "b[i]", (), "read"),), "nothing orders them", ("DR-1",))

    assert len(problem_blocks([race("k[0]", "k[1]", 0), other], Palette())) == 2


def test_two_accesses_of_one_name_and_place_are_counted() -> None:
    site = Site("copy of a, b", WRITE, "a[0]", (), "write")
    (block,) = problem_blocks([Problem("data-race", (site, site), "nothing orders them", ("DR-1",))], Palette())

    assert block.splitlines()[1] == "    copy of a, b writes  k.litmus:2  a[0] = b[i];  (2 of these)"
    assert len(block.splitlines()) == 4


def test_hostile_names_are_escaped() -> None:
    (block,) = problem_blocks([race("k\x1b[0]", "k", 0), race("k\x07", "k", 0)], Palette())

    assert "\x1b" not in block
    assert "\x07" not in block
