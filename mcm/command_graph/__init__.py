"""The graph of the commands of a program: what is ordered before what, by which rule, and what is not."""
