"""The choice of tests to run, and their cost: ctest has one pool, whose large products of cases are drawn by commit.

Both commands read `ctest --show-only=json-v1`. `pool.py draw` prints what `ctest -I` takes. `pool.py report` reads the
file of `ctest --output-junit` too, and prints the slowest tests and what each family costs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

LABELS = frozenset({"python", "cpu", "nvrtc", "host", "long", "gpu", "gpu_long"})
DRAWN = "-drawn"  # suffix of the label of executables whose cases are products
SHARE = 20  # `make test` draws one case in so many
SLOWEST = 10
FAMILY_SHARE = 0.05  # of what `make test` costs: seconds would differ with the machine, and with what else it does
KERNELS = Path(__file__).parents[1] / "templates" / "kernels"


class PoolError(Exception):
    """The list of tests is wrong, so that one would be left out without anybody noticing."""


@dataclass(frozen=True)
class Test:
    number: int  # ctest's number, from 1
    name: str
    label: str  # what it needs to run; empty where its executable was not built
    is_case: bool  # whether it is a case of a product, which may be left to another commit


def listed(listing: Mapping[str, Any]) -> list[Test]:
    """Return the tests of `ctest --show-only=json-v1`, in ctest's order; raise PoolError if one would never be run."""
    tests = []
    for number, test in enumerate(listing["tests"], start=1):
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        name, labels = _plain(test["name"]), properties.get("LABELS", [])
        label = labels[0].removesuffix(DRAWN) if labels else ""
        if len(labels) > 1 or (label not in LABELS and not name.endswith("_NOT_BUILT")):
            raise PoolError(f"{name} has the labels {labels}, and needs one of {sorted(LABELS)}")
        tests.append(Test(number, name, label, bool(labels) and labels[0].endswith(DRAWN) and "/" in name))
    for name, count in Counter(test.name for test in tests if test.label).items():
        if count > 1:
            raise PoolError(f"{count} tests are called {name}; give those of one executable a PREFIX")
    return tests


def _plain(name: str) -> str:
    """Return the name without the parameter behind it, which may be an address."""
    return name.partition("  #")[0].strip()


def draw(
    tests: Sequence[Test], labels: Iterable[str], share: int, seed: str, changed: Iterable[str] = ()
) -> list[Test]:
    """Return the tests with one of the labels. One case of a product in `share` is drawn, and all of changed files are.

    A case is drawn by its name and the seed alone, so that a new test changes nothing for the others. Raises PoolError
    if there is no test of a label, or, where none is to be left out, if an executable was not built.
    """
    for label in labels:
        if not any(test.label == label for test in tests):
            raise PoolError(f"there is no {label} test")
    if share == 1 and (missing := [test.name for test in tests if not test.label]):
        raise PoolError(f"not built: {', '.join(missing)}")
    stems = tuple(f"/{stem}_line_" for stem in changed)
    return [
        test
        for test in tests
        if test.label in labels
        and (not test.is_case or _lot(test.name, seed) % share == 0 or any(stem in test.name for stem in stems))
    ]


def _lot(name: str, seed: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "big")


def durations(junit: Path) -> dict[str, float]:
    """Return the seconds that each test of a run took, by name."""
    return {
        _plain(case.attrib["name"]): float(case.attrib["time"])
        for case in ElementTree.parse(junit).getroot().iter("testcase")
        if case.attrib.get("status") != "disabled"
    }


def cost(tests: Iterable[Test], seconds: Mapping[str, float]) -> float:
    """Return the core-seconds that tests cost `make test` on average, where one case in SHARE is drawn."""
    return sum(seconds.get(test.name, 0.0) / (SHARE if test.is_case else 1) for test in tests)


def family_shares(tests: Sequence[Test], seconds: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    """Return which share of the cost of `make test` each family has.

    A test belongs to the family that it names; tests that families share belong to none.
    """
    whole = cost(tests, seconds)
    spelled = {name: (name, name.replace("_", "")) for name in names}
    return {
        family: cost((test for test in tests if any(one in test.name.lower() for one in spellings)), seconds) / whole
        for family, spellings in spelled.items()
    }


def family_names() -> list[str]:
    """Return the names of the families: those of the headers in templates/kernels that have a config header.

    The families of the gallery are small, and counted as one.
    """
    configs = KERNELS.parent / "config"
    return ["gallery", *sorted(path.stem for path in KERNELS.glob("*.h") if (configs / path.name).exists())]


def print_slowest(seconds: Mapping[str, float]) -> None:
    print(f"the slowest of {len(seconds)} tests, {sum(seconds.values()):.0f} core-seconds in all:")
    for name, took in sorted(seconds.items(), key=lambda item: -item[1])[:SLOWEST]:
        print(f"  {took:6.1f} s  {name[:120]}")


def costly_families(tests: Sequence[Test], seconds: Mapping[str, float], limit: float) -> list[str]:
    """Print which share of the cost of `make test` each family has; return those above the limit."""
    shares = family_shares(tests, seconds, family_names())
    told = ", ".join(f"{name} {share:.1%}" for name, share in sorted(shares.items(), key=lambda item: -item[1]))
    print(
        f"of the {cost(tests, seconds):.0f} core-seconds of make test, where one case in {SHARE} is drawn, "
        f"each family has (at most {limit:.0%}): {told}"
    )
    return [name for name, share in shares.items() if share > limit]


def print_drawn(tests: Sequence[Test], arguments: argparse.Namespace) -> None:
    labels = arguments.labels.split(",")
    drawn = draw(tests, labels, arguments.share, arguments.seed, arguments.changed.split())
    if arguments.share > 1:
        cases = [test for test in tests if test.label in labels and test.is_case]
        print(
            f"drawn: {sum(test.is_case for test in drawn)} of {len(cases)} cases by seed {arguments.seed} "
            "(SEED=... draws others, make test-all runs all)",
            file=sys.stderr,
        )
    print(",".join(["0", "0", "0", *(str(test.number) for test in drawn)]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--labels", required=True, help="joined by commas")
    drawing.add_argument("--share", type=int, default=SHARE, help="one case in so many is drawn; 1: all")
    drawing.add_argument("--seed", required=True)
    drawing.add_argument(
        "--changed", default="", help="stems of templates whose mutants are drawn all, joined by spaces"
    )
    reporting = commands.add_parser("report")
    reporting.add_argument("junit", type=Path)
    reporting.add_argument(
        "--families", action="store_true", help="of a run of all cases; fail where one costs too much"
    )
    arguments = parser.parse_args()

    try:
        tests = listed(json.load(sys.stdin))
        if arguments.command == "draw":
            print_drawn(tests, arguments)
            return 0
    except PoolError as error:
        print(f"pool: {error}", file=sys.stderr)
        return 1
    seconds = durations(arguments.junit)
    print_slowest(seconds)
    costly = costly_families(tests, seconds, FAMILY_SHARE) if arguments.families else []
    for name in costly:
        print(f"{name} has more than {FAMILY_SHARE:.0%} of the cost of make test: make its tests cheaper")
    return 1 if costly else 0


if __name__ == "__main__":
    sys.exit(main())
