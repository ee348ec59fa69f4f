"""What a path gives: a source, or a message that says why not."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from mcm.base.diagnostic import Diagnostic, InputError, render
from mcm.syntax.read import decode_source, read_source


def refusal(path: Path, limit_bytes: int = 1_000_000) -> Diagnostic:
    with pytest.raises(InputError) as caught:
        read_source(path, limit_bytes)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def test_text_is_read_with_one_kind_of_line_end(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    path.write_bytes(b"\xef\xbb\xbfC t\r\n{}\rexists\n")

    source = read_source(path)

    assert source.text == "C t\n{}\nexists\n"
    assert source.name == str(path)


def test_missing_file(tmp_path: Path) -> None:
    diagnostic = refusal(tmp_path / "none.litmus")

    assert (diagnostic.code, diagnostic.message) == ("E001", "no such file")
    assert "none.litmus:1:1: error[E001]" in render(diagnostic)


def test_what_a_missing_file_may_be_instead(tmp_path: Path) -> None:
    (tmp_path / "message.litmus").write_text("", encoding="utf-8")

    near, far = refusal(tmp_path / "mesage.litmus"), refusal(tmp_path / "folder" / "a.litmus")

    assert near.message == f"no such file; did you mean '{tmp_path / 'message.litmus'}'?"
    assert far.message == f"no such file; there is no folder '{tmp_path / 'folder'}'"


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_unreadable_file(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    path.write_text("C t")
    path.chmod(0)

    diagnostic = refusal(path)

    assert (diagnostic.code, diagnostic.message) == ("E001", "cannot be read: permission denied")


def test_name_too_long_for_the_system() -> None:
    assert refusal(Path("x" * 5000)).code == "E001"


def test_directory(tmp_path: Path) -> None:
    diagnostic = refusal(tmp_path)

    assert (diagnostic.code, diagnostic.message) == ("E002", "a directory, expected a file")


def test_special_file() -> None:
    assert refusal(Path("/dev/null")).code == "E002"


def test_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    path.write_bytes(b"\x7fELF\x00\x01")

    diagnostic = refusal(path)

    assert diagnostic.code == "E003"
    assert diagnostic.message == "a binary file (byte 4 is zero), expected text"


def test_other_encoding_behind_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    path.write_bytes(b"\xef\xbb\xbfC t\xebst")

    assert refusal(path).message == "not UTF-8 text (byte 0xeb at offset 6)"


def test_other_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    path.write_bytes("C tëst".encode("latin-1"))

    diagnostic = refusal(path)

    assert (diagnostic.code, diagnostic.message) == ("E004", "not UTF-8 text (byte 0xeb at offset 3)")


@pytest.mark.parametrize(
    "text", ["C t // d\xe9\n{}", "C t\n/* d\xe9\n */ {}", "C t (* d\xe9 *)\n{}", 'C t\n"d\xe9 \\" \xe9"\n{}']
)
def test_other_encoding_in_comments_and_strings_is_read_over(text: str) -> None:
    found = decode_source("a.litmus", text.encode("latin-1"))

    assert found.text == text.replace("\xe9", "\N{REPLACEMENT CHARACTER}")


def test_other_encoding_is_told_where_it_is() -> None:
    content = "// d\xe9\r\nkernel void k\xe9() {}".encode("latin-1")

    with pytest.raises(InputError) as caught:
        decode_source("a.cl", content)

    (told,) = caught.value.diagnostics
    assert (told.code, told.message) == ("E004", "not UTF-8 text (byte 0xe9 at offset 20)")
    assert (told.span.line, told.span.column) == (2, 14)


def test_huge_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    with path.open("wb") as stream:
        stream.truncate(10_000_000_000)
    tracemalloc.start()

    diagnostic = refusal(path)

    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert diagnostic.code == "E005"
    assert diagnostic.message == "10000000000 bytes, more than the limit of 1000000 bytes for a file"
    assert most < 10_000_000


def test_limit_is_inclusive(tmp_path: Path) -> None:
    path = tmp_path / "a.litmus"
    path.write_text("C t{}")

    assert read_source(path, limit_bytes=5).text == "C t{}"
    assert refusal(path, limit_bytes=4).code == "E005"


def test_content_from_elsewhere_has_the_same_rules() -> None:
    assert decode_source("-", b"C t").text == "C t"
    with pytest.raises(InputError, match="E005"):
        decode_source("-", b"12345", limit_bytes=4)
    with pytest.raises(InputError, match="E003"):
        decode_source("-", b"\0")
