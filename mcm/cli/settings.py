"""Defaults of options: `mcm.toml`, or `[tool.mcm]` in `pyproject.toml`, of the current folder or the nearest above it.

What stands at the top holds for every command that has such an option, what stands in `[test]` for `mcm test`.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import click

_OWN_FILE: Final = "mcm.toml"
_SHARED_FILE: Final = "pyproject.toml"
# As text: it is compiled when there is a file to look into.
_SECTION: Final = rb"(?m)^\[tool\.mcm(?:\.([\w-]+))?"

Settings = dict[str, Any]


def defaults(group: click.Group, words: Sequence[str]) -> dict[str, Settings]:
    """The defaults of the command that is called, in the form that click takes; usage error for a wrong setting."""
    import click

    names = group.list_commands(click.Context(group))
    called = next((word for word in words if not word.startswith("-")), None)
    if called not in names:
        return {}
    found = settings_for(called, names)
    if found is None:
        return {}
    path, settings = found
    command = group.get_command(click.Context(group), called)
    assert command is not None, "it is one of the commands"
    for name, value in settings.items():
        if isinstance(value, dict) and name not in names:
            raise _wrong(path, f"unknown section '{name}'", name, names)
    common = {name: value for name, value in settings.items() if not isinstance(value, dict)}
    own = settings.get(called, {})
    if not isinstance(own, dict):
        raise _usage_error(f"'{path}': '{called}' is a section, found {own!r}")
    options = _options(command)
    for name in own:
        if name not in options:
            raise _wrong(path, f"unknown setting '{name}' of mcm {called}", name, options)
    if not common.keys() <= options.keys():
        _require_known(path, common, group)
    chosen = {name: value for name, value in {**common, **own}.items() if name in options}
    return {
        called: {
            options[name].name or name: _fitting(path, name, options[name], value) for name, value in chosen.items()
        }
    }


def _require_known(path: str, common: Settings, group: click.Group) -> None:
    """Usage error for a setting of all commands that none of them has; this loads them all."""
    import click

    context = click.Context(group)
    commands = (group.get_command(context, name) for name in group.list_commands(context))
    known = {option for command in commands if command is not None for option in _options(command)}
    for name in common:
        if name not in known:
            raise _wrong(path, f"unknown setting '{name}'", name, sorted(known))


def settings_for(called: str, names: Iterable[str]) -> tuple[str, Settings] | None:
    """The nearest settings and their file; None where there are none, or only some for other commands.

    So a file is read as TOML, which takes as long as a small test, only where it has to be.
    """
    others = {name.encode() for name in names if name != called}
    for place in _and_above(os.getcwd()):
        own = os.path.join(place, _OWN_FILE)
        if os.path.isfile(own):
            return own, _read(own)
        shared = os.path.join(place, _SHARED_FILE)
        sections = set(re.findall(_SECTION, _bytes(shared))) if os.path.isfile(shared) else set()
        if sections and sections <= others:
            return None
        if sections:
            section: Settings = _read(shared).get("tool", {}).get("mcm", {})
            return shared, section
    return None


def _and_above(folder: str) -> Iterator[str]:
    """A folder, and those that it lies in, outwards."""
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        yield folder


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise _usage_error(f"cannot read '{path}': {(error.strerror or str(error)).lower()}") from error


def _read(path: str) -> Settings:
    # Imported here: most folders have no settings.
    import tomllib

    try:
        return tomllib.loads(_bytes(path).decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _usage_error(f"'{path}' is no TOML: {error}") from error
    except RecursionError:
        raise _usage_error(f"'{path}' is nested too deeply") from None


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by their long names."""
    import click

    return {
        word.removeprefix("--"): option
        for option in command.params
        if isinstance(option, click.Option)
        for word in option.opts
        if word.startswith("--")
    }


def _fitting(path: str, name: str, option: click.Option, value: Any) -> Any:
    """The value of a setting, numbers as a command line has them; usage error where the option takes no such value."""
    import click

    values = value if option.multiple and isinstance(value, list) else [value]
    fits = isinstance(value, list) is option.multiple and all(isinstance(one, str | int | float) for one in values)
    # On the command line a switch has no value, and nothing else is true or false.
    if not fits or any(isinstance(one, bool) is not option.is_flag for one in values):
        expected = "a list" if option.multiple else "true or false" if option.is_flag else "one value"
        raise _usage_error(f"'{path}': '{name}' takes {expected}, found {_in_toml(value)}")
    if option.is_flag:
        # A switch that chooses a word, such as `--check`.
        return (option.flag_value if value else None) if isinstance(option.flag_value, str) else value
    shown = [one if isinstance(one, str) else str(one) for one in values]
    try:
        for one in shown:
            option.type.convert(one, option, None)
    except click.BadParameter as error:
        raise _usage_error(f"'{path}': '{name}': {error.message}") from None
    return shown if option.multiple else shown[0]


def _in_toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _wrong(path: str, message: str, name: str, known: Sequence[str] | Mapping[str, Any]) -> click.UsageError:
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1)
    return _usage_error(f"'{path}': {message}" + (f"; did you mean '{close[0]}'?" if close else ""))


def _usage_error(message: str) -> click.UsageError:
    # Imported here: whether there are settings is asked of small checks too, which need nothing else of click.
    import click

    return click.UsageError(message)
