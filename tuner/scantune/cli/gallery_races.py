"""The textbook kernels with a race, for `scantune gallery --races`."""

from __future__ import annotations

from scantune.cli.json_output import JsonOutput
from scantune.cli.terminal import console
from scantune.errors import ScantuneError, UsageError
from scantune.model.race_exhibit import RaceExhibit
from scantune.report.gallery_tables import races_table
from scantune.worker.client import Worker, WorkerError

_SCHEDULES = 100
_TIMEOUT_S = 300.0  # half a dozen kernels are compiled first


def show_races(worker: Worker, output: JsonOutput) -> None:
    """Run each kernel under random schedules, and the family that does the same without a race.

    Raises UsageError on a GPU, whose schedules cannot be chosen, and ScantuneError if no schedule shows a race.
    """
    device = worker.hello().device
    if not device.is_host:
        raise UsageError(f"--races needs random schedules, which {device} does not have: add --device host")
    result = worker.call("races", {"schedules": _SCHEDULES}, _TIMEOUT_S)
    try:
        found = [RaceExhibit.from_message(one) for one in result.get("races", ())]
    except ValueError as error:
        raise WorkerError("internal", str(error)) from None
    console.print(races_table(found, device))
    output.write(races_shown=[one.message() for one in found])
    if missed := [one.name for one in found if not one.wrong or one.wrong_of_family]:
        raise ScantuneError(f"{', '.join(missed)}: no difference to the family without the race; the table says "
                            "under how many schedules each was wrong")  # fmt: skip
