"""What is accessed by an address that is taken in the same expression."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check

FILE = """
typedef struct {{ int a; int b; }} pair;
#define SWAP(p, q) {{ float2 t = *p; *p = *q; *q = t; }}
#define SUM(p) ((p)->a + (p)->b)

kernel void K(global int* out, global pair* pairs) {{
{body}
}}
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("float2 v = (float2)(1, 3); (*&v).x = 2; float2 w = *&v; out[0] = w.y;", id="vectors"),
        pytest.param(
            "float2 v[2]; v[0] = (float2)(1, 3); v[1] = v[0].yx; SWAP(&v[0], &v[1]); out[0] = v[0].x;", id="elements"
        ),
        pytest.param("pair p = {1, 2}; pair q = *&p; (&q)->b += 0; out[0] = SUM(&q);", id="structures"),
        pytest.param("*&pairs[0] = (pair){1, 2}; (&pairs[1])->b = 1; out[0] = SUM(&pairs[0]);", id="memory"),
    ],
)
def test_it_is_accessed_as_it_is(body: str) -> None:
    request = KernelRequest(
        launches=("K global 1",), initial=("int out[1]", "pairs[2]"), questions=("forall (out[0]=3)",)
    )

    found = check(KernelSource("k.cl", FILE.format(body=body), request=request))

    assert isinstance(found, Judged)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("float3 v; v[1] = 2;", id="of three"),
        pytest.param("float2 v[2]; v[1][0] = 2;", id="element"),
    ],
)
def test_an_index_of_a_vector_is_called_that(body: str) -> None:
    with pytest.raises(InputError) as caught:
        check(KernelSource("k.cl", FILE.format(body=body), request=KernelRequest(launches=("K global 1",))))

    assert "an index of a vector; name its component, '.s0', '.s1'" in caught.value.diagnostics[0].message
