"""The syntax of SYCL tests: what recovery does with a right file, what printing does, what is told of mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Struct

from mcm.base.diagnostic import InputError
from mcm.base.source import Source, Span
from mcm.front_end.read import format_test, read_test
from mcm.lalr.make_tables import lark_parser
from mcm.sycl.language import SYCL_LANGUAGE
from mcm.sycl.printer import print_sycl
from mcm.syntax.lexical import lex
from mcm.syntax.parse import parse
from mcm.syntax.read import read_source
from mcm.syntax.recover_file import recover_file

FILES: Final = sorted((Path(__file__).resolve().parents[3] / "litmus" / "sycl").rglob("*.litmus"))


def told(value: Any) -> Any:
    if isinstance(value, Span):
        return value.start, value.end
    if isinstance(value, Struct):
        return type(value).__name__, *(told(getattr(value, name)) for name in value.__struct_fields__)
    return tuple(map(told, value)) if isinstance(value, list | tuple) else value


def test_a_whole_file_and_its_parts_make_the_same_tree() -> None:
    assert len(FILES) > 10
    for path in FILES:
        source = read_source(path)
        by_parts, problems = recover_file(lex(source), SYCL_LANGUAGE)
        assert (told(by_parts), problems) == (told(parse(source, SYCL_LANGUAGE)), []), path


def test_printing_changes_no_tree_and_no_meaning() -> None:
    for path in FILES:
        tree = parse(read_source(path), SYCL_LANGUAGE)
        printed = print_sycl(tree)
        again = parse(Source(str(path), printed), SYCL_LANGUAGE)
        assert again == tree
        assert print_sycl(again) == printed
        if any(key.value == "Never invalid" for key in tree.keys):
            continue
        assert [thread.body for thread in read_test(Source("a", printed)).program.threads] == [
            thread.body for thread in read_test(read_source(path)).program.threads
        ]


@pytest.mark.parametrize("name", ["sycl", "sycl_parts"])
def test_no_word_is_also_another_where_both_can_stand(name: str) -> None:
    parser: Any = lark_parser(name)
    start = "litmus" if name == "sycl" else "block"
    lexer = parser.parse_interactive("", start=start).lexer_thread.lexer

    by_state = [list(words.scanner.terminals) for words in lexer.lexers.values()]
    assert by_state == [words.terminals for words in lexer.lexers.values()]


def test_namespaces_may_stand_before_every_name_and_are_kept() -> None:
    text = """SYCL t
{ int x = 0; }
q.submit([&](sycl::handler& h) {
  h.parallel_for<class add>(sycl::nd_range<1>{{4}, {2}}, [=](const sycl::nd_item<1>& it) {
    auto a = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(x[0]);
    a.fetch_add(static_cast<int>(it.get_local_id()[0]) + (it.get_global_id(0) < 2 ? 1 : 0));
    sycl::group_barrier(it.get_group(), ::sycl::memory_scope_device);
  });
});
exists (add[0]:r=0 /\\ x=4)
"""
    formatted = format_test(Source("t", text))

    assert "sycl::nd_range<1>{{4}, {2}}, [=](const sycl::nd_item<1>& it) {" in formatted
    assert "x[0]).fetch" not in formatted
    assert format_test(Source("t", formatted)) == formatted
    with pytest.raises(InputError, match="has no register"):
        read_test(Source("t", text))
    assert read_test(Source("t", text.replace("add[0]:r=0 /\\ ", ""))).program.threads[3].name == "add[3]"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("int r = x[0;", "expected ']' before"),
        ("namespace t { int r; }", "this is C++, but not part of the litmus language; the type itself"),
        ("std::vector<int> v;", "a container: this is C++, but not part of the litmus language; an array"),
        ("int&& r = x[0];", "a reference: this is C++, but"),
        ("throw 1;", "an exception: this is C++, but"),
        ("printf(1);", "output: this is C++, but"),
        ("auto f = [=](auto a) { return a; }; int r = f();", "'f' takes 1 argument, found 0"),
        ("int k = 1; auto f = [&](auto a) { return a + k; }; { float k = 2; int r = f(1); }", "means something else"),
        ("int v = 1; auto f = [](int a) { return a + v; };", "'v' is not captured: write '[=]' or '[&]'"),
        ("int v[2] = {}; auto f = [=] { return v[0]; };", "'v' is an array, captured by value"),
        ("auto f = [=](int a) { return a; }; int r = f();", "'f' takes 1 argument, found 0"),
        ("auto f = [&](int& a) { a = 1; }; f(3);", "'3' is no object that a reference could refer to"),
        ("int v = 1; auto f = [=] { v = 2; }; f();", "'v' is declared const and cannot be written"),
        (
            "auto f = [v = 1](int a) { return a; };",
            "'v = 1' among what a lambda captures is not part",
        ),
        ("struct s { int a; };", "a class or another type of your own here: this is C++, but"),
        ("vec<int, 4> v(1, 2);", "2 values for the 4 components of a vector"),
        ("vec<int, 2> v(1); int r = v[2];", "a vector of 2 has the components 0 to 1, found '2'"),
        ("vec<int, 2> v(1); int r = v.dot();", "'v.dot()' of a vector of 2 is not part of the litmus language"),
        ("auto [i, j] = x;", "what 'x' consists of is not evident here"),
        ("if (int r = x[0]; r > 0) { r = 1; }", "a declaration in a condition: this is C++, but"),
        ("if (not x) return;", "an operator in letters: this is C++, but"),
        ("sycl::marray<int, 4> v{1, 2, 3, 4};", "a vector such as this: this is C++, but"),
        ("int r = int{5};", "a value in braces: this is C++, but not part of the litmus language; 'int(1)' is"),
        ("[[unroll]] for (int i = 0; i < 2; i++) { *x = i; }", "an attribute here: this is C++, but"),
        ("static_assert(sizeof(int) == 4);", "'static_assert': this is C++, but"),
        ("decltype(x) r = 1;", "a type that is computed: this is C++, but"),
        ("std::swap(x[0], x[1]);", "'std::swap': this is C++, but"),
        ("std::vector<sycl::event> v{e};", "a list of events: this is C++, but"),
        ("std::atomic_ref v(*x);", "an atomic_ref without the arguments of its template: this is C++, but"),
        (
            "atomic_ref<int*, memory_order::relaxed, memory_scope::device> a(*x);",
            "has type 'int', but the atomic_ref is of type 'int*'",
        ),
        ("it.mem_fence();", "'mem_fence': this is SYCL, but"),
        ("queue r;", "a queue stands in a host program"),
        ("int r0 = 1", "expected ';' after '1'"),
        ("atomic_ref<int a(*x);", "expected"),
        ("foo(1);", "unknown function 'foo'"),
        ("int r = it.get_globl_id(0);", "did you mean 'get_global_id'?"),
        ("atomic_ref<int, memory_order::relaxed, memory_scope::device> a(x);", "has type 'int*', but the atomic_ref"),
        ("group_barrier(it.get_group(), memory_scope::sub_group);", "narrower than the group"),
        ("int r = y;", "unknown name 'y'"),
        ("std::atomic_ref<int> a(*x);", "is for host code"),
        ("int r = it.get_global_id(1);", "there is no dimension 1"),
        ("auto g = it.get_group(); int r = g;", "'g' is an object, expected a value"),
    ],
)
def test_what_is_told_of_mistakes(body: str, message: str) -> None:
    text = (
        f"SYCL t\n{{ int x = 0; }}\nq.parallel_for(nd_range<1>(2, 2), [=](nd_item<1> it) {{\n{body}\n}});\nexists (x=1)"
    )

    with pytest.raises(InputError) as raised:
        read_test(Source("t", text))

    messages = [f"{one.span.line}: {one.message}" for one in raised.value.diagnostics]
    assert len(messages) == 1
    assert message in messages[0]
    assert messages[0].startswith(("4: ", "5: "))
