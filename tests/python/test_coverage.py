"""The coverage of a cell: what was compared there, and what was gained."""

from __future__ import annotations

from dataclasses import replace

import pytest

from examples import RECORDS
from scantune.cli.run_notes import note_what_the_budget_left, note_what_was_not_tried
from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.coverage import Coverage, Way
from scantune.model.decision import Decision
from scantune.model.measurement import Measurement
from scantune.model.outcome import Outcome
from scantune.report.tables import coverage_table

RECORD = RECORDS[0]
CELL = Cell(RECORD.problem, RECORD.n)
FIRST, SECOND, THIRD = (Config("lookback", (("block_threads", threads),)) for threads in (128, 256, 512))


def decided(winner: Config, ratios: dict[Config, float]) -> Decision:
    measured = {config: Measurement(ratio, spread=0.01, samples=15) for config, ratio in ratios.items()}
    return Decision(winner, measured, None, RECORD.serves, (), ratios, gain=1.2, is_news=True)


def test_ratios_of_earlier_rounds_follow_the_winner() -> None:
    covered = Coverage(CELL)
    covered.learn(decided(FIRST, {FIRST: 1.0, SECOND: 1.5}))
    covered.learn(decided(THIRD, {FIRST: 2.0, THIRD: 1.0}))
    assert covered.ratios == pytest.approx({FIRST: 2.0, SECOND: 3.0, THIRD: 1.0})
    assert covered.gain == 1.2


def test_winner_that_failed_in_a_later_round_is_compared_no_more() -> None:
    covered = Coverage(CELL)
    covered.learn(decided(FIRST, {FIRST: 1.0, SECOND: 1.5}))
    covered.learn(decided(THIRD, {THIRD: 1.0}))
    assert FIRST not in covered.ratios
    assert covered.next_best == pytest.approx(1.5)


def test_cell_that_an_earlier_run_finished_shows_the_gain_of_then() -> None:
    record = replace(RECORD, median_us=2.0, default_us=3.0)
    table = coverage_table([Coverage(CELL, Way.finished, winner=record.config)], [record], {}, "winners")
    assert "1.50×" in table.rows[0].cells


def test_search_that_was_given_up_is_not_laid_to_the_budget(capsys: pytest.CaptureFixture[str]) -> None:
    other = Cell(RECORD.problem, 2 * RECORD.n)
    outcome = Outcome(coverage=[Coverage(CELL, Way.raced, "out of memory"), Coverage(other)])
    note_what_was_not_tried(outcome)
    note_what_the_budget_left(outcome)
    told = capsys.readouterr().err
    assert f"earlier results are used:\n  {CELL}: out of memory" in told
    assert "the budget ended before 1 search:" in told
