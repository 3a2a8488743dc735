"""The doctor says what is there and what is missing, and ends with 1 where something is."""

from __future__ import annotations

import ctypes.util
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from command import ended_well, scantune_here
from scantune.cli.doctor import diagnose

pytestmark = pytest.mark.usefixtures("fake_worker_command")


def test_doctor_is_content_with_a_host_device() -> None:
    output = ended_well("doctor")
    assert re.search(r"ok +host device +Fake CPU \(host\).*compiled single_block", output)
    assert re.search(r"-- +GPU +libcuda.so.1 was not found", output) or Path("/proc/driver/nvidia/version").exists()


def test_doctor_ends_with_1_and_advice_when_something_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, faults: Callable[..., None]
) -> None:
    faults(compile_error={"method": "compile"})
    code, output = scantune_here("doctor")
    assert code == 1
    assert re.search(r"MISSING +host device .*does not compile: error: expected a ';'", output), output
    monkeypatch.setenv("SCANTUNE_WORKER", "/no/such/worker")
    assert "MISSING  worker" in scantune_here("doctor")[1]
    faults()
    bad = tmp_path / "bad.db"
    bad.write_text("nonsense")
    code, output = scantune_here("doctor", "--db", str(bad))
    assert code == 1
    assert "it is not an SQLite database" in output


def test_doctor_tells_of_a_cache_that_the_library_does_not_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    monkeypatch.setenv("SCANTUNE_CACHE", str(cache))

    def finding() -> tuple[str, str]:
        findings = {finding.subject: finding for finding in diagnose(tmp_path / "tuning.db", "host")}
        return findings["kernel cache"].verdict.name, findings["kernel cache"].text

    assert finding() == ("good", str(cache))
    cache.chmod(0o770)
    verdict, text = finding()
    assert verdict == "absent"
    assert text.startswith(f"{cache} is not used, because users other than its owner may write to it")
    if os.geteuid() == 0:
        cache.chmod(0o700)
        os.chown(cache, 12345, -1)
        assert "because it belongs to user 12345" in finding()[1]


def test_doctor_finds_the_nvrtc_of_a_conda_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "lib/libnvrtc.so.13"
    library.parent.mkdir()
    library.touch()
    monkeypatch.setattr(ctypes.util, "find_library", lambda _: None)
    for variable in ("SCANTUNE_NVRTC", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path))
    findings = {finding.subject: finding for finding in diagnose(tmp_path / "tuning.db", "host")}
    assert findings["NVRTC"].text.startswith(str(library))
