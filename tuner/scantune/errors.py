"""What the command line reports as a message instead of a traceback, and what it ends with."""

from enum import IntEnum


class Status(IntEnum):
    """With what a command ends; docs/tuning.md has the same table for users."""

    failed = 1
    usage = 2
    not_within = 3  # `regret`: a size is slower than --within allows; `db verify`: a record is wrong or slower
    incomplete = 4  # `tune --require-complete`: the budget ended first
    interrupted = 130  # as shells count Ctrl-C


class ScantuneError(Exception):
    """The text says what was asked, what was found and what to do."""

    exit_code = Status.failed


class UsageError(ScantuneError):
    """What was asked for cannot be done as asked."""

    exit_code = Status.usage
