"""The comparison with other libraries' cumulative sums, without any of them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import peers
import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / os.environ.get("BUILD", "build") / "runtime" / "libscantune.so"


class Clock:
    """A clock that moves only when a scan runs."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.order: list[str] = []

    def scan(self, name: str, seconds: float, calls: int = 1) -> peers.Scan:
        def call() -> None:
            self.order.append(name)
            self.seconds += seconds

        return peers.Scan(call, lambda: None, lambda: np.zeros(1), calls)


def peer(answer: peers.Array) -> tuple[peers.Peer, peers.Scan]:
    scan = peers.Scan(lambda: None, lambda: None, lambda: answer)
    return peers.Peer("a peer", "1.0", lambda items: scan), scan


def test_times_are_those_of_one_scan_whatever_a_call_holds() -> None:
    clock = Clock()
    scans = {"one": clock.scan("one", 1e-3), "graph": clock.scan("graph", 32e-3, calls=32)}
    times = peers.race(scans, rounds=3, round_ms=100, clock=lambda: clock.seconds)
    assert times["one"].median_us == pytest.approx(1000)
    assert times["graph"].median_us == pytest.approx(1000)
    assert times["one"].spread == pytest.approx(0, abs=1e-9)


def test_peers_take_turns_in_every_round() -> None:
    clock = Clock()
    scans = {name: clock.scan(name, 1.0) for name in ("one", "other")}
    peers.race(scans, rounds=3, round_ms=1, clock=lambda: clock.seconds)
    assert clock.order[-6:] == ["one", "other"] * 3


def test_spread_is_the_interquartile_range_over_the_median() -> None:
    assert peers.Time.of([10, 20, 30, 40, 50]) == peers.Time(30, 20 / 30)


def test_what_is_missing_is_named_and_the_others_stay() -> None:
    def missing() -> list[peers.Peer]:
        raise peers.Missing("torch sees no GPU")

    found, reasons = peers.found_peers([missing, lambda: [peer(np.zeros(1))[0]]])
    assert [one.name for one in found] == ["a peer"]
    assert reasons == ["torch sees no GPU"]


def test_wrong_results_are_not_timed() -> None:
    items = np.arange(100, dtype=np.int32)
    right = np.cumsum(items, dtype=np.int32)
    peers.check(*_checked(items, right))
    with pytest.raises(ValueError, match="a peer is wrong for 100 items of int32"):
        peers.check(*_checked(items, right + np.int32(1)))


def test_floating_point_sums_may_round_but_no_more() -> None:
    items = np.full(1000, 0.1, dtype=np.float32)
    right = np.cumsum(items, dtype=np.float64).astype(np.float32)
    peers.check(*_checked(items, right * np.float32(1 + 1e-6)))
    with pytest.raises(ValueError, match="wrong"):
        peers.check(*_checked(items, right * np.float32(1.01)))


def test_scans_are_closed_also_when_one_of_them_is_wrong() -> None:
    closed: list[str] = []

    def peer_of(name: str, error: int) -> peers.Peer:
        def prepare(items: peers.Array) -> peers.Scan:
            answer = np.cumsum(items, dtype=items.dtype) + items.dtype.type(error)
            return peers.Scan(lambda: None, lambda: None, lambda: answer, close=lambda: closed.append(name))

        return peers.Peer(name, "1.0", prepare)

    peers.compare([peer_of("one", 0)], "i32", 4, rounds=2, round_ms=1e-3)
    assert closed == ["one"]
    with pytest.raises(ValueError, match="other is wrong"):
        peers.compare([peer_of("one", 0), peer_of("other", 1)], "i32", 4, rounds=2, round_ms=1e-3)
    assert closed == ["one", "other", "one"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--types", "i32,i7"], "'i7' is none of i32, i64, f32, f64"),
        (["--sizes", "10,2^12"], "'2\\^12' is no exponent of 2 from 0 to 34"),
        (["--sizes", "99"], "'99' is no exponent"),
        (["--rounds", "1"], "'1' is no number from 2 on"),
        (["--round-ms", "nan"], "'nan' is no positive number of milliseconds"),
    ],
)
def test_wrong_arguments_are_refused_with_a_reason(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        peers.main(arguments)
    assert re.search(reason, capsys.readouterr().err)


def _checked(items: peers.Array, answer: peers.Array) -> tuple[peers.Peer, peers.Array, peers.Scan]:
    one, scan = peer(answer)
    return one, items, scan


@pytest.mark.skipif(not LIBRARY.exists(), reason=f"there is no {LIBRARY}; build it first")
def test_scantune_is_called_through_its_c_interface(tmp_path: Path) -> None:
    command = [
        sys.executable, str(ROOT / "tests" / "bench" / "peers.py"), "--library", str(LIBRARY), "--types", "i32,f32",
        "--sizes", "10", "--rounds", "2", "--round-ms", "1", "--json", str(tmp_path / "peers.json"),
    ]  # fmt: skip
    environment = {**os.environ, "SCANTUNE_DEVICE": "host"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=50)
    assert ran.returncode == 0, ran.stderr
    assert "i32 2^10: scantune" in ran.stdout
    message = json.loads((tmp_path / "peers.json").read_text())
    assert [result["type"] for result in message["results"]] == ["i32", "f32"]
    assert message["results"][0]["times"]["scantune"]["us"] > 0
