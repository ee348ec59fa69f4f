"""Races of commands are told by what does not order them: each sentence with the rule that would."""

from __future__ import annotations

import pytest

from mcm import Session, Source, check

WRITE = "kernel A (global int* x) { *x = 1; }"
READ = "kernel B (global int* x) { int r0 = *x; }"


def told(kind: str, queues: str, *parts: str, model: str = "opencl-3.0") -> list[tuple[str, tuple[str, ...]]]:
    """The sentences of the story of the race, with their rules."""
    text = "\n".join(("OPENCL race", f"{{ {kind} int x = 0; {queues} }}", *parts, "exists (true)"))
    explanation = check(Source("race.litmus", text), model=model).explain()
    return [(one.text, one.rules) for story in explanation.stories for one in story.sentences]


def host(*calls: str) -> str:
    return f"P0@host (global int* x) {{\n{chr(10).join(calls)}\n}}"


A, B = "event a = clEnqueueNDRangeKernel(q, A, 1, 1);", "clEnqueueNDRangeKernel(q, B, 1, 1);"


def test_an_out_of_order_queue() -> None:
    assert told("buffer", "queue q = out_of_order dev 0;", WRITE, READ, host(A, B)) == [
        ("A (line 6) and B (line 7) are in one queue, but q is out-of-order", ("HOST-5",)),
        ("no command barrier stands between them in q", ("HOST-7",)),
        ("the event of A is not in the wait list of B", ("HOST-2",)),
    ]


def test_two_queues() -> None:
    queues = "queue q = in_order dev 0; queue p = in_order dev 0;"
    assert told("buffer", queues, WRITE, READ, host(A, B.replace("q,", "p,"))) == [
        ("A (line 6) and B (line 7) are in two queues, q and p: a queue orders its own commands only", ("HOST-5",)),
        ("the event of A is not in the wait list of B", ("HOST-2",)),
    ]


def test_a_status_is_asked_for() -> None:
    calls = (A, "int s = clGetEventInfo(a);", "if (s == 0) { int r0 = *x; }")
    assert told("fine_svm", "queue q = in_order dev 0;", WRITE, host(*calls)) == [
        ("P0 does not wait for A before line 7", ("HOST-4", "HOST-8")),
        ("the status that it asks for at line 6 orders nothing, whatever the answer", ("HOST-4q",)),
    ]


def test_a_map_while_a_kernel_writes() -> None:
    mapped = "clEnqueueMapBuffer(q, x, CL_TRUE, CL_MAP_READ);"
    texts = [text for text, _ in told("buffer", "queue q = out_of_order dev 0;", WRITE, host(A, mapped))]
    assert texts[0] == "the map of x may overwrite every element of it with what it has seen there"
    assert texts[-1] == "the event of A is not in the wait list of map of x"


@pytest.mark.parametrize(("kind", "words"), [("buffer", "a buffer"), ("coarse_svm", "coarse-grain SVM")])
def test_a_child_and_what_its_parent_wrote(kind: str, words: str) -> None:
    parent = "kernel A (global int* x) {\n*x = 1;\nenqueue_kernel(CLK_ENQUEUE_FLAGS_NO_WAIT, B, 1, 1);\n}"
    assert told(kind, "queue q = in_order dev 0;", READ, parent, host(A)) == [
        ("B waits for nothing that A does: its flag is CLK_ENQUEUE_FLAGS_NO_WAIT", ("HOST-15",)),
        (f"what comes before the call at line 6 reaches B in fine-grain SVM only; this is {words}", ("HOST-1",)),
        ("with CLK_ENQUEUE_FLAGS_WAIT_KERNEL, B would start after all of A", ("HOST-13",)),
    ]


def test_a_model_without_rules_of_commands_cites_none() -> None:
    queues = "queue q = out_of_order dev 0;"
    rules = [rule for _, cited in told("buffer", queues, WRITE, READ, host(A, B), model="c11") for rule in cited]
    assert not [rule for rule in rules if rule.startswith("HOST")]


@pytest.mark.parametrize(
    ("kind", "access", "words"),
    [
        ("coarse_svm", "int r0 = *x;", "x is coarse-grain SVM, which the host may read only between a map"),
        ("buffer", "*x = 2;", "x is a buffer, which the host may write only while it is mapped for writing"),
    ],
)
def test_an_access_that_is_not_mapped(kind: str, access: str, words: str) -> None:
    text = f"OPENCL map\n{{ {kind} int x = 0; }}\n{host(access)}\nexists (true)"
    (problem,) = check(Source("map.litmus", text)).undefined
    assert problem.why.startswith(words)


def test_a_user_event_that_another_call_has_set() -> None:
    calls = ("clEnqueueNDRangeKernel(q, B, 1, 1, wait(u));", "clSetUserEventStatus(u, CL_COMPLETE);")
    other = "P1@host (global int* x) {\n*x = 1;\nclSetUserEventStatus(u, CL_COMPLETE);\n}"
    found = told("fine_svm", "queue q = in_order dev 0; user_event u;", READ, host(*calls), other)
    assert ("the call at line 10 does not set u: that at line 6 was made before", ("HOST-12",)) in found


