"""Pointers to structures in memory: each is the address of the head of its structure (ADR 124)."""

from __future__ import annotations

import pytest

from mcm import EngineName, InputError, Judged, KernelRequest, KernelSource, Source, Verdict, check, run

LIST = "typedef struct node { int v; global struct node* next; } node_t;\n"
# Each leaves the number in `o`.
BODIES = {
    "a walk": (
        132,
        """p[0].next = &p[2]; p[2].next = p + 1; p[1].next = 0;
        for (int i = 0; i < 3; i++) p[i].v = i + 1;
        for (global node_t* n = p; n; n = n->next) *o = *o * 10 + n->v;""",
    ),
    "of an address in memory": (
        21,
        """*h = NULL;
        for (int i = 0; i < 3; i++) { global node_t* n = p + i; n->v = i; n->next = *h; *h = n; }
        *o = (*h)->v * 10 + (*h)->next->v;""",
    ),
    "by functions": (4, "link(p, &p[1]); link(other(p), p); other(p)->v = 4; *o = other(other(other(p)))->v;"),
    "of arithmetic": (
        11121,
        """link(p, p + 2); global node_t* n = p; n++; n += 1;
        *o = (n == p->next) + (n - p) * 10 + (n > p) * 100 + (*(p->next - 2)).v;
        n = p[0].next; n[-1].v = 1000; *o += p[1].v; (*n).v++; *o += p[2].v * 10000;""",
    ),
    "in arrays": (7, "global node_t* t[2] = {p, &p[1]}; link(t[0], t[1]); t[0]->next->v = 7; *o = t[1]->v;"),
    "as a condition": (
        1012,
        """link(p, 0); *o = (p->next ? 1 : 2) + !p->next * 10 + (p && p->next) * 100;
        global node_t* n = *o ? p : NULL; if (n != NULL) *o += 1000;""",
    ),
    "as an integer": (
        6,
        """atomic_store(a, (uintptr_t)&p[1]); ((global node_t*)atomic_load(a))->v = 5;
        *o = p[1].v + (*a == (ulong)(p + 1));""",
    ),
    "of other members": (
        509,
        """global wide_t* w = p + 1;
        p[0].next = w; w->v = 1; w->t[1] = 2; p->next->in.b = 3; p->next->q.y = 4.0f; p->next->q.s3 = 5;
        w->t[0] = p[1].t[1] + w->in.b; *o = p[1].t[0] * 100 + (int)(p[1].q.y + w->q.w);""",
    ),
    "of whole structures": (
        121,
        """wide_t s; s.v = 1; s.next = p + 2; s.t[0] = 2; s.t[1] = 3; s.in.a = 4; s.in.b = 5; s.q = (float4)(6);
        global wide_t* w = &p[1]; *w = s; p[2] = *w; w->next->next = w;
        wide_t* u = p[2].next; wide_t r = *u; p[0] = p[2];
        *o = r.v + r.t[0] + r.t[1] + r.in.a + r.in.b + (int)r.q.z + (p[0].next == w) * 100;""",
    ),
}
FUNCTIONS = """
void link(global node_t* n, global node_t* to) { n->next = to; }
global node_t* other(global node_t* n) { return n->next; }
"""
WIDE = """
typedef struct { int a; int b; } pair_t;
typedef struct wide { float4 q; pair_t in; int v; struct wide* next; int t[2]; } wide_t;
"""


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize("name", BODIES)
def test_what_is_reached_by_links(name: str, engine: EngineName) -> None:
    result, body = BODIES[name]
    is_wide = "wide_t" in body
    types, element = (WIDE, "wide_t") if is_wide else (f"{LIST}{FUNCTIONS}", "node_t")
    parameters = f"global {element}* p, global {element}* global* h, global atomic_uintptr_t* a, global int* o"
    source = KernelSource(
        "list.cl",
        f"{types}kernel void K({parameters}) {{ {body} }}",
        KernelRequest(("K global 1",), initial=(f"{element} p[3]",), questions=(f"forall o={result}",)),
    )

    found = check(source, engine=engine)

    assert isinstance(found, Judged), found
    assert (found.verdict, found.undefined) == (Verdict.REQUIRED, ())
    assert run(source, runs=3).positive == 3


BY_ADDRESS = """
kernel void K(global node_t* p, global node_t* global* h, global int* o) {
  for (int i = 0; i < 3; i++) {
    global node_t* global* at = h;
    p[i].v = i * 2 % 3;
    while (*at && (*at)->v < p[i].v) at = &(*at)->next;
    p[i].next = *at;
    *at = &p[i];
  }
  for (global node_t* n = *h; n; n = n->next) *o = *o * 10 + n->v;
}
"""


