#!/usr/bin/env python3
"""Writes the page of each family of the gallery, with its picture.

    python tests/bench/gallery_pages.py            # writes them anew
    python tests/bench/gallery_pages.py --check    # says which differ from their sources, and ends with 1

A page says what the comment at the head of templates/gallery/NAME.h says. Its picture is drawn from
docs/gallery/steps.jsonl, and what a run costs is in docs/gallery/work.csv; `--work build/runtime/scantune-worker`
asks the worker for that anew. What it took on an H200 is in tests/bench/results/h200-gallery.csv, once that is there.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import gallery_figures
import gallery_work
import step_picture
from figure_table import size
from gallery_work import WorkOfFamilies
from step_picture import Steps, is_legible

from scantune.model.gallery_rows import ROWS, GalleryRow, named_families
from scantune.model.work import Work

ROOT = Path(__file__).parents[2]
HEADERS = ROOT / "templates" / "gallery"
PAGES = ROOT / "docs" / "gallery"
PICTURES = ROOT / "docs" / "pictures" / "gallery"
WORK = PAGES / "work.csv"
STEPS = PAGES / "steps.jsonl"
WALK = PAGES / "walk.md"
WALKED_SIZES = (1024, 2**20)
_WIDTH = 100  # characters of a line
_NAMES = sorted((name for name in named_families() if "_" in name), key=len, reverse=True)  # the rest are words
_CODE = re.compile(rf"\b(?:{'|'.join(_NAMES)}|S\[[^\]]*\])(?!\w)")


@dataclass(frozen=True)
class Header:
    """What a page takes from the header of its family."""

    family: str
    text: str

    @property
    def idea(self) -> list[str]:
        """The paragraphs of the comment at the head, of which the first begins with the name of the family."""
        comment = "\n".join(line[2:].strip() for line in self.text.partition("#pragma once")[0].splitlines())
        named = comment.strip().removeprefix(f"{self.family}: ")
        return [" ".join(one.split()) for one in (named[:1].upper() + named[1:]).split("\n\n")]

    @property
    def code(self) -> list[str]:
        """What a CTA runs: the struct of its scan, if this header has one, and the kernels."""
        structs = re.findall(r"^struct \w+(?: : \w+)? \{$.*?^\};$\n", self.text, re.MULTILINE | re.DOTALL)
        scans = [struct for struct in structs if "SCANTUNE_DEVICE" in struct and "Family<" not in struct]
        kernels = self.text.rpartition("\n#ifdef SCANTUNE_KERNELS\n")[2]
        found = re.search(r"^namespace scantune \{\n\n(.*?)\n\}  // namespace scantune$", kernels, re.M | re.S)
        if not found:
            raise ValueError(f"templates/gallery/{self.family}.h has no kernels at its end")
        before = self.text.rpartition("\n#ifdef SCANTUNE_KERNELS\n")[0]
        return [*(scan for scan in scans if scan in before), found[1]]

    @property
    def bases(self) -> list[str]:
        """The headers of the gallery that this one includes."""
        return re.findall(r'^#include "gallery/(\w+)\.h"$', self.text, re.MULTILINE)


def headers() -> dict[str, Header]:
    """Return the headers of families; the others are skeletons of several."""
    found = (Header(path.stem, path.read_text(encoding="utf-8")) for path in sorted(HEADERS.glob("*.h")))
    return {one.family: one for one in found if f'kName = "{one.family}"' in one.text}


def page(header: Header, steps: Steps | None, work: WorkOfFamilies) -> str:
    """Return the page of a family as Markdown."""
    parts = [
        f"# {header.family}",
        *map(prose, header.idea),
        *(data_flow(steps) if steps else ()),
        "## Work",
        prose(f"The default config on any machine, for {subject(header.family)}. Bytes are read from and written to "
              "global memory."),
        work_table(((size(n), one) for n, one in work[header.family].items()), "N"),
        *on_an_h200(header.family),
        "## Run it",
        *runs(header.family),
        rows_table(rows_of(header.family)),
        "## The kernel",
        prose(kernel_note(header)),
        *(f"```cpp\n{code}```" for code in header.code),
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def prose(paragraph: str) -> str:
    """Return a paragraph in lines of a page, with what is code between backticks."""
    parts = re.split(r"(`[^`]*`|\]\([^)]*\))", paragraph)  # every other one is code or where a link leads
    parts[::2] = [_CODE.sub(r"`\g<0>`", part) for part in parts[::2]]
    return textwrap.fill("".join(parts), _WIDTH, break_long_words=False, break_on_hyphens=False)


def data_flow(steps: Steps) -> list[str]:
    counted = f"{len(steps.operations)} operations in {steps.steps} steps"
    told = (
        f"`{steps.config}` {'adds up' if steps.is_sum else 'scans'} {steps.n} items by {counted}. "
        "Items go from left to right, steps from top to bottom. A dot combines the two values whose lines lead down to "
        "it."
    )
    if len(set(steps.operations)) < len(steps.operations):
        told += " A number says how often it is done." if is_legible(steps) else " Some are done more than once."
    alternative = f"Data flow of {steps.family} over {steps.n} items: {counted}"
    return ["## Data flow", f"![{alternative}](../pictures/gallery/{steps.family}.svg)", prose(told)]


def is_sum(family: str) -> bool:
    return family.startswith("sum_")


def subject(family: str) -> str:
    return "a sum of N items of type i32" if is_sum(family) else "an inclusive sum of N items of type i32, one row"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows))


def work_table(rows: Iterable[tuple[str, Work]], first: str) -> str:
    told = ([name, f"{one.operations:,}", f"{one.steps:,}", f"{one.bytes:,}"] for name, one in rows)
    return table([first, "operations", "steps", "bytes"], told)


def on_an_h200(family: str) -> list[str]:
    """Return the section of its times, where there are any."""
    told = gallery_figures.of_family(family)
    about = (
        "Times of sums of i32, by default and with the fastest config that `scantune gallery --tune` found; ~ marks "
        "what was timed once. [On an H200](h200.md) has the other families."
    )
    against = map(prose, gallery_figures.contradictions(family))
    return ["## On an H200", prose(about), told.rstrip(), *against] if told else []


def runs(family: str) -> list[str]:
    """Return the commands that time the family, of a size that every machine and each family can do."""
    algorithm = "--algorithm reduce " if is_sum(family) else ""
    beside = f"`scantune gallery --families {family}` times it beside a copy of as many bytes and what would run."
    return [f"    scantune bench {algorithm}--config {family} --type i32 --n 2^9", prose(beside)]


def rows_of(family: str) -> list[GalleryRow]:
    return [row for row in ROWS if family in row.families]


def rows_table(rows: Sequence[GalleryRow]) -> str:
    told = ([row.number, row.document, row.what, f"`{row.command}`"] for row in rows)
    return table(["[row](index.md#the-rows)", "document", "what", "command"], told)


def kernel_note(header: Header) -> str:
    here = f"[`templates/gallery/{header.family}.h`](../../templates/gallery/{header.family}.h)"
    if not header.bases:
        return f"It is in {here}, with its config."
    families = headers()
    bases = " and ".join(
        f"[`{base}`]({base}.md)" if base in families else f"[`{base}.h`](../../templates/gallery/{base}.h)"
        for base in header.bases
    )
    return f"It is in {here}, with its config, and builds on {bases}."


def walk_table() -> str:
    """Return what each family of the walk costs, in the order of its headings; figures.py puts it in."""
    work = gallery_work.read(WORK)
    walked = [name for name in re.findall(r"^### (\w+)$", WALK.read_text("utf-8"), re.MULTILINE) if name in work]
    heads = ["", *(f"{what}, {size(n)}" for n in WALKED_SIZES for what in ("operations", "steps", "bytes"))]
    return table(heads, ([f"[`{name}`]({name}.md)", *_walked(work[name])] for name in walked)) + "\n"


def _walked(by_n: dict[int, Work]) -> list[str]:
    cells: list[str] = []
    for one in map(by_n.get, WALKED_SIZES):
        cells += [f"{one.operations:,}", f"{one.steps:,}", f"{one.bytes:,}"] if one else ["–"] * 3
    return cells


def files() -> dict[Path, str]:
    """Return what belongs into each file that is written."""
    steps, work = step_picture.read(STEPS), gallery_work.read(WORK)
    found = {PAGES / f"{name}.md": page(one, steps.get(name), work) for name, one in headers().items()}
    return found | {PICTURES / f"{name}.svg": step_picture.picture(one) for name, one in steps.items()}


def out_of_date() -> list[str]:
    """Return which files differ from their sources, and pictures of which nothing is known any more."""
    expected = files()
    differing = [path for path, text in expected.items() if not path.exists() or path.read_text("utf-8") != text]
    left = [path for path in PICTURES.glob("*") if path not in expected]
    return sorted(str(path.relative_to(ROOT)) for path in [*differing, *left])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--work", metavar="WORKER", help="a worker's command, to ask for what runs cost")
    options = parser.parse_args(arguments)
    if options.check:
        if differing := out_of_date():
            sys.exit(f"differ from their sources: {', '.join(differing)}; run python tests/bench/gallery_pages.py")
        return
    if options.work:
        WORK.write_text(gallery_work.text_of(gallery_work.asked(options.work)), encoding="utf-8")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
