"""The options that several commands take, each in one wording."""

from __future__ import annotations

from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.decorators import FC
    from click.shell_completion import CompletionItem


class _Seconds(click.FloatRange):
    """More than 0 seconds; `inf` is no limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that a word stands for; usage error if it is none."""
        try:
            is_number = not isnan(float(value))
        except ValueError:
            is_number = False
        if not is_number:
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        seconds: float = super().convert(value, param, ctx)
        return seconds


class PathName(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """The path of a file or a folder, of which `click.Path` says what it may be.

    That is made when there is a path: it looks for translations of its words, which takes longer than the rest of a
    command line.
    """

    name = "path"

    def __init__(self, *, exists: bool = False, file_okay: bool = True, dir_okay: bool = True) -> None:
        self._type: Final = partial(click.Path, exists=exists, file_okay=file_okay, dir_okay=dir_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; usage error if it may not be what it is."""
        return self._type().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The paths that begin so, as the shell finds them."""
        return self._type().shell_complete(ctx, param, incomplete)


def argument_of_tests(metavar: str = "FILE|DIR|@LIST|-…") -> Callable[[FC], FC]:
    """The tests, as the parameter `tests`; shells complete them as paths."""
    return click.argument("tests", metavar=metavar, nargs=-1, required=True, shell_complete=complete_path)


def complete_path(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The paths that begin so; the list of an `@LIST` is one, too, which the shell does not see."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(begun, type="file")]


_SECONDS: Final = _Seconds(min=0, min_open=True)

engine_option: Final = click.option(
    "--engine", type=click.Choice(["auto", "explicit", "smt"]), default="auto", show_default=True
)
bound_option: Final = click.option(
    "--bound",
    type=click.IntRange(min=0),
    default=None,
    show_default="2; as many as runs of the machine need, where 2 decide nothing",
    help="Iterations of a loop whose end depends on memory.",
)
accept_bounded_option: Final = click.option(
    "--accept-bounded", is_flag=True, help="Take what holds within the bound for an answer."
)
file_option: Final = click.option("--output", "-o", type=PathName(dir_okay=False), metavar="FILE", help="Write there.")


def complete_model(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The built-in models that begin so; paths of files as the shell completes them."""
    from click.shell_completion import CompletionItem

    from mcm import models

    named = [CompletionItem(name) for name in ("all", *models()) if name.startswith(begun)]
    return named or [CompletionItem(begun, type="file")]


def complete_rule(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The IDs that begin so, of the rules of the default models."""
    from click.shell_completion import CompletionItem

    from mcm import DIALECTS, rules

    stated = (entry.rule.identifier for dialect in DIALECTS for entry in rules(dialect.default_model))
    return [CompletionItem(rule) for rule in dict.fromkeys(stated) if rule.startswith(begun.upper())]


def complete_model_or_rule(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The models and the rules that begin so; paths where there are none."""
    return [
        *(item for item in complete_model(context, parameter, begun) if item.type == "plain" and item.value != "all"),
        *complete_rule(context, parameter, begun),
    ] or complete_path(context, parameter, begun)


def jobs_of(tasks: str) -> Callable[[FC], FC]:
    """How many processes share some tasks, as the parameter `jobs`."""
    text = f"Worker processes for {tasks}.  [default: one a core]"
    return click.option("--jobs", "-j", type=click.IntRange(min=1), help=text)


jobs_option: Final = jobs_of("several files")


def models_option(text: str) -> Callable[[FC], FC]:
    """The models, as the parameter `models`; `text` says what they are for."""
    return click.option(
        "--model",
        "-m",
        "models",
        multiple=True,
        metavar="NAME|FILE.cat",
        shell_complete=complete_model,
        help=text,
    )


def without_option(does: str) -> Callable[[FC], FC]:
    """Rules that are switched off; `does` says what the command then does."""
    return click.option(
        "--without", multiple=True, metavar="RULE", shell_complete=complete_rule, help=f"{does} (several times)."
    )


def timeout_option(of: str) -> Callable[[FC], FC]:
    """The limit of time, for :func:`mcm.cli.seconds.seconds_of`; `of` says of what."""
    return click.option(
        "--timeout", type=_SECONDS, metavar="SECONDS", help=f"For each {of}; `inf` for none.  [default: 60]"
    )


def memory_option(*names: str) -> Callable[[FC], FC]:
    """The limit of memory under the given names."""
    return click.option(
        *names,
        type=click.IntRange(min=1),
        metavar="MB",
        help="For each test.  [default: half of the machine's, at most 4096]",
    )


def include_option(text: str) -> Callable[[FC], FC]:
    """Folders to include from, as the parameter `folders`; `text` says which files may."""
    return click.option(
        "--include",
        "folders",
        multiple=True,
        type=PathName(exists=True, file_okay=False),
        metavar="DIR",
        help=text,
    )


def drawing_format_option(formats: Sequence[str]) -> Callable[[FC], FC]:
    """One of the formats, as the parameter `format_`; None leaves it to the name of the output."""
    return click.option(
        "--format",
        "-f",
        "format_",
        type=click.Choice(formats),
        help="[default: text, or what the name of the output says]",
    )


def format_option(*formats: str) -> Callable[[FC], FC]:
    """One of the formats, as the parameter `format_`; the first is the default."""
    return click.option("--format", "-f", "format_", type=click.Choice(formats), default=formats[0], show_default=True)
