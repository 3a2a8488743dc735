"""Commands about GPUs that are not here."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command import ended_well, scantune_here, streams_here
from scantune.errors import UsageError
from scantune.model.device import Device
from scantune.worker.named_device import named_device

pytestmark = pytest.mark.usefixtures("fake_worker_command")

EXPLAIN = ["db", "explain", "--type", "i32", "--n", "2^12"]
FAR = {"arch": "sm_90", "name": "Far GPU", "sm_count": 132}
KNOWN = [Device("sm_90", "Twin", 132), Device("sm_90", "Twin", 114), Device("sm_90", "NVIDIA H200", 132)]


def introductions(requests: list[dict[str, Any]]) -> list[Any]:
    return [request.get("device") for request in requests if request["method"] == "hello"]


def test_explain_answers_for_a_gpu_by_its_name(request_log: Callable[[], list[dict[str, Any]]]) -> None:
    code, out, err = streams_here(*EXPLAIN, "--device", "far gpu", "--json", "-")
    assert code == 0, err
    assert json.loads(out)["device"] == FAR
    assert introductions(request_log())[-1] == FAR
    assert "no GPU can be used" not in err


def test_explain_answers_for_a_gpu_that_no_record_is_known_of() -> None:
    told = ["--device", "NVIDIA GB10", "--arch", "sm_121", "--sm-count", "48", "--json", "-"]
    code, out, err = streams_here(*EXPLAIN, *told)
    assert code == 0, err
    assert json.loads(out)["device"] == {"arch": "sm_121", "name": "NVIDIA GB10", "sm_count": 48}


def test_explain_lists_the_known_gpus_where_the_name_is_none_of_them() -> None:
    code, output = scantune_here(*EXPLAIN, "--device", "Near GPU")
    assert code == 2, output
    assert "no device of this machine and none that is known; tell --arch and --sm-count too" in output
    assert "Far GPU (sm_90, 132 SMs)" in output
    code, output = scantune_here(*EXPLAIN, "--arch", "sm_90")
    assert code == 2, output
    assert "a GPU that is not in this machine, name it" in output


def test_name_of_several_devices_needs_the_count_of_sms() -> None:
    with pytest.raises(UsageError, match="more than one device that is known"):
        named_device("twin", "auto", None, lambda: KNOWN)
    assert named_device("twin", "auto", 114, lambda: KNOWN) == KNOWN[1]
    for name in ("nvidia h200", "H200"):
        assert named_device(name, "sm_90", None, lambda: KNOWN) == KNOWN[2]
    twins = [Device("sm_90", "NVIDIA Twin", 132), Device("sm_90", "NVIDIA Twin NVL", 132)]
    with pytest.raises(UsageError, match="more than one device that is known; tell its whole name"):
        named_device("twin", "sm_90", 132, lambda: twins)
    with pytest.raises(UsageError, match="is not an architecture"):
        named_device("x", "sm90", 4, lambda: KNOWN)


def test_part_of_a_name_with_the_count_of_sms_means_the_known_device() -> None:
    variants = [Device("sm_90", "NVIDIA H200", 132), Device("sm_90", "NVIDIA H200", 114)]
    assert named_device("H200", "sm_90", 132, lambda: variants) == variants[0]
    assert named_device("H200", "sm_90", 78, lambda: variants) == Device("sm_90", "H200", 78)


def test_show_lists_what_comes_with_the_library_by_its_departures() -> None:
    output = ended_well("db", "show", "--built-in", "--device", "far")
    assert "Far GPU (sm_90, 132 SMs)" in output
    assert "lookback layout=direct\n" in output
    assert "1 winner in the library" in output
    output = ended_well("db", "show", "--built-in", "--device", "Near GPU")
    assert "0 winners in the library" in output
    assert "it has winners of Far GPU (sm_90, 132 SMs)" in output


def test_show_tells_every_value_where_there_is_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    db = str(tmp_path / "my.db")
    assert scantune_here("--arch", "host", "--type", "i32", "--n", "2^14", "--workers", "1", "--db", db)[0] == 0
    with_worker = scantune_here("db", "show", "--db", db)[1]
    monkeypatch.setenv("SCANTUNE_WORKER", "/no/such/worker")
    without = ended_well("db", "show", "--db", db)
    assert "what departs from the family's default" in with_worker
    assert "what departs" not in without
    assert "block_threads=" in without
    assert "items_per_thread=" in without
