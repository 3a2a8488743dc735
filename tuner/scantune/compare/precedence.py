"""The precedence between two records of a cell: whether one of a stranger may replace one of ours."""

from __future__ import annotations

import contextlib

from scantune.errors import ScantuneError
from scantune.model.algorithms import Algorithms
from scantune.model.device import HOST, Device
from scantune.model.record import Record
from scantune.model.space import Space
from scantune.worker.built_in import NO_DEVICE
from scantune.worker.client import Worker
from scantune.worker.command import worker_command
from scantune.worker.defaults import Defaults
from scantune.worker.evaluation import Evaluator, Timeouts


class Precedence:
    """The precedence between records, as workers tell it.

    A worker answers for a device of each record's architecture, wherever that device is: which templates there are and
    which configs are legal depends on nothing else of it. Workers are started when they are asked first. Where none can
    be started, ours stays.
    """

    def __init__(self) -> None:
        self._workers: dict[str, Worker | None] = {}  # by architecture; None where none can be started
        self._defaults: dict[str, Defaults] = {}

    def __enter__(self) -> Precedence:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers.values():
            if worker:
                worker.close()

    def algorithms(self) -> Algorithms:
        """Return the algorithms that a worker here declares; none without a worker."""
        worker = self._worker_for(NO_DEVICE)
        return worker.hello().algorithms if worker else Algorithms()

    def prefers(self, theirs: Record, ours: Record) -> bool:
        """Return whether `theirs`, of the same key, is to replace `ours`.

        A record measured with the templates here is preferred, and then the better measured one. A config that the
        worker refuses never wins. Where no worker knows the algorithm, both must be of the same templates.
        """
        worker = self._worker_for(theirs.device)
        if worker is None or theirs.problem.algorithm not in worker.hello().algorithms:
            return theirs.run.template_hash == ours.run.template_hash and theirs.better_than(ours)
        evaluator = Evaluator(worker, Timeouts())
        is_current, was_current = (_is_current(record, evaluator) for record in (theirs, ours))
        wins = theirs.better_than(ours) if is_current == was_current else is_current
        return wins and evaluator.is_valid(theirs.problem, theirs.n, theirs.config)

    def standing(self, record: Record) -> tuple[bool, bool]:
        """Return whether the worker accepts the config, and whether the record is of the templates here.

        Without a worker that knows the algorithm any config is accepted, and none is of the templates here.
        """
        worker = self._worker_for(record.device)
        if worker is None or record.problem.algorithm not in worker.hello().algorithms:
            return True, False
        evaluator = Evaluator(worker, Timeouts())
        return evaluator.is_valid(record.problem, record.n, record.config), _is_current(record, evaluator)

    def space(self, record: Record) -> Space | None:
        """Return the families with their defaults, from which the record's config departs; None if no worker knows."""
        worker = self._worker_for(record.device)
        if worker is None or record.problem.algorithm not in worker.hello().algorithms:
            return None
        known = self._defaults.setdefault(record.device.arch, Defaults(Evaluator(worker, Timeouts())))
        return known.space(record.problem, record.n)

    def _worker_for(self, device: Device) -> Worker | None:
        if device.arch not in self._workers:
            self._workers[device.arch] = _started(device)
        return self._workers[device.arch]


def _is_current(record: Record, evaluator: Evaluator) -> bool:
    """Return whether a record was measured with the templates here."""
    return record.run.template_hash == evaluator.template_hash(record.problem, record.n, record.config.family)


def _started(device: Device) -> Worker | None:
    with contextlib.suppress(ScantuneError):
        worker = Worker(worker_command(), HOST, described=device)
        try:
            worker.hello()
        except ScantuneError:
            worker.close()
            raise
        return worker
    return None
