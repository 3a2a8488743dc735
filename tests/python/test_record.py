"""The choice between two records of one key."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from examples import PROBES, RECORDS, at, scan
from scantune.model.carried_hashes import joint_hash
from scantune.model.device import Device
from scantune.model.least_time import impossibility
from scantune.model.octave import Range
from scantune.model.policy import Effort, policy_of
from scantune.model.record import Record, policy_text

QUICK = replace(RECORDS[0], run=replace(RECORDS[0].run, effort=Effort.quick))
NORMAL = replace(QUICK, run=replace(QUICK.run, effort=Effort.normal))


def test_more_effort_outranks_less_and_covers_it() -> None:
    assert NORMAL.better_than(QUICK)
    assert NORMAL.run.covers(QUICK.run)
    assert not QUICK.run.covers(NORMAL.run)


def test_finished_search_outranks_one_of_more_effort_that_was_cut_short_and_covers_nothing() -> None:
    short = replace(NORMAL, run=NORMAL.run.cut_short())
    assert QUICK.better_than(short)
    assert not short.better_than(QUICK)
    assert not short.run.covers(QUICK.run)


def test_record_measured_at_more_sizes_outranks_any_that_was_measured_at_fewer() -> None:
    probed, fewer = (replace(at(QUICK, 1000), probes=PROBES[:count]) for count in (3, 2))
    finished = replace(fewer, run=NORMAL.run, finished_at="2026-02-02T00:00:00Z")
    short = replace(probed, run=QUICK.run.cut_short())
    assert short.better_than(finished)
    assert not finished.better_than(short)
    assert replace(finished, probes=PROBES).better_than(short), "of as many sizes the finished search counts"


@pytest.mark.parametrize("range_", [Range(1000, 2000), Range(500, 999)])
def test_record_serves_a_range_that_holds_its_own_n(range_: Range) -> None:
    assert at(QUICK, 1000, serves=Range(999, 1000)).serves == Range(999, 1000)
    with pytest.raises(ValueError, match="does not hold the record's own n, 1000"):
        at(QUICK, 1000, serves=range_)


def test_record_of_which_no_range_is_told_serves_its_octave_up_to_its_own_n() -> None:
    columns = {name: value for name, value in vars(QUICK).items() if name not in ("serves", "probes", "n")}
    assert [Record(**columns, n=n).serves for n in (1, 2, 1000, 1024)] == [
        Range(0, 1), Range(1, 2), Range(512, 1000), Range(512, 1024),
    ]  # fmt: skip


def test_what_another_sampler_found_covers_no_default_run() -> None:
    policy = policy_of(QUICK.device, Effort.quick)
    default, drawn, tpe = (
        replace(QUICK.run, policy=policy_text(policy, None, one)) for one in ("default", "random", "tpe")
    )
    assert (default.sampler, drawn.sampler, QUICK.run.sampler) == ("default", "random", "default")
    assert "sampler" not in default.policy
    assert drawn.covers(drawn)
    assert default.covers(drawn)
    assert not drawn.covers(default)
    assert not drawn.covers(tpe)


def test_run_cut_short_keeps_the_rest_of_its_policy_and_its_kernels() -> None:
    own = replace(QUICK.run, policy='{"trials":96,"operator_source":"abc"}')
    short = own.cut_short()
    assert short.is_cut_short
    assert not own.is_cut_short
    assert (short.source_digest, short.kernel_hash) == ("abc", own.kernel_hash)


def test_run_is_named_by_what_other_kernels_were_measured_in_it_with_their_own_hash() -> None:
    other = QUICK.run.of_templates("c" * 64)
    assert not other.covers(QUICK.run)
    assert other.covers(replace(QUICK.run, template_hash="c" * 64))
    assert not QUICK.run.of_templates("").covers(QUICK.run.of_templates(""))


def test_hash_of_two_families_is_the_library_s() -> None:
    """JointTemplateHash in tests/cpu/jit_template_text_test.cpp has the same figure."""
    low, high = "a" * 64, "b" * 64
    assert joint_hash(low, low) == low
    assert joint_hash(low, high) == "1e831ae63ad800e26ef792d221be433a38d25fe9514139ae15dfa2bc5b232cf7"


def impossible_times() -> list[list[str]]:
    """Return the rows of the table that TuningTable.AgreesWithTheTunerOnImpossibleTimes reads, too."""
    text = Path(__file__).with_name("impossible_times.tsv").read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines()[2:], delimiter="\t"))


@pytest.mark.parametrize(("arch", "type_name", "n", "time_us", "reason"), impossible_times())
def test_time_that_no_device_takes_is_told_as_the_library_tells_it(
    arch: str, type_name: str, n: str, time_us: str, reason: str
) -> None:
    found = impossibility(Device(arch, "A device", 1), scan(type_name), int(n), float(time_us))
    assert found == (f"{time_us} µs are impossible: {reason}" if reason else None)
