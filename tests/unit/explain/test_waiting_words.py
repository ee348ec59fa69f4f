"""What a loop waits for, in words."""

from mcm.base.source import Source
from mcm.explain.waiting import changes_of
from mcm.front_end.read import read_test
from mcm.program.types import Location

PROGRAM = read_test(
    Source(
        "words",
        "OPENCL words\n{ int a[9]; [f] = 0; int m[3][2]; }\nP0@wg 0 (global int* a) { int r = *a; }\nexists (0:r=0)\n",
    )
).program


def words(*places: tuple[str, int]) -> str:
    objects = {one.name: number for number, one in enumerate(PROGRAM.objects)}
    return changes_of([(Location(objects[name], offset), None) for name, offset in places], PROGRAM)


def test_one_or_two_locations_are_named() -> None:
    assert words(("f", 0)) == "f to change"
    assert words(("a", 0), ("f", 0)) == "a[0] or f to change"
    assert words(("a", 0), ("a", 1)) == "a[0] or a[1] to change"


def test_elements_in_a_row_are_told_as_one() -> None:
    assert words(("a", 0), ("a", 1), ("a", 2), ("a", 4), ("f", 0)) == "a[0..2], a[4] or f to change"


def test_elements_of_several_dimensions_are_named() -> None:
    assert words(("m", 0), ("m", 1), ("m", 2)) == "m[0][0], m[0][1] or m[1][0] to change"


def test_values_that_have_to_change_are_told_with_each() -> None:
    places = [(Location(0, 1), 5), (Location(0, 2), 0)]
    name = PROGRAM.objects[0].name

    assert changes_of(places, PROGRAM) == f"{name}[1] to change from 5 or {name}[2] to change from 0"
