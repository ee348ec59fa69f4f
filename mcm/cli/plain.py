"""Command lines of `mcm check` that have nothing but files, built-in models, `-q` and `-j`, read without click.

To import click takes longer than to check a small test. Whatever is not read here is left to click, and so is what may
be wrong with a command line: it alone knows the options and their usage.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mcm.cli.commands import COMMANDS
from mcm.cli.settings import settings_for

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CHECK: Final = "check"
_MODEL: Final = ("--model", "-m")
_QUIET: Final = ("--quiet", "-q")
_JOBS: Final = ("--jobs", "-j")
_DIGITS: Final = 5
# Standard input and options; lists of files; how the names of files of code end, about which options may say more.
_SPECIAL: Final = ("-", "@")
_KERNELS: Final = (".cl", ".cpp", ".cc", ".cxx")


def plain_check(words: Sequence[str]) -> Callable[[], int] | None:
    """The check that a command line asks for; None where that is for click to say."""
    if len(words) < 2 or words[0] != _CHECK:
        return None
    files, models = [], []
    quiet, jobs = False, None
    left = iter(words[1:])
    for word in left:
        if word in _MODEL:
            models.append(next(left, ""))
        elif word in _QUIET:
            quiet = True
        elif word in _JOBS:
            jobs = _number(next(left, ""))
            if jobs is None:
                return None
        elif word.startswith(_SPECIAL) or word.endswith(_KERNELS):
            return None
        else:
            files.append(word)
    if not files or not _are_built_in(models) or settings_for(_CHECK, COMMANDS) is not None:
        return None
    from mcm.cli.check_tests import check_tests

    return partial(check_tests, tuple(files), models=tuple(models), jobs=jobs, quiet=quiet)


def _number(word: str) -> int | None:
    """The number that a word is, if it is a small one and not 0; None for whatever else click may make of it."""
    return int(word) or None if word.isascii() and word.isdigit() and len(word) < _DIGITS else None


def _are_built_in(models: Sequence[str]) -> bool:
    from mcm import models as known

    return set(models) <= set(known())
