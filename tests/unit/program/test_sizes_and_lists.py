"""`sizeof`, lists of initial values, objects without a name, `printf`: what kernels are written with."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Source, check, format_test, parse, run

ENGINES = (EngineName.EXPLICIT, EngineName.SMT)

HEAD = """OPENCL t
{ x[4] = 0; }
struct pair { char c; int n; };
struct plain { char a; float4 v; int3 w; global int* p; short s[3]; };
int sum(struct pair p) { return p.c + p.n; }
int first(const int* p) { return p[0] * 10 + p[1]; }
void add(struct pair* p, int n) { p->n += n; }
"""


def kernel(body: str, condition: str) -> str:
    return f"{HEAD}kernel K (global int* x) {{\n{body}\n}}\nlaunch K global 1;\nforall ({condition})\n"


def assert_always(text: str) -> None:
    """Both engines and the machine say that the condition always holds, and that the program is defined."""
    for engine in ENGINES:
        found = check(Source("k.litmus", text), engine=engine)
        assert isinstance(found, Judged)
        assert (found.holds, found.undefined) == (True, ()), engine
    ran = run(Source("k.litmus", text), runs=2)
    assert (ran.positive, ran.problems) == (2, ())


def complaints(body: str) -> list[str]:
    with pytest.raises(InputError) as raised:
        parse(Source("k.litmus", kernel(body, "true")))
    return [f"{d.code}: {d.message}" for d in raised.value.diagnostics if d.is_error]


@pytest.mark.parametrize(
    ("operand", "size"),
    [
        ("(int)", 4),
        ("(unsigned short)", 2),
        ("(atomic_ulong)", 8),
        ("(half)", 2),
        ("(float3)", 16),
        ("(uchar16)", 16),
        ("(size_t)", 8),
        ("(global char*)", 8),
        ("(int[3][2])", 24),
        # A char, three bytes between, and an int.
        ("(struct pair)", 8),
        ("(struct pair[2])", 16),
        # At 0, 16, 32, 48 and 56, and padding up to 64.
        ("(struct plain)", 64),
        (" a", 12),
        (" a[0]", 4),
        (" m", 24),
        (" m[1]", 12),
        (" *m", 12),
        (" x", 8),
        (" *x", 4),
        ("(&x[1])", 8),
        ("(p.c)", 1),
        (" (&p)->n", 4),
        ("(p)", 8),
        (" v.xy", 8),
        (" v.s012", 16),
        (" c", 1),
        # Arithmetic is done with ints.
        ("(c + c)", 4),
        (" -c", 4),
        ("(c + 1L)", 8),
        ("(c ? 1 : 2.0f)", 4),
        ("(c == 2)", 4),
        ("(x == x)", 4),
        ("(c << 3L)", 4),
        ("(c, 2L)", 8),
        (" c++", 1),
        ("((float)c)", 4),
        (" sum(p)", 4),
        (" get_global_id(0)", 8),
        (" get_work_dim()", 4),
        ("(convert_long(c))", 8),
        ("((struct pair){ 1, 2 })", 8),
        ("(sizeof(char))", 8),
    ],
)
def test_sizes(operand: str, size: int) -> None:
    declared = "int a[] = {1, 2, 3}, m[2][3]; struct pair p = {0}; int4 v = (int4)(0); char c = 1;"
    text = kernel(f"{declared} int r = sizeof{operand}; int s = c;", f"K[0]:r={size} /\\ K[0]:s=1")
    found = check(Source("k.litmus", text))

    assert isinstance(found, Judged)
    # What is measured is not evaluated.
    assert found.holds


def test_sizes_are_of_an_unsigned_type_and_no_cast_follows_them() -> None:
    assert_always(kernel("int r = -1 < sizeof(int); long s = sizeof (int) - 1;", "K[0]:r=0 /\\ K[0]:s=3"))


def test_sizes_are_constants() -> None:
    body = """const int order[] = {3, 2, 1, 0};
  local char t[2 * sizeof(int)];
  t[sizeof(order) / sizeof(order[0]) + 3] = 9;
  switch (x[0] + 8) { case sizeof(struct pair): x[1] = t[7]; break; default: x[1] = 0; }
  for (uint i = 0; i < sizeof order / sizeof *order; i++) { x[2] += order[i]; }"""
    assert_always(kernel(body, "x[1]=9 /\\ x[2]=6"))


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("x[0] = sizeof(bool);", "E119: the size of 'bool' is not known: each implementation has its own"),
        ("x[0] = sizeof(struct other);", "E145: unknown type 'struct other'"),
        ("x[0] = sizeof(y);", "E101: unknown name 'y'"),
        ("struct pair p; x[0] = sizeof(p.d);", "E183: 'p' has no member 'd'"),
        (
            "x[0] = sizeof(popcount(1));",
            "E100: not yet supported: 'sizeof' of '(popcount(1))'; name its type, 'sizeof(int)'",
        ),
        ("int a[3 / (sizeof(int) - 4)];", "E131: the length of an array divides by 0: '3 / (sizeof(int) - 4)'"),
        ("int a[];", "E132: an array without a length has its values in a list, '{…}', which is counted; found none"),
        ("int a[2][] = {{1}};", "E132: only the first length of an array can be counted"),
        ("int a[][2] = {1, 2};", "E132: the rows of an array are counted where each is a list, '{{…}, {…}}'"),
        ("int a[2] = {[2] = 1};", "E131: 3 initial values for 2 elements"),
        ("int a[4] = {[2] = 1, [2] = 2};", "E131: '2': there is a value for this already"),
        ("int a[4] = {.c = 1};", "E131: '.c' is for a member, and this is no structure"),
        ("struct pair p = {.d = 1};", "E183: there is no member 'd'; the structure has 'c', 'n'"),
        ("struct pair p = {[1] = 1};", "E131: '[1]' is for an element, and this is no array"),
        ("int a = (int[]){1, 2}[0] + (int[1]){1, 2}[0];", "E131: 2 initial values for the 1 of '(int[1]){1, 2}'"),
        (
            "int* p = (int[1][1]){{1}}[0];",
            "E100: not yet supported: an array of several dimensions without a name; declare a variable",
        ),
        ("int* p = (local int[]){1, 2};", "E127: what 'local int' names here is private, and no atomic object"),
        ('int r = printf("a");', "E138: what 'printf' returns is open, as it may fail: nothing may depend on it"),
        ("printf(x);", "E104: 'printf' takes a format first, a string literal such as \"%d\\n\"; found x"),
        ('printf("%d %*d\\n", 1, 2);', "E104: the format of 'printf' asks for 3 values, found 2"),
        (
            'printf("%d %d", x[0]++, x[0]);',
            "E154: it is open in C which of these arguments is evaluated first, and it matters",
        ),
        ('x[0] = first("ab");', "E100: not yet supported: a string literal stands in 'printf' only, found \"ab\""),
        ("int r = (void)x[0];", "E138: '(void)x[0]' has no value"),
    ],
)
def test_what_is_refused(body: str, complaint: str) -> None:
    assert complaints(body)[0] == complaint


def test_lists_say_what_each_value_is_for() -> None:
    body = """int a[] = {[2] = 5, 6, [0] = 1}, b[5] = {[1] = 7};
  int m[][2] = {{1}, [2] = {3, [1] = 4}};
  struct pair p = {.n = 4, .c = 1}, q = {.n = 2};
  struct pair l[2] = {[1] = {.n = 9}};
  int r = a[0] * 1000 + a[1] * 100 + a[2] * 10 + a[3], s = b[1] + b[4];
  int t = sizeof a / sizeof *a * 10 + sizeof m / sizeof *m;
  int u = m[0][0] * 100 + m[1][1] * 10 + m[2][1], v = sum(p) * 10 + q.c, w = l[1].n + l[0].n;"""
    assert_always(kernel(body, "K[0]:r=1056 /\\ K[0]:s=7 /\\ K[0]:t=43 /\\ K[0]:u=104 /\\ K[0]:v=50 /\\ K[0]:w=9"))


def test_objects_without_a_name() -> None:
    body = """struct pair p = {3, 4};
  p = (struct pair){ p.n, p.c };
  int r = p.c * 10 + p.n;
  int s = sum((struct pair){ .n = 1 }) + first((int[]){4, 5}) + (int){7};
  int* q = &(int){5};
  *q += 1;
  int t = *q, u = 0;
  for (int i = 0; i < 3; i++) { int* o = (int[2]){i}; o[1] += 1; u += o[0] * 10 + o[1]; }
  add(&(struct pair){1, 2}, 3);
  x[1] = (int4){1, 2}.y;
  struct pair z = (struct pair){};
  int w = z.n;"""
    body = body.replace("x[1] = (int4){1, 2}.y;", "int4 v = (int4){1, 2}; x[1] = v.y * 10 + v.w;")
    assert_always(kernel(body, "K[0]:r=43 /\\ K[0]:s=53 /\\ K[0]:t=6 /\\ K[0]:u=33 /\\ K[0]:w=0 /\\ x[1]=20"))


def test_what_is_printed_is_read() -> None:
    text = """OPENCL t
{ x = 0; y = 0; }
P0@wg 0 (global int* x, global int* y) { printf("x = %d\\n", *x); *y = 1; }
P1@wg 1 (global int* x, global int* y) { *x = 1; }
exists (x=1)
"""
    for engine in ENGINES:
        found = check(Source("k.litmus", text), engine=engine)
        assert isinstance(found, Judged)
        (race,) = found.undefined
        assert [site.text for site in race.sites] == ["*x", "*x = 1"]
    assert {problem.kind for problem in run(Source("k.litmus", text), runs=50).problems} == {"data-race"}


def test_printing_changes_nothing() -> None:
    body = """int a = 0;
  printf("%s %v4d %%\\n", "a" "b", (int4)(1, 2, 3, 4)), a = 2;
  (void)printf("{ // %d", x[1]);
  for (int i = 0; i < 2; printf("%d", i), i++) { a += i; }"""
    assert_always(kernel(body, "K[0]:a=3"))


def test_all_of_it_has_a_layout() -> None:
    body = 'int a[] = {[2] = 5}, r = sizeof(int[2]) + sizeof a + (int[]){1, 2}[0]; printf("%d" "x", (int){1});'
    text = format_test(Source("k.litmus", kernel(body, "true")))

    assert "int a[] = {[2] = 5}, r = sizeof(int[2]) + sizeof(a) + (int[]){1, 2}[0];" in text
    assert 'printf("%d" "x", (int){1});' in text
    assert format_test(Source("k.litmus", text)) == text


def test_sizes_of_kernel_files() -> None:
    text = """typedef struct { int a; } __attribute__((packed)) P;
