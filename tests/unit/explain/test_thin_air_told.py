"""Values out of thin air: the circle, what each write makes of what is read, and the equation."""

from __future__ import annotations

import pytest

from mcm import Session, Source

LOAD = "atomic_load_explicit({}, memory_order_relaxed)"


def told(first: str, second: str, outcome: str) -> list[str]:
    threads = []
    for number, (read, place, written) in enumerate([("x", "y", first), ("y", "x", second)]):
        body = written.format(f"atomic_store_explicit({place}, ", ", memory_order_relaxed)")
        threads.append(f"P{number} (atomic_int* x, atomic_int* y) {{\n  int r = {LOAD.format(read)};\n  {body};\n}}\n")
    text = "C t\n{ [x]=0; [y]=0; }\n" + "".join(threads) + f"exists ({outcome})\n"
    (story,) = Session().explain(Source("t.litmus", text)).stories
    texts = [sentence.text for sentence in story.sentences]
    start = texts.index("its values come out of thin air: each rests on itself")
    return texts[start + 1 : start + 4]


@pytest.mark.parametrize(
    ("first", "outcome", "written", "equation"),
    [
        (
            "{}r{}",
            "0:r=7 /\\ 1:r=7",
            "what line 4 reads",
            "so the value v that goes round only has to be v = v: every value is, 7 among them",
        ),
        (
            "{}r * r{}",
            "0:r=1 /\\ 1:r=1",
            "(what line 4 reads) * (what line 4 reads)",
            "so the value v that goes round has to be v = v * v: 1 is such a value",
        ),
    ],
)
def test_the_equation_of_a_circle_of_data(first: str, outcome: str, written: str, equation: str) -> None:
    assert told(first, "{}r{}", outcome) == [
        f"P0 line 5 writes {written} to y",
        "P1 line 9 writes what line 8 reads to x",
        equation,
    ]


def test_conditions_that_only_the_circle_makes_true() -> None:
    assert told("if (r == 1) {}1{}", "if (r == 1) {}1{}", "0:r=1 /\\ 1:r=1") == [
        "P0 line 5 is executed only because P0 line 4 reads 1",
        "P1 line 9 is executed only because P1 line 8 reads 1",
        "nothing outside of this circle makes these conditions true",
    ]
