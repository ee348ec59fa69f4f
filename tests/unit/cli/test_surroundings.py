"""Whatever surrounds a command - files, streams, signals - is named, and changes nothing else."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mcm import Diagnostic, KernelRequest, Options, Undecided, time_limit
from mcm.cli.exit_code import ExitCode
from mcm.cli.inputs import find_tests
from mcm.cli.present import wants_colour
from mcm.cli.session import prepare, without_outcome
from mcm.cli.work import Answered, Lost, Work, run_here
from mcm.cli.workers import run_in_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Ended

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def complaints(*arguments: str) -> list[str]:
    return [found.message for found in find_tests(arguments) if isinstance(found, Diagnostic)]


# --- the end ----------------------------------------------------------------------------------------------------------


def test_a_process_that_ends_at_once_has_shown_everything(mcm_apart: Callable[..., Ended]) -> None:
    shown = mcm_apart("models", "--vocabulary")
    assert shown.code == ExitCode.AS_EXPECTED
    assert len(shown.out.splitlines()) > 100


def test_who_watches_the_process_sees_its_end() -> None:
    """A process that were over at once would leave no report of the profiler."""
    command = [sys.executable, "-m", "cProfile", "-m", "mcm", "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "function calls" in ended.stdout


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_link_that_leads_nowhere_is_named(mcm: Callable[..., Ended], sb: Path) -> None:
    (sb.parent / "gone.litmus").symlink_to("nowhere")
    ended = mcm("check", sb.parent, "-q")
    assert ended.code == ExitCode.BAD_INPUT
    assert "gone.litmus" in ended.out
    assert "as expected" in ended.out


def test_a_folder_that_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "a.litmus").touch()
    real = os.scandir

    def scandir(path: str) -> Iterator[os.DirEntry[str]]:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = list(find_tests([str(tmp_path)]))
    assert found[0] == str(tmp_path / "a.litmus")
    assert complaints(str(tmp_path)) == ["this folder cannot be read: permission denied"]


@pytest.mark.parametrize("name", ["a", ".", "./a", "a/", "a//b", "a/./b", "a/../a", "{here}", "{here}//a/"])
def test_tests_of_a_folder_are_named_as_paths_are_written(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder in ("a/b", "a/b.c", "a"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "x.litmus").touch()
    monkeypatch.chdir(tmp_path)
    name = name.format(here=tmp_path)
    paths = sorted(Path(name).rglob("*.litmus"), key=lambda path: path.parts)

    assert paths
    assert list(find_tests([name])) == [str(path) for path in paths]


def test_hidden_folders_are_searched_only_where_they_are_named(tmp_path: Path) -> None:
    for folder in (".venv/lib", "a.b"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.litmus").touch()

    assert list(find_tests([str(tmp_path)])) == [str(tmp_path / "a.b/x.litmus")]
    assert list(find_tests([str(tmp_path / ".venv")])) == [str(tmp_path / ".venv/lib/x.litmus")]


def test_an_empty_name_is_not_the_current_folder() -> None:
    assert complaints("") == ["an empty name; the current folder is named '.'"]


@pytest.mark.parametrize("name", ["n" * 300, "n" * 300 + ".litmus", "folder/" * 2000, "zero\0"])
def test_a_name_that_no_file_can_have_is_named(mcm: Callable[..., Ended], name: str) -> None:
    for command in ("check", "fmt", "run"):
        ended = mcm(command, name)
        assert ended.code == ExitCode.BAD_INPUT
        assert "E001" in ended.out + ended.err


# --- streams ----------------------------------------------------------------------------------------------------------


def shell(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("mcm", f"'{sys.executable}' -m mcm")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("value", "colours"), [(None, True), ("", True), ("1", False), ("0", False)])
def test_an_empty_no_color_asks_for_nothing(value: str | None, colours: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if value is not None:
        monkeypatch.setenv("NO_COLOR", value)
    assert wants_colour() is colours


@needs_linux
@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-"])
def test_an_error_stream_that_takes_nothing_changes_nothing(where: str, sb: Path) -> None:
    assert shell(f"mcm check {sb} {where}").returncode == ExitCode.AS_EXPECTED
    assert shell(f"mcm check {sb.parent}/none.litmus {where}").returncode == ExitCode.BAD_INPUT
    assert shell(f"mcm run {sb} -n 10 {where}").returncode == ExitCode.AS_EXPECTED


@needs_linux
def test_output_that_finds_no_room_is_told(sb: Path) -> None:
    ended = shell(f"mcm check {sb} >/dev/full")
    assert ended.returncode == ExitCode.BAD_INPUT
    assert ended.stderr == "cannot write the output: no space left on device\n"


@needs_posix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_slow_reader_gets_all_of_a_long_output(unbuffered: str) -> None:
    """The alarm of the time limits interrupts a write that waits for its reader."""
    script = (
        "import sys, click; from mcm.cli.alarm import interrupt_at_time_limits; from mcm.cli import main, group\n"
        "def run(_):\n    interrupt_at_time_limits(); click.echo('x' * 1_000_000); return 0\n"
        "group.run = run; main.main()"
    )
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=environment) as command:
        assert command.stdout is not None
        read = len(command.stdout.read(1))
        time.sleep(0.4)
        read += len(command.stdout.read())
    assert (read, command.returncode) == (1_000_001, 0)


@needs_posix
def test_standard_input_and_output_may_be_closed(sb: Path) -> None:
    ended = shell("mcm check - <&-")
    assert ended.returncode == ExitCode.BAD_INPUT
    assert "standard input is closed" in ended.stdout
    for command in (f"mcm check {sb}", f"mcm run {sb} -n 10", f"mcm check {sb} -f json", "mcm --version", "mcm --help"):
        ended = shell(f"{command} >&-")
        assert ended.returncode == ExitCode.BAD_INPUT
        assert ended.stderr.splitlines()[-1] == "cannot write the output: standard output is closed"


@needs_posix
def test_a_closed_output_is_no_matter_where_nothing_is_written(sb: Path, tmp_path: Path) -> None:
    ended = shell(f"mcm explain {sb} -o {tmp_path}/why.json >&-")
    assert (ended.returncode, ended.stderr) == (ExitCode.AS_EXPECTED, "")


# --- signals ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A file that is never read to its end: a pipe into which nobody writes."""
    pipe = tmp_path / "endless.litmus"
    os.mkfifo(pipe)
    return pipe


