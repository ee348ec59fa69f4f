"""Texts besides tests and models: SYCL, tests in the other language, tables of expectations, logs, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fuzz import corpus
from fuzz.complaint import CounterexampleError, require_drawable
from fuzz.mutators import exchanged, mangled
from mcm import InputError, Source, convert_test, format_test, read_log, read_table
from mcm.convert.convert import LANGUAGES
from mcm.front_end.read import read_test

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

TABLES: Final = (
    'file,model,expect\n# a comment\na/b.litmus,c11,Never no-race\n"c, d.litmus",rc11,"Sometimes race"\ne,,\n',
    "file,holds,race_free,holds_rc11\nx.litmus,1,0,\ny.litmus,,1,0\n",
    "litmus/C11/a.litmus,1\nlitmus/C11/b.litmus, 0\n",
    "SB Allowed\nMP Forbid\nCoRR Required\n",
)
LOGS: Final = (
    (
        "Test SB Allowed\nStates 2\n0:r0=0; 1:r0=0;\n0:r0=1; [x]=&y;\nOk\nWitnesses\nPositive: 1 Negative: 1\n"
        "Flag data_race\nCondition exists (0:r0=0)\nObservation SB Sometimes 1 1\nTime SB 0.00\nHash=1\n\n"
    ),
    (
        '{"tool": "mcm", "version": "1", "results": [{"file": "a", "test": "SB", "model": "c11", "status": "ok", '
        '"complete": true, '
        '"states": [{"values": {"0:r0": 0, "x": "&y"}, "satisfies": true, "executions": null}], "undefined": []}]}\n'
    ),
)
SETTINGS: Final = (
    'model = ["opencl-3.1"]\ntimeout = 10\njobs = 2\n\n[check]\nbound = 3\nformat = "text"\n\n[test]\nbound = 1\n',
    '[check]\nmodel = ["c11", "all"]\naccept-bounded = true\n[run]\nseed = 7\n',
)


def sycl_text(random: Random) -> str:
    """A test of SYCL with changes, most of them such that it can still be read."""
    text = random.choice(corpus.sycl_tests())
    return exchanged(random, text) if random.random() < 0.5 else mangled(random, text, corpus.sycl_tests())


def table_text(random: Random) -> str:
    """A table of expectations, or a log, with changes."""
    return mangled(random, random.choice((*TABLES, *LOGS)), (*TABLES, *LOGS))


def settings_text(random: Random) -> str:
    """Settings with changes."""
    change: Callable[[Random, str], str] = exchanged if random.random() < 0.5 else _mangled_settings
    return change(random, random.choice(SETTINGS))


def _mangled_settings(random: Random, text: str) -> str:
    return mangled(random, text, SETTINGS)


def lay_out(text: str) -> None:
    """A text is a test whose standard layout is that of itself, or there is a complaint that can be drawn."""
    try:
        read_test(Source("t.litmus", text))
    except InputError as error:
        require_drawable(error)
        return
    try:
        printed = format_test(Source("t.litmus", text))
    except InputError as error:
        # Of a test that names types, the names would be lost.
        if [one.code for one in error.diagnostics] != ["E050"]:
            raise
        require_drawable(error)
        return
    if format_test(Source("printed.litmus", printed)) != printed:
        raise CounterexampleError("the layout is not stable", printed)


def convert(text: str) -> None:
    """A test has a form in each language that is laid out, or there is a complaint that can be drawn."""
    for language in LANGUAGES:
        try:
            converted = convert_test(Source("t.litmus", text), language)
        except InputError as error:
            require_drawable(error)
            continue
        if format_test(Source("converted.litmus", converted)) != converted:
            raise CounterexampleError("what was converted is not laid out", converted)


def read_expectations(text: str) -> None:
    """A text is a table, and a log, or there are complaints that can be drawn."""
    for read in (read_table, read_log):
        try:
            read(Source("t.csv", text))
        except InputError as error:
            require_drawable(error)
