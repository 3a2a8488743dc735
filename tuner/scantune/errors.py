"""What the command line reports as a message instead of a traceback."""


class ScantuneError(Exception):
    """The text says what was asked, what was found and what to do."""

    exit_code = 1


class UsageError(ScantuneError):
    """What was asked for cannot be done as asked."""

    exit_code = 2
