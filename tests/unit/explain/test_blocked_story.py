"""Units that wait for ever: who waits for whom, and why nobody helps."""

from __future__ import annotations

from mcm import Options, Session, Source, check
from mcm.answer.explanation import Kind

ACQUIRE = "while (atomic_exchange_explicit({}, 1, memory_order_acquire, memory_scope_device)) {{ }}"
RELEASE = "atomic_store_explicit({}, 0, memory_order_release, memory_scope_device);"


def lines(text: str) -> list[str]:
    """What is said of the first execution that blocks."""
    explanation = check(Source("t.litmus", text)).explain()
    assert explanation.kind is Kind.BLOCKED
    (story,) = explanation.stories
    return [sentence.text for sentence in story.sentences]


def two_locks(last: str) -> Source:
    bodies = [
        f"P{number}@wg {number} (global atomic_int* a, global atomic_int* b) {{\n"
        + "".join(f"  {what}\n" for what in (ACQUIRE.format(one), ACQUIRE.format(other), RELEASE.format(other)))
        + f"  {RELEASE.format(one)}\n}}\n"
        for number, (one, other) in enumerate((("a", "b"), ("b", "a")))
    ]
    return Source("t.litmus", f"OPENCL t\n{{ [a]=0; [b]=0; }}\n{''.join(bodies)}{last}\n")


def test_a_deadlock_says_who_holds_what_and_waits_for_what() -> None:
    said = lines(two_locks("exists (a=0)").text)

    assert said == [
        "P0 waits forever at line 5: for b to change from 1, which P1 line 10 has written",
        "P1 waits forever at line 11: for a to change from 1, which P0 line 4 has written",
        "P1 would write b at line 13, but does not get past line 11",
        "P0 would write a at line 7, but does not get past line 5",
        "so they wait for each other: P0 for P1, and P1 for P0",
    ]


def test_what_blocks_is_told_first_and_the_outcome_when_asked_for() -> None:
    session, test = Session(), two_locks("exists (a=0)")

    (alone,) = session.explanations(test, Options())
    everything = session.explanations(test, Options(), everything=True)

    assert alone.kind is Kind.BLOCKED
    assert alone.sentences[0].text == "The outcome is allowed: --all explains that too."
    assert [one.kind for one in everything] == [Kind.BLOCKED, Kind.ALLOWED]
    assert session.explanations(test, Options(), state="a=0")[0].kind is Kind.ALLOWED


def test_a_barrier_that_somebody_does_not_come_to() -> None:
    said = lines(
        "OPENCL t\n{ [f]=0; }\nkernel k (global atomic_int* f) {\n  if (get_local_id(0) == 0) {\n"
        "    while (!atomic_load(f)) { }\n  }\n  barrier(CLK_GLOBAL_MEM_FENCE);\n"
        "  if (get_local_id(0) == 1) { atomic_store(f, 1); }\n}\nlaunch k global 2;\nexists (f=1)\n"
    )

    assert said[2:] == [
        "k[1] would write f at line 8, but does not get past line 7",
        "k[0] does not come to the barrier of line 7: it does not get past line 5",
        "so they wait for each other: k[0] for k[1], and k[1] for k[0]",
    ]


def test_a_write_on_a_path_that_is_not_taken() -> None:
    said = lines(
        "OPENCL t\n{ [f]=0; [y]=0; }\nP0@wg 0 (global atomic_int* f, global atomic_int* y) {\n"
        "  if (atomic_load(y)) { atomic_store(f, 1); }\n}\n"
        "P1@wg 1 (global atomic_int* f) { while (!atomic_load(f)) { } }\nexists (f=1)\n"
    )

    assert said == [
        "P1 waits forever at line 6: for f to change from 0",
        "f stays 0: nobody writes it any more",
        "P0 line 4 would write it, but is not executed",
    ]


def test_a_loop_that_reads_nothing() -> None:
    said = lines("OPENCL t\n{ [x]=0; }\nP0@wg 0 () { while (1) { } }\nexists (x=0)\n")

    assert said == ["P0 goes round forever at line 3, and reads no memory there"]
