"""Work-items that race on many elements: the problem decides, and its states are not listed to the last one."""

from __future__ import annotations

import mcm
from mcm.answer.result import FIRST_PROBLEM
from mcm.engine.explicit.budget import STATES_OF_UNDEFINED

ELEMENTS = 16

SOURCE = """OPENCL racing-writes
{{ global int a[{elements}]; }}
kernel void k(global int* a) {{
  for (int i = 0; i < {elements}; i++)
    a[i] = {value};
}}
launch k global {items}, local 1
"""


def found(items: int, value: str) -> mcm.Judged:
    result = mcm.check(SOURCE.format(elements=ELEMENTS, items=items, value=value))
    assert isinstance(result, mcm.Judged)
    return result


def test_one_value_is_one_state_whichever_write_is_the_last() -> None:
    result = found(2, "7")

    assert (result.verdict, result.reason) == (mcm.Verdict.UNDEFINED, None)
    assert len(result.states) == 1


def test_few_of_the_states_are_listed() -> None:
    for items in (2, 4, 5):
        result = found(items, "get_global_id(0)")

        assert (result.verdict, result.reason) == (mcm.Verdict.UNDEFINED, FIRST_PROBLEM)
        assert STATES_OF_UNDEFINED <= len(result.states) < 2**ELEMENTS


def test_nor_are_all_orders_in_which_work_items_count() -> None:
    text = """OPENCL counting
{ global int count[1]; global int a[8]; }
kernel void k(volatile global int* count, global int* a) {
  atomic_inc(count);
  a[get_global_id(0)] = *count;
}
launch k global 8, local 4
"""
    result = mcm.check(text)

    assert isinstance(result, mcm.Judged)
    assert (result.verdict, result.reason) == (mcm.Verdict.UNDEFINED, FIRST_PROBLEM)
    assert len(result.states) < 2 * STATES_OF_UNDEFINED
