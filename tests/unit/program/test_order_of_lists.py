"""In C the values of a list come in any order: where that matters the program is refused (E154); C++ has an order."""

import pytest

from mcm import InputError, check

PRIVATE = "int i = 1;"
LISTS = [
    ("{ [x]=0; }", "global atomic_int* x", "int v[2] = {atomic_fetch_add(x, 1), atomic_fetch_add(x, 1)};"),
    ("{ [x]=0; [y]=0; }", "global atomic_int* x, global atomic_int* y", "int v[2] = {atomic_load(y), atomic_load(x)};"),
    ("{ [x]=0; }", "global atomic_int* x", "int* v = (int[]){atomic_load(x), atomic_fetch_add(x, 1)};"),
    ("{ [x]=0; int y = 0; }", "global atomic_int* x, global int* y", "int v[2] = {atomic_load(x), *y};"),
    ("{ }", "", f"{PRIVATE} int v[2] = {{i++, i}};"),
    ("{ }", "", f"{PRIVATE} struct pair v = {{i++, i}};"),
    ("{ }", "", f"{PRIVATE} struct pair v = {{i, i = 2}};"),
    ("{ }", "", f"{PRIVATE} int2 v = (int2)(i++, i);"),
]
NOT_OPEN = [
    ("{ int a[2] = {1, 2}; }", "global int* a", "int v[2] = {a[0], a[1]};"),
    ("{ [x]=0; }", "global atomic_int* x", "int v[2] = {atomic_load(x), 3};"),
    ("{ }", "", f"{PRIVATE} int j = 2; int v[2] = {{i++, j++}};"),
    ("{ }", "", f"{PRIVATE} int j = 2; struct pair v = {{i, j}};"),
    ("{ int y = 0; }", "global int* y", "int v[3] = {work_group_reduce_add(1), work_group_all(1), *y};"),
]


def text_of(initial: str, parameters: str, statement: str) -> str:
    return (
        f"OPENCL T\n{initial}\nstruct pair {{ int a; int b; }};\nP0 ({parameters}) {{ {statement} }}\nexists (true)\n"
    )


@pytest.mark.parametrize(("initial", "parameters", "statement"), LISTS)
def test_an_open_order_that_matters_is_refused(initial: str, parameters: str, statement: str) -> None:
    with pytest.raises(InputError) as raised:
        check(text_of(initial, parameters, statement))
    assert [diagnostic.code for diagnostic in raised.value.diagnostics] == ["E154"]


@pytest.mark.parametrize(("initial", "parameters", "statement"), NOT_OPEN)
def test_one_that_does_not_matter_is_not(initial: str, parameters: str, statement: str) -> None:
    assert check(text_of(initial, parameters, statement)).verdict.value == "allowed"


def test_braces_of_cpp_have_an_order() -> None:
    body = "int i = 1; int v[2] = {i++, i}; int r0 = v[0] * 10 + v[1];"
    text = f"SYCL T\n{{ }}\nq.single_task([=]() {{ {body} }});\nforall (0:r0=12)\n"
    assert check(text).verdict.value == "required"
