"""mcm: what the OpenCL and C11 memory models allow."""
