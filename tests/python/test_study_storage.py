"""Storages of studies: what others see of a search, what it sees of theirs, and that it does not depend on them."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

from command import streams_here
from conftest import QUICK, Notebook, Tune, rows
from scantune.cli import tune as tune_command
from scantune.errors import UsageError
from scantune.model.config import Config
from scantune.model.space import Space
from scantune.search import study_storage
from scantune.search.process_mark import is_gone, mark_of
from scantune.search.sampler_names import Sampler
from scantune.search.study import SearchStudy
from scantune.search.study_storage import StudyStorage
from scantune.storage_url import hidden, without_secrets
from scantune.store.database import Database, open_database
from studies import FAILURE, let_write, params_of, proposals, space_of_sums, study_of, tell, time_of, tried


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return tmp_path / "studies.log"


@pytest.fixture
def space() -> Space:
    return space_of_sums()


@pytest.fixture(params=["{}/studies.log", "sqlite:///{}/studies.db"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of a storage of each kind."""
    return str(request.param).format(tmp_path)


def stored(url: str | Path) -> optuna.Study:
    """Return the one study of a storage, opened as others open it."""
    storage = url if "://" in str(url) else JournalStorage(JournalFileBackend(str(url)))
    (name,) = optuna.get_all_study_names(storage)
    return optuna.load_study(study_name=name, storage=storage)


def states_of(config: Config, study: SearchStudy) -> set[TrialState]:
    return {trial.state for trial in study.trials if trial.params == params_of(config)}


def begun(study: SearchStudy, space: Space, count: int) -> list[Config]:
    """Tell the defaults and some proposals, and return the latter."""
    for config in space.defaults:
        tell(study, config, time_of(config))
    told = list(itertools.islice(proposals(study), count))
    for config in told:
        tell(study, config, time_of(config))
    return told


def test_storage_has_every_trial_with_its_values_and_what_came_of_it(url: str, space: Space) -> None:
    with StudyStorage(url) as storage:
        study = study_of(space, storage=storage)
        good, bad = begun(study, space, 2)
        study.fail(bad, FAILURE)  # after its time was told
        wrong, dropped = itertools.islice(proposals(study), 2)
        study.fail(wrong, FAILURE)
        study.end_trials()
    found = stored(url)
    of = {tuple(trial.params.items()): trial for trial in found.trials}
    params = {config: tuple(params_of(config).items()) for config in (good, bad, wrong, dropped)}
    assert len(found.trials) == len(space.defaults) + 4
    assert (of[params[good]].state, of[params[good]].value) == (TrialState.COMPLETE, time_of(good))
    assert (of[params[wrong]].state, of[params[wrong]].user_attrs) == (
        TrialState.PRUNED, {"reason": "wrong_result: index 17"}
    )  # fmt: skip
    assert of[params[dropped]].state is TrialState.FAIL
    assert found.user_attrs == {f"rejected trial {of[params[bad]].number}": "wrong_result: index 17"}


def test_search_proposes_nothing_that_another_process_tries_and_learns_from_it(url: str, space: Space) -> None:
    with StudyStorage(url) as storage:
        study = study_of(space, storage=storage)
        known = begun(study, space, 20)
        running = list(itertools.islice(proposals(study), 4))
    with StudyStorage(url) as storage:
        second = study_of(space, storage=storage)
        proposed = list(itertools.islice(proposals(second), 20))
        assert not {*known, *running, *space.defaults} & set(proposed)
        twin = study_of(space)  # a search that tried all of that itself
        for config in [*space.defaults, *known]:
            tell(twin, config, time_of(config))
        for config in running:
            twin.begin(config)
        assert proposed == list(itertools.islice(proposals(twin), 20))
        assert second.best_elsewhere() == min([*known, *space.defaults], key=time_of)
        assert second.in_vain == 0


