"""What each suite of tests may cost, and what it did cost: .ci/budgets.tsv declares it, .ci/test asks.

budget.py calibrate         prints how many times as long as the machine of the table this one takes now
budget.py check             reads `ctest --show-only=json-v1`; fails if a suite has no row, or would never be run
budget.py report COSTS FAILED FACTOR
                            prints declared and measured core-seconds, and the tests that failed with the commands that
                            repeat them; fails where a suite took more than 1.5 times its budget
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("budgets.tsv")
CALIBRATION = "calibration"
EXCESS = 1.5
SLACK_S = 2.0  # what a suite may take beside, since the smallest vary most
MUTANTS = ("mutation_test", "SCANTUNE_MUTANTS")  # tries more mutants where this names templates that were changed
GATED = frozenset({"python", "cpu", "nvrtc", "host"})
OTHERS = frozenset({"long", "gpu", "gpu_long"})  # which have no budget
_SOURCE = """#include <functional>
#include <map>
#include <string>
using Map = std::map<std::string, std::function<int(int)>>;
Map known(Map all) { all["a"] = [](int x) { return x + 1; }; return all; }
"""


class BudgetError(Exception):
    """The table or the list of tests is wrong."""


@dataclass(frozen=True)
class Cost:
    suite: str
    core_s: float
    wall_s: float


def declared(table: str) -> dict[str, float]:
    """Return the core-seconds of each suite, from the text of the table: name, core-seconds, what it is for."""
    budgets: dict[str, float] = {}
    for line in table.splitlines():
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 3 or not fields[2]:
            raise BudgetError(f"a row has a suite, its core-seconds and what it is for, not: {line}")
        if fields[0] in budgets:
            raise BudgetError(f"{fields[0]} has two rows")
        budgets[fields[0]] = float(fields[1])
    return budgets


def faults_of(listing: Mapping[str, Any], budgets: Mapping[str, float]) -> list[str]:
    """Return what is wrong with the tests that ctest lists: a label that nothing runs, or no budget."""
    faults = []
    for test in listing["tests"]:
        name = test["name"]
        labels: list[str] = next((one["value"] for one in test.get("properties", []) if one["name"] == "LABELS"), [])
        if name.endswith("_NOT_BUILT"):  # a GPU's, where there is none
            continue
        if len(labels) != 1 or labels[0] not in GATED | OTHERS:
            faults.append(f"{name} has the labels {labels}, and needs one of {sorted(GATED | OTHERS)}")
        elif labels[0] in GATED and name not in budgets:
            faults.append(f"{name} has no row in .ci/budgets.tsv: say what it may cost, and what it is for")
    names = {test["name"] for test in listing["tests"]}
    return faults + [
        f"{name} is in .ci/budgets.tsv, and no test" for name in budgets if name not in names | {CALIBRATION}
    ]


def costs_of(text: str) -> list[Cost]:
    rows = [line.split("\t") for line in text.splitlines()]
    return [Cost(row[0], float(row[1]), float(row[2])) for row in rows]


def excesses(costs: Sequence[Cost], budgets: Mapping[str, float], factor: float) -> list[str]:
    """Return a sentence for each suite that took more than 1.5 times its budget on a machine of that factor.

    The suite of mutants has none where SCANTUNE_MUTANTS asks it for more of them.
    """
    suite, variable = MUTANTS
    if os.environ.get(variable):
        costs = [cost for cost in costs if cost.suite != suite]
    return [
        f"{cost.suite} took {cost.core_s:.1f} core-seconds, and {limit:.1f} are 1.5 times its budget here: make it "
        "cheaper, or say in .ci/budgets.tsv why it is worth more"
        for cost in costs
        if cost.core_s > (limit := EXCESS * factor * budgets.get(cost.suite, 0.0)) + SLACK_S
    ]


def compile_seconds() -> float:
    """Return the core-seconds of compiling a fixed source, two at a time as tests run."""
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-S", "-x", "c++", "-", "-o", "/dev/null"]
    before = os.times()
    running = [subprocess.Popen(command, stdin=subprocess.PIPE, text=True) for _ in range(2)]
    for process in running:
        process.communicate(_SOURCE)
    after = os.times()
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent / len(running)


def print_report(costs: Sequence[Cost], budgets: Mapping[str, float], factor: float) -> None:
    ran = [cost for cost in costs if cost.core_s > 0]
    print(f"core-seconds of {len(ran)} suites, declared (times {factor:.2f} on this machine) and measured:")
    for cost in sorted(ran, key=lambda cost: -cost.core_s):
        print(f"  {cost.suite:<28} {budgets.get(cost.suite, 0.0) * factor:7.1f} {cost.core_s:7.1f}")
    whole = sum(budgets.get(cost.suite, 0.0) for cost in ran) * factor
    print(f"  {'all':<28} {whole:7.1f} {sum(cost.core_s for cost in ran):7.1f}")
    if len(ran) < len(costs):
        print(f"{len(costs) - len(ran)} suites passed before with the same inputs (FRESH=1 runs them again)")


def report(costs_file: Path, failed_file: Path, factor: float) -> int:
    budgets = declared(TABLE.read_text(encoding="utf-8"))
    costs = costs_of(costs_file.read_text(encoding="utf-8")) if costs_file.exists() else []
    print_report(costs, budgets, factor)
    failed = failed_file.read_text(encoding="utf-8").splitlines() if failed_file.exists() else []
    for line in failed:
        suite, test, command = line.split("\t")
        print(f"failed: {suite}: {test}\n  again: {command}")
    # What failed may have taken long for that reason.
    over = [] if failed else excesses(costs, budgets, factor)
    for sentence in over:
        print(f"failed: {sentence}")
    return 1 if over or failed else 0


def main() -> int:
    command = sys.argv[1:]
    try:
        budgets = declared(TABLE.read_text(encoding="utf-8"))
        if command == ["calibrate"]:
            print(f"{max(compile_seconds() / budgets[CALIBRATION], 0.5):.3f}")
            return 0
        if command == ["check"]:
            if faults := faults_of(json.load(sys.stdin), budgets):
                raise BudgetError("\n".join(faults))
            return 0
        if len(command) == 4 and command[0] == "report":
            return report(Path(command[1]), Path(command[2]), float(command[3]))
    except BudgetError as error:
        print(f"budget: {error}", file=sys.stderr)
        return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
