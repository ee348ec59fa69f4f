from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from mcm.cli import check_pages
from mcm.cli.check_pages import address_of
from mcm.cli.exit_code import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Ended


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report"


def check(mcm: Callable[..., Ended], report: Path, *arguments: object) -> Ended:
    return mcm("check", *arguments, "--format", "html", "-o", report)


def test_an_index_and_a_page_are_written(
    mcm: Callable[..., Ended], sb: Path, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sb.parent)
    ended = check(mcm, report, sb.name)

    assert ended.code == ExitCode.AS_EXPECTED
    assert ended.out.endswith(f"pages: {report / 'index.html'}\n")
    index = (report / "index.html").read_text(encoding="utf-8")
    (address,) = re.findall(r'<td><a href="([^"]+)">SB</a>', index)
    page = (report / address).read_text(encoding="utf-8")
    assert '<a href="../index.html">' in page
    assert "✓ as expected" in page
    assert "✓ as expected" in index


def test_a_program_in_which_nothing_happens_has_a_page_that_says_so(
    mcm: Callable[..., Ended], sb: Path, report: Path
) -> None:
    idle = sb.parent / "idle.litmus"
    idle.write_text("C idle\n{ x = 0; }\nP0 (int* x) { }\nexists (x=1)\n")

    check(mcm, report, idle)

    (page,) = (path.read_text(encoding="utf-8") for path in report.rglob("idle*.html"))
    assert "There is nothing to draw" in page
    assert "<svg" not in page


@pytest.mark.parametrize("text", ["OPENCL bad\n{ }\nP0 ( {\n", "OPENCL bad\n{ }\nP0 (global int* x) { y = 1; }\n"])
def test_what_is_no_program_has_its_text_beside_the_errors(
    mcm: Callable[..., Ended], sb: Path, report: Path, text: str
) -> None:
    bad = sb.parent / "bad.litmus"
    bad.write_text(text)

    check(mcm, report, bad)

    (page,) = (path.read_text(encoding="utf-8") for path in report.rglob("bad*.html"))
    assert '<section class="source"' in page
    assert page.index('data-line="3"') < page.index("error[E")


def test_a_barrier_in_the_text_of_several_units_is_named_once_by_its_line(
    mcm: Callable[..., Ended], sb: Path, report: Path
) -> None:
    kernel = "kernel k () {\n  if (get_local_id(0) > 0) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }\n}\n"
    test = sb.parent / "some.litmus"
    test.write_text(f"OPENCL some\n{{ }}\n{kernel}launch k global 3, local 3;\n")

    check(mcm, report, test)

    (page,) = (path.read_text(encoding="utf-8") for path in report.rglob("some*.html"))
    assert ">barrier divergence: line 4</a>" in page
    assert "the initial state line" not in page


def test_warnings_are_laid_out_as_their_carets_need(mcm: Callable[..., Ended], sb: Path, report: Path) -> None:
    tab = sb.parent / "tab.litmus"
    tab.write_text("C tab\n{ x = 0; }\nP0 (int* x) { *x = 1; }\nexists\t(z=0)\n")

    check(mcm, report, tab)

    (page,) = (path.read_text(encoding="utf-8") for path in report.rglob("tab*.html"))
    (block,) = re.findall(r"<pre class=\"scroll\"[^>]*>(.*?)</pre>", page, re.DOTALL)
    told, lines = re.fullmatch(r'<span class="complaint">(.*)</span>([^<]*)', block).groups()  # type: ignore[union-attr]
    line, carets = lines.rstrip("\n").split("\n")
    assert "warning[W105]" in told
    assert line == "  exists\t(z=0)"
    assert carets.index("^") == line.index("z")
    assert carets[: carets.index("^")].count("\t") == 1


@pytest.mark.slow
def test_a_test_that_fails_is_in_the_index_all_the_same(mcm: Callable[..., Ended], sb: Path, report: Path) -> None:
    bad = sb.parent / "bad.litmus"
    bad.write_text("OPENCL bad\n{ }\nP0@wg 0 (global int* x) { y = 1; }\n")
    ended = check(mcm, report, sb, bad, sb.parent / "missing.litmus")
    index = (report / "index.html").read_text(encoding="utf-8")

    assert ended.code == ExitCode.BAD_INPUT
    assert "<h1>3 tests</h1>" in index
    assert "2 not checked: invalid, or not to be read" in index
    assert index.count("<td><a href=") == 2
    assert "no such file" not in index
    assert [one.suffix for one in report.rglob("*") if one.is_file()] == [".html"] * 3