#define N (sizeof(int) * 2)
kernel void K(global int* out) { int t[N]; out[0] = sizeof(t) / sizeof(int); }
kernel void L(global int* out) { out[0] = sizeof(P); }
"""
    request = KernelRequest(launches=("K global 1",), questions=("forall (out[0]=8)",))
    found = check(KernelSource("k.cl", text, request=request))
    assert isinstance(found, Judged)
    assert found.holds
    with pytest.raises(InputError, match="which is packed or aligned"):
        parse(KernelSource("k.cl", text, request=KernelRequest(launches=("L global 1",))))


LAYOUTS = """#define PACKED_NOW __attribute__((packed))
#define PK PACKED_NOW
struct __attribute__((packed)) A { char c; int i; };
struct PK B { char c; int i; };
typedef struct { char c; int i; } __attribute__((__packed__)) C;
struct D { char c; int i PK; };
struct E { char c; struct { char d; int i; } __attribute__((packed)) in; };
__attribute__((aligned(16))) struct F { int i; };
struct PLAIN { char c; int i; };
typedef struct { struct PLAIN p; char c; } MORE;
kernel void K(global int* out, constant int* in __attribute__((aligned(16)))) {
  struct E e;
  out[0] = sizeof(TYPE);
}
"""


def test_a_structure_is_measured_beside_one_that_is_packed() -> None:
    for name, size in (("struct PLAIN", 8), ("MORE", 12)):
        request = KernelRequest(launches=("K global 1",), questions=(f"forall (out[0]={size})",))
        found = check(KernelSource("k.cl", LAYOUTS.replace("TYPE", name), request=request))
        assert isinstance(found, Judged)
        assert found.holds


@pytest.mark.parametrize(
    ("structure", "is_known"),
    [
        ("struct PACKED s { char c; int i; };", False),
        ("typedef struct { char c; int i; } PACKED t; typedef t s_;", False),
        ("typedef struct PACKED { char c; int i; } t;", False),
        ("#define PACKED\nstruct PACKED s { char c; int i; };", True),
        ("typedef struct tag { char c; int i; } t;", True),
        ("struct s { char c; int i; };", True),
    ],
)
def test_an_option_may_say_that_a_structure_is_packed(structure: str, *, is_known: bool) -> None:
    name = "t" if "typedef" in structure else "struct s"
    text = f"{structure}\nkernel void K(global int* out) {{ out[0] = sizeof({name}); }}"
    options = () if "#" in structure else ("PACKED=__attribute__((packed))",)
    source = KernelSource("k.cl", text, KernelRequest(("K global 1",), options, questions=("forall (out[0]=8)",)))
    if is_known:
        found = check(source)
        assert isinstance(found, Judged)
        assert found.holds
    else:
        with pytest.raises(InputError, match="which is packed or aligned"):
            parse(source)


@pytest.mark.parametrize("name", ["struct A", "struct B", "C", "struct D", "struct E", "e.in", "struct F"])
def test_a_structure_that_is_packed_is_not_measured(name: str) -> None:
    request = KernelRequest(launches=("K global 1",))
    with pytest.raises(InputError, match="which is packed or aligned"):
        parse(KernelSource("k.cl", LAYOUTS.replace("TYPE", name), request=request))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("a", 97),
        ("{", 123),
        ('"', 34),
        ("/", 47),
        ("\\'", 39),
        ("\\n", 10),
        ("\\0", 0),
        ("\\101", 65),
        ("\\xff", -1),
        ("\\\\", 92),
    ],
)
def test_characters(written: str, value: int) -> None:
    text = kernel(
        f"char c = '{written}'; int r = '{written}' + 0; switch (c) {{ case '{written}': x[1] = 1; }}", "true"
    )

    found = check(Source("k.litmus", text.replace("forall (true)", f"forall (K[0]:r={value} /\\ x[1]=1)")))

    assert isinstance(found, Judged)
    assert found.holds
    assert f"'{written}' + 0" in format_test(Source("k.litmus", text))


@pytest.mark.parametrize("written", ["'ab'", "''", "'\\q'", "'\\777'", "'é'"])
def test_what_is_no_character(written: str) -> None:
    with pytest.raises(InputError):
        parse(Source("k.litmus", kernel(f"int r = {written};", "true")))


def test_what_is_in_quotes_is_not_that_of_another_test() -> None:
    """Lines that stand in several tests are read once; where they differ in quotes, they are different lines."""
    for value, character in ((97, "a"), (98, "b")):
        found = check(Source("k.litmus", kernel(f"int r = '{character}';", f"K[0]:r={value}")))
        assert isinstance(found, Judged)
        assert found.holds
    for shown in ("%d", "abc"):
        text = kernel(f'printf("{shown}", x[0]);', "true").replace("%d", shown)
        assert f'printf("{shown}", x[0]);' in format_test(Source("k.litmus", text))
