"""Which runs of a reduction give the same bits."""

from enum import Enum


class Determinism(Enum):
    """Reductions give the same bits on every run of one GPU and config whichever is asked for."""

    NOT_GUARANTEED = 0
    RUN_TO_RUN = 1