def test_trials_of_two_searches_that_go_on_at_once_reach_each_other(url: str, space: Space) -> None:
    with StudyStorage(url) as storage, StudyStorage(url) as other:
        study, second = study_of(space, storage=storage), study_of(space, seed=2, storage=other)
        begun(study, space, 1)
        let_write(storage)
        tell(second, space.defaults[0], time_of(space.defaults[0]))
        let_write(other)
        assert second.best_elsewhere() is not None
        fastest = min(space.searched, key=time_of)
        tell(study, fastest, time_of(fastest))
        let_write(storage)
        tell(second, space.defaults[1], time_of(space.defaults[1]))
        let_write(other)
        assert second.best_elsewhere() == fastest
        study.fail(fastest, FAILURE)
        let_write(storage)
        next(proposals(second))
        let_write(other)
        assert second.best_elsewhere() != fastest


def test_config_that_another_process_gives_up_may_be_tried_here(journal: Path, space: Space) -> None:
    with StudyStorage(str(journal)) as storage, StudyStorage(str(journal)) as other:
        study = study_of(space, storage=storage)
        begun(study, space, 4)
        running = next(proposals(study))
        let_write(storage)
        second = study_of(space, storage=other)
        next(proposals(second))
        study.end_trials()
        let_write(storage)
        tell(second, space.defaults[0], time_of(space.defaults[0]))  # which writes, and reads
        let_write(other)
        assert running in itertools.islice(proposals(second), 20)


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as started:
        yield started
        started.kill()


def test_process_is_gone_once_it_has_ended_and_not_before(process: subprocess.Popen[bytes]) -> None:
    mark = mark_of(process.pid)
    assert mark is not None
    machine, number, start = mark
    assert not is_gone(mark)
    assert is_gone([machine, number, int(start) - 1]), "the number was that of an earlier process"
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(mark), "it is a zombie"
    process.wait()
    assert is_gone(mark)
    assert not is_gone(["another machine", number, start])
    assert not any(map(is_gone, (None, "", [], [machine, number], [machine, str(number), start])))


def test_what_a_killed_process_left_running_may_be_tried_at_once(
    url: str, space: Space, monkeypatch: pytest.MonkeyPatch, process: subprocess.Popen[bytes]
) -> None:
    mark = mark_of(process.pid)
    with monkeypatch.context() as patch, StudyStorage(url) as storage:
        patch.setattr(study_storage, "mark_of", lambda number: mark)
        study = study_of(space, storage=storage)
        begun(study, space, 4)
        left = [next(proposals(study)) for _ in range(2)]
    with StudyStorage(url) as storage:
        during = study_of(space, storage=storage)
        assert states_of(left[0], during) == {TrialState.RUNNING}
        process.kill()
        process.wait()
        tell(during, space.defaults[0], time_of(space.defaults[0]))  # which writes, and reads
        let_write(storage)
        print(
            storage.failure,
            is_gone(mark),
            [(t.state, t.system_attrs) for t in stored(url).trials if t.state.name in ("RUNNING", "FAIL")],
        )
        during.best_elsewhere()
        assert states_of(left[0], during) == {TrialState.FAIL}
    assert Counter(trial.state for trial in stored(url).trials)[TrialState.RUNNING] == 0
    with StudyStorage(url) as storage:
        resumed = study_of(space, storage=storage)
        assert {*left} <= {*itertools.islice(proposals(resumed), 4)}


def test_what_another_machine_runs_for_too_long_is_given_up_and_taken_in_if_it_ends(
    url: str, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_storage, "mark_of", lambda number: ["another machine", 1, 1])
    fastest = min(space.searched, key=time_of)
    with StudyStorage(url) as storage, StudyStorage(url) as other:
        study, second = study_of(space, storage=storage), study_of(space, seed=2, storage=other)

        def read(config: Config) -> set[TrialState]:
            """Let the second search write, and read what the first one did; return states of the fastest there."""
            let_write(storage)
            tell(second, config, time_of(config))
            let_write(other)
            second.best_elsewhere()
            return states_of(fastest, second)

        study.begin(fastest)
        assert read(space.defaults[0]) == {TrialState.RUNNING}
        monkeypatch.setattr(study_storage, "_MOST_RUNNING_S", -1.0)
        assert read(space.defaults[1]) == {TrialState.FAIL}
        study.tell(fastest, time_of(fastest))
        assert read(next(iter(space.searched))) == {TrialState.FAIL, TrialState.COMPLETE}
        assert second.best_elsewhere() == fastest