def sycl(*lines: str) -> list[tuple[str, tuple[str, ...]]]:
    """The sentences of the race of a SYCL host program, with their rules."""
    text = "\n".join(("SYCL race", "{ int x=0; }", "host {", "queue q;", *lines, "}", "exists (true)"))
    explanation = check(Source("race.litmus", text)).explain()
    return [(one.text, one.rules) for story in explanation.stories for one in story.sentences]


FIRST, SECOND = "q.single_task([=]() { *x = 1; });", "q.single_task([=]() { *x = 2; });"


def test_sycl_queue_that_is_not_in_order() -> None:
    assert sycl(FIRST, SECOND) == [
        ("K0 (line 5) and K1 (line 6) are in one queue, but q is not in_order", ("SYCL-CMD-2",)),
        ("no barrier of q stands between them", ("SYCL-CMD-2",)),
        ("K1 does not depend on K0, by depends_on or by accessors of one buffer", ("SYCL-CMD-2",)),
    ]


def test_sycl_two_queues() -> None:
    assert sycl("queue p;", FIRST, SECOND.replace("q.", "p.")) == [
        (
            "K0 (line 6) and K1 (line 7) are in two queues, q and p: a queue orders its own commands only",
            ("SYCL-CMD-2",),
        ),
        ("K1 does not depend on K0, by depends_on or by accessors of one buffer", ("SYCL-CMD-2",)),
        ("the host does not wait for K0 before it submits K1", ("SYCL-CMD-1",)),
    ]


def test_sycl_host_that_does_not_wait() -> None:
    assert sycl(FIRST, "int r = *x;") == [
        ("P0 accesses it at line 6, after K0 is submitted at line 5", ("SYCL-CMD-4",)),
        ("P0 does not wait for K0 before line 6, on its event or on its queue", ("SYCL-CMD-1",)),
    ]


def test_sycl_buffer_that_still_exists() -> None:
    group = "q.submit([&](handler& h) { accessor a(b, h, write_only); h.single_task([=]() { a[0] = 1; }); });"
    told = sycl("buffer<int> b(x, range<1>(1));", group, "int r = *x;")
    assert told[-1] == ("the wait for the buffer that K0 writes comes later, at line 8", ("SYCL-CMD-3",))


def test_sycl_atomic_accesses_are_told_by_their_scopes() -> None:
    call = "atomic_ref<int, memory_order::relaxed, memory_scope::work_group>(*x).store(1);"
    told = sycl(f"q.single_task([=]() {{ {call} }});", f"q.single_task([=]() {{ {call} }});")
    assert not [rules for _, rules in told if "SYCL-CMD-2" in rules]


PARENT = "kernel A (global int* x) { enqueue_kernel(CLK_ENQUEUE_FLAGS_NO_WAIT, C, 1, 1); }"
CHILD = "kernel C (global int* x) { *x = 1; }"
QUEUES = "queue q = in_order dev 0; queue p = in_order dev 0;"


def test_what_a_child_does_is_complete_with_the_command_that_the_host_enqueues() -> None:
    calls = host(A, B.replace("q,", "p,"))

    assert told("fine_svm", QUEUES, CHILD, PARENT, READ, calls)[1:] == [
        ("the event of A is not in the wait list of B", ("HOST-2",))
    ]


def test_a_child_is_not_reached_through_a_buffer() -> None:
    calls = host(B.replace("q,", "p,"), A)

    assert told("buffer", QUEUES, CHILD, PARENT, READ, calls)[1:] == [
        ("the event of B is not in the wait list of A", ("HOST-2",)),
        ("what comes before the call at line 4 reaches C in fine-grain SVM only; this is a buffer", ("HOST-1",)),
    ]


def test_two_children_of_one_kernel() -> None:
    call = "enqueue_kernel(CLK_ENQUEUE_FLAGS_NO_WAIT, {}, 1, 1);"
    parent = f"kernel A (global int* x) {{ {call.format('C')} {call.format('D')} }}"

    assert told("buffer", QUEUES, CHILD, CHILD.replace("C ", "D "), parent, host(A)) == [
        ("the event of C is not in the wait list of D", ("HOST-2",))
    ]


def test_a_model_without_rules_about_commands() -> None:
    sentences = told("buffer", QUEUES, WRITE, READ, host(A, B), model="c11")

    assert sentences[0] == ("c11 states no rule about commands: no queue, event or wait orders anything under it", ())
    assert ("B[0] line 4 is not atomic", ("DR-5",)) in sentences


def test_what_is_no_race_is_not_told_as_one() -> None:
    add = "atomic_fetch_add_explicit(x, 1, {order}, memory_scope_device);"
    kernels = "\n".join(
        f"kernel {name} (global atomic_int* x) {{ {add.format(order=order)} }}"
        for name, order in (("A", "memory_order_release"), ("B", "memory_order_relaxed"))
    )
    text = (
        "OPENCL shared\n{ buffer [x] = 0; queue q = out_of_order dev 0; }\n" + kernels + "\n"
        "P0@host (global atomic_int* x) {\n" + A + "\n" + B + "\n}\nexists (true)"
    )
    endings = {}
    for number in (1, 2):
        explanation = Session().explain(Source("shared.litmus", text), "opencl-3.0", problem=number)
        assert explanation.problem is not None
        endings[explanation.problem.kind] = explanation.stories[0].sentences[-1].text
    assert endings == {
        "data-race": "one condition fails: if it held, these two would not race in this execution",
        "implementation-defined": "2 conditions fail: if they held, this execution would not have the problem",
    }
