"""Plain accesses that what the program fixes puts in order: they are taken out before the search.

Where barriers and sequencing order all conflicting accesses of a location, each read has one source and the last write
is known, in every consistent execution: they are *settled*. One pass finds them, and the search is left with what is
open. `docs/search.md` has the argument, and what it asks of a model. Reading order:

* `reduction`: a skeleton without its settled accesses;
* `footprint`, `rules`: what the terms of a model say of such accesses, and whether that is enough;
* `kinds`, `clocks`: the part of happens-before that the program fixes;
* `settling`, `found`: the locations whose accesses are settled, and the values of their reads;
* `easing`, `grounds`, `places`: atomics that synchronise, settled as relaxed ones where that is the same;
* `contests`, `winning`, `phase_winners`: choices that say who is the first to change an object, between barriers.
"""