def test_trial_that_somebody_else_ended_is_written_anew_with_what_came_of_it(url: str, space: Space) -> None:
    first, second = space.defaults[:2]
    with StudyStorage(url) as storage:
        study = study_of(space, storage=storage)
        study.begin(first)
        study.begin(second)
        let_write(storage)
        theirs = stored(url)
        for number in range(2):
            theirs.tell(number, state=TrialState.FAIL)
        study.tell(first, 5.0)
        study.end_trials()
    assert storage.failure is None
    assert [(trial.state, trial.value) for trial in stored(url).trials] == [
        (TrialState.FAIL, None), (TrialState.FAIL, None), (TrialState.COMPLETE, 5.0)
    ]  # fmt: skip


def test_what_others_write_that_is_no_trial_of_a_config_does_no_harm(journal: Path, space: Space) -> None:
    with StudyStorage(str(journal)) as storage:
        study = study_of(space, storage=storage)
        begun(study, space, 2)
        let_write(storage)
        theirs = stored(journal)
        known = theirs.trials[0]
        half = dict(itertools.islice(known.params.items(), 3))
        for params, value in ((half, 0.1), (known.params, -1.0), (known.params, float("inf")), ({"other": 3}, 0.1)):
            distributions = {**known.distributions, "other": optuna.distributions.IntDistribution(0, 9)}
            trial = copy.deepcopy(known)
            trial.params, trial.values = params, [value]
            trial.distributions = {name: distributions[name] for name in params}
            theirs.add_trial(trial)
        next(proposals(study))
        let_write(storage)
        assert len(list(itertools.islice(proposals(study), 8))) == 8
        assert study.best_elsewhere() is None
        assert study.in_vain >= 0
    assert storage.failure is None


def test_trials_of_the_tuning_database_are_added_once(journal: Path, space: Space) -> None:
    config = space.defaults[0]
    for _ in range(2):
        with StudyStorage(str(journal)) as storage:
            study = study_of(space, storage=storage)
            study.add(tried(config, 5.0))
            study.add(tried(space.defaults[1], None))
            assert study.best_elsewhere() is None
    with StudyStorage(str(journal)) as storage:
        study = study_of(space, storage=storage)
        study.add(tried(config, 5.0))
        study.fail(config, FAILURE)
    assert stored(journal).user_attrs == {"rejected trial 0": "wrong_result: index 17"}
    assert [(one.state, one.value) for one in stored(journal).trials] == [
        (TrialState.COMPLETE, 5.0), (TrialState.PRUNED, None)
    ]  # fmt: skip


def test_study_of_other_parameters_is_refused(journal: Path, space: Space) -> None:
    with StudyStorage(str(journal)) as storage:
        begun(study_of(space, storage=storage), space, 1)
    family = space.families["lookback"]
    fewer = replace(family, parameters=tuple(replace(one, values=one.values[:2]) for one in family.parameters))
    with (
        StudyStorage(str(journal)) as storage,
        pytest.raises(UsageError, match=r"studies.log: its study 'a study' has another parameter \S+, .*delete that"),
    ):
        study_of(replace(space, families={**space.families, "lookback": fewer}), storage=storage)


