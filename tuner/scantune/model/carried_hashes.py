"""What template hashes of before are called now, by db/carried_hashes.json, which the library reads too.

They are hashes of kernels whose machine code is the same, so what was measured with them holds.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache

from scantune import paths


def joint_hash(low: str, high: str) -> str:
    """Return the template hash of a breakpoint between records with these, as the library computes it."""
    fields = "".join(f"{len(one)}:{one}" for one in (low, high))
    return low if low == high else hashlib.sha256(fields.encode()).hexdigest()


def carried_hash(template_hash: str) -> str:
    """Return the hash of now, of one family or jointly of two, for one of before; any other hash as it is."""
    return successors().get(template_hash) or _joint_successors().get(template_hash, template_hash)


@cache
def successors() -> dict[str, str]:
    """Return the hash of now for each hash of before that a family had."""
    with (paths.sql_directory() / "carried_hashes.json").open(encoding="utf-8") as file:
        read: dict[str, str] = json.load(file)
    return read


@cache
def _joint_successors() -> dict[str, str]:
    every = [*successors().items()]
    return {joint_hash(low, high): joint_hash(low_now, high_now) for low, low_now in every for high, high_now in every}
