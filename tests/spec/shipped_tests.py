"""The shipped litmus files, read from their headers alone: what each states, before anything is checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mcm import Source, Status, check_all

if TYPE_CHECKING:
    from mcm import Result

LITMUS = Path(__file__).resolve().parents[2] / "litmus"
SPEC = LITMUS / "opencl" / "spec"
HOST = LITMUS / "opencl" / "host"
SYCL_SPEC = LITMUS / "sycl" / "spec"
SEPARATORS = LITMUS / "opencl" / "separators"
DEFAULT_MODEL = "opencl-3.0"
KEY_LINE = re.compile(r"[\w.+@-]+=")
RACES = frozenset({"data-race", "unsequenced-race"})


@dataclass(frozen=True, slots=True)
class Header:
    """The key lines of one file, in order."""

    path: Path
    name: str
    keys: tuple[tuple[str, str], ...]

    @property
    def covers(self) -> tuple[str, ...]:
        return tuple(i.strip() for key, value in self.keys if key == "Covers" for i in value.split(","))

    def values(self, prefix: str) -> dict[str, str]:
        """The lines `prefix.SUFFIX=value`, by suffix."""
        return {key.removeprefix(f"{prefix}."): value for key, value in self.keys if key.startswith(f"{prefix}.")}


@dataclass(frozen=True, slots=True)
class Removal:
    """A line `Without.RULE+RULE@MODEL=verdict`: what a model says when it is deprived of rules."""

    header: Header
    rules: tuple[str, ...]
    model: str
    verdict: str

    def __str__(self) -> str:
        return f"{self.header.path.stem} without {'+'.join(self.rules)} in {self.model}"


@cache
def source_of(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"))


@cache
def header_of(path: Path) -> Header:
    head, _, _ = source_of(path).text.partition("\n{")
    title, *lines = head.splitlines()
    pairs = (line.partition("=") for line in lines if KEY_LINE.match(line))
    return Header(path, title.split()[1], tuple((key, value) for key, _, value in pairs))


def headers(folder: Path) -> tuple[Header, ...]:
    # What is no litmus test at all has a folder of its own.
    paths = sorted(path for path in folder.rglob("*.litmus") if path.parent.name != "invalid")
    assert paths, f"no litmus files in {folder}"
    return tuple(header_of(path) for path in paths)


def rule_tests() -> tuple[Header, ...]:
    """The tests of single rules: those of the commands of the host are files of their own folder, not below it."""
    host = (header for header in headers(HOST) if header.path.parent == HOST)
    return (*headers(SPEC), *host, *headers(SYCL_SPEC))


def default_model_of(header: Header) -> str:
    return "sycl-2020" if header.path.is_relative_to(SYCL_SPEC) else DEFAULT_MODEL


def removals(found: tuple[Header, ...]) -> tuple[Removal, ...]:
    return tuple(
        Removal(header, tuple(rules.split("+")), model or DEFAULT_MODEL, verdict)
        for header in found
        for key, verdict in header.values("Without").items()
        for rules, _, model in [key.partition("@")]
    )


@cache
def result_of(path: Path, model: str = DEFAULT_MODEL, without: tuple[str, ...] = ()) -> Result:
    (result,) = check_all(source_of(path), models=(model,), without=without)
    return result


def verdict_of(result: Result) -> str:
    """What the condition and the races come to: `Never race`, `Always no-race`, `invalid` …."""
    if result.status is Status.INVALID:
        return "invalid"
    # Where no execution is complete, nothing is observed.
    observation = (
        result.observation.value if result.observation else "Never" if result.has_execution is False else "open"
    )
    return f"{observation} {'race' if _kinds(result) & RACES else 'no-race'}"


def findings_of(result: Result) -> str:
    """The verdict and whatever else was found: `Always no-race divergence`, `Always race impl-defined` …."""
    others = sorted(kind.removeprefix("barrier-") for kind in _kinds(result) - RACES)
    return " ".join([verdict_of(result), *others, *(["impl-defined"] * bool(result.impl_defined))])


def _kinds(result: Result) -> frozenset[str]:
    return frozenset(problem.kind for problem in result.undefined)
