"""The paths where files are looked for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scantune
from scantune import paths
from scantune.errors import ScantuneError
from scantune.worker.command import worker_command


def test_database_is_the_option_then_the_variable_then_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert paths.database_path() == tmp_path / "data" / "scantune" / "tuning.db"
    monkeypatch.setenv("SCANTUNE_DB", "/elsewhere/own.db")
    assert paths.database_path() == Path("/elsewhere/own.db")
    assert paths.database_path(Path("/option.db")) == Path("/option.db")


def test_tilde_in_a_variable_is_no_home_directory_as_in_the_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_DB", "~/own.db")
    monkeypatch.setenv("SCANTUNE_CACHE", "~/cache")
    assert paths.database_path() == Path("~/own.db")
    assert paths.cache_path() == Path("~/cache")


def test_relative_xdg_directory_is_ignored_as_the_specification_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert paths.database_path() == tmp_path / "home" / ".local" / "share" / "scantune" / "tuning.db"


def test_empty_cache_variable_means_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.cache_path() == tmp_path / "cache" / "scantune"
    monkeypatch.setenv("SCANTUNE_CACHE", "")
    assert paths.cache_path() is None


def test_installed_package_carries_its_sql(tmp_path: Path) -> None:
    """A wheel holds db/ within the package, where no checkout is around it."""
    package = tmp_path / "site" / "scantune"
    shutil.copytree(Path(scantune.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    if not (package / "db").exists():
        shutil.copytree(paths.sql_directory(), package / "db")
    program = (
        "from scantune.store.schema import sql; from scantune import paths; print(paths.sql_directory()); sql('schema')"
    )
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(package.parent)!r}); {program}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=40)
    assert result.stdout.strip() == str(package / "db"), result.stderr


def test_worker_is_the_variables_command_with_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCANTUNE_WORKER", f"{sys.executable} 'with space' -x")
    assert worker_command() == [sys.executable, "with space", "-x"]


def test_worker_is_found_on_the_path_or_its_absence_lists_the_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "checkout", lambda: tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ScantuneError, match=r"(?s)build/runtime/scantune-worker.*SCANTUNE_WORKER"):
        worker_command()
    program = tmp_path / "bin" / "scantune-worker"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert worker_command() == [str(program)]
    built = tmp_path / "build" / "runtime" / "scantune-worker"
    built.parent.mkdir(parents=True)
    shutil.copy(program, built)
    assert worker_command() == [str(built)]
