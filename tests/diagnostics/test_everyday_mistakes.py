"""Mistakes that everybody makes: each is told at its place, with what was found and what was meant."""

from __future__ import annotations

import pytest

import mcm

LITMUS = """OPENCL t
{ }
P0@wg 0 (global int* x, global atomic_int* y) {
  *x = 1;
}
P1@wg 1 (global int* x, global atomic_int* y) {
  int r0 = *x;
  if (r0 == 1) { r0 = 2; }
}
locations [x;]
exists (1:r0=1)
"""
KERNEL = "kernel void k(global int *p) {\n  p[0] = 1;\n}\n"

# What is written instead of a part of the test, and the complaint: line, column, message.
IN_A_TEST = [
    ("{ }", '{ }\n"what it shows"', (3, 1, "found a string; a doc string stands before the initial state")),
    ("P1@wg 1", "P1 wg 1", (6, 4, "expected '@' or '(' after 'P1', found 'wg'")),
    ("P0@wg 0", "P0 host", (3, 4, "expected '@' or '(' after 'P0', found 'host'; did you mean 'P0@host'?")),
    ("P0@wg 0", "P0 wg 3", (3, 4, "did you mean 'P0@wg'?")),
    ("P1@wg 1", "P1@work_group 1", (6, 4, "did you mean 'wg'?")),
    ("P1@wg 1", "P1@wg 1, device 0", (6, 10, "did you mean 'dev'?")),
    ("P1@wg 1", "P1@wg1", (6, 4, "expected one of sg, wg, ki, dev, host; did you mean 'wg 1'?")),
    ("P1@wg 1", "P1@wg(1)", (6, 6, "expected a number after 'wg', found '('; did you mean 'wg 1'?")),
    ("P1@wg 1", "P1: wg 1", (6, 3, "expected '@' or '(' after 'P1', found ':'; did you mean 'P1@'?")),
    ("{ }", "{ x:0; }", (2, 4, "or '=', found ':'")),
    ("P1@wg 1", "void P1", (6, 6, "nothing calls function 'P1'; a thread is written without a type, 'P1 (…) {…}'")),
    ("*x = 1;", "x = 1;", (4, 7, "'1' has type 'int', expected 'global int*'; did you mean '*x'?")),
    ("*x = 1;", "int* p = 1;", (4, 12, "an integer becomes a pointer by a cast only")),
    ("*x = 1;", "*x = \N{MINUS SIGN}1;", (4, 8, "(U+2212, minus sign); did you mean '-'?")),
    ("*x = 1;", "*x\N{NO-BREAK SPACE}= 1;", (4, 5, "did you mean a blank?")),
    ("*x = 1;", "*x = 'a;", (4, 8, "a character constant that is not one character between '…' is not supported")),
    ("*x = 1;", "*x = get_global_size;", (4, 8, "it is a function, which is called as 'get_global_size(…)'")),
    ("if (r0 == 1)", "fi (*x == 1) { } if (x == 1)", (8, 16, "expected ';' after ')', found '{'")),
    ("if (r0 == 1)", "whlie (r0 == 1)", (8, 19, "'whlie' begins no statement with a body; did you mean 'while'?")),
    ("if (r0 == 1)", "if (x == 1)", (8, 7, "does not apply to 'global int*' and 'int'; did you mean '*x'?")),
    ("*x = 1;", "barrier(CLK_LOCAL_MEM_FENCE || 2);", (4, 11, "; did you mean 'CLK_LOCAL_MEM_FENCE | 2'?")),
    ("*x = 1;", "barrier();", (4, 3, "takes 1 argument, found 0; expected flags such as CLK_GLOBAL_MEM_FENCE")),
    ("*x = 1;", "atomic_add(x[0], 1);", (4, 14, "found 'x[0]' of type 'int'; did you mean '&x[0]'?")),
    ("*x = 1;", "atomic_fetch_add(y);", (4, 3, "takes 2 arguments, found 1; expected an address, a value")),
    (
        "*x = 1;",
        "atomic_store_explicit(y, 1, memory_order_release, memory_scope_system);",
        (4, 53, "found 'memory_scope_system'; did you mean 'memory_scope_all_svm_devices'?"),
    ),
    (
        "*x = 1;",
        "atomic_store_explicit(y, 1, memory_scope_device, 1);",
        (4, 31, "found 'memory_scope_device'; the scope stands behind the order"),
    ),
    (
        "*x = 1;",
        "int v = atomic_load_explicit(y, memory_order_relaxed, memory_order_acquire);",
        (4, 57, "found 'memory_order_acquire'; the order stands before the scope"),
    ),
    ("*x = 1;", "barrier(CLK_GLOBAL);", (4, 11, "did you mean 'CLK_GLOBAL_MEM_FENCE'?")),
    ("*x = 1;", "int4 v = vload4(x);", (4, 12, "'vload4' takes an offset and a pointer, found 1")),
    ("*x = 1;", "r0 = 1;", (4, 3, "unknown name 'r0'; a variable is declared with its type, 'int r0 = …'")),
    ("*x = 1;", "atomic_store(y, 1, memory_order_relaxed);", (4, 3, "found 3; did you mean 'atomic_store_explicit'?")),
    ("*x = 1;", "atomic_store_explicit(y, 1);", (4, 3, "found 2; did you mean 'atomic_store'?")),
    ("*x = 1;", "atomic_store(*y, 1);", (4, 16, "found '*y' of type 'int'; did you mean 'y'?")),
    (
        "{ }",
        "{ queue q = in_order dev 0; }\nP2@host () { event e = clEnqueueNativeKernel(q); }",
        (3, 24, "not yet supported: the function 'clEnqueueNativeKernel' (it exists in OpenCL)"),
    ),
    (
        "{ }",
        "{ queue q = in_order dev 0; }\nP2@host () { event e = clCreateUserEvent(q, 0); clFlush(q); }",
        (3, 24, "a user event is declared in the initial state, 'user_event u;'"),
    ),
    ("*x = 1;", "*x = work_group_broadcast(1);", (4, 8, "takes 2 to 4 arguments, found 1")),
    ("*x = 1;", "int& r = *x;", (4, 6, "a reference is C++, here it is a pointer, '*'")),
    ("*x = 1;", "int* r = new int;", (4, 12, "'new' is not part of the language: this is C++")),
    ("*x = 1;", "try { *x = 1; }", (4, 3, "'try' is not part of the language: this is C++")),
    ("*x = 1;", "struct s { int a };", (4, 19, "expected ';' after 'a', found '}'")),
    ("P0@", "struct s { int a; }\nP0@", (3, 20, "expected ';' after '}', found 'P0'")),
    ("P0@", "typedef struct { int a; } s\nP0@", (3, 28, "expected ';' after 's', found 'P0'")),
    ("P0@", "typedef int number\nP0@", (3, 19, "expected ';' after 'number', found 'P0'")),
    ("r0 == 1", "r0 = 1", (8, 7, "'r0 = 1' is a condition, and assigns; did you mean 'r0 == 1'?")),
    ("locations [x;]", "locations (x;)", (10, 11, "expected '[', found '('")),
    ("1:r0=1", "1:r0<>1", (11, 14, "did you mean '!='?")),
    ("1:r0=1", "1:r0=<1", (11, 14, "did you mean '<='?")),
    ("1:r0=1", "L:r0=1", (11, 10, "a work-item has a number, as in 'K[0]:r0'")),
    ("(1:r0=1)", "1:r0=1;", (11, 14, "expected a connective such as '/\\', found ';'; no ';' ends a condition")),
    ("locations [x;]\nexists", "~forall", (10, 1, "'~forall (…)' is written 'exists (~(…))'")),
    ("locations", "K global 4;\nlocations", (10, 1, "did you mean 'launch K …'?")),
    ("{ }", "{ queue q = inorder dev 0; }", (2, 13, "did you mean 'in_order'?")),
    (
        "{ }",
        "{ finesvm [x]=0; }",
        (2, 3, "expected a kind of memory before '[', found 'finesvm'; did you mean 'fine_svm'?"),
    ),
    ("{ }", "{ finesvm int x=0; }", (2, 3, "expected a type before 'int', found 'finesvm'; did you mean 'fine_svm'?")),
    ("OPENCL t\n", "OPENCL t\n“words”\n", (2, 1, "found '“words”'; did you mean quotes of the form \"…\"?")),
    ("OPENCL t\n", "OPENCL t\nOrigin: me\n", (2, 1, "found 'Origin: me'; did you mean 'Origin=me'?")),
    (
        "locations [x;]\nexists",
        "for all",
        (10, 1, "expected a thread, a kernel or the condition, found 'for'; did you mean 'forall'?"),
    ),
    ("locations [x;]\nexists", "assert", (10, 1, "did you mean 'forall'?")),
    (
        "{ }",
        "{ [X]=5; }",
        (2, 4, "no thread uses location 'X', and 'x' has no initial value, so that it is 0; did you mean 'x'?"),
    ),
    (
        "*x = 1;",
        "clFinish(q);",
        (4, 3, "OpenCL C has no 'clFinish'; that is for threads of the host, 'P0@host"),
    ),
    ("OPENCL t", "C11 t", (1, 1, "did you mean 'C'?")),
    ("*x = 1;", "int* p = &x;", (4, 12, "did you mean 'x'?")),
    ("P1@wg 1 (", "item (", (6, 1, "found 'item'; threads are named P0, P1, …")),
    ("P1@wg 1 (", "Expect.c11=Never\nP1@wg 1 (", (6, 1, "lines with a key stand before the initial state")),
    ("locations [x;]\nexists", "always", (10, 1, "did you mean 'forall'?")),
    ("1:r0=1", "1.r0=1", (11, 9, "'1.r0' is not a number; did you mean '1:r0'?")),
    ("1:r0=1", "P1.r0=1", (11, 9, "did you mean '1:r0'?")),
    ("1:r0=1", "1:r0=true", (11, 14, "did you mean the number 1?")),
]
IN_A_KERNEL_FILE = [
    ("kernel void", "kernel int", "k.cl:1:8", "a kernel returns nothing: expected 'void' before 'k', found 'int'"),
    ("kernel void", "kernal void", "k.cl:1:1", "expected a type, found 'kernal'; did you mean 'kernel'?"),
    ("}\n", "", "k.cl:3:1", "expected '}' before the end of the file"),
    ("kernel void", "typedef int number\nkernel void", "k.cl:1:19", "expected ';' after 'number', found 'kernel'"),
    ("kernel void k(global int *p) {", "int main() {", "k.cl:1:1", "this file defines no kernel"),
    ("kernel", "#if 1\nkernel", "k.cl:1:1", "unterminated #if 1"),
    (" {\n  p[0] = 1;\n}\n", "\n", "k.cl:1:1", "expected '{' of the body of 'kernel' before the end of the file"),
    ("= 1;\n}\n", "= f(1);\n}\nint f(int a)\n", "k.cl:5:1", "expected '{' of the body of a function, found its end"),
]
IN_OPTIONS = [
    (("p = {1, 2",), "p[0]=1", "--init:1:5", "this '{' is never closed"),
    (("p[2",), "p[0]=1", "--init:1:2", "this '[' is never closed"),
    (("p = (1}",), "p[0]=1", "--init:1:7", "'}' without '{' before it"),
    (
        (),
        "exists (p[0]=1)",
        "--exists:1:1",
        "expected a condition without quantifier, as in --exists 'x[0]=1', found 'exists'",
    ),
    ((), "p[0", "--exists:1:2", "this '[' is never closed"),
]


