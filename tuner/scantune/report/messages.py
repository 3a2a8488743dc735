"""Messages of --json about winners, breakpoints and selections. docs/tuning.md lists their keys, which never change."""

from __future__ import annotations

from typing import Any

from scantune.model.breakpoint import Breakpoint
from scantune.model.config import Config
from scantune.model.outcome import Outcome
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.worker.defaults import Defaults
from scantune.worker.selection import Selection


def config_message(problem: Problem, n: int, config: Config, defaults: Defaults | None) -> dict[str, Any]:
    """Return a config with all its values, and the departures from the family's default if that is known."""
    space = defaults.space(problem, n) if defaults else None
    if space is None:
        return {"config": config.message(), "departures": None}
    return {"config": (space.known(config) or config).message(), "departures": space.departures(config)}


def winner_message(record: Record, defaults: Defaults | None) -> dict[str, Any]:
    run = record.run
    return {
        "device": vars(record.device), "problem": record.problem.message(), "n": record.n,
        "serves": record.serves.message(), **config_message(record.problem, record.n, record.config, defaults),
        "median_us": record.median_us, "spread": record.spread, "default_us": record.default_us,
        "ceiling_us": record.ceiling_us, "probes": probes_message(record), "finished_at": record.finished_at,
        "effort": run.effort.value, "cut_short": run.is_cut_short, "may_gain": run.may_gain,
        "tool_version": run.tool_version, "template_hash": run.template_hash,
        "compiler_version": run.compiler_version, "driver_version": run.driver_version,
        "origin": run.origin.message() if run.origin else None,
    }  # fmt: skip


def probes_message(record: Record) -> list[dict[str, Any]]:
    return [vars(probe) for probe in record.probes]


def breakpoint_message(found: Breakpoint) -> dict[str, Any]:
    return {
        "device": vars(found.device), "problem": found.problem.message(), "n_low": found.n_low, "n_high": found.n_high,
        "n_switch": found.n_switch, "low": found.low.message(), "high": found.high.message(), "regret": found.regret,
        "probes": [vars(probe) for probe in found.probes], "finished_at": found.finished_at,
    }  # fmt: skip


def selection_message(problem: Problem, n: int, selection: Selection, defaults: Defaults) -> dict[str, Any]:
    return {
        "problem": problem.message(), "n": n, "origin": selection.origin, "reason": selection.reason,
        "record": selection.record, **config_message(problem, n, selection.config, defaults),
    }  # fmt: skip


def outcome_message(outcome: Outcome, defaults: Defaults) -> dict[str, Any]:
    return {
        "complete": outcome.is_complete, "seconds": outcome.seconds,
        "spent_s": {what: round(seconds, 2) for what, seconds in outcome.spent_s.items()},
        "rest_s": round(outcome.rest_s), "winners": [winner_message(record, defaults) for record in outcome.records],
        "breakpoints": [breakpoint_message(found) for found in outcome.breakpoints],
        "without_winner": outcome.without_winner,
        "cells": [covered.message() for covered in outcome.coverage],
        "unprobed_pairs": outcome.unprobed, "without_breakpoint": outcome.without_breakpoint,
        "unknown_algorithms": outcome.unknown,
    }  # fmt: skip
