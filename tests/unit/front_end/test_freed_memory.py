"""Memory that is given back while a command uses it, and memory that is used after that (ADR 83)."""

from __future__ import annotations

import pytest
from host_samples import holds, kinds, source

from mcm import check, run

X = "int* x = malloc_shared<int>(2, q); x[0] = x[1] = 0; "
WRITE = "q.single_task([=] { x[0] = 1; })"


@pytest.mark.parametrize(
    "body",
    [
        f"{WRITE}; free(x, q); q.wait();",
        f"{WRITE}.wait(); free(x, q); int r = x[0];",
        f"free(x, q); {WRITE}.wait();",
        "free(x, q); sycl::free(x, q.get_context());",
        f"auto e = {WRITE}; auto f = q.single_task([=] {{ x[1] = 1; }}); e.wait(); free(x, q); f.wait();",
        f"if (x[0] == 1) q.wait(); {WRITE}; if (x[1] == 1) q.wait(); free(x, q); q.wait();",
        "int* y = malloc_device<int>(2, q); q.memcpy(x, y, 8); free(y, q); q.wait();",
        "queue p; auto e = p.single_task([=] { x[0] = 1; }); q.wait(); free(x, q); e.wait();",
        f"for (int i = 0; i < 2; i++) {{ {WRITE}; q.wait(); free(x, q); }}",
    ],
)
def test_what_is_used_when_it_is_given_back(body: str) -> None:
    assert "data-race" in kinds(X + body)
    assert run(source(X + body), runs=5, seed=1).problems


@pytest.mark.parametrize(
    "body",
    [
        f"{WRITE}.wait(); free(x, q);",
        f"{WRITE}; q.wait(); free(x, q); int* y = malloc_shared<int>(1, q); q.single_task([=] {{ *y = 1; }});",
        f"auto e = {WRITE}; auto f = q.single_task(e, [=] {{ x[1] = 2; }}); f.wait(); free(x, q);",
        (
            "queue p{property::queue::in_order()}; p.single_task([=] { x[0] = 1; }); "
            "p.single_task([=] { x[1] = 2; }).wait(); free(x, p);"
        ),
        (
            "int h = 0; { buffer<int> b(&h, 1); q.submit([&](handler& g) { accessor a(b, g); "
            "g.single_task([=] { x[0] = 1; a[0] = 1; }); }); } free(x, q);"
        ),
        f"while (x[0] == 0) {{ {WRITE}.wait(); }} free(x, q);",
        f"for (int i = 0; i < 2; i++) {{ {WRITE}; q.wait(); }} free(x, q);",
    ],
)
def test_what_nobody_uses_any_more_keeps_its_values(body: str) -> None:
    assert holds(X + body, "x[0]=1")


def test_a_wait_that_the_text_does_not_show_counts_as_well() -> None:
    """What is looked at by the models then loses its value."""
    body = f"{X} auto e = {WRITE}; if (x[1] == 0) e.wait(); free(x, q);"
    assert kinds(body) == set()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"{WRITE};\nfree(x, q); q.wait();", "free at line 7 waits for nothing, and K0 (line 6) may go on"),
        (
            f"free(x, q);\n{WRITE};",
            "K0 (line 7) uses what is given back at line 6: no command comes after a free",
        ),
        (
            "free(x, q);\nint r = x[0];",
            "P0 accesses at line 7 what is given back at line 6: nothing comes after a free",
        ),
    ],
)
def test_why_it_is_a_race_is_told(body: str, text: str) -> None:
    explanation = check(source(f"{X}\n{body}")).explain()
    assert text in [one.text for story in explanation.stories for one in story.sentences]