def told(error: mcm.InputError) -> list[tuple[str, str]]:
    return [(str(one.span), one.message) for one in error.diagnostics]


@pytest.mark.parametrize(("before", "after", "complaint"), IN_A_TEST, ids=[after for _, after, _ in IN_A_TEST])
def test_a_mistake_in_a_test_is_told(before: str, after: str, complaint: tuple[int, int, str]) -> None:
    assert before in LITMUS
    (result,) = mcm.check_all(LITMUS.replace(before, after, 1))
    line, column, words = complaint
    first = result.diagnostics[0]
    assert (first.span.line, first.span.column) == (line, column), first.message
    assert words in first.message


@pytest.mark.parametrize(("before", "after", "place", "words"), IN_A_KERNEL_FILE)
def test_a_mistake_in_a_kernel_file_is_told(before: str, after: str, place: str, words: str) -> None:
    request = mcm.KernelRequest(launches=("k global 1",))
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(mcm.KernelSource("k.cl", KERNEL.replace(before, after, 1), request))
    assert [(place, words)] == [(where, message[: len(words)]) for where, message in told(caught.value)]


@pytest.mark.parametrize(("initial", "question", "place", "words"), IN_OPTIONS)
def test_a_mistake_in_an_option_is_told_there(initial: tuple[str, ...], question: str, place: str, words: str) -> None:
    request = mcm.KernelRequest(launches=("k global 1",), initial=initial, questions=(f"exists {question}",))
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(mcm.KernelSource("k.cl", KERNEL, request))
    assert [(place, words)] == [(where, message[: len(words)]) for where, message in told(caught.value)]


