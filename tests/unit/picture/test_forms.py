from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import mcm
from mcm.base.style import PROBLEM, STYLES, Colour, style_named
from mcm.picture.marks import MarkedPair, Marks, Wait
from mcm.picture.measure import cells
from mcm.picture.svg import style_sheet

Give = Callable[[str], tuple[mcm.Execution, ...]]

SVG = "{http://www.w3.org/2000/svg}"

LONG = f"""OPENCL long
{{ }}
P0@wg 0 (global atomic_int* {"n" * 10_000}) {{
  int r = atomic_load_explicit({"n" * 10_000}, memory_order_relaxed, memory_scope_device);
}}
exists (0:r=0)
"""


def test_svg_has_every_event_and_edge_with_its_story(weak: mcm.Execution) -> None:
    root = ET.fromstring(weak.svg("MP <&> allowed"))  # noqa: S314 - our own
    titles = [title.text for title in root.iter(f"{SVG}title")]

    assert titles[0] == "MP <&> allowed"
    assert any("P1 line 8: read y = 1 (relaxed, device)" in (title or "") for title in titles)
    assert "rf: P1 line 8 reads y from P0 line 5" in titles
    assert "fr: P1 line 9 reads x from a write that P0 line 4 replaces" in titles
    assert "rf: P1 line 9 reads x from the initial state" in titles
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert {"device 0", "work-group 0", "work-group 1", "P0", "P1", "x = 0", "write y = 1", "rf", "fr"} <= set(texts)


def test_relations_differ_without_colours(weak: mcm.Execution) -> None:
    pens = [(style.dash, style.width) for name, style in STYLES.items() if name != "co"]

    assert sorted(map(str, pens)) == sorted(map(str, set(pens)))
    labels = {edge.name for edge in weak.scene().edges}
    assert labels == {"po", "rf", "fr"}


def test_colours_stand_out_on_both_grounds() -> None:
    for colour in Colour:
        assert contrast(colour.light, "#ffffff") >= 4.5, colour
        assert contrast(colour.dark, "#0d1117") >= 4.5, colour


