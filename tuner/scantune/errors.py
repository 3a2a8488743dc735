"""Errors that the command line reports as messages instead of tracebacks, and the statuses that it ends with."""

from enum import IntEnum


class Status(IntEnum):
    """The exit status of a command; docs/tuning.md has the same table for users."""

    failed = 1
    usage = 2
    # `regret`: a size is slower than --within allows; `prove`: a drawn case is slower than before; `db verify`: a
    # record is wrong or slower.
    not_within = 3
    incomplete = 4  # `tune --require-complete`: the budget ended first
    interrupted = 130  # what shells report for Ctrl-C


class ScantuneError(Exception):
    """An error whose text says what was asked, what was found and what to do."""

    exit_code = Status.failed


class UsageError(ScantuneError):
    """What was asked for cannot be done as asked."""

    exit_code = Status.usage
