"""Imports of other machines' databases into ours. A stranger may have written the data, so all of it is checked."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from scantune.compare.precedence import Precedence
from scantune.compare.ranking import best_first, best_of_each
from scantune.model.algorithms import Algorithms
from scantune.model.breakpoint import Breakpoint
from scantune.model.carried_hashes import joint_hash
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.least_time import possible
from scantune.model.measurement import Measurement
from scantune.model.problem import Problem
from scantune.model.record import Record, Run, carried_kernel_hash, key_of, templates_of, timestamp
from scantune.model.trial import Failure
from scantune.store.archive import Archive
from scantune.store.database import Database, DatabaseError
from scantune.store.foreign import foreign_contents

_MAX_REASON = 2000
_MOST_REASONS = 10

Received = TypeVar("Received", Record, Breakpoint, "ForeignTrial")


@dataclass
class ImportReport:
    new_records: int = 0
    better_records: int = 0
    kept_records: int = 0  # records of ours that theirs did not replace
    newly_signed: int = 0  # kept records whose signer is known only now
    new_trials: int = 0
    new_breakpoints: int = 0
    rejected: int = 0  # rows that are not valid
    reasons: list[str] = field(default_factory=list)  # why the first rows were rejected
    unknown_keys: list[str] = field(
        default_factory=list
    )  # keys of lines that a later version wrote and none here reads

    def reject(self, reason: str) -> None:
        self.rejected += 1
        if self.rejected <= _MOST_REASONS:
            self.reasons.append(reason)

    @property
    def took_nothing(self) -> bool:
        return bool(self.rejected) and not any(
            (self.new_records, self.better_records, self.kept_records, self.new_trials, self.new_breakpoints)
        )


def import_database(
    database: Database,
    source_path: Path,
    precedence: Precedence,
    file: str = "",
    signer: str = "",
    shown: str | None = None,
) -> ImportReport:
    """Merge what another file holds into ours in one transaction; rows that are not valid are left out.

    `file` names the origin of rows without one, `signer` is the verified signer, and `shown` is what errors call a
    copy. Raises DatabaseError when the file is not of this project, is damaged or has a newer schema; ours is then
    unchanged.
    """
    source_path = source_path.expanduser()
    report = ImportReport()
    algorithms = precedence.algorithms()
    with foreign_contents(source_path, report.reject, algorithms, shown) as contents:
        if source_path.samefile(database.path):
            raise DatabaseError(f"{source_path}: a database cannot be imported into itself")
        reception = Reception(report, file, signer)
        records = best_of_each(reception.of("records", contents.records()), precedence)
        breakpoints = reception.of("breakpoints", contents.breakpoints())
        report.unknown_keys = sorted(contents.unknown_keys)
        archive = Archive(database, algorithms)
        # Workers are asked before the transaction, which would keep other processes waiting for them.
        winners = _winners(archive, records, precedence)
        with database.transaction():
            _merge_records(archive, records, winners, report)
            _note_signers(archive, records, report)
            trials = contents.trials(lambda row: ForeignTrial.from_row(row, algorithms))
            add_trials(archive, reception.of("trials", trials), report)
            add_breakpoints(archive, best_first(breakpoints), report)
    return report


class Reception:
    """The origin that imported runs get. A signer counts only if it was verified here."""

    def __init__(self, report: ImportReport, file: str, signer: str = "") -> None:
        self._report = report
        self._named = cache(lambda run: run.received(file, signer))

    def of(self, name: str, found: Iterable[Received]) -> Iterator[Received]:
        for one in found:
            try:
                yield replace(one, run=self._named(one.run))
            except ValueError as error:
                self._report.reject(f"{name}: {error}"[:300])


@dataclass(frozen=True)
class ForeignTrial:
    """A row of all_trials.sql, checked."""

    device: Device
    problem: Problem
    run: Run
    columns: Mapping[str, object]  # columns of the table, without ids

    @classmethod
    def from_row(cls, row: Mapping[str, Any], algorithms: Algorithms) -> ForeignTrial:
        """Check a row; raise ValueError naming the first column that is not valid."""
        run = Run.from_row(row)  # the hash is that of the trial's kernels
        kernel_hash = carried_kernel_hash(run.template_hash)
        device, problem, n = key_of(row)
        config = algorithms.complete(problem, Config.from_row(row["family"], row["config"]))
        if row["is_default"] not in (0, 1):
            raise ValueError(f"is_default is {row['is_default']!r}")
        measurement = Measurement.from_message(row) if row["status"] == "ok" else None
        if measurement:
            possible(device, problem, n, "median_us", measurement.median_us)
        failure = None if measurement else Failure(row["status"], _reason(row["reason"]))
        compile_ms = row["compile_ms"]
        if compile_ms is not None and not (isinstance(compile_ms, (int, float)) and 0 <= compile_ms < 1e9):
            raise ValueError(f"compile_ms is {compile_ms!r}")
        columns = {
            "n": n,
            "family": config.family,
            "config": config.text,
            "template_hash": kernel_hash,
            "status": row["status"],
            "reason": failure.reason if failure else None,
            "is_default": row["is_default"],
            "median_us": measurement.median_us if measurement else None,
            "spread": measurement.spread if measurement else None,
            "samples": measurement.samples if measurement else None,
            "sm_clock_mhz": measurement.sm_clock_mhz if measurement else None,
            "compile_ms": compile_ms,
            "finished_at": timestamp(row["finished_at"]),
        }
        return cls(device, problem, replace(run, template_hash=templates_of(kernel_hash)), columns)


def _reason(reason: object) -> str:
    if not isinstance(reason, str):
        raise ValueError("a failed trial gives no reason")
    return "".join(character for character in reason[:_MAX_REASON] if character.isprintable() or character == "\n")


def _winners(archive: Archive, records: list[Record], precedence: Precedence) -> dict[Record, Record]:
    """Return their records that are to replace one of ours, each with the one that it replaces."""
    own = {record.key: record for record in archive.records()}
    pairs = [(record, own[record.key]) for record in records if record.key in own]
    return {
        theirs: ours for theirs, ours in pairs if not theirs.is_measured_as(ours) and precedence.prefers(theirs, ours)
    }


def _merge_records(
    archive: Archive, records: list[Record], winners: dict[Record, Record], report: ImportReport
) -> None:
    own = {record.key: record for record in archive.records()}
    for record in records:
        ours = own.get(record.key)
        # A record that a tuner saved while workers were asked was not compared, and stays.
        if ours and winners.get(record) != ours:
            report.kept_records += 1
            continue
        archive.add_record(record, archive.run_id(record.run))
        report.better_records += 1 if ours else 0
        report.new_records += 0 if ours else 1


def _note_signers(archive: Archive, records: list[Record], report: ImportReport) -> None:
    """Note the signer of those measurements of ours that came from elsewhere without one, and are signed now."""
    own = {record.key: record for record in archive.records()}
    for record in records:
        theirs, ours = record.run.origin, own.get(record.key)
        if not theirs or not theirs.signer or not ours or not ours.is_measured_as(record):
            continue
        if ours.run.origin and not ours.run.origin.signer:
            with contextlib.suppress(ValueError):  # a stranger's policy may have no room for it
                run = ours.run.with_origin(replace(ours.run.origin, signer=theirs.signer))
                archive.add_record(replace(ours, run=run), archive.run_id(run))
                report.newly_signed += 1


def add_trials(archive: Archive, trials: Iterable[ForeignTrial], report: ImportReport) -> None:
    # Ids are looked up once: other processes wait for this transaction, and thousands of trials share a run.
    run_id, device_id, problem_id = cache(archive.run_id), cache(archive.device_id), cache(archive.problem_id)
    for trial in trials:
        ids = {
            "run_id": run_id(trial.run),
            "device_id": device_id(trial.device),
            "problem_id": problem_id(trial.problem),
        }
        report.new_trials += max(0, archive.database.run("add_trial", {**ids, **trial.columns}))


def add_breakpoints(archive: Archive, breakpoints: list[Breakpoint], report: ImportReport) -> None:
    """Take the breakpoints between records that are neighbours here too, unless ours were measured as recently."""
    pairs = _pairs(archive.records())
    own = {found.key: found for found in archive.breakpoints()}
    for theirs in breakpoints:
        pair = pairs.get(theirs.key)
        if pair is None or not _is_between(theirs, pair):
            continue
        ours = own.get(theirs.key)
        if ours is None or not _is_between(ours, pair) or (_is_outdated(ours, pair) and not _is_outdated(theirs, pair)):
            archive.add_breakpoint(theirs, archive.run_id(theirs.run))
            own[theirs.key] = theirs
            report.new_breakpoints += 1


def _pairs(records: list[Record]) -> dict[tuple[Device, Problem, int], tuple[Record, Record]]:
    """Return each record, by its key, with its neighbour of the next larger N."""
    ordered = sorted(records, key=lambda one: (*vars(one.device).values(), *one.problem.columns.values(), one.n))
    return {low.key: (low, high) for low, high in pairwise(ordered) if low.key[:2] == high.key[:2]}


def _is_between(found: Breakpoint, pair: tuple[Record, Record]) -> bool:
    low, high = pair
    return (found.low, found.n_high, found.high) == (low.config, high.n, high.config)


def _is_outdated(found: Breakpoint, pair: tuple[Record, Record]) -> bool:
    """Return whether a breakpoint was measured with other templates than its records."""
    low, high = pair
    return found.run.template_hash != joint_hash(low.run.template_hash, high.run.template_hash)