def contrast(one: str, other: str) -> float:
    """The contrast of two colours as WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_styles_are_read_from_words() -> None:
    assert style_named("violet long-dash") == STYLES["sw"] or style_named("violet long-dash") is not None
    assert style_named("red") is not None
    assert style_named("mauve") is None
    assert style_named("red wavy") is None
    assert style_named("") is None


def test_nothing_is_fetched_and_nothing_runs(weak: mcm.Execution) -> None:
    picture = weak.svg()

    assert re.findall(r"https?://[^\"' ]+", picture) == ["http://www.w3.org/2000/svg"]
    assert "<script" not in picture
    assert not re.search(r"\son\w+=|\sstyle=|@import|url\(", picture)
    assert style_sheet() in picture


def test_hostile_titles_are_text(weak: mcm.Execution) -> None:
    picture = weak.svg("</title><script>alert(1)</script>\x1b\u202e\"'")

    assert "<script" not in picture
    assert "\x1b" not in picture
    assert "\u202e" not in picture
    assert ET.fromstring(picture)[0].text == "</title><script>alert(1)</script>\\x1b\\u202e\"'"  # noqa: S314


def test_long_names_are_cut_and_told_in_full_elsewhere(draw: Callable[[str], mcm.Execution]) -> None:
    execution = draw(LONG)
    root = ET.fromstring(execution.svg())  # noqa: S314 - our own
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]

    assert max(map(len, texts)) < 40
    assert any(text.endswith("…") for text in texts)
    assert any(len(title.text or "") > 1000 for title in root.iter(f"{SVG}title"))
    assert float(root.attrib["width"]) < 600
    assert max(map(len, execution.text().splitlines())) <= 100


def test_a_race_is_pointed_out(executions: Give) -> None:
    picture = executions("opencl/patterns/MP.rlx")[-1].svg()

    assert "data-race: P0 line 12 and P1 line 18" in picture
    assert picture.count('class="node read marked"') == 1
    assert picture.count('class="node write marked"') == 1
    assert re.search(r'class="edge crimson marked".*?</g>', picture)
    (race,) = re.findall(r'<g class="edge crimson marked".*?</g>', picture)
    assert "polygon" not in race


def test_divergence_points_out_who_came_to_the_barrier(executions: Give) -> None:
    execution = next(
        one for one in executions("opencl/barriers/divergence") if any(n.marked for n in one.scene().nodes)
    )

    assert {node.text for node in execution.scene().nodes if node.marked} <= {"barrier: enter", "barrier: leave"}


def test_units_that_wait_are_shown(executions: Give) -> None:
    execution = executions("opencl/waiting/barrier.flags-behind-waiter")[-1]

    assert "waits forever" in execution.text()
    assert "waits forever at line" in execution.svg()


def test_marks_can_be_given(weak: mcm.Execution) -> None:
    pair = MarkedPair(3, 4, "ghb", PROBLEM, "P0 line 5 happens before P1 line 8")
    marked = weak.marked(Marks(pairs=(pair,), waits=(Wait(1, "Godot", 9),)))

    assert [edge.name for edge in marked.scene().edges if edge.marked] == ["ghb"]
    assert {node.number for node in marked.scene().nodes if node.marked} == {3, 4, -1}
    assert "Godot" in marked.text()


def test_what_synchronises_is_drawn_once(executions: Give) -> None:
    execution = executions("sycl/patterns/MP+rel+acq.device")[-1]
    (edge,) = (edge for edge in execution.scene().edges if edge.name == "sw")
    pair = MarkedPair(edge.source, edge.target, "sw-1", STYLES["sw"], "release write, acquire read")

    assert [one.name for one in execution.marked(Marks(pairs=(pair,))).scene().edges if "sw" in one.name] == ["sw-1"]


def test_commands_of_sycl_are_joined(executions: Give) -> None:
    assert [edge.name for edge in executions("sycl/host/in-order-queue")[-1].scene().edges].count("sw") > 4


def test_other_relations_can_be_asked_for(weak: mcm.Execution) -> None:
    names = {edge.name for edge in weak.scene(relations=["ghb", "swg"]).edges}

    assert {"ghb", "po", "rf"} <= names
    with pytest.raises(KeyError):
        weak.scene(relations=["no-such"])


def test_notebooks_show_the_picture(weak: mcm.Execution) -> None:
    assert weak._repr_html_() == weak.svg()


def test_text_draws_boxes_and_lines(weak: mcm.Execution) -> None:
    drawing = weak.text("MP")

    assert drawing.startswith("MP\n\n")
    assert max(cells(line) for line in drawing.splitlines()) <= 100
    assert re.search(r"│ +write x = 1 +│", drawing)
    assert "▼" in drawing
    assert re.search(r"─ work-group 0 ─+ +─ work-group 1 ─", drawing)


def test_text_in_ascii(weak: mcm.Execution) -> None:
    drawing = weak.text(ascii_only=True)

    assert drawing.isascii()
    assert re.search(r"[|] +write x = 1 +[|]", drawing)
    assert len(drawing.splitlines()) == len(weak.text().splitlines())


def test_what_is_too_wide_becomes_lists(weak: mcm.Execution) -> None:
    lists = weak.text(width=40)

    assert "┌" not in lists
    assert "  read y = 1  (relaxed, device, line 8)" in lists
    assert "rf: P1 line 8 reads y from P0 line 5" in lists


def test_dot_is_what_graphviz_reads(executions: Give) -> None:
    for name in (
        "opencl/patterns/MP.rlx",
        "opencl/patterns/sub-group.ISA2",
        "opencl/waiting/barrier.flags-behind-waiter",
    ):
        for execution in executions(name):
            text = execution.dot('a "quoted" \\ title')
            assert text.count("{") == text.count("}")
            assert r'label="a \"quoted\" \\ title"' in text
            if shutil.which("dot"):
                done = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True, check=False)
                assert (done.returncode, done.stderr) == (0, "")
                assert done.stdout.startswith("graph ")


def test_dot_has_the_colours_of_herd(weak: mcm.Execution) -> None:
    text = weak.dot()

    assert re.search(r'e3 -> e4 \[label="rf", color="red"', text)
    assert re.search(r'e5 -> e2 \[label="fr", color="orange"', text)
    assert re.search(r'e2 -> e3 \[label="po", color="black"', text)


def test_a_model_says_what_is_drawn(tmp_path: Path) -> None:
    model = tmp_path / "mine.cat"
    model.write_text('"mine"\ninclude "opencl-3.0.cat"\n(* @draw green dashed *)\nlet before = ghb & loc\n')
    test = Path(__file__).parents[3] / "litmus" / "opencl" / "patterns" / "MP.dv.litmus"
    result = mcm.check(test, model, executions=True, timeout=60)
    execution = next(state.execution for state in result.states if state.values["1:r0"] == 1)
    assert execution is not None
    styles = {edge.name: edge.style.words for edge in execution.scene().edges}

    assert styles["before"] == "green dashed"
    assert styles["gsw"] == "violet long-dash"
