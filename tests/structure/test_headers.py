"""Every header that users or both compilers read compiles alone, and users need nothing beside the public ones."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from headers import (
    C_COMPILERS,
    GXX,
    NVCC,
    OPTION_STRUCTS,
    PUBLIC,
    PUBLIC_C,
    PUBLIC_CPP,
    PUBLIC_INCLUDE,
    compile_alone,
    needs_nvcc,
    without_comments,
)
from tree import ROOT

TEMPLATES = ROOT / "templates"
CONFIG = sorted(path for rooms in ("core/contract", "*/config", "gallery") for path in TEMPLATES.glob(f"{rooms}/*.h"))
WARNINGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
# g++'s full -Wshadow objects to enumerators of scoped enums that share a type's name, as the configs' do.
OWN_WARNINGS = [flag if flag != "-Wshadow" else "-Wshadow=local" for flag in WARNINGS]

INCLUDE = re.compile(r"""^\s*#\s*include\s*([<"])([^>"]+)[>"]""", re.MULTILINE)
C_HEADERS = {"stddef.h", "stdint.h"}


@pytest.fixture(scope="module")
def standard_headers(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return options that include the standard headers of the public ones, which are parsed once."""
    header = tmp_path_factory.mktemp("precompiled") / "standard.hpp"
    found = {name for path in PUBLIC_CPP for bracket, name in INCLUDE.findall(path.read_text()) if bracket == "<"}
    names = sorted(name for name in found if not name.startswith("scantune/"))
    header.write_text("".join(f"#include <{name}>\n" for name in names))
    subprocess.run([GXX, "-std=c++20", "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
    return ["-include", str(header)]


@pytest.mark.parametrize("header", PUBLIC, ids=lambda header: header.name)
def test_public_header_compiles_alone(header: Path, tmp_path: Path) -> None:
    assert compile_alone(header, tmp_path, GXX, "-std=c++20", *WARNINGS, f"-I{PUBLIC_INCLUDE}") == ""


def test_public_headers_compile_with_another_compiler(tmp_path: Path) -> None:
    """They do so together: what one of them lacks alone, g++ tells, for both have one standard library."""
    together = tmp_path / "together.hpp"
    together.write_text("#pragma once\n" + "".join(f"#include <scantune/{header.name}>\n" for header in PUBLIC))
    assert compile_alone(together, tmp_path, "clang++", "-std=c++20", *WARNINGS, f"-I{PUBLIC_INCLUDE}") == ""


HALVES = """#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <scantune/runtime.hpp>
inline void call(const __half* halves, __half* sums, const __nv_bfloat16* bfloats, float* wide_sums) {
  scantune::runtime::scan(halves, sums, 1);
  scantune::runtime::scan(bfloats, wide_sums, 1);
}
"""


@needs_nvcc
def test_public_headers_compile_in_cuda_sources_where_there_is_nvcc(tmp_path: Path) -> None:
    """So do the calls of scantune that docs/coming-from-cub.md shows; those of CUB take longer to compile."""
    source = tmp_path / "halves.hpp"
    source.write_text(HALVES + port_to_scantune())
    flags = ["-x", "cu", "-std=c++20", "-c", "-o", str(tmp_path / "halves.o"), "--Werror=all-warnings"]
    flags += ["-Xcompiler", "-fsyntax-only"]  # nothing runs it
    assert compile_alone(source, tmp_path, NVCC, *flags, f"-I{PUBLIC_INCLUDE}") == ""


@pytest.mark.parametrize("compiler", [GXX, "clang++"])
def test_calls_of_scantune_in_the_port_from_cub_compile(compiler: str, tmp_path: Path) -> None:
    source = tmp_path / "port.hpp"
    source.write_text("#pragma once\n#include <scantune/runtime.hpp>\n" + port_to_scantune())
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-value", f"-I{PUBLIC_INCLUDE}"]
    assert compile_alone(source, tmp_path, compiler, *flags) == ""


# What the calls of the page are made with.
NAMES = [
    "namespace runtime = scantune::runtime;",
    "using namespace scantune::runtime;",
    "using T = int;",
    "using cudaStream_t = CUstream_st*;",
    "struct Others {",
    "  T *in, *out, *d_start, *first, *second, *rest, identity;",
    "  int n, k, max_n, columns, lines, rows, length, segments, *begins, *ends;",
    "  unsigned char* flags;",
    "  unsigned *places, *keys, *keys_out, *indices;",
    "  float *values, *values_out;",
    "  void *temporary, *d_workspace;",
    "  size_t bytes;",
    "  std::uint64_t *counts, *d_n;",
    "  cudaStream_t stream;",
    "  ScanPlan<T> plan;",
]


def rows_of_port() -> list[tuple[str, str]]:
    """Return what docs/coming-from-cub.md shows side by side."""
    page = (ROOT / "docs/coming-from-cub.md").read_text()
    return re.findall(r"^\| `([^|]*)` \|(?: `([^|]*)`)? \|$", page, re.MULTILINE)


NO_WHOLE_CALLS = {"run_length_decode()"}  # of the page's right column


def calls_of_scantune() -> list[str]:
    """Return the calls in the right column of the page's tables, and those of its plan."""
    page = (ROOT / "docs/coming-from-cub.md").read_text()
    cells = re.findall(r"^\|[^|\n]*\|([^|\n]*)\|$", page, re.MULTILINE)
    code = [span for cell in cells for span in re.findall(r"`([^`]*)`", cell)]
    calls = [span for span in code if re.search(r"\w(<.*>)?\(", span) and span not in NO_WHOLE_CALLS]
    plans = re.findall(r"^    (const auto plan = [^\n]*)\n    (plan\([^\n]*)$", page, re.MULTILINE)
    assert (len(calls), len(plans)) == (39, 1)
    return [*(f"{call.rstrip(';')};" for call in calls), *(f"{{ {first} {second} }}" for first, second in plans)]


def port_to_scantune() -> str:
    """Return a source of the calls of scantune that the page shows."""
    functions = [f"  void call{n}() {{ {call} }}" for n, call in enumerate(calls_of_scantune())]
    return "\n".join([*NAMES, *functions, "};"]) + "\n"


def port_from_cub() -> str:
    """Return a CUDA source of the calls of CUB that docs/coming-from-cub.md shows, and of the port beside them."""
    rows = rows_of_port()
    includes = [cell for row in rows for cell in row if cell.startswith("#include")]
    statements = [cell for row in rows for cell in row if cell.endswith(";")]
    calls = [cell for cell, _ in rows if re.match(r"Device\w+::\w+\(", cell)]
    # Other kernels than those of scans take minutes to compile, and a call that is not evaluated has none.
    cub = [f"cub::{call};" if "Scan" in call else f"static_assert(sizeof(cub::{call}) > 0);" for call in calls]
    assert (len(includes), len(statements), len(cub)) == (2, 6, 14)
    lines = [
        *includes,
        *(f"#include <cub/device/device_{name}.cuh>" for name in ("radix_sort", "reduce", "select")),
        "#include <cuda/functional>",
        *NAMES,
        "  void compaction() {",
        *statements,
        "  }",
        "  void others() {",
        *(line.replace("...", "temporary, bytes") for line in cub),
        "  }",
        "};",
    ]
    return "\n".join(lines) + "\n"


@needs_nvcc
@pytest.mark.campaign
def test_the_port_from_cub_compiles_where_there_is_nvcc(tmp_path: Path) -> None:
    source = tmp_path / "port.cu"
    source.write_text(port_from_cub())
    command = [NVCC, "-std=c++20", f"-I{PUBLIC_INCLUDE}", "-c", source, "-o", tmp_path / "port.o"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


@needs_nvcc
@pytest.mark.campaign
def test_the_functor_of_cub_that_is_ported_compiles_where_there_is_nvcc(tmp_path: Path) -> None:
    command = [NVCC, "-std=c++17", "-c", ROOT / "docs/examples/cub_in_range.cu", "-o", tmp_path / "functor.o"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.parametrize(
    ("header", "compiler"),
    [
        *((header, GXX) for header in PUBLIC_CPP),
        (PUBLIC_CPP[-1], "clang++"),
        pytest.param(PUBLIC_CPP[-1], NVCC, marks=needs_nvcc),
    ],
    ids=lambda value: Path(value).name,
)
def test_public_header_asks_for_the_standard_that_it_needs(header: Path, compiler: str, tmp_path: Path) -> None:
    only = ["-x", "cu", "-E"] if compiler == NVCC else ["-fsyntax-only"]
    said = compile_alone(header, tmp_path, compiler, "-std=c++17", *only, f"-I{PUBLIC_INCLUDE}")
    assert "scantune needs C++20: compile with -std=c++20" in said
    assert said.count(" error: ") == 1, said


@pytest.mark.parametrize("standard", ["-std=c99", "-std=c11"])
@pytest.mark.parametrize("compiler", C_COMPILERS)
@pytest.mark.parametrize("header", PUBLIC_C, ids=lambda header: header.name)
def test_the_c_header_is_c(header: Path, compiler: str, standard: str, tmp_path: Path) -> None:
    assert compile_alone(header, tmp_path, compiler, standard, "-Wpedantic", *WARNINGS, f"-I{PUBLIC_INCLUDE}") == ""


@pytest.mark.parametrize("header", CONFIG, ids=lambda header: header.name)
def test_config_header_compiles_alone(header: Path, tmp_path: Path) -> None:
    assert compile_alone(header, tmp_path, GXX, "-std=c++20", *OWN_WARNINGS, "-Itemplates") == ""


def test_a_header_that_leans_on_others_is_noticed(tmp_path: Path) -> None:
    leaning = tmp_path / "leaning.h"
    leaning.write_text("#pragma once\ninline std::string name() { return {}; }\n")
    assert "std" in compile_alone(leaning, tmp_path, GXX, "-std=c++20", *WARNINGS)


def foreign_includes(text: str) -> list[str]:
    """Return the includes of a header that are neither of the standard library nor public headers."""
    return [
        name
        for bracket, name in INCLUDE.findall(text)
        if not (re.fullmatch(r"[a-z_]+", name) or name in C_HEADERS if bracket == "<" else name.startswith("scantune/"))
    ]


@pytest.mark.parametrize("header", PUBLIC, ids=lambda header: header.name)
def test_public_header_includes_only_standard_and_public_headers(header: Path) -> None:
    assert foreign_includes(header.read_text()) == []


def test_a_foreign_include_is_noticed() -> None:
    text = '#include <vector>\n#include "scantune/op.hpp"\n#include <cuda.h>\n#include "space/request.h"\n'
    assert foreign_includes(text) == ["cuda.h", "space/request.h"]


# Types of input, accumulator (or the default) and output, and a part of the sentence with which the compiler refuses
# them; none if it must not.
SCANNABLE = [
    ("int", "", "float", None),
    ("float", "", "int", None),  # a map may stand between them, so that is told when the call is made
    ("Bytes<4>", "", "int", None),
    ("Bytes<4>", "int", "Bytes<8>", "must have one size and one alignment"),
    ("float", "", "double", None),
    ("bool", "", "int", None),
    ("int", "", "bool", "a bool cannot hold the results"),
    ("int", "", "const int", "the output is const"),
    ("int", "short", "int", "an accumulator is a number of 4 or 8 bytes"),
    ("long double", "", "long double", "no wider numbers"),
    ("int*", "", "int*", "no pointers, enumerations or unions"),
    ("std::byte", "", "std::byte", "no pointers, enumerations or unions"),
    ("std::string", "", "std::string", "trivially copyable"),
    ("Bytes<32>", "", "Bytes<32>", None),
    ("Bytes<33>", "", "Bytes<33>", "at most 32 bytes"),
    ("Bytes<32, 32>", "", "Bytes<32, 32>", "aligned to at most 16 bytes"),
    ("Bytes<8>", "", "Bytes<4>", "a struct is input, accumulator and output type at once"),
]

SCANS = """#pragma once
#include <cstddef>
#include <string>
#include <scantune/runtime.hpp>
template <int kSize, int kAlignment = 1>
struct alignas(kAlignment) Bytes {
  char bytes[kSize];
};
template <class T>
T* items;
"""


def refused_lines(calls: list[str], before: str, scratch: Path, flags: list[str]) -> tuple[dict[int, str], str]:
    """Return what the compiler says of each call that it refuses, by place in the list, and all that it says."""
    functions = [f"inline void call{place}() {{ {call}; }}\n" for place, call in enumerate(calls)]
    source = scratch / "calls.hpp"
    source.write_text(before + "".join(functions))
    said = compile_alone(source, scratch, GXX, "-std=c++20", *WARNINGS, f"-I{PUBLIC_INCLUDE}", *flags)
    found = re.findall(r"(\d+):\d+:\s+required from here\n[^\n]*error: static assertion failed: ([^\n]*)", said)
    return {int(line) - before.count("\n") - 1: sentence for line, sentence in found}, said


def test_types_that_cannot_be_scanned_are_refused_with_a_sentence(tmp_path: Path, standard_headers: list[str]) -> None:
    calls = [
        f"scantune::runtime::scan<{', '.join(filter(None, (source, target, accumulator)))}>"
        f"(items<const {source}>, items<{target}>, 1)"
        for source, accumulator, target, _ in SCANNABLE
    ]
    sentences, said = refused_lines(calls, SCANS, tmp_path, standard_headers)
    named = {int(line) - SCANS.count("\n") - 1 for line in re.findall(r"calls\.hpp:(\d+):\d+:", said)}
    for place, (*types, sentence) in enumerate(SCANNABLE):
        assert (place in named) == (sentence is not None), f"{types}: {said}"
        assert sentence is None or sentence in sentences.get(place, ""), f"{types}: {said}"


# Calls with pointers of the named types, and a part of the sentence with which the compiler refuses them. No two are
# refused in one instantiation, for a compiler says each once.
REFUSED_CALLS = [
    ("scan(ints, ints, 1, {.init = 2.9})", "init must be an integer"),
    ("scan(bytes, bytes, 1, {.init = 1.0f})", "init must be an integer"),
    ("plan<int>(1, {.init = nullptr})", "init must be an integer"),
    ("scan(halves, halves, 1, {.init = scantune::runtime::f16{}})", "pass a float"),
    ("scan(floats, floats, 1, {.init = floats})", "init must be a number"),
    ("scan(structs, structs, 1, {.init = 0})", "init must be a value of the struct"),
    ("scan(ints, const_ints, 1)", "the output is const"),
    ("scan(bytes, const_bytes, 1, Op::max)", "the output is const"),
    ("plan<int, const float>(1)", "the output is const"),
    ("select(structs, structs, counts, 1, {.predicate = Predicate::less(1)})", "structs have no order"),
    ("select(ints, ints, counts, 1, {.predicate = Predicate::less(2.5)})", "constant must be an integer"),
    ("select(halves, halves, counts, 1, {.predicate = Predicate::less(bf16{})})", "must be of the items' type"),
    ("select(halves, halves, counts, 1, {.predicate = Predicate::less(halves)})", "constant must be a number"),
    ("scan(floats, ints, 1, Op::max)", "floating-point items need a floating-point accumulator"),
    ("reduce(wide, ints, 1, Op::max)", "a struct is input, accumulator and output type at once"),
    ("plan<int, int, float>(1, Op::max)", "the output must be of a floating-point type"),
    ("select_flagged(ints, structs, ints, counts, 1)", "flags must be numbers"),
    ("select_indices(ints, bytes, counts, 1)", "indices must be integers of 4 or 8 bytes"),
    ("unique_by_key(ints, over_aligned, ints, over_aligned, counts, 1)", "values must be aligned to at most 16 bytes"),
    ('Op::custom("", 0, std::string())', "a state must be trivially copyable"),
    ('Predicate::source("", wide[0])', "a state must have at most 32 bytes"),
    ("load_balance(floats, 1, ints, 1)", "offsets must be integers of 4 or 8 bytes"),
    ("load_balance(ints, 1, bytes, 1)", "segments and ranks must be integers of 4 or 8 bytes"),
    ("load_balance(ints, 1, const_ints, 1)", "the output is const"),
    ("expand(ints, 1, wide, wide, 1)", "values must have at most 32 bytes"),
    ("expand(bytes, 1, ints, ints, 1)", "offsets must be integers of 4 or 8 bytes"),
    ("segmented_sort(structs, counts, structs, 1, 1)", "keys must be numbers"),
    ("segmented_top_k(structs, counts, structs, 1, 1, 1)", "keys must be numbers"),
    ("argsort(ints, bytes, 1)", "indices must be integers of 4 or 8 bytes"),
    ("sort(ints, ints, 1, {.indices = floats})", "indices must be integers of 4 or 8 bytes"),
    ("sort(ints, ints, 1, {.values = {structs, const_structs}})", "the values' output is const"),
    ("sort(Consumed(const_ints), ints, 1)", "a consumed input is const"),
    ("sort(ints, ints, 1, {.values = {Consumed(const_structs), structs}})", "a consumed input is const"),
    ("sort_pairs_plan<int, std::string>(1)", "values must be trivially copyable"),
]
CALLS = """#pragma once
#include <scantune/runtime.hpp>
using namespace scantune::runtime;
struct Pair {
  int first, second;
};
int* ints;
const int* const_ints;
unsigned char* bytes;
const unsigned char* const_bytes;
float* floats;
f16* halves;
Pair* structs;
const Pair* const_structs;
struct Wide {
  int numbers[9];
};
Wide* wide;
struct alignas(32) OverAligned {
  int values[8];
};
OverAligned* over_aligned;
std::uint64_t* counts;
"""


def test_calls_that_mean_nothing_are_refused_with_a_sentence(tmp_path: Path, standard_headers: list[str]) -> None:
    sentences, said = refused_lines([call for call, _ in REFUSED_CALLS], CALLS, tmp_path, standard_headers)
    for place, (call, sentence) in enumerate(REFUSED_CALLS):
        assert sentence in sentences.get(place, ""), f"{call}: {said}"


# The members of options, in the one order that they have everywhere: what the problem is, data, and what all have.
ORDER = [
    *(
        "op",
        "kind",
        "direction",
        "predicate",
        "rest",
        "parts",
        "equality",
        "position",
        "less",
        "order",
        "result_order",
        "nan_order",
        "bits",
        "segments",
        "load",
        "store",
    ),
    *(
        "init",
        "device_init",
        "device_inits",
        "device_n",
        "device_clamped",
        "device_segment_count",
        "device_k",
        "device_runs",
    ),
    *("values", "indices", "rank_of"),
    *("capacity", "second_capacity", "rejected_capacity"),
    *("check", "stream", "determinism", "forward_progress", "latency", "captured_launches", "device", "config"),
]


OPTION_STRUCT = re.compile(r"^struct (\w+Options) \{(.*?)^\};", re.DOTALL | re.MULTILINE)


def misplaced(header: str) -> list[str]:
    """Return the option structs of a header whose members have another order, or are not in it."""
    found = []
    for struct, body in OPTION_STRUCT.findall(without_comments(header)):
        members = re.findall(r"(\w+)(?: = [^;]*)?;", body)
        if struct != "CustomOptions" and members != [name for name in ORDER if name in members]:
            found.append(struct)
    return found


def test_options_have_one_order_everywhere() -> None:
    headers = "".join(path.read_text() for path in PUBLIC_CPP)
    assert sorted(struct for struct, _ in OPTION_STRUCT.findall(headers)) == sorted([*OPTION_STRUCTS, "CustomOptions"])
    assert misplaced(headers) == []


def test_options_in_another_order_are_noticed() -> None:
    text = "struct SomeOptions {\n  Stream stream = nullptr;\n  Segments segments = {};\n};\n"
    assert misplaced(text) == ["SomeOptions"]
    assert misplaced(text.replace("segments", "speed")) == ["SomeOptions"]
