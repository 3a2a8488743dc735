"""A run of the tuner: its stages, in order, and its proof."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scantune import __version__
from scantune.cli.called import weights
from scantune.cli.json_output import JsonOutput
from scantune.cli.named_problems import NamedProblems
from scantune.cli.options import (
    default_sizes,
    default_types,
    portfolio_sizes,
)
from scantune.cli.restriction_options import check
from scantune.cli.run_notes import note_what_the_budget_left
from scantune.cli.run_proof import PROOF_SHARE, RunProof, RunProver
from scantune.cli.stages import Stage, default_stages
from scantune.cli.terminal import console, note
from scantune.cli.workers import chosen_worker, compile_pool
from scantune.errors import ScantuneError, UsageError
from scantune.model.cell import Cell
from scantune.model.device import Device, Hello
from scantune.model.outcome import Outcome
from scantune.model.policy import Effort, Policy, policy_of
from scantune.model.problem import Problem
from scantune.model.quantity import format_duration
from scantune.model.record import Record, Run, now, policy_text
from scantune.model.restriction import Restriction
from scantune.report.messages import outcome_message
from scantune.report.progress import ProgressReport
from scantune.report.tables import coverage_table, coverage_text, portfolio_table
from scantune.search.sampler_names import Sampler
from scantune.search.tuning_run import TuningRun
from scantune.storage_url import hidden
from scantune.store.archive import Archive
from scantune.store.database import Database, DatabaseError, open_database
from scantune.worker.client import Worker, WorkerUnavailable
from scantune.worker.defaults import Defaults
from scantune.worker.evaluation import Evaluator, Timeouts

if TYPE_CHECKING:
    from scantune.search.study_storage import StudyStorage


@dataclass(frozen=True)
class Tuning:
    """What the command was asked to do."""

    arch: str
    device: str | None
    named: NamedProblems
    restriction: Restriction
    sizes: list[int] | None  # None: the default ones of the device
    effort: Effort
    budget_s: float | None
    seed: int
    workers: int | None
    is_portfolio: bool
    requires_complete: bool
    has_built_in: bool
    sampler: Sampler
    storage: str | None
    database: Path
    output: JsonOutput
    called: Sequence[Path] = ()  # files of recorded calls, whose problems are tuned in place of named ones

    def stages(self, hello: Hello, evaluator: Evaluator) -> list[Stage]:
        """Return the stages of the run: one for the problems that are named or were called, or the default stages."""
        if self.called:
            return [Stage("", self.named, weights=weights(self.called, hello, evaluator))]
        names_nothing = self.named.names_nothing and not self.restriction
        if names_nothing and self.sizes is None and not self.is_portfolio:
            return default_stages(hello.device)
        return [Stage("", self.named, self.sizes, self.is_portfolio)]


# A stage with less time left does not start: compilers need time to start, and a race takes a second.
_LEAST_STAGE_S = 5.0


def tuned(tuning: Tuning, stack: contextlib.ExitStack) -> Outcome:
    """Run the stages and return the outcome. Raises ScantuneError, also if only some stages fail."""
    storage = _storage(tuning, stack)
    database = stack.enter_context(open_database(tuning.database))
    database.check_writable()
    worker = chosen_worker(stack, tuning.arch, tuning.device, tuning.seed)
    hello = worker.hello()
    evaluator = Evaluator(worker, Timeouts.of(hello.device), tuning.named.source)
    defaults = Defaults(evaluator)
    policy = policy_of(hello.device, tuning.effort, tuning.budget_s, tuning.is_portfolio)
    proof_s = 0.0 if hello.device.is_host else PROOF_SHARE * policy.budget_s  # host times say nothing about a GPU
    # Refuse what cannot be tuned before the run is announced.
    first, *others = tuning.stages(hello, evaluator)
    first_cells = _known_cells(first, tuning.restriction, hello, evaluator)
    earlier = Archive(database, hello.algorithms).records()
    _announce(tuning, hello.device, [first, *others], policy, proof_s)
    outcome = Outcome()

    def tuning_run(stage: Stage, left_s: float, progress: ProgressReport) -> TuningRun:
        stage_policy = policy_of(hello.device, tuning.effort, left_s, stage.is_portfolio)
        run = Run(
            now(), __version__, hello.template_hash, hello.compiler_version, hello.driver_version, tuning.effort,
            tuning.seed, policy_text(stage_policy, tuning.named.source, tuning.sampler.value),
        )  # fmt: skip
        return TuningRun(
            Archive(database, hello.algorithms), worker, compile_pool(worker, tuning.seed, tuning.workers), run,
            stage_policy, progress, Timeouts.of(hello.device), tuning.named.source, is_portfolio=stage.is_portfolio,
            has_built_in=tuning.has_built_in, restriction=tuning.restriction, sampler=tuning.sampler, storage=storage,
        )  # fmt: skip

    rest, faults = list[str](), list[str]()
    for stage in (first, *others):
        cells = first_cells if stage is first else _known_cells(stage, tuning.restriction, hello, evaluator)
        if cells is None:
            continue
        left_s = _left_s(stage, policy, proof_s + outcome.seconds)
        with ProgressReport(console) as progress:
            one = tuning_run(stage, left_s, progress)
            is_over = bool(outcome.coverage) and left_s < _LEAST_STAGE_S
            part = one.foresee(cells) if is_over else _run_of(one, stage, cells, faults)
        if part is None:
            continue
        if not is_over:
            _show(part, stage, f"{hello.device}{_among(tuning)}", defaults)
        outcome.add(part)
        if not stage.name:
            note_what_the_budget_left(part)
        elif not part.is_complete:
            rest.append(f"{stage.name} ({coverage_text(part.coverage)}; about {format_duration(part.rest_s)})")
    proof = _proof(tuning, database, hello, worker, outcome, policy, proof_s, earlier) if proof_s else None
    if rest:
        note("left for the next run of this command:\n  " + "\n  ".join(rest))
    tuning.output.write(
        device=vars(hello.device), database=str(tuning.database), **outcome_message(outcome, defaults),
        proof=proof.message() if proof else None,
    )  # fmt: skip
    if faults:
        raise ScantuneError("\n".join(faults))
    return outcome


def _left_s(stage: Stage, policy: Policy, spent_s: float) -> float:
    """Return the seconds that a stage may take at most."""
    share_s = math.inf if stage.share is None else stage.share * policy.budget_s
    return min(share_s, policy.budget_s - spent_s)


def _announce(tuning: Tuning, device: Device, stages: Sequence[Stage], policy: Policy, proof_s: float) -> None:
    """Print what is tuned and, for a run without named problems, how its time is divided."""
    note(
        f"tuning {device}{_among(tuning)}; {tuning.effort.value} effort, at most {format_duration(policy.budget_s)}; "
        f"saving to {tuning.database}"
    )
    shares = [f"{one.name} {format_duration(one.share * policy.budget_s)}" for one in stages if one.share]
    if shares:
        note(f"at most: {', '.join(shares)}; then what the budget leaves; proof {format_duration(proof_s)}")


def _proof(
    tuning: Tuning,
    database: Database,
    hello: Hello,
    worker: Worker,
    outcome: Outcome,
    policy: Policy,
    seconds: float,
    earlier: Sequence[Record],
) -> RunProof | None:
    """Return the proof of the run's records, after the losing ones were withdrawn."""
    began_s, proof = time.monotonic(), None
    evaluator = Evaluator(worker, Timeouts.of(hello.device), has_built_in=tuning.has_built_in)
    try:
        with compile_pool(worker, tuning.seed, tuning.workers) as pool:
            archive = Archive(database, hello.algorithms)
            prover = RunProver(archive, tuning.database, worker, evaluator, pool, policy, earlier)
            proof = prover.prove(outcome.saved, tuning.seed, seconds)
    except ScantuneError as error:
        note(f"the run could not be proven: {error}; try 'scantune prove'")
    if proof:
        proof.tell()
        outcome.withdraw(proof.withdrawn)
    outcome.seconds += time.monotonic() - began_s
    outcome.spent_s["proving"] = time.monotonic() - began_s
    return proof


