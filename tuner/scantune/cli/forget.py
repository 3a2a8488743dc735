"""The command that drops chosen records and trials: scantune db forget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Annotated

import typer

from scantune import paths
from scantune.cli.filter import Filter
from scantune.cli.json_output import JsonOutput
from scantune.cli.options import DbOption, DryRunOption, JsonOption, SizesOption, existing_database, listed
from scantune.cli.terminal import note, reported_errors, say
from scantune.compare.precedence import Precedence
from scantune.errors import ScantuneError, UsageError
from scantune.model.algorithms import Algorithms
from scantune.model.config import is_token
from scantune.model.origin import NO_ORIGIN, Origin
from scantune.model.quantity import counted, format_size, parse_duration, parse_sizes
from scantune.model.record import Record, time_text
from scantune.report.messages import winner_message
from scantune.store.database import open_database, open_readonly
from scantune.store.forget import Chosen, Entry, chosen, count_rows, forget, forget_everything

_MOST_DAYS = 100 * 366


@dataclass(frozen=True)
class _Choice:
    """The rows to forget: those that all members admit."""

    filter: Filter
    sizes: frozenset[int]  # admits any if empty
    families: frozenset[str]  # admits any if empty
    before: str | None  # a time, as in rows
    origin: str | None

    def admits(self, entry: Entry) -> bool:
        return (
            self.filter.admits_device(entry.device)
            and (not self.sizes or entry.n in self.sizes)
            and (not self.families or entry.family in self.families)
            and (self.before is None or entry.finished_at < self.before)
            and (self.origin is None or _is_of(entry.run.origin, self.origin))
            and self.filter.admits(entry.problem)
        )

    def check(self) -> None:
        """Raise UsageError for values that no row can have, and if nothing is chosen."""
        self.filter.check()
        if self.origin is not None and not self.origin.strip():
            raise UsageError(
                f"--origin '{self.origin}' names nobody; '--origin {NO_ORIGIN}' means records measured here"
            )
        for family in self.families:
            if not is_token(family):
                raise UsageError(f"--family {family}: not a name of a family")
        if self == _EVERYTHING:
            raise UsageError(
                "nothing is chosen: say what to forget, such as --device H100, --older-than 30d or --origin NAME; "
                "--all forgets everything"
            )


_EVERYTHING = _Choice(Filter([], []), frozenset(), frozenset(), None, None)


def forget_command(
    db: DbOption = None,
    device: Annotated[str | None, typer.Option(help="Part of the device's name, such as H200.")] = None,
    arch: Annotated[str | None, typer.Option(help="Architecture.")] = None,
    algorithm: Annotated[str | None, typer.Option(help="Algorithm.")] = None,
    type_: Annotated[list[str] | None, typer.Option("--type", help="Value types, as for tune.")] = None,
    op: Annotated[list[str] | None, typer.Option(help="Operators, as for db show.")] = None,
    n: SizesOption = None,
    family: Annotated[list[str] | None, typer.Option(help="Families of kernels.")] = None,
    older_than: Annotated[str | None, typer.Option(help="At least this old: 30d, 12h.")] = None,
    origin: Annotated[
        str | None,
        typer.Option(
            help="Exported by this person, from this file or host, in this run, or signed by them; none: measured here."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything, invalid rows included.")] = False,
    dry_run: DryRunOption = False,
    json_: JsonOption = None,
) -> None:
    """Delete the winners and trials that match all options, and the breakpoints of these winners.

    This cannot be undone: 'scantune db export' first makes a copy. 'scantune db vacuum' then shrinks the file.
    """
    with reported_errors():
        output = JsonOutput.of(json_, "db forget")
        choice = _Choice(
            Filter(listed(type_), listed(op), arch, device, algorithm), frozenset(parse_sizes(n) if n else ()),
            frozenset(listed(family)), _time_before(older_than), origin,
        )  # fmt: skip
        path = existing_database(db)
        if everything:
            _check_that_nothing_else_is_chosen(choice)
            counts = _forget_everything(path, dry_run)
        else:
            choice.check()
            found = _forget(path, choice, dry_run)
            counts = {"records": len(found.records), "breakpoints": len(found.breakpoints), "trials": found.trials}
        told = ", ".join(counted(counts[rows], noun) for rows, noun in _NOUNS.items())
        say(f"{told} {'would be ' if dry_run else ''}forgotten in {path}")
        output.write(
            database=str(path), dry_run=dry_run, winners=counts["records"], breakpoints=counts["breakpoints"],
            trials=counts["trials"], unread=0 if everything else found.unread,
            forgotten=[] if everything else [winner_message(_told(record, path), None) for record in found.records],
        )  # fmt: skip


_NOUNS = {"records": "winner", "breakpoints": "breakpoint", "trials": "trial"}


def _forget(path: Path, choice: _Choice, dry_run: bool) -> Chosen:
    with Precedence() as precedence:
        algorithms = precedence.algorithms()
    _check_that_problems_are_known(choice, algorithms)
    if dry_run:
        with open_readonly(path) as database:
            found = chosen(database, choice.admits, algorithms)
    else:
        with open_database(path) as database:
            found = forget(database, choice.admits, algorithms)
    for record in found.records:
        where = f"{record.problem} {format_size(record.n)} on {record.device}"
        say(f"{where}: {record.config.family}, {record.median_us:.2f} µs, {record.finished_at}")
    if found.unread:
        note(f"{counted(found.unread, 'row')} that are not valid stay in any case; --all forgets them, too")
    return found


def _forget_everything(path: Path, dry_run: bool) -> Mapping[str, int]:
    if dry_run:
        with open_readonly(path) as database:
            return count_rows(database)
    with open_database(path) as database:
        return forget_everything(database)


def _check_that_nothing_else_is_chosen(choice: _Choice) -> None:
    if choice != _EVERYTHING:
        raise UsageError("--all forgets everything and contradicts the other options: leave one out")


def _check_that_problems_are_known(choice: _Choice, algorithms: Algorithms) -> None:
    """Raise if a choice by type or operator cannot be checked.

    Rows do not store members at their default, so only a worker's declaration tells which problems have them.
    """
    if (choice.filter.types or choice.filter.ops) and not algorithms:
        raise ScantuneError("without a worker, rows cannot be matched by --type and --op; see scantune doctor")


def _told(record: Record, path: Path) -> Record:
    return record if paths.is_written_here(path) else replace(record, run=record.run.without_signer())


def _time_before(age: str | None) -> str | None:
    if age is None:
        return None
    days = parse_duration(age) / 86400
    if days > _MOST_DAYS:
        raise UsageError(f"--older-than {age}: no record is that old")
    return time_text(datetime.now(timezone.utc) - timedelta(days=days))


def _is_of(origin: Origin | None, asked: str) -> bool:
    if origin is None or asked == NO_ORIGIN:
        return origin is None and asked == NO_ORIGIN
    return asked in filter(None, vars(origin).values())
