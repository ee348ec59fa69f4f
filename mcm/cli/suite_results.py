"""The results that `mcm test` keeps: each test is written down once it is judged, so that a rerun goes on there."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click
from msgspec.structs import replace

from mcm import (
    Earlier,
    InputError,
    KnownModel,
    KnownTest,
    Source,
    key_of,
    known_model,
    line_of,
    models_of,
    parse_results,
    read_source,
    shared_session,
    taken_over,
    visible,
    whole_file,
    with_changed_rules,
)
from mcm.cli.output import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcm import JudgedTest, Options
    from mcm.cli.suite import SuiteTask


class Results(Protocol):
    """What a run takes from earlier ones, and keeps for later ones."""

    def earlier(self, task: SuiteTask) -> JudgedTest | None:
        """The judgements of an earlier run that still hold; None where the test is to be judged."""

    def keep(self, task: SuiteTask, judged: JudgedTest) -> None:
        """Write down what became of a test."""

    def told(self, judged: JudgedTest) -> JudgedTest:
        """The judgements, with what the earlier run tells of them."""

    def close(self) -> None:
        """All tests are judged; ClickException where they could not be written down."""

    def notes(self) -> Iterable[str]:
        """What else is to be known."""


class NoResults:
    """Nothing is taken over and nothing kept."""

    def earlier(self, task: SuiteTask) -> JudgedTest | None:  # noqa: ARG002 - see `Results`
        """None."""
        return None

    def keep(self, task: SuiteTask, judged: JudgedTest) -> None:
        """Nothing is kept."""

    def told(self, judged: JudgedTest) -> JudgedTest:
        """The same."""
        return judged

    def close(self) -> None:
        """There is nothing to write."""

    def notes(self) -> Iterable[str]:
        """None."""
        return ()


def results_of(kept: str | None, since: str | None, options: Options) -> Results:
    """The results that are kept in a file, and those of the file that tests are compared with (None: no file)."""
    if kept is None and since is None:
        return NoResults()
    return ResultsFile(None if kept is None else Path(kept), None if since is None else Path(since), options)


class ResultsFile:
    """Results in files of lines. A test is a line; the file is put in order when all tests are judged."""

    def __init__(self, kept: Path | None, since: Path | None, options: Options) -> None:
        self._kept = kept
        self._options = options
        self._since = Earlier() if since is None else _read(since)
        self._missing = since is not None and not since.exists()
        self._before = Earlier() if kept is None else _read(kept)
        self._known: dict[str, KnownTest] = {}
        self._failed: str | None = None
        self._unkept: list[str] = []
        self._current: Callable[[str], KnownModel | None] = cache(self._model)
        self._seen: set[str] = set()

    def earlier(self, task: SuiteTask) -> JudgedTest | None:
        """As `Results.earlier`."""
        key = self._key(task)
        found = None if key is None else taken_over(self._since.tests.get(task.file), key, self._current)
        if found is not None:
            self._known[task.file] = self._since.tests[task.file]
        return found

    def keep(self, task: SuiteTask, judged: JudgedTest) -> None:
        """As `Results.keep`: one line at the end of the file, at once. What is open is kept too, to be judged anew."""
        judged = replace(judged, key=self._key(task) or "")
        models = models_of(judged, self._current)
        known = KnownTest(judged, {name: model.fingerprint for name, model in models.items()})
        self._known[judged.file] = known
        lines = [line_of(model) for name, model in models.items() if name not in self._seen]
        self._seen |= models.keys()
        if self._kept is None or not judged.key:
            return
        try:
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            with self._kept.open("ab") as stream:
                # A line that an earlier run could not finish is ended first.
                stream.write(b"".join([b"" if _ends_with_a_line(self._kept) else b"\n", *lines, line_of(known)]))
        except OSError as error:
            self._failed = (error.strerror or str(error)).lower()
            self._unkept.append(judged.file)

    def told(self, judged: JudgedTest) -> JudgedTest:
        """As `Results.told`."""
        return with_changed_rules(judged, self._since, self._current)

    def close(self) -> None:
        """As `Results.close`."""
        if self._kept is None:
            return
        used = {name for known in self._known.values() for name in known.models}
        models = [model for name in sorted(used) if (model := self._current(name)) is not None]
        kept = [known for known in self._known.values() if known.judged.key]
        try:
            write_whole(self._kept, whole_file(self._before, kept, models).decode("utf-8"))
        except click.ClickException as error:
            unkept = ", ".join(visible(file) for file in self._unkept)
            lost = f"; not kept: {unkept}" if unkept else ""
            raise click.ClickException(f"{error.message}{lost}") from error

    def notes(self) -> Iterable[str]:
        """As `Results.notes`."""
        if self._missing:
            yield "no earlier results: all tests are judged"
        if self._since.unreadable:
            yield f"{self._since.unreadable} unreadable in the earlier results: these tests are judged anew"
        if self._failed:
            yield f"results cannot be kept: {self._failed}"

    def _key(self, task: SuiteTask) -> str | None:
        """What judgements on a test rest on; None where that is not its text alone."""
        if isinstance(task.test, Source):
            return key_of(task.test, task.rows, self._options)
        if not isinstance(task.test, str) or task.test.endswith((".cl", ".cpp", ".cc", ".cxx")):
            return None
        # What is no file is read once, by who judges it, and may never end.
        if not Path(task.test).is_file():
            return None
        try:
            return key_of(read_source(task.test), task.rows, self._options)
        except InputError:
            return None

    def _model(self, name: str) -> KnownModel | None:
        session = shared_session()
        for model in self._options.models:
            if not isinstance(model, str) and name in getattr(model, "keys", ()):
                return known_model(name, session.load_model(model))
        try:
            return known_model(name, session.load_model(name))
        except InputError:
            return None


def _read(path: Path) -> Earlier:
    if path.exists() and not path.is_file():
        message = f"'{path}' is not a regular file, so that no results can be kept there"
        raise click.ClickException(message)
    try:
        return parse_results(path.read_bytes())
    except FileNotFoundError:
        return Earlier()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise click.ClickException(f"cannot read '{path}': {why.lower()}") from error


def _ends_with_a_line(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(0, 2)
        if stream.tell() == 0:
            return True
        stream.seek(-1, 2)
        return stream.read(1) == b"\n"
