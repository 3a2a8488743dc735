"""Storages of studies: what a search tries and is told is written there while it goes on, for others to see.

A storage takes a transaction for each parameter that is suggested, and a search has no time for these. So its study
lives in memory, and a thread writes each trial as a whole: when it begins, and when it ends. What other processes do
with the study of that name is read by the same thread.
"""

from __future__ import annotations

import contextlib
import copy
import os
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from datetime import datetime
from queue import SimpleQueue
from typing import TypeVar
from weakref import WeakSet

import optuna
from optuna.distributions import BaseDistribution
from optuna.storages import BaseStorage, JournalStorage, get_storage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState

from scantune.errors import UsageError
from scantune.model.quantity import counted
from scantune.search.neighbour_sampler import EARLIER, REJECTED
from scantune.search.process_mark import is_gone, mark_of
from scantune.search.storage_file import check_file_of
from scantune.storage_url import hidden, without_secrets

_PROCESS = "scantune:process"  # the system attribute of a trial that has the mark of its process

# A trial that another machine has been running for longer belongs to a process that was killed. That is counted from
# when it was first seen, because clocks of machines differ.
_MOST_RUNNING_S = 600.0

# A storage answers in milliseconds. One that does not answer for so long is given up, so that no run hangs with it.
_MOST_OPENING_S = 30.0
_MOST_END_S = 10.0

# What fails is tried again after these: a database may be locked, or a connection end.
_PAUSES_S = (0.5, 2.0)

_Result = TypeVar("_Result")


class StudyStorage:
    """One of Optuna's storages. What is lost with it is not lost: the tuning database has all trials."""

    def __init__(self, url: str, note: Callable[[str], None] = lambda text: None) -> None:
        """Open the storage: a URL, or the path of a journal file. Raises UsageError where that fails, or where a file
        is something else.

        `note` is told, by any thread, when nothing is written any more.
        """
        self.url, self._secret_url = hidden(url), url
        self._note = note
        check_file_of(url)
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        try:
            self._backend = _within(_MOST_OPENING_S, lambda: _opened(url))
        except Exception as error:  # whatever its driver raises
            raise UsageError(f"--storage {self.url} cannot be opened: {self._told(error)}") from None
        self.failure: str | None = None  # why nothing is written any more
        self._mirrors: WeakSet[Mirror] = WeakSet()
        self._works: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # No end of the process waits for this thread, which may wait for the storage for ever.
        self._writer = threading.Thread(target=self._do_works, name="study storage", daemon=True)
        self._writer.start()

    def __enter__(self) -> StudyStorage:
        return self

    def give_up(self, reason: str) -> None:
        """Write nothing any more."""
        if self.failure is None:
            self.failure = reason
            self._note(reason)

    def __exit__(self, *_: object) -> None:
        """Write what is left to be written, as far as there is time."""
        self._works.put(None)
        self._writer.join(_MOST_END_S)
        if self._writer.is_alive():
            self._fail(TimeoutError(f"it took longer than {_MOST_END_S:g} s at the end"), later="")

    def mirror(self, study: optuna.Study, distributions: Mapping[str, BaseDistribution]) -> Mirror | None:
        """Return what keeps a study and the storage's one of that name alike; None if the storage does not answer.

        Raises UsageError if the storage's study has other parameters.
        """

        def opened() -> Mirror:
            stored = optuna.create_study(storage=self._backend, study_name=study.study_name, load_if_exists=True)
            _check(stored, distributions, self.url)
            _name_values(stored)
            return Mirror(self, self._backend, study, stored, distributions)

        if self.failure is not None:
            return None
        try:
            mirror = _within(_MOST_OPENING_S, lambda: _tried(opened))
        except UsageError:
            raise
        except Exception as error:  # whatever its driver raises
            self._fail(error)
            return None
        self._mirrors.add(mirror)
        return mirror

    def submit(self, work: Callable[[], None]) -> None:
        """Let the writer do something, unless it has failed. What fails is done again."""
        self._works.put(work)

    def _do_works(self) -> None:
        while (work := self._works.get()) is not None:
            self._do(work)

    def _do(self, work: Callable[[], None]) -> None:
        try:
            if self.failure is None:
                _tried(work)
        except Exception as error:  # whatever its driver raises
            self._fail(error)

    def _fail(self, error: Exception, later: str = " and all later ones") -> None:
        if self.failure is None:
            unwritten = counted(sum(mirror.unwritten for mirror in list(self._mirrors)), "trial")
            self.failure = (
                f"--storage {self.url} failed and lacks {unwritten}{later}; the tuning database has them: "
                f"{self._told(error)}"
            )
            self._note(self.failure)

    def _told(self, error: Exception) -> str:
        """Return the first line of an error, without passwords; of a package that is missing, its name too."""
        text = (str(error).strip() or type(error).__name__).splitlines()[0]
        if isinstance(error, ImportError) and error.__cause__:
            text = f"{text} ({error.__cause__})"
        return without_secrets(text, self._secret_url)


