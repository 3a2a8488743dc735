"""Corrections of the file that records were verified in: wrong and slower ones go, others get the new times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from scantune.compare.verify import Checked, Verdict
from scantune.model.breakpoint import Breakpoint
from scantune.model.record import Record
from scantune.model.trial import Failure, Trial
from scantune.store.archive import Archive
from scantune.store.connection import DatabaseError
from scantune.store.export import export_text
from scantune.worker.evaluation import Evaluator

BAD = (Verdict.wrong, Verdict.slower)


class Correction(Protocol):
    def apply(self, checked: Checked) -> bool:
        """Forget a wrong or slower record, or save the new times of a verified one. Return whether that was done."""

    def finish(self) -> None:
        """Write what was not written yet. Raises DatabaseError."""

    @property
    def is_written(self) -> bool:
        """Whether the file has all that was applied."""


class DatabaseCorrection:
    """A correction of a database, written at once. What another process has changed meanwhile stays."""

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
                self._keep_failure(record, failure)
        return True

    def _keep_failure(self, record: Record, failure: Failure) -> None:
        """Save a failed trial of a record's config, so that no search finds the config again."""
        session = self._archive.start(record.run, record.device, self._evaluator.template_hash)
        if session.save_failure(record.problem, record.n, record.config, failure):
            return
        default = self._evaluator.space(record.problem, record.n, configs=False).default
        trial = Trial(record.config, failure=failure)
        session.save_trial(record.problem, record.n, trial, is_default=record.config == default)

    def finish(self) -> None:
        """Do nothing: everything is written already."""

    @property
    def is_written(self) -> bool:
        return True


class TextCorrection:
    """A correction of a text file. The file is rewritten at the end, unless somebody has changed it since."""

    def __init__(self, path: Path, text: bytes, records: Sequence[Record], breakpoints: Sequence[Breakpoint]) -> None:
        """Correct `path`, whose content was `text` when records and breakpoints were read from it."""
        self._path = path
        self._text = text
        self._records = list(records)
        self._breakpoints = breakpoints
        self.is_written = True

    def apply(self, checked: Checked) -> bool:
        if not (checked.renewed or checked.verdict in BAD):
            return False
        place = self._records.index(checked.record)
        others = [record for record in self._records if record != checked.record]  # two lines may hold the same record
        self._records = [*others[:place], *([checked.renewed] if checked.renewed else []), *others[place:]]
        self.is_written = False
        return True

    def finish(self) -> None:
        if self.is_written:
            return
        if self._path.read_bytes() != self._text:
            raise DatabaseError(
                f"{self._path}: it was changed while its records were measured, so it is not overwritten"
            )
        export_text(self._records, self._breakpoints, self._path, overwrite=True)
        self.is_written = True
