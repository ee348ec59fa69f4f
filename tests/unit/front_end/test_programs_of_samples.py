"""What samples of SYCL have: variables of the host in kernels, kernels with names in loops, names for types."""

from __future__ import annotations

import pytest
from host_samples import holds, source

from mcm import InputError, Judged, check, run


@pytest.mark.parametrize(
    ("body", "question"),
    [
        # A kernel has the value that a variable has when the kernel is enqueued.
        ("int* x = malloc_shared<int>(1, q); int k = 1; k++; q.single_task([=] { *x = k; }).wait(); k = 5;", "x[0]=2"),
        (
            (
                "int* x = malloc_shared<int>(1, q); int k = 1; auto e = q.single_task([=] { *x = k; }); k = 5; "
                "e.wait(); "
                "k += *x; q.single_task([=] { *x = k; }).wait();"
            ),
            "x[0]=6",
        ),
        # Pointers that change places.
        (
            (
                "int *a = malloc_shared<int>(2, q), *b = malloc_shared<int>(2, q), *u = a, *v = b; a[0] = a[1] = 1; "
                "for (int t = 0; t < 3; t++) { q.parallel_for(2, [=](id<1> i) { v[i] = u[1 - i] + i; }).wait(); "
                "std::swap(u, v); } q.single_task([=] { v[0] = 10 * u[1]; }).wait();"
            ),
            "b[0]=2 /\\ b[1]=3 /\\ a[0]=30",
        ),
        # What a kernel declares has nothing to do with a variable of that name, which has no value.
        (
            (
                "int* x = malloc_shared<int>(2, q); int i, k; k = 3; q.parallel_for(range<1>(2), [=](id<1> i) "
                "{ int k = 4; x[i] = k; }).wait(); { int k = 7; k++; q.single_task([=] { x[1] += k; }).wait(); }"
            ),
            "x[0]=4 /\\ x[1]=12",
        ),
        (
            (
                "int* x = malloc_shared<int>(1, q); int level = 0; do { *x = 0; level++; q.single_task([=] "
                "{ if (level < 3) *x = 1; }).wait(); } while (*x); q.single_task([=] { *x = level; }).wait();"
            ),
            "x[0]=3",
        ),
        # A kernel with a name, several times.
        (
            (
                "int* x = malloc_shared<int>(1, q); *x = 0; for (int t = 1; t < 4; t++) "
                "q.single_task<class add>([=] { *x += t; }).wait();"
            ),
            "x[0]=6",
        ),
        (
            (
                "auto s = default_selector_v; auto t{sycl::gpu_selector_v}; queue r(s); "
                "int* x = malloc_shared<int>(1, q); *x = 1;"
            ),
            "x[0]=1",
        ),
        # Algorithms that move values.
        (
            (
                "std::vector<int> v{1, 2, 3}, w(3); std::copy(v.begin(), v.end(), w.begin()); "
                "int* x = malloc_shared<int>(2, q); std::copy_n(v.data(), 2, x); std::swap(x[0], x[1]);"
            ),
            "w[2]=3 /\\ x[0]=2 /\\ x[1]=1",
        ),
    ],
)
def test_host_programs(body: str, question: str) -> None:
    assert holds(body, question)


