"""What files of schema versions 1 and 2 mean: a problem was a scan with a column for each member of its request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scantune.model.algorithm import DEFAULT_ALGORITHM

# The defaults of all members but the types, at the time. Times of version 1 were taken back to back, as by default.
_DEFAULTS = frozenset({"sum", "inclusive", "unconstrained", "in_order", "back_to_back"})


def problem_of_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row as a file of now has it. What is no token stays for whoever checks it."""
    members = {
        name: value for name, value in row.items()
        if name != "id" and (name.endswith("_type") or value not in _DEFAULTS)
    }  # fmt: skip
    request = json.dumps(members, separators=(",", ":"), default=str)
    return {"id": row["id"], "algorithm": DEFAULT_ALGORITHM, "request": request, "shape": ""}