@pytest.mark.parametrize("state", ["p[0]==", "p[0]=1 /\\ p[9]=1", "exists (p[0]=1)"])
def test_a_mistake_in_a_state_is_told_there(state: str) -> None:
    kernel = mcm.KernelSource("k.cl", KERNEL, mcm.KernelRequest(launches=("k global 1",)))
    for test in (kernel, "C t\n{ }\nP0 (int* p) { *p = 1; }\nexists (p=1)\n"):
        with pytest.raises(mcm.InputError) as caught:
            mcm.Session().explain(test, state=state)
        assert {one.span.source.name for one in caught.value.diagnostics} == {"--state"}


def test_other_conditions_that_assign_are_meant() -> None:
    for condition in ("(r0 = *x)", "r0 += 1", "r0 == 1"):
        assert not mcm.parse(LITMUS.replace("r0 == 1", condition)).diagnostics


def test_variables_may_be_declared_behind_a_structure() -> None:
    """What is not supported there is told as before."""
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(LITMUS.replace("*x = 1;", "struct s { int a; } v;"))
    assert "a structure ('struct') that is defined here is not supported" in str(caught.value)


def test_what_a_broken_initial_state_declares_is_not_missed() -> None:
    text = LITMUS.replace("{ }", "{ int n = 4 queue q = in_order dev 0; }").replace("P1@wg 1 (", "P1@wg 1 (int n, ")
    (result,) = mcm.check_all(text + "P2@host () { clFinish(q); }\n")
    assert [(one.code, one.span.line) for one in result.diagnostics] == [("E041", 2)]


