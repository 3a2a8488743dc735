"""Which tests run now, and what they cost: one pool of ctest's, of which large products of cases are drawn by commit.

`pool.py draw` reads `ctest --show-only=json-v1` and prints what `ctest -I` takes. `pool.py report` reads the file of
`ctest --output-junit` and prints the slowest tests and the core-seconds of each family.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

DRAWN = "-drawn"  # ends the label of executables whose cases are products
SLOWEST = 10
CORE_SECONDS_OF_A_FAMILY = 60.0
CORE_SECONDS_OF_A_TEACHING_KERNEL = 15.0
KERNELS = Path(__file__).parents[1] / "templates" / "kernels"


@dataclass(frozen=True)
class Test:
    number: int  # ctest's, from 1
    name: str
    label: str  # what it needs to run: cpu, nvrtc, host, gpu, python
    is_case: bool  # of a product, and may be left to another commit


def listed(listing: Mapping[str, Any]) -> list[Test]:
    """Return the tests of `ctest --show-only=json-v1`, in ctest's order."""
    tests = []
    for number, test in enumerate(listing["tests"], start=1):
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        name, label = _plain(test["name"]), "".join(properties.get("LABELS", []))
        tests.append(Test(number, name, label.removesuffix(DRAWN), label.endswith(DRAWN) and "/" in name))
    return tests


def _plain(name: str) -> str:
    """Return the name without the parameter behind it, which may be an address."""
    return name.partition("  #")[0].strip()


def draw(tests: Iterable[Test], labels: set[str], share: int, seed: str, changed: Iterable[str] = ()) -> list[Test]:
    """Return the tests with one of the labels: of the cases of products one in `share`, and those of changed files.

    A case is drawn by its name and the seed alone, so that a new test changes nothing for the others.
    """
    stems = tuple(f"/{stem}_" for stem in changed)
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


def families(seconds: Mapping[str, float], names: Iterable[str]) -> dict[str, float]:
    """Return the core-seconds of the tests that name each family; what they share belongs to none."""
    spelled = {name: (name, name.replace("_", "")) for name in names}
    return {
        family: sum(took for test, took in seconds.items() if any(one in test.lower() for one in spellings))
        for family, spellings in spelled.items()
    }


def family_names() -> list[str]:
    """Return the names of the families: of the headers in templates/kernels that a config header stands beside."""
    configs = KERNELS.parent / "config"
    return sorted(path.stem for path in KERNELS.glob("*.h") if (configs / path.name).exists())


def report(seconds: Mapping[str, float], limit: float) -> list[str]:
    """Print the slowest tests and the cost of each family; return the families that cost more than the limit."""
    print(f"the slowest of {len(seconds)} tests, {sum(seconds.values()):.0f} core-seconds in all:")
    for name, took in sorted(seconds.items(), key=lambda item: -item[1])[:SLOWEST]:
        print(f"  {took:6.1f} s  {name[:120]}")
    costs = families(seconds, family_names())
    told = ", ".join(f"{name} {took:.0f}" for name, took in sorted(costs.items(), key=lambda item: -item[1]))
    print(f"core-seconds of each family (at most {limit:.0f}): {told}")
    return [name for name, took in costs.items() if took > limit]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("--labels", required=True, help="joined by commas")
    drawing.add_argument("--share", type=int, required=True, help="one case in so many is drawn; 1: all")
    drawing.add_argument("--seed", required=True)
    drawing.add_argument("--changed", default="", help="stems of templates whose cases are drawn all, joined by spaces")
    reporting = commands.add_parser("report")
    reporting.add_argument("junit", type=Path)
    reporting.add_argument("--limit", type=float, default=CORE_SECONDS_OF_A_FAMILY, help="core-seconds of a family")
    arguments = parser.parse_args()

    if arguments.command == "report":
        costly = report(durations(arguments.junit), arguments.limit)
        for name in costly:
            print(f"{name} costs more than {arguments.limit:.0f} core-seconds: make its tests cheaper")
        return 1 if costly else 0

    tests = listed(json.load(sys.stdin))
    labels = set(arguments.labels.split(","))
    drawn = draw(tests, labels, arguments.share, arguments.seed, arguments.changed.split())
    cases = [test for test in tests if test.label in labels and test.is_case]
    if arguments.share > 1:
        print(
            f"drawn: {sum(test.is_case for test in drawn)} of {len(cases)} cases by seed {arguments.seed} "
            "(SEED=... draws others, make test-long runs all)",
            file=sys.stderr,
        )
    print(",".join(["0", "0", "0", *(str(test.number) for test in drawn)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
