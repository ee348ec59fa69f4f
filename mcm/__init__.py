"""mcm: what the OpenCL and C11 memory models allow."""

from typing import Final

__version__: Final = "0.1.0"
