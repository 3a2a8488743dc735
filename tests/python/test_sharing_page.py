"""The week of a team that docs/sharing.md tells: its commands run as they stand there, in order."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from command import run_line
from conftest import FAKE_WORKER
from scantune.store.archive import Archive
from scantune.store.database import open_readonly

PAGE = Path(__file__).parents[2] / "docs" / "sharing.md"


def days() -> list[tuple[str, list[str]]]:
    """Return each day's place and commands."""
    week = PAGE.read_text(encoding="utf-8").partition("## A team's week")[2].partition("\n## ")[0]
    parts = re.split(r"\*\*(\w+day), in (\w+)\.\*\*", week)[1:]
    return [
        (place, [line.strip() for line in text.splitlines() if line.startswith("    ")])
        for _, place, text in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


def run(command: str, place: Path, environment: dict[str, str]) -> str:
    code, out, err = run_line(command, place, environment)
    assert code == 0, f"{command}: {out}{err}"
    return out


@pytest.fixture
def teams(tmp_path: Path) -> dict[str, tuple[Path, dict[str, str]]]:
    """Return two clones of one repository, each on a machine of its own, with the same GPU."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "scantune").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m scantune "$@"\n')
    (programs / "scantune").chmod(0o755)
    teams = {}
    common = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "SCANTUNE_WORKER": shlex.join(FAKE_WORKER)}
    common |= {"FAKE_WORKER_FAULTS": json.dumps({"gpu": "sm_90"}), "GIT_CONFIG_NOSYSTEM": "1"}
    run("git init -q --bare -b main origin.git", tmp_path, common)
    for city in ("Berlin", "Munich"):
        home = tmp_path / f"home-{city}"
        home.mkdir()
        environment = {**common, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
        environment |= {
            f"GIT_{role}_{what}": f"{city}@example.com"
            for role in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        run(f"git clone -q origin.git {city}", tmp_path, environment)
        run("git switch -q -c main", tmp_path / city, environment)
        teams[city] = (tmp_path / city, environment)
    berlin = tmp_path / "Berlin"
    run("ssh-keygen -q -t ed25519 -N '' -f release_key", berlin, common)
    key = (berlin / "release_key.pub").read_text()
    (berlin / "allowed_signers").write_text(f'release@example.com namespaces="scantune-records" {key}')
    return teams


@pytest.mark.timeout(300)
def test_the_week_of_a_team_goes_as_the_page_says(teams: dict[str, tuple[Path, dict[str, str]]]) -> None:
    week = days()
    assert [place for place, _ in week] == ["Berlin", "Munich", "Berlin", "Munich", "Berlin"]
    said = {}
    for place, commands in week:
        for command in commands:
            said[command] = run(command, *teams[place])
    assert "1 file changed, 1 insertion(+)" in said["git diff --stat"]
    assert "1 only in B" in said["scantune db diff before.jsonl records.jsonl"]
    assert "1 new winner" in said["scantune db import records.jsonl"]
    berlin = teams["Berlin"][0]
    with open_readonly(berlin / "everybody.db") as database:
        records = Archive(database).records()
    told = {dict(record.problem.members)["input_type"]: record.run.origin for record in records}
    assert {kind: origin and (origin.by, origin.signer) for kind, origin in told.items()} == {
        "i32": ("berlin", "release@example.com"), "i64": ("berlin", "release@example.com"),
        "f32": ("munich", "release@example.com"),
    }  # fmt: skip
