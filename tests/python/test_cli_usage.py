"""Wrong arguments of a command are reported at once, before any worker is started or file written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command import ended_well, scantune_here, streams_here

pytestmark = pytest.mark.usefixtures("fake_worker_command")

Requests = Callable[[], list[dict[str, Any]]]
EXPLAIN = ["db", "explain", "--type", "i32", "--n", "2^10"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--device", "all"], "--device all: not a device of this machine; write cuda:0"),
        (["bench", "--device", "cuda:x"], "--device cuda:x: not a device"),
        (["doctor", "--device", "gpu"], "--device gpu: not a device"),
        (["--arch", "sm90"], "--arch sm90: not an architecture; write sm_90"),
        (["regret", "--arch", "hopper"], "--arch hopper: not an architecture"),
        (["--arch", "sm_90", "--device", "host"], "contradict each other"),
        (["--arch", "host", "--device", "cuda:0"], "contradict each other"),
        (["--n", "many"], "'many' is not a size"),
        (["bench", "--n", "2^8..2^4"], "is not a range"),
        (["regret", "--n", "2^8"], "no size is between"),
        (["--budget", "soon"], "'soon' is not a duration"),
        (["--budget", ""], "'' is not a duration"),
        (["--type", "i32,"], "has an empty part"),
        (["bench", "--op", "sum:mine"], "only a custom operator has a name"),
        (["--operator", "/no/such/file.cu", "--name", "a", "--type", "f32"], "cannot be read"),
        (["bench", "--json", "/no/such/folder/x.json"], "there is no folder /no/such/folder"),
        (["db", "show", "--json", "/"], "is a folder"),
        (["db", "show", "--type", "i33"], "'i33' is not a value type"),
        (["db", "show", "--arch", "sm90"], "not an architecture"),
        (["db", "show", "--built-in", "--db", "x.db"], "contradict each other"),
        (["db", "explain", "--type", "i32"], "needs --type and --n"),
        ([*EXPLAIN, "--db", "/no/such.db"], "--db /no/such.db: no such file"),
        (["bench", "--db", "/no/such.db"], "--db /no/such.db: no such file"),
        (["regret", "--db", "/no/such.db"], "--db /no/such.db: no such file"),
        ([*EXPLAIN, "--sm-count", "132"], "without naming it"),
        ([*EXPLAIN, "--device", "Far GPU", "--arch", "sm90"], "not an architecture"),
        (["db", "export", "-", "--json", "-"], "only one of FILE and --json can be -"),
        (["cache", "limit", "plenty"], "'plenty' is not a number of bytes; write 500M"),
    ],
)
def test_usage_error_ends_with_2_before_a_worker_is_started(
    arguments: list[str], words: str, request_log: Requests, tmp_path: Path
) -> None:
    code, out, err = streams_here(*arguments)
    assert code == 2, err
    assert re.search(words, err), err
    assert out == ""
    assert request_log() == []
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--latency", "Fast!"], "--latency 'Fast!': not a name"),
        (["bench", "--latency"], "Option '--latency' requires an argument"),
        (["bench", "--latncy", "isolated"], "No such option: --latncy"),
        (["regret", "--weather=rain"], "No such option: --weather"),
    ],
)
def test_members_of_the_problem_are_the_workers_to_name(
    arguments: list[str], words: str, request_log: Requests, tmp_path: Path
) -> None:
    code, out, err = streams_here(*arguments)
    assert code == 2, err
    assert re.search(words, err), err
    assert out == ""
    assert [request["method"] for request in request_log()] == ["hello"]
    assert not (tmp_path / "data").exists()


def test_help_tells_the_members_that_the_worker_knows() -> None:
    code, out, _ = streams_here("bench", "--help")
    assert code == 0
    assert "--forward-progress in_order|documented: in_order unless given" in " ".join(out.split())


def test_what_only_the_worker_can_refuse_starts_each_worker_once(request_log: Requests) -> None:
    code, output = scantune_here("--type", "string")
    assert code == 2, output
    hellos = [request["pid"] for request in request_log() if request["method"] == "hello"]
    assert len(hellos) == 2, "one for the GPU that is not there, one for the host"


def test_worker_that_refuses_its_options_is_not_started_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program, starts = tmp_path / "picky", tmp_path / "starts"
    program.write_text(f"#!/bin/sh\necho >> {starts}\necho 'there is no option --seed' >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setenv("SCANTUNE_WORKER", str(program))
    code, output = scantune_here("bench", "--arch", "host", "--n", "8", "--type", "i32")
    assert code == 1
    assert "there is no option --seed" in output
    assert "in 1 attempt;" in output
    assert starts.read_text() == "\n"


def test_budget_that_does_not_suffice_ends_with_4_where_all_is_required() -> None:
    small = ["--arch", "host", "--type", "i32", "--workers", "1", "--require-complete"]
    code, output = scantune_here(*small, "--n", "2^12,2^14,2^16", "--budget", "0.1s")
    assert code == 4, output
    assert "run again" in output
    output = ended_well(*small, "--n", "2^12")


def test_bench_of_what_cannot_be_timed_ends_with_1(faults: Callable[..., None]) -> None:
    faults(wrong_result={"method": "verify"})
    code, out, err = streams_here("bench", "--arch", "host", "--type", "i32", "--n", "2^12", "--json", "-")
    assert code == 1, err
    assert "some cases could not be timed" in err
    assert json.loads(out)["results"][0]["failure"]["status"] == "wrong_result"
