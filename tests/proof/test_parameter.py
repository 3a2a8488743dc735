"""The patch of docs/adding-a-parameter.md gives `lookback` a parameter in two files, and everything takes it in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from patched_tree import HERE, ROOT, User, files_of, run
from test_patches import compiler

PATCH = "parameter.patch"
# Prints the configs of lookback that a search explores.
PROGRAM = """
#include <cstdio>
#include "scan/config/scan.h"
#include "space/space.h"
using namespace scantune;
int main() {
  ScanRequest request;
  request.n = 1 << 24;
  for (const Config& config : searched_configs(*find_family("lookback"), request, 90))
    std::puts(to_string(config).c_str());
}
"""
SPACE = [f"runtime/space/{name}.cpp" for name in ("algorithm", "operands", "request", "space", "spelling", "strided")]
REQUEST = {"algorithm": "scan", "input_type": "i32", "n": 5001}

pytestmark = pytest.mark.timeout(1200)


def test_the_page_shows_the_patch_of_two_files() -> None:
    page = (ROOT / "docs/adding-a-parameter.md").read_text()
    (shown,) = re.findall(r"^```diff\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown == (HERE / PATCH).read_text()
    assert files_of(PATCH) == ["templates/scan/config/lookback.h", "templates/scan/kernels/lookback.h"]


def test_the_space_has_the_parameter(sources: Path, tmp_path: Path) -> None:
    (tmp_path / "program.cpp").write_text(PROGRAM)
    include = [f"-I{sources / folder}" for folder in ("templates", "runtime", "runtime/include")]
    files = [tmp_path / "program.cpp", *(sources / file for file in SPACE)]
    run(compiler(), "-std=c++20", "-O0", *include, *files, "-o", tmp_path / "program")
    configs = run(tmp_path / "program").splitlines()
    changed = [config for config in configs if "prefetch=0" in config]
    assert changed
    assert all("tile_order=block_index" in config and "pdl=1" in config for config in changed)
    assert len(changed) + sum("prefetch=1" in config for config in configs) == len(configs) < 4000


@pytest.mark.campaign
def test_the_worker_lists_verifies_and_refuses_it(user: User) -> None:
    space = user.ask_worker("space", request=REQUEST)["result"]
    (lookback,) = [family for family in space["families"] if family["name"] == "lookback"]
    assert {"name": "prefetch", "role": "secondary", "values": [0, 1]}.items() <= lookback["parameters"][-1].items()
    config = lookback["default"]
    assert config["parameters"]["prefetch"] == 1
    config["parameters"]["prefetch"] = 0
    assert user.ask_worker("verify", request=REQUEST, config=config)["result"]["checks"] >= 20
    config["parameters"]["pdl"] = 0
    assert "else no tile is prefetched" in user.ask_worker("verify", request=REQUEST, config=config)["error"]["message"]


@pytest.mark.campaign
def test_a_bench_takes_it_from_the_command_line(user: User) -> None:
    config = "lookback:prefetch=0"
    printed = user.scantune("bench", "--arch", "host", "--type", "i32", "--n", "2^14", "--config", config)
    assert "prefetch=0" in printed