def test_a_list_is_kept_in_order_by_the_addresses_of_its_links() -> None:
    request = KernelRequest(("K global 1",), initial=("node_t p[3]",), questions=("forall o=12 /\\ p.next[1]=0",))
    assert check(KernelSource("sorted.cl", LIST + BY_ADDRESS, request)).verdict is Verdict.REQUIRED


STACK = (
    LIST
    + """
void push(global node_t* n, global atomic_uintptr_t* top) {
  uintptr_t old = atomic_load_explicit(top, memory_order_relaxed, memory_scope_device);
  do n->next = (global node_t*)old;
  while (!atomic_compare_exchange_strong_explicit(top, &old, (uintptr_t)n, RELEASE, memory_order_relaxed,
                                                  memory_scope_device));
}
global node_t* pop(global atomic_uintptr_t* top) {
  uintptr_t old = atomic_load_explicit(top, memory_order_acquire, memory_scope_device);
  while (old && !atomic_compare_exchange_strong_explicit(top, &old, (uintptr_t)((global node_t*)old)->next,
                                                         memory_order_acquire, memory_order_acquire,
                                                         memory_scope_device));
  return (global node_t*)old;
}
kernel void K(global node_t* p, global atomic_uintptr_t* top, global int* o) {
  if (get_global_id(0) == 0) { p->v = 5; push(p, top); }
  else { global node_t* n = pop(top); *o = n ? n->v : -1; }
}
"""
)


@pytest.mark.parametrize("engine", [EngineName.EXPLICIT, EngineName.SMT])
@pytest.mark.parametrize(("order", "kinds"), [("memory_order_release", set()), ("memory_order_relaxed", {"data-race"})])
def test_a_stack_hands_its_nodes_over(order: str, kinds: set[str], engine: EngineName) -> None:
    request = KernelRequest(("K global 2, local 1",), questions=("forall o=5 /\\ top=0 \\/ o=-1 /\\ top=&p[0]",))
    source = KernelSource("stack.cl", STACK.replace("RELEASE", order), request)

    found = check(source, engine=engine)

    assert {one.kind for one in found.undefined} == kinds
    assert found.verdict is (Verdict.UNDEFINED if kinds else Verdict.REQUIRED)


NULL = LIST + "kernel void K(global node_t* p, global int* o) { p[0].next = &p[1]; *o = p->next->next->v; }"
RACE = (
    LIST
    + """kernel void K(global node_t* p, global int* o) {
  if (get_global_id(0) == 0) { p[1].v = 7; p[0].next = &p[1]; }
  else if (p[0].next) *o = p[0].next->v;
}"""
)
LOCAL = """
typedef struct node { int v; local struct node* next; } node_t;
kernel void K(global int* o) {
  local node_t t[3];
  int i = get_local_id(0), n = get_local_size(0);
  t[i].v = i + 1;
  t[i].next = i + 1 < n ? &t[i + 1] : (local node_t*)0;
  barrier(FLAG);
  int s = 0;
  for (local node_t* at = t + i; at; at = at->next) s += at->v;
  o[get_global_id(0)] = s;
}
"""


def kinds_of(text: str, launch: str) -> set[str]:
    """The kinds of problems of a kernel."""
    return {one.kind for one in check(KernelSource("k.cl", text, KernelRequest((launch,)))).undefined}


def test_the_null_pointer_is_followed() -> None:
    assert kinds_of(NULL, "K global 1") == {"out-of-bounds"}


def test_a_race_on_a_link_is_told() -> None:
    assert "data-race" in kinds_of(RACE, "K global 2, local 2")


@pytest.mark.parametrize(("flag", "races"), [("CLK_LOCAL_MEM_FENCE", False), ("CLK_GLOBAL_MEM_FENCE", True)])
def test_lists_in_local_memory(flag: str, races: bool) -> None:
    assert ("data-race" in kinds_of(LOCAL.replace("FLAG", flag), "K global 6, local 3")) is races


TEST = """OPENCL list
{ struct node p[3] = {{1, &p[1]}, {2, &p[2]}, {3, 0}}; int sum = 0; struct node* head = &p[1]; }
struct node { int v; global struct node* next; };
P0 (global struct node* p, global struct node* global* head, global int* sum) {
  for (global struct node* n = *head; n; n = n->next) *sum += n->v;
  *head = &p[2];
}
forall (sum = 5 /\\ head = &p[2])
"""


def test_the_initial_state_and_conditions_have_addresses_of_structures() -> None:
    assert check(Source("list.litmus", TEST)).verdict is Verdict.REQUIRED


OTHERS = """
struct item { int v; };
struct list { global struct item* first; int n; };
kernel void K(global struct item* p, global struct list* l, global int* o) {
  if (get_local_id(0) == 0) { l->first = p + 1; l->n = 2; }
  p[get_local_id(0) + 1].v = 3;
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) for (int k = 0; k < l->n; k++) *o += l->first[k].v;
}
"""