def test_a_scope_is_no_flag() -> None:
    (result,) = mcm.check_all(LITMUS.replace("*x = 1;", "work_group_barrier(memory_scope_device);"))
    assert result.diagnostics[0].message == "expected memory fence flags, found 'memory_scope_device'"


def test_a_kernel_may_be_declared_before_it_is_defined() -> None:
    request = mcm.KernelRequest(launches=("k global 1",))
    declared = "kernel void k(global int *p);\n"
    assert not mcm.parse(mcm.KernelSource("k.cl", declared + KERNEL, request)).diagnostics
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(mcm.KernelSource("k.cl", declared, request))
    (complaint,) = caught.value.diagnostics
    assert [(str(one.span), one.message) for one in complaint.notes] == [
        ("k.cl:1:13", "it is declared here, and defined nowhere")
    ]


@pytest.mark.parametrize("word", ["Never", "Sometimes", "Always"])
def test_what_is_observed_of_no_condition_is_no_expectation(word: str) -> None:
    text = LITMUS.replace("exists (1:r0=1)\n", "").replace("OPENCL t", f"OPENCL t\nExpect.opencl-3.0={word} race")
    (result,) = mcm.check_all(text)
    (complaint,) = [one for one in result.diagnostics if one.is_error]
    assert complaint.code == "E142"
    assert complaint.message.startswith(f"'{word}' says how often the condition holds, and the test has none")
    (result,) = mcm.check_all(text.replace(f"{word} ", ""))
    assert result.as_expected


