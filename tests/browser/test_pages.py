"""What pages do in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mcm
from mcm.cli.group import run

pytestmark = pytest.mark.slow

Pages = Callable[..., str]
Browser = Any

RACE = "opencl/patterns/MP"
FORBIDDEN = "opencl/patterns/MP.dv"
KERNEL = "opencl/kernels/reduction"
BLOCKED = "opencl/waiting/barrier.flags-behind-waiter"


@pytest.mark.parametrize("test", [RACE, FORBIDDEN, KERNEL, BLOCKED, "opencl/patterns/IRIW.sc", "c11/Dekker+sc"])
def test_a_page_asks_for_nothing_and_complains_of_nothing(browser: Browser, pages: Pages, test: str) -> None:
    address = pages(test)
    browser.open(address)

    assert browser.complaints() == []
    assert [url for url in browser.requests() if not url.startswith("data:")] == [address]
    assert browser.run("return document.querySelectorAll('figure.on').length") == 1 or not browser.all("figure")


def test_the_policy_forbids_what_is_not_in_the_page(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    browser.run(
        "const s = document.createElement('script'); s.textContent = 'window.strange = 1'; document.body.append(s);"
        "const i = new Image(); i.src = 'https://example.invalid/x.png'; document.body.append(i);"
    )

    assert browser.run("return window.strange") is None
    complaints = browser.complaints()
    assert any("script-src" in complaint for complaint in complaints)
    assert any("img-src" in complaint and "example.invalid" in complaint for complaint in complaints)


def test_a_state_selects_its_execution(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    assert "data race on x" in browser.visible("figcaption")[0].text
    browser.visible(".states a")[0].click()

    (caption,) = browser.visible("figcaption")
    assert caption.text == "1:r0=0; 1:r1=-1"
    assert browser.run("return location.hash") == "#m1-e1"
    assert [link.text for link in browser.visible("a[aria-current=true]")] == ["show"]
    browser.driver.refresh()
    assert [caption.text for caption in browser.visible("figcaption")] == ["1:r0=0; 1:r1=-1"]


def test_a_row_of_the_table_selects_too(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    browser.visible(".states tbody tr")[1].find_element("css selector", "td").click()

    assert [caption.text for caption in browser.visible("figcaption")] == ["1:r0=1; 1:r1=0"]


def test_everything_can_be_done_with_the_keyboard(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    browser.run("document.querySelector('.states a').focus()")
    browser.press("\ue007")  # enter
    assert [caption.text for caption in browser.visible("figcaption")] == ["1:r0=0; 1:r1=-1"]
    browser.run("document.querySelector('.chips button[data-rule=DR-1]').focus()")
    browser.press(" ")
    assert "allowed" in browser.visible(".headline")[0].text
    browser.run("document.querySelector('.variant.on .edge').focus()")
    assert browser.visible(".told")[0].text.startswith(("po:", "rf:", "fr:"))


FOCUSED = "return document.activeElement"


def tabs_to(browser: Browser, selector: str, most: int = 12) -> int:
    """How often the tab key leads to what a selector selects, from the top of the page."""
    for count in range(1, most + 1):
        browser.press("\ue004")
        if browser.run(f"return document.activeElement.matches({selector!r})"):
            return count
    raise AssertionError(f"{most} tabs do not lead to {selector}")


@pytest.mark.parametrize("test", [RACE, FORBIDDEN, KERNEL])
def test_states_picture_and_rules_are_a_few_keys_away(browser: Browser, pages: Pages, test: str) -> None:
    for selector in ("figure.on .node, figure.on .edge", ".chips button"):
        browser.open(pages(test))
        if browser.visible(selector):
            assert tabs_to(browser, selector) <= 11
    # What explains the lines of a picture is looked at, and is no place to go to.
    assert browser.run("return document.querySelectorAll('.legend [tabindex]').length") == 0


@pytest.mark.parametrize(
    ("number", "selector"), [(1, ".states a"), (2, "figure.on .marked"), (3, ".chips button.changes")]
)
def test_links_skip_to_the_parts_of_a_page(browser: Browser, pages: Pages, number: int, selector: str) -> None:
    browser.open(pages(RACE))
    assert browser.run("return document.querySelector('.skip').getBoundingClientRect().right") < 0
    for _ in range(number):
        browser.press("\ue004")
    assert browser.run("return document.querySelector('.skip').getBoundingClientRect().left") >= 0
    browser.press("\ue007")

    assert browser.run(f"return document.activeElement.matches({selector!r})")
    assert browser.run("return document.querySelectorAll('figure.on').length") == 1


def test_arrow_keys_go_through_a_table_a_picture_and_the_rules(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    links = browser.visible(".states a")
    browser.run("arguments[0].focus()", links[0])
    browser.press("\ue015")  # down
    assert browser.run(FOCUSED) == links[1]
    browser.press("\ue013")  # up
    assert browser.run(FOCUSED) == links[0]
    browser.press("\ue010")  # end
    assert browser.run(FOCUSED) == links[-1]
    assert [link.get_attribute("tabindex") for link in links].count("0") == 1

    parts = browser.all("figure.on .node")
    browser.run("arguments[0].focus()", parts[0])
    browser.press("\ue015")
    assert browser.run(FOCUSED) == parts[1]
    assert browser.visible(".told")[0].text == parts[1].find_element("css selector", "title").get_attribute(
        "textContent"
    )
    # To the right it goes to the next step, wherever one is.
    browser.press("\ue014")
    assert now(browser) == browser.visible(".steps li")[0].text

    rules = browser.visible(".chips button")
    browser.run("arguments[0].focus()", rules[0])
    browser.press("\ue014")
    assert browser.run(FOCUSED) == rules[1]
    assert now(browser) == browser.visible(".steps li")[0].text, "among rules no step is taken"
    browser.press("\ue013")
    assert browser.run(FOCUSED) == rules[0]


def test_arrow_keys_go_through_the_steps(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    steps = browser.visible(".steps li")
    assert len(steps) > 3
    browser.press("\ue014")  # right
    assert now(browser) == steps[0].text == "P1 line 19 reads y from P0 line 16, the only write of 1"
    assert lit_lines(browser) == ["16", "19"]
    assert browser.run("return document.querySelectorAll('figure.on .edge.lit').length") == 1
    browser.press("\ue014")
    browser.press("\ue014")
    assert now(browser) == steps[2].text
    browser.press("\ue012")  # left
    assert now(browser) == steps[1].text
    for _ in range(2):
        browser.press("\ue012")
    assert browser.all("figure.on .steps .now") == []
    assert lit_lines(browser) == []
    browser.press("\ue012")
    assert now(browser) == steps[-1].text
    browser.visible(".walk button")[0].click()
    assert now(browser) == steps[-2].text


def test_a_forbidden_execution_can_be_selected_and_shows_the_broken_rule(browser: Browser, pages: Pages) -> None:
    browser.open(pages(FORBIDDEN))
    excluded = "1:r0=1 /\\ 1:r1=0, excluded by VIS-2"
    assert [one.text for one in browser.visible("figcaption")] == [excluded]
    browser.visible(".states a")[0].click()
    assert [one.text for one in browser.visible("figcaption")] != [excluded]
    browser.visible(".cases a")[0].click()
    assert [one.text for one in browser.visible("figcaption")] == [excluded]
    (broken,) = browser.visible(".steps .breaks")
    assert "[VIS-2]" in broken.text
    broken.click()
    assert browser.run("return document.querySelectorAll('figure.on .edge.marked.lit').length") >= 1
    browser.point_at(browser.find("figure.on .edge.marked[data-name='sw-g-1'] text"))
    assert "synchronises with P1 line 21" in browser.visible(".told")[0].text


def now(browser: Browser) -> str:
    return str(browser.find("figure.on .steps .now").text)


def lit_lines(browser: Browser) -> list[str]:
    return [line.get_attribute("data-line") for line in browser.all(".source .line.lit")]


def test_pointing_at_an_edge_lights_its_lines_and_tells_it(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    browser.point_at(browser.find("figure.on .edge[data-name=fr] text"))

    assert lit_lines(browser) == ["15", "21"]
    assert browser.visible(".told")[0].text == "fr: P1 line 21 reads x from a write that P0 line 15 replaces"
    assert browser.run("return document.querySelectorAll('figure.on .node.lit').length") == 2
    browser.point_at(browser.find("h1"))
    assert lit_lines(browser) == []
    browser.point_at(browser.find(".source .line[data-line='16']"))
    assert browser.run("return document.querySelectorAll('figure.on .node.lit').length") == 1


def test_a_rule_switched_off_gives_another_verdict(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    assert "undefined (data race)" in browser.visible(".headline")[0].text
    browser.find(".chips button[data-rule=DR-1]").click()

    assert browser.visible(".headline")[0].text.startswith("allowed under opencl-3.0 without DR-1")
    assert browser.visible(".said")[0].text == "Without DR-1: allowed."
    assert browser.find(".chips button[data-rule=DR-1]").get_attribute("aria-pressed") == "false"
    browser.visible(".back")[0].click()
    assert browser.visible(".headline")[0].text.startswith("undefined (data race) under opencl-3.0")
    assert browser.find(".chips button[data-rule=DR-1]").get_attribute("aria-pressed") == "true"


def test_what_a_rule_does_is_what_check_says(browser: Browser, pages: Pages) -> None:
    browser.open(pages(FORBIDDEN))
    changing = [chip.get_attribute("data-rule") for chip in browser.visible(".chips button.changes")]

    assert len(changing) > 3
    for rule in changing:
        result = mcm.check(Path(__file__).parents[2] / "litmus" / f"{FORBIDDEN}.litmus", without=[rule])
        chip = browser.find(f".chips button[data-rule='{rule}']")
        chip.click()
        assert browser.visible(".headline .verdict")[0].text.startswith(result.verdict.value)
        rows = len(browser.visible(".variant.on .states tbody tr"))
        assert rows == len(result.states)
        chip.click()


def test_a_rule_without_effect_says_so(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    browser.find("details.idle summary").click()
    browser.find(".chips button[data-rule=SW-L-2]").click()
    assert browser.visible(".said")[0].text == "Without SW-L-2 nothing changes for this test."
    browser.find(".chips button[data-rule=VIS-2]").click()
    assert re.search(
        r"mcm check .*MP.litmus -m opencl-3.0 --without \S+ --without \S+", browser.visible(".said")[0].text
    )


def test_two_rules_off_are_what_check_says(browser: Browser, pages: Pages) -> None:
    browser.open(pages(FORBIDDEN))
    for first, second in (("SB-1", "VIS-2"), ("SCOPE-3", "SW-G-1")):
        for rule in (first, second):
            browser.find(f".chips button[data-rule='{rule}']").click()
        result = mcm.check(Path(__file__).parents[2] / "litmus" / f"{FORBIDDEN}.litmus", without=[first, second])
        assert browser.visible(".headline .verdict")[0].text.startswith(result.verdict.value)
        assert len(browser.visible(".variant.on .states tbody tr")) == len(result.states)
        browser.visible(".back")[0].click()
    assert "Any two of those with a thick border can be off together." in browser.find("section.rules").text


def test_rules_that_stand_in_for_each_other(browser: Browser, pages: Pages) -> None:
    browser.open(pages("opencl/patterns/LB.acq+rel"))
    assert browser.visible(".headline")[0].text.startswith("forbidden")
    assert "Together these change something, too: HB-ACYC and VIS-3." in browser.find("section.rules").text
    browser.find(".chips button[data-rule=VIS-3]").click()
    assert browser.visible(".said")[0].text == "Without VIS-3 nothing changes for this test."
    browser.find(".chips button[data-rule=HB-ACYC]").click()

    assert browser.visible(".said")[0].text == "Without HB-ACYC and VIS-3: allowed."
    assert browser.visible(".headline")[0].text.startswith("allowed under opencl-3.0 without HB-ACYC, VIS-3")
    assert len(browser.visible("figure")) == 1
    # A page remembers in its address which execution is drawn, and so without which rules.
    browser.visible(".states a")[0].click()
    browser.driver.refresh()
    assert browser.visible(".said")[0].text == "Without HB-ACYC and VIS-3: allowed."


def test_two_rules_of_which_one_does_it_all(browser: Browser, pages: Pages) -> None:
    browser.open(pages(FORBIDDEN))
    for rule in ("SW-G-1", "SCOPE-3"):
        browser.find(f".chips button[data-rule='{rule}']").click()

    assert re.fullmatch(r"Without .* and .*: .*, as without SCOPE-3\.", browser.visible(".said")[0].text)


def test_models_have_tabs(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE, "opencl-3.0", "sc", "c11"))
    assert [tab.text for tab in browser.visible(".tabs a")][1] == "sc: forbidden"
    browser.visible(".tabs a")[1].click()

    assert len(browser.visible(".view")) == 1
    assert browser.visible(".headline")[0].text.startswith("forbidden under sc")
    assert browser.run("return location.hash") == "#m2"


def test_dark_and_light_can_be_read(browser: Browser, pages: Pages) -> None:
    grounds = []
    texts = ["h1", ".states td", ".said", ".soft", ".chips button", "figcaption", ".source code", ".told", ".bad"]
    for scheme in ("light", "dark"):
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        browser.open(pages(RACE))
        for selector in texts:
            assert browser.run(CONTRAST, browser.visible(selector)[0]) >= 4.5, (scheme, selector)
        grounds.append(browser.run("return getComputedStyle(document.body).backgroundColor"))
        fill = browser.run("return getComputedStyle(document.querySelector('figure.on .node rect')).fill")
        text = browser.run("return getComputedStyle(document.querySelector('figure.on .node text')).fill")
        assert fill != text
    assert grounds == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]


# The contrast of a text with what is behind it.
CONTRAST = """
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const linear = (part) => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
let ground = arguments[0];
while (numbers(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
const [one, other] = [getComputedStyle(arguments[0]).color, getComputedStyle(ground).backgroundColor]
  .map((colour) => luminance(numbers(colour))).sort((a, b) => b - a);
return (one + 0.05) / (other + 0.05);
"""


def test_without_scripts_it_is_a_picture(browser: Browser, pages: Pages) -> None:
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(pages(RACE))
    assert [one.text for one in browser.visible("figcaption")] == ["data race on x: P0 line 15 and P1 line 21"]
    assert browser.visible(".scripted") == []
    assert len(browser.visible(".variant")) == 1
    browser.open(pages(RACE) + "#m1-e1")
    assert [one.text for one in browser.visible("figcaption")] == ["1:r0=0; 1:r1=-1"]


def test_it_can_be_printed(browser: Browser, pages: Pages) -> None:
    browser.open(pages(RACE))
    browser.command("Emulation.setEmulatedMedia", media="print", features=[])
    assert browser.visible(".chips") == []
    assert len(browser.visible("figure")) == 1
    printed = browser.command("Page.printToPDF")
    assert len(printed["data"]) > 10_000


HOSTILE = f"""OPENCL x
"<script>window.hostile = 1</script> </pre></script><img src=x onerror='window.hostile = 2'>"
Key="><script>window.hostile = 3</script>
{{ }}
P0@wg 0 (global atomic_int* {"n" * 10_000}) {{
  /* </code></pre><svg onload="window.hostile = 4"> \N{RIGHT-TO-LEFT OVERRIDE} \x1b[31m */
  atomic_store_explicit({"n" * 10_000}, 1, memory_order_relaxed, memory_scope_device);
}}
P1@wg 1 (global atomic_int* {"n" * 10_000}) {{
  int r = atomic_load_explicit({"n" * 10_000}, memory_order_relaxed, memory_scope_device);
}}
exists (1:r=0)
"""


def test_hostile_texts_are_shown_as_text(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    test = tmp_path / "<img src=x onerror=alert(1)>\"'&.litmus"
    test.write_text(HOSTILE, encoding="utf-8")
    browser.open(pages(test))

    assert browser.complaints() == []
    assert browser.run("return window.hostile") is None
    assert "<script>window.hostile = 1</script>" in browser.find(".source").text
    assert browser.run("return document.querySelectorAll('img, iframe, .source svg').length") == 0
    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
    assert "\\u202e" in browser.find(".source").text
    assert len(browser.visible("figure.on .node")) == 3
    assert all(len(one.text) < 60 for one in browser.visible("figure.on .node text"))


def test_a_wide_picture_scrolls_in_its_frame(browser: Browser, pages: Pages) -> None:
    browser.open(pages(KERNEL))

    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth")
    assert browser.run("const s = document.querySelector('figure.on .scroll'); return s.scrollWidth > s.clientWidth")


LATE_BARRIER = """OPENCL late-barrier
{ int a[9]; }
kernel k (global int* a) {
  int i = get_global_id(0);
  a[i] = 1; a[i + 2] = 2; a[i + 4] = 3; a[i + 6] = 4;
  a[i] = 5; a[i + 2] = 6; a[i + 4] = 7; a[i + 6] = 8;
  a[i] = 1; a[i + 2] = 2; a[i + 4] = 3; a[i + 6] = 4;
  WHAT
}
launch k global 2, local 2;
exists (a[0]=1)
"""

# What is marked in a picture that is larger than its frame: is it seen in the frame?
_IN_SIGHT = """
const seen = document.querySelector("figure.on .scroll").getBoundingClientRect();
const boxes = [...document.querySelectorAll("figure.on .node.marked")].map((node) => node.getBoundingClientRect());
const across = (box) => box.left >= seen.left && box.right <= seen.right;
return boxes.map((box) => across(box) && box.top >= seen.top && box.bottom <= seen.bottom);
"""


@pytest.mark.parametrize("what", ["if (i == 0) barrier(CLK_LOCAL_MEM_FENCE);", "a[i + 8] = 9;"])
def test_what_is_wrong_is_in_sight_at_once(browser: Browser, pages: Pages, tmp_path: Path, what: str) -> None:
    test = tmp_path / "late.litmus"
    test.write_text(LATE_BARRIER.replace("WHAT", what), encoding="utf-8")
    browser.open(pages(test))

    assert browser.run("const s = document.querySelector('figure.on .scroll'); return s.scrollHeight > s.clientHeight")
    in_sight = browser.run(_IN_SIGHT)
    assert in_sight
    assert all(in_sight)


def test_the_index_leads_to_every_page(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    tests = [f"litmus/{name}.litmus" for name in (RACE, FORBIDDEN)] + ["litmus/invalid/e001.litmus", "no-such.litmus"]
    assert (
        run(["check", *tests, "-m", "opencl-3.0", "-m", "sc", "--format", "html", "-o", str(tmp_path), "-j", "1"]) == 2
    )
    browser.open((tmp_path / "index.html").as_uri())

    assert browser.complaints() == []
    assert [one.text for one in browser.all("thead th")][:3] == ["test", "opencl-3.0", "sc"]
    links = [link.get_attribute("href") for link in browser.all("td a")]
    assert len(links) == 2
    for link in links:
        browser.open(link)
        assert browser.complaints() == []
        assert browser.find("header a").get_attribute("href") == (tmp_path / "index.html").as_uri()


def test_a_phone_shows_the_verdicts_of_the_index(browser: Browser, tmp_path: Path) -> None:
    litmus = Path(__file__).parents[2] / "litmus"
    tests = [str(litmus / f"{name}.litmus") for name in (RACE, FORBIDDEN)]
    assert run(["check", *tests, "--format", "html", "-o", str(tmp_path), "-j", "1"]) == 0
    browser.command("Emulation.setDeviceMetricsOverride", width=380, height=800, deviceScaleFactor=1, mobile=True)
    try:
        browser.open((tmp_path / "index.html").as_uri())
        verdicts = browser.all("td:last-child")
        assert len(verdicts) == 2
        for verdict in verdicts:
            assert browser.run("return arguments[0].getBoundingClientRect().right <= innerWidth", verdict)
    finally:
        browser.command("Emulation.clearDeviceMetricsOverride")


def test_the_page_of_a_test_that_cannot_be_read_is_in_order(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    unreadable = "litmus/invalid/E012-no-name.litmus"
    assert run(["check", unreadable, "--format", "html", "-o", str(tmp_path)]) == 2

    (page,) = (path for path in tmp_path.rglob("*.html") if path.name != "index.html")
    browser.open(page.as_uri())

    assert browser.complaints() == []
    assert "E012" in browser.find("main").text