def test_a_structure_in_memory_points_to_others() -> None:
    request = KernelRequest(("K global 2, local 2",), questions=("forall o=6 /\\ l.first=&p[1]",))
    assert check(KernelSource("k.cl", OTHERS, request)).verdict is Verdict.REQUIRED


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "struct n { struct n* l; struct n* r; }; kernel void K(global struct n* p) { p->l = p; }",
            "pointers in memory to a structure that has no number among its members",
        ),
        (LIST + "kernel void K(global int* h) { ((global node_t*)h)->v = 1; }", "memory of 'int' seen as structures"),
        (LIST + "kernel void K(global node_t* p) { p++; }", "moves a parameter that points to structures with links"),
        (LIST + "kernel void K(global node_t* p) { node_t s; node_t* q = &s; }", "the address of a private structure"),
        (LIST + "kernel void K(global node_t* p) { p->next->w = 1; }", "'p->next' has no member 'w'"),
        (WIDE + "kernel void K(global wide_t* p) { p->next->q = 1; }", "name one of its members"),
        (LIST + "kernel void K(global node_t* p) { *p->next = *p->next; }", "give a variable its address first"),
        (LIST + "kernel void K(global node_t* p) { *p->next = (node_t){1, 0}; }", "give a variable its address first"),
        (LIST + "kernel void K(global node_t* p) { global node_t* n = p; *n = (node_t){1, 0}; }", "its value first"),
    ],
)
def test_what_is_refused(text: str, wanted: str) -> None:
    with pytest.raises(InputError, match=wanted.replace("*", r"\*")):
        check(KernelSource("refused.cl", text, KernelRequest(("K global 1",))))


INTEGERS = """
typedef struct { int value; atomic_uintptr_t next; } bin;
kernel void K(global bin* p, global uint* o) {
  global bin* mine = &p[get_global_id(0) + 1];
  mine->value = get_global_id(0) + 4;
  uintptr_t next = atomic_load(&p[0].next);
  do atomic_store(&mine->next, next);
  while (!atomic_compare_exchange_strong(&p[0].next, &next, (uintptr_t)mine));
}
"""


def test_integers_that_hold_addresses_make_links() -> None:
    question = "forall p.next[0]=&p[1] /\\ p.next[1]=&p[2] /\\ p.next[2]=0 \\/ p.next[0]=&p[2] /\\ p.next[2]=&p[1]"
    request = KernelRequest(("K global 2",), initial=("bin p[3]",), questions=(question,))
    found = check(KernelSource("bins.cl", INTEGERS, request))
    assert (found.verdict, found.undefined) == (Verdict.REQUIRED, ())


def test_the_alignment_of_structures_makes_none() -> None:
    text = "struct s { int a; int b; }; kernel void K(global struct s* p, global int* o) { *o = (ulong)&p[1] % 16; }"
    assert check(KernelSource("k.cl", text, KernelRequest(("K global 1",), questions=("forall o=8",)))).verdict is (
        Verdict.REQUIRED
    )


UNTYPED = """
typedef struct node { int v; struct node* left; struct node* right; } node_t;
typedef struct { int key; node_t* found; } key_t;
kernel void K(global void* root, global void* keys) {
  node_t* at = (node_t*)root;
  key_t* mine = (key_t*)keys + get_global_id(0);
  while (at != NULL) {
    if (at->v == mine->key) { mine->found = at; break; }
    at = mine->key < at->v ? at->left : at->right;
  }
}
"""


def test_memory_without_a_type_is_what_it_is_seen_as() -> None:
    initial = ("node_t root[3] = {{5, &root[1], &root[2]}, {3, 0, 0}, {8, 0, 0}}", "key_t keys[2] = {{8, 0}, {4, 0}}")
    request = KernelRequest(
        ("K global 2",), initial=initial, questions=("forall keys.found[0]=&root[2] /\\ keys.found[1]=0",)
    )
    assert check(KernelSource("search.cl", UNTYPED, request)).verdict is Verdict.REQUIRED


PLAIN = (
    "typedef struct { int a; int b; } s; kernel void K(global void* p) { global s* q = (global s*)CAST; q->b = q->a; }"
)


def test_what_the_initial_state_says_of_memory_without_a_type_is_kept() -> None:
    request = KernelRequest(("K global 1",), initial=("s p[2] = {{8, 0}}",), questions=("forall p.b[0]=8",))
    assert check(KernelSource("k.cl", PLAIN.replace("CAST", "p"), request)).verdict is Verdict.REQUIRED
    with pytest.raises(InputError, match="'p' is stated as 's', but a kernel is given numbers"):
        check(KernelSource("k.cl", PLAIN.replace("CAST", "((global uchar*)p + 8)"), request))
