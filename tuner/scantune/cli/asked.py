"""The options that say which problems are meant, checked against what the worker knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scantune.errors import UsageError
from scantune.model.config import is_token
from scantune.model.device import Device, Hello, is_arch
from scantune.model.operator_source import OperatorSource
from scantune.model.problem import (
    Problem,
    bytes_of,
    check_operator_name,
    is_custom_operator,
    is_custom_type,
    operator_of_cost,
    split_operator,
)
from scantune.model.quantity import format_size
from scantune.model.wish import Types, Wish
from scantune.worker.client import WorkerError
from scantune.worker.evaluation import Evaluator

_ALL = "all"
_DEFAULT_COST = "moderate"


@dataclass(frozen=True)
class OwnOperator:
    """The options about the user's own operator, as they were given."""

    path: Path | None = None
    name: str | None = None
    cost: str | None = None
    alignment_bytes: int | None = None

    def checked(self, types: Sequence[str], ops: Sequence[str]) -> tuple[list[str], OperatorSource | None]:
        """Return the operators to tune, and the source of the user's own. Raises UsageError."""
        if self.path is None:
            self._check_that_nothing_hangs_on_the_file()
            _check_that_none_is_named(ops)
            return list(ops), None
        if ops:
            raise UsageError(
                f"--operator {self.path} and --op {ops[0]} contradict each other: the file is the operator, and --cost "
                "tells its class; leave out --op"
            )
        if not types:
            raise UsageError(
                f"--operator {self.path} needs --type, the type of its Value: f32 for one, custom8 for a struct of "
                "8 bytes"
            )
        name = self._checked_name()
        source = OperatorSource.read(self.path, self.alignment_bytes)
        return [operator_of_cost(self.cost or _DEFAULT_COST, name)], source

    def _checked_name(self) -> str:
        if not self.name:
            raise UsageError(
                f"--operator {self.path} needs --name NAME: its records are kept under that name, by which programs "
                "find them"
            )
        try:
            check_operator_name(self.name)
        except ValueError as error:
            raise UsageError(f"--name: {error}") from None
        return self.name

    def _check_that_nothing_hangs_on_the_file(self) -> None:
        for option, value in (("--name", self.name), ("--cost", self.cost), ("--alignment", self.alignment_bytes)):
            if value is not None:
                raise UsageError(
                    f"{option} {value} describes an operator of yours, whose source is missing: add --operator FILE, "
                    f"or leave out {option}"
                )


@dataclass(frozen=True)
class Asked:
    types: Sequence[str]  # as --type spells them
    ops: Sequence[str]
    others: tuple[tuple[str, str], ...] = ()  # members of the request that are options, and their values
    source: OperatorSource | None = None  # of the only operator

    def check(self) -> None:
        """Raise UsageError for what is wrong whatever a worker knows, so that none is started for it."""
        for text in self.types:
            Types.parse(text)
        for op in self.ops:
            try:
                split_operator(op)
            except ValueError as error:
                raise UsageError(f"--op: {error}; write sum, max or the like, or custom_moderate:NAME") from None
        for name, value in self.others:
            if not is_token(value):
                option = "--" + name.replace("_", "-")
                raise UsageError(f"{option} '{value}': it is no word; 'scantune tune --help' lists what it may be")

    def or_else(self, types: Sequence[str]) -> Asked:
        """Return what is meant where no types or no operators were named."""
        return replace(self, types=self.types or types, ops=self.ops or ["sum"])

    def problems(self, hello: Hello, evaluator: Evaluator, n: int, note: Callable[[str], None]) -> list[Problem]:
        """Return the problems, each with the accumulator that the worker gives it.

        Of `all` types those that an operator is not for are left out and noted. Raises UsageError for what the worker
        does not know, or does not support at n items.
        """
        problems, left_out = [], []
        for wish in self._wishes(hello):
            try:
                problems.append(evaluator.resolve(wish, n))
            except WorkerError as error:
                if error.kind == "unsupported" and _ALL in self.types:
                    left_out.append(str(wish))
                elif error.kind in ("unsupported", "bad_request"):
                    raise UsageError(f"{wish} of {format_size(n)} items cannot be tuned: {error}") from None
                else:
                    raise
        if left_out:
            note(f"left out, because no kernel scans them: {', '.join(left_out)}")
        if not problems:
            raise UsageError("no kernel scans any of the types with these options; name another --op")
        return list(dict.fromkeys(problems))

    def _wishes(self, hello: Hello) -> list[Wish]:
        self.check()
        for op in self.ops:
            self._check_operator(op, hello)
        expanded = [name for text in self.types for name in (hello.built_in_types if text == _ALL else [text])]
        types = [Types.parse(text) for text in dict.fromkeys(expanded)]
        for one in types:
            _check_types(one, hello)
        wishes = [Wish(one, op, self.others) for op in self.ops for one in types]
        for wish in wishes:
            _check_struct(wish, hello)
        return wishes

    def _check_operator(self, op: str, hello: Hello) -> None:
        option = "--cost" if self.source else "--op"
        token, _ = split_operator(op)
        if token not in hello.operators:
            raise UsageError(
                f"{option}: the operator {token} is unknown; the worker knows {', '.join(hello.operators)}"
            )


@dataclass(frozen=True)
class Filter:
    """What is to be shown: of any type, operator or device where none is named."""

    types: Sequence[str]
    ops: Sequence[str]  # custom_moderate: of that class, custom_moderate:NAME: of that name
    arch: str | None = None
    device: str | None = None  # its name, or a part of that

    def check(self) -> None:
        """Raise UsageError for what no record can have."""
        if self.arch is not None and not is_arch(self.arch):
            raise UsageError(f"--arch {self.arch}: it is no architecture; write sm_90 or the like, or host")
        try:
            for name in (name for text in self.types if text != _ALL for name in Types.parse(text).names):
                bytes_of(name)
            for op in self.ops:
                split_operator(op)
        except ValueError as error:
            raise UsageError(
                f"{error}; --type i32 or custom8, and --op sum or custom_moderate:NAME, are spelled so"
            ) from None

    def admits(self, problem: Problem, device: Device) -> bool:
        if self.arch not in (None, device.arch):
            return False
        if self.device is not None and not device.is_called(self.device):
            return False
        spellings = {problem.op, split_operator(problem.op)[0]}
        return (not self.ops or not spellings.isdisjoint(self.ops)) and (
            not self.types or _ALL in self.types or any(Types.parse(text).cover(problem) for text in self.types)
        )


def _check_types(types: Types, hello: Hello) -> None:
    for name in types.names:
        if not is_custom_type(name) and name not in hello.built_in_types:
            raise UsageError(
                f"--type {types}: the type {name} is unknown; the worker knows {', '.join(hello.built_in_types)}, and "
                "structs, as custom8 for one of 8 bytes"
            )


def _check_struct(wish: Wish, hello: Hello) -> None:
    token, _ = split_operator(wish.op)
    if is_custom_operator(token) or not any(map(is_custom_type, wish.types.names)):
        return
    classes = ", ".join(filter(is_custom_operator, hello.operators))
    raise UsageError(
        f"--type {wish.types} is a struct, which --op {wish.op} cannot combine; choose the class of an operator that "
        f"can ({classes}), or tune an operator of your own with --operator FILE"
    )


def _check_that_none_is_named(ops: Sequence[str]) -> None:
    for op in ops:
        token, _, name = op.partition(":")
        if name and is_custom_operator(token):
            raise UsageError(
                f"--op {op} names an operator of yours, whose source is missing: 'scantune --operator FILE --name "
                f"{name}' tunes it, and --op {token} its cost class"
            )
