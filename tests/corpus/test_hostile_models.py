"""Models that once took for ever, or ended in a stack trace: each gets its complaint, at its place."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from mcm import InputError, load_model
from mcm.base.deadline import time_limit

pytestmark = pytest.mark.slow

MODELS: Final = Path(__file__).parent / "hostile" / "models"

# Code, line and column of what is said of each file.
COMPLAINTS: Final = {
    "crash-fd5a0f15ae": ("E301", 16, 1),
    "exp_functions": ("E313", 42, 9),
    "without_two": ("E301", 6, 1),
    "incl/incx0": ("E314", 3, 9),
}


@pytest.mark.parametrize("name", COMPLAINTS)
def test_its_complaint(name: str) -> None:
    with time_limit(60), pytest.raises(InputError) as raised:
        load_model(MODELS / f"{name}.cat")
    first = raised.value.diagnostics[0]
    assert (first.code, first.span.line, first.span.column) == COMPLAINTS[name]


def test_every_file_is_looked_at() -> None:
    """Those that are included besides: each includes the next one twice."""
    named = {f"{name}.cat" for name in COMPLAINTS} | {f"incl/incx{number}.cat" for number in range(30)}
    assert named == {path.relative_to(MODELS).as_posix() for path in MODELS.rglob("*.cat")}


def test_thousands_of_statements_are_read_quickly_with_one_error(tmp_path: Path) -> None:
    model = tmp_path / "long.cat"
    model.write_text("".join(f"let r{number} = po\n" for number in range(10_000)) + "acyclic nosuch\n")
    with time_limit(60), pytest.raises(InputError) as raised:
        load_model(model)
    (found,) = raised.value.diagnostics
    assert (found.code, found.span.line) == ("E304", 10_001)