def test_each_result_is_counted_once_in_the_index(mcm: Callable[..., Ended], sb: Path, report: Path) -> None:
    wrong = "OPENCL {0}\n{1}{{ }}\nP0@wg 0 (global int* x) {{ y = 1; }}\n"
    bad, told = sb.parent / "bad.litmus", sb.parent / "told.litmus"
    bad.write_text(wrong.format("bad", ""))
    told.write_text(wrong.format("told", "Expect.opencl-3.0=Never\n"))
    check(mcm, report, bad, told)
    index = (report / "index.html").read_text(encoding="utf-8")
    (totals,) = re.findall(r"<p>(.*?)</p></header>", index)

    assert re.sub(r"<.*?>", "", totals) == "1 NOT as expected, 1 not checked: invalid, or not to be read"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that are forked")
def test_a_worker_that_dies_loses_no_other_page(
    mcm: Callable[..., Ended], sb: Path, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly = sb.parent / "deadly.litmus"
    deadly.write_text(sb.read_text())
    render = check_pages.render_page

    def die(page: object, *rest: object) -> str:
        if "deadly" in str(page.source.name):  # type: ignore[attr-defined]
            os._exit(9)
        return render(page, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(check_pages, "render_page", die)
    ended = check(mcm, report, sb, deadly, "-j", "2")
    index = (report / "index.html").read_text(encoding="utf-8")

    assert ended.code == ExitCode.AS_EXPECTED
    assert index.count("<td><a href=") == 1
    # What had been found out before is kept.
    assert index.count("✓ as expected") == 2
    assert len(list(report.rglob("*.html"))) == 2


def test_pages_need_a_folder(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    ended = mcm("check", sb, "--format", "html")
    assert ended.code == ExitCode.BAD_INPUT
    assert "--format html needs a folder for the pages: --output DIR" in ended.err
    ended = mcm("check", sb, "-o", tmp_path / "x")
    assert ended.code == ExitCode.BAD_INPUT
    assert "--output means nothing with --format text" in ended.err
    assert mcm("check", sb, "--run", "--format", "html", "-o", tmp_path / "x").code == ExitCode.BAD_INPUT
    (tmp_path / "file").write_text("")
    ended = mcm("check", sb, "--format", "html", "-o", tmp_path / "file" / "x")
    assert ended.code == ExitCode.BAD_INPUT
    assert "cannot write" in ended.err


def test_addresses_stay_inside_the_folder_and_differ() -> None:
    names = ["a/b.litmus", "../a/b.litmus", "a b", "a_b", "a?b", "/a/b.litmus", "#", "%41", "-", "x" * 300]
    addresses = [address_of(name) for name in names]

    assert len(set(addresses)) == len(names)
    for address in addresses:
        assert re.fullmatch(r"tests(/[A-Za-z0-9._+=@,-]{1,150})+\.html", address)
        assert ".." not in address.split("/")


def test_what_is_written_depends_on_the_test_alone(mcm: Callable[..., Ended], sb: Path, tmp_path: Path) -> None:
    pages = []
    for name in ("one", "two"):
        check(mcm, tmp_path / name, sb)
        pages.append({path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.html")})

    assert pages[0] == pages[1]


def test_a_kernel_of_many_work_items_has_a_page_without_pictures(
    mcm: Callable[..., Ended], tmp_path: Path, report: Path
) -> None:
    path = tmp_path / "count.litmus"
    path.write_text(
        "OPENCL count\n{ }\nkernel count (global atomic_int* c) {\n"
        "  atomic_fetch_add_explicit(c, 1, memory_order_relaxed, memory_scope_device);\n}\n"
        "launch count global 400, local 16;\nexists (c != 400)\n"
    )
    ended = check(mcm, report, path)

    # Counters are not searched where executions are not asked for; with them, there is no answer in time.
    assert ended.code == ExitCode.AS_EXPECTED
    assert "1 test: 1 forbidden" in ended.out
    (page,) = (page.read_text() for page in report.rglob("count*.html"))
    assert "<figure" not in page
