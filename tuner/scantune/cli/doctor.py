"""Checks everything that tuning needs, and says how to fix what is missing."""

from __future__ import annotations

import ctypes.util
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import typer

from scantune import __version__, paths
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DbOption, DeviceOption, JsonOption
from scantune.cli.terminal import console, reported_errors
from scantune.errors import ScantuneError, Status
from scantune.model.algorithm import DEFAULT_ALGORITHM
from scantune.model.device import HOST, Hello
from scantune.model.space import Space
from scantune.model.stated_problem import StatedProblem, Types
from scantune.report.listing import print_lines
from scantune.store.archive import Archive
from scantune.store.database import DatabaseError, open_database
from scantune.worker.client import Worker, WorkerDied, WorkerError
from scantune.worker.command import worker_command
from scantune.worker.device_choice import AUTO, FIRST_GPU, check_choice

_DRIVER_VERSION = Path("/proc/driver/nvidia/version")
_COMPILE_TIMEOUT_S = 60.0


class Verdict(Enum):
    good = "ok"
    absent = "--"  # not present and not needed
    missing = "MISSING"


@dataclass(frozen=True)
class Finding:
    subject: str
    verdict: Verdict
    text: str

    def message(self) -> dict[str, str]:
        """Return the finding for --json."""
        return {"subject": self.subject, "verdict": self.verdict.name, "text": self.text}


def doctor_command(db: DbOption = None, device: DeviceOption = None, json_: JsonOption = None) -> None:
    """Check worker, driver, NVRTC, GPU, cache and database. Exits with 1 if something needed is missing."""
    with reported_errors():
        output = JsonOutput.of(json_, "doctor")
        check_choice(AUTO, device)
        findings = diagnose(paths.database_path(db), device or FIRST_GPU)
        colours = {Verdict.good: "green", Verdict.absent: "yellow", Verdict.missing: "red"}
        for finding in findings:
            text = f"{finding.verdict.value:<7}  {finding.subject:<12}  {finding.text}"
            print_lines(console, text, colours[finding.verdict])
        is_well = not any(finding.verdict is Verdict.missing for finding in findings)
        output.write(ok=is_well, findings=[finding.message() for finding in findings])
        if not is_well:
            raise typer.Exit(Status.failed)


def diagnose(database: Path, device: str = "cuda:0") -> list[Finding]:
    """Return the findings, in the order in which tuning needs the things."""
    findings = [Finding("scantune", Verdict.good, f"{__version__}, Python {sys.version.split()[0]}")]
    try:
        command = worker_command()
        findings.append(Finding("worker", Verdict.good, " ".join(command)))
    except ScantuneError as error:
        command = []
        findings.append(Finding("worker", Verdict.missing, str(error)))
    findings += [_driver()]
    if command:
        findings += _devices(command, device)
    findings += [_nvrtc(findings), _cache(), _database(database)]
    return findings


def _driver() -> Finding:
    try:
        version = _DRIVER_VERSION.read_text().splitlines()[0]
    except (OSError, IndexError):
        return Finding("driver", Verdict.absent, "no NVIDIA driver is loaded; needed for a GPU only")
    return Finding("driver", Verdict.good, version)


def _devices(command: Sequence[str], device: str) -> Iterator[Finding]:
    if device == HOST:
        yield _device("host device", command, HOST)
        return
    gpu = _device("GPU", command, device)
    if gpu.verdict is Verdict.missing and not _DRIVER_VERSION.exists():
        gpu = Finding("GPU", Verdict.absent, f"{gpu.text.rstrip('.')}; 'scantune --arch host' tunes for the CPU")
    yield gpu
    yield _device("host device", command, HOST)


def _device(subject: str, command: Sequence[str], device: str) -> Finding:
    """Start a worker on the device and let it compile a small kernel."""
    with Worker(command, device) as worker:
        try:
            hello = worker.hello()
            config = _compile_default(worker)
        except (ScantuneError, ValueError) as error:
            return Finding(subject, Verdict.missing, str(error))
        return Finding(subject, Verdict.good, f"{_describe(hello)}; compiled {config}")


def _describe(hello: Hello) -> str:
    return f"{hello.device}, {hello.compiler_version}, driver {hello.driver_version}"