ATOMIC = "template <typename T> using ref = atomic_ref<T, memory_order::relaxed, memory_scope::device>;"


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        (
            ATOMIC,
            (
                "int* x = malloc_shared<int>(1, q); *x = 0; q.parallel_for(range<1>(2), [=](id<1> i) "
                "{ ref<int> a(*x); a += 2; ref<int>(*x).fetch_add(1); }).wait();"
            ),
            "x[0]=6",
        ),
        (
            "constexpr auto order = sycl::memory_order::relaxed;",
            (
                "constexpr memory_scope scope = memory_scope::device; int* x = malloc_shared<int>(1, q); *x = 0; "
                "q.parallel_for(range<1>(2), [=](id<1> i) { atomic_ref<int, order, scope>(*x).fetch_add(1); }).wait();"
            ),
            "x[0]=2",
        ),
        (
            "size_t n = 3; static int first{4};",
            "int* x = malloc_shared<int>(n, q); for (int i = 0; i < n; i++) x[i] = first;",
            "x[2]=4",
        ),
    ],
)
def test_names_of_files(before: str, body: str, question: str) -> None:
    assert holds(body, question, before)


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("size_t n = 3;", "if (q.is_in_order()) n = 4; int* x = malloc_shared<int>(n, q);"),
        ("size_t n = 3;", "for (int i = 0; i < 2; i++) n = i; int* x = malloc_shared<int>(n, q);"),
        ("size_t n = 3;", "std::cin >> n; int* x = malloc_shared<int>(n, q);"),
        ("size_t n = 3; void set(size_t& a) { a++; }", "set(n); int* x = malloc_shared<int>(n, q);"),
        ("", "int* x = malloc_shared<int>(1, q); q.single_task<class a>([=] { }); q.single_task<class a>([=] { });"),
    ],
)
def test_what_changes_is_no_constant(before: str, body: str) -> None:
    with pytest.raises(InputError):
        check(source(body, before=before))


def test_variables_may_have_the_name_of_a_type() -> None:
    body = (
        "int* x = malloc_shared<int>(1, q); *x = 0; int half = 4 / 2; q.single_task([=] { for (int half = 2; half > 0; "
        "half /= 2) *x += half; }).wait(); *x += half * (half) - (1 > half);"
    )
    assert holds(body, "x[0]=7")


def test_a_variable_without_a_value_is_not_passed() -> None:
    body = "int* x = malloc_shared<int>(1, q); int k; if (*x == 1) k = 2; q.single_task([=] { *x = k; }).wait();"
    asked = source(body.replace("int k;", "*x = 0; int k;"))
    for engine in ("explicit", "smt"):
        assert {one.kind for one in check(asked, engine=engine).undefined} == {"uninitialised-read"}
    assert {one.kind for one in run(asked, runs=1).problems} == {"uninitialised-read"}


def test_kernels_race_through_pointers_that_they_are_passed() -> None:
    body = (
        "int *a = malloc_shared<int>(1, q), *b = malloc_shared<int>(1, q); int *u = a, *v = b; *a = *b = 0; "
        "for (int t = 0; t < 2; t++) { q.single_task([=] { *v = *u + 1; }); std::swap(u, v); } q.wait();"
    )
    for engine in ("explicit", "smt"):
        assert {one.kind for one in check(source(body), engine=engine).races} == {"data-race"}
    in_order = body.replace("int *a", "queue r{property::queue::in_order()}; int *a").replace("q.", "r.")
    assert holds(in_order, "b[0]=1 /\\ a[0]=2")


LIST = (
    "int* x = malloc_shared<int>(3, q); x[2] = 0; {} q.submit([&](handler& h) {{ h.depends_on(all); h.single_task([=] "
    "{{ x[2] = x[0] + x[1]; }}); }}).wait();"
)
ADD = "all.push_back(e);"
FIRST, SECOND = "q.single_task([=] { x[0] = 1; })", "q.single_task([=] { x[1] = 1; })"


