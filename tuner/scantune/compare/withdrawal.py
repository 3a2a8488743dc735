"""What drawn cases say of the records that a run has saved: they keep what was timed, or are withdrawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from scantune.compare.pairs import Verdict
from scantune.compare.proof import Proven, Result, Unproven
from scantune.model.config import Config
from scantune.model.probe import MOST_PROBES, Probe
from scantune.model.record import Record
from scantune.store.archive import Archive

_Key = tuple[object, ...]


def settle(
    archive: Archive, records: Iterable[Record], earlier: Iterable[Record], results: Iterable[Result],
    default_of: Callable[[Record], Config | None],
) -> list[Record]:  # fmt: skip
    """Withdraw the records by which a case is slower, or does not work, and return them. The others keep the times of
    their cases.

    The `earlier` record of that key takes the place of one that is withdrawn; without one, the default that was timed
    beside it, so that the next run does not find the loser again. A record that another process has changed meanwhile
    stays as it is.
    """
    ours, before = ({_key(record): record for record in some} for some in (records, earlier))
    by_record: dict[_Key, list[Result]] = {}
    for one in results:
        if (told := _served_by(one)) and (key := _told(told)) in ours:
            by_record.setdefault(key, []).append(one)
    withdrawn: list[Record] = []
    with archive.database.transaction():
        there = set(archive.records())
        for key, found in by_record.items():
            record = ours[key]
            if record not in there:
                continue
            if any(map(_is_bad, found)):
                withdrawn.append(record)
                successor = before.get(key) or _default_of(record, default_of)
            else:
                successor = replace(record, probes=_with_times_of(record, found))
            archive.drop_record(record)
            if successor:
                archive.add_record(successor, archive.run_id(successor.run))
    return withdrawn


def _served_by(one: Result) -> Mapping[str, object] | None:
    """Return the record by which a case differs from before; None if it does not, or by no record."""
    if isinstance(one, Unproven):
        return one.broken.record if one.broken else None
    return one.now.record if one.first else None


def _is_bad(one: Result) -> bool:
    return isinstance(one, Unproven) or one.verdict is Verdict.slower


def _default_of(record: Record, default_of: Callable[[Record], Config | None]) -> Record | None:
    """Return the record that the default would have; None where it is the record's own, or was not timed."""
    default = default_of(record)
    if default is None or record.default_us is None or default == record.config:
        return None
    probe = Probe(record.n, 0, record.default_us, record.default_us)
    return replace(record, config=default, median_us=record.default_us, probes=(probe,))


def _with_times_of(record: Record, results: Sequence[Result]) -> tuple[Probe, ...]:
    found = {(probe.n, probe.offset): probe for probe in record.probes}
    for one in results:
        if isinstance(one, Proven) and one.first and len(found) < MOST_PROBES and one.case.place not in found:
            found[one.case.place] = Probe(*one.case.place, one.first.now_us, one.first.before_us)
    return tuple(found[place] for place in sorted(found))


def _key(record: Record) -> _Key:
    return *record.problem.columns.values(), record.n


def _told(record: Mapping[str, object]) -> _Key:
    """Return the key of the record in a worker's answer."""
    return record["algorithm"], record["request"], record["shape"], record["n"]
