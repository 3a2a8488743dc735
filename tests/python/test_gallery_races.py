"""Kernels with a race in them, as the command shows them."""

from __future__ import annotations

from typing import Any

import pytest

from command import streams_here
from gallery_command import HOST, Faults, Requests, message

pytestmark = pytest.mark.usefixtures("fake_worker_command")


def test_race_is_told_with_the_schedule_that_shows_it(request_log: Requests) -> None:
    assert message("--races")["races_shown"] == [
        {"name": "racing", "family": "kogge_stone", "flaw": "no barrier", "n": 100, "schedules": 100, "wrong": 60,
         "wrong_of_family": 0, "seed": 3, "schedule": "seed 3 (1 resident CTA)",
         "fault": "item 2 should be 6, found 7"},
    ]  # fmt: skip
    code, out, err = streams_here("gallery", *HOST, "--races")
    assert code == 0, err
    for words in ("60 of 100", "0 of 100", "no barrier", "item 2 should be 6, found 7", "seed 3 (1 resident CTA)"):
        assert words in out, out
    assert {one["method"] for one in request_log()} <= {"hello", "races"}


def test_gpu_is_refused(faults: Faults, request_log: Requests) -> None:
    faults(gpu="sm_90")
    code, _, err = streams_here("gallery", "--races")
    assert code == 2
    assert "--races needs random schedules" in err
    assert "add --device host" in err
    assert {one["method"] for one in request_log()} == {"hello"}


@pytest.mark.parametrize("race", [{"wrong": 0, "first": None}, {"wrong_of_family": 1}])
def test_race_that_is_not_told_from_its_family_is_a_failure(faults: Faults, race: dict[str, Any]) -> None:
    faults(race=race)
    code, out, err = streams_here("gallery", *HOST, "--races")
    assert code == 1
    assert "racing: no difference to the family without the race" in err
    assert "racing" in out


@pytest.mark.parametrize(
    "race", [{"name": 1}, {"wrong": "60"}, {"wrong": -1}, {"first": None}, {"first": {"seed": "3"}}]
)
def test_race_that_is_none_is_not_believed(faults: Faults, race: dict[str, Any]) -> None:
    faults(race=race)
    code, _, err = streams_here("gallery", *HOST, "--races")
    assert code == 1
    assert "a race is {" in err


def test_kernels_with_a_race_are_no_families() -> None:
    for name in ("one_barrier", "tree_without_barriers", "warp_without_barriers"):
        for command in (["gallery", "--families", name], ["tune", "--family", name], ["bench", "--config", name]):
            code, _, err = streams_here(*command, *HOST, "--n", "2^9")
            assert code == 2, err
            assert name in err


@pytest.mark.parametrize(
    "other", [["--tune"], ["--table", "1"], ["--families", "kogge_stone"], ["--n", "2^9"], ["--when"]]
)
def test_races_go_with_no_other_option(other: list[str]) -> None:
    code, _, err = streams_here("gallery", *HOST, "--races", *other)
    assert code == 2
    assert f"--races runs kernels of its own: leave out {other[0]}" in err
