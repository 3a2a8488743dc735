"""Changes the file that records were verified in: wrong and slower ones go, others take the times of now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from scantune.compare.verify import Checked, Verdict
from scantune.model.breakpoint import Breakpoint
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.connection import DatabaseError
from scantune.store.export import export_text
from scantune.worker.evaluation import Evaluator

BAD = (Verdict.wrong, Verdict.slower)


class Correction(Protocol):
    def apply(self, checked: Checked) -> bool:
        """Forget a wrong or slower record, or save the times of a verified one. Return whether that was done."""

    def finish(self) -> None:
        """Write what is not written yet. Raises DatabaseError."""


class DatabaseCorrection:
    """Writes at once. What another process has changed since it was read stays."""

    def __init__(self, archive: Archive, evaluator: Evaluator) -> None:
        self._archive = archive
        self._evaluator = evaluator

    def apply(self, checked: Checked) -> bool:
        record, renewed, failure = checked.record, checked.renewed, checked.failure
        with self._archive.database.transaction():
            if not (renewed or checked.verdict in BAD) or record not in self._archive.records():
                return False
            if renewed:
                self._archive.add_record(renewed, self._archive.run_id(renewed.run))
                return True
            self._archive.drop_record(record)
            if failure:
                session = self._archive.start(record.run, record.device, self._evaluator.template_hash)
                session.save_failure(record.problem, record.n, record.config, failure)
        return True

    def finish(self) -> None:
        """Everything is written."""


class TextCorrection:
    """Writes the file anew at the end, unless somebody has changed it since."""

    def __init__(self, path: Path, records: Sequence[Record], breakpoints: Sequence[Breakpoint]) -> None:
        self._path = path
        self._text = path.read_bytes()
        self._records = list(records)
        self._breakpoints = breakpoints
        self._is_changed = False

    def apply(self, checked: Checked) -> bool:
        if not (checked.renewed or checked.verdict in BAD):
            return False
        place = self._records.index(checked.record)
        self._records[place : place + 1] = [checked.renewed] if checked.renewed else []
        self._is_changed = True
        return True

    def finish(self) -> None:
        if not self._is_changed:
            return
        if self._path.read_bytes() != self._text:
            raise DatabaseError(f"{self._path}: it was changed while its records were measured, so it stays as it is")
        keys = {record.key for record in self._records}
        between = [
            found
            for found in self._breakpoints
            if keys >= {(found.device, found.problem, n) for n in (found.n_low, found.n_high)}
        ]
        export_text(self._records, between, self._path, overwrite=True)
