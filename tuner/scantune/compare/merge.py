"""Merges of files of records into a new one, which does not depend on the order in which they are named."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from scantune.compare.exchange import ImportReport, add_breakpoints, add_trials
from scantune.compare.holdings import Holdings, holdings_of
from scantune.compare.precedence import Precedence
from scantune.compare.ranking import Ranked, best_first, ranked_by_key
from scantune.input_files import opened
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.connection import check_kind
from scantune.store.database import Database, open_database
from scantune.store.private_directory import private_directory
from scantune.store.text_form import place_of

_PREFIX = "scantune-merge-"
_PART_BYTES = 2**20
_MOST_PARTS = 256  # more than any database that was seen
_WRITTEN = "merged.db"


@dataclass(frozen=True)
class Conflict:
    """A cell for which files name different winners."""

    kept: Record
    others: list[tuple[Record, str]]  # the other records, and why each was not kept


@dataclass
class MergeReport:
    winners: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    measured_twice: int = 0  # cells that have one winner and several times
    trials: int = 0
    breakpoints: int = 0
    files: dict[Path, ImportReport] = field(default_factory=dict)  # what was left out of each
    same_as: dict[Path, Path] = field(default_factory=dict)  # files left out, and those of the same content
    sources: dict[Record, list[Path]] = field(default_factory=dict)  # files that hold the records in conflicts


@contextlib.contextmanager
def merged(paths: Sequence[Path], precedence: Precedence) -> Iterator[tuple[Database, MergeReport]]:
    """Yield a database with what the files hold together, which is removed afterwards. Raises DatabaseError.

    If a cell has several records, the one of the highest rank counts, whatever file it is in. If a config has several
    trials, that of the file whose content sorts first counts.
    """
    report = MergeReport()
    distinct = _distinct(paths, report)
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(private_directory(_PREFIX))
        database = stack.enter_context(open_database(directory / _WRITTEN))
        with database.transaction():
            _fill(Archive(database, precedence.algorithms()), distinct, precedence, report)
        yield database, report


def _fill(archive: Archive, paths: Sequence[Path], precedence: Precedence, report: MergeReport) -> None:
    taken = ImportReport()
    held = [holdings_of(path, precedence, lambda trials: add_trials(archive, trials, taken)) for path in paths]
    report.files = {one.path: one.report for one in held}
    report.trials = taken.new_trials
    ranked = ranked_by_key(chain.from_iterable(one.records for one in held), precedence)
    for record in sorted((found[0].record for found in ranked.values()), key=place_of):
        archive.add_record(record, archive.run_id(record.run))
        report.winners += 1
        _tell_conflicts(ranked[record.key], held, report)
    together = ImportReport()
    add_breakpoints(archive, best_first(chain.from_iterable(one.breakpoints for one in held)), together)
    report.breakpoints = len(archive.breakpoints())


def _tell_conflicts(ranked: list[Ranked], held: list[Holdings], report: MergeReport) -> None:
    best, *others = ranked
    rivals = [(other.record, best.why_before(other)) for other in others if other.record.config != best.record.config]
    report.measured_twice += bool(others and not rivals)
    if rivals:
        report.conflicts.append(Conflict(best.record, rivals))
        for record in (best.record, *(record for record, _ in rivals)):
            report.sources[record] = [one.path for one in held if one.holds(record)]


def _distinct(paths: Sequence[Path], report: MergeReport) -> list[Path]:
    """Return the files sorted by content; among those with the same content only that whose name sorts first."""
    first: dict[str, Path] = {}
    for digest, _, path in sorted((_content_digest(path), path.name, path) for path in paths):
        if digest in first:
            report.same_as[path] = first[digest]
        else:
            first[digest] = path
    return list(first.values())


def _content_digest(path: Path) -> str:
    """Return a digest of the file, and of the log that a database keeps beside it.

    Of a file above 256 MiB only the beginning is read, since a sparse one may seem to be terabytes long; its device and
    inode stand for the rest, so copies of it count as two files.
    """
    path = path.expanduser()
    check_kind(path)
    digest = hashlib.sha256()
    for file in (path, path.with_name(path.name + "-wal")):
        with contextlib.suppress(OSError), opened(file) as content:  # reading its rows reports why it cannot be read
            for _ in range(_MOST_PARTS):
                digest.update(content.read(_PART_BYTES))
            if content.read(1):
                status = os.fstat(content.fileno())
                digest.update(f"{status.st_dev}:{status.st_ino}".encode())
    return digest.hexdigest()
