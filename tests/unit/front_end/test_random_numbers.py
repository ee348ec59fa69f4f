"""Random numbers of the host: those of one run, and a warning that says so."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, refused, warnings

X = "int* x = malloc_shared<int>(4, q); for (int i = 0; i < 4; i++) x[i] = "


@pytest.mark.parametrize(
    "numbers",
    [
        "srand(time(NULL)); for (int i = 0; i < 4; i++) x[i] = rand() % 10;",
        "std::mt19937 g(42); std::uniform_int_distribution<int> d(0, 9); for (int i = 0; i < 4; i++) x[i] = d(g);",
        "std::random_device r; std::default_random_engine g{r()}; for (int i = 0; i < 4; i++) x[i] = g() % 10;",
        "std::mt19937 g; std::uniform_real_distribution<> d; for (int i = 0; i < 4; i++) x[i] = 9 + d(g);",
        "for (int i = 0; i < 4; i++) x[i] = 10 * (rand() / (RAND_MAX + 1.0));",
    ],
)
def test_numbers_of_one_run(numbers: str) -> None:
    memory = "int* x = malloc_shared<int>(4, q); bool in = true; "
    body = f"{memory} {numbers} for (int i = 0; i < 4; i++) in = in && x[i] < 10;"
    assert holds(body, "0:in=1")
    assert warnings(body) == ["W155"]


def test_numbers_are_not_all_the_same() -> None:
    assert holds(f"{X} rand(); bool same = x[0] == x[1] && x[1] == x[2];", "0:same=0")


def test_functions_with_random_numbers_are_of_the_host() -> None:
    before = "void init(int* p, int n) { for (int i = 0; i < n; i++) p[i] = rand() % 5 + 1; }"
    body = "int* x = malloc_shared<int>(2, q); init(x, 2); q.single_task([=] { x[0] = 9; }).wait();"
    assert holds(body, "x[0]=9", before)
    assert kinds(body.replace(".wait()", "") + "init(x, 1); q.wait();", before) == {"data-race"}


def test_a_kernel_has_no_random_numbers() -> None:
    assert "one that the host makes is" in refused(f"{X} 0; q.single_task([=] {{ x[0] = rand(); }}).wait();")
