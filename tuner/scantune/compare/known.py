"""The best config that databases know of those that a restriction admits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.record import templates_of
from scantune.model.restriction import Restriction
from scantune.store.archive import Archive
from scantune.store.database import open_readonly
from scantune.worker.client import Worker
from scantune.worker.evaluation import Evaluator
from scantune.worker.selection import Selection, select

_Tried = tuple[float, Config]  # microseconds


class KnownConfigs:
    def __init__(
        self, worker: Worker, evaluator: Evaluator, restriction: Restriction, databases: Sequence[Path] | None,
        own: Sequence[Path],
    ) -> None:  # fmt: skip
        """Select by `databases` as select() does. `own` are read for what was tried of the admitted configs."""
        self._worker = worker
        self._evaluator = evaluator
        self._restriction = restriction
        self._databases = databases
        self._own = own
        self._tried: dict[Cell, list[_Tried]] | None = None

    def best(self, cell: Cell, restriction: Restriction | None = None) -> Selection | str:
        """Return what is selected if it is admitted, else the fastest that was tried, else a family's default with the
        fixed values; where no such config is legal, why.

        A restriction narrower than the own one may take its place. Raises WorkerError when the worker cannot select,
        DatabaseError when a database cannot be read.
        """
        restriction = restriction or self._restriction
        space = self._evaluator.space(*cell, named=restriction.families)
        among = self._evaluator.restricted(*cell, space, restriction)
        if not among.families:
            return self._evaluator.misfit(*cell, space, restriction)
        selected = select(self._worker, *cell, self._databases)
        if among.known(selected.config):
            return selected
        tried = [one for one in self._known(cell) if restriction.admits(one[1])]
        for time_us, config in sorted(tried, key=lambda one: one[0]):
            if self._evaluator.legal(*cell, among, [config]):
                reason = f"the fastest of {len(tried)} trials and records of {restriction}: {time_us:.2f} µs then"
                return Selection(config, "trial", reason, ())
        family = among.families.get(space.default.family) or next(iter(among.families.values()))
        reason = f"nothing of {restriction} was tried: the default of {family.name}, or the nearest legal config"
        return Selection(family.default or selected.config, "default", reason, ())

    def _known(self, cell: Cell) -> list[_Tried]:
        if self._tried is None:
            self._tried = {}
            for place, tried in (one for path in self._own for one in self._read(path)):
                self._tried.setdefault(place, []).append(tried)
        return self._tried.get(cell, [])

    def _read(self, path: Path) -> Iterator[tuple[Cell, _Tried]]:
        """Yield what was measured on this device with the kernels of now, and is admitted."""
        hello = self._worker.hello()
        with open_readonly(path) as database:
            archive = Archive(database, hello.algorithms)
            for record in archive.records():
                cell = Cell(record.problem, record.n)
                if record.device == hello.device and self._is_current(cell, record.config, record.run.kernel_hash):
                    yield cell, (record.median_us, record.config)
            for cell, kernel_hash, trial in archive.trials(hello.device):
                if trial.measurement and self._is_current(cell, trial.config, kernel_hash):
                    yield cell, (trial.measurement.median_us, trial.config)

    def _is_current(self, cell: Cell, config: Config, kernel_hash: str) -> bool:
        is_admitted = cell.problem.declared is not None and self._restriction.admits(config)
        return is_admitted and self._evaluator.template_hash(*cell, config.family) == templates_of(kernel_hash)