def begin(*arguments: object, command: str = "check", cwd: Path = ROOT) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mcm", command, *map(str, arguments)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@needs_linux
@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGKILL])
def test_a_command_that_is_killed_leaves_no_worker(sb: Path, endless: Path, number: signal.Signals) -> None:
    with begin(sb, endless, "--jobs", 2, "--format", "herd") as command:
        assert command.stdout is not None
        assert command.stdout.readline() == "Test SB Allowed\n"
        os.kill(command.pid, number)
        # The workers hold the other ends, also the one who waits for the file: they are closed when all have gone.
        command.communicate(timeout=60)

    assert command.returncode == -number


def end_at_once(command: subprocess.Popen[str]) -> None:
    """What `timeout` does: the command gets the signal, and its process group, which it is one of, gets it again."""
    os.kill(command.pid, signal.SIGTERM)
    os.killpg(command.pid, signal.SIGTERM)


INTERRUPTS = pytest.mark.parametrize(
    "interrupt",
    [
        pytest.param(lambda command: os.killpg(command.pid, signal.SIGINT), id="SIGINT"),
        pytest.param(lambda command: os.kill(command.pid, signal.SIGTERM), id="SIGTERM"),
        pytest.param(lambda command: os.kill(command.pid, signal.SIGHUP), id="SIGHUP"),
        pytest.param(end_at_once, id="timeout"),
    ],
)


@needs_linux
@INTERRUPTS
def test_an_interrupt_keeps_what_is_finished_and_names_the_rest(
    sb: Path, endless: Path, interrupt: Callable[[subprocess.Popen[str]], None]
) -> None:
    """The pipe is opened for writing, which waits until the worker that reads it has begun; that test is the second."""
    with begin(sb, endless, sb, "--jobs", 1, "--format", "json") as command:
        writer = os.open(endless, os.O_WRONLY)
        interrupt(command)
        out, err = command.communicate(timeout=60)
        os.close(writer)

    assert command.returncode == ExitCode.INTERRUPTED
    assert err == "interrupted\n"
    assert [(result["file"], result["reason"]) for result in json.loads(out)["results"]] == [
        (str(sb), None),
        (str(endless), "interrupted"),
        (str(sb), "interrupted"),
    ]


