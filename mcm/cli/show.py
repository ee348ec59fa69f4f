"""`mcm show`: pictures of the executions of a litmus test."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from mcm.cli.exit_code import ExitCode
from mcm.cli.formats import format_of
from mcm.cli.group import Command
from mcm.cli.kernel_options import kernel_options
from mcm.cli.options import (
    argument_of_tests,
    bound_option,
    drawing_format_option,
    file_option,
    memory_option,
    timeout_option,
    without_option,
)
from mcm.cli.output import deliver
from mcm.cli.page_file import write_page
from mcm.cli.seconds import seconds_of
from mcm.cli.show_commands import drawn_commands, require_for_commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcm import Exhibit, Found, Source, Test

_MOST_COLUMNS: Final = 100
_FORMATS: Final = ("text", "svg", "html", "dot")


@click.command(cls=Command, short_help="Draw executions of a litmus test.")
@argument_of_tests("FILE|-")
@click.option("--model", "-m", metavar="NAME|FILE.cat", help="The model.  [default: that of the dialect]")
@click.option("--execution", "-n", "number", type=click.IntRange(min=1), help="The execution of this number.")
@click.option("--state", metavar="CONDITION", help="An execution that ends so, as in `1:r0=1 /\\ x=2`.")
@click.option("--commands", is_flag=True, help="Draw how the commands of the test are ordered, and by which rules.")
@click.option("--list", "lists", is_flag=True, help="List the executions with their numbers.")
@drawing_format_option(_FORMATS)
@file_option
@click.option(
    "--relation", "-r", "relations", multiple=True, metavar="NAME", help="Draw this relation too (several times)."
)
@without_option("Leave this rule of the model out")
@bound_option
@timeout_option("test")
@memory_option("--memory", "--memory-limit", "memory")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw text in ASCII alone.")
@kernel_options
def command(
    tests: tuple[str, ...],
    model: str | None,
    number: int | None,
    state: str | None,
    commands: bool,
    lists: bool,
    format_: str | None,
    output: str | None,
    relations: tuple[str, ...],
    without: tuple[str, ...],
    bound: int | None,
    timeout: float | None,
    memory: int | None,
    ascii_only: bool,
) -> int:
    """Draw an execution of a litmus test.

    Without --execution or --state it is the one that shows best why the verdict is what it is: a race, or an execution
    that satisfies the condition. A page (html) holds all of them.
    With --commands it is no execution, but the graph of what host threads and kernels enqueue.

    \b
    Examples:
      mcm show litmus/opencl/patterns/MP.rlx.litmus
      mcm show test.litmus --state '1:r0=1 /\\ 1:r1=0' -o picture.svg
      mcm show test.litmus --list
      mcm show test.litmus -o page.html
      mcm show host.litmus --commands

    \b
    Exit code: 0 something was drawn, 1 the model allows no such execution, 2 bad input or usage,
    3 undecided, and nothing was found until then, 70 a defect of mcm.
    """
    from mcm import (
        Invalid,
        Limits,
        Options,
        Unreadable,
        default_megabytes,
        render,
        shared_session,
    )
    from mcm.cli.alarm import limit_memory
    from mcm.cli.present import warn
    from mcm.cli.selection import known_models, limited, require_known_rules

    chosen = format_of(format_, output, _FORMATS)
    _require_one(tests, model, is_page=chosen == "html" and not lists)
    if number is not None and state is not None:
        message = "--execution and --state each choose an execution: give one of them"
        raise click.UsageError(message)
    limits = Limits(seconds=seconds_of(timeout), megabytes=memory or default_megabytes())
    with limited(limits):
        models = known_models(() if model is None else (model,))
    require_known_rules(models, without)
    limit_memory(limits.megabytes)
    options = Options(models=models, without=without, bound=bound, limits=limits, wants_executions=True)
    asked = _test(tests[0], state)
    if commands:
        given = {"--execution": number is not None, "--state": state is not None, "--list": lists}
        require_for_commands(chosen, given | {"--relation": bool(relations)})
        graph = drawn_commands(asked, options, chosen)
        if isinstance(graph, str):
            deliver(graph, output)
            return ExitCode.AS_EXPECTED
        return graph
    if chosen == "html" and not lists:
        return write_page(asked, options, output)
    (view,) = shared_session().page(asked, options, wants_rules=False).views
    result, exhibits = view.result, view.exhibits
    if isinstance(result, Invalid | Unreadable):
        click.echo("\n".join(map(render, result.diagnostics)), err=True)
        return ExitCode.BAD_INPUT
    if lists:
        deliver(_listed(result, exhibits), output)
        return ExitCode.AS_EXPECTED if exhibits else _nothing(result, state)
    warn(result.diagnostics)
    exhibit = _chosen(result, exhibits, number, state)
    if exhibit is None:
        return _nothing(result, state)
    is_plain = ascii_only or not _has_boxes(output)
    deliver(_drawn(exhibit, result, chosen, relations, width=_width(output), ascii_only=is_plain), output)
    return ExitCode.AS_EXPECTED


def _require_one(tests: tuple[str, ...], model: str | None, *, is_page: bool) -> None:
    """UsageError for several tests, or several models but on a page."""
    from mcm import ALL_MODELS

    if len(tests) > 1:
        message = "one test is drawn at a time (`mcm check --format html` makes pages of many)"
        raise click.UsageError(message)
    if model == ALL_MODELS and not is_page:
        message = "an execution is drawn under one model; --format html makes a page of all"
        raise click.UsageError(message)


def _test(name: str, state: str | None) -> Source | Test:
    """The test, or what asks for a state of it."""
    from mcm import asked_about, shared_session
    from mcm.cli.inputs import is_folder, read

    if is_folder(name):
        message = f"'{name}' is a folder; one test is drawn at a time (`mcm check --format html` makes pages of many)"
        raise click.UsageError(message)
    test = shared_session().parse(read(name))
    return test if state is None else asked_about(test, state, shared_session().parse)


def _chosen(result: Found, exhibits: Sequence[Exhibit], number: int | None, state: str | None) -> Exhibit | None:
    """The execution that is asked for; None where the model allows none."""
    from mcm import ExhibitKind, foremost

    if state is not None:
        ways = [one for one in exhibits if one.satisfies], [one for one in exhibits if one.kind is ExhibitKind.EXCLUDED]
        return next((one for way in ways for one in way), None)
    if number is None:
        return foremost(exhibits, result)
    if number > len(exhibits):
        message = f"there is no execution {number}, but {len(exhibits)}; `mcm show --list` lists them"
        raise click.UsageError(message)
    return exhibits[number - 1]


def _nothing(result: Found, state: str | None) -> ExitCode:
    """Say that there is nothing to draw, and why."""
    from mcm import Undecided, verdict_with_cut, visible

    what = "ends so" if state is not None else "is there to draw"
    click.echo(f"no execution of {visible(result.test or result.file)} under {visible(result.model)} {what}", err=True)
    if isinstance(result, Undecided) or not result.complete:
        click.echo(f"what was found until then: {visible(verdict_with_cut(result))}", err=True)
        return ExitCode.UNDECIDED
    return ExitCode.NOT_AS_EXPECTED


def _listed(result: Found, exhibits: Sequence[Exhibit]) -> str:
    """A line for each execution: its number, what it shows, and `*` where it satisfies the condition."""
    width = len(str(len(exhibits)))
    return _head(result) + "".join(
        f"{'*' if one.satisfies else ' '} {number:>{width}}  {one.kind.value:<8}  {_shown(one.title)}\n"
        for number, one in enumerate(exhibits, start=1)
    )


def _drawn(
    exhibit: Exhibit, result: Found, format_: str, relations: tuple[str, ...], *, width: int, ascii_only: bool
) -> str:
    """The picture; UsageError for a relation that nobody knows."""
    from mcm import did_you_mean

    title = f"{result.test} under {result.model}, {exhibit.title}"
    execution = exhibit.execution
    known = execution.drawable_names
    for name in relations:
        if name not in known:
            message = f"no relation '{name}' in {result.model}{did_you_mean(name, known)}"
            raise click.BadParameter(message, param_hint="--relation")
    match format_:
        case "svg":
            return execution.svg(title, relations, about=exhibit.about) + "\n"
        case "dot":
            return execution.dot(title, relations, about=exhibit.about)
        case _:
            drawing = execution.text(relations=relations, about=exhibit.about, width=width, ascii_only=ascii_only)
            return f"{_head(result)}{_shown(exhibit.title)}\n\n{drawing}"


def _head(result: Found) -> str:
    from mcm import verdict_with_cut

    return f"{_shown(result.test or result.file)} under {_shown(result.model)}: {_shown(verdict_with_cut(result))}\n"


def _shown(text: str) -> str:
    from mcm import visible

    return visible(text)


def _width(output: str | None) -> int:
    """How wide a drawing in text may be: a narrower terminal would break its lines."""
    if output is not None or not sys.stdout.isatty():
        return _MOST_COLUMNS
    # Imported here: few drawings are seen on a terminal as text.
    from shutil import get_terminal_size

    return min(_MOST_COLUMNS, get_terminal_size().columns)


def _has_boxes(output: str | None) -> bool:
    """Whether box characters can be written there: files are UTF-8, a terminal may be less."""
    if output is not None:
        return True
    try:
        "┌─▶…→".encode(sys.stdout.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
