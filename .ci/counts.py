"""Fails when a page, or pages together, have more lines, words or numbers than they may; `make lint` runs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# README is read in two minutes, and results have pages of their own. A pattern counts all of its pages together.
LIMITS = {
    "README.md": {"lines": 130, "words": 900, "numbers": 40},
    "docs/architecture.md": {"written words": 3_500},
    "docs/**/*.md": {"written words": 45_700},
}

# What programs write into pages (tests/bench/figures.py, gallery_pages.py), and code.
NOT_WRITTEN = re.compile(
    r"<!-- figures: .*?<!-- end of figures -->|<!-- work -->.*?<!-- end of work -->|^```.*?^```$", re.M | re.S
)


def counts(text: str) -> dict[str, int]:
    """Return how many lines, words and numbers a page has. Words stand between blanks; 'f32' holds a number."""
    return {
        "lines": len(text.splitlines()),
        "words": len(text.split()),
        "written words": len(NOT_WRITTEN.sub("", text).split()),
        "numbers": len(re.findall(r"\d[\d.,^]*", text)),  # 2^10 is one
    }


def excesses(pages: str, *texts: str) -> list[str]:
    """Return a sentence for each limit that pages break."""
    found = {what: sum(counts(text)[what] for text in texts) for what in LIMITS[pages]}
    return [
        f"{pages} has {found[what]:,} {what}, and {limit:,} at most are agreed (.ci/counts.py)"
        for what, limit in LIMITS[pages].items()
        if found[what] > limit
    ]


def written_by_hand(root: Path, pages: str) -> list[Path]:
    """Return the pages of a pattern, but for those that tests/bench/gallery_pages.py writes of a family's header."""
    found = sorted(root.glob(pages))
    assert found, pages
    return [page for page in found if page.parent.name != "gallery" or not _is_of_family(root, page.stem)]


def _is_of_family(root: Path, name: str) -> bool:
    header = root / "templates" / "gallery" / f"{name}.h"
    return header.exists() and f'kName = "{name}"' in header.read_text(encoding="utf-8")


if __name__ == "__main__":
    broken = [
        line
        for pages in LIMITS
        for line in excesses(pages, *(page.read_text(encoding="utf-8") for page in written_by_hand(ROOT, pages)))
    ]
    sys.exit("\n".join(broken) or 0)
