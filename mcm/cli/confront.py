"""`mcm check --run`: what models allow, beside what the machine does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from mcm.answer.result import Status
from mcm.base.diagnostic import Diagnostic, InputError, render
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.inputs import find_tests, read
from mcm.cli.present import exit_code, wants_colour
from mcm.confront import confront
from mcm.pipeline import check
from mcm.report.colour import Palette
from mcm.report.confrontation import render_confrontation, render_confrontations_json

if TYPE_CHECKING:
    from mcm.answer.confrontation import Confrontation
    from mcm.pipeline import Options

_RUNS: Final = 10_000
_SEED: Final = 0


def show_confrontations(tests: tuple[str, ...], options: Options, format_: str) -> ExitCode:
    """Check and run each test; a contradiction between model and machine is a defect of ours."""
    codes: list[ExitCode] = []
    shown: list[Confrontation] = []
    for name in find_tests(tests):
        for one in _confronted(name, options, codes):
            codes.append(ExitCode.DEFECT if one.contradictions else exit_code(one.result))
            if format_ != "json":
                click.echo(("\n" if shown else "") + render_confrontation(one, Palette(wants_colour())))
            shown.append(one)
    if format_ == "json":
        click.echo(render_confrontations_json(shown))
    return combine(codes)


def _confronted(name: str | Diagnostic, options: Options, codes: list[ExitCode]) -> tuple[Confrontation, ...]:
    """A test beside each of its results; one that is no program is complained about, and has nothing to run."""
    if isinstance(name, Diagnostic):
        click.echo(render(name), err=True)
        codes.append(ExitCode.BAD_INPUT)
        return ()
    try:
        source = read(name)
    except InputError as error:
        click.echo("\n".join(map(render, error.diagnostics)), err=True)
        codes.append(ExitCode.BAD_INPUT)
        return ()
    results = check(source, options)
    if any(result.status in {Status.INVALID, Status.ERROR} for result in results):
        click.echo("\n".join(map(render, results[0].diagnostics)), err=True)
        codes += map(exit_code, results)
        return ()
    return confront(source, results, options, _RUNS, _SEED)