def _compile_default(worker: Worker) -> str:
    stated = StatedProblem(worker.hello().algorithms[DEFAULT_ALGORITHM], Types.parse("i32"))
    request = stated.request(1024)
    try:
        message = worker.call("space", {"request": request}, _COMPILE_TIMEOUT_S)
        config = Space.from_message(message, stated.algorithm.families).default
        worker.call("compile", {"request": request, "config": config.message()}, _COMPILE_TIMEOUT_S)
    except (WorkerError, WorkerDied) as error:
        raise ScantuneError(f"{worker.hello().device} is there, but a small kernel does not compile: {error}") from None
    return config.family


def _nvrtc(findings: Sequence[Finding]) -> Finding:
    gpu = next((finding for finding in findings if finding.subject == "GPU"), None)
    if gpu and gpu.verdict is Verdict.good:
        return Finding("NVRTC", Verdict.good, "compiled a kernel; see GPU")
    libraries = list(_nvrtc_libraries())
    if libraries:
        return Finding("NVRTC", Verdict.good, f"{libraries[0]} (not tried: no GPU)")
    advice = "not found; needed for a GPU only: install the CUDA toolkit, or 'pip install nvidia-cuda-nvrtc'"
    return Finding("NVRTC", Verdict.missing if _DRIVER_VERSION.exists() else Verdict.absent, advice)


def _nvrtc_libraries() -> Iterator[str]:
    """Yield the places where the worker looks for NVRTC too."""
    if os.environ.get("SCANTUNE_NVRTC"):
        yield os.environ["SCANTUNE_NVRTC"]
    if by_name := ctypes.util.find_library("nvrtc"):
        yield by_name
    roots = [("CUDA_HOME", "lib64"), ("CUDA_PATH", "lib64"), ("CONDA_PREFIX", "lib")]
    folders = [Path(os.environ[name], folder) for name, folder in roots if os.environ.get(name)]
    for folder in [*folders, Path("/usr/local/cuda/lib64")]:
        yield from sorted(map(str, folder.glob("libnvrtc.so*")))
    for site in map(Path, sys.path):
        yield from sorted(map(str, site.glob("nvidia/*/lib/libnvrtc.so*")))


def _cache() -> Finding:
    path = paths.cache_path()
    if path is None:
        return Finding("kernel cache", Verdict.absent, "SCANTUNE_CACHE is empty: every process recompiles its kernels")
    if reason := _untrusted_because(path):
        return Finding(
            "kernel cache", Verdict.absent,
            f"{path} is not used, because {reason}, and it holds code to run: kernels are recompiled by every "
            "process; make it writable for yourself only (chmod go-w), or name another directory with SCANTUNE_CACHE",
        )  # fmt: skip
    if _may_write(path):
        return Finding("kernel cache", Verdict.good, str(path))
    return Finding("kernel cache", Verdict.absent, f"{path} cannot be written: every process recompiles its kernels")


def _untrusted_because(path: Path) -> str:
    """Return why the library does not use a directory of kernels; an empty text if it does, or if it does not exist.

    runtime/support/ownership.h has the rule.
    """
    try:
        status = path.stat()
    except OSError:
        return ""
    if status.st_uid not in (os.geteuid(), 0):
        return f"it belongs to user {status.st_uid}"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "users other than its owner may write to it"
    return ""


def _may_write(path: Path) -> bool:
    while not path.exists() and path != path.parent:
        path = path.parent
    return path.is_dir() and os.access(path, os.W_OK)


def _database(path: Path) -> Finding:
    if not path.exists():
        if _may_write(path.parent):
            return Finding("database", Verdict.good, f"{path} (does not exist yet: the first run creates it)")
        return Finding(
            "database", Verdict.missing, f"{path}: its directory cannot be written; choose another with --db"
        )
    try:
        # It is opened for writing, which rolls back an interrupted change.
        with open_database(path) as database:
            database.check_pages()
            database.check_writable()
            archive = Archive(database)
            records = len(archive.records())
    except DatabaseError as error:
        return Finding("database", Verdict.missing, str(error))
    left_out = f"; {len(archive.left_out)} more are not valid: {archive.left_out[0]}" if archive.left_out else ""
    return Finding("database", Verdict.good, f"{path}, {records} records{left_out}")
