"""Sizes and durations as people write them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from scantune.errors import UsageError

MAX_N = 2**40

_SUFFIXES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_BYTES = re.compile(r"(\d{1,15})([kmgt]?)(?:i?b)?")
_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?")


def parse_sizes(texts: Iterable[str]) -> list[int]:
    """Return the sizes, sorted and without repetition.

    A text is a list, with commas, of sizes such as 1000, 2^20 and 1M, and of ranges. K, M and G are powers of 1024. A
    range such as 2^8..2^18 doubles from one size to the next; 2^8..2^18:4 multiplies by 4. It includes both ends, the
    last one also where no step leads to it. Raises UsageError.
    """
    return sorted({n for text in texts for part in text.split(",") for n in _parse_part(part.strip())})


def counted(count: int, noun: str) -> str:
    """Return "1 winner", "2 winners", "2 searches"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('ch') else 's'}"


def format_size(n: int) -> str:
    """Return 2^k where that is exact, else the digits in groups of three."""
    return f"2^{n.bit_length() - 1}" if n >= 16 and n & (n - 1) == 0 else f"{n:,}"


def parse_duration(text: str) -> float:
    """Return the seconds of 90, 90s, 10m, 1h30m or 30d. Raises UsageError."""
    match = _DURATION.fullmatch(text.strip().lower())
    days, hours, minutes, seconds = match.groups() if match else (None, None, None, None)
    total = 86400 * int(days or 0) + 3600 * int(hours or 0) + 60 * int(minutes or 0) + float(seconds or 0)
    if total <= 0:
        raise UsageError(f"'{text}' is not a duration; write 90s, 10m, 1h30m or 30d")
    return total


def parse_bytes(text: str) -> int:
    """Return the bytes of 500M, 2G, 2GiB or 1000000; K, M, G and T are powers of 1024. Raises UsageError."""
    match = _BYTES.fullmatch(text.strip().lower())
    if not match:
        raise UsageError(f"'{text}' is not a number of bytes; write 500M, 2G or 1000000")
    return int(match[1]) * _SUFFIXES[match[2]]


def format_bytes(count: float) -> str:
    """Return 12 bytes, 3.4 KiB or 5.0 GiB."""
    if count < 1024:
        return f"{count:.0f} bytes"
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1024:
            return f"{count:.1f} {unit}"
    return f"{count / 1024:.1f} TiB"


def format_duration(seconds: float) -> str:
    """Return 45s, 9m30s, 1h05m or 3d04h."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    if whole < 100 * 3600:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02d}h"


def three_digits(value: float) -> str:
    """Return about three digits: bandwidths go from a CPU's 0.012 to a GPU's 4190 GB/s."""
    return f"{value:.{max(0, min(3, 2 - math.floor(math.log10(value))))}f}"


def _parse_part(part: str) -> list[int]:
    if ".." not in part:
        return [_parse_size(part)]
    bounds, _, step_text = part.partition(":")
    first_text, _, last_text = bounds.partition("..")
    first, last = _parse_size(first_text), _parse_size(last_text)
    step = _parse_size(step_text) if step_text else 2
    if step < 2 or last < first:
        raise UsageError(f"'{part}' is not a range; write first..last:factor, such as 2^8..2^18:4")
    sizes = [last]
    while first < last:
        sizes.append(first)
        first *= step
    return sizes


def _parse_size(text: str) -> int:
    power = re.fullmatch(r"(\d{1,6})\^(\d{1,2})", text)
    plain = re.fullmatch(r"(\d{1,15})([kmg]?)", text.lower())
    if power:
        n = int(pow(int(power[1]), int(power[2])))
    elif plain:
        n = int(plain[1]) * _SUFFIXES[plain[2]]
    else:
        raise UsageError(f"'{text}' is not a size; write 1000, 2^20, 1M or 2^8..2^18")
    if not 1 <= n <= MAX_N:
        raise UsageError(f"a size of {text} is outside 1 .. 2^40")
    return n
