"""SYCL programs of a few statements."""

from __future__ import annotations

import pytest

from mcm import InputError, Judged, KernelRequest, KernelSource, check, run


def source(body: str, question: str = "", before: str = "") -> KernelSource:
    """A program whose `main` has a queue `q` and these statements, and what is asked of it."""
    text = f"#include <sycl/sycl.hpp>\nusing namespace sycl;\n{before}\nint main() {{ queue q;\n{body}\n}}\n"
    return KernelSource("sample.cpp", text, KernelRequest((), (), (), (question,) if question else ()))


def holds(body: str, question: str, before: str = "") -> bool:
    """Whether a program is right and always ends so, by both engines and on the machine."""
    asked = source(body, f"forall ({question})", before)
    found = [check(asked, engine=engine, bound=8) for engine in ("explicit", "smt")]
    assert all(isinstance(one, Judged) and not one.undefined and not one.races for one in found)
    ran = run(asked, runs=20, seed=1)
    assert ran.problems == ()
    return all(isinstance(one, Judged) and one.holds is True for one in found) and ran.positive == ran.runs


def kinds(body: str, before: str = "") -> set[str]:
    """What is wrong with a program, on which both engines agree."""
    found = [check(source(body, "", before), engine=engine) for engine in ("explicit", "smt")]
    assert all(isinstance(one, Judged) for one in found)
    one, other = ({each.kind for each in (*judged.undefined, *judged.races)} for judged in found)  # type: ignore[union-attr]
    assert one == other
    return one


def warnings(body: str, before: str = "") -> list[str]:
    """The codes of what a program is warned of."""
    found = check(source(body, "", before))
    assert isinstance(found, Judged)
    return [one.code for one in found.diagnostics]


def refused(body: str, before: str = "") -> str:
    """The messages with which a program is refused, without those that only warn."""
    try:
        result = check(source(body, "", before))
    except InputError as error:
        return "\n".join(one.message for one in error.diagnostics)
    if isinstance(result, Judged):
        pytest.fail(f"this is not refused: {body}")
    return "\n".join(one.message for one in result.diagnostics if one.code.startswith("E"))
