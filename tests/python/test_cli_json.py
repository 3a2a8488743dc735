"""Output of commands for programs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from command import scantune_here, streams_here
from scantune.cli.app import app
from scantune.cli.standard_file import output_file
from scantune.errors import ScantuneError

pytestmark = pytest.mark.usefixtures("fake_worker_command")

PROBLEM = ["--arch", "host", "--type", "i32", "--n", "2^12"]
SELECTED = {"problem", "n", "origin", "reason", "record", "config", "departures"}
WINNER = {
    "device", "problem", "n", "serves", "config", "departures", "median_us", "spread", "default_us", "ceiling_us",
    "probes", "finished_at", "may_gain", "effort", "cut_short", "tool_version", "template_hash", "compiler_version",
    "driver_version", "origin",
}  # fmt: skip
DEVICE = {"arch": "host", "name": "Fake CPU", "sm_count": 8}


@pytest.fixture
def tuned(tmp_path: Path) -> str:
    """Return a database with one winner."""
    db = str(tmp_path / "my.db")
    assert scantune_here(*PROBLEM, "--workers", "1", "--db", db)[0] == 0
    return db


def on_standard_output(*arguments: str) -> dict[str, Any]:
    """Run a command with --json -, and check that standard output holds JSON and nothing else."""
    code, out, err = streams_here(*arguments, "--json", "-")
    assert code == 0, err
    message: dict[str, Any] = json.loads(out)
    assert {"command", "scantune", "date"} <= message.keys()
    assert err
    return message


def commands(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield prefix + name, command


def test_every_command_takes_json_and_its_keys_are_documented() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "tuning.md").read_text().partition("## For programs")[2]
    found = dict(commands(get_command(app)))
    assert len(found) >= 11
    for name, command in found.items():
        assert "--json" in {option for parameter in command.params for option in parameter.opts}, name
        assert f"\n{name} " in documented or f"\n{name.split()[0]} ... " in documented, name


def test_tune_tells_its_winners_and_whether_it_is_complete(tmp_path: Path) -> None:
    options = ["--type", "i32", "--n", "2^12,2^13", "--workers", "1", "--db", str(tmp_path / "my.db"), "--portfolio"]
    message = on_standard_output("tune", "--arch", "host", *options)
    assert message["command"] == "tune"
    assert message["device"] == DEVICE
    assert message["complete"] is True
    assert [one["n"] for one in message["winners"]] == [2**12, 2**13]
    assert message["winners"][0].keys() == WINNER
    assert {"breakpoints", "without_winner", "cells", "seconds"} <= message.keys()


def test_tune_tells_what_the_budget_left(tmp_path: Path) -> None:
    options = ["--type", "i32", "--n", "2^12,2^14,2^16", "--budget", "0.1s", "--db", str(tmp_path / "my.db")]
    message = on_standard_output("--arch", "host", *options)
    assert message["complete"] is False
    assert len(message["cells"]) == 3
    assert {cell["way"] for cell in message["cells"]} <= {"cut_short", "left"}
    assert message["cells"][0]["problem"]["op"] == "sum"


def test_bench_and_regret_tell_their_results() -> None:
    message = on_standard_output("bench", *PROBLEM)
    assert message["device"] == DEVICE
    assert message["results"][0].keys() >= {*SELECTED, "median_us", "gigabytes_per_second", "failure"}
    message = on_standard_output("regret", *PROBLEM, "--n", "2^14", "--samples", "1", "--trials", "0")
    assert message["results"][0].keys() >= {*SELECTED, "ratio", "best", "selected_us", "best_us", "error"}


def test_database_commands_tell_their_results(tuned: str, tmp_path: Path) -> None:
    message = on_standard_output("db", "show", "--db", tuned)
    assert message["source"] == tuned
    assert message["winners"][0].keys() == WINNER
    assert message["breakpoints"] == []
    for command in (["explain"], ["db", "explain"]):
        message = on_standard_output(*command, *PROBLEM)
        assert message["command"] == " ".join(command)
        assert message["device"] == DEVICE
        assert message["results"][0].keys() == {*SELECTED, "probes", "runner_up", "tried_next"}
        assert message["results"][0]["runner_up"].keys() == SELECTED
        assert message["results"][0]["tried_next"] is None
        assert message["rejected"] == [{"row": "i32 sum n=256", "reason": "unknown family"}]
    file = str(tmp_path / "export.db")
    message = on_standard_output("db", "export", file, "--db", tuned)
    assert (message["file"], message["winners"], message["built_in"]) == (file, 1, False)
    message = on_standard_output("db", "import", file, "--db", str(tmp_path / "other.db"))
    assert (message["new_winners"], message["kept_winners"], message["rejected"]) == (1, 0, 0)


def test_doctor_tells_its_findings() -> None:
    message = on_standard_output("doctor")
    assert message["ok"] is True
    found = {one["subject"]: one["verdict"] for one in message["findings"]}
    assert found["host device"] == "good"
    assert set(found.values()) <= {"good", "absent", "missing"}


def test_only_what_fails_in_copying_is_laid_to_the_program_at_the_other_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PermissionError), output_file(Path("-")):
        raise PermissionError(13, "Permission denied", "records.db")

    def broken(*_: object) -> None:
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr(shutil, "copyfileobj", broken)
    with (
        pytest.raises(ScantuneError, match="Broken pipe; has the reading program ended"),
        output_file(Path("-")) as written,
    ):
        written.write_text("{}")


def test_file_is_replaced_as_a_whole_and_a_link_to_it_stays(tmp_path: Path, tuned: str) -> None:
    file, link = tmp_path / "show.json", tmp_path / "link.json"
    file.write_text("old")
    link.symlink_to(file)
    assert scantune_here("db", "show", "--db", tuned, "--json", str(link))[0] == 0
    assert link.is_symlink()
    assert json.loads(file.read_text())["command"] == "db show"
    assert list(tmp_path.glob("*.part")) == []


def test_pipe_is_written_once(tmp_path: Path) -> None:
    script = f"{sys.executable} -m scantune bench {' '.join(PROBLEM)} --n 2^13 --json >(cat) 2>&1 >/dev/null | cat"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=50)
    text = done.stdout[done.stdout.index("{") :]
    assert len(json.loads(text)["results"]) == 2, done.stdout
