"""Accessors with `no_init`: what the buffer held is given up (ADR 76)."""

from __future__ import annotations

import pytest

from mcm import Judged, KernelRequest, KernelSource, check, run

WRITES = "q.submit([&](handler& h) {{ accessor a(b, h, {}); h.parallel_for(range<1>({}), [=](id<1> i) {{ {} }}); }});"
ACCESS = (
    "q.submit([&](handler& h) {{ auto a = b.get_access<access::mode::{}>(h); h.parallel_for(range<1>({}), [=](id<1> i) "
    "{{ {} }}); }});"
)


def source(body: str, question: str = "") -> KernelSource:
    before = "#include <sycl/sycl.hpp>\nusing namespace sycl;\nstruct P { int x; int y; };\n"
    text = f"{before}int main() {{ queue q;\n{body}\n}}\n"
    return KernelSource("sample.cpp", text, KernelRequest((), (), (), (question,) if question else ()))


def kinds(body: str) -> set[str]:
    found = [check(source(body), engine=engine) for engine in ("explicit", "smt")]
    assert all(isinstance(one, Judged) for one in found)
    one, other = ({each.kind for each in (*judged.undefined, *judged.races)} for judged in found)  # type: ignore[union-attr]
    assert one == other
    assert {each.kind for each in run(source(body), runs=3, seed=1).problems} == one
    return one


def of_vector(commands: str, then: str = "") -> str:
    return f"std::vector<int> v(3, 5); {{ buffer<int> b(v); {commands} }} {then}"


@pytest.mark.parametrize(
    "body",
    [
        of_vector(WRITES.format("write_only, no_init", 3, "a[i] = a[i] + 1;")),
        of_vector(WRITES.format("read_write, property::no_init{}", 3, "a[i] += 1;")),
        of_vector(WRITES.format("write_only, property_list{no_init}", 2, "a[i] = 7;"), "int r = v[2];"),
        of_vector(ACCESS.format("discard_write", 2, "a[i] = 7;"), "int r = v[2];"),
        of_vector(ACCESS.format("discard_read_write", 3, "a[i] += 7;")),
        # The second kernel gives up what the first one wrote.
        of_vector(
            WRITES.format("no_init", 2, "a[i] = 7;") + WRITES.format("no_init", 1, "a[i + 2] = 7;"), "int r = v[0];"
        ),
        of_vector(WRITES.format("write_only", 3, "a[i] = 7;") + "host_accessor a(b, no_init); a[0] = 1; int r = a[1];"),
        # An accessor that a command group requires.
        of_vector(
            "accessor a{b, write_only, no_init}; q.submit([&](handler& h) { h.require(a); h.single_task([=] "
            "{ a[0] = 7; }); });",
            "int r = v[1];",
        ),
        # A buffer of its own memory that is used for the second time.
        "buffer<int> b(range<1>(2)); { host_accessor a(b); a[0] = a[1] = 1; } "
        + WRITES.format("read_write, no_init", 2, "a[i]++;"),
        of_vector(
            "q.submit([&](handler& h) { accessor a(b, h, no_init); h.parallel_for(range<1>(2), [=](id<1> i) { "
            "atomic_ref<int, memory_order::relaxed, memory_scope::device>(a[0]).fetch_add(1); }); });"
        ),
    ],
)
def test_what_was_given_up_is_not_there(body: str) -> None:
    assert kinds(body) == {"uninitialised-read"}


@pytest.mark.parametrize(
    ("body", "question"),
    [
        (of_vector(WRITES.format("write_only, no_init", 3, "a[i] = 7;")), "v[0]=7 /\\ v[2]=7"),
        (of_vector(WRITES.format("write_only", 2, "a[i] = 7;"), "int r = v[2];"), "v[0]=7 /\\ v[2]=5"),
        (of_vector(ACCESS.format("write", 2, "a[i] = 7;"), "int r = v[2];"), "v[0]=7 /\\ v[2]=5"),
        (of_vector(WRITES.format("write_only, no_init", 2, "a[i] = 7; a[i] += 1;")), "v[0]=8 /\\ v[1]=8"),
        # Another accessor of the same command needs what is there.
        (
            of_vector(
                "q.submit([&](handler& h) { accessor w(b, h, no_init); accessor r(b, h, read_only); "
                "h.parallel_for(range<1>(3), [=](id<1> i) { w[i] = r[i] + 1; }); });"
            ),
            "v[0]=6 /\\ v[2]=6",
        ),
        (
            "buffer<int> b(range<1>(2)); int s; { host_accessor a(b, write_only, no_init); a[0] = 1; a[1] = 2; } "
            + WRITES.format("read_write", 2, "a[i]++;")
            + "{ host_accessor a(b); s = a[0] + a[1]; } int* x = malloc_shared<int>(1, q); *x = s;",
            "x[0]=5",
        ),
    ],
)
def test_what_is_written_is_there(body: str, question: str) -> None:
    assert kinds(body) == set()
    found = check(source(body, f"forall ({question})"))
    assert isinstance(found, Judged)
    assert found.holds is True


def test_members_of_structures_are_given_up() -> None:
    before = "std::vector<P> v(2); {{ buffer<P> b(v); {} }} int r = v[0].{};"
    commands = WRITES.format("no_init", 2, "a[i].x = 7;")
    assert kinds(before.format(commands, "x")) == set()
    assert kinds(before.format(commands, "y")) == {"uninitialised-read"}


def test_who_gave_it_up_is_told() -> None:
    asked = source(of_vector(WRITES.format("write_only, no_init", 2, "a[i] = 7;"), "int r = v[2];"))
    result = check(asked)
    assert isinstance(result, Judged)
    (problem,) = result.undefined
    assert "no_init" in problem.why
    sentences = [one.text for story in result.explain().stories for one in story.sentences]
    assert any("discard of v" in one and "leaves v[2] without a value" in one for one in sentences)
    assert not any("makes that happen" in one for one in sentences)


@pytest.mark.parametrize(
    ("commands", "then", "is_told"),
    [
        (WRITES.format("write_only", 3, "a[i] = 7;") + "q.wait(); int r = v[0];", "", True),
        (WRITES.format("write_only", 3, "a[i] = 7;") + "q.wait(); { v[0] = 1; }", "", True),
        (WRITES.format("write_only", 3, "a[i] = 7;") + "q.wait(); int r = v.size();", "", False),
        (WRITES.format("write_only", 3, "a[i] = 7;"), "int r = v[0];", False),
        (WRITES.format("write_only", 3, "a[i] = 7;") + "host_accessor a(b); int r = a[0];", "", False),
        ("int r = v[0];" + WRITES.format("write_only", 3, "a[i] = 7;"), "", False),
    ],
)
def test_memory_belongs_to_a_buffer_until_its_end(commands: str, then: str, *, is_told: bool) -> None:
    found = check(source(of_vector(commands, then)))
    assert isinstance(found, Judged)
    assert any(one.code == "W153" for one in found.diagnostics) is is_told
