"""The pages of the site that are made from mcm: all are there, once, and say what mcm says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import mcm
from site_pages.files import linked_pages, relinked
from site_pages.models import model_pages
from site_pages.page import fenced, plain, with_bars
from site_pages.rules import rule_page_path, rule_pages
from site_pages.shipped_tests import covering_tests

pytestmark = pytest.mark.slow  # all shipped tests are read

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def rules() -> dict[str, str]:
    """The pages of rules by path, with the tests of one rule only."""
    tests = covering_tests(ROOT)
    pages = list(rule_pages({"COH-RR": tests["COH-RR"], "AS-5": tests["AS-5"]}))
    assert [path for path, times in Counter(page.path for page in pages).items() if times > 1] == []
    return dict(pages)


def test_every_rule_has_a_page(rules: dict[str, str]) -> None:
    stated = {
        identifier for model in mcm.models() for entry in mcm.rules(model) for identifier in entry.rule.identifiers
    }

    assert {rule_page_path(identifier) for identifier in stated | mcm.FAULT_RULES.keys()} == rules.keys() - {
        "rules/index.md"
    }


def test_the_page_of_a_rule_shows_what_changes_without_it(rules: dict[str, str]) -> None:
    page = rules["rules/COH-RR.md"]

    assert "A read of an atomic object takes its value from the write that an earlier read saw, or a later one." in page
    assert "irreflexive fr ; rf ; hb-loc as read-read-coherence" in page
    assert "| opencl-3.0 | forbidden, Never | allowed, Sometimes |" in page


def test_a_rule_about_values_has_a_page_without_cat_text(rules: dict[str, str]) -> None:
    page = rules["rules/AS-5.md"]

    assert mcm.FAULT_RULES["AS-5"] in page
    assert "```" not in page


def test_every_model_has_a_page_with_its_text() -> None:
    pages = dict(model_pages())

    assert pages.keys() == {"models/index.md"} | {f"models/{name.replace('+', '-')}.md" for name in mcm.models()}
    assert "acyclic" in pages["models/rc11.md"]


def test_a_link_out_of_the_documents_leads_to_a_page(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    (docs / "learn").mkdir(parents=True)
    (tmp_path / "tests.d").mkdir()
    (tmp_path / "tests.d" / "broken.litmus").write_text("OPENCL {", encoding="utf-8")
    (docs / "other.md").write_text("", encoding="utf-8")
    lesson = docs / "learn" / "1.md"
    lesson.write_text(
        "[a](../../tests.d/broken.litmus) [b](../other.md#x) [c](#y) [d](../../tests.d)", encoding="utf-8"
    )

    text = relinked(lesson.read_text(encoding="utf-8"), lesson, "learn/1.md", tmp_path, docs)
    pages = dict(linked_pages([lesson], [], tmp_path, docs))

    assert text == "[a](../files/tests.d/broken.litmus.md) [b](../other.md#x) [c](#y) [d](../files/tests.d/index.md)"
    assert pages.keys() == {"files/tests.d/broken.litmus.md", "files/tests.d/index.md"}
    assert "error[E" in pages["files/tests.d/broken.litmus.md"]


def test_text_is_shown_as_it_is() -> None:
    assert plain("a|b <x> *y*") == r"a\|b \<x\> \*y\*"
    assert fenced("```") == "````\n```\n````\n"


def test_bars_in_the_code_of_tables_are_bars() -> None:
    assert with_bars("| `a \\| b` | c |\n`a \\| b`") == "| `a | b` | c |\n`a \\| b`"