def test_trial_that_ends_while_its_begin_is_written_is_written_once(
    journal: Path, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = space.defaults[0]
    with StudyStorage(str(journal)) as storage:
        study = study_of(space, storage=storage)
        mirror = study._mirror
        assert mirror is not None
        works: list[Callable[[], None]] = []
        monkeypatch.setattr(storage, "submit", works.append)
        study.begin(config)
        get_trials = mirror._study.get_trials
        with monkeypatch.context() as patch:

            def when_told(deepcopy: bool) -> list[optuna.trial.FrozenTrial]:
                """Let the search tell the trial when the writer knows of its begin, and has not read it."""
                patch.undo()
                study.tell(config, 5.0)
                return get_trials(deepcopy)

            patch.setattr(mirror._study, "get_trials", when_told)
            works.pop()()
        works.pop()()
    assert [trial.value for trial in stored(journal).trials] == [5.0]


def test_storage_that_fails_says_so_when_it_does_and_the_search_goes_on(
    journal: Path, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_storage, "_PAUSES_S", (0.0, 0.0))
    notes: SimpleQueue[str] = SimpleQueue()
    with StudyStorage(str(journal), notes.put) as storage:
        study = study_of(space, storage=storage)
        journal.unlink()
        journal.mkdir()
        study.begin(space.defaults[0])
        note = notes.get(timeout=10)
        assert len(begun(study, space, 10)) == 10
    assert notes.empty()
    assert "studies.log failed and lacks 1 trial and all later ones; the tuning database has them: [Errno" in note


def test_what_a_storage_refuses_once_is_written_the_next_time(
    url: str, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_storage, "_PAUSES_S", (0.0, 0.0))
    with StudyStorage(url) as storage:
        fail_once(monkeypatch, storage._backend, "create_new_study")
        study = study_of(space, storage=storage)
        for name in ("create_new_trial", "set_trial_state_values", "set_study_user_attr"):
            fail_once(monkeypatch, storage._backend, name)
        told = begun(study, space, 3)
        study.fail(told[0], FAILURE)
    assert storage.failure is None
    found = stored(url)
    assert [trial.value for trial in found.trials] == list(map(time_of, [*space.defaults, *told]))
    assert list(found.user_attrs.values()) == ["wrong_result: index 17"]


def fail_once(monkeypatch: pytest.MonkeyPatch, target: object, name: str) -> None:
    works = getattr(target, name)

    def fails(*arguments: object, **options: object) -> None:
        setattr(target, name, works)
        raise OSError("locked")

    monkeypatch.setattr(target, name, fails)


@pytest.fixture
def hanging() -> Iterator[Callable[..., None]]:
    """Yield a call that does not return before the test has ended."""
    ended = threading.Event()

    def hang(*arguments: object, **options: object) -> None:
        ended.wait()

    yield hang
    ended.set()


def test_storage_that_hangs_holds_up_no_end_of_a_run(
    journal: Path, space: Space, monkeypatch: pytest.MonkeyPatch, hanging: Callable[..., None]
) -> None:
    monkeypatch.setattr(study_storage, "_MOST_END_S", 0.1)
    notes: list[str] = []
    with StudyStorage(str(journal), notes.append) as storage:
        study = study_of(space, storage=storage)
        monkeypatch.setattr(storage._backend, "create_new_trial", hanging)
        begun(study, space, 2)
    assert storage._writer.daemon, "the end of the process would wait for it"
    (note,) = notes
    assert f"lacks {len(space.defaults) + 2} trials; the tuning database has them: it took longer than 0.1 s" in note


def test_storage_that_hangs_holds_up_no_search(
    journal: Path, space: Space, monkeypatch: pytest.MonkeyPatch, hanging: Callable[..., None]
) -> None:
    with StudyStorage(str(journal)) as storage:
        monkeypatch.setattr(study_storage, "_MOST_OPENING_S", 0.1)
        monkeypatch.setattr(storage._backend, "create_new_study", hanging)
        assert len(begun(study_of(space, storage=storage), space, 2)) == 2
    assert "did not answer for 0.1 s" in str(storage.failure)
    monkeypatch.setattr(JournalStorage, "get_all_studies", hanging)
    with pytest.raises(UsageError, match=r"studies.log cannot be opened: it did not answer for 0.1 s"):
        StudyStorage(str(journal))


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql://me:se:cret@127.0.0.1:1/x", "postgresql://me:***@127.0.0.1:1/x cannot be opened: "),
        ("nonsense://x", "cannot be opened: "),
        ("mssql+pymssql://me:cret@host/x", "No module named 'pymssql'"),
        ("/no/such/folder/studies.log", "cannot be opened: "),
    ],
)
def test_storage_that_cannot_be_opened_is_a_usage_error_without_its_password(url: str, reason: str) -> None:
    code, _, text = streams_here("tune", "--type", "i32", "--n", "2^10", "--storage", url)
    assert code == 2
    assert "--storage" in text
    assert reason in text
    assert "cret" not in text


