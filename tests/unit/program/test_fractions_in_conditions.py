"""Numbers with fractions in conditions: they are values of the type with which they are compared."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, check, run

TEST = """OPENCL fractions
{{ float y = 0.1f; int n = 1; }}
P0 (global float* y, global int* n) {{
  float r0 = *y;
  double d = 0.1;
  half h = 0.1h;
  int r1 = *n;
}}
{condition}
"""


@pytest.mark.parametrize("engine", ["explicit", "smt"])
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("forall 0:r0=0.1", True),
        ("forall 0:r0=0.1f /\\ [y]=1e-1", True),
        ("forall 0:d=0.1", True),
        ("forall 0:h=0.1", True),
        ("forall 0:d=0.1000000001", False),
        ("forall 0:r0=0.2", False),
        ("forall 0:r0>0.05 /\\ 0:r0<0.15", True),
        ("forall 0:r0>-0.5", True),
        ("forall 0:d=0:d /\\ 0.1=0:d", True),
        ("forall 0:r0=0x1.99999ap-4f", True),
        ("exists ~(0:r0=0.1)", False),
        ("forall 0:r1=1", True),
    ],
)
def test_a_fraction_is_a_value_of_the_type_of_the_other_side(condition: str, holds: bool, engine: str) -> None:
    found = check(TEST.format(condition=condition), engine=engine)

    assert isinstance(found, Judged)
    assert found.holds is holds


@pytest.mark.parametrize(
    ("condition", "code", "word"),
    [
        ("exists 0:r1=0.5", "E122", "'0.5' is compared with what is no floating-point number"),
        ("exists 0:r0=1.5up", "E023", "1.5up"),
    ],
)
def test_what_no_fraction_can_be_compared_with_is_refused(condition: str, code: str, word: str) -> None:
    with pytest.raises(InputError) as caught:
        check(TEST.format(condition=condition))

    assert [(each.code, word in each.message) for each in caught.value.diagnostics] == [(code, True)]


def test_a_fraction_is_shown_as_it_was_written() -> None:
    found = check(TEST.format(condition="exists 0:r0=0.1f /\\ 0:d!=-0.25"))

    assert isinstance(found, Judged)
    assert found.condition is not None
    assert found.condition.text == "0:r0=0.1 /\\ 0:d!=-0.25"


def test_states_show_as_few_digits_as_tell_a_number_from_others_of_its_type() -> None:
    found = check(TEST.format(condition="locations [0:r0; 0:d; 0:h; y;]"))
    ran = run(TEST.format(condition="locations [0:r0; 0:d; 0:h; y;]"), runs=1)

    assert isinstance(found, Judged)
    shown = {"0:r0": 0.1, "0:d": 0.1, "0:h": 0.1, "y": 0.1}
    assert [dict(state.values) for state in found.states] == [shown]
    assert [dict(count.state.values) for count in ran.states] == [shown]
