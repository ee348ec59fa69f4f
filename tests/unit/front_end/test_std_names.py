"""Names of the standard library without `std::`, iterators of vectors, older members of groups."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds

STD = "using namespace std;"
VECTOR = "std::vector<int> v{3, 1, 2}; "


@pytest.mark.parametrize(
    ("before", "body", "question"),
    [
        (
            STD,
            "vector<int> v{3, 1, 2}; sort(v.begin(), v.end()); v[0] = accumulate(v.begin(), v.end(), 0);",
            "v[0]=6 /\\ v[2]=3",
        ),
        (
            STD,
            (
                "int* a = malloc_shared<int>(1, q); int* b = malloc_shared<int>(1, q); *a = 1; *b = 2; swap(a, b); "
                "cout << fixed << setprecision(3) << *a << hex << endl; *a = 5;"
            ),
            "b[0]=5 /\\ a[0]=1",
        ),
        (f"{STD} int swap(int a) {{ return a + 1; }}", f"{VECTOR} v[0] = swap(4);", "v[0]=5"),
        (
            STD,
            f"{VECTOR} pair<int, int> p = make_pair(4, 5); v[0] = p.first + numeric_limits<short>::max();",
            "v[0]=32771",
        ),
        ("", f"{VECTOR} for (auto i = v.begin(); i != v.end(); ++i) *i += 1;", "v[0]=4 /\\ v[2]=3"),
        (
            "",
            (
                f"{VECTOR} int s = v.end() - v.begin(); "
                "for (std::vector<int>::const_iterator i = v.cbegin(); i < v.cend(); i++) s += *i; v[0] = s;"
            ),
            "v[0]=9",
        ),
    ],
)
def test_on_the_host(before: str, body: str, question: str) -> None:
    assert holds(body, question, before)


def test_what_is_shown_is_read() -> None:
    """A variable that is called as a manipulator is a variable."""
    body = "int* left = malloc_shared<int>(1, q); q.single_task([=] { *left = 1; }); int hex = left[0]; cout << hex;"

    assert "data-race" in kinds(body, STD)
    shown = "int* x = malloc_shared<int>(1, q); int& fixed = x[0]; q.single_task([=] { *x = 1; }); cout << fixed;"
    assert "data-race" in kinds(shown, STD)


@pytest.mark.parametrize(
    ("kernel", "question"),
    [
        ("x[i] = g.shuffle_xor(i, 1);", "x[0]=1 /\\ x[3]=2"),
        ("int v = g.shuffle_down(i, 1); x[i] = i < 3 ? v : 9;", "x[0]=1 /\\ x[3]=9"),
        ("int v = it.get_sub_group().shuffle_up(g.shuffle(i, 3 - i), 1); x[i] = i > 0 ? v : 9;", "x[0]=9 /\\ x[3]=1"),
        ("x[i] = i; g.barrier(); int v = x[3 - i]; g.barrier(); x[i] = v;", "x[0]=3 /\\ x[3]=0"),
        ("x[i] = it.get_nd_range().get_local_range(0) + it.get_nd_range().get_global_range()[0];", "x[0]=8"),
        ("int a[]{1, 2, 3}; x[i] = a[2] + sizeof(a);", "x[0]=15"),
    ],
)
def test_older_members(kernel: str, question: str) -> None:
    body = (
        "int* x = malloc_shared<int>(4, q); q.parallel_for(nd_range<1>(4, 4), [=](nd_item<1> it) "
        f"{{ auto g = it.get_sub_group(); int i = it.get_local_id(0); {kernel} }}).wait();"
    )

    assert holds(body, question)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("i == id<2>(1, 0)", "x[0]=0 /\\ x[2]=1"),
        ("i != id<2>(1, 0) && i[0] == 1", "x[2]=0 /\\ x[3]=1"),
        ("it.get_id() == i && !(i == id<2>{0, 1})", "x[0]=1 /\\ x[1]=0"),
    ],
)
def test_ids_are_compared(test: str, expected: str) -> None:
    body = (
        "int* x = malloc_shared<int>(4, q); q.parallel_for(range<2>(2, 2), [=](item<2> it) "
        f"{{ auto i = it.get_id(); x[it.get_linear_id()] = {test}; }}).wait();"
    )

    assert holds(body, expected)
