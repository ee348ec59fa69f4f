"""C++ programs as they stand, on the way to the host program and kernels of a SYCL test: words in place of words."""