@needs_linux
@pytest.mark.parametrize(
    ("options", "named"),
    [
        pytest.param(("-q",), "{file} .* undecided \\(interrupted\\)", id="quiet"),
        pytest.param((), "{file} under default: undecided \\(interrupted\\)", id="text"),
        pytest.param(("-f", "herd"), "{file}: undecided \\(interrupted\\)", id="herd"),
        pytest.param(("-f", "json-lines"), '"file": "{file}".* "reason": "interrupted"', id="lines"),
        pytest.param(("--run", "-q"), "{file} .* undecided \\(interrupted\\)", id="run"),
        pytest.param(("-m", "c11", "-m", "sc", "-j", "9", "-q"), "{file} .* undecided \\(interrupted\\)", id="parts"),
        pytest.param(("-m", "all", "-j", "99", "-q"), "{file} .* undecided \\(interrupted\\)", id="all"),
    ],
)
def test_what_an_interrupt_leaves_undone_is_named_in_each_format(
    sb: Path, endless: Path, options: tuple[str, ...], named: str
) -> None:
    with begin(endless, sb, "--jobs", 1, *options) as command:
        writer = os.open(endless, os.O_WRONLY)
        os.kill(command.pid, signal.SIGTERM)
        out, err = command.communicate(timeout=60)
        os.close(writer)

    assert command.returncode == ExitCode.INTERRUPTED
    assert re.search(named.format(file=re.escape(str(endless))), out + err)
    assert err.endswith("interrupted\n")


@needs_linux
@pytest.mark.parametrize("kept", [(), ("--results", "results.jsonl")])
def test_reports_of_a_suite_name_what_an_interrupt_leaves_open(
    sb: Path, endless: Path, tmp_path: Path, kept: tuple[str, ...]
) -> None:
    """With results kept, nobody but a worker may read the pipe: the command would not hear of an interrupt."""
    report = tmp_path / "report.xml"
    with begin(endless, sb, "-j", 1, "--junit", report, *kept, command="test", cwd=tmp_path) as command:
        writer = os.open(endless, os.O_WRONLY)
        os.kill(command.pid, signal.SIGHUP)
        out, _ = command.communicate(timeout=60)
        os.close(writer)

    assert command.returncode == ExitCode.INTERRUPTED
    assert f"{endless}: open (interrupted)" in out
    assert report.read_text().count("open (interrupted)") == 4


@needs_linux
@INTERRUPTS
def test_an_index_has_the_pages_that_were_made_before_an_interrupt(
    sb: Path, endless: Path, tmp_path: Path, interrupt: Callable[[subprocess.Popen[str]], None]
) -> None:
    pages = tmp_path / "pages"
    with begin(sb, endless, "--jobs", 1, "--format", "html", "--output", pages) as command:
        writer = os.open(endless, os.O_WRONLY)
        interrupt(command)
        command.communicate(timeout=60)
        os.close(writer)

    assert command.returncode == ExitCode.INTERRUPTED
    assert ">SB</a>" in (pages / "index.html").read_text()


