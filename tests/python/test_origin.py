"""The origin of a record: kept with its run, and told in words that are safe to print."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from examples import RECORDS, RUNS
from scantune.model.origin import Origin, fitting
from scantune.model.record import Run

BERLIN = Origin("ada", "berlin.db", RUNS[1].digest)


def test_run_keeps_an_origin_beside_its_policy() -> None:
    exported = RUNS[1].with_origin(BERLIN)
    assert exported.origin == BERLIN
    assert json.loads(exported.policy)["trials"] == 64
    assert exported.with_origin(None) == RUNS[1]
    assert RUNS[1].origin is None


def test_run_of_another_origin_is_the_same_measurement_and_another_time_is_not() -> None:
    record = RECORDS[2]
    exported = replace(record, run=record.run.with_origin(BERLIN))
    assert exported != record
    assert exported.is_measured_as(record)
    assert record.is_measured_as(exported)
    assert not replace(exported, median_us=1.0).is_measured_as(record)
    assert not exported.is_measured_as(replace(record, run=replace(record.run, seed=5)))


def test_digest_tells_invocations_and_not_their_records() -> None:
    run = RUNS[1]
    same = [run.of_templates("c" * 64), run.cut_short(), run.may_gain_more(0.5), run.with_origin(BERLIN)]
    assert {one.digest for one in same} == {run.digest}
    others = [replace(run, seed=2), replace(run, policy='{"trials":65}'), replace(run, driver_version="1")]
    assert len({one.digest for one in [run, *others]}) == 4
    assert len(run.digest) == 12


@pytest.mark.parametrize(
    "message",
    [
        None, [], {}, {"by": "ada", "file": "a.db"}, {"by": "ada", "file": "", "run": "1"},
        {"by": 1, "file": "a", "run": "1"},
        {"by": "a\nb", "file": "a.db", "run": "1"}, {"by": "a\x1b[31m", "file": "a.db", "run": "1"},
        {"by": "a" * 65, "file": "a.db", "run": "1"}, {"by": "", "file": "a.db", "run": "1", "signer": "s" * 129},
    ],
)  # fmt: skip
def test_what_is_no_origin_is_none(message: Any) -> None:
    assert replace(RUNS[0], policy=json.dumps({"origin": message})).origin is None


def test_member_of_a_later_version_costs_no_origin() -> None:
    policy = json.dumps({"origin": {**BERLIN.message(), "city": "Berlin"}})
    assert replace(RUNS[0], policy=policy).origin == BERLIN


@pytest.mark.parametrize("policy", ["", "[]", "no JSON", '{"a":' * 2000, json.dumps({"a": "b" * 4080})])
def test_policy_that_takes_no_origin_says_so(policy: str) -> None:
    with pytest.raises(ValueError, match=r"policy|JSON|Expecting"):
        replace(RUNS[0], policy=policy).with_origin(BERLIN)


def test_longest_origin_of_the_widest_letters_fits_beside_a_tuner_s_policy() -> None:
    wide = {name: fitting(200 * "ü", name) for name in ("by", "file", "run", "host", "signer")}
    run = Run(**{**vars(RUNS[1]), "policy": json.dumps({"trials": "x" * 1000})})
    assert run.with_origin(Origin(**wide)).origin == Origin(**wide)
    assert fitting("a\tb\n", "by") == "ab"


def test_words_name_the_signer_that_was_verified() -> None:
    assert str(BERLIN) == f"exported by ada from berlin.db (run {RUNS[1].digest})"
    signed = replace(BERLIN, by="", signer="ops@example.org")
    assert str(signed) == f"exported from berlin.db (run {RUNS[1].digest}), signed by ops@example.org"
