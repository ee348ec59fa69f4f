"""An object that has no initial value is not drawn, listed or told as if it had one."""

from __future__ import annotations

import re

import mcm
from mcm.base.style import PROBLEM
from mcm.picture.marks import MarkedPair, Marks

UNINITIALISED = """OPENCL uninitialised
{ [x]=0; local int t; local int u = 0; }
P0@wg 0 (global int* x, local int* t, local int* u) {
  int r0 = *t;
  int r1 = *u;
  *x = r0;
}
P1@wg 0 (local int* t) {
  *t = 1;
}
exists (0:r0=0)
"""


def test_in_pictures() -> None:
    (problem, *_) = mcm.check(UNINITIALISED).undefined
    execution = problem.execution
    assert execution is not None

    for picture in (execution.text(), execution.svg(), execution.dot()):
        assert "t = ?" in picture
        assert "read t = ?" in picture
        assert "no initial value" in picture
        # What has a value keeps it.
        assert "u = 0" in picture
        assert "x = 0" in picture
        assert "t = 0" not in picture
    values = {(event.kind, event.location): (event.read, event.written) for event in execution.events}
    assert values["initial", "t"] == (None, None)
    assert values["read", "t"] == (None, None)
    assert values["initial", "u"] == (None, 0)
    assert values["read", "u"] == (0, None)


def test_in_explanations() -> None:
    explanation = mcm.check(UNINITIALISED).explain()

    (story,) = explanation.stories
    assert [reading.text for reading in story.readings] == [
        "P0 line 4 reads t, which has no value before P1 line 9 writes it"
    ]


def test_the_kind_of_the_problem_is_not_cut() -> None:
    (problem, *_) = mcm.check(UNINITIALISED).undefined
    execution = problem.execution
    assert execution is not None
    pair = MarkedPair(0, 3, "uninitialised-read", PROBLEM, "what reads has nothing to read")

    marked = execution.marked(Marks(pairs=(pair,)))
    assert ">uninitialised-read<" in marked.svg()
    assert 'label="uninitialised-read"' in marked.dot()
    # In characters it is broken behind the hyphen, so that the drawing is not wider than a terminal.
    drawing = marked.text()
    assert re.search(r"uninitialised- .*\n.* read ", drawing)
