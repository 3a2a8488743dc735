"""The kernels of `scantune gallery --races`, which documents print before those without a race."""

from __future__ import annotations

from scantune.cli.json_output import JsonOutput
from scantune.cli.terminal import console
from scantune.errors import ScantuneError, UsageError
from scantune.model.race_exhibit import RaceExhibit
from scantune.report.gallery_tables import races_table
from scantune.worker.client import Worker, WorkerError

_SCHEDULES = 100
_TIMEOUT_S = 300.0  # for what compiles half a dozen kernels first


def show_races(worker: Worker, output: JsonOutput) -> None:
    """Run each kernel under schedules that are drawn, and the family that does the same without a race.

    Raises UsageError on a GPU, which has no schedules to draw, and ScantuneError where no schedule shows a race.
    """
    device = worker.hello().device
    if not device.is_host:
        raise UsageError(f"--races needs schedules that are drawn, and {device} draws none: add --device host")
    result = worker.call("races", {"schedules": _SCHEDULES}, _TIMEOUT_S)
    try:
        found = [RaceExhibit.from_message(one) for one in result.get("races", ())]
    except ValueError as error:
        raise WorkerError("internal", str(error)) from None
    console.print(races_table(found, device))
    output.write(races_shown=[one.message() for one in found])
    if missed := [one.name for one in found if not one.wrong or one.wrong_of_family]:
        raise ScantuneError(f"{', '.join(missed)}: the race was not told from the family without it; the table says "
                            "under how many schedules each was wrong")  # fmt: skip
