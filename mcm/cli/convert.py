"""`mcm convert`: litmus tests in another language."""

from __future__ import annotations

import click

from mcm import Diagnostic, InputError, convert_test, render
from mcm.cli.exit_code import ExitCode, combine
from mcm.cli.group import Command
from mcm.cli.kernel_options import kernel_options
from mcm.cli.options import argument_of_tests


@click.command(cls=Command, short_help="Print litmus tests in another language: OpenCL C as SYCL, SYCL as OpenCL C.")
@argument_of_tests()
@click.option("--to", "language", type=click.Choice(["sycl", "opencl"]), required=True, help="The language to print.")
@kernel_options
def command(tests: tuple[str, ...], language: str) -> int:
    """Print litmus tests in another language: OpenCL C as SYCL, SYCL as OpenCL C.

    A test that exists in one language only is told with the reason, and the exit code is 2.

    \b
    Examples:
      mcm convert litmus/opencl/patterns/MP.litmus --to sycl
      mcm convert test.litmus --to opencl
      mcm convert kernels.cl --launch 'K global 4' --to sycl
    """
    from mcm.cli.inputs import find_tests

    return combine(_convert(name, language) for name in find_tests(tests))


def _convert(name: str | Diagnostic, language: str) -> ExitCode:
    from mcm.cli.inputs import read

    if isinstance(name, Diagnostic):
        return _complain(name)
    try:
        click.echo(convert_test(read(name), language), nl=False)
    except InputError as error:
        return _complain(*error.diagnostics)
    return ExitCode.AS_EXPECTED


def _complain(*diagnostics: Diagnostic) -> ExitCode:
    click.echo("\n".join(map(render, diagnostics)), err=True)
    return ExitCode.BAD_INPUT
