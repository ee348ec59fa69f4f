"""The commands of `mcm`, each a module of this package."""

from __future__ import annotations

from typing import Final

# Short descriptions stand here, so that `mcm --help` loads no command.
COMMANDS: Final = {
    "check": "Say what memory models allow for litmus tests.",
    "test": "Judge what a suite of tests states about itself.",
    "compare": "Compare two logs, or two models over a suite.",
    "explain": "Say why an outcome is forbidden or allowed, or what is wrong with a test.",
    "show": "Draw executions of a litmus test.",
    "run": "Run litmus tests on an abstract machine.",
    "models": "List the built-in models, or the vocabulary of models.",
    "rules": "List the rules of a model, or show some in full.",
    "fmt": "Print litmus tests in the standard layout.",
    "convert": "Print litmus tests in another language: OpenCL C as SYCL, SYCL as OpenCL C.",
}