@needs_posix
def test_who_ignores_termination_goes_on_ignoring_it(mcm: Callable[..., Ended], sb: Path) -> None:
    """A handler of the calling process is kept, and without one the signal kills again behind the command line."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        mcm("check", sb)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        mcm("check", sb)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_another_thread_leaves_alone_what_the_signal_means(mcm: Callable[..., Ended]) -> None:
    """Only the main thread may say what becomes of a signal."""
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(mcm, "rules", "DR-1").result()
    assert (ended.code, ended.err) == (ExitCode.AS_EXPECTED, "")


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_lost_test_keeps_its_name_and_the_other_results(tmp_path: Path, mcm_apart: Callable[..., Ended]) -> None:
    """The loops have 16 million iterations, which the limit on events allows here: that takes minutes."""
    test = tmp_path / "long.litmus"
    loops = "for (int i = 0; i < 4000; i++) { for (int j = 0; j < 4000; j++) { r = r + 1; } }"
    test.write_text(
        f"OPENCL long\nExpect.opencl-3.0=Never\n{{ }}\n"
        f"P0@wg 0 (global atomic_int* x) {{ int r = 0; {loops} atomic_store(x, r); }}\nexists (x=1)\n"
    )
    models = "--model", "opencl-3.0", "--model", "opencl-3.1"
    ended = mcm_apart("check", test, *models, "--timeout", "0.5", "--events", 10**9, "--format", "json")

    assert ended.code == ExitCode.UNDECIDED
    results = json.loads(ended.out)["results"]
    assert [(one["test"], one["model"], one["reason"]) for one in results] == [
        ("long", "opencl-3.0", "timeout"),
        ("long", "opencl-3.1", "timeout"),
    ]
    assert results[0]["expected"] is not None


@pytest.mark.parametrize("seconds", ["nan", "0", "-1", "x"])
def test_a_time_is_a_number_of_seconds(mcm: Callable[..., Ended], sb: Path, seconds: str) -> None:
    for command in ("check", "run"):
        assert mcm(command, sb, "--timeout", seconds).code == ExitCode.BAD_INPUT


def test_an_infinite_time_is_no_limit(mcm: Callable[..., Ended], sb: Path) -> None:
    assert mcm("check", sb, "--timeout", "inf").code == ExitCode.AS_EXPECTED
    assert mcm("run", sb, "-n", 5, "--timeout", "inf").code == ExitCode.AS_EXPECTED


class Grows:
    """Takes memory until something ends that."""

    def __call__(self, task: str, _keep: Callable[[str], None]) -> str:
        held: list[bytearray] = []
        with time_limit(None):
            while task == "grow":
                held.append(bytearray(1 << 20))
                time.sleep(0.0001)
        return task


@needs_linux
def test_work_that_does_not_watch_its_memory_is_interrupted() -> None:
    """Before it is refused memory, after which not every library ends well: little is taken at a time here."""
    work = Work(Grows(), partial(prepare, 800, KernelRequest()))
    assert [outcome for _, outcome in run_in_workers(work, ["grow", "b"], 1)] == [Lost("memory"), Answered("b")]


def test_c_code_without_memory_that_does_not_say_so() -> None:
    def fail(_task: str, _keep: Callable[[str], None]) -> str:
        message = "error return without exception set"
        raise SystemError(message)

    assert list(run_here(Work(fail, partial(prepare, None, KernelRequest())), ["a"])) == [("a", Lost("memory"))]


@needs_linux
def test_a_memory_limit_beyond_the_hard_limit_is_the_hard_limit(sb: Path) -> None:
    ended = shell(f"ulimit -d 1000000; mcm check {sb} {sb} --memory 100000")
    assert (ended.returncode, ended.stderr) == (ExitCode.AS_EXPECTED, "")


@needs_posix
def test_a_model_that_cannot_be_read_in_time_is_named(
    tmp_path: Path, mcm_apart: Callable[..., Ended], sb: Path
) -> None:
    model = tmp_path / "m.cat"
    os.mkfifo(model)
    ended = mcm_apart("check", sb, "--model", model, "--timeout", "0.5")
    assert ended.code == ExitCode.BAD_INPUT
    assert "could not be loaded within the limits (timeout)" in ended.err


@needs_posix
def test_a_model_that_can_be_read_only_once_is_read_once(tmp_path: Path, sb: Path) -> None:
    model = tmp_path / "once.cat"
    os.mkfifo(model)
    for command in (f"check {sb} {sb} --jobs 2 --model", "rules"):
        ended = shell(f"(echo 'acyclic po | rf as p' > {model} &) ; mcm {command} {model}")
        assert (ended.returncode, ended.stderr) == (0, "")


def test_a_test_whose_worker_never_got_going_keeps_its_name_and_expectation(sb: Path) -> None:
    options = Options(models=("opencl-3.0", "c11"))
    first, second = without_outcome(str(sb), Lost("crash: SIGKILL"), options)
    assert [(one.test, one.model, one.reason) for one in (first, second) if isinstance(one, Undecided)] == [
        ("SB", "opencl-3.0", "crash: SIGKILL"),
        ("SB", "c11", "crash: SIGKILL"),
    ]
    assert first.expected is not None
    assert first.fingerprint is None
    (unread,) = without_outcome(str(sb.parent / "none.litmus"), Lost("memory"), Options())
    assert (unread.test, unread.model) == (None, "default")


def test_a_search_of_one_configuration_is_limited(mcm: Callable[..., Ended], sb: Path) -> None:
    ended = mcm("run", sb, "-s", "exhaustive", "--limit", 1)
    assert ended.code == ExitCode.UNDECIDED
