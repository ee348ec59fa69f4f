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
    "E047": "a word that is no type where a type was expected",
    "E048": "an assignment to something that is not a variable",
    "E050": "a construct of C or OpenCL C that is not supported",
    # --- meaning: beyond the tool ---
    "E100": "a part of OpenCL or C that is not yet supported",
    # --- meaning: calls ---
    "E101": "a name that means nothing here",
    "E102": "an unknown function",
    "E104": "a wrong number of arguments",
    "E105": "a memory order was expected",
    "E106": "a memory scope was expected",
    "E107": "memory fence flags were expected",
    "E108": "a memory order that the operation cannot have",
    "E109": "a failure order that is stronger than the success order",
    "E110": "a fence without flags",
    "E111": "a scope that the fence or barrier cannot have",
    "E112": "a flag that the fence does not know",
    # --- meaning: threads and where they stand ---
    "E113": "a thread is written twice",
    "E114": "a part of a placement is written twice",
    "E115": "a scopeTree that does not fit the threads",
    "E116": "a placement in the C dialect",
    "E117": "a host thread with a place on a device",
    # --- meaning: names and types ---
    "E118": "a name is declared twice",
    "E119": "an operator that does not apply to its operands",
    "E120": "an assignment to something that is no place",
    "E121": "a pointer was expected",
    "E122": "a value of another type was expected",
    "E123": "a conversion between address spaces that do not convert",
    "E124": "a write to constant memory, or to what is declared const",
    "E125": "an atomic operation on constant memory",
    "E126": "an atomic operation or object in private memory",
    "E127": "an address space that cannot be named here",
    "E128": "a parameter that is no pointer",
    "E129": "threads that disagree about the type of a location",
    # --- meaning: initial state ---
    "E130": "something gets its initial value twice",
    "E131": "an initial value that does not fit, or is no constant",
    "E132": "a length that is no length, or that differs between threads",
    "E133": "an allocation kind or region that does not fit the location",
    "E134": "the host accesses local memory",
    # --- meaning: conditions ---
    "E135": "there is no such thread",
    "E136": "there is no such register",
    "E137": "there is no such element",
    # --- meaning: statements ---
    "E138": "a value was expected from an operation that has none",
    "E139": "a fence or barrier inside an expression",
    "E140": "an operation that this kind of unit does not have",
    "E141": "break or continue outside a loop",
    # --- meaning: header and rest ---
    "E142": "a malformed expectation",
    "E143": "an expectation is stated twice",
    "E144": "a number that is no number of C, or too large",
    "E145": "an unknown type",
    "E146": "an expectation for a model that does not exist",
    "E148": "a test without threads",
    "E150": "a feature that the device profile does not offer",
    # --- meaning: kernels ---
    "E151": "a launch of a kernel that does not exist",
    "E152": "a launch whose sizes are missing or do not fit",
    # --- meaning: executions ---
    "E153": "a program with more executions, events or values than can be elaborated",
    "E154": "a variable that one expression changes and accesses in an order that C leaves open",
    # --- model files ---
    "E300": "a character that cat does not use, or a string that is never closed",
    "E301": "something else was expected here, in a model",
    "E302": "a comment is never closed, in a model",
    "E303": "a part of cat that is not supported",
    "E304": "an unknown name, in a model",
    "E305": "a set stands where a relation is needed, or a relation where a set is",
    "E306": "a function without its arguments, a wrong number of them, or arguments to what is no function",
    "E307": "a recursive definition that need not have a least solution",
    "E308": "a file to be included does not exist",
    "E309": "a model file includes itself",
    "E310": "a malformed rule comment",
    "E311": "the name of a linearisation is taken",
    "E312": "a model nests deeper than the limit",
    # --- warnings ---
    "W100": "a parameter that names no address space",
    "W101": "threads disagree about the address space of a location",
    "W102": "threads disagree about the type of a location",
    "W103": "local memory used by different work-groups",
    "W104": "a program-scope variable used on two devices",
    "W105": "a location that no thread uses",
    "W106": "the value of a parameter, an address, stands in a condition",
    "W107": "an atomic operation on an object of the wrong kind of type",
    "W108": "a plain access to an atomic object",
    "W109": "a failure order with release",
    "W110": "an atomic operation with work-item scope",
    "W111": "nothing says in which address space a location is",
    "W112": "constant memory without a value",
    "W113": "a label without a barrier",
    "W114": "a scope that the host does not have",
    "W115": "an address in a location whose type is no pointer",
    "W116": "a region is given to a location that nobody uses",
    "W117": "an address is compared with the value of a location",
    "W118": "one name with different types in separate blocks",
    "W119": "a thread returns a value",
    "W120": "a kernel that nothing launches",
    "W121": "a key line that is probably misspelt",
}
