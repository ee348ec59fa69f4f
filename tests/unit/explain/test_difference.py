from __future__ import annotations

from mcm import Judged, Options, Session, Undecided, Verdict
from mcm.answer.explanation import Kind
from mcm.base.source import Source
from mcm.catalogue.library import ChosenModel, Library
from mcm.explain.difference import separations

SUBJECT = {"file": "t.litmus", "test": "t", "bound": 2}


def never(model: ChosenModel, rule: str) -> Judged:
    message = f"{model.name} without {rule} is not asked for"
    raise AssertionError(message)


def test_results_without_a_verdict_are_not_compared() -> None:
    first, second = (Library().choose(name) for name in ("c11", "rc11"))
    undecided = Undecided(**SUBJECT, model="c11", reason="timeout")
    forbidden = Judged(**SUBJECT, model="rc11", verdict=Verdict.FORBIDDEN)

    assert separations([(first, undecided), (second, forbidden)], never) == ()


def test_a_rule_separates_if_a_model_without_it_says_what_the_other_says() -> None:
    first, second = (Library().choose(name) for name in ("opencl-3.0", "opencl-3.1"))
    allowed = Judged(**SUBJECT, model="opencl-3.0", verdict=Verdict.ALLOWED)
    forbidden = Judged(**SUBJECT, model="opencl-3.1", verdict=Verdict.FORBIDDEN)

    def judge(model: ChosenModel, rule: str) -> Judged:
        return forbidden if (model.name, rule) == ("opencl-3.0", "SCOPE-6") else allowed

    (found,) = separations([(first, allowed), (second, forbidden)], judge)

    assert (found.first, found.second) == ("opencl-3.0", "opencl-3.1")
    assert "SCOPE-6" in found.rules


RACING = """OPENCL racing
{ int x; atomic_int y; }
P0@wg 0 (global int* x, global atomic_int* y) {
  *x = 1;
  atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
}
P1@wg 1 (global int* x, global atomic_int* y) {
  int r0 = atomic_load_explicit(y, memory_order_relaxed, memory_scope_device);
  int r1 = *x;
}
exists (1:r0=1 /\\ 1:r1=0)
"""

ATOMIC = (
    RACING.replace("int x;", "atomic_int x;")
    .replace("int* x", "atomic_int* x")
    .replace("*x = 1;", "atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);")
    .replace("= *x;", "= atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);")
)


def test_of_a_model_that_calls_the_test_undefined_it_is_said_that_executions_promise_nothing() -> None:
    def sentences(text: str) -> list[str]:
        told = Session().explanations(Source("t.litmus", text), Options(models=("opencl-3.0", "sc")))
        (difference,) = (one for one in told if one.kind is Kind.DIFFERENCE)
        return [one.text for one in difference.sentences]

    assert sentences(RACING)[1:] == [
        "Under opencl-3.0 the test is undefined (data race), so that its executions promise nothing there."
    ]
    assert sentences(ATOMIC)[1:] == []
