"""The meaning of rows that were written before a parameter was added, or taken away."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import FAKE_WORKER, QUICK, Tune, rows
from examples import DEVICES, RECORDS, RUNS, SCAN, scan
from scantune.compare.exchange import import_database
from scantune.compare.precedence import Precedence
from scantune.model.algorithms import Algorithms
from scantune.model.config import Config
from scantune.model.family_table import FamilyTable, FamilyTables
from scantune.model.policy import Effort
from scantune.store.archive import Archive
from scantune.store.database import Database, open_database
from scantune.worker.client import Worker, WorkerUnavailable

# The declaration of a family whose `window` was added later, and which once had `unroll` and `hint`.
FORMER = [
    {"name": "unroll", "value": 2, "becomes": {"items": 8}},
    {"name": "unroll", "value": 1, "becomes": {}},
    {"name": "hint", "value": "slow", "becomes": {}},
]
MESSAGE = {
    "name": "made_up",
    "standing": "library",
    "parameters": [{"name": "items"}, {"name": "window", "absent_means": 32}, {"name": "layout"}],
    "former_values": FORMER,
}
TABLE = FamilyTable.from_message(MESSAGE)


def row(**values: int | str) -> Config:
    return Config("made_up", tuple(values.items()))


def test_parameter_that_was_added_later_may_be_absent_and_is_left_out_of_rows() -> None:
    old = TABLE.complete(row(items=4, layout="direct"))
    spelled = TABLE.complete(row(items=4, window=32, layout="direct"))
    assert old
    assert spelled
    assert old == spelled
    assert dict(old.values) == {"items": 4, "window": 32, "layout": "direct"}
    assert old.text == spelled.text == '{"items":4,"layout":"direct"}'
    other = TABLE.complete(row(layout="direct", window=8, items=4))
    assert other
    assert other.text == '{"items":4,"window":8,"layout":"direct"}'


@pytest.mark.parametrize(
    ("old", "items"),
    [({"unroll": 2}, 8), ({"unroll": 1}, 4), ({"hint": "slow"}, 4), ({"hint": "slow", "unroll": 2}, 8)],
)
def test_values_of_a_parameter_that_is_no_more_are_what_they_became(old: dict[str, int | str], items: int) -> None:
    config = TABLE.complete(row(items=4, layout="direct", **old))
    assert config
    assert config.text == json.dumps({"items": items, "layout": "direct"}, separators=(",", ":"))


@pytest.mark.parametrize(
    "values",
    [
        {"items": 4}, {"items": 4, "layout": "direct", "unroll": 3}, {"items": 4, "layout": "direct", "hint": "fast"},
        {"items": 4, "layout": "direct", "colour": 1},
    ],
    ids=["missing", "value that became nothing", "token that became nothing", "unknown"],
)  # fmt: skip
def test_row_that_means_nothing_stays_as_it_is(values: dict[str, int | str]) -> None:
    assert TABLE.complete(row(**values)) is None
    assert FamilyTables({"made_up": TABLE}).complete(row(**values)) == row(**values)


@pytest.mark.parametrize(
    "change",
    [
        {"name": "no name"}, {"parameters": [{"name": 7}]}, {"parameters": None},
        {"former_values": [{"name": "unroll"}]}, {"parameters": [{"name": "items", "absent_means": 1.5}]},
        {"former_values": [{"name": "x", "value": "a b", "becomes": {}}]},
    ],
)  # fmt: skip
def test_table_that_is_none_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        FamilyTable.from_message({**MESSAGE, **change})


def test_worker_without_tables_is_not_understood(faults: Callable[..., None]) -> None:
    faults(former={"lookback": "none"})
    with Worker(FAKE_WORKER, "host") as worker, pytest.raises(WorkerUnavailable, match="first answer is invalid"):
        worker.hello()


def without(database: Path, parameter: str) -> int:
    """Turn the rows of a database into what they were before a parameter; return how many these are."""
    with sqlite3.connect(database) as connection:
        changed = 0
        for table in ("trial", "record"):
            path = f"$.{parameter}"
            where = f"WHERE family = 'lookback' AND json_type(config, '{path}') IS NOT NULL"
            connection.execute(f"UPDATE OR IGNORE {table} SET config = json_remove(config, '{path}') {where}")
            changed += connection.execute("SELECT changes()").fetchone()[0]
            connection.execute(f"DELETE FROM {table} {where}")
    connection.close()
    return changed


def test_database_of_before_a_parameter_is_resumed_and_tuned_on(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    tune()
    assert without(database.path, "window") > 3
    before = {(one["family"], one["config"]) for one in rows(database, "all_trials")}
    faults(added={"lookback": {"window": 32}})
    again, notebook = tune(started_at="2026-01-02T00:00:00Z")
    assert (notebook.skipped, notebook.tries) == (1, 0)
    assert dict(again.records[0].config.values)["window"] == 32
    tune(effort=Effort.normal, policy=replace(QUICK, trials=40), started_at="2026-01-03T00:00:00Z")
    after = [(one["family"], one["config"]) for one in rows(database, "all_trials")]
    assert before < set(after)
    values = [(family, tuple({"window": 32, **json.loads(config)}.items())) for family, config in after]
    assert len(values) == len(set(values)), "a config was tried twice"
    assert any('"window":8' in config for _, config in after)
    assert not any('"window":32' in config for _, config in after)


def test_value_that_is_spelled_out_in_a_row_is_not_tried_again(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    tune()
    before = rows(database, "all_trials")
    assert any('"window":32' in one["config"] for one in before)
    faults(added={"lookback": {"window": 32}})
    _, notebook = tune(started_at="2026-01-02T00:00:00Z")
    assert (notebook.skipped, notebook.tries) == (1, 0)
    tune(effort=Effort.normal, policy=replace(QUICK, trials=40), started_at="2026-01-03T00:00:00Z")
    spelled = {one["config"].replace(',"window":32', "") for one in before}
    assert spelled.isdisjoint(one["config"] for one in rows(database, "all_trials")[len(before) :])


def test_database_with_a_parameter_that_is_no_more_is_resumed(
    tune: Tune, database: Database, faults: Callable[..., None]
) -> None:
    tune()
    with sqlite3.connect(database.path) as connection:
        for table in ("trial", "record"):
            connection.execute(
                f"UPDATE {table} SET config = json_insert(json_remove(config, '$.window'), '$.depth', "
                "json_extract(config, '$.window') / 8) WHERE family = 'lookback'"
            )
    connection.close()
    became = [{"name": "depth", "value": depth, "becomes": {"window": depth * 8 or 1}} for depth in (0, 1, 4)]
    faults(former={"lookback": became})
    again, notebook = tune(started_at="2026-01-02T00:00:00Z")
    tried = len(rows(database, "all_trials"))
    assert (notebook.skipped, notebook.tries) == (1, 0)
    assert "window" in dict(again.records[0].config.values)
    _, notebook = tune(effort=Effort.normal, policy=replace(QUICK, trials=40), started_at="2026-01-03T00:00:00Z")
    assert len(rows(database, "all_trials")) == tried + notebook.tries


@pytest.mark.usefixtures("fake_worker_command")
def test_import_brings_rows_into_the_form_of_now(
    database: Database, tmp_path: Path, faults: Callable[..., None]
) -> None:
    source = tmp_path / "theirs.db"
    full = Config("lookback", (("block_threads", 128), ("items_per_thread", 8), ("layout", "direct"), ("window", 32)))
    with open_database(source) as theirs:
        session = Archive(theirs).start(RUNS[0], DEVICES[0])
        session.save_record(replace(RECORDS[0], config=full))
    faults(added={"lookback": {"window": 32}})
    import_database(database, source, Precedence())
    (stored,) = rows(database, "all_records")
    assert stored["config"] == '{"block_threads":128,"items_per_thread":8,"layout":"direct"}'


@pytest.mark.parametrize(
    ("others", "is_good"),
    [
        ({}, True),
        ({"kind": "exclusive", "latency": "isolated"}, True),
        ({"latency": "isolated", "kind": "exclusive"}, False),  # another order
        ({"kind": "inclusive"}, False),  # a default that is stated
        ({"kind": "both"}, False),
        ({"init": "value"}, False),  # a member that each call decides
        ({"weather": "rain"}, False),
    ],
)
def test_problem_has_one_spelling(others: dict[str, str], is_good: bool) -> None:
    if is_good:
        assert dict(scan("i32", **others).others) == others
        return
    with pytest.raises(ValueError, match="not spelled as tuners spell it"):
        scan("i32", **others)


def test_where_nothing_is_declared_every_spelling_stands() -> None:
    stated = {**scan("i32").columns, "request": scan("i32").text.replace("}", ',"kind":"inclusive"}')}
    assert Algorithms().problem(stated).others == (("kind", "inclusive"),)
    with pytest.raises(ValueError, match="not spelled as tuners spell it"):
        Algorithms(scan=SCAN).problem(stated)
