"""Decides on which device to tune, from what was asked for and what is there."""

from __future__ import annotations

from collections.abc import Callable

from scantune.device import HOST
from scantune.errors import ScantuneError, UsageError
from scantune.worker import Worker, WorkerError, WorkerUnavailable

AUTO = "auto"
FIRST_GPU = "cuda:0"

Start = Callable[[str], Worker]  # of a worker on a device such as cuda:0 or host
Note = Callable[[str], None]


def choose_worker(arch: str, device: str | None, start: Start, note: Note) -> Worker:
    """Return a worker that has said hello.

    auto takes the GPU if there is one, else the host, and notes why. Raises UsageError when a named arch is not there.
    """
    if arch == HOST and device not in (None, HOST):
        raise UsageError(f"--arch host and --device {device} contradict each other; leave one of them out")
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
        note(f"no GPU can be used ({reason}), so this tunes the host device; its times describe the CPU")
    host = start(HOST)
    try:
        host.hello()
    except WorkerError as error:
        host.close()
        raise ScantuneError(f"neither a GPU nor the host device can be used: {error}") from None
    return host


def _nothing_found(arch: str, device: str, error: WorkerError) -> str:
    asked = f"--arch {arch} was asked for" if arch != AUTO else f"--device {device} was asked for"
    if device == HOST:
        return f"{asked}, but the host device cannot be used: {error}; 'scantune doctor' tells more"
    advice = "'scantune --arch host' runs on the CPU, 'scantune doctor' tells more"
    return f"{asked}, but {device} cannot be used: {error}; {advice}"
