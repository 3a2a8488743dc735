"""The options that name problems, checked against the worker's declarations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scantune.cli.filter import ALL_TYPES
from scantune.errors import UsageError
from scantune.model.algorithm import DEFAULT_ALGORITHM, Algorithm, Extent, option_of
from scantune.model.algorithms import Algorithms
from scantune.model.config import is_token
from scantune.model.device import Hello
from scantune.model.operator_source import OperatorSource
from scantune.model.problem import Problem
from scantune.model.quantity import format_size, parse_sizes
from scantune.model.stated_problem import StatedProblem, Types
from scantune.model.value import (
    CUSTOM_TYPE,
    check_operator_name,
    is_custom_operator,
    is_custom_type,
    operator_of_cost,
    split_operator,
)
from scantune.worker.client import WorkerError
from scantune.worker.evaluation import Evaluator

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
                f"--operator {self.path} and --op {ops[0]} contradict each other: the file is the operator, "
                "and --cost is its class; leave out --op"
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
                f"--operator {self.path} needs --name NAME: its records are stored under that name, by which programs "
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
                    f"{option} {value} describes a custom operator, whose source is missing: add --operator FILE, "
                    f"or leave out {option}"
                )


@dataclass(frozen=True)
class NamedProblems:
    """The problems that the options name, before a worker has completed them."""

    types: Sequence[str]  # as --type spells them
    ops: Sequence[str] = ()
    options: tuple[tuple[str, str], ...] = ()  # given members and extents, and their values
    source: OperatorSource | None = None  # source of the single operator
    algorithm: str = DEFAULT_ALGORITHM

    @property
    def names_nothing(self) -> bool:
        """Whether no option names a problem."""
        return not (self.types or self.ops or self.options or self.source) and self.algorithm == DEFAULT_ALGORITHM

    def check(self) -> None:
        """Raise UsageError for errors that need no worker to be found."""
        for op in self.ops:
            try:
                split_operator(op)
            except ValueError as error:
                raise UsageError(f"--op: {error}; write sum, max or the like, or custom_moderate:NAME") from None
        for name, value in self.options:
            if not is_token(value) and not value[:1].isdigit():
                raise UsageError(f"{option_of(name)} '{value}': not a name; 'scantune tune --help' lists the values")

    def or_else(self, types: Sequence[str]) -> NamedProblems:
        """Return the same problems, with `types` if no types were named."""
        return replace(self, types=self.types or types)

    def problems(
        self, hello: Hello, evaluator: Evaluator, sizes: Sequence[int], note: Callable[[str], None]
    ) -> list[Problem]:
        """Return the problems, each completed by the worker.

        With `all` types, those that an operator does not support are left out and noted. Raises UsageError for names
        that the worker does not know, for problems that it does not support at the first of the sizes, and where one of
        the sizes does not fill a row.
        """
        problems, left_out, n = [], [], sizes[0]
        for stated in self._stated(hello):
            stated.check_sizes(sizes)
            try:
                problems.append(evaluator.resolve(stated, n))
            except WorkerError as error:
                if error.kind == "unsupported" and ALL_TYPES in self.types:
                    left_out.append(str(stated))
                elif error.kind in ("unsupported", "bad_request"):
                    raise UsageError(f"{stated} of {format_size(n)} items cannot be tuned: {error}") from None
                else:
                    raise
        if left_out:
            note(f"left out, because no kernel supports them: {', '.join(left_out)}")
        if not problems:
            raise UsageError("no kernel supports any of the types with these options; name others")
        return list(dict.fromkeys(problems))

    def whole(self, hello: Hello, sizes: Sequence[int], note: Callable[[str], None]) -> list[int]:
        """Return the sizes, those of rows as the greatest that whole rows fill."""
        stated = self._stated(hello)[0]
        found = [stated.algorithm.whole(dict(stated.extents), n) for n in sizes]
        if found != list(sizes):
            note(f"sizes that whole rows fill: {', '.join(map(format_size, found))}")
        return found

    def sizes(
        self, hello: Hello, evaluator: Evaluator, default: Sequence[int], note: Callable[[str], None]
    ) -> list[int]:
        """Return the default sizes that the worker supports, up from the first supported one.

        An extent may need a minimum size, such as one item per row; without extents every size is supported. If no size
        is supported, all are returned, and problems() says why.
        """
        all_stated = [stated for stated in self._stated(hello) if stated.extents]
        does = (any(stated.fits(n) and evaluator.supports(stated, n) for stated in all_stated) for n in default)
        first = next((place for place, is_supported in enumerate(does) if is_supported), 0) if all_stated else 0
        if first:
            left_out = ", ".join(map(format_size, default[:first]))
            note(f"left out, because no kernel supports so few items: {left_out}")
        return list(default[first:])

    def _stated(self, hello: Hello) -> list[StatedProblem]:
        self.check()
        algorithm = hello.algorithms.get(self.algorithm)
        if algorithm is None:
            known = ", ".join(hello.algorithms)
            raise UsageError(f"--algorithm {self.algorithm}: unknown; the worker knows {known}")
        self._check_operators(algorithm)
        members, extents = self._given(hello, algorithm)
        expanded = [name for text in self.types for name in (algorithm.built_in_types if text == ALL_TYPES else [text])]
        types = [Types.parse(text) for text in dict.fromkeys(expanded)]
        for one in types:
            one.members_of(algorithm)
            _check_types(one, algorithm)
        ops: Sequence[str | None] = self.ops or [None]
        all_stated = [StatedProblem(algorithm, one, op, members, extents) for op in ops for one in types]
        for stated in all_stated:
            _check_struct(stated)
        return all_stated

    def _check_operators(self, algorithm: Algorithm) -> None:
        option = "--cost" if self.source else "--op"
        if algorithm.operator is None and self.ops:
            named = f"--operator {self.source.path}" if self.source else f"--op {self.ops[0]}"
            raise UsageError(f"{named}: {algorithm.name} takes no operator; leave it out")
        for op in self.ops:
            token, _ = split_operator(op)
            if algorithm.operator and token not in algorithm.operator.values:
                known = ", ".join(algorithm.operator.values)
                raise UsageError(f"{option}: the operator {token} is unknown; the worker knows {known}")

    def _given(
        self, hello: Hello, algorithm: Algorithm
    ) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, int], ...]]:
        """Return the given members, and every extent that such a problem has."""
        options = dict(self.options)
        for name, value in options.items():
            if name not in [option.option_name for option in algorithm.options]:
                raise UsageError(_misplaced(option_of(name), value, algorithm, hello.algorithms))
        extents = tuple(
            (extent.option_name, _size(extent.option, _taken(extent, options, algorithm)))
            for extent in algorithm.extents_of(options)
        )
        for extent in algorithm.extents:
            if extent.where is not None and extent.option_name in options:
                member, value = extent.where
                given = f"{extent.option} {options[extent.option_name]}"
                raise UsageError(f"{given}: is for {option_of(member)} {value}: add that option, or leave it out")
        return tuple(options.items()), extents


def _taken(extent: Extent, options: dict[str, str], algorithm: Algorithm) -> str:
    """Take the extent out of the options; raise UsageError if it is not there."""
    if extent.option_name in options:
        return options.pop(extent.option_name)
    whose = f"{option_of(extent.where[0])} {extent.where[1]}" if extent.where else algorithm.name
    raise UsageError(f"{whose} needs {extent.option} SIZE, such as {extent.option} 2^10. {extent.meaning}".strip())


def _misplaced(option: str, value: str, algorithm: Algorithm, algorithms: Algorithms) -> str:
    others = [other.name for other in algorithms.values() if option in [one.option for one in other.options]]
    advice = f"is for {', '.join(others)}: name --algorithm {others[0]}, or leave it out" if others else "leave it out"
    return f"{option} {value}: {algorithm.name} has no such option; {advice}"


def _size(option: str, text: str) -> int:
    try:
        (size,) = parse_sizes([text])
    except ValueError:
        raise UsageError(f"{option} {text}: takes one size; run once for each") from None
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None
    return size


def _check_types(types: Types, algorithm: Algorithm) -> None:
    takes_structs = CUSTOM_TYPE in algorithm.types[0].values
    for name in types.names:
        if not (takes_structs and is_custom_type(name)) and name not in algorithm.built_in_types:
            known = ", ".join(algorithm.built_in_types)
            structs = ", and structs, as custom8 for one of 8 bytes" if takes_structs else ""
            raise UsageError(f"--type {types}: the type {name} is unknown; the worker knows {known}{structs}")


def _check_struct(stated: StatedProblem) -> None:
    operator = stated.algorithm.operator
    if operator is None or stated.operator is None or not any(map(is_custom_type, stated.types.names)):
        return
    token, _ = split_operator(stated.operator)
    if is_custom_operator(token):
        return
    classes = ", ".join(filter(is_custom_operator, operator.values))
    raise UsageError(
        f"--type {stated.types} is a struct, which --op {token} cannot combine; choose the class of an operator that "
        f"can ({classes}), or tune your own operator with --operator FILE"
    )


def _check_that_none_is_named(ops: Sequence[str]) -> None:
    for op in ops:
        token, _, name = op.partition(":")
        if name and is_custom_operator(token):
            raise UsageError(
                f"--op {op} names a custom operator, whose source is missing: 'scantune --operator FILE --name "
                f"{name}' tunes it, and --op {token} its cost class"
            )
