"""Configs on the command line: JSON, or a family with values that differ from its default."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from scantune.cli.restriction_options import check_family, nearest, values_of
from scantune.errors import UsageError
from scantune.model.algorithm import Algorithm
from scantune.model.cell import Cell
from scantune.model.config import Config, Value, is_token
from scantune.worker.evaluation import Evaluator
from scantune.worker.selection import Selection

SELECTED = "selected"
_SPELLINGS = "write lookback, lookback:block_threads=256,layout=striped or JSON with family and parameters"


@dataclass(frozen=True)
class StatedConfig:
    text: str
    option: str  # the option that it was given to
    family: str
    values: tuple[tuple[str, Value], ...]  # the others are the default's

    @classmethod
    def parse(cls, text: str, option: str) -> StatedConfig:
        """Raises UsageError for texts that are not a config for any worker."""
        if text.lstrip().startswith("{"):
            try:
                config = Config.from_message(json.loads(text))
            except (ValueError, RecursionError) as error:
                raise UsageError(f"{option} {text}: {error}; {_SPELLINGS}") from None
            return cls(text, option, config.family, config.values)
        family, colon, rest = text.partition(":")
        if not is_token(family):
            raise UsageError(f"{option} {text}: not a config; {_SPELLINGS}")
        values = values_of(f"{option} {family}:", rest.split(",")) if colon else ()
        return cls(text, option, family, values)

    def check(self, algorithm: Algorithm) -> None:
        """Raise UsageError if the algorithm has no such family, or the family no such parameter."""
        check_family(self.option, self.family, algorithm)
        table = algorithm.families[self.family]
        for name, value in self.values:
            if name not in table.names and (name, value) not in table.former:
                raise UsageError(
                    f"{self.option} {self.text}: {self.family} has no parameter {name}; {nearest(name, table.names)}"
                    f"{self.family} has {', '.join(table.names)}"
                )

    def of(self, cell: Cell, evaluator: Evaluator) -> Selection | str:
        """Return the config as it would be selected for a cell, or the reason why it is not legal there."""
        space = evaluator.space(*cell, configs=False, named=[self.family])
        if (family := space.families.get(self.family)) is None or family.default is None:
            return f"{self.family} does not support it; these do: {', '.join(space.families)}"
        values = {**dict(family.default.values), **dict(self.values)}
        config = family.known(Config(self.family, tuple(values.items())))
        if config is None:
            return f"{self.family} has no such parameters"
        if (refusal := evaluator.refusal(*cell, config)) is not None:
            return f"{self.text}: {refusal}"
        return Selection(config, "given", f"given as {self.text}", ())


def check_legal(stated: Sequence[StatedConfig], cells: Sequence[Cell], evaluator: Evaluator) -> None:
    """Raise UsageError if one of these is legal in none of the cells."""
    for one in stated:
        reasons = []
        for cell in cells:
            if not isinstance(found := one.of(cell, evaluator), str):
                break
            reasons.append(f"{cell}: {found}")
        else:
            raise UsageError(f"{one.option} {one.text}: not legal; {reasons[0]}")
