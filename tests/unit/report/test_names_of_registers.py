"""Reports for people name registers as the test does; data names them by the number of their thread."""

from __future__ import annotations

import json

import pytest

import mcm
from mcm import render_explanations, render_json, render_page, render_text

KERNELS = """OPENCL names
{ atomic_int x = 0; }
kernel A (global atomic_int* x) {
  int r0 = atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
}
P0@wg 1, ki 0 (global atomic_int* x) {
  int r1 = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
}
launch A global 2, local 1;
"""


def heading(condition: str) -> list[str]:
    """The names over the table of states, of a test with this condition."""
    lines = render_text(mcm.check(KERNELS + condition)).splitlines()
    return next(line.split() for line in lines if line.rstrip().endswith(("r0", "r1", "x")) and ":" in line)


@pytest.mark.parametrize(
    ("condition", "names"),
    [
        # As the condition says: by name, or by number.
        ("exists (A[0]:r0=1 /\\ 0:r1=1)", ["0:r1", "A[0]:r0"]),
        ("exists (1:r0=1 /\\ P0:r1=1)", ["0:r1", "1:r0"]),
        # By both: the name tells more.
        ("locations [1:r0; 2:r0;] exists (A[0]:r0=1)", ["A[0]:r0", "2:r0"]),
        # By none: nobody has counted the work-items.
        ("", ["0:r1", "A[0]:r0", "A[1]:r0", "x"]),
    ],
)
def test_tables_have_the_names_of_the_test(condition: str, names: list[str]) -> None:
    assert heading(f"{condition}\n") == names


def test_data_has_numbers_and_says_how_the_test_calls_them() -> None:
    result = mcm.check(f"{KERNELS}exists (A[0]:r0=1 /\\ 0:r1=1)\n")
    (record,) = json.loads(render_json([result]))["results"]

    assert list(record["states"][0]["values"]) == ["0:r1", "1:r0"]
    assert record["names"] == {"1:r0": "A[0]:r0"}
    assert result.names == {"1:r0": "A[0]:r0"}


@pytest.mark.slow
def test_explanations_and_pages_have_the_names_of_the_test() -> None:
    text = f"{KERNELS}exists (A[0]:r0=1 /\\ 0:r1=1)\n"
    explanation = render_explanations([mcm.Session().explain(text, "sc")])
    page = render_page(mcm.Session().page(text, mcm.Options(models=("sc",))))

    assert "  A[0]:r0=1  A[0] line 4 reads x" in explanation
    assert ">A[0]:r0</th>" in page
    assert "0:r1=1; A[0]:r0=1" in page
    assert "1:r0" not in explanation.replace("P1", "")
    assert "1:r0=" not in page


def test_what_a_register_is_looked_for_in_has_its_name() -> None:
    with pytest.raises(mcm.InputError) as raised:
        mcm.check(f"{KERNELS}exists (1:r1=1)\n")

    assert raised.value.diagnostics[0].message == "thread A[0] has no register 'r1'; did you mean '0:r1'?"
    with pytest.raises(mcm.InputError) as raised:
        mcm.check(f"{KERNELS}exists (0:r0=1)\n")
    assert raised.value.diagnostics[0].message == "thread P0 has no register 'r0'; did you mean 'A[0]:r0'?"
