"""The client of a worker, with a fake worker whose faults a test chooses."""

from __future__ import annotations

import os
import shlex
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import FAKE_WORKER, SUM
from scantune.cli.workers import compile_pool
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.worker.client import Worker, WorkerDied, WorkerError, WorkerTimeout, WorkerUnavailable

CONFIG = Config("lookback", (("block_threads", 512), ("items_per_thread", 8), ("layout", "direct"), ("window", 32)))
OTHER = Config("single_block", (("block_threads", 64), ("items_per_thread", 4), ("pdl", 0)))
GUILTY = {"block_threads": 512}


def verify(worker: Worker, config: Config, timeout_s: float = 20.0) -> dict[str, Any]:
    return worker.call("verify", {"request": SUM.request(4096), "config": config.message(), "seed": 1}, timeout_s)


def test_worker_says_who_it_is(worker: Worker) -> None:
    hello = worker.hello()
    assert (hello.device.arch, hello.device.name, hello.template_hash) == ("host", "Fake CPU", "a" * 64)


def test_refusal_keeps_kind_and_message_and_the_process(worker: Worker, faults: Callable[..., None]) -> None:
    faults(wrong_result=GUILTY)
    with pytest.raises(WorkerError, match="index 17") as caught:
        verify(worker, CONFIG)
    assert caught.value.kind == "wrong_result"
    assert verify(worker, OTHER) == {"checks": 24}
    assert worker.restarts == 0


def test_crash_is_told_with_signal_and_stderr_and_the_next_call_works(
    worker: Worker, faults: Callable[..., None]
) -> None:
    faults(crash=GUILTY)
    with pytest.raises(WorkerDied, match=r"(?s)SIGABRT.*segmentation fault, as asked for"):
        verify(worker, CONFIG)
    assert verify(worker, OTHER) == {"checks": 24}
    assert worker.restarts == 1


def test_hanging_worker_is_killed_in_time(worker: Worker, faults: Callable[..., None]) -> None:
    faults(hang=GUILTY)
    worker.hello()
    started = time.monotonic()
    with pytest.raises(WorkerTimeout, match="verify took longer than"):
        verify(worker, CONFIG, timeout_s=0.3)
    assert time.monotonic() - started < 5
    assert verify(worker, OTHER) == {"checks": 24}


def test_garbage_replaces_the_worker(worker: Worker, faults: Callable[..., None]) -> None:
    faults(garbage=GUILTY)
    with pytest.raises(WorkerDied, match="not JSON"):
        verify(worker, CONFIG)
    assert verify(worker, OTHER) == {"checks": 24}


def test_answer_to_another_request_is_not_taken(faults: Callable[..., None]) -> None:
    faults(wrong_id=1)
    with Worker(FAKE_WORKER, "host") as worker, pytest.raises(WorkerUnavailable, match="not for request"):
        worker.hello()


def test_worker_that_dies_on_start_is_reported_with_its_words(faults: Callable[..., None]) -> None:
    faults(start="die")
    with Worker(FAKE_WORKER, "host") as worker, pytest.raises(WorkerUnavailable, match=r"(?s)libmissing.*doctor"):
        worker.hello()


def test_missing_program_is_reported_at_once() -> None:
    with Worker(["/no/such/program"], "host") as worker, pytest.raises(WorkerUnavailable, match="No such file"):
        worker.hello()


def test_other_protocol_is_refused(faults: Callable[..., None]) -> None:
    faults(protocol=1)
    with Worker(FAKE_WORKER, "host") as worker, pytest.raises(WorkerUnavailable, match="speaks protocol 1"):
        worker.hello()


def test_replaced_program_is_noticed(
    worker: Worker, faults: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker.hello()
    monkeypatch.setenv("FAKE_WORKER_TEMPLATES", "b" * 64)
    worker.kill()
    with pytest.raises(WorkerUnavailable, match="replaced while it was in use"):
        worker.hello()


def test_missing_device_is_the_workers_own_words() -> None:
    with Worker(FAKE_WORKER, "cuda:0") as worker, pytest.raises(WorkerError, match="no NVIDIA driver") as caught:
        worker.hello()
    assert caught.value.kind == "device_error"


def test_abort_from_another_thread_ends_a_call(worker: Worker, faults: Callable[..., None]) -> None:
    faults(hang=GUILTY)
    worker.hello()
    threading.Timer(0.2, worker.abort).start()
    with pytest.raises(WorkerDied):
        verify(worker, CONFIG)
    with pytest.raises(WorkerUnavailable, match="closed"):
        worker.hello()


def test_close_leaves_no_process_behind(request_log: Callable[[], list[dict[str, Any]]]) -> None:
    with Worker(FAKE_WORKER, "host") as worker:
        worker.hello()
    pid = request_log()[0]["pid"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("device", "processes", "niceness"), [(None, 4, 10), (Device("sm_90", "NVIDIA H200", 132), 3, 0)]
)
def test_kernels_of_the_host_device_compile_on_all_cores_after_what_is_measured_there(
    device: Device | None, processes: int, niceness: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f'nice >{tmp_path}/niceness; exec {shlex.join(FAKE_WORKER)} "$@"'
    monkeypatch.setenv("SCANTUNE_WORKER", shlex.join(["sh", "-c", script, "sh"]))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4))
    with Worker(FAKE_WORKER, "host", described=device) as worker, compile_pool(worker, 1, None) as pool:
        assert pool.abreast(most=16) - 1 == processes  # one is measured
        pool.submit(SUM.request(4096), CONFIG).result()
    assert int((tmp_path / "niceness").read_text()) == min(os.getpriority(os.PRIO_PROCESS, 0) + niceness, 19)
