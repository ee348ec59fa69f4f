"""One page about one test, in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm.cli.exit_code import ExitCode
from mcm.cli.output import deliver

if TYPE_CHECKING:
    from mcm import Options, Source, Test


def write_page(test: Source | Test, options: Options, output: str | None) -> ExitCode:
    """Write the page of a test, or without `output` print it."""
    from mcm import Invalid, Unreadable, render_page, shared_session

    page = shared_session().page(test, options)
    deliver(render_page(page), output)
    is_bad = any(isinstance(view.result, Invalid | Unreadable) for view in page.views)
    return ExitCode.BAD_INPUT if is_bad else ExitCode.AS_EXPECTED