@pytest.mark.parametrize("spelled", ["sqlite:///{}", "{}"])
def test_tuning_database_is_no_storage(tmp_path: Path, spelled: str) -> None:
    database = tmp_path / "tuning.db"
    code, _, text = streams_here(
        "tune", "--type", "i32", "--n", "2^10", "--db", str(database), "--storage", spelled.format(database)
    )
    assert (code, "is the tuning database, which cannot hold studies" in text) == (2, True)


@pytest.mark.parametrize("spelled", ["{}", "sqlite:///{}", "sqlite+pysqlite:///{}?timeout=5"])
@pytest.mark.parametrize("is_open", [False, True])
def test_no_tuning_database_is_a_storage(tmp_path: Path, spelled: str, is_open: bool) -> None:
    path = tmp_path / "other.db"
    with contextlib.ExitStack() as stack:
        database = open_database(path)  # as long as it is open, its log may have all that it holds
        stack.callback(database.close)
        if not is_open:
            stack.close()
        code, _, text = streams_here("tune", "--n", "2^10", "--storage", spelled.format(path))
        assert (code, "a tuning database" in text) == (2, True)
    with sqlite3.connect(path) as connection:
        assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'studies'").fetchall()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"what I still have to do", "is not a journal of Optuna, but a file of something else: name another one"),
        (b"what I still have to do\n", "is not a journal of Optuna, but a file of something else: name another one"),
        (b'{"winners": []}\n', "but a file of something else"),
        (b"[1, 2]\n", "but a file of something else"),
        (b"[" * 2**17, "but a file of something else"),
        (b"SQLite format 3\0" + bytes(100), "but an SQLite database, whose URL is sqlite:///"),
    ],
)
def test_file_that_is_no_journal_is_refused_and_stays_as_it_is(journal: Path, content: bytes, reason: str) -> None:
    journal.write_bytes(content)
    with pytest.raises(UsageError) as raised:
        StudyStorage(str(journal))
    assert reason in str(raised.value)
    assert journal.read_bytes() == content


def test_empty_file_is_a_journal_and_a_fifo_is_none(journal: Path, space: Space) -> None:
    journal.touch()
    with StudyStorage(str(journal)) as storage:
        begun(study_of(space, storage=storage), space, 1)
    assert len(stored(journal).trials) == len(space.defaults) + 1
    fifo = journal.with_name("fifo")
    os.mkfifo(fifo)
    with pytest.raises(UsageError, match="fifo cannot be opened: not a regular file"):
        StudyStorage(str(fifo))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:///studies.db", "sqlite:///studies.db"),
        ("studies.log", "studies.log"),
        ("postgresql://me@host:5432/x", "postgresql://me@host:5432/x"),
        ("--storage=postgresql://me:cret@host/x", "--storage=postgresql://me:***@host/x"),
        ("postgresql://me@team:cr/et@s@host/x", "postgresql://me@team:***@host/x"),
        ("postgresql://h/x?user=me&password=cret&port=1", "postgresql://h/x?user=me&password=***&port=1"),
        ("mysql://me:cret@h/x?passwd=cret2&ssl=1", "mysql://me:***@h/x?passwd=***&ssl=1"),
        ("postgresql://h/x?sslpassword=cret&PWD=cret", "postgresql://h/x?sslpassword=***&PWD=***"),
        ("mssql+pyodbc:///?odbc_connect=UID%3Dme%3BPWD%3Dcret", "mssql+pyodbc:///?odbc_connect=***"),
    ],
)
def test_url_is_shown_without_its_passwords(url: str, shown: str) -> None:
    assert hidden(url) == shown


