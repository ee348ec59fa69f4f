"""`mcm explain`: why a test has the result that it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from mcm.cli.exit_code import ExitCode
from mcm.cli.formats import format_of
from mcm.cli.group import Command
from mcm.cli.kernel_options import kernel_options
from mcm.cli.options import (
    bound_option,
    complete_path,
    drawing_format_option,
    engine_option,
    file_option,
    memory_option,
    models_option,
    timeout_option,
    without_option,
)
from mcm.cli.output import deliver
from mcm.cli.page_file import write_page
from mcm.cli.seconds import seconds_of

if TYPE_CHECKING:
    from mcm import Explanation

_FORMATS: Final = ("text", "html", "svg", "dot", "json")


@click.command(cls=Command, short_help="Say why an outcome is forbidden or allowed, or what is wrong with a test.")
@click.argument("test", metavar="FILE|-", shell_complete=complete_path)
@models_option("A built-in model or a file; several are compared.")
@click.option("--state", metavar="CONDITION", help="Explain this outcome instead of the test's: '1:r0=1 /\\ 1:r1=0'.")
@click.option("--race", "number", type=click.IntRange(min=1), help="Explain the race or other problem of this number.")
@click.option("--all", "everything", is_flag=True, help="Explain every problem, and the outcome.")
@without_option("Explain by the model without this rule")
@engine_option
@bound_option
@timeout_option("model")
@memory_option("--memory", "--memory-limit", "memory")
@drawing_format_option(_FORMATS)
@file_option
@kernel_options
def command(
    test: str,
    models: tuple[str, ...],
    state: str | None,
    number: int | None,
    everything: bool,
    without: tuple[str, ...],
    engine: str,
    bound: int | None,
    timeout: float | None,
    memory: int | None,
    format_: str | None,
    output: str | None,
) -> int:
    """Say why a test has the result that it has.

    For a forbidden outcome: the rules that it takes, and for each way in which it could come about what breaks one of
    them, step by step. For an allowed one: an execution close to an interleaving, and what would forbid it. For a race
    or another problem: how it comes about, and the condition that fails.
    A picture (svg, dot) draws what is explained first, a page (html) all there is to say about the test.

    \b
    Examples:
      mcm explain litmus/opencl/patterns/MP.dv.litmus
      mcm explain test.litmus --state '1:r0=1 /\\ 1:r1=0'
      mcm explain test.litmus -m opencl-3.0 -m opencl-3.1
      mcm explain test.litmus -o why.svg

    \b
    Exit code: 0 explained, 2 bad input or usage, 3 nothing can be explained (undecided), 70 a defect of mcm.
    """
    from mcm import (
        EngineName,
        InputError,
        LimitReachedError,
        Limits,
        Options,
        asked_about,
        default_megabytes,
        render,
        shared_session,
    )
    from mcm.cli.alarm import limit_memory
    from mcm.cli.inputs import read
    from mcm.cli.present import warn
    from mcm.cli.selection import known_models, limited, require_known_rules

    if state is not None and number is not None:
        message = "explains a problem, and --state an outcome; give one of the two"
        raise click.BadParameter(message, param_hint="--race")
    limits = Limits(seconds=seconds_of(timeout), megabytes=memory or default_megabytes())
    with limited(limits):
        chosen_models = known_models(models)
    require_known_rules(chosen_models, without)
    limit_memory(limits.megabytes)
    options = Options(models=chosen_models, without=without, engine=EngineName(engine), bound=bound, limits=limits)
    chosen = format_of(format_, output, _FORMATS)
    session = shared_session()
    try:
        source = read(test)
        asked = None if state is None else asked_about(session.parse(source), state, session.parse)
        if chosen == "html":
            return write_page(source if asked is None else asked.source, options, output)
        explanations = session.explanations(source, options, state=state, problem=number, everything=everything)
    except InputError as error:
        click.echo("\n".join(map(render, error.diagnostics)), err=True)
        return ExitCode.BAD_INPUT
    except (LimitReachedError, MemoryError) as reached:
        reason = reached.reason if isinstance(reached, LimitReachedError) else "memory"
        click.echo(f"{test}: nothing was explained within the limits ({reason})", err=True)
        return ExitCode.UNDECIDED
    warn((asked or session.parse(source)).diagnostics)
    if number is not None and not explanations:
        message = f"the test has no problem number {number}"
        raise click.BadParameter(message, param_hint="--race")
    if chosen in {"svg", "dot"}:
        return _draw(explanations, chosen, output)
    deliver(_shown(explanations, chosen, to_file=output is not None), output)
    return _exit_code(explanations)


def _exit_code(explanations: tuple[Explanation, ...]) -> ExitCode:
    is_open = any(one.kind.value == "undecided" for one in explanations)
    return ExitCode.UNDECIDED if is_open else ExitCode.AS_EXPECTED


def _draw(explanations: tuple[Explanation, ...], format_: str, output: str | None) -> int:
    """Draw the first of all executions that are told; what else there is, is said."""
    from mcm import exhibits_told, visible

    drawn = [(one, exhibit) for one in explanations for exhibit in exhibits_told(one)]
    if not drawn:
        click.echo("there is no execution to draw; without --format it is told why", err=True)
        return _exit_code(explanations)
    explanation, exhibit = drawn[0]
    title = f"{explanation.test} under {explanation.model}, {exhibit.title}"
    execution, about = exhibit.execution, exhibit.about
    picture = f"{execution.svg(title, about=about)}\n" if format_ == "svg" else execution.dot(title, about=about)
    deliver(picture, output)
    if len(drawn) > 1:
        click.echo(f"drawn: {visible(exhibit.title)}, the first of {len(drawn)}; --format html has all", err=True)
    return ExitCode.AS_EXPECTED


def _shown(explanations: tuple[Explanation, ...], format_: str, *, to_file: bool) -> str:
    if format_ == "json":
        from mcm import render_explanations_json

        return render_explanations_json(explanations) + "\n"
    from mcm import Palette, render_explanations
    from mcm.cli.present import wants_colour

    return render_explanations(explanations, Palette(wants_colour() and not to_file))
