"""Merges files of records into a new one, the same in whatever order they are named."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from scantune.compare.exchange import ForeignTrial, ImportReport, Reception, add_breakpoints, add_trials
from scantune.compare.holdings import Holdings, holdings_of
from scantune.compare.ranking import Ranked, best_first, ranked_by_key
from scantune.compare.referee import Referee
from scantune.model.record import Record
from scantune.store.archive import Archive
from scantune.store.connection import check_kind
from scantune.store.database import Database, open_database
from scantune.store.export import remove_abandoned
from scantune.store.foreign import foreign_contents, is_text
from scantune.store.text_form import place_of

_PREFIX = "scantune-merge-"
_WRITTEN = "merged.db"


@dataclass(frozen=True)
class Conflict:
    """A cell of which files name different winners."""

    kept: Record
    others: list[tuple[Record, str]]  # and why each was not kept


@dataclass
class MergeReport:
    winners: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    measured_twice: int = 0  # cells of one winner and several times
    trials: int = 0
    breakpoints: int = 0
    files: dict[Path, ImportReport] = field(default_factory=dict)  # of what was left out of each
    sources: dict[Record, list[Path]] = field(default_factory=dict)  # of those in conflicts


@contextlib.contextmanager
def merged(paths: Sequence[Path], referee: Referee) -> Iterator[tuple[Database, MergeReport]]:
    """Yield a database with what the files hold together, which is gone afterwards. Raises DatabaseError.

    Of several records of a cell the one of the highest rank counts, whatever file it is in; of several trials of a
    config, that of the file whose content sorts first.
    """
    held = [holdings_of(path, referee) for path in sorted(paths, key=_content_digest)]
    report = MergeReport(files={one.path: one.report for one in held})
    with contextlib.ExitStack() as stack:
        remove_abandoned(Path(tempfile.gettempdir()), _PREFIX, _WRITTEN)
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix=_PREFIX))
        database = stack.enter_context(open_database(Path(directory) / _WRITTEN))
        with database.transaction():
            _fill(Archive(database, referee.algorithms()), held, referee, report)
        yield database, report


def _fill(archive: Archive, held: list[Holdings], referee: Referee, report: MergeReport) -> None:
    ranked = ranked_by_key(chain.from_iterable(one.records for one in held), referee)
    for record in sorted((found[0].record for found in ranked.values()), key=place_of):
        archive.add_record(record, archive.run_id(record.run))
        report.winners += 1
        _tell_conflicts(ranked[record.key], held, report)
    for one in held:
        report.trials += _add_trials(archive, one, referee)
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


def _add_trials(archive: Archive, held: Holdings, referee: Referee) -> int:
    if is_text(held.path):
        return 0
    algorithms, taken = referee.algorithms(), ImportReport()
    with foreign_contents(held.path, held.report.reject, algorithms) as contents:
        trials = contents.trials(lambda row: ForeignTrial.from_row(row, algorithms))
        add_trials(archive, Reception(held.report, held.path.name).of("trials", trials), taken)
    return taken.new_trials


def _content_digest(path: Path) -> str:
    """Return a digest of the file, and of the log that a database keeps beside it."""
    path = path.expanduser()
    check_kind(path)
    digest = hashlib.sha256()
    for file in (path, path.with_name(path.name + "-wal")):
        with contextlib.suppress(OSError), file.open("rb") as content:  # whoever reads the file says why it cannot be
            while part := content.read(2**20):
                digest.update(part)
    return digest.hexdigest()
