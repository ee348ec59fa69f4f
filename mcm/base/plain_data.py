"""Data files of the package: structs as JSON that people can compare."""

from __future__ import annotations

import json

import msgspec


def text_of(data: msgspec.Struct) -> str:
    """A struct of lists and dictionaries as JSON, with a line for each of their items."""
    parts = []
    for name, value in msgspec.to_builtins(data, order="deterministic").items():
        if isinstance(value, dict):
            lines = ["{", ",\n".join(f"{json.dumps(key)}: {json.dumps(item)}" for key, item in value.items()), "}"]
        elif isinstance(value, list):
            lines = ["[", ",\n".join(map(json.dumps, value)), "]"]
        else:
            lines = [json.dumps(value)]
        parts.append(f"{json.dumps(name)}: " + "\n".join(line for line in lines if line))
    return "{\n" + ",\n".join(parts) + "\n}\n"
