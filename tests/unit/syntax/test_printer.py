"""The canonical text: layout, and where comments go."""

from __future__ import annotations

import pytest

from mcm.base.source import Source
from mcm.syntax.parse import parse
from mcm.syntax.printer import print_litmus


def formatted(text: str) -> str:
    printed = print_litmus(parse(Source("t", text)))
    assert print_litmus(parse(Source("printed", printed))) == printed
    return printed


def formatted_body(statements: str) -> list[str]:
    rows = formatted(f"C t\n{{}}\nP0 () {{\n{statements}\n}}\n").splitlines()
    assert rows[:4] == ["C t", "", "{}", ""]
    assert (rows[4], rows[-1]) == ("P0 () {", "}")
    return [row.removeprefix("  ") for row in rows[5:-1]]


def test_a_whole_file() -> None:
    text = (
        'OPENCL MP\n"doc"\nExpect.sc = Never\nCovers=SW-G-1\n{ [x] = 0 ;\nfine_svm_atomics [y]=0; int *p = &x;'
        "0:r1 = x; int a[2] = {0,1} }\n"
        "P0@wg 0,dev 0(global int * x,local int t[4]){*x=1;}\nkernel void K(){}\nlaunch K global 4 local 2;\n"
        "exists(1:r0=1/\\~(x=0))filter(x!=0)locations[x;0:r0]"
    )

    assert formatted(text).splitlines() == [
        "OPENCL MP",
        '"doc"',
        "Expect.sc=Never",
        "Covers=SW-G-1",
        "",
        "{",
        "  [x]=0;",
        "  fine_svm_atomics [y]=0;",
        "  int *p=&x;",
        "  0:r1=x;",
        "  int a[2]={0, 1};",
        "}",
        "",
        "P0@wg 0, dev 0 (global int* x, local int t[4]) {",
        "  *x = 1;",
        "}",
        "",
        "kernel K () {}",
        "",
        "launch K global 4, local 2;",
        "",
        "locations [x; 0:r0;]",
        "filter (x!=0)",
        "exists (1:r0=1 /\\ ~(x=0))",
    ]


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("x=1;y=2;", ["x = 1;", "y = 2;"]),
        ("if(a){x=1;}else{y=2;}", ["if (a) {", "  x = 1;", "} else {", "  y = 2;", "}"]),
        ("if(a)x=1;else y=2;", ["if (a)", "  x = 1;", "else", "  y = 2;"]),
        ("if(a){}else if(b){x=1;}else{}", ["if (a) {} else if (b) {", "  x = 1;", "} else {}"]),
        ("while(a);", ["while (a);"]),
        ("do{x++;}while(x<3);", ["do {", "  x++;", "} while (x < 3);"]),
        ("do x++;while(x<3);", ["do", "  x++;", "while (x < 3);"]),
        ("for(int i=0,j;;i++,j++){}", ["for (int i = 0, j;; i++, j++) {}"]),
        ("for(;i<3;){x=1;}", ["for (; i < 3;) {", "  x = 1;", "}"]),
        ("B1:barrier(0);", ["B1: barrier(0);"]),
        ("L: if(a){x=1;}", ["L: if (a) {", "  x = 1;", "}"]),
        ("{x=1;{}}", ["{", "  x = 1;", "  {}", "}"]),
        ("int*const p=&x,**q,a[2]={1,2};", ["int *const p = &x, **q, a[2] = {1, 2};"]),
        ("return  - -x;", ["return - -x;"]),
        ("x=((a)+(b))*(c);", ["x = (a + b) * c;"]),
        ("x=a-(b-c)-d;", ["x = a - (b - c) - d;"]),
        ("x=(a,b);f((a,b),c);", ["x = (a, b);", "f((a, b), c);"]),
        ("x=&*p+ +1;", ["x = &*p + +1;"]),
        ("x=(int*const*)p;", ["x = (int* const*) p;"]),
        ("x=(a=b)?c:d;", ["x = (a = b) ? c : d;"]),
    ],
)
def test_statements(written: str, printed: list[str]) -> None:
    assert formatted_body(written) == printed


def test_a_short_initial_state_stays_on_its_line() -> None:
    assert "{ [x]=0; [y]=0; }" in formatted("C t\n{ [x]=0; [y]=0 }\n").splitlines()
    assert "  [x]=0;" in formatted("C t\n{\n[x]=0; [y]=0 }\n").splitlines()


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("// before\nx = 1;", ["// before", "x = 1;"]),
        ("x = 1; // behind", ["x = 1; // behind"]),
        ("/* a */ x = 1; /* b */ y = 2;", ["/* a */", "x = 1; /* b */", "y = 2;"]),
        ("x = /* inside */ 1;", ["/* inside */", "x = 1;"]),
        ("x = f(a, // one\n b); // two", ["// one", "x = f(a, b); // two"]),
        ("if (a) { // head\n x = 1; }", ["if (a) { // head", "  x = 1;", "}"]),
        ("if (a) { x = 1;\n // last\n }", ["if (a) {", "  x = 1;", "  // last", "}"]),
        ("if (a) { x = 1; } // closing", ["if (a) {", "  x = 1;", "} // closing"]),
        ("x = 1;\n\n\n\ny = 2;", ["x = 1;", "", "y = 2;"]),
        ("x = 1;\n\n// about y\ny = 2;", ["x = 1;", "", "// about y", "y = 2;"]),
        ("x = 1; /* over\n lines */ y = 2;", ["x = 1; /* over", " lines */", "y = 2;"]),
        ("(* herd *) x = 1;", ["(* herd *)", "x = 1;"]),
    ],
)
def test_comments_stay_near_what_they_are_about(written: str, printed: list[str]) -> None:
    assert formatted_body(written) == printed


def test_comments_around_the_parts() -> None:
    text = (
        "(* licence *)\nC t // name\n\n// init\n{ (* first *)\n  [x]=0; // zero\n  // end\n}\n\n"
        "// thread\nP0 () { } // empty\n// ask\nexists (x=1) // asked\n// bye\n"
    )

    assert formatted(text).splitlines() == [
        "(* licence *)",
        "C t // name",
        "",
        "// init",
        "{ (* first *)",
        "  [x]=0; // zero",
        "  // end",
        "}",
        "",
        "// thread",
        "P0 () {} // empty",
        "",
        "// ask",
        "exists (x=1) // asked",
        "// bye",
    ]


def test_the_two_forms_of_an_atomic_type_are_one() -> None:
    rows = formatted("C t\n{ _Atomic(int) x=0; }\nP0 (const _Atomic( unsigned int ) *p) { int r = 1; }\n").splitlines()

    assert rows[2] == "{ _Atomic int x=0; }"
    assert rows[4] == "P0 (const _Atomic unsigned int* p) {"
