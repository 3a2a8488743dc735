"""What records serve, for cases to be drawn of it."""

from __future__ import annotations

from collections.abc import Iterable

from scantune.model.device import Device
from scantune.model.draws import Place, Served
from scantune.model.octave import merged
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.worker.evaluation import Evaluator


def served_sizes(records: Iterable[Record], device: Device, evaluator: Evaluator) -> list[Served]:
    """Return what records of this device serve, by algorithm and request.

    Left out is what the worker does not know, and operators of the user's own, whose source no database holds. Raises
    WorkerError if the worker fails.
    """
    by_problem: dict[Problem, list[Record]] = {}
    for record in records:
        if record.device == device and record.problem.declared and not _is_of_users_own(record):
            by_problem.setdefault(record.problem, []).append(record)
    ordered = sorted(by_problem, key=lambda problem: tuple(problem.columns.values()))
    served = [_served(problem, by_problem[problem], evaluator) for problem in ordered]
    return [one for one in served if one.forms]


def _is_of_users_own(record: Record) -> bool:
    return record.problem.is_of_users_own or record.run.source_digest is not None


def _served(problem: Problem, records: list[Record], evaluator: Evaluator) -> Served:
    ranges = merged(record.serves for record in records)
    tuned = {Place(record.n) for record in records}
    tuned |= {Place(probe.n, probe.offset) for record in records for probe in record.probes}
    step = evaluator.size_step(problem, records[0].n)
    forms = [form for form in problem.forms if evaluator.supports_size(form, records[0].n)]
    return Served(forms, ranges, frozenset(tuned), step)
