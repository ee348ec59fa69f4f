"""Every diagnostic code with its one-line meaning.

E001-E099 syntax, E100-E299 meaning of a litmus test, E300-E399 model files, W100-W299 warnings about a litmus test.
"""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    # --- reading the file ---
    "E001": "the file cannot be read",
    "E002": "a directory or a special file was given where a litmus file was expected",
    "E003": "the file is binary",
    "E004": "the file is not UTF-8 text",
    "E005": "the file is larger than the limit",
    "E006": "the file is empty, or holds comments only",
    # --- header ---
    "E010": "the first word is not a known dialect",
    "E011": "the dialect is not yet supported",
    "E012": "the test has no name",
    "E013": "a header line is neither a doc string nor Key=Value",
    # --- characters and words ---
    "E020": "a comment is never closed",
    "E021": "a string is never closed",
    "E022": "a character that the language does not use",
    "E023": "a malformed number",
    # --- brackets ---
    "E030": "a bracket is never closed",
    "E031": "a closing bracket without an opening one",
    "E032": "nesting deeper than the limit",
    # --- syntax ---
    "E040": "something else was expected here",
    "E041": "a missing ';'",
    "E042": "a word that starts no part of a litmus file",
    "E043": "the initial state is missing",
    "E044": "a part that may stand only once is given twice",
    "E045": "an unknown part of a placement or a launch",
    "E046": "an unknown node of a scope tree",
    "E050": "a construct of C or OpenCL C that is not supported",
}
