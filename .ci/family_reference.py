"""The reference of the families as Markdown: the comment at the head of each config header, and its parameters.

Families of the gallery have pages of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from api_reference import bare, prose, sentences

LISTED = re.compile(r"FamiliesOf<(\w+Request,[^<>]*)>")
PARAMETER = re.compile(r"SCANTUNE_PARAMETER\(\w+, (\w+), \w+, ([^)]*)\)")
ENUM = re.compile(r"^enum class (\w+) \{\n(.*?)^\};", re.MULTILINE | re.DOTALL)
VALUE = re.compile(r"^  (\w+),?(?:\s*// (.*))?$", re.MULTILINE)
ABOUT = """# Families

What each kernel family does, and the parameters of its configs with the values that a search tries. All of it is from
the config headers in `templates/`, in the order of `templates/algorithms.h`. Families that are there to be read have
pages in the [gallery](../gallery/index.md)."""


def family_reference(root: Path) -> str:
    """Return the page of all families of the library whose templates are in the folder `root`."""
    templates = root / "templates"
    choices = dict(_choices(templates))
    parts = [ABOUT]
    for algorithm, families in families_of(templates).items():
        parts.append("## " + algorithm.replace("_", " "))
        shared = shared_headers(templates / algorithm / "config")
        for name, header in families.items():
            own = header.read_text()
            declares = own if PARAMETER.search(own) else "".join(one.read_text() for one in shared)
            parts += [f"### {name}", *_head(header, templates), _table(declares, choices)]
        for header in shared:
            parts += [f"### {header.stem}", *_head(header, templates)]
    text = "\n\n".join([*parts, "## Values by name"])
    used = [f"### {name}\n\n{listed}" for name, listed in choices.items() if f"](#{name.lower()})" in text]
    return "\n\n".join([text, *used]) + "\n"


def families_of(templates: Path) -> dict[str, dict[str, Path]]:
    """Return the config headers of the library's families by algorithm and name, in the order of algorithms.h."""
    headers = {}
    for header in templates.glob("*/config/*.h"):
        if declared := re.search(r"^struct Family<(\w+)>", header.read_text(), re.MULTILINE):
            headers[declared[1]] = header
    found: dict[str, dict[str, Path]] = {}
    for listed in LISTED.findall((templates / "algorithms.h").read_text()):
        for header in (headers[config] for config in re.findall(r"\w+", listed) if config in headers):
            found.setdefault(header.parts[-3], {})[header.stem] = header
    return found


def shared_headers(folder: Path) -> list[Path]:
    """Return the headers of an algorithm's configs that declare neither its request nor a family."""
    headers = (header for header in sorted(folder.glob("*.h")) if header.stem != folder.parent.name)
    return [header for header in headers if "struct Family<" not in header.read_text()]


def _head(header: Path, templates: Path) -> Iterator[str]:
    """Yield the path of a header, and the paragraphs of the comment at its head without the name that begins it."""
    yield f"`templates/{header.relative_to(templates)}`"
    comment = bare(header.read_text().partition("#pragma once")[0].splitlines())
    comment[0] = comment[0].removeprefix(f"{header.stem}: ")
    comment[0] = comment[0][:1].upper() + comment[0][1:]
    yield from prose(comment, "cpp")


def _table(header: str, choices: dict[str, str]) -> str:
    """Return the table of the parameters that a header declares."""
    rows = ["| parameter | values | meaning |", "|---|---|---|"]
    for name, values in PARAMETER.findall(header):
        member = re.search(rf"^  (\w+) {name} = .*?;(.*(?:\n {{6,}}//.*)*)", header, re.MULTILINE)
        if member is None:
            raise ValueError(f"{name} is a parameter and no member")
        meaning = [sentences(" ".join(re.findall(r"// (.*)", member[2])))]
        if member[1] in choices:
            meaning.append(f"[{member[1]}](#{member[1].lower()})")
        listed = " ".join(re.sub(r"\w+::", "", values).split())
        rows.append(f"| `{name}` | `{listed}` | {'; '.join(filter(None, meaning))} |")
    return "\n".join(rows)


def _choices(templates: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each type of values with names, and a list of them."""
    for header in sorted(templates.glob("*/*/*.h")):
        for name, body in ENUM.findall(header.read_text()):
            values = (
                f"`{value}`: {sentences(meaning)}" if meaning else f"`{value}`"
                for value, meaning in VALUE.findall(body)
            )
            yield name, "\n".join(f"- {value}" for value in values)
