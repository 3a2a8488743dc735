"""What is known of the cells of a device while a run covers them, and what may still be gained there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from scantune.model.cell import Cell
from scantune.model.config import Config
from scantune.model.coverage import Coverage, Way
from scantune.model.device import Device
from scantune.model.octave import Range, octave_of
from scantune.model.problem import Problem
from scantune.model.quantity import MAX_N
from scantune.model.record import Record
from scantune.model.value import bytes_of, is_integer_type

# These are shares of a cell's time that a search may gain. They follow what searches on an H100 gained over its
# defaults up to 2^20 items.
_FIRST = 0.08  # at a size that is searched before its neighbours
_BETWEEN = 0.06  # at a size between two that are searched first, and whose winners may serve it
_ALIKE = 0.02  # where the winner of a problem with values as wide is raced
_HARDLY = 0.01  # so little is not worth a search
_NEAR_A_COPY = 0.94  # share of the copy's bandwidth: no search is known to have gained more than 1 % from there
_COPY_COUNTS_FROM_BYTES = 4 * 2**20  # below, launching takes more time than copying


class Standings:
    def __init__(
        self, device: Device, cells: Sequence[Cell], records: Iterable[Record] = (), built_in: Iterable[Record] = ()
    ) -> None:
        """Begin with what earlier runs know of `cells`.

        `records` are the user's, `built_in` the library's. Winners of other devices of this architecture are raced too.
        """
        self.coverage = {cell: Coverage(cell) for cell in cells}
        self._sizes = sorted({cell.n for cell in cells})
        self._built_in = {Cell(one.problem, one.n): one.config for one in built_in if one.device == device}
        self._leaders: dict[object, Problem] = {}  # the first problem of each kind is searched for all of them
        for cell in cells:
            self._leaders.setdefault(_likeness(cell.problem), cell.problem)
            self._leaders.setdefault(_sameness(cell.problem), cell.problem)
        self._records: dict[Cell, Record] = {}
        self._claimed: list[tuple[Range, Cell]] = []  # octaves that a cell in its final round may come to serve
        self._winners = dict(self._built_in)
        self._elsewhere: dict[Cell, Config] = {}
        for record in [*built_in, *records]:
            if record.device != device and record.device.arch == device.arch:
                self._elsewhere[Cell(record.problem, record.n)] = record.config
        for record in records:
            if record.device == device:
                self.learn(record)

    def learn(self, record: Record) -> None:
        cell = Cell(record.problem, record.n)
        self._records[cell] = record
        self._claimed = [(gap, claimant) for gap, claimant in self._claimed if claimant != cell]
        self._winners[cell] = record.config

    @property
    def has_measured(self) -> bool:
        """Whether this run, and not an earlier one, has found a winner anywhere."""
        return any(covered.ratios for covered in self.coverage.values())

    @property
    def records(self) -> Collection[Record]:
        """Every record of the device, as it is now."""
        return self._records.values()

    def record(self, cell: Cell) -> Record | None:
        return self._records.get(cell)

    def gaps(self, cell: Cell) -> list[Range]:
        """Return the octaves next to a cell's that have no cell of the run, and that no record of another cell of the
        device serves or will serve: they belong to the cell until it has a record.
        """
        octave = octave_of(cell.n)
        beside = [Range(octave.up_to, 2 * octave.up_to)] if octave.up_to < MAX_N else []
        beside += [Range(octave.above // 2, octave.above)] if octave.above > 1 else []
        taken = [other.n for other in self.coverage if other.problem == cell.problem]
        served = [one.serves for one in self._records.values() if one.problem == cell.problem and one.n != cell.n]
        served += [gap for gap, claimant in self._claimed if claimant != cell and claimant.problem == cell.problem]
        gaps = [
            gap for gap in beside if not any(n in gap for n in taken) and not any(gap.overlaps(one) for one in served)
        ]
        self._claimed += [(gap, cell) for gap in gaps]
        return gaps

    def promising(self, cell: Cell) -> list[Config]:
        """Return winners that may win this cell too.

        They are its own, its neighbours', those of problems alike, the library's, and what wins the cell on another
        device of this architecture.
        """
        kind = _likeness(cell.problem)
        alike = [other for other in self._winners if other.n == cell.n and _likeness(other.problem) == kind]
        places = [cell, *self._neighbours(cell), *alike]
        winners = [self._winners[place] for place in places if place in self._winners]
        others = [known[cell] for known in (self._built_in, self._elsewhere) if cell in known]
        return list(dict.fromkeys([*winners, *others]))

    def promise(self, cell: Cell) -> float:
        """Return the share of its time that a search of the cell may gain; 0 where no search is worth while."""
        if self.settled_because(cell):
            return 0.0
        leader = Cell(self._leaders[_likeness(cell.problem)], cell.n)
        known = self.coverage[cell].may_gain
        if known is not None:
            most = known
        elif leader != cell:
            most = _ALIKE
        else:
            most = _FIRST if self._sizes.index(cell.n) % 2 else _BETWEEN
        share = self._share_of_copy(cell)
        return most if share is None else min(most, 1 - share)

    def leads(self, cell: Cell) -> bool:
        """Return whether a cell is the first to be searched of those whose winners are alike."""
        return self._leaders[_likeness(cell.problem)] == cell.problem

    def settled_because(self, cell: Cell) -> str:
        """Return why a race of the cell was enough; an empty string if it was not."""
        covered = self.coverage[cell]
        if not covered.winner:
            return ""
        if cell in self._built_in:
            return "the library has a record of it"
        leader = Cell(self._leaders[_sameness(cell.problem)], cell.n)
        if leader != cell and self._is_trusted(leader) and self._is_as_fast(self._winners[leader], covered):
            return f"the winner of {leader.problem} serves it"
        share = self._share_of_copy(cell)
        if share is not None and share >= _NEAR_A_COPY:
            return f"{share:.0%} of a copy"
        return "the default ties with its neighbours' winners" if self._ties(covered) else ""

    def _ties(self, covered: Coverage) -> bool:
        """Return whether the default and the neighbours' winners, one at either end, are as fast as the winner here."""
        neighbours = self._neighbours(covered.cell)
        if not covered.default or not neighbours or not all(map(self._is_trusted, neighbours)):
            return False
        rivals = [self._winners[place] for place in neighbours if self._winners[place] in covered.ratios]
        return bool(rivals) and all(self._is_as_fast(config, covered) for config in (covered.default, *rivals))

    def _is_as_fast(self, config: Config, covered: Coverage) -> bool:
        """Return whether a config was raced in a cell and is not measurably slower than the winner."""
        return config == covered.winner or covered.ratios.get(config, 2.0) <= 1 + _HARDLY

    def _is_trusted(self, cell: Cell) -> bool:
        """Return whether the winner of a cell comes from a search, or needs none."""
        known = self.coverage.get(cell)
        return cell in self._built_in or (
            known is not None and known.way in (Way.finished, Way.searched, Way.cut_short, Way.confirmed)
        )

    def _neighbours(self, cell: Cell) -> list[Cell]:
        """Return the nearest smaller and the nearest larger cell of the problem that have a winner."""
        sizes = [other.n for other in self._winners if other.problem == cell.problem]
        below, above = [n for n in sizes if n < cell.n], [n for n in sizes if n > cell.n]
        ends = ([max(below)] if below else []) + ([min(above)] if above else [])
        return [Cell(cell.problem, n) for n in ends]

    def _share_of_copy(self, cell: Cell) -> float | None:
        record = self._records.get(cell)
        if record is None or record.ceiling_us is None or cell.bytes_moved < _COPY_COUNTS_FROM_BYTES:
            return None
        return record.ceiling_us / record.median_us


def _likeness(problem: Problem) -> tuple[object, ...]:
    """Return what problems with similar winners share: the bytes of their items, and all members but the types."""
    return problem.algorithm, problem.shape, *map(bytes_of, problem.operand_types), problem.others


def _sameness(problem: Problem) -> tuple[object, ...]:
    """Return what problems share whose kernels do the same work, such as sums of signed and unsigned integers."""
    types = problem.types.values()
    return (*_likeness(problem), *map(is_integer_type, types), *map(bytes_of, types))
