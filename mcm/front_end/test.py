"""A test, read once: what is checked, run, printed and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcm.base.diagnostic import InputError

if TYPE_CHECKING:
    from mcm.base.diagnostic import Diagnostic
    from mcm.base.source import Source
    from mcm.program.header import Header
    from mcm.program.program import Program
    from mcm.syntax.ast import Litmus

    # What was written, as the syntax of each front end has it; a further front end adds its own kind of tree.
    Tree = Litmus


class Test(Struct, frozen=True):
    """A test that is right: its header, what was written, and the program that this means.

    `diagnostics` are warnings, in order of position.
    """

    # Not a test of pytest's, which would collect the class where it is imported.
    __test__ = False

    header: Header
    tree: Tree
    program: Program
    diagnostics: tuple[Diagnostic, ...]

    @property
    def source(self) -> Source:
        """The text."""
        return self.tree.span.source


class InvalidTestError(InputError):
    """The syntax of a test is right, but it is no program, or its key lines are wrong; `header` is what it says."""

    def __init__(self, header: Header, *diagnostics: Diagnostic) -> None:
        super().__init__(*diagnostics)
        self.header = header