def _storage(tuning: Tuning, stack: contextlib.ExitStack) -> StudyStorage | None:
    """Return the storage of --storage, open until the stack ends. Raises UsageError if it cannot be opened."""
    url = tuning.storage
    if url is None:
        return None
    if Path(url.removeprefix("sqlite:///")).expanduser().resolve() == tuning.database.resolve():
        raise UsageError(
            f"--storage {hidden(url)} is the tuning database, which cannot hold studies: name another file"
        )
    from scantune.search.study_storage import StudyStorage  # Optuna takes long to import

    return stack.enter_context(StudyStorage(url, note))


def _known_cells(stage: Stage, restriction: Restriction, hello: Hello, evaluator: Evaluator) -> list[Cell] | None:
    """Return the cells of a stage; None for a default stage that the worker does not know.

    Raises UsageError if the user's stage is unknown, or if no config of the restriction is legal in it.
    """
    if stage.weights is not None:
        return list(stage.weights)
    try:
        problems, sizes = _named_cells(stage, hello, evaluator)
        check(restriction, hello, stage.named.algorithm, evaluator, problems, sizes)
        return [Cell(problem, n) for problem in problems for n in sizes]
    except UsageError as error:
        if not stage.name:
            raise
        note(f"left out {stage.name}, which the worker does not know: {error}")
        return None


def _run_of(one: TuningRun, stage: Stage, cells: list[Cell], faults: list[str]) -> Outcome | None:
    """Return the outcome of a stage; None if a default stage failed, because the others may still succeed."""
    try:
        return one.cover(cells, stage.weights)
    except (DatabaseError, WorkerUnavailable):
        raise
    except ScantuneError as error:
        if not stage.name:
            raise
        faults.append(f"{stage.name}: {error}")
        return None


def _named_cells(stage: Stage, hello: Hello, evaluator: Evaluator) -> tuple[list[Problem], list[int]]:
    """Return the problems that a stage names, and their sizes."""
    named = stage.named.or_else(default_types(hello.device))
    fallback = portfolio_sizes if stage.is_portfolio else default_sizes
    sizes = named.whole(hello, stage.sizes or named.sizes(hello, evaluator, fallback(hello.device), note), note)
    return named.problems(hello, evaluator, sizes, note), sizes


def _among(tuning: Tuning) -> str:
    return f", among {tuning.restriction}" if tuning.restriction else ""


def _show(part: Outcome, stage: Stage, where: str, defaults: Defaults) -> None:
    """Print the outcome of a stage."""
    spaces = {(record.problem, record.n): defaults.space(record.problem, record.n) for record in part.records}
    title = f"Fastest kernels on {where}" + (f": {stage.name}" if stage.name else "")
    console.print(coverage_table(part.coverage, part.records, spaces, title))
    if part.breakpoints:
        console.print(portfolio_table(part.breakpoints, "Breakpoints between them"))
