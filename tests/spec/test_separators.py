"""The tests that tell the models apart: every cell of the table of separators (model-rules 5) is stated and true."""

from __future__ import annotations

import pytest
from shipped_tests import SEPARATORS, Header, headers, result_of, verdict_of

COLUMNS = (
    "opencl-2.0",
    "opencl-3.0",
    "opencl-3.1",
    "opencl-scoped",
    "opencl-popl",
    "sycl-2020",
    "sycl-2020+literal",
    "sycl-next",
    "c11",
    "rc11",
    "c20",
    "sc",
)

# A: allowed, F: forbidden, !: racy, ?: undefined without a race. One letter a column, in the order above.
TABLE = {
    "MP.local-flag.global-data": "A! A! A! A! A! F F F F F F F",
    "MP.wg-dv": "A! A! F A! A! A! A! F F F F F",
    "MP.dv-all.buffer": "F F F A! A! F F F F F F F",
    "MP.dv.two-kernels": "A! A! A! F F A! A! A! F F F F",
    "MP.all.host.coarse": "A! A! A! F F A! A! A! F F F F",
    "MP.sg.same-sub-group": "F F F A! A! F F F F F F F",
    "atomics.wg.two-groups": "A! A! A! A! A! A! A! A! A A A A",
    "atomics.wg-dv.ordered": "F F F F F F F? F F F F F",
    "RS.own-relaxed-store": "F F F F F F F F F F A! F",
    "RS.foreign-store": "A! A! A! A! A! A! A! A! A! F A! F",
    "SB.sc.dv.fine-atomics": "F F F F A F F F F F F F",
    "SB.sc.wg.one-group": "F F F F A F F F F F F F",
    "SB.sc.wg.two-groups": "F! F! F! A! A! F! F! F! F F F F",
    "SB.rlx+fences.wg.two-groups": "F F F A A F F F F F F F",
    "SB.sc.global-local": "A A A A A F F F F F F F",
    "example10.two-devices": "F F F A A F F F F F F F",
    "SC.hidden-store": "A A A F A A A A A F F F",
    "Z6.U": "F F F F F F F F F A A F",
    "IRIW.rlx+fences": "A A A A A A A A A F F F",
    "RWC.rlx+fences": "A A A A A A A A A F F F",
    "LB.rlx": "A A A A A A A A A F A F",
    "OOTA.global-local": "A A A A A F F F F F F F",
}
WORDS = {
    "A": "Sometimes no-race",
    "A!": "Sometimes race",
    "F": "Never no-race",
    "F!": "Never race",
    "F?": "Never no-race",
}
CELLS = [
    pytest.param(test, model, WORDS[letter], id=f"{test}-{model}")
    for test, row in TABLE.items()
    for model, letter in zip(COLUMNS, row.split(), strict=True)
]


def test_every_row_has_a_file_and_every_file_a_row() -> None:
    assert {header.path.stem for header in headers(SEPARATORS)} == set(TABLE)


@pytest.mark.parametrize("header", headers(SEPARATORS), ids=lambda header: header.path.stem)
def test_the_file_states_its_row(header: Header) -> None:
    row = TABLE[header.path.stem].split()
    assert header.values("Expect") == {m: WORDS[letter] for m, letter in zip(COLUMNS, row, strict=True)}


@pytest.mark.parametrize(("test", "model", "verdict"), CELLS)
def test_cell(test: str, model: str, verdict: str) -> None:
    assert verdict_of(result_of(SEPARATORS / f"{test}.litmus", model)) == verdict


@pytest.mark.parametrize("test", TABLE)
def test_cells_are_undefined_only_where_they_say_so(test: str) -> None:
    for model, letter in zip(COLUMNS, TABLE[test].split(), strict=True):
        assert bool(result_of(SEPARATORS / f"{test}.litmus", model).undefined) == (letter[-1] in "!?")


def test_every_two_models_are_told_apart() -> None:
    same = {"opencl-2.0": "opencl-3.0"}
    columns = {model: [row.split()[i] for row in TABLE.values()] for i, model in enumerate(COLUMNS)}
    pairs = {(a, b) for a in COLUMNS for b in COLUMNS if a < b and columns[a] == columns[b]}
    assert pairs == set(same.items())
