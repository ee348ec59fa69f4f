"""`mcm test --update`: expectations written anew, after the difference is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcm import files_to_change, restate, visible
from mcm.cli.output import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mcm import Judgement


def update(judgements: Iterable[Judgement]) -> None:
    """Write what was found in the place of what is stated, file by file; ClickException where that is not possible."""
    for file, missed in files_to_change(judgements).items():
        path = Path(file)
        if not path.is_file():
            click.echo(f"{visible(file)}: not a file, so that nothing is updated", err=True)
            continue
        # Line ends and marks at the beginning stay what they are.
        try:
            with path.open(encoding="utf-8", newline="") as stream:
                change = restate(file, stream.read(), missed)
        except UnicodeDecodeError:
            click.echo(f"{visible(file)}: text that is not UTF-8, so that nothing is updated", err=True)
            continue
        if change.after != change.before:
            click.echo(change.difference())
            write_whole(path, change.after)
        for judgement in change.refused:
            click.echo(f"{visible(file)}: '{visible(judgement.stated)}' cannot be restated, so that it stays", err=True)
