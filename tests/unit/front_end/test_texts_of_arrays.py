"""Texts that arrays begin with: their characters, and the 0 behind them where there is room."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check


def checked(before: str, body: str, asked: str) -> Judged:
    text = f"{before}\nkernel void k(global int* o) {{ {body} }}\n"
    request = KernelRequest(("k global 1",), initial=("int o[4]",), questions=(f"forall ({asked})",))
    found = check(KernelSource("texts.cl", text, request))
    assert isinstance(found, Judged)
    return found


@pytest.mark.parametrize(
    ("before", "body", "asked"),
    [
        (
            '__constant char digits[] = "0123456789abcdef";',
            "o[0] = digits[10]; o[1] = digits[16]; o[2] = sizeof(digits);",
            "o[0]=97 /\\ o[1]=0 /\\ o[2]=17",
        ),
        ('#define N 4\nconstant char word[N] = "abcd";', "o[0] = word[3]; o[1] = sizeof word;", "o[0]=100 /\\ o[1]=4"),
        ("", r'char t[] = "a\n\"\x41' + '\'" "b\\0"; o[0] = t[1] * t[2]; o[1] = t[3] + t[5];', "o[0]=340 /\\ o[1]=163"),
        (
            'constant char d[] = {"01"};',
            'char t[4] = {"a" "b",}; o[0] = d[1] + sizeof d; o[1] = t[1] + t[3];',
            "o[0]=52 /\\ o[1]=98",
        ),
        ("", 'uchar t[8] = "ab"; o[0] = t[1]; o[1] = t[5];', "o[0]=98 /\\ o[1]=0"),
        ('constant char names[2][4] = {"abc", "de"};', "o[0] = names[0][2]; o[1] = names[1][2];", "o[0]=99 /\\ o[1]=0"),
        (
            'typedef struct { char name[4]; int x; } entry;\nconstant entry e[] = {{"abc", 3}, {"d", 4}};',
            "o[0] = e[0].name[2]; o[1] = e[1].x;",
            "o[0]=99 /\\ o[1]=4",
        ),
        (
            'constant struct { int x; char name[3]; } e[2] = {{5, "ab"}, {6, "c"}};\nint f() { if (1) {} return 1; }',
            'if (1) {} char t[] = "q"; o[0] = e[1].name[0]; o[1] = t[0];',
            "o[0]=99 /\\ o[1]=113",
        ),
        ("", 'int a[2] = {5}, n = 3; printf("%d\\n", n); char t[] = "x"; o[0] = t[0] + a[0];', "o[0]=125"),
        ("", 'char s[4] = {1}, t[] = "x"; o[0] = t[0] + s[0];', "o[0]=121"),
        ('constant char t[] = "\u00e9";', "o[0] = (uchar)t[0]; o[1] = sizeof t;", "o[0]=195 /\\ o[1]=3"),
    ],
    ids=[
        "counted",
        "full",
        "escapes",
        "in braces",
        "longer",
        "rows",
        "members",
        "behind braces",
        "printed",
        "second",
        "bytes",
    ],
)
def test_values(before: str, body: str, asked: str) -> None:
    found = checked(before, body, asked)
    assert (found.holds, found.undefined) == (True, ())


@pytest.mark.parametrize("body", ['constant char* t = "abc"; o[0] = t[1];', 'o[0] = "abc"[1];', 'o["a" == 0] = 1;'])
def test_other_texts_are_refused(body: str) -> None:
    with pytest.raises(InputError, match="a string literal"):
        checked("", body, "true")
