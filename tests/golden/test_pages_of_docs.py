"""What pages show is what happens, and what they name exists: commands, options, files, headings of other pages.

The tutorial, the lessons, the reference and the README have tests of their own.
"""

from __future__ import annotations

import doctest
import re
from typing import TYPE_CHECKING, Final

import click
import pytest
from golden_shell import ROOT, run_shell

from mcm.cli.group import mcm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCS: Final = ROOT / "docs"
PAGES: Final = sorted([ROOT / "README.md", ROOT / "litmus" / "README.md", *DOCS.glob("*.md"), *DOCS.glob("*/*.md")])
SHOWN: Final = sorted(path for path in DOCS.glob("*.md") if path.stem != "tutorial")
# The site has pages that are made of the models.
MADE: Final = ("rules/", "models/")

FENCED: Final = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INDENTED: Final = re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.MULTILINE)
COMMAND: Final = re.compile(r"(?:`|^\$ |^    )mcm ([a-z]+)\b([^`|]*)")
OPTION: Final = re.compile(r"(?<![\w'\"-])(--?[a-zA-Z][\w-]*)")
LINK: Final = re.compile(r"\]\(([^)#\s:]*)(?:#([^)\s]+))?\)")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def examples() -> Iterator[tuple[str, str]]:
    """The commands of pages with what they show, where the files that they are about exist."""
    for page in SHOWN:
        text = page.read_text(encoding="utf-8")
        blocks = FENCED.findall(text) + [re.sub("(?m)^    ", "", block) for block in INDENTED.findall(text)]
        for example in (one for block in blocks for one in re.split(r"(?m)^(?=\$ )", block)):
            command, _, _ = example.partition("\n")
            files = re.findall(r"[\w/.+-]+\.(?:litmus|cl)\b", command)
            if command.startswith("$ mcm ") and files and all((ROOT / file).exists() for file in files):
                yield command.removeprefix("$ "), example


EXAMPLES: Final = dict(examples())


@pytest.mark.slow
@pytest.mark.parametrize("command", EXAMPLES)
def test_an_example_is_what_happens(command: str) -> None:
    """`…` stands for what is left out: lines, where it stands alone."""
    lines = [line.rstrip() for line in EXAMPLES[command].rstrip().split("\n")]
    left_out = [r"(?:.*\n)*?.*" if line.strip() == "…" else re.escape(line).replace("…", ".*") for line in lines]
    now = "\n".join(line.rstrip() for line in run_shell(command).rstrip().split("\n"))
    assert re.fullmatch("\n".join(left_out), now), now


def test_enough_examples_are_found() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("page", ["commands", "explain", "pictures"])
def test_examples_in_python_are_true(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(str(DOCS / f"{page}.md"), module_relative=False)
    assert (failed, tried >= 3) == (0, True)


def options_of(command: click.Command) -> set[str]:
    found = {"-h", "--help"}
    for parameter in command.params:
        found.update((*parameter.opts, *parameter.secondary_opts))
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_options_exist(page: Path) -> None:
    context = click.Context(mcm)
    known = {
        name: options_of(found) for name in mcm.list_commands(context) if (found := mcm.get_command(context, name))
    }
    missing = []
    for line in page.read_text(encoding="utf-8").split("\n"):
        for name, rest in COMMAND.findall(line):
            missing += [name] if name not in known else [one for one in OPTION.findall(rest) if one not in known[name]]
    assert missing == []


def headings(page: Path) -> set[str]:
    """How links name the headings of a page."""
    found = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    lost = []
    for file, heading in LINK.findall(page.read_text(encoding="utf-8")):
        goal = page.parent / file if file else page
        if file.startswith(MADE):
            continue
        if not goal.exists() or (heading and goal.suffix == ".md" and heading not in headings(goal)):
            lost.append(f"{file}#{heading}")
    assert lost == []


@pytest.mark.parametrize("name", mcm.list_commands(click.Context(mcm)))
def test_files_in_help_exist(name: str) -> None:
    found = mcm.get_command(click.Context(mcm), name)
    assert found is not None
    files = re.findall(r"litmus/[\w./-]*", found.help or "")
    assert [file for file in files if not (ROOT / file).exists()] == []
