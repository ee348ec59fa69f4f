"""The options of every command that takes kernel files (`.cl`) and programs (`.cpp`).

They say what to launch, with which arguments a program is run, what to ask, and where to look.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import click

from mcm.cli.options import include_option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.decorators import FC

_PROGRAMS: Final = (".cpp", ".cc", ".cxx")
_SUFFIXES: Final = (".cl", *_PROGRAMS)
_OPTIONS: Final = ("--launch", "--define", "--init", "--exists", "--forall", "--require")

require_option: Final = click.option(
    "--require",
    "required",
    multiple=True,
    metavar="WORDS",
    help="What has to be so of a .cl or .cpp file, as behind `Expect.` in a test: `no-race`.",
)


def kernel_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options; its parameter `tests`, or `test`, are the files."""

    @wraps(command)
    def with_kernels(
        *arguments: Any,
        launches: Sequence[str],
        definitions: Sequence[str],
        initial: Sequence[str],
        arguments_of_program: Sequence[str],
        exists: Sequence[str],
        forall: Sequence[str],
        folders: Sequence[str],
        **named: Any,
    ) -> int:
        given = (launches, definitions, initial, exists, forall, named.pop("required", ()))
        tests = named["tests"] if "tests" in named else (named["test"],)
        _take(tests, given, tuple(folders), _split(arguments_of_program, tests))
        return command(*arguments, **named)

    options: tuple[Callable[[FC], FC], ...] = (
        click.option(
            "--launch",
            "launches",
            multiple=True,
            metavar="'K global N, local M'",
            help="Kernel of a .cl file; 'global 8 4' has two dimensions.",
        ),
        click.option(
            "--define", "-D", "definitions", multiple=True, metavar="NAME[=VALUE]", help="For a .cl or .cpp file."
        ),
        click.option("--init", "initial", multiple=True, metavar="'x = {1, 2}'", help="Buffers of a .cl file."),
        click.option(
            "--args",
            "arguments_of_program",
            multiple=True,
            metavar="'A B'",
            help="What a .cpp file is run with, as in a shell: argv[1] is A.  [default: nothing, argc is 1]",
        ),
        click.option("--exists", multiple=True, metavar="CONDITION", help="Ask this of a .cl or .cpp file."),
        click.option("--forall", multiple=True, metavar="CONDITION", help="Ask this of a .cl or .cpp file."),
        include_option("A folder whose files models, .cl and .cpp files may include, beside their own."),
    )
    decorated: Callable[..., int] = with_kernels
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def _split(texts: Sequence[str], tests: Sequence[str]) -> tuple[str, ...]:
    """The arguments that texts name, as a shell takes them apart; usage error where no program has them."""
    if not texts:
        return ()
    if not any(test.endswith(_PROGRAMS) for test in tests):
        message = "--args is for SYCL programs (.cpp)"
        raise click.UsageError(message)
    # Imported here: few programs are given arguments.
    import shlex

    try:
        return tuple(word for text in texts for word in shlex.split(text))
    except ValueError as error:
        message = f"--args {texts[-1]!r}: {str(error).lower()}"
        raise click.UsageError(message) from None


def _take(
    tests: Sequence[str], given: tuple[Sequence[str], ...], folders: tuple[str, ...], arguments: tuple[str, ...]
) -> None:
    from mcm import KernelRequest, shared_session

    shared_session().include_from(folders)
    for option, values in zip(_OPTIONS, given, strict=True):
        if values and not any(test.endswith(_SUFFIXES) for test in tests):
            message = f"{option} is for kernel files (.cl) and SYCL programs (.cpp)"
            raise click.UsageError(message)
    launches, definitions, initial, exists, forall, required = map(tuple, given)
    questions = (*(f"exists {text}" for text in exists), *(f"forall {text}" for text in forall))
    request = KernelRequest(launches, definitions, initial, questions, folders, arguments, required)
    shared_session().take_kernels(request)
