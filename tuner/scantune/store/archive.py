"""The tuner's memory: runs, trials, records, breakpoints. Every trial is a transaction of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from scantune.model.algorithms import Algorithms
from scantune.model.breakpoint import Breakpoint
from scantune.model.carried_hashes import joint_hash
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.least_time import possible
from scantune.model.measurement import Measurement
from scantune.model.problem import Problem
from scantune.model.record import Record, Run, carried_kernel_hash, key_of, now
from scantune.model.trial import STATUSES, Failure, Trial
from scantune.store.contents import Contents
from scantune.store.database import Database

_MAX_REASON = 2000

TemplateHash = Callable[
    [Problem, int, str], str
]  # returns that of a family's kernels; empty without kernels for the problem and N


class Archive:
    def __init__(self, database: Database, algorithms: Algorithms | None = None) -> None:
        """Read and write `database`. Configs of algorithms that are not declared stay as rows have them, and may lack
        parameters.
        """
        self.database = database
        self.algorithms = algorithms or Algorithms()
        self._left_out: dict[str, list[str]] = {}

    @property
    def left_out(self) -> list[str]:
        """Why rows of records and breakpoints were left out when they were last read, one reason for each row."""
        return [reason for reasons in self._left_out.values() for reason in reasons]

    def records(self) -> list[Record]:
        """Return every valid record; others are left out, as the runtime leaves them out."""
        with self.database.snapshot():
            return sorted(self._contents("records").records(), key=_by_device)

    def breakpoints(self) -> list[Breakpoint]:
        """Return every valid breakpoint; others are left out, as the runtime leaves them out."""
        with self.database.snapshot():
            return sorted(self._contents("breakpoints").breakpoints(), key=_by_device)

    def _contents(self, what: str) -> Contents:
        reasons = self._left_out[what] = []
        return Contents(self.database, reasons.append, self.algorithms, trusts_times=True)

    def trials(self, device: Device) -> list[tuple[Cell, str, Trial]]:
        """Return every valid trial of a device with its cell, and the hash of the kernels that were tried."""

        def parsed(row: Mapping[str, Any]) -> tuple[Cell, str, Trial] | None:
            found, problem, n = key_of(row)
            if found != device:
                return None
            trial = _trial(dict(row), found, problem, n)
            config = self.algorithms.complete(problem, trial.config)
            return Cell(problem, n), carried_kernel_hash(str(row["template_hash"])), replace(trial, config=config)

        with self.database.snapshot():
            contents = Contents(self.database, algorithms=self.algorithms, trusts_times=True)
            return [found for found in contents.trials(parsed) if found]

    def start(self, run: Run, device: Device, template_hash: TemplateHash | None = None) -> Session:
        """Begin to save what a run finds on a device. The run's rows are written with their first trials.

        Without `template_hash`, which tells that of each family, the hash of the run counts for all kernels.
        """
        return Session(self, run, device, template_hash or (lambda problem, n, family: run.template_hash))

    def device_id(self, device: Device) -> int:
        return self._find_or_add("device", vars(device))

    def problem_id(self, problem: Problem) -> int:
        return self._find_or_add("problem", problem.columns)

    def run_id(self, run: Run) -> int:
        """Return the id of a run, whose row is written if there is no equal one."""
        found = self.database.rows("find_run", run.parameters())
        return int(found[0]["id"]) if found else self.database.insert("add_run", run.parameters())

    def add_record(self, record: Record, run_id: int) -> None:
        """Save a record in place of any other of its key."""
        key_and_config = {
            "device_id": self.device_id(record.device),
            "problem_id": self.problem_id(record.problem),
            "n": record.n,
            **_columns(record.config),
        }
        self.database.run("drop_breakpoints", key_and_config)
        self.database.run(
            "save_record",
            {
                **key_and_config,
                "run_id": run_id,
                "median_us": record.median_us,
                "spread": record.spread,
                "default_us": record.default_us,
                "ceiling_us": record.ceiling_us,
                "finished_at": record.finished_at,
                "served_above": record.serves.above,
                "served_up_to": record.serves.up_to,
                "probes": record.probes_text,
            },
        )

    def drop_record(self, record: Record) -> None:
        """Drop the record of that key, with the breakpoints at it."""
        with self.database.transaction():
            key = {
                "device_id": self.device_id(record.device), "problem_id": self.problem_id(record.problem),
                "n": record.n,
            }  # fmt: skip
            self.database.run("drop_breakpoints_at", key)
            self.database.run("drop_record", key)

    def add_breakpoint(self, found: Breakpoint, run_id: int) -> None:
        """Save a breakpoint in place of any other above its lower end, unless the record at an end is gone."""
        self.database.run(
            "save_breakpoint",
            {
                "device_id": self.device_id(found.device),
                "problem_id": self.problem_id(found.problem),
                "n_low": found.n_low,
                "n_high": found.n_high,
                "n_switch": found.n_switch,
                "probes": found.probes_text,
                "regret": found.regret,
                "run_id": run_id,
                "finished_at": found.finished_at,
            },
        )

    def _find_or_add(self, table: str, parameters: Mapping[str, object]) -> int:
        found = self.database.rows(f"find_{table}", parameters)
        if not found:
            self.database.run(f"add_{table}", parameters)
            found = self.database.rows(f"find_{table}", parameters)
        return int(found[0]["id"])


class Session:
    """What one run adds to the archive."""

    def __init__(self, archive: Archive, run: Run, device: Device, template_hash: TemplateHash) -> None:
        self._database = archive.database
        self._archive = archive
        self._run = run
        self._template_hash = template_hash
        self.device = device

    def run_of(self, problem: Problem, n: int, *configs: Config) -> Run:
        """Return the run for a record of the config, or for a breakpoint between records of two configs."""
        hashes = [self._template_hash(problem, n, config.family) for config in configs]
        return self._run.of_templates(joint_hash(hashes[0], hashes[-1]))

    def trials(self, problem: Problem, n: int) -> list[Trial]:
        """Return what was tried before with the same kernels, in this run or another; invalid rows are left out."""
        # One transaction holds both queries: if rows are dropped between them, an id may come to mean another problem.
        with self._database.transaction():
            found = self._database.rows("trials_of", self._key(problem, n))
        trials = []
        for row in found:
            try:
                trial = _trial(dict(row), self.device, problem, n)
            except ValueError:
                continue
            if row["template_hash"] == self.run_of(problem, n, trial.config).kernel_hash:
                trials.append(replace(trial, config=self._archive.algorithms.complete(problem, trial.config)))
        return trials

    def together(self) -> contextlib.AbstractContextManager[None]:
        """Save all that is saved within at once, or nothing of it: syncing a disk takes longer than most races."""
        return self._database.transaction()

    def save_trial(self, problem: Problem, n: int, trial: Trial, is_default: bool) -> None:
        """Save a trial, in place of one that failed; a measurement that another tuner has saved meanwhile stays."""
        measurement, failure = trial.measurement, trial.failure
        key, run = self._key_of(problem, n, trial.config), self.run_of(problem, n, trial.config)
        with self._database.transaction():
            self._database.run("drop_failed_trial", key)
            self._database.run(
                "add_trial",
                {
                    **key,
                    "run_id": self._archive.run_id(run),
                    "status": failure.status if failure else "ok",
                    "reason": self.kept(failure).reason if failure else None,
                    "is_default": int(is_default),
                    "median_us": measurement.median_us if measurement else None,
                    "spread": measurement.spread if measurement else None,
                    "samples": measurement.samples if measurement else None,
                    "sm_clock_mhz": measurement.sm_clock_mhz if measurement else None,
                    "compile_ms": trial.compile_ms,
                    "finished_at": now(),
                },
            )

    def save_failure(self, problem: Problem, n: int, config: Config, failure: Failure) -> bool:
        """Note that a config whose trial had succeeded failed later. Return whether there was such a trial."""
        with self._database.transaction():
            changed = self._database.run(
                "fail_trial",
                {
                    **self._key_of(problem, n, config),
                    "status": failure.status,
                    "reason": self.kept(failure).reason,
                    "finished_at": now(),
                },
            )
        return changed > 0

    def save_record(self, record: Record) -> None:
        with self._database.transaction():
            self._archive.add_record(record, self._archive.run_id(record.run))

    def save_breakpoint(self, found: Breakpoint) -> None:
        with self._database.transaction():
            self._archive.add_breakpoint(found, self._archive.run_id(found.run))

    def kept(self, failure: Failure) -> Failure:
        """Return a failure as rows keep it: without what a compiler quotes of the user's source, which stays here."""
        if self._run.source_digest and failure.status == "compile_error":
            reason = "the operator's kernel does not compile; the log, which may quote its source, is not kept"
            return replace(failure, reason=reason)
        return replace(failure, reason=failure.reason[:_MAX_REASON])

    def _key(self, problem: Problem, n: int) -> dict[str, object]:
        return {
            "device_id": self._archive.device_id(self.device),
            "problem_id": self._archive.problem_id(problem),
            "n": n,
        }

    def _key_of(self, problem: Problem, n: int, config: Config) -> dict[str, object]:
        """Return the columns that identify a trial."""
        kernel_hash = self.run_of(problem, n, config).kernel_hash
        return {**self._key(problem, n), **_columns(config), "template_hash": kernel_hash}


def _by_device(found: Record | Breakpoint) -> tuple[str, str, int]:
    """Return the key that sorts by device; within one, rows are sorted by problem and N already."""
    return found.device.arch, found.device.name, found.device.sm_count


def _columns(config: Config) -> dict[str, object]:
    return {"family": config.family, "config": config.text}


def _trial(row: dict[str, object], device: Device, problem: Problem, n: int) -> Trial:
    config = Config.from_row(row["family"], row["config"])
    if row["status"] == "ok":
        measurement = Measurement.from_message(row)
        possible(device, problem, n, "median_us", measurement.median_us)
        return Trial(config, measurement)
    if row["status"] not in STATUSES:
        raise ValueError(f"the status is {row['status']!r}")
    return Trial(config, failure=Failure(str(row["status"]), str(row["reason"])))
