"""Reasons to doubt a record, so that the most doubtful ones are measured again first."""

from __future__ import annotations

from datetime import datetime, timezone
from enum import Enum

from scantune.model.record import Record, moment_of
from scantune.worker.evaluation import Evaluator, is_implausible

_MOST_GAIN = 2.0  # plausible gain over the default; the largest of the library's 344 records is 1.29
_OLD_DAYS = 180


class Suspicion(str, Enum):
    """The reasons, the most serious first."""

    implausible = "its gain is implausible"
    foreign = "others measured it"
    outdated = "other templates"
    cut_short = "its search was cut short"
    old = "half a year old"


def suspicions(record: Record, evaluator: Evaluator) -> list[Suspicion]:
    """Return what speaks against a record, the most serious first."""
    gain = record.default_us / record.median_us if record.default_us else 1.0
    age = datetime.now(timezone.utc) - moment_of(record.finished_at)
    template_hash = evaluator.template_hash(record.problem, record.n, record.config.family)
    found = {
        Suspicion.implausible: gain > _MOST_GAIN
        or is_implausible(record.problem, record.n, record.median_us, record.ceiling_us),
        Suspicion.foreign: record.run.origin is not None,
        Suspicion.outdated: record.run.template_hash != template_hash,
        Suspicion.cut_short: record.run.is_cut_short,
        Suspicion.old: age.days >= _OLD_DAYS,
    }
    return [suspicion for suspicion, is_found in found.items() if is_found]


def urgency(record: Record, found: list[Suspicion]) -> tuple[list[bool], str]:
    """Return the key that sorts records: those with more serious reasons come first, and then the older ones."""
    return [suspicion not in found for suspicion in Suspicion], record.finished_at
