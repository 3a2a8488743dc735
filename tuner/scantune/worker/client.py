"""The client of scantune-worker: one process, one JSON line each way (docs/worker-protocol.md).

A candidate can hang a kernel or poison the GPU context, so a worker is expendable: whatever goes wrong with the process
kills it, and the next request starts another.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

from scantune.errors import ScantuneError
from scantune.model.device import Device, Hello
from scantune.model.quantity import counted

_MAX_LINE_BYTES = 256 * 2**20
START_ATTEMPTS = 3
START_PAUSE_S = 0.5  # is multiplied by the attempt: a driver may need a moment after a crash
_START_TIMEOUT_S = 60.0
_ENDED = "the worker ended"
_WRONG_OPTIONS = " (exit code 2)"  # means that starting the worker again cannot help


class WorkerError(ScantuneError):
    """The worker refused the request and goes on; `kind` is that of the protocol."""

    def __init__(self, kind: str, message: str, fatal: bool = False) -> None:
        super().__init__(message)
        self.kind = kind
        self.fatal = fatal


class WorkerDied(ScantuneError):
    """The process is gone, killed by us or by itself. The next request starts a new one."""

    status = "crash"


class WorkerTimeout(WorkerDied):
    """The worker did not answer in time and was killed."""

    status = "timeout"


class WorkerUnavailable(ScantuneError):
    """No worker can be started, or it is not the one that answered at first: nothing can be searched."""


class Worker:
    """One worker process at a time. Belongs to one thread; only abort() may be called from others."""

    def __init__(self, command: Sequence[str], device: str, seed: int = 1, described: Device | None = None) -> None:
        """Prepare a worker, started by its first call. With a device `described` it opens none, and answers for it."""
        self.device = device
        self._introduction = {"device": vars(described)} if described else {}
        self._command = [*command, "--device", device, "--seed", str(seed)]
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: deque[str] = deque(maxlen=40)
        self._drain: threading.Thread | None = None
        self._buffer = bytearray()
        self._request_id = 0
        self._hello: Hello | None = None
        self._closed = False
        self.restarts = 0

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def abort(self) -> None:
        """Let the call in progress on another thread fail at once, and all later calls too."""
        self._closed = True
        if self._process:
            self._kill_group(self._process)

    def close(self) -> None:
        """Kill the process; later calls raise WorkerUnavailable."""
        self._closed = True
        self.kill()

    def hello(self) -> Hello:
        """Return what the worker says of itself, starting it if need be.

        Raises WorkerError (kind device_error) when its device is missing, WorkerUnavailable when it cannot be started.
        """
        self._ensure_started()
        assert self._hello
        return self._hello

    def call(self, method: str, params: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Return the result of one request.

        Raises WorkerError when the worker refuses, WorkerTimeout, WorkerDied when it ends or its answer is invalid, and
        WorkerUnavailable when it cannot be started.
        """
        self._ensure_started()
        return self._exchange(method, params, timeout_s)

    def kill(self) -> None:
        """End the process and what it started."""
        process, self._process = self._process, None
        if process is None:
            return
        self._kill_group(process)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()

    @staticmethod
    def _kill_group(process: subprocess.Popen[bytes]) -> None:
        # A compiler that the worker started has a process group of its own, and ends with the worker by itself. A
        # worker that was reaped is left alone, because its id may be another process's by now.
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)

    def _ensure_started(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        reason = ""
        for attempt in range(START_ATTEMPTS):
            if self._closed:
                raise WorkerUnavailable("the worker was closed")
            time.sleep(START_PAUSE_S * attempt)
            try:
                self._start()
                return
            except WorkerDied as error:
                reason = str(error)
            if _WRONG_OPTIONS in reason:
                break
        raise WorkerUnavailable(
            f"the worker did not start in {counted(attempt + 1, 'attempt')}; tried: {' '.join(self._command)}\n"
            f"{reason}\n'scantune doctor' says what is missing"
        )

    def _start(self) -> None:
        self.kill()
        self._buffer.clear()
        self._stderr.clear()
        try:
            # The worker gets a session of its own: Ctrl-C goes to the tuner, which saves and then ends its workers.
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise WorkerUnavailable(f"cannot run {self._command[0]}: {error.strerror}") from None
        if self._closed:
            self.kill()
            raise WorkerUnavailable("the worker was closed")
        self._drain = threading.Thread(target=self._read_stderr, args=(self._process,), daemon=True)
        self._drain.start()
        self._check_hello(self._exchange("hello", self._introduction, _START_TIMEOUT_S))

    def _check_hello(self, message: dict[str, Any]) -> None:
        try:
            hello = Hello.from_message(message)
        except ValueError as error:
            self.kill()
            raise WorkerDied(f"the worker's first answer is invalid: {error}") from None
        if self._hello is None:
            self._hello = hello
            return
        self.restarts += 1
        if hello != self._hello:
            self.kill()
            raise WorkerUnavailable(
                f"the worker was replaced while it was in use: it was {self._hello}, now it is {hello}; run again"
            )

    def _exchange(self, method: str, params: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        self._request_id += 1
        request = json.dumps({"id": self._request_id, "method": method, "params": params}).encode() + b"\n"
        deadline = time.monotonic() + timeout_s
        try:
            self._send(request, deadline)
            line = self._read_line(deadline)
            return self._result(line)
        except WorkerTimeout:
            self.kill()
            raise WorkerTimeout(f"{method} took longer than {timeout_s:.0f} s") from None
        except WorkerDied as error:
            ending = self._end_of_process() if str(error) == _ENDED else ""
            self.kill()
            raise WorkerDied(f"{error}{ending}{self._stderr_tail()}") from None
        except WorkerError as error:
            if error.fatal:
                self.kill()
            raise
        except BaseException:
            # After Ctrl-C between request and answer, the answer must not be taken for that of the next request.
            self.kill()
            raise

    def _send(self, request: bytes, deadline: float) -> None:
        stdin = self._pipes().stdin
        assert stdin
        os.set_blocking(stdin.fileno(), False)
        view = memoryview(request)
        with selectors.DefaultSelector() as selector:
            selector.register(stdin, selectors.EVENT_WRITE)
            while view:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise WorkerTimeout
                try:
                    view = view[os.write(stdin.fileno(), view) :]
                except BrokenPipeError:
                    raise WorkerDied(_ENDED) from None

    def _read_line(self, deadline: float) -> bytes:
        stdout = self._pipes().stdout
        assert stdout
        searched = 0
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while (end := self._buffer.find(b"\n", searched)) < 0:
                searched = len(self._buffer)
                if searched > _MAX_LINE_BYTES:
                    raise WorkerDied("the worker's answer has no end")
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise WorkerTimeout
                chunk = os.read(stdout.fileno(), 1 << 20)
                if not chunk:
                    raise WorkerDied(_ENDED)
                self._buffer += chunk
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _result(self, line: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            raise WorkerDied(f"the worker's answer is not JSON: {line[:120]!r}") from None
        # An error without an id is about the line: the worker could not tell which request it was.
        refuses_line = isinstance(answer, dict) and answer.get("id", 0) is None and answer.get("ok") is False
        if not isinstance(answer, dict) or not (refuses_line or answer.get("id") == self._request_id):
            raise WorkerDied(f"the worker's answer is not for request {self._request_id}: {line[:120]!r}")
        if answer.get("ok") is True and isinstance(answer.get("result"), dict):
            result: dict[str, Any] = answer["result"]
            return result
        error = answer.get("error")
        if answer.get("ok") is not False or not isinstance(error, dict):
            raise WorkerDied(f"the worker's answer has neither a result nor an error: {line[:120]!r}")
        raise WorkerError(str(error.get("kind")), str(error.get("message")), error.get("fatal") is True)

    def _pipes(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise WorkerDied("the worker was closed")
        return self._process

    def _end_of_process(self) -> str:
        """Return how a process that closed its pipes ended, for a message."""
        process = self._process
        if process is None:
            return ""
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        if self._drain:
            self._drain.join(timeout=1)
        code = process.returncode
        if code is None:
            return ""
        return f" (killed by {signal.Signals(-code).name})" if code < 0 else f" (exit code {code})"

    def _stderr_tail(self) -> str:
        lines = [line for line in self._stderr if line.strip()][-8:]
        return "".join(f"\n  {line}" for line in lines)

    def _read_stderr(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr
        with process.stderr as pipe:
            for line in pipe:
                self._stderr.append(line.decode(errors="replace").rstrip()[:400])
