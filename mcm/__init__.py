"""mcm: what the OpenCL, SYCL and C11 memory models allow.

`docs/library.md` describes what this module offers. Each name is imported when it is first used, so that `import mcm`
and the command line stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from mcm.version import __version__

if TYPE_CHECKING:
    from mcm.answer.compared_logs import Log, LogComparison, LogDifferenceKind
    from mcm.answer.execution import ExecutedEvent, Execution
    from mcm.answer.exhibit import Exhibit, ExhibitKind, exhibits_of, foremost
    from mcm.answer.explanation import Derivation, Explanation, Story
    from mcm.answer.machine_comparison import MachineComparison
    from mcm.answer.progress import Progress
    from mcm.answer.query import Limits, SolverName
    from mcm.answer.result import (
        BOUND,
        BlockedExecution,
        Checked,
        Found,
        Invalid,
        Judged,
        Observation,
        Problem,
        Result,
        Separation,
        Site,
        Status,
        Undecided,
        Unreadable,
        Verdict,
        WaitingUnit,
        without_executions,
    )
    from mcm.answer.run_result import BlockedRuns, NotRun, RunResult, StateCount, Trace, TraceLine
    from mcm.answer.shown_states import ShownState
    from mcm.answer.suite import JudgedTest, Judgement, Place, Standing
    from mcm.api import check, check_all, commands, load_model, models, parse, rules, run, shared_session
    from mcm.base.deadline import LimitReachedError, poll, time_limit
    from mcm.base.diagnostic import Diagnostic, InputError, Note, Severity, render
    from mcm.base.dialect import DIALECTS, OPENCL
    from mcm.base.source import Source, Span
    from mcm.base.suggest import did_you_mean
    from mcm.base.visible import visible
    from mcm.catalogue.library import ALL_MODELS, ChosenModel
    from mcm.catalogue.registry import MODEL_DATES, UnknownModelError
    from mcm.catalogue.rules import RuleEntry
    from mcm.command_graph.graph import CommandGraph
    from mcm.command_graph.render import render_commands
    from mcm.convert.convert import convert_test
    from mcm.engine.choose import EngineName
    from mcm.engine.smt.solver import missing_distribution
    from mcm.execute import RunOptions, without_progress
    from mcm.execution.elaborate import MOST_EVENTS
    from mcm.execution.skeleton import FAULT_RULES
    from mcm.execution.vocabulary import ALIASES, RELATIONS, SETS
    from mcm.explain.told import exhibits_told
    from mcm.front_end.kernel_source import KernelRequest, KernelSource
    from mcm.front_end.question import asked_about, with_question
    from mcm.front_end.read import format_test
    from mcm.front_end.test import InvalidTestError, Test
    from mcm.keywords import DEFAULT_SECONDS, default_megabytes
    from mcm.machine.exhaustive import Budget
    from mcm.machine.schedule import ReplayError, Schedule, ScheduleError, read_schedule
    from mcm.program.capability import UnknownFeatureError, profile
    from mcm.program.header import Expectation
    from mcm.queries import Options
    from mcm.report.colour import Palette
    from mcm.report.explanation_json import render_explanations_json
    from mcm.report.explanation_text import render_explanations
    from mcm.report.herd import herd_pieces, render_herd
    from mcm.report.histogram import render_histogram, render_remarks
    from mcm.report.json_format import json_pieces, render_json
    from mcm.report.json_lines import JsonLines
    from mcm.report.machine_comparison import (
        machine_comparison_pieces,
        render_machine_comparison,
        render_machine_remarks,
    )
    from mcm.report.pages.index import Entry, render_index
    from mcm.report.pages.page import render_page
    from mcm.report.run_json import render_runs_json
    from mcm.report.suite.github import render_annotations
    from mcm.report.suite.junit import case_name, render_junit
    from mcm.report.suite.log_comparison import render_log_comparison, render_log_comparison_json
    from mcm.report.suite.records import render_suite_json
    from mcm.report.suite.sarif import render_sarif
    from mcm.report.suite.tap import render_tap
    from mcm.report.suite.text import render_judgement, render_totals
    from mcm.report.summary import render_summary
    from mcm.report.text import render_tests, render_text
    from mcm.report.trace import render_trace
    from mcm.report.words import verdict_with_cut
    from mcm.session import PENDING, Session, names_of
    from mcm.suite.comparison import compare_logs
    from mcm.suite.earlier import (
        Earlier,
        KnownModel,
        KnownTest,
        key_of,
        known_model,
        line_of,
        models_of,
        parse_results,
        taken_over,
        whole_file,
        with_changed_rules,
    )
    from mcm.suite.judge import NOT_BEGUN, expectations, judge, judge_expectations, not_judged, unreadable_judgement
    from mcm.suite.logs import log_of, read_log
    from mcm.suite.matching import match_rows
    from mcm.suite.tables import read_table
    from mcm.suite.update import files_to_change, restate
    from mcm.syntax.read import DEFAULT_LIMIT, decode_source, read_source

__all__ = [
    "ALIASES",
    "ALL_MODELS",
    "BOUND",
    "DEFAULT_LIMIT",
    "DEFAULT_SECONDS",
    "DIALECTS",
    "FAULT_RULES",
    "MODEL_DATES",
    "MOST_EVENTS",
    "NOT_BEGUN",
    "OPENCL",
    "PENDING",
    "RELATIONS",
    "SETS",
    "BlockedExecution",
    "BlockedRuns",
    "Budget",
    "Checked",
    "ChosenModel",
    "CommandGraph",
    "Derivation",
    "Diagnostic",
    "Earlier",
    "EngineName",
    "Entry",
    "ExecutedEvent",
    "Execution",
    "Exhibit",
    "ExhibitKind",
    "Expectation",
    "Explanation",
    "Found",
    "InputError",
    "Invalid",
    "InvalidTestError",
    "JsonLines",
    "Judged",
    "JudgedTest",
    "Judgement",
    "KernelRequest",
    "KernelSource",
    "KnownModel",
    "KnownTest",
    "LimitReachedError",
    "Limits",
    "Log",
    "LogComparison",
    "LogDifferenceKind",
    "MachineComparison",
    "NotRun",
    "Note",
    "Observation",
    "Options",
    "Palette",
    "Place",
    "Problem",
    "Progress",
    "ReplayError",
    "Result",
    "RuleEntry",
    "RunOptions",
    "RunResult",
    "Schedule",
    "ScheduleError",
    "Separation",
    "Session",
    "Severity",
    "ShownState",
    "Site",
    "SolverName",
    "Source",
    "Span",
    "Standing",
    "StateCount",
    "Status",
    "Story",
    "Test",
    "Trace",
    "TraceLine",
    "Undecided",
    "UnknownFeatureError",
    "UnknownModelError",
    "Unreadable",
    "Verdict",
    "WaitingUnit",
    "__version__",
    "asked_about",
    "case_name",
    "check",
    "check_all",
    "commands",
    "compare_logs",
    "convert_test",
    "decode_source",
    "default_megabytes",
    "did_you_mean",
    "exhibits_of",
    "exhibits_told",
    "expectations",
    "files_to_change",
    "foremost",
    "format_test",
    "herd_pieces",
    "json_pieces",
    "judge",
    "judge_expectations",
    "key_of",
    "known_model",
    "line_of",
    "load_model",
    "log_of",
    "machine_comparison_pieces",
    "match_rows",
    "missing_distribution",
    "models",
    "models_of",
    "names_of",
    "not_judged",
    "parse",
    "parse_results",
    "poll",
    "profile",
    "read_log",
    "read_schedule",
    "read_source",
    "read_table",
    "render",
    "render_annotations",
    "render_commands",
    "render_explanations",
    "render_explanations_json",
    "render_herd",
    "render_histogram",
    "render_index",
    "render_json",
    "render_judgement",
    "render_junit",
    "render_log_comparison",
    "render_log_comparison_json",
    "render_machine_comparison",
    "render_machine_remarks",
    "render_page",
    "render_remarks",
    "render_runs_json",
    "render_sarif",
    "render_suite_json",
    "render_summary",
    "render_tap",
    "render_tests",
    "render_text",
    "render_totals",
    "render_trace",
    "restate",
    "rules",
    "run",
    "shared_session",
    "taken_over",
    "time_limit",
    "unreadable_judgement",
    "verdict_with_cut",
    "visible",
    "whole_file",
    "with_changed_rules",
    "with_question",
    "without_executions",
    "without_progress",
]

# Where each name comes from; the imports above say the same to type checkers.
_MODULES: Final = {
    "mcm.answer.execution": ("ExecutedEvent", "Execution"),
    "mcm.answer.exhibit": ("Exhibit", "ExhibitKind", "exhibits_of", "foremost"),
    "mcm.answer.explanation": ("Derivation", "Explanation", "Story"),
    "mcm.answer.machine_comparison": ("MachineComparison",),
    "mcm.answer.query": ("Limits", "SolverName"),
    "mcm.answer.progress": ("Progress",),
    "mcm.answer.result": (
        "BOUND",
        "BlockedExecution",
        "Checked",
        "Found",
        "Invalid",
        "Judged",
        "Observation",
        "Site",
        "Problem",
        "Result",
        "Separation",
        "Status",
        "Undecided",
        "Unreadable",
        "Verdict",
        "WaitingUnit",
        "without_executions",
    ),
    "mcm.answer.run_result": ("BlockedRuns", "NotRun", "RunResult", "StateCount", "Trace", "TraceLine"),
    "mcm.answer.shown_states": ("ShownState",),
    "mcm.api": ("check", "check_all", "commands", "load_model", "models", "parse", "rules", "run", "shared_session"),
    "mcm.base.deadline": ("LimitReachedError", "poll", "time_limit", "without_solvers"),
    "mcm.base.dialect": ("DIALECTS", "OPENCL"),
    "mcm.base.diagnostic": ("Diagnostic", "InputError", "Note", "Severity", "render"),
    "mcm.base.source": ("Source", "Span"),
    "mcm.base.suggest": ("did_you_mean",),
    "mcm.base.visible": ("visible",),
    "mcm.catalogue.library": ("ALL_MODELS", "ChosenModel"),
    "mcm.catalogue.registry": ("MODEL_DATES", "UnknownModelError"),
    "mcm.catalogue.rules": ("RuleEntry",),
    "mcm.command_graph.graph": ("CommandGraph",),
    "mcm.command_graph.render": ("render_commands",),
    "mcm.engine.choose": ("EngineName",),
    "mcm.engine.smt.solver": ("missing_distribution",),
    "mcm.execute": ("RunOptions", "without_progress"),
    "mcm.execution.elaborate": ("MOST_EVENTS",),
    "mcm.execution.skeleton": ("FAULT_RULES",),
    "mcm.execution.vocabulary": ("ALIASES", "RELATIONS", "SETS"),
    "mcm.front_end.kernel_source": ("KernelRequest", "KernelSource"),
    "mcm.front_end.question": ("asked_about", "with_question"),
    "mcm.convert.convert": ("convert_test",),
    "mcm.front_end.read": ("format_test",),
    "mcm.front_end.test": ("InvalidTestError", "Test"),
    "mcm.keywords": ("DEFAULT_SECONDS", "default_megabytes"),
    "mcm.machine.exhaustive": ("Budget",),
    "mcm.machine.schedule": ("ReplayError", "Schedule", "ScheduleError", "read_schedule"),
    "mcm.queries": ("Options",),
    "mcm.program.capability": ("UnknownFeatureError", "profile"),
    "mcm.report.colour": ("Palette",),
    "mcm.report.explanation_json": ("render_explanations_json",),
    "mcm.report.explanation_text": ("render_explanations",),
    "mcm.report.herd": ("herd_pieces", "render_herd"),
    "mcm.report.histogram": ("render_histogram", "render_remarks"),
    "mcm.report.json_format": ("json_pieces", "render_json"),
    "mcm.report.json_lines": ("JsonLines",),
    "mcm.report.machine_comparison": (
        "render_machine_comparison",
        "machine_comparison_pieces",
        "render_machine_remarks",
    ),
    "mcm.report.pages.index": ("Entry", "render_index"),
    "mcm.explain.told": ("exhibits_told",),
    "mcm.report.pages.page": ("render_page",),
    "mcm.report.run_json": ("render_runs_json",),
    "mcm.report.summary": ("render_summary",),
    "mcm.report.text": ("render_tests", "render_text"),
    "mcm.report.trace": ("render_trace",),
    "mcm.report.words": ("verdict_with_cut",),
    "mcm.session": ("PENDING", "Session", "names_of"),
    "mcm.answer.suite": ("JudgedTest", "Judgement", "Place", "Standing"),
    "mcm.suite.judge": (
        "NOT_BEGUN",
        "expectations",
        "judge",
        "judge_expectations",
        "not_judged",
        "unreadable_judgement",
    ),
    "mcm.report.suite.text": ("render_judgement", "render_totals"),
    "mcm.program.header": ("Expectation",),
    "mcm.suite.tables": ("read_table",),
    "mcm.suite.matching": ("match_rows",),
    "mcm.suite.update": ("files_to_change", "restate"),
    "mcm.report.suite.records": ("render_suite_json",),
    "mcm.report.suite.junit": ("case_name", "render_junit"),
    "mcm.report.suite.tap": ("render_tap",),
    "mcm.report.suite.sarif": ("render_sarif",),
    "mcm.report.suite.github": ("render_annotations",),
    "mcm.suite.earlier": (
        "Earlier",
        "KnownModel",
        "KnownTest",
        "key_of",
        "known_model",
        "line_of",
        "models_of",
        "parse_results",
        "taken_over",
        "whole_file",
        "with_changed_rules",
    ),
    "mcm.answer.compared_logs": ("Log", "LogComparison", "LogDifferenceKind"),
    "mcm.suite.logs": ("log_of", "read_log"),
    "mcm.suite.comparison": ("compare_logs",),
    "mcm.report.suite.log_comparison": ("render_log_comparison", "render_log_comparison_json"),
    "mcm.syntax.read": ("DEFAULT_LIMIT", "decode_source", "read_source"),
}
_HOME: Final = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used."""
    if name not in _HOME:
        message = f"module 'mcm' has no attribute '{name}'"
        raise AttributeError(message)
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    """The public names."""
    return __all__
