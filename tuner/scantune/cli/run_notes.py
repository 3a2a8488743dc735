"""Notes at the end of a run: what was left out, and why."""

from __future__ import annotations

from scantune.cli.terminal import note
from scantune.model.coverage import Way
from scantune.model.outcome import Outcome
from scantune.model.quantity import counted


def note_what_the_budget_left(outcome: Outcome) -> None:
    if cut_short := outcome.covered(Way.cut_short):
        note(
            f"the budget cut {counted(len(cut_short), 'search')} short; each keeps its best config so far: "
            "run again to continue"
        )
    if unsearched := [covered for covered in outcome.covered(Way.raced, Way.left) if not covered.reason]:
        searches = counted(len(unsearched), "search")
        note(f"the budget ended before {searches}: run again to resume, or raise --budget")
    if outcome.unprobed:
        pairs = counted(outcome.unprobed, "pair")
        note(f"the budget ended before the breakpoints of {pairs} of neighbouring sizes: run again to resume")


def note_what_was_not_tried(outcome: Outcome) -> None:
    for name, count in outcome.unknown.items():
        note(
            f"{counted(count, 'winner')} of the algorithm {name}, which the worker here does not know: left out of "
            "tuning, and kept as they are"
        )
    if unfit := outcome.covered(Way.unfit):
        told = "\n  ".join(f"{covered.cell}: {covered.reason}" for covered in unfit)
        note(f"left out, because none of these configs is legal there:\n  {told}")
    given_up = [covered for covered in outcome.covered(Way.raced, Way.left) if covered.reason]
    if given_up:
        told = "\n  ".join(f"{covered.cell}: {covered.reason}" for covered in given_up)
        note(f"not searched; earlier results are used:\n  {told}")
