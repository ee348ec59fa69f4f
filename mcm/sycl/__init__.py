"""The dialect SYCL: its syntax tree, and what a test in it means in terms of the C family."""
