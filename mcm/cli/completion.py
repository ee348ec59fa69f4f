"""How shells go on with the values of options."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem


def complete_model(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """The built-in models that begin so; paths of files as the shell completes them."""
    from click.shell_completion import CompletionItem

    from mcm import models

    named = [CompletionItem(name) for name in ("all", *models()) if name.startswith(begun)]
    return named or [CompletionItem(begun, type="file")]
