"""Files of schema versions 1 and 2, where a problem was a scan with a column for each member of its request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from scantune.model.algorithm import DEFAULT_ALGORITHM

# Defaults of all members but the types, in those versions. Times of version 1 were taken back to back, which is the
# default.
_DEFAULTS = frozenset({"sum", "inclusive", "unconstrained", "in_order", "back_to_back"})


def problem_of_columns(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row as a current file has it. Values that are not tokens stay, and later checks refuse them."""
    members = {
        name: value for name, value in row.items()
        if name != "id" and (name.endswith("_type") or value not in _DEFAULTS)
    }  # fmt: skip
    request = json.dumps(members, separators=(",", ":"), default=str)
    return {"id": row["id"], "algorithm": DEFAULT_ALGORITHM, "request": request, "shape": ""}
