"""Winners that come with the library."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from scantune import paths
from scantune.cell import Cell
from scantune.config import Config
from scantune.device import Device
from scantune.family_table import FamilyTables
from scantune.problem import Problem

_RECORDS = Path("builtin") / "records.jsonl"


def shipped_winners(device: Device, tables: FamilyTables) -> dict[Cell, Config]:
    """Return those that were found on this very device: its architecture, name and SM count."""
    lines = (paths.sql_directory() / _RECORDS).read_text(encoding="utf-8").splitlines()
    winners = {}
    for row in map(json.loads, lines):
        if Device(row["arch"], row["device_name"], row["sm_count"]) == device:
            problem = Problem(**{column.name: row[column.name] for column in fields(Problem)})
            winners[Cell(problem, row["n"])] = tables.complete(Config.from_row(row["family"], row["config"]))
    return winners