def _opened(url: str) -> BaseStorage:
    backend: BaseStorage = get_storage(url) if "://" in url else JournalStorage(JournalFileBackend(url))
    backend.get_all_studies()
    return backend


def _tried(call: Callable[[], _Result]) -> _Result:
    """Return what a call returns, which is made again where it fails."""
    for pause_s in _PAUSES_S:
        try:
            return call()
        except UsageError:
            raise
        except Exception:  # whatever a driver raises
            time.sleep(pause_s)
    return call()


def _within(most_s: float, call: Callable[[], _Result]) -> _Result:
    """Return what a call returns. Raises TimeoutError if it takes too long; its thread then goes on by itself."""
    result: Future[_Result] = Future()

    def run() -> None:
        try:
            result.set_result(call())
        except BaseException as error:  # raised where it is waited for
            result.set_exception(error)

    threading.Thread(target=run, name="opens a study storage", daemon=True).start()
    if not wait([result], most_s).done:
        raise TimeoutError(f"it did not answer for {most_s:g} s")
    return result.result()


def _check(stored: optuna.Study, distributions: Mapping[str, BaseDistribution], url: str) -> None:
    """Raise UsageError if a parameter of a stored trial is not one of these."""
    for trial in stored.get_trials(deepcopy=False):
        if name := _stranger_in(trial, distributions):
            raise UsageError(
                f"--storage {url}: its study '{stored.study_name}' has another parameter {name}, "
                f"{trial.distributions[name]}; delete that study, or name another storage"
            )


def _stranger_in(trial: FrozenTrial, distributions: Mapping[str, BaseDistribution]) -> str | None:
    """Return a parameter of a trial that is not among these."""
    return next((name for name, one in trial.distributions.items() if distributions.get(name) != one), None)


