"""Lets the sampler of this tuner and Optuna's TPE search recorded spaces, each with what other spaces tell.

    python tests/bench/compare_samplers.py [FILE...] [--seeds 20] [--workers 2] >results.csv

Both evaluate 96 configs, the defaults of all families first. What is known is learned from the shipped spaces of other
problems. The sampler of this tuner takes it as the prior of its model. TPE takes it by trials that are enqueued: the
fastest configs of other problems of the algorithm, and the single changes of the defaults that are expected to gain
most. TPE also searches without these. Spaces of another GPU join by being named.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

from scantune.cli.replay import shipped_spaces
from scantune.model.config import Config
from scantune.model.policy import Effort
from scantune.model.recorded_space import RecordedSpace
from scantune.search.effects import Effects
from scantune.search.replay import Trace, effects_for, replay, replay_policy
from scantune.search.sampler_names import Sampler
from scantune.store.space_file import read_space

AT = (20, 40, 60, 96)
STEPS = 8  # single changes that TPE is to try

SUBJECTS = {"default": Sampler.default, "tpe": Sampler.tpe, "tpe, nothing enqueued": Sampler.tpe}

Job = tuple[Path, str, int]


@cache
def read(file: Path) -> RecordedSpace:
    return read_space(file)


def expected_steps(recorded: RecordedSpace, effects: Effects, count: int) -> list[Config]:
    """Return the legal changes of one value of a family's default that are expected to gain most."""
    steps: dict[Config, float] = {}
    for family in recorded.families:
        values = dict(family.default.values) if family.default else {}
        for parameter in family.parameters if family.default else ():
            known = effects.find(family.name, parameter.name)
            for value in parameter.values if known else ():
                config = family.table.config({**values, parameter.name: value})
                if known and config in recorded.by_config:
                    gain = known.effects.get(values[parameter.name], 0.0) - known.effects.get(value, 0.0)
                    steps[config] = gain
    return [config for config in sorted(steps, key=lambda one: -steps[one]) if steps[config] > 0][:count]


def winners_elsewhere(recorded: RecordedSpace, others: Iterable[RecordedSpace]) -> list[Config]:
    """Return the fastest configs of other problems of the same algorithm; illegal ones are left out by the search."""
    alike = (one for one in others if one.problem.algorithm == recorded.problem.algorithm)
    return [one.optimum.config for one in alike if one.problem != recorded.problem and one.optimum]


def one(job: Job) -> Trace:
    file, subject, seed = job
    sampler = SUBJECTS[subject]
    recorded, others = read(file), [read(other) for other in shipped_spaces()]
    effects = effects_for(recorded, others)
    policy = replace(replay_policy(recorded, Effort.quick), trials=max(AT), patience=max(AT))
    if sampler.has_prior:
        return replay(recorded, sampler, seed, policy, effects)
    starts = (
        [] if subject != "tpe" else [*winners_elsewhere(recorded, others), *expected_steps(recorded, effects, STEPS)]
    )
    return replay(recorded, sampler, seed, policy, starts=starts)


def line(file: Path, subject: str, traces: Sequence[Trace]) -> str:
    shares = [[trace.share_at(count) for trace in traces] for count in AT]
    means = ",".join(f"{statistics.fmean(one):.4f}" for one in shares)
    at_60 = sorted(shares[AT.index(60)])
    worst = at_60[max(0, -(-len(at_60) // 10) - 1)]
    space = file.name.partition(".")[0]
    return f'{space},"{subject}",{len(traces)},{means},{statistics.median(at_60):.4f},{worst:.4f}'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--subjects", nargs="+", choices=list(SUBJECTS), help="what searches; default: all of them")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    files = given.files or shipped_spaces()
    means = ",".join(f"mean_share_at_{count}" for count in AT)
    print(f"space,sampler,seeds,{means},median_share_at_60,worst_tenth_share_at_60")
    with ProcessPoolExecutor(given.workers) as pool:
        for file, subject in product(files, given.subjects or SUBJECTS):
            traces = list(pool.map(one, [(file, subject, seed) for seed in range(1, given.seeds + 1)]))
            print(line(file, subject, traces))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
