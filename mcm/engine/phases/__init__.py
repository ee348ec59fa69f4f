"""Executions from one barrier, or wait of the host, to the next: what is behind it depends on memory and values alone.

Where all that is before such a point happens before all that is behind it, the executions of a program are those of the
part before it, each followed by one of the rest that begins with the memory that was left. Different executions that
leave the same are followed by the same. `docs/search.md` (*Phase by phase*) has the argument. Reading order:

* `cut`: the next such point of a skeleton;
* `parts`: the skeleton of what is before it, and of the rest for each of its results;
* `decide`: the answer about the whole, from answers about parts.
"""
