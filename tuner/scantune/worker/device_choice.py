"""The choice of the device to tune on, from what was asked for and what is there."""

from __future__ import annotations

import re
from collections.abc import Callable

from scantune.errors import ScantuneError, UsageError
from scantune.model.device import HOST, is_arch
from scantune.worker.client import Worker, WorkerError, WorkerUnavailable

AUTO = "auto"
FIRST_GPU = "cuda:0"

_OPENED = re.compile(r"cuda(:\d{1,4})?|host")

Start = Callable[[str], Worker]  # starts a worker on a device such as cuda:0 or host
Note = Callable[[str], None]


def is_opened(device: str) -> bool:
    """Return whether the option names a device of this machine, rather than one that is only described."""
    return _OPENED.fullmatch(device) is not None


def check_choice(arch: str, device: str | None) -> None:
    """Raise UsageError for options that no worker could serve, so that none is started."""
    if arch != AUTO and not is_arch(arch):
        raise UsageError(f"--arch {arch}: not an architecture; write sm_90 or the like, host or auto")
    if device is not None and not is_opened(device):
        raise UsageError(f"--device {device}: not a device of this machine; write cuda:0, cuda:1, ... or host")
    if device is not None and arch != AUTO and (arch == HOST) != (device == HOST):
        raise UsageError(f"--arch {arch} and --device {device} contradict each other; leave one out")


def choose_worker(arch: str, device: str | None, start: Start, note: Note) -> Worker:
    """Return a worker that has said hello.

    auto takes the GPU if there is one, else the host device, and notes why. Raises UsageError when a named arch is not
    there.
    """
    check_choice(arch, device)
    if arch == AUTO and device is None:
        return _gpu_or_host(start, note)
    device = device or (HOST if arch == HOST else FIRST_GPU)
    worker = start(device)
    try:
        found = worker.hello().device
    except WorkerError as error:
        worker.close()
        raise UsageError(_nothing_found(arch, device, error)) from None
    except WorkerUnavailable as error:
        worker.close()
        raise ScantuneError(str(error)) from None
    if arch not in (AUTO, found.arch):
        worker.close()
        raise UsageError(
            f"--arch {arch} was asked for, but {device} is {found}; 'scantune --arch {found.arch}' tunes for it, "
            "and --device names another GPU. Records of other GPUs come with 'scantune db import FILE'"
        )
    return worker


def _gpu_or_host(start: Start, note: Note) -> Worker:
    gpu = start(FIRST_GPU)
    try:
        gpu.hello()
        return gpu
    except (WorkerError, WorkerUnavailable) as error:
        gpu.close()
        reason = str(error).splitlines()[0].rstrip(":")
        note(f"no GPU can be used ({reason}), so the host device is used instead; its times are those of the CPU")
    host = start(HOST)
    try:
        host.hello()
    except WorkerError as error:
        host.close()
        raise ScantuneError(f"neither a GPU nor the host device can be used: {error}") from None
    return host


def _nothing_found(arch: str, device: str, error: WorkerError) -> str:
    asked = f"--arch {arch} was asked for" if arch != AUTO else f"--device {device} was asked for"
    reason = str(error).rstrip(".")
    if device == HOST:
        return f"{asked}, but the host device cannot be used: {reason}; 'scantune doctor' says why"
    advice = "'scantune --arch host' runs on the CPU, 'scantune doctor' says why"
    return f"{asked}, but {device} cannot be used: {reason}; {advice}"
