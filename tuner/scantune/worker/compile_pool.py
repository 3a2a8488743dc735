"""Compilation ahead, in processes of its own: NVRTC holds a lock, so threads of one process would only take turns.

What these processes compile reaches the measuring worker through the shared cache on disk.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from scantune.model.config import Config
from scantune.model.trial import Failure
from scantune.worker.client import Worker, WorkerDied, WorkerError
from scantune.worker.environment import check_environment

Compiled = Future[float | Failure]  # milliseconds, or why it failed
Waits = list[Compiled]  # compilations that whoever yields them waits for

_TOO_SLOW = "took longer than a minute"  # the limit of the host device's compiler


class CompilePool:
    """A fixed number of workers, each with a thread; started at their first compilation."""

    def __init__(self, new_worker: Callable[[], Worker], size: int, timeout_s: float) -> None:
        self._new_worker = new_worker
        self._size = size
        self._timeout_s = timeout_s
        self._workers: list[Worker] = []
        self._local = threading.local()
        self._submitted: dict[tuple[str, Config, bool, bool, int], Compiled] = {}
        self._executor = ThreadPoolExecutor(max_workers=size, thread_name_prefix="compile")

    def __enter__(self) -> CompilePool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(
        self, request: dict[str, Any], config: Config, all_kinds: bool = False, measured_only: bool = False,
        offset: int = 0,
    ) -> Compiled:  # fmt: skip
        """Return a future of the milliseconds that compiling took, or of why it failed.

        A second request for the same gets the same future, so what is needed soon may be requested early. With
        `all_kinds` the kernels that verify the config for every kind of scan are compiled too, which takes three times
        as long. With `measured_only` only what measures arrays that begin `offset` items past a boundary is compiled,
        which takes half as long. What an earlier request for the config has compiled takes no time. The future raises
        WorkerUnavailable and EnvironmentFault.
        """
        key = json.dumps(request, sort_keys=True), config, all_kinds, measured_only, offset
        known = self._submitted.get(key)
        if known is None or known.cancelled():
            known = self._submitted[key] = self._executor.submit(
                self._compile, request, config, all_kinds, measured_only, offset
            )
        return known

    def abreast(self, most: int) -> int:
        """Return how many activities, at most `most`, keep each process busy while one of them is measured."""
        return min(most, self._size + 1)

    def wait_for_any(self, futures: Waits) -> None:
        wait(futures, return_when=FIRST_COMPLETED)

    def close(self) -> None:
        """Cancel the compilations that wait, and end those that run."""
        for worker in list(self._workers):
            worker.abort()
        self._executor.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def _compile(
        self, request: dict[str, Any], config: Config, all_kinds: bool, measured_only: bool, offset: int
    ) -> float | Failure:
        params = {"request": request, "config": config.message(), "all_kinds": all_kinds}
        params |= {"measured_only": True, "offset": offset} if measured_only else {}
        try:
            result = self._worker().call("compile", params, self._timeout_s)
        except WorkerDied as error:
            return Failure(error.status, f"compile: {error}")
        except WorkerError as error:
            check_environment("compile", error)
            if _TOO_SLOW in str(error):
                return Failure("timeout", f"compile: {error}")
            return Failure("compile_error", f"{error.kind}: {error}" if error.kind != "compile_error" else str(error))
        milliseconds = result.get("compile_ms")
        return float(milliseconds) if isinstance(milliseconds, (int, float)) and milliseconds >= 0 else 0.0

    def _worker(self) -> Worker:
        worker: Worker | None = getattr(self._local, "worker", None)
        if worker is None:
            worker = self._local.worker = self._new_worker()
            self._workers.append(worker)
        return worker
