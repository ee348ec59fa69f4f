"""The reports of `mcm test` that other tools read: each in a file, or `-` for standard output."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from msgspec import Struct

from mcm import render_junit, render_sarif, render_suite_json, render_tap
from mcm.cli.output import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcm import JudgedTest

_STANDARD_OUTPUT: Final = "-"


class Reports(Struct, frozen=True):
    """Where each report goes; None: it is not wanted."""

    junit: str | None = None
    sarif: str | None = None
    tap: str | None = None
    json: str | None = None

    @property
    def takes_standard_output(self) -> bool:
        """Whether one of them goes to standard output, so that nothing else may."""
        return _STANDARD_OUTPUT in self.named()

    def named(self) -> dict[str, Callable[[Sequence[JudgedTest]], str]]:
        """The files with what renders them; usage error where two reports have the same."""
        wanted = (
            (self.junit, _junit),
            (self.sarif, render_sarif),
            (self.tap, render_tap),
            (self.json, lambda tests: render_suite_json(tests) + "\n"),
        )
        named: dict[str, Callable[[Sequence[JudgedTest]], str]] = {}
        for path, render in wanted:
            if path is None:
                continue
            if path in named:
                message = f"two reports cannot both go to '{path}'"
                raise click.UsageError(message)
            named[path] = render
        return named

    def write(self, tests: Sequence[JudgedTest]) -> None:
        """Write all reports; where some cannot be written, the others are, and a ClickException is raised then."""
        failed: click.ClickException | None = None
        for path, render in self.named().items():
            try:
                if path == _STANDARD_OUTPUT:
                    click.echo(render(tests), nl=False)
                else:
                    write_whole(Path(path), render(tests))
            except click.ClickException as error:
                failed = failed or error
        if failed is not None:
            raise failed


def _junit(tests: Sequence[JudgedTest]) -> str:
    """The report as of now, or as of the time by which reproducible builds go."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return render_junit(tests, now.strftime("%Y-%m-%dT%H:%M:%S"))