def _name_values(stored: optuna.Study) -> None:
    """Let dashboards say what the values of trials are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        if stored.metric_names is None:
            stored.set_metric_names(["time in µs"])


class Mirror:
    """Keeps a study in memory and one of a storage alike. Trials have other numbers there."""

    def __init__(
        self, storage: StudyStorage, backend: BaseStorage, study: optuna.Study, stored: optuna.Study,
        distributions: Mapping[str, BaseDistribution],
    ) -> None:  # fmt: skip
        self._distributions = distributions
        self._storage, self._backend, self._study, self._stored = storage, backend, study, stored
        # What the writer alone knows.
        self._ids: dict[int, int] = {}  # own number: the trial's id in the storage
        self._known: set[tuple[int, TrialState]] = set()  # numbers in the storage, and states that were read
        self._first_seen: dict[int, float] = {}  # number in the storage: when it was first seen to be running
        # What the search alone knows.
        self._others: dict[int, int] = {}  # number in the storage: own number
        self._numbers: dict[int, int] = {}  # the reverse
        # What both know.
        self._lock = threading.Lock()
        self._unwritten: dict[int, int] = {}  # own numbers of trials that began or ended, and how often they did
        self._rejected: list[tuple[int, int | None, str]] = []  # own number, that of another's in the storage, and why
        self._news = _News()
        self._is_due = False  # whether the writer was asked to write what is unwritten
        self._fetch()
        for trial in self._news.trials.values():
            if trial.state.is_finished():
                trial.user_attrs[EARLIER] = True

    @property
    def unwritten(self) -> int:
        """How many trials the storage lacks, or has as they were."""
        with self._lock:
            return len(self._unwritten)

    def changed(self, number: int) -> None:
        """Note that a trial began or ended."""
        with self._lock:
            self._unwritten[number] = self._unwritten.get(number, 0) + 1
        self._write_soon()

    def rejected(self, number: int, reason: str) -> None:
        with self._lock:
            self._rejected.append((number, self._numbers.get(number), reason))
        self._write_soon()

    def read(self) -> list[int]:
        """Take in what others did; return the numbers of their trials that are new, or have ended."""
        with self._lock:
            news, self._news = self._news, _News()
        changed = []
        for number, trial in sorted(news.trials.items()):
            own = self._others.get(number)
            if own is None:
                self._study.add_trial(trial)
                own = self._others[number] = len(self._study.get_trials(deepcopy=False)) - 1
                self._numbers[own] = number
            elif trial.state is TrialState.FAIL:
                self._study.tell(own, state=TrialState.FAIL)
                del self._others[number]  # should it end after all, it is another trial here
            elif trial.state.is_finished():
                self._study.tell(own, trial.value if trial.state is TrialState.COMPLETE else None, state=trial.state)
            changed.append(own)
        for number, reason in news.rejected.items():
            if (own := self._others.get(number)) is not None:
                self._study.set_user_attr(REJECTED.format(own), reason)
        return changed

    def _write_soon(self) -> None:
        with self._lock:
            is_due, self._is_due = self._is_due, True
        if not is_due:
            self._storage.submit(self._write)

    def _write(self) -> None:
        with self._lock:
            unwritten, rejected = dict(self._unwritten), list(self._rejected)
            self._is_due = False
        trials = self._study.get_trials(deepcopy=False)
        # Each is forgotten once it was written, so that after a failure the rest is written.
        for number, changes in unwritten.items():
            self._write_trial(trials[number])
            with self._lock:
                if self._unwritten[number] == changes:
                    del self._unwritten[number]
        for one in rejected:
            self._write_rejected(*one)
            with self._lock:
                self._rejected.remove(one)
        self._fetch()

    def _write_rejected(self, number: int, stored: int | None, reason: str) -> None:
        stored = self._backend.get_trial(self._ids[number]).number if stored is None else stored
        self._stored.set_user_attr(REJECTED.format(stored), reason)

    def _write_trial(self, trial: FrozenTrial) -> None:
        """Write a trial as it is now; one that ended before it was written takes one transaction."""
        written = self._ids.get(trial.number)
        if written is None:
            self._create(trial)
        elif trial.state.is_finished():
            try:
                for name, value in trial.user_attrs.items():
                    self._backend.set_trial_user_attr(written, name, value)
                self._backend.set_trial_state_values(written, trial.state, trial.values)
            except RuntimeError:
                # It ended while its begin was about to be written, or was ended by whoever took this process for gone.
                there = self._backend.get_trial(written).state
                if not there.is_finished():
                    raise
                if there is not trial.state:
                    self._create(trial)

    def _create(self, trial: FrozenTrial) -> None:
        template = copy.copy(trial)
        template.system_attrs = {**trial.system_attrs, _PROCESS: mark_of(os.getpid())}
        self._ids[trial.number] = self._backend.create_new_trial(self._stored._study_id, template)

    def _fetch(self) -> None:
        """Read what others began or ended."""
        own = set(self._ids.values())
        found = _News()
        for trial in self._stored.get_trials(deepcopy=False):
            if trial._trial_id in own or _stranger_in(trial, self._distributions):
                continue
            state = self._state_of(trial)
            is_news = {
                TrialState.COMPLETE: True,
                TrialState.PRUNED: True,
                TrialState.RUNNING: True,
                TrialState.FAIL: (trial.number, TrialState.RUNNING) in self._known,
            }.get(state, False)
            key = trial.number, state
            if is_news and key not in self._known:
                self._known.add(key)
                found.trials[trial.number] = _of_another(trial, state)
        attributes = self._stored.user_attrs if found.trials or self._known else {}
        for number, _ in self._known:
            if reason := attributes.get(REJECTED.format(number)):
                found.rejected[number] = str(reason)
        with self._lock:
            self._news.trials.update(found.trials)
            self._news.rejected.update(found.rejected)

    def _state_of(self, trial: FrozenTrial) -> TrialState:
        """Return the state of another's trial, which is a failure where its process cannot end it any more."""
        if trial.state is not TrialState.RUNNING:
            return trial.state
        if is_gone(trial.system_attrs.get(_PROCESS)):
            with contextlib.suppress(RuntimeError):  # another one has just told that
                self._backend.set_trial_state_values(trial._trial_id, TrialState.FAIL)
            return TrialState.FAIL
        now = time.monotonic()
        is_lost = now - self._first_seen.setdefault(trial.number, now) > _MOST_RUNNING_S
        return TrialState.FAIL if is_lost else TrialState.RUNNING


@dataclass
class _News:
    """What others did, by the numbers of trials in the storage."""

    trials: dict[int, FrozenTrial] = field(default_factory=dict)
    rejected: dict[int, str] = field(default_factory=dict)  # and why


def _of_another(trial: FrozenTrial, state: TrialState) -> FrozenTrial:
    """Return a trial as this study takes it in: it ended now, and nothing here proposed it."""
    found = copy.deepcopy(trial)
    found.state = state
    found.system_attrs = {}
    found.user_attrs.pop(EARLIER, None)  # which it was to another search
    if found.state.is_finished():
        found.datetime_complete = datetime.now()
    return found
