"""The public headers, and what compilers say of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tree import ROOT

PUBLIC_INCLUDE = "runtime/include"
PUBLIC = sorted((ROOT / PUBLIC_INCLUDE / "scantune").iterdir())
PUBLIC_CPP = [path for path in PUBLIC if path.suffix == ".hpp"]
PUBLIC_C = [path for path in PUBLIC if path.suffix == ".h"]

OPTION_STRUCTS = [
    *("ScanOptions", "ReduceOptions", "ArgOptions", "SelectOptions", "FlaggedOptions", "UniqueOptions"),
    *("ThreeWayOptions", "LoadBalanceOptions", "ExpandOptions", "SortOptions", "ArgsortOptions"),
    *("SegmentTotalOptions", "SegmentedReduceOptions", "SegmentedScanOptions"),
    *("SegmentedSortOptions", "SegmentedArgsortOptions", "RunLengthOptions", "RunLengthDecodeOptions"),
    *("TopKOptions", "ArgtopKOptions", "SegmentedTopKOptions", "SegmentedArgtopKOptions"),
]

GXX = os.environ.get("CXX", "g++")
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin") or "nvcc"
needs_nvcc = pytest.mark.skipif(shutil.which(NVCC) is None, reason="needs nvcc, which is not installed")
CPP_COMPILERS = [GXX, "clang++", pytest.param(NVCC, marks=needs_nvcc)]
C_COMPILERS = ["gcc", "clang"]


def compile_alone(header: Path, scratch: Path, compiler: str, *flags: str) -> str:
    """Return the compiler's messages about a file that includes the header twice and nothing else."""
    if shutil.which(compiler) is None:
        pytest.fail(f"{compiler} is not installed; .ci/setup installs it")
    source = scratch / ("alone.c" if compiler in C_COMPILERS else "alone.cpp")
    source.write_text(f'#include "{header}"\n#include "{header}"\n')
    command = [compiler, *flags, str(source)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stderr


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
