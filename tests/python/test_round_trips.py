"""Configs, problems, trials and records are read as they were written."""

from __future__ import annotations

import json

import pytest

from conftest import rows
from examples import CONFIGS, DEVICES, MEASUREMENTS, PROBLEMS, RECORDS, RUNS, TRIALS, scan
from scantune.model.config import Config
from scantune.model.device import Device
from scantune.model.measurement import Measurement
from scantune.model.problem import Problem
from scantune.model.record import Record
from scantune.model.stated_problem import Types
from scantune.model.trial import Trial
from scantune.store.archive import Archive
from scantune.store.database import Database


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_config_survives_the_protocol_and_a_row(config: Config) -> None:
    assert Config.from_message(json.loads(json.dumps(config.message()))) == config
    assert Config.from_row(config.family, config.text) == config


def test_config_text_is_compact_json_in_the_order_of_the_table() -> None:
    assert CONFIGS[1].text == '{"window":8,"layout":"warp_transposed","poll_delay_ns":0}'


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_request_names_everything_the_problem_is(problem: Problem) -> None:
    request = json.loads(json.dumps(problem.request(77)))
    assert (request.pop("algorithm"), request.pop("n")) == (problem.algorithm, 77)
    assert tuple(request.items()) == problem.members


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_problem_comes_back_from_its_columns(problem: Problem) -> None:
    assert Problem.from_row(problem.columns) == problem


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"algorithm": "the median"}, "the algorithm is 'the median', which is not a token"),
        ({"algorithm": None}, "the algorithm is None"),
        ({"shape": "segments=10"}, "Expecting value"),
        ({"shape": '{"rows": 10}'}, "the shape is .* not spelled"),
        ({"shape": '{"rows":64}'}, "the shape is .* not spelled"),
        ({"shape": '{"rows":1.3}'}, "the shape is .* not spelled"),
        ({"shape": '{"rows":1.0}'}, "the shape is .* not spelled"),
        ({"shape": "{}"}, "the shape is '{}', which is not spelled"),
        ({"shape": None}, "the shape is not a short text"),
        ({"request": None}, "not a short text"),
        ({"request": "i32"}, "Expecting value"),
        ({"request": "[]"}, "not an object"),
        ({"request": 1020 * "["}, "nested too deeply|Expecting value"),
        ({"request": '{"input_type": "i32"}'}, "not spelled as tuners spell it"),
        ({"request": '{"input_type":7}'}, "input_type: 7 is not a token"),
        ({"request": '{"input type":"i32"}'}, "'input type' is not a member"),
        ({"request": 2000 * " " + "{}"}, "not a short text"),
    ],
)
def test_columns_that_no_tuner_writes_are_refused(columns: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Problem.from_row({**scan("i32").columns, **columns})


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_types_are_printed_as_the_command_line_takes_them(problem: Problem) -> None:
    types = Types.parse(str(problem).split()[0])
    assert types.cover(problem)
    assert str(types) == str(problem).split()[0]


@pytest.mark.parametrize("measurement", MEASUREMENTS, ids=str)
def test_measurement_survives_the_protocol(measurement: Measurement) -> None:
    assert Measurement.from_message(json.loads(json.dumps(vars(measurement)))) == measurement


@pytest.mark.parametrize("device", DEVICES, ids=str)
@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: str(trial.config))
def test_trial_survives_the_database(database: Database, device: Device, trial: Trial) -> None:
    session = Archive(database).start(RUNS[0], device)
    session.save_trial(PROBLEMS[2], 1000, trial, is_default=True)
    (read,) = session.trials(PROBLEMS[2], 1000)
    assert (read.config, read.measurement, read.failure) == (trial.config, trial.measurement, trial.failure)
    (row,) = rows(database, "all_trials")
    assert (row["compile_ms"], row["is_default"], row["template_hash"]) == (trial.compile_ms, 1, RUNS[0].template_hash)


def test_records_survive_the_database(database: Database) -> None:
    for record in RECORDS:
        Archive(database).start(record.run, record.device).save_record(record)
    assert sorted(map(str, Archive(database).records())) == sorted(map(str, RECORDS))


def test_a_second_record_of_a_key_replaces_the_first(database: Database) -> None:
    first, second = RECORDS[0], Record(**{**vars(RECORDS[0]), "config": CONFIGS[0], "median_us": 1.0})
    for record in (first, second):
        Archive(database).start(record.run, record.device).save_record(record)
    assert Archive(database).records() == [second]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("look back", "{}"),
        ("lookback; DROP TABLE record", "{}"),
        ("lookback", "[]"),
        ("lookback", "{"),
        ("lookback", '{"a": 1.5}'),
        ("lookback", '{"a": true}'),
        ("lookback", '{"a": null}'),
        ("lookback", '{"a": "system(\\"x\\")"}'),
        ("lookback", '{"a": 2147483648}'),
        ("lookback", '{"A b": 1}'),
        ("lookback", '{"a": NaN}'),
        ("lookback", "[" * 3000),
        ("lookback", '{"a": "' + "x" * 5000 + '"}'),
        (None, "{}"),
        ("lookback", None),
        ("lookback", b"{}"),
    ],
)
def test_config_of_a_row_is_refused_unless_it_is_integers_and_tokens(family: object, text: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Config.from_row(family, text)
