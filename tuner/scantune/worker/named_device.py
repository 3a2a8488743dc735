"""GPUs of other machines, as people name them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scantune.errors import UsageError
from scantune.model.device import Device
from scantune.worker.device_choice import AUTO


def named_device(name: str, arch: str, sm_count: int | None, known: Callable[[], Sequence[Device]]) -> Device:
    """Return the known device whose name is or holds `name`, and that has this arch and SM count where they are given.

    With all three the device need not be known. Raises UsageError, which lists the known devices, if none or several
    match.
    """
    candidates = list(dict.fromkeys(known()))
    found = [
        device
        for device in candidates
        if device.is_called(name) and arch in (AUTO, device.arch) and sm_count in (None, device.sm_count)
    ]
    found = [device for device in found if device.name.casefold() == name.casefold()] or found
    if len(found) == 1:
        return found[0]
    if not found and arch != AUTO and sm_count is not None:
        try:
            return Device(arch, name, sm_count)
        except ValueError as error:
            raise UsageError(f"--device '{name}' --arch {arch} --sm-count {sm_count}: {error}") from None
    listed = "".join(f"\n  {device}" for device in (found or candidates))
    what = "more than one device that is known" if found else "no device of this machine and none that is known"
    advice = "tell --arch and --sm-count too, such as --device 'NVIDIA H200' --arch sm_90 --sm-count 132"
    if arch != AUTO and sm_count is not None:
        advice = "tell its whole name"
    raise UsageError(f"--device '{name}' is {what}; {advice}. Records are known of:{listed or ' none'}")
