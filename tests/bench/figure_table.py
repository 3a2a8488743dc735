"""Tables of the documents: Markdown of rows of files of results, with what was measured on below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import results_file


def read(name: str) -> results_file.Results:
    return results_file.read(results_file.ROOM / f"{name}.csv")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *sources: str) -> str:
    """Return Markdown, with what was measured on and where the numbers stand below it."""
    lines = [heads, ["---"] * len(heads), *rows]
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    told = "; ".join(dict.fromkeys(read(source).provenance for source in sources))
    files = ", ".join(f"`{source}.csv`" for source in sources)
    return f"{text}\n{told} ({files})\n" if sources else text


def size(n: int) -> str:
    """Return 2^k or 10^k where that is exact, else the digits."""
    if n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    zeros = len(str(n)) - 1
    return f"10^{zeros}" if n == 10**zeros else str(n)


def microseconds(text: str) -> str:
    """Return three digits, or four of a thousand and more, in groups from ten thousand on."""
    us = float(text)
    if us >= 10_000:
        return f"{float(f'{us:.4g}'):,.0f}"
    return f"{us:.4g}" if us >= 1000 else f"{us:.3g}"


def share(copy_us: str, own_us: str) -> str:
    return f"{100 * float(copy_us) / float(own_us):.0f} %"