def test_message_has_a_password_in_no_spelling() -> None:
    url = "postgresql://me:a%2Fb%40c@h/x?sslpassword=d+%25e"
    message = "no user me with a/b@c, a%2Fb%40c, d %e, d+%e or d+%25e"
    assert without_secrets(message, url) == "no user me with ***, ***, ***, *** or ***"
    assert without_secrets("no password: cr", "postgresql://me:cr@et@h/x") == "no password: ***"
    assert without_secrets("no such file", "sqlite:///studies.db") == "no such file"


@pytest.mark.parametrize("given", [["--storage", "{}"], ["--storage={}"]])
def test_interrupted_command_says_how_to_resume_without_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str]
) -> None:
    def interrupt(tuning: object, stack: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tune_command, "tuned", interrupt)
    url = "postgresql://me:cret@host/x?sslpassword=cret"
    arguments = ["tune", "--n", "2^10", "--db", str(tmp_path / "my.db"), *(one.format(url) for one in given)]
    monkeypatch.setattr(sys, "argv", ["scantune", *arguments])
    code, _, text = streams_here(*arguments)
    assert code == 130
    assert "To resume: scantune tune --n '2^10' --db " in text
    assert "postgresql://me:***@host/x?sslpassword=***" in text
    assert "cret" not in text


def test_interrupted_search_goes_on_with_a_storage_and_measures_nothing_twice(
    tune: Tune, database: Database, journal: Path
) -> None:
    def interrupt(tries: int) -> None:
        if tries == 7:
            raise KeyboardInterrupt

    with StudyStorage(str(journal)) as storage, pytest.raises(KeyboardInterrupt):
        tune(notebook=Notebook(on_try=interrupt), storage=storage)
    saved = rows(database, "all_trials")
    with StudyStorage(str(journal)) as storage:
        outcome, notebook = tune(started_at="2026-01-02T00:00:00Z", storage=storage)
    assert len(outcome.records) == 1
    assert rows(database, "all_trials")[: len(saved)] == saved
    assert len(rows(database, "all_trials")) == len(saved) + notebook.tries
    ended = Counter(trial.state for trial in stored(journal).trials)
    assert ended[TrialState.COMPLETE] == len(rows(database, "all_trials"))
    assert ended[TrialState.RUNNING] == 0


def test_search_by_another_sampler_has_a_winner_and_no_estimate_of_what_is_left(tune: Tune) -> None:
    outcome, _ = tune(sampler=Sampler.tpe, policy=replace(QUICK, trials=12))
    assert outcome.records[0].run.may_gain is None
    own, _ = tune(policy=replace(QUICK, trials=12), sizes=(2**15,))
    assert own.records[0].run.may_gain is not None


def test_command_tunes_with_a_storage_and_a_sampler(tmp_path: Path, journal: Path, fake_worker_command: None) -> None:
    json_file = tmp_path / "out.json"
    code, _, text = streams_here(
        "tune", "--type", "i32", "--n", "2^12", "--sampler", "random", "--storage", str(journal), "--effort", "normal",
        "--budget", "20s", "--json", str(json_file),
    )  # fmt: skip
    assert code == 0, text
    (winner,) = json.loads(json_file.read_text())["winners"]
    assert stored(journal).study_name.startswith("i32 sum, N = 2^12 on ")
    assert len(stored(journal).trials) > 10
    assert winner["may_gain"] is None


def test_commands_that_search_nothing_import_no_optuna() -> None:
    """Every command is imported to start any of them."""
    source = "import sys; import scantune.cli.app, scantune.search.tuning_run; print('optuna' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"
