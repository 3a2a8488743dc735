"""Fails when a page has more lines, words or numbers than it may; `make lint` runs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# README is read in two minutes, and results have pages of their own.
LIMITS = {"README.md": {"lines": 130, "words": 900, "numbers": 40}}


def counts(text: str) -> dict[str, int]:
    """Return how many lines, words and numbers a page has. Words stand between blanks; 'f32' holds a number."""
    return {
        "lines": len(text.splitlines()),
        "words": len(text.split()),
        "numbers": len(re.findall(r"\d[\d.,]*", text)),
    }


def excesses(page: str, text: str) -> list[str]:
    """Return a sentence for each limit that a page breaks."""
    found = counts(text)
    return [
        f"{page} has {found[what]} {what}, and {limit} at most are agreed (.ci/counts.py)"
        for what, limit in LIMITS[page].items()
        if found[what] > limit
    ]


if __name__ == "__main__":
    broken = [line for page in LIMITS for line in excesses(page, (ROOT / page).read_text(encoding="utf-8"))]
    sys.exit("\n".join(broken) or 0)
