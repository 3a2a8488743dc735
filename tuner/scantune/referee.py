"""Decides whether a record of a stranger may replace one of ours."""

from __future__ import annotations

import contextlib

from scantune.device import HOST
from scantune.errors import ScantuneError
from scantune.evaluation import Evaluator, Timeouts
from scantune.record import Record
from scantune.worker import Worker
from scantune.worker_command import worker_command

_FIRST_GPU = "cuda:0"


class Referee:
    """Asks workers, which it starts when the first question comes. Where there is none it rules for what we have."""

    def __init__(self) -> None:
        self._workers: dict[str, Worker | None] = {}  # by device; None: it cannot be started

    def __enter__(self) -> Referee:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers.values():
            if worker:
                worker.close()

    def prefers(self, theirs: Record, ours: Record) -> bool:
        """Return whether theirs, of the same key, is to replace ours.

        What was measured with the templates of the tool here comes first, then what is better measured, and a config
        that the worker refuses never wins. Without a worker of the record's arch both must be of the same templates.
        """
        worker = self._worker_of(theirs)
        if worker is None:
            return theirs.run.template_hash == ours.run.template_hash and theirs.better_than(ours)
        current = worker.hello().template_hash
        is_current, was_current = theirs.run.template_hash == current, ours.run.template_hash == current
        wins = theirs.better_than(ours) if is_current == was_current else is_current
        return wins and Evaluator(worker, Timeouts()).is_valid(theirs.problem, theirs.n, theirs.config)

    def _worker_of(self, record: Record) -> Worker | None:
        """Return a worker that can judge configs of the record's arch, if there is one."""
        device = HOST if record.device.is_host else _FIRST_GPU
        if device not in self._workers:
            self._workers[device] = _started(device)
        worker = self._workers[device]
        return worker if worker and worker.hello().device.arch == record.device.arch else None


def _started(device: str) -> Worker | None:
    with contextlib.suppress(ScantuneError):
        worker = Worker(worker_command(), device)
        try:
            worker.hello()
        except ScantuneError:
            worker.close()
            raise
        return worker
    return None
