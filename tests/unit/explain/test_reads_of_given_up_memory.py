"""What a command gave up has no value: it is not told as the only write of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcm import Session

if TYPE_CHECKING:
    from pathlib import Path

GIVEN_UP = """#include <sycl/sycl.hpp>
using namespace sycl;
int main() {
  int v[1] = {5};
  {
    buffer<int> a(v, range<1>(1));
    queue q;
    q.submit([&](handler& h) { accessor x(a, h, no_init); h.single_task([=] { x[0] = x[0] + 1; }); });
  }
  int r = v[0];
}
"""


def test_a_read_of_what_was_given_up(tmp_path: Path) -> None:
    program = tmp_path / "given-up.cpp"
    program.write_text(GIVEN_UP, encoding="utf-8")
    (story,) = Session().explain(program).stories

    assert [reading.text for reading in story.readings] == [
        "K0[0] line 8:86 reads v[0] from discard of v line 8, which K0[0] line 8:79 replaces"
    ]
