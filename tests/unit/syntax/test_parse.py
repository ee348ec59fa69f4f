"""Litmus text to tree: every construct of the language, in the shapes in which people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mcm.base.dialect import OPENCL, C, Dialect
from mcm.base.source import Source, Span
from mcm.syntax import ast, question
from mcm.syntax.parse import parse
from mcm.syntax.print_expressions import show_expression, show_proposition, show_term, show_type
from mcm.syntax.read import read_source

PEERS = Path(__file__).resolve().parents[4] / "shared" / "peers"


def tree_of(text: str) -> ast.Litmus:
    return parse(Source("t.litmus", text))


def body_of(statements: str) -> tuple[ast.Statement, ...]:
    (thread,) = tree_of(f"OPENCL t\n{{}}\nP0 () {{ {statements} }}\n").units
    assert isinstance(thread, ast.Thread)
    return thread.body.statements


def expression_of(text: str) -> ast.Expression:
    (statement,) = body_of(f"r = {text};")
    assert isinstance(statement, ast.ExpressionStatement)
    assert isinstance(statement.expression, ast.Assignment)
    return statement.expression.value


def explicit(expression: ast.Expression) -> str:
    """The expression with all its parentheses."""
    match expression:
        case ast.Infix(operator, left, right):
            return f"({explicit(left)}{operator}{explicit(right)})"
        case ast.Prefix(operator, operand):
            return f"({operator}{explicit(operand)})"
        case ast.Postfix(operator, operand):
            return f"({explicit(operand)}{operator})"
        case ast.Conditional(condition, then, otherwise):
            return f"({explicit(condition)}?{explicit(then)}:{explicit(otherwise)})"
        case ast.Index(base, index):
            return f"{explicit(base)}[{explicit(index)}]"
        case ast.Cast(type_name, operand):
            return f"(<{show_type(type_name)}>{explicit(operand)})"
        case _:
            return show_expression(expression)


def initial_of(text: str) -> tuple[ast.InitialItem, ...]:
    return tree_of(f"OPENCL t\n{{ {text} }}\n").initial


def proposition_of(text: str) -> question.Proposition:
    condition = tree_of(f"OPENCL t\n{{}}\nexists ({text})").condition
    assert condition is not None
    return condition.proposition


# --- the header ------------------------------------------------------------------------------------------------------


def test_name_runs_to_the_end_of_the_line() -> None:
    tree = tree_of("OPENCL SB_xaG_yaG_rel[wg]-LFsc-rel_rel-GFrel[dev]-acq[wg]_0||1 + x.y \n{}")

    assert tree.dialect is OPENCL
    assert tree.name == "SB_xaG_yaG_rel[wg]-LFsc-rel_rel-GFrel[dev]-acq[wg]_0||1 + x.y"


@pytest.mark.parametrize(("word", "dialect"), [("OPENCL", OPENCL), ("OpenCL", OPENCL), ("C", C)])
def test_dialects(word: str, dialect: Dialect) -> None:
    tree = tree_of(f"{word} t\n{{}}")
    assert tree.word == word
    assert tree.dialect is dialect


def test_doc_strings_and_keys_in_any_order() -> None:
    tree = tree_of(
        '(* before *)\nOPENCL t // behind the name\n"one"\nExpect.opencl-3.0=Never no-race\n"two // three"\n'
        "Origin = https://example.org/a//b  // a comment\nEmpty=\n{}"
    )

    assert tree.name == "t"
    assert tree.documentation == ("one", "two // three")
    assert [(key.key, key.value) for key in tree.keys] == [
        ("Expect.opencl-3.0", "Never no-race"),
        ("Origin", "https://example.org/a//b"),
        ("Empty", ""),
    ]
    assert [comment.text for comment in tree.comments] == ["(* before *)", "// behind the name", "// a comment"]


def test_all_on_one_line_after_the_header() -> None:
    tree = tree_of("C t\n{[x]=0;}P0(atomic_int*x){*x=1;}P1(int *x){int r0=*x;}exists(1:r0=1)")

    assert [unit.span.text for unit in tree.units] == ["P0(atomic_int*x){*x=1;}", "P1(int *x){int r0=*x;}"]
    assert tree.condition is not None


# --- comments --------------------------------------------------------------------------------------------------------


def test_comments_may_stand_anywhere() -> None:
    tree = tree_of(
        "(* a (* nested *) one *) OPENCL t\n{ [x] (*1*) = /*2*/ 0; // 3\n}\n"
        "P0 (*4*) @wg /*5*/ 0 (global /*6*/ int* x) /*7*/ { *x /*8*/ = 1; (* 9 *) } // 10\n"
        "exists /*11*/ (x=1 (*12*) /\\ true) // 13"
    )

    assert len(tree.comments) == 14
    assert tree.comments[0].text == "(* a (* nested *) one *)"
    assert tree.comments[-1].text == "// 13"


@pytest.mark.parametrize(
    "statement",
    [
        "if (*y == 1) { r = 1; }",
        "if (*y == 1) { r = 1; } (* a comment *)",
        "f(*p, (int *) q);",
        "f(*p, (const volatile int *) q); (* a comment *)",
        "(*p)++; (*q) = (int *) r;",
        "while (*x) { int r1 = *x; } // see *)",
        "f((*p), (*q));",
    ],
)
def test_a_parenthesis_and_a_star_begin_an_expression(statement: str) -> None:
    (thread,) = tree_of(f"OPENCL t\n{{}}\nP0 () {{ {statement}\n }}\n").units

    assert "Prefix(operator='*'" in repr(thread)


@pytest.mark.parametrize(
    "comment",
    [
        "(* plain *)",
        "(*tight*)",
        "(* (nested) parentheses *)",
        "(* a) first b) second *)",
        "(* :-( sad words *)",
        "(**)",
    ],
)
def test_a_parenthesis_and_a_star_begin_a_comment_in_a_body(comment: str) -> None:
    tree = tree_of(f"OPENCL t\n{{}}\nP0 () {{ x = 1; {comment} y = 2; }}\n")

    assert [found.text for found in tree.comments] == [comment]


# --- initial state ---------------------------------------------------------------------------------------------------


def test_initial_values() -> None:
    items = initial_of(
        "[x]=0; y = -1; int z=0x10; int *p = &x; int a[2]={0,1}; fine_svm_atomics [f]=0; local t[4]; 0:r1=x; P1:r2=&y"
    )

    assert len(items) == 9
    x, y, z, p, a, f, t, r1, r2 = items
    assert isinstance(x, ast.InitialValue)
    assert (x.name.text, x.bracketed) == ("x", True)
    assert isinstance(y, ast.InitialValue)
    assert (y.name.text, y.bracketed, y.type) == ("y", False, None)
    assert isinstance(z, ast.InitialValue)
    assert z.type is not None
    assert z.type.base == "int"
    assert isinstance(p, ast.InitialValue)
    assert p.pointers == 1
    assert isinstance(p.value, ast.Prefix)
    assert isinstance(a, ast.InitialValue)
    assert isinstance(a.value, ast.InitializerList)
    assert len(a.value.items) == 2
    assert isinstance(f, ast.InitialValue)
    assert f.allocation == "fine_svm_atomics"
    assert isinstance(t, ast.InitialValue)
    assert t.type is not None
    assert (t.type.qualifiers, t.type.base) == (("local",), "")
    assert isinstance(r1, ast.InitialRegister)
    assert r1.thread == 0
    assert isinstance(r2, ast.InitialRegister)
    assert r2.thread == 1


@pytest.mark.parametrize("text", ["", ";", "[x]=0", "[x]=0;", "[x]=0;;", "  \n [x]\n=\n0 \n"])
def test_semicolons_of_the_initial_state_are_lenient(text: str) -> None:
    assert len(initial_of(text)) == ("x" in text)


def test_several_names_in_one_declaration_are_several_items() -> None:
    items = initial_of("int x=1, *p=&x;")

    assert [item.span.text for item in items] == ["int x=1", "*p=&x"]
    assert all(isinstance(item, ast.InitialValue) and item.type is not None for item in items)


def test_host_objects() -> None:
    queue, other, event = initial_of("queue q = in_order dev 0; queue r = out_of_order; user_event u;")

    assert isinstance(queue, ast.QueueObject)
    assert (queue.order, queue.device) == ("in_order", 0)
    assert isinstance(other, ast.QueueObject)
    assert (other.order, other.device) == ("out_of_order", 0)
    assert isinstance(event, ast.UserEventObject)


def test_the_words_of_the_initial_state_are_names_too() -> None:
    names = [item.name.text for item in initial_of("queue=1; [buffer]=2; user_event=3; int dev=4;")]

    assert names == ["queue", "buffer", "user_event", "dev"]


# --- units -----------------------------------------------------------------------------------------------------------


def test_placements() -> None:
    tree = tree_of("OPENCL t\n{}\nP0@sg 1, wg 2, ki 3, dev 4 () {}\nP1@host () {}\nP2 () {}\nP3@dev 1 wg 0 () {}")

    shown = []
    for unit in tree.units:
        assert isinstance(unit, ast.Thread)
        shown.append([(part.key, part.value) for part in unit.placement])
    assert shown == [
        [("sg", 1), ("wg", 2), ("ki", 3), ("dev", 4)],
        [("host", None)],
        [],
        [("dev", 1), ("wg", 0)],
    ]


@pytest.mark.parametrize(
    ("written", "qualifiers", "base", "stars"),
    [
        ("global atomic_int* x", ("global",), "atomic_int", ((),)),
        ("__global int *x", ("__global",), "int", ((),)),
        ("volatile global int* restrict x", ("volatile", "global"), "int", (("restrict",),)),
        ("int volatile * x", ("volatile",), "int", ((),)),
        ("unsigned int* x", ("unsigned",), "int", ((),)),
        ("unsigned* x", (), "unsigned", ((),)),
        ("global int* global* x", ("global",), "int", (("global",), ())),
        ("size_t x", (), "size_t", ()),
        ("uchar* x", (), "uchar", ((),)),
    ],
)
def test_parameters(written: str, qualifiers: tuple[str, ...], base: str, stars: tuple[tuple[str, ...], ...]) -> None:
    (thread,) = tree_of(f"OPENCL t\n{{}}\nP0 ({written}) {{}}").units

    assert isinstance(thread, ast.Thread)
    (parameter,) = thread.parameters
    assert (parameter.type.qualifiers, parameter.type.base, parameter.type.pointers) == (qualifiers, base, stars)
    assert parameter.name.text == "x"
    assert parameter.span.text == written


def test_kernels_callbacks_and_launches() -> None:
    tree = tree_of(
        "OPENCL t\n{}\nkernel K (global atomic_int* x, local int t[4]) { t[get_local_id(0)] = 1; }\n"
        "__kernel void L () {}\ncallback CB (global int* x) { int r = *x; }\n"
        "launch K global 4, local 2, sub 2, dev 0;\nlaunch L global 1;\nexists (K[1]:r0=1)"
    )

    kernel, other, callback, launch, _ = tree.units
    assert isinstance(kernel, ast.Kernel)
    assert kernel.parameters[1].length is not None
    assert isinstance(other, ast.Kernel)
    assert other.name.text == "L"
    assert isinstance(callback, ast.Callback)
    assert isinstance(launch, ast.Launch)
    assert [(part.key, part.values) for part in launch.parts] == [
        ("global", (4,)),
        ("local", (2,)),
        ("sub", (2,)),
        ("dev", (0,)),
    ]


def test_host_commands() -> None:
    statements = body_of(
        "event e = clEnqueueNDRangeKernel(q, K, 4, 2); event f = clEnqueueNDRangeKernel(q, L, 1, 1, wait(e, u));"
        "clSetUserEventStatus(u, CL_COMPLETE); int r = clEnqueueReadBuffer(q, x, CL_TRUE);"
        "enqueue_kernel(CLK_ENQUEUE_FLAGS_NO_WAIT | WAIT_KERNEL, C, 4, 2, wait(e));"
    )

    assert len(statements) == 5


# --- statements ------------------------------------------------------------------------------------------------------


def test_else_belongs_to_the_nearest_if() -> None:
    (outer,) = body_of("if (a) if (b) x = 1; else x = 2;")

    assert isinstance(outer, ast.If)
    assert outer.otherwise is None
    assert isinstance(outer.then, ast.If)
    assert outer.then.otherwise is not None


def test_every_statement() -> None:
    statements = body_of(
        "int r0 = 1, *p = &r0, a[2] = {1, 2,}; r0 = 1; ; { } if (r0) { } else { } while (r0) {}"
        "do r0--; while (r0 > 0); for (int i = 0; i < 3; i++) r0 += i; for (;;) break; for (i = 0; ; ) continue;"
        "return; return r0; B1: barrier(0);"
    )

    assert [type(statement).__name__ for statement in statements] == [
        *("Declaration", "ExpressionStatement", "Empty", "Block", "If", "While", "DoWhile"),
        *("For", "For", "For", "Return", "Return", "Labelled"),
    ]


def test_spans_are_the_characters_that_were_written() -> None:
    statements = body_of("int r0 = 1; /* c */ if (a) { x = 1; } else y = 2;")

    assert [statement.span.text for statement in statements] == [
        "int r0 = 1;",
        "if (a) { x = 1; } else y = 2;",
    ]


# --- expressions -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a + b * c - d", "((a+(b*c))-d)"),
        ("a << 1 + b < c == d & e ^ f | g && h || i", "((((((((a<<(1+b))<c)==d)&e)^f)|g)&&h)||i)"),
        ("-a - -b", "((-a)-(-b))"),
        ("!a == ~b", "((!a)==(~b))"),
        ("*p++", "(*(p++))"),
        ("(*p)++", "((*p)++)"),
        ("&a[1]", "(&a[1])"),
        ("*p * *q", "((*p)*(*q))"),
        ("a ? b : c ? d : e", "(a?b:(c?d:e))"),
        ("a && b ? c, d : e", "((a&&b)?(c,d):e)"),
        ("(int) a + b", "((<int>a)+b)"),
        ("(global int*) p", "(<global int*>p)"),
        ("(a) + b", "(a+b)"),
        ("a---b", "((a--)-b)"),
        ("a <= b >= c != d", "(((a<=b)>=c)!=d)"),
        ("a >> b >> c", "((a>>b)>>c)"),
        ("x[1][2]", "x[1][2]"),
    ],
)
def test_precedence(written: str, meant: str) -> None:
    assert explicit(expression_of(written)) == meant


@pytest.mark.parametrize("operator", ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
def test_assignments_group_to_the_right(operator: str) -> None:
    (statement,) = body_of(f"a {operator} b {operator} c;")

    assert isinstance(statement, ast.ExpressionStatement)
    outer = statement.expression
    assert isinstance(outer, ast.Assignment)
    assert outer.operator == operator
    assert isinstance(outer.value, ast.Assignment)


@pytest.mark.parametrize(
    "number", ["0", "42", "017", "0x1Ful", "0b101", "7u", "7UL", "7ll", "1.5", ".5f", "1.", "1e10", "2.5e-3f", "0x1p-3"]
)
def test_numbers_are_kept_as_written(number: str) -> None:
    literal = expression_of(number)

    assert isinstance(literal, ast.NumberLiteral)
    assert literal.text == number


# --- conditions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quantifier", ["exists", "~exists", "forall", "~ exists"])
def test_quantifiers(quantifier: str) -> None:
    condition = tree_of(f"C t\n{{}}\n{quantifier} (x=1)").condition

    assert condition is not None
    assert condition.quantifier == quantifier.replace(" ", "")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("1:r0=1 /\\ P1:r0=1", "1:r0=1 /\\ 1:r0=1"),
        ("x=1 \\/ y=1 /\\ z=1", "x=1 \\/ y=1 /\\ z=1"),
        ("(x=1 \\/ y=1) /\\ z=1", "(x=1 \\/ y=1) /\\ z=1"),
        ("x=1 => y=1 => z=1", "x=1 => y=1 => z=1"),
        ("(x=1 => y=1) => z=1", "(x=1 => y=1) => z=1"),
        ("x==1 && y!=2 || z<3", "x==1 /\\ y!=2 \\/ z<3"),
        ("not x=1 /\\ ~(y>=1)", "~(x=1) /\\ ~(y>=1)"),
        ("~(x=1 /\\ true) \\/ false", "~(x=1 /\\ true) \\/ false"),
        ("not not true", "~~true"),
        ("x<=0x10", "x<=16"),
        ("x=-1", "x=-1"),
        ("0:r0=x /\\ 0:p=&x /\\ 0:q=&a[1]", "0:r0=x /\\ 0:p=&x /\\ 0:q=&a[1]"),
        ("0:r0=1:r0", "0:r0=1:r0"),
        ("K[1]:r0=1 /\\ K[2]:a[3]=1", "K[1]:r0=1 /\\ K[2]:a[3]=1"),
        ("[x]=1 /\\ [a[1]]=2 /\\ a[1]=2", "[x]=1 /\\ [a[1]]=2 /\\ a[1]=2"),
        ("t@wg0=1 /\\ t@wg1[2]=1", "t@wg0=1 /\\ t@wg1[2]=1"),
        ("1:a[2]=1", "1:a[2]=1"),
    ],
)
def test_propositions(written: str, shown: str) -> None:
    assert show_proposition(proposition_of(written)) == shown


def test_locations_and_filter_in_any_order() -> None:
    tree = tree_of("C t\n{}\nexists (x=1)\nfilter (1:r0=1 /\\ x=1)\nlocations [x; 0:r0; [y]; a[1]]")

    assert [show_term(term) for term in tree.locations] == ["x", "0:r0", "[y]", "a[1]"]
    assert tree.filter is not None
    assert show_proposition(tree.filter) == "1:r0=1 /\\ x=1"
    assert tree.condition is not None


def test_a_condition_needs_no_parentheses() -> None:
    tree = tree_of("C t\n{}\nexists x=1 /\\ y=2")

    assert tree.condition is not None
    assert show_proposition(tree.condition.proposition) == "x=1 /\\ y=2"


# --- the old form ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrapped", [False, True])
def test_scope_tree_and_regions(*, wrapped: bool) -> None:
    scopes = "(device (work_group P0 (sub_group P1)) (work_group P2))"
    scopes = f"({scopes})" if wrapped else scopes
    tree = tree_of(
        f"OpenCL t\n{{ [x]=0; }}\nP0 () {{}}\nP1 () {{}}\nP2 () {{}}\n"
        f"scopeTree {scopes}\nx:global, y:local\nexists (x=1)"
    )

    (device,) = tree.scope_tree
    first, second = device.children
    assert (first.kind, first.threads, first.children[0].kind) == ("work_group", (0,), "sub_group")
    assert second.threads == (2,)
    assert [(entry.name.text, entry.region) for entry in tree.regions] == [("x", "global"), ("y", "local")]


# --- the whole -------------------------------------------------------------------------------------------------------


def test_every_node_has_a_span_inside_the_source() -> None:
    text = "OPENCL t\n{ [x]=0; }\nP0@wg 0 (global int* x) { int r0 = *x + 1; }\nexists (0:r0=1)"
    tree = tree_of(text)

    def spans(node: object) -> list[Span]:
        if isinstance(node, ast.Node):
            inner = [span for name in node.__struct_fields__ if name != "span" for span in spans(getattr(node, name))]
            return [node.span, *inner]
        return [span for item in node for span in spans(item)] if isinstance(node, tuple) else []

    found = spans(tree)
    assert len(found) > 15
    assert all(0 <= span.start < span.end <= len(text) for span in found)


def test_every_peer_file_parses() -> None:
    if not PEERS.is_dir():
        pytest.skip(f"the peer tests are not here: {PEERS} is missing")
    files = sorted(PEERS.rglob("*.litmus"))

    assert len(files) == 143
    for path in files:
        tree = parse(read_source(path))
        assert tree.units
        assert tree.condition is not None


def test_a_region_line_may_stand_before_a_thread_on_one_line() -> None:
    tree = tree_of("OPENCL t\n{}\nx:global P0 (int* x) {}\n")
    assert [entry.region for entry in tree.regions] == ["global"]
    assert len(tree.units) == 1


def test_parts_stand_in_any_order_behind_the_initial_state() -> None:
    tree = tree_of("OPENCL t\n{}\nexists (x=1) x:global launch K global 1; locations [x] kernel K () {} filter (x=1)")
    assert [type(unit) for unit in tree.units] == [ast.Launch, ast.Kernel]
    assert tree.condition is not None
    assert tree.filter is not None
    assert len(tree.locations) == len(tree.regions) == 1