@pytest.mark.parametrize(
    ("events", "is_ordered"),
    [
        (f"auto a = {FIRST}; event b = {SECOND}; std::vector<event> all{{a, b}};", True),
        (f"auto a = {FIRST}; event b = {SECOND}; const std::vector<sycl::event> all = {{a}};", False),
        (f"std::vector<event> all; all.push_back({FIRST}); auto b = {SECOND}; all.emplace_back(b);", True),
        (f"std::vector<event> all; all.push_back({FIRST}); auto b = {SECOND};", False),
        # The list has the first event, which `a` no longer is.
        (f"event a = {FIRST}; std::vector<event> all{{a}}; a = {SECOND}; all.push_back(a);", True),
        (f"event a = {FIRST}; std::vector<event> all{{a}}; a = {SECOND};", False),
        ("std::vector<event> all; for (int i = 0; i < 2; i++) all.push_back(q.single_task([=] { x[i] = 1; }));", True),
        ("std::vector<event> all(2); for (int i = 0; i < 2; i++) all[i] = q.single_task([=] { x[i] = 1; });", True),
        (f"std::vector<event> all(2); all[0] = {FIRST}; all[1] = {SECOND}; all[0] = all[1];", False),
        (f"std::vector<event> all{{{FIRST}, {SECOND}}};", True),
        (f"std::vector<event> all; for (int i = 0; i < 2; i++) {{ auto e = {FIRST.replace('0', 'i')}; {ADD} }}", True),
        (f"std::vector<event> all; all.push_back({FIRST}); all.clear(); all.push_back({SECOND});", False),
        (f"std::vector<event> all; all.push_back({FIRST}); all.back().wait(); auto e = {SECOND};", False),
    ],
)
def test_lists_of_events(events: str, is_ordered: bool) -> None:
    body = LIST.format(events)
    if is_ordered:
        assert holds(body, "x[2]=2")
    else:
        assert {one.kind for one in check(source(body)).races} == {"data-race"}


@pytest.mark.parametrize(
    "waits",
    ["event::wait(all);", "for (auto& e : all) e.wait();", "for (int i = 0; i < 2; i++) all[i].wait();", "q.wait();"],
)
def test_the_host_waits_for_lists_of_events(waits: str) -> None:
    body = (
        "int* x = malloc_shared<int>(2, q); std::vector<sycl::event> all; all.reserve(2); for (int i = 0; i < 2; i++) "
        f"all.emplace_back(q.single_task([=] {{ x[i] = i + 1; }})); {waits} int r = x[0] + x[1];"
    )
    assert holds(body, "0:r=3")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"std::vector<event> all; if (x[0] == 0) all.push_back({FIRST});", "which events are in 'all' depends on"),
        (f"std::vector<event> all; while (x[0] == 0) {{ all.push_back({FIRST}); }}", "depends on a branch"),
        ("std::vector<event> all; all[0].wait();", "names one of 0 events, found 'all[0]'"),
        ("std::vector<event> all(x[0]);", "expected a constant number of events"),
        ("std::vector<event> all; all.push_back(x);", "expected an event, or a call that enqueues a command"),
    ],
)
def test_lists_that_are_not_plain_are_refused(body: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        check(source(f"int* x = malloc_shared<int>(2, q); x[0] = 0; {body}"))
    assert message in str(raised.value)


def test_events_of_one_name_are_those_of_several_commands() -> None:
    """Both readers are before the writer, though the second event has the name of the first."""
    body = (
        "std::vector<int> v{{1, 2}}; int* x = malloc_shared<int>(2, q); {{ buffer<int> b(v); {} "
        "q.submit([&](handler& h) "
        "{{ accessor a(b, h); h.single_task([=] {{ a[0] = 7; }}); }}); }} q.wait();"
    )
    read = "q.submit([&](handler& h) {{ accessor a(b, h, read_only); h.single_task([=] {{ x[{0}] = a[{0}]; }}); }});"
    loop = f"for (int i = 0; i < 2; i++) {{ event e = {read.format('i')} }}"
    assert holds(body.format(loop), "x[0]=1")
    assigned = f"event e = {read.format(0)} e = {read.format(1)}"
    assert holds(body.format(assigned), "x[0]=1")


def test_two_buffers_of_one_object_are_refused() -> None:
    two = "std::vector<int> v(1); {{ buffer<int> b(v); {} buffer<int> c(v.data(), range<1>(1)); }}"
    with pytest.raises(InputError, match="'v' has a buffer already"):
        check(source(two.format("")))
    assert isinstance(check(source(two.format("} {"))), Judged)
