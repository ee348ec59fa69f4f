"""The tutorial and the lessons show what happens; exercises are not solved, and their solutions are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from golden_shell import ROOT, run_shell

from mcm import Judged, Source, Verdict, check

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.slow

FOLDER = ROOT / "docs" / "learn"
LESSONS = sorted(FOLDER.glob("[0-9]*.md"))
TUTORIAL = ROOT / "docs" / "tutorial.md"
FILES = ROOT / "litmus" / "learn"
SOLUTIONS = sorted(FILES.glob("*-solution.litmus"))
COMMAND = re.compile(r"^```console\n(?P<shown>\$ .*?)^```$", re.DOTALL | re.MULTILINE)
LITMUS = re.compile(r"^```opencl\n(?P<text>OPENCL (?P<name>\S+)\n.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([\w./-]+)\)")


def test_there_are_ten_lessons() -> None:
    assert len(LESSONS) == 10
    assert len(SOLUTIONS) == 9, "the tenth exercise is a model"


@pytest.mark.parametrize("page", [TUTORIAL, *LESSONS], ids=lambda path: path.stem)
def test_what_a_lesson_shows_is_what_happens(page: Path, request: pytest.FixtureRequest) -> None:
    text = page.read_text(encoding="utf-8")
    assert COMMAND.search(text), "no command is shown"

    def as_now(found: re.Match[str]) -> str:
        return f"```console\n{run_shell(found['shown'].splitlines()[0].removeprefix('$ '))}```"

    now = COMMAND.sub(as_now, text)
    if request.config.getoption("--update-golden"):
        page.write_text(now, encoding="utf-8")
    else:
        assert now == text, f"renew with `pytest tests/golden --update-golden` if this is meant ({page.name})"


@pytest.mark.parametrize("page", LESSONS, ids=lambda path: path.stem)
def test_the_program_of_a_lesson_is_its_file(page: Path) -> None:
    shown = list(LITMUS.finditer(page.read_text(encoding="utf-8")))

    assert [found["name"] for found in shown] == [page.stem]
    assert (FILES / f"{page.stem}.litmus").read_text(encoding="utf-8") == shown[0]["text"]


def test_programs_of_the_tutorial_are_its_files() -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    files = [ROOT / "litmus" / "tutorial" / name for name in ("hand-over.litmus", "block-sum.cl")]

    assert [file.name for file in files if file.read_text(encoding="utf-8") not in text] == []


@pytest.mark.parametrize("page", [TUTORIAL, FOLDER / "README.md", *LESSONS], ids=lambda path: path.stem)
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))

    assert links
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_a_solution_is_as_expected_and_its_exercise_is_not(path: Path) -> None:
    expectations = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("Expect.")]
    exercise = path.with_name(path.name.replace("solution", "exercise")).read_text(encoding="utf-8")
    assert "Expect" not in exercise, "the answer is given away"
    title, rest = exercise.split("\n", 1)
    graded = "\n".join((title, *expectations, rest))

    assert expectations
    assert check(Source(path.name, path.read_text(encoding="utf-8"))).as_expected is True
    assert check(Source(path.name, graded)).as_expected is False


def test_the_model_of_the_last_exercise_forbids_load_buffering_and_nothing_else() -> None:
    exercise, solution = FILES / "10-exercise.cat", FILES / "10-solution.cat"
    loads, stores = FILES / "10-models.litmus", FILES / "01-store-buffering.litmus"

    assert _verdict(loads, exercise) is Verdict.ALLOWED
    assert _verdict(loads, solution) is Verdict.FORBIDDEN
    assert _verdict(stores, solution) is Verdict.ALLOWED


def _verdict(test: Path, model: Path) -> Verdict:
    result = check(test, model=str(model))
    assert isinstance(result, Judged)
    return result.verdict


# Answers that give the right outcome in a program that is undefined in a way of its own.
WRONG = [
    ("05", "  out[i] = t[3 - i];", "  if (i < 2) work_group_barrier(CLK_LOCAL_MEM_FENCE);\n  out[i] = t[3 - i];"),
    ("05", "  out[i] = t[3 - i];", "  t[i + 1] = 0;\n  out[i] = in[3 - i] * 0 + 10 * (i + 1);"),
    ("01", "*data = 1;", ""),
]


@pytest.mark.parametrize(("number", "line", "instead"), WRONG)
def test_an_answer_that_is_wrong_in_another_way_is_not_as_expected(number: str, line: str, instead: str) -> None:
    solution = (FILES / f"{number}-solution.litmus").read_text(encoding="utf-8")
    assert line in solution

    assert check(Source("t.litmus", solution.replace(line, instead))).as_expected is False
