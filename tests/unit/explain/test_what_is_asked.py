"""What `mcm explain` is asked about: the state of the option, in every kind of file; filters; values that are open."""

from __future__ import annotations

import pytest

import mcm

KERNEL = "kernel void k(global int *x) { x[get_global_id(0)] = 1; }"
REQUEST = mcm.KernelRequest(launches=("k global 2, local 1",))
FILTERED = """OPENCL filtered
{{ [x]=0; }}
P0 (global atomic_int* x) {{ atomic_store(x, 1); }}
P1 (global atomic_int* x) {{ int r0 = atomic_load(x); }}
{}
exists (1:r0=7)
"""
QUOTIENT = """OPENCL quotient
{ [x]=0; }
P0 (global int* x) { int r0 = 4 / *x; }
exists (0:r0=4)
"""
UNSEQUENCED = """C unsequenced
{ }
P0 (int* x) { int r = (*x = 1) + *x; }
exists (0:r=2)
"""


def sentences(text: str, **options: object) -> list[str]:
    options_ = mcm.Options()
    found = mcm.shared_session().explanations(text, options_, **options)  # type: ignore[arg-type]
    return [one.text for explanation in found for one in explanation.sentences] + [
        one.text for explanation in found for story in explanation.stories for one in story.sentences
    ]


@pytest.mark.parametrize(("value", "kind"), [(1, "allowed"), (77, "forbidden")])
def test_the_state_of_a_kernel_file_is_what_is_explained(value: int, kind: str) -> None:
    source = mcm.KernelSource("k.cl", KERNEL, REQUEST)
    (found,) = mcm.shared_session().explanations(source, mcm.Options(), state=f"x[0]={value}")
    assert found.kind.value == kind


def test_a_mistake_in_the_option_is_shown_in_the_option() -> None:
    with pytest.raises(mcm.InputError) as caught:
        sentences(UNSEQUENCED, state="0:r")
    (diagnostic,) = caught.value.diagnostics
    assert (str(diagnostic.span), diagnostic.span.source.text) == ("--state:1:4", "0:r")
    with pytest.raises(mcm.InputError) as caught:
        sentences(UNSEQUENCED.rpartition("exists")[0], state="0:q=1")
    assert [str(one.span) for one in caught.value.diagnostics] == ["--state:1:1"]


def test_that_no_execution_passes_the_filter_is_said() -> None:
    assert sentences(FILTERED.format("filter (1:r0=2)")) == [
        "No execution passes the filter of the test, so that none is left that could end so."
    ]
    impossible = "The program has no such execution, whatever a model says: its values do not lead to this outcome."
    assert sentences(FILTERED.format("filter (1:r0=1)")) == [impossible]
    assert sentences(FILTERED.format("")) == [impossible]


def test_an_outcome_that_may_rest_on_an_open_quotient_is_not_called_forbidden() -> None:
    (found,) = mcm.shared_session().explanations(QUOTIENT, mcm.Options(), state="0:r0=4")
    assert found.kind.value == "undecided"
    assert sentences(QUOTIENT, state="0:r0=4") == [
        "nothing can be explained: undecided (the outcome may rest on a quotient that is open)"
    ]


def test_an_unsequenced_race_is_not_about_barriers() -> None:
    assert sentences(UNSEQUENCED) == [
        "the language leaves open which of the two comes first: statements of their own would say it"
    ]
