"""The workers that commands start."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

from scantune.cli.terminal import note
from scantune.model.device import HOST, Device
from scantune.worker.client import Worker
from scantune.worker.command import worker_command
from scantune.worker.compile_pool import CompilePool
from scantune.worker.device_choice import check_choice, choose_worker
from scantune.worker.evaluation import Timeouts

_MAX_COMPILE_WORKERS = 16  # limited, because each holds a context on the GPU


def chosen_worker(stack: contextlib.ExitStack, arch: str, device: str | None, seed: int = 1) -> Worker:
    """Return a worker on the requested device. It ends with the stack."""
    check_choice(arch, device)
    command = worker_command()
    worker = choose_worker(arch, device, lambda name: Worker(command, name, seed), note)
    stack.callback(worker.close)
    return worker


def described_worker(stack: contextlib.ExitStack, device: Device) -> Worker:
    """Return a worker that answers for a device that need not be here. It ends with the stack."""
    return stack.enter_context(Worker(worker_command(), HOST, described=device))


def compile_pool(worker: Worker, seed: int, workers: int | None) -> CompilePool:
    """Return a pool of processes that compile for a worker's device, by default one per core, minus one.

    For the host device no core is left out: its kernels are quick to run and slow to compile.
    """
    device = worker.hello().device
    # What is measured on the CPU goes before what compiles.
    command = ["nice", *worker_command()] if device.is_host else worker_command()
    size = workers or _compile_workers(all_cores=device.is_host)
    return CompilePool(lambda: Worker(command, worker.device, seed), size, Timeouts.of(device).compile_s)


@contextlib.contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Turn SIGTERM into what Ctrl-C raises, so that the workers end, too."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _compile_workers(all_cores: bool) -> int:
    cores = len(os.sched_getaffinity(0))
    return max(1, min(_MAX_COMPILE_WORKERS, cores if all_cores else cores - 1))
