"""By how much two medians of one round may differ for no reason."""

from __future__ import annotations

from scantune.model.measurement import Measurement, noise_of


def beats(challenger: Measurement, holder: Measurement) -> bool:
    """Return whether the challenger is faster by more than the noise."""
    return holder.median_us - challenger.median_us > noise_us(challenger, holder)


def noise_us(one: Measurement, other: Measurement) -> float:
    """Return what two times of one round may differ by for no reason: two standard errors of the difference, and at
    least 0.5 % of the slower.
    """
    return noise_of(one.median_us, one.standard_error_us, other.median_us, other.standard_error_us)