def test_a_condition_that_cannot_be_read_is_not_missed() -> None:
    text = LITMUS.replace("OPENCL t", "OPENCL t\nExpect.opencl-3.0=Never").replace("1:r0=1", "1:r0=")
    (result,) = mcm.check_all(text)
    assert [one.code for one in result.diagnostics] == ["E040"]


def test_only_one_question_is_asked() -> None:
    request = mcm.KernelRequest(launches=("k global 1",), questions=("exists p[0]=1", "forall p[0]=1"))
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(mcm.KernelSource("k.cl", KERNEL, request))
    assert told(caught.value) == [("--forall:1:1", "one question is asked at a time, found another one")]


@pytest.mark.parametrize(
    ("request_of", "place", "words"),
    [
        ({"launches": ("k global 0",)}, "--launch:1:3", "a size of 1 to 4096 was expected, found 0"),
        ({"launches": ("k global 4 0",)}, "--launch:1:3", "a size of 1 to 4096 was expected, found 4 * 0"),
        ({"launches": ("k global 99999999",)}, "--launch:1:3", "a size of 1 to 4096 was expected, found 99999999"),
        (
            {"launches": ("launch k global 4",)},
            "--launch:1:1",
            "expected a kernel and its sizes, as in 'k global 4', found 'launch'",
        ),
        ({"expected": (" ",)}, "--require:1:1", "expected what has to be so, such as 'no-race', found nothing"),
        (
            {"expected": ("no-race", "")},
            "--require:1:1",
            "expected what has to be so, such as 'no-race', found nothing",
        ),
        (
            {"initial": ("",)},
            "--init:1:1",
            "expected what a buffer or a parameter begins with, such as 'x[4]' or 'n = 4', found nothing",
        ),
    ],
)
def test_an_option_that_says_nothing_is_told(request_of: dict[str, tuple[str, ...]], place: str, words: str) -> None:
    text = "kernel void k(global int *p) { p[get_global_id(0)] = 1; }\n"
    request = mcm.KernelRequest(**{"launches": ("k global 1",), **request_of})
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(mcm.KernelSource("k.cl", text, request))
    assert told(caught.value) == [(place, words)]


def test_a_word_of_what_is_required_is_told_where_it_stands() -> None:
    request = mcm.KernelRequest(launches=("k global 1",), expected=("no-race pleas",))
    (result,) = mcm.check_all(mcm.KernelSource("k.cl", KERNEL, request))
    (complaint,) = result.diagnostics
    assert str(complaint.span) == "--require:1:9"


def test_a_kernel_may_be_called_launch() -> None:
    text = "kernel void launch(global int *p) { p[0] = 1; }\n"
    request = mcm.KernelRequest(launches=("launch global 1",), expected=("no-race",))
    (result,) = mcm.check_all(mcm.KernelSource("k.cl", text, request))
    assert result.as_expected


