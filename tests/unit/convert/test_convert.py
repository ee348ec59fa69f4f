"""Tests in another language: the text, the reasons, and that both forms have the same answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcm import InputError, Source, check_all, convert_test

OPENCL = Path(__file__).resolve().parents[3] / "litmus" / "opencl"
SYCL = OPENCL.parent / "sycl"
COMPARED = [*sorted((OPENCL / "separators").glob("*.litmus")), *sorted((OPENCL / "patterns").glob("*.litmus"))]
HOST_PROGRAMS = [path for path in sorted((SYCL / "host").glob("*.litmus")) if not path.stem.startswith("usm")]
MODEL = "sycl-next"


def source_of(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"))


def answer(source: Source) -> tuple[object, ...]:
    (result,) = check_all(source, models=(MODEL,))
    states = frozenset(tuple(sorted(state.values.items())) for state in result.states)
    return result.complete, states, {problem.kind for problem in result.undefined}


def test_message_passing_in_sycl() -> None:
    text = convert_test(source_of(OPENCL / "patterns" / "MP.dv.litmus"), "sycl")
    assert text.startswith("SYCL MP.dv\n")
    assert "atomic_ref<int, memory_order::relaxed, memory_scope::device>(*y).store(1, memory_order::release);" in text
    assert "P1@wg 1, dev 0 (int* x, int* y) {" in text


def test_a_kernel_in_sycl() -> None:
    text = convert_test(source_of(OPENCL / "kernels" / "histogram.litmus"), "sycl")
    assert "q.parallel_for<class histogram>(nd_range<1>(4, 2), [=](nd_item<1> it) {" in text
    assert "local_accessor uint mine[4];" in text
    assert "group_barrier(it.get_group());" in text


def test_a_kernel_in_opencl() -> None:
    text = convert_test(source_of(SYCL / "patterns" / "MP+rel+acq.device.litmus"), "opencl")
    assert "atomic_store_explicit(f, 1, memory_order_release, memory_scope_device);" in text
    assert "launch K0 global 4, local 2;" in text


def test_sizes_of_sub_groups_in_sycl() -> None:
    text = convert_test(source_of(OPENCL / "dartagnan" / "xf-barrier-2.1.2.litmus"), "sycl")
    assert "(nd_range<1>(4, 2), [=](nd_item<1> it) [[sycl::reqd_sub_group_size(2)]] {" in text


def test_the_end_of_a_buffer_in_opencl() -> None:
    text = convert_test(source_of(SYCL / "host" / "buffer.litmus"), "opencl")
    assert "event event_2 = clEnqueueNDRangeKernel(q, second, 1, 1, wait(event_1));" in text
    assert "clWaitForEvents(event_1, event_2);\n  }\n  int r = *x;" in text


def test_events_without_a_name_take_none_that_is_there() -> None:
    text = (SYCL / "host" / "buffer.litmus").read_text(encoding="utf-8").replace("int r = *x;", "int event_1 = *x;")
    converted = convert_test(Source("t.litmus", text.replace("0:r=2", "0:event_1=2")), "opencl")
    assert "clWaitForEvents(event__1, event__2);" in converted


@pytest.mark.parametrize(
    ("path", "language", "reason"),
    [
        ("host/HOST-4", "sycl", "queues, events and initial registers are not converted"),
        ("spec/BAR-DIV.flags", "sycl", "barriers differ in their flags"),
        ("spec/AS-4.read-constant", "sycl", "SYCL has no memory like that of 'c'"),
        ("spec/AS-1.to-functions", "sycl", "unknown function 'to_local'"),
    ],
)
def test_what_has_no_form_is_told_with_the_reason(path: str, language: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        convert_test(source_of(OPENCL / f"{path}.litmus"), language)
    assert "no form in the other language" in caught.value.diagnostics[0].message
    assert reason in caught.value.diagnostics[0].message


def test_memory_without_a_value_has_no_form_in_opencl() -> None:
    with pytest.raises(InputError, match="'x' begins without a value"):
        convert_test(source_of(SYCL / "host" / "usm-uninitialised.litmus"), "opencl")


def test_an_atomic_type_alone_has_no_form_in_sycl() -> None:
    text = "OPENCL t\n{ [x]=0; }\nP0@wg 0, dev 0 (global atomic_int* x) { *x = 1; }\nexists (x=1)\n"
    with pytest.raises(InputError, match="'x' has an atomic type, and nothing accesses it atomically"):
        convert_test(Source("t.litmus", text), "sycl")


@pytest.mark.slow
@pytest.mark.parametrize("path", COMPARED, ids=lambda path: path.stem)
def test_both_forms_have_the_same_answer(path: Path) -> None:
    source = source_of(path)
    try:
        text = convert_test(source, "sycl")
    except InputError:
        pytest.skip("no form in SYCL")
    assert answer(Source(path.name, text)) == answer(source)
    again = convert_test(Source(path.name, text), "opencl")
    assert answer(Source(path.name, again)) == answer(source)


@pytest.mark.slow
@pytest.mark.parametrize("path", HOST_PROGRAMS, ids=lambda path: path.stem)
def test_host_programs_have_the_same_answer_in_opencl(path: Path) -> None:
    source = source_of(path)
    assert answer(Source(path.name, convert_test(source, "opencl"))) == answer(source)
