"""Trials and runs of a database under the template hashes of now, where the kernels are the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scantune.model.record import carried_kernel_hash

if TYPE_CHECKING:
    from scantune.store.database import Database

_TABLES = ("trial", "run")


@dataclass(frozen=True)
class Carried:
    """How many rows had a hash of before."""

    trials: int = 0
    runs: int = 0


def carry_planned(database: Database) -> Carried:
    """Return what carry() would do. Raises DatabaseError."""
    counts = {table: sum(rows for _, _, rows in _renamed(database, table)) for table in _TABLES}
    return Carried(counts["trial"], counts["run"])


def carry(database: Database) -> Carried:
    """Name hashes of before as they are called now, all or none. Raises DatabaseError.

    A trial that was repeated since then is kept as it was repeated.
    """
    if carry_planned(database) == Carried():
        return Carried()
    with database.transaction():
        planned = carry_planned(database)  # another process may have been first
        for table in _TABLES:
            for before, now, _ in _renamed(database, table):
                database.run(f"carry_{table}s", {"before": before, "now": now})
                if table == "trial":
                    database.run("drop_repeated_trials", {"before": before})
    return planned


def _renamed(database: Database, table: str) -> Iterable[tuple[str, str, int]]:
    for row in database.rows(f"hashes_of_{table}s"):
        before, now = row["template_hash"], carried_kernel_hash(str(row["template_hash"]))
        if now != before:
            yield before, now, row["count"]