def test_macros_that_are_used_wrongly_are_told_where_they_are_used() -> None:
    text = "#define F(a, b) a\nkernel void k(global int *p) { p[0] = F(1); }\n"
    request = mcm.KernelRequest(launches=("k global 1",))
    with pytest.raises(mcm.InputError) as caught:
        mcm.parse(mcm.KernelSource("k.cl", text, request))
    assert told(caught.value) == [("k.cl:2:39", "macro F requires 2 arguments but was passed 1")]


def test_a_name_that_is_no_macro_is_told_as_an_address() -> None:
    text = "kernel void k(global int *p) { p[get_global_id(0)] += 1; }\n"
    request = mcm.KernelRequest(launches=("k global 2",), initial=("int p[2] = {SIZ, 2}",))
    (complaint,) = mcm.parse(mcm.KernelSource("k.cl", text, request)).diagnostics
    assert (str(complaint.span), complaint.message) == (
        "--init:1:13",
        "the address of 'SIZ' is stored in a location of type 'int'; a number was expected, or a macro that is one",
    )


@pytest.mark.parametrize(
    ("text", "endings"),
    [
        ("// added up\n__kernel void add(__global int* x) { x[0] += 1; }\n", [".cl"]),
        ("#define N 4\nkernel void add(global int* x) { x[0] += N; }\n", [".cl", ".cpp"]),
        ("#include <sycl/sycl.hpp>\nint main() { }\n", [".cl", ".cpp"]),
        ("using namespace sycl;\nint main() { }\n", [".cpp"]),
        ("x86 SB\n{ }\n", []),
    ],
)
def test_a_file_of_another_kind_is_told_how_it_is_named(text: str, endings: list[str]) -> None:
    (result,) = mcm.check_all(text)
    (complaint,) = result.diagnostics
    assert complaint.code == "E010"
    notes = " ".join(note.message for note in complaint.notes)
    assert [ending for ending in (".cl", ".cpp") if f"ends in {ending}" in notes] == endings


def test_locations_that_are_like_others_on_purpose_are_not_told() -> None:
    for initial in ("{ [x]=1; [x1]=5; }", "{ [z]=7; }", "{ [x]=1; [X]=5; [y]=0; }"):
        assert not mcm.parse(LITMUS.replace("{ }", initial)).diagnostics


@pytest.mark.parametrize(
    ("head", "launched", "words"),
    [
        ("void k", "k", "there is no kernel 'k'; 'k' is a function, and a kernel begins with 'kernel'"),
        ("kernel void k", "sum", "there is no kernel 'sum'; the file has 'k'"),
        ("kernel void sum", "summ", "there is no kernel 'summ'; did you mean 'sum'?"),
    ],
)
def test_what_is_launched_and_no_kernel_is_told_with_what_there_is(head: str, launched: str, words: str) -> None:
    text = f"OPENCL t\n{{ x=0; }}\n{head} (global int* x) {{ *x = 1; }}\nlaunch {launched} global 1;\nexists (x=1)\n"
    (result,) = mcm.check_all(text)
    (complaint,) = [one for one in result.diagnostics if one.is_error]
    assert ((complaint.span.line, complaint.span.column), complaint.message) == ((4, 8), words)


def test_sizes_in_parentheses_are_told() -> None:
    text = "OPENCL t\n{ x=0; }\nkernel k (global int* x) { }\nlaunch k(4, 2);\nexists (x=1)\n"
    (result,) = mcm.check_all(text)
    assert result.diagnostics[0].message.endswith("found '('; did you mean 'global 4, local 2'?")


def test_a_comment_of_any_length_may_stand_before_a_mistake() -> None:
    """What is looked for at the beginnings of lines is not looked for again at each of their blanks."""
    (result,) = mcm.check_all(LITMUS.replace("*x = 1;", f"/*{'-' * 500_000}*/ *x = 1", 1))
    assert [(one.code, one.span.line) for one in result.diagnostics] == [("E041", 4)]
