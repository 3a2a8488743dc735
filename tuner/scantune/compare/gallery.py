"""Races of families, those of the gallery too, each with the best config that is known of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scantune.compare.bench import raced
from scantune.compare.gallery_problem import WHOLE, GalleryProblem
from scantune.compare.known import KnownConfigs
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.gallery_race import BY_DEFAULT, COPY, SELECTED, Contender, GalleryRace
from scantune.model.measurement import Measurement
from scantune.model.policy import Effort, policy_of
from scantune.model.quantity import counted, format_size, three_digits
from scantune.model.restriction import Restriction
from scantune.model.trial import Failure
from scantune.worker.client import Worker, WorkerError
from scantune.worker.environment import MemoryShort, memory_left
from scantune.worker.evaluation import Evaluator
from scantune.worker.selection import Selection, select

_SEED = 1

# A family that is slower than the fastest by this factor keeps the time of its probe: others would wait for it.
_HOPELESS = 50.0


@dataclass(frozen=True)
class Candidates:
    """The families that are in question at one size."""

    problem: GalleryProblem
    cell: Cell
    families: Mapping[str, Config]  # that can do it, with their defaults
    refused: Mapping[str, str]  # the others, and why


class Gallery:
    def __init__(
        self, worker: Worker, evaluator: Evaluator, type_: str, databases: Sequence[Path] | None, own: Sequence[Path],
        told: Callable[[str], None],
    ) -> None:  # fmt: skip
        """Race scans and sums of a type. Configs come from `databases` as select() reads them, and from what was tried
        in `own`. `told` is called with what is being done.
        """
        self._worker = worker
        self._hello = worker.hello()
        self._evaluator = evaluator
        self._type = type_
        self._databases = databases
        self._own = own
        self._policy = policy_of(self._hello.device, Effort.normal)
        self._told = told

    def candidates(self, problem: GalleryProblem, n: int, families: Iterable[str]) -> Candidates:
        """Return which of the families of the problem's algorithm can do it. Raises WorkerError if none can."""
        cell = problem.cell(self._hello, self._evaluator, self._type, n)
        named = [name for name in families if name in self._hello.algorithms[problem.algorithm].families]
        # The worker says why it refuses a family only where those of the gallery are asked for.
        asked = [*named, *self._evaluator.gallery(cell.problem)]
        space = self._evaluator.space(*cell, configs=False, named=asked)
        defaults = {name: space.families[name].default for name in named if name in space.families}
        able = {name: default for name, default in defaults.items() if default}
        refused = {name: space.refused.get(name, "it has no default for it") for name in named if name not in able}
        return Candidates(problem, cell, able, refused)

    def race(self, candidates: Candidates) -> GalleryRace:
        """Verify the best known config of each family and its default, and time them in turns beside a copy and what is
        selected.

        Raises WorkerError when the worker cannot select, MemoryShort when the device has too little memory, and
        EnvironmentFault when something else is missing.
        """
        self.check_memory(candidates.cell)
        cell, refused = candidates.cell, dict(candidates.refused)
        known = KnownConfigs(
            self._worker, self._evaluator, Restriction(tuple(candidates.families)), self._databases, self._own
        )
        chosen = {SELECTED: select(self._worker, *cell, self._databases)}
        for name, default in candidates.families.items():
            best = known.best(cell, Restriction((name,)))
            if isinstance(best, str):
                refused[name] = best
            else:
                chosen[name] = best
                if best.config != default:
                    chosen[name + BY_DEFAULT] = Selection(default, "default", f"the default of {name}", ())
        configs = list(dict.fromkeys(one.config for one in chosen.values()))
        begun = f"verifying and timing {counted(len(configs), 'config')}"
        self._told(f"{candidates.problem.title}, N = {format_size(cell.n)}: {begun}")
        failures = {
            place: failure
            for place, config in enumerate(configs)
            if (failure := self._verified(candidates.problem, cell, config))
        }
        rounds = replace(self._policy.final, slower_than=_HOPELESS)
        found = raced(self._evaluator, rounds, *cell, configs, failures)
        outcomes = dict(zip(configs, found.outcomes, strict=True))
        ceiling_us = found.ceiling_us or self._copy_us(cell)
        contenders = [self._contender(cell, name, one, outcomes[one.config]) for name, one in chosen.items()]
        copy = [Contender(COPY, median_us=ceiling_us)] if ceiling_us else []
        peak = self._hello.peak_gigabytes_per_second
        return GalleryRace(candidates.problem.title, cell, [*copy, *contenders], ceiling_us, refused, peak=peak)

    def check_memory(self, cell: Cell) -> None:
        """Raise MemoryShort if the host device has no room for items and results: the system would end the worker."""
        if self._hello.device.is_host and cell.bytes_moved > (left := memory_left()):
            needed = f"items and results alone take {three_digits(cell.bytes_moved / 1e9)} GB"
            raise MemoryShort(f"{needed}, and {three_digits(left / 1e9)} are left")

    def _verified(self, problem: GalleryProblem, cell: Cell, config: Config) -> Failure | None:
        """Verify at no more items than a search does, in rows as long; at all where a config is not legal for so few.

        Rows keep their length, because it decides what a family does. A row that is longer than that is verified whole.
        """
        if cell.n <= self._policy.verify_items:
            return self._evaluator.verify(*cell, config, _SEED)
        fewer = self._fewer(problem, cell)
        is_legal = self._evaluator.is_valid(*fewer, config)
        return self._evaluator.verify(*(fewer if is_legal else cell), config, _SEED)

    def _fewer(self, problem: GalleryProblem, cell: Cell) -> Cell:
        """Return the problem at as many items as a search verifies, or at as many whole rows of them."""
        most = self._policy.verify_items
        if rows := cell.problem.counts(cell.n).get("rows"):
            problem = replace(problem, row_items=-(-cell.n // rows))  # a bit shorter than asked for, where n is odd
            most = max(1, most // problem.row_items) * problem.row_items
        return problem.cell(self._hello, self._evaluator, self._type, most)

    def _copy_us(self, cell: Cell) -> float | None:
        """Return the time of a copy that moves as many bytes, for a comparison without one; None if it is not timed."""
        stated = GalleryProblem(WHOLE, "copy").stated
        if "copy" not in self._hello.algorithms or cell.n < 2:
            return None
        try:
            problem = self._evaluator.resolve(stated(self._hello, self._type), cell.n // 2)
            config = select(self._worker, problem, cell.n // 2, self._databases).config
        except WorkerError:
            return None
        rounds = replace(self._policy.final, ceiling=False)
        (outcome,) = self._evaluator.measure(problem, cell.n // 2, [config], rounds).outcomes
        return outcome.median_us if isinstance(outcome, Measurement) else None

    def _contender(self, cell: Cell, name: str, selection: Selection, outcome: Measurement | Failure) -> Contender:
        work = self._evaluator.work(*cell, selection.config)
        if isinstance(outcome, Failure):
            reason = outcome.reason.splitlines()[0] if outcome.reason else outcome.status
            return Contender(name, selection.config, selection.origin, work=work, failure=reason)
        return Contender(
            name, selection.config, selection.origin, outcome.median_us, outcome.spread, outcome.probe_only, work,
            standard_error_us=outcome.standard_error_us,
        )  # fmt: skip
