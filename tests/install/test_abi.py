"""Programs that were compiled with an earlier header go on working: what abi.txt lists stays in its place."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
INCLUDE = ROOT / "runtime/include"
LISTED = Path(__file__).with_name("abi.txt")


def header() -> str:
    """Return scantune.h and what it includes, without comments."""
    text = "".join(path.read_text() for path in sorted((INCLUDE / "scantune").glob("*.h")))
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


GROWING = ("of",)  # the array of pointers by role, whose count a caller tells


def symbols() -> set[str]:
    library = BUILD / "runtime/libscantune.so"
    listing = subprocess.run(
        ["nm", "--dynamic", "--defined-only", library], capture_output=True, text=True, check=True
    ).stdout
    return {f"symbol {line.split()[-1]}" for line in listing.splitlines() if line.split()[-2] in "TtWwDdBb"}


def declared() -> set[str]:
    """Return the functions as programs know them, and the numbers that stay: roles and versions grow."""
    text = header()
    functions = re.findall(r"^SCANTUNE_API ([^;]*);", text, re.MULTILINE)
    numbers = re.findall(r"^#define (SCANTUNE_(?!VERSION|ROLES)\w+ \d+)$", text, re.MULTILINE)
    return {f"declared {' '.join(one.split())}" for one in [*functions, *numbers]}


def soname() -> set[str]:
    """Return the name by which programs ask for the library."""
    listing = subprocess.run(
        ["readelf", "--dynamic", BUILD / "runtime/libscantune.so"], capture_output=True, text=True, check=True
    ).stdout
    return {f"soname {name}" for name in re.findall(r"\(SONAME\).*\[(.*)\]", listing)}


def printed(of_header: str) -> list[str]:
    """Return the statements that print every member's place and size, and every enumerator's value."""
    statements = []
    for struct, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", of_header, re.DOTALL):
        for member in re.findall(r"(\w+)\s*(?:\([^)]*\)|\[\w+\])?;", body):
            if member == "spare":  # members to come take its place
                continue
            place, size = f"(int)offsetof({struct}, {member})", f"(int)sizeof((({struct}*)0)->{member})"
            if member in GROWING:
                statements.append(f'printf("member {struct}.{member} from %d on\\n", {place});')
            else:
                statements.append(f'printf("member {struct}.{member} at %d of %d bytes\\n", {place}, {size});')
    for macro in re.findall(r"#define (SCANTUNE_\w+_INIT) ", of_header):  # every word that is not 0 but the size
        struct = macro.removesuffix("_INIT").lower()
        if struct == "scantune_arrays":  # a caller tells the count
            continue
        statements.append(
            f"{{ const {struct} made = {macro}; uint64_t words[sizeof made / 8]; memcpy(words, &made, sizeof made);\n"
            f"  for (unsigned word = 1; word < sizeof made / 8; ++word)\n"
            f'    if (words[word] != 0) printf("init {struct} at %u is %llx\\n", 8 * word, '
            "(unsigned long long)words[word]); }"
        )
    for body in re.findall(r"typedef enum \w+ \{(.*?)\}", of_header, re.DOTALL):
        statements += [f'printf("value {name} %d\\n", (int){name});' for name in re.findall(r"\bSCANTUNE_\w+", body)]
    return statements


def layout(folder: Path) -> set[str]:
    source, program = folder / "layout.c", folder / "layout"
    body = "\n".join(printed(header()))
    source.write_text(
        "".join(f"#include <{name}>\n" for name in ("scantune/scantune.h", "stddef.h", "stdio.h", "string.h"))
        + f"int main(void) {{\n{body}\n}}\n"
    )
    subprocess.run(["cc", f"-I{INCLUDE}", source, "-o", program], check=True)
    return set(subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines())


def test_nothing_that_programs_were_compiled_with_has_moved(tmp_path: Path) -> None:
    listed = set(LISTED.read_text().splitlines())
    found = symbols() | soname() | declared() | layout(tmp_path)
    assert len(found) >= 80
    assert listed <= found, f"programs break, so this is a new major version: {sorted(listed - found)}"
    assert found <= listed, f"list what is new in {LISTED.name}, so that it stays: {sorted(found - listed)}"
