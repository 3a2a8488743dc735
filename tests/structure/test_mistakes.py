"""Natural mistakes in a call are told by every compiler in one sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from headers import CPP_COMPILERS, GXX, NVCC, PUBLIC_INCLUDE, compile_alone, needs_nvcc

# Natural mistakes, and a part of the sentence with which every compiler tells each, once. The types differ, for a
# compiler says what one instantiation says no more than once.
MISTAKES = [
    ("scan(ints, ints, 1, stream)", "the stream is an option and has a name"),
    ("reduce(floats, floats, 1, stream)", "the stream is an option and has a name"),
    ("select(ints, ints, counts, 1, stream)", "the stream is an option and has a name"),
    ("load_balance(ints, 1, ints, 1, stream)", "the stream is an option and has a name"),
    ("plan<int>(1, stream)", "the stream is an option and has a name"),
    ("load_balance_plan<int, int>(1, 1, stream)", "the stream is an option and has a name"),
    ("arg_plan<int>(1, Op::min, stream)", "the stream is an option and has a name"),
    ("scan(ints, ints, 1, Kind::exclusive)", "choices are options and have names"),
    ("sort(ints, ints, 1, Order::descending)", "choices are options and have names"),
    ("plan<int>(1, Kind::exclusive)", "choices are options and have names"),
    ("sort_plan<int>(1, Order::ascending)", "choices are options and have names"),
    ("describe<int>(1, Direction::reverse)", "choices are options and have names"),
    ("made(ints, ints, Determinism::run_to_run)", "choices are options and have names"),
    ("scan(ints, ints, 1, [](int a, int b) { return a + b; })", "an operator runs on the device"),
    ("scan(ints, ints, 1, {.op = [](int a, int b) { return a * b; }})", "an operator runs on the device"),
    ("reduce(ints, ints, 1, std::plus<>())", "an operator runs on the device"),
    ("scan(ints, ints, 1, {.op = std::plus<int>()})", "an operator runs on the device"),
    ('scan(ints, ints, 1, {.op = "Value combine"})', "an operator in source has an identity too"),
    ('select(ints, ints, counts, 1, {.predicate = "x > 0"})', "text is not a predicate"),
    ("select(ints, ints, counts, 1, {.predicate = [](int x) { return x > 0; }})", "a predicate runs on the device"),
    ('scan(ints, ints, 1, {.load = "int load(int)"})', "text is not a function"),
    ("scan(ints, ints, 1, {.load = [](int x) { return x; }})", "a function runs on the device"),
    ('unique_consecutive(ints, ints, counts, 1, {.equality = "bool"})', "text is not a function"),
    (
        'three_way_partition(ints, ints, ints, ints, counts, 1, {.parts = "int part"})',
        "parts are told by Parts::around",
    ),
    ("scan(buffer, buffer, 1)", "arrays are passed by pointers"),
    ("reduce(vector, ints, 1)", "arrays are passed by pointers"),
    ("made(vector, vector)", "arrays are passed by pointers"),
    ("select(ints, ints, bytes, 1)", "are integers of 4 or 8 bytes"),
    ("scan(ints, ints, 1, {.device_n = shorts})", "are integers of 4 or 8 bytes"),
    ("argmin(ints, ints, const_longs, 1)", "the count or index is const"),
    ("select_plan<int>(1)(ints, ints, ints)", "the plan's counts or indices have another width"),
]
# What such calls are mistaken for is right.
RIGHT = [
    "scan(ints, ints, 1)", "scan(ints, ints, 1, {})", "scan(ints, ints, 1, {.stream = stream})",
    "scan(ints, ints, 1, {.kind = Kind::exclusive, .stream = stream})", "scan(ints, ints, 1, Op::max)",
    'scan(ints, ints, 1, Op::custom("", 0))', 'scan(ints, ints, 1, {.load = Map::source(""), .init = 1})',
    "scan<int, int>(nullptr, nullptr, 0)", "scan(characters, ints, kMany)", "scan(ints, ints, 1, {.device_n = longs})",
    "reduce(ints, ints, 1, Op::min)", "argmin(ints, ints, longs, 1)",
    "argmax(ints, ints, counts, 1, {.stream = stream})",
    "select(ints, ints, ints, 1)", "select_plan<int, int>(1)(ints, ints, ints)", "argmin(ints, ints, ints, 1)",
    "scan(ints, ints, 1, {.device_n = ints})",
    "select(ints, ints, longs, 1, {.predicate = Predicate::less(1)})", "select_flagged(ints, flags, ints, counts, 1)",
    "select_flagged(ints, floats, ints, counts, 1, {.predicate = Predicate::greater(0.5)})",
    "partition_flagged(ints, longs, ints, ints, counts, 1)",
    'select(ints, ints, counts, 1, {.predicate = Predicate::source("", 1)})',
    'unique_consecutive(ints, ints, counts, 1, {.equality = Equality::source("")})',
    "unique_by_key(characters, ints, characters, ints, counts, 1)", "sort(ints, ints, 1, {.order = Order::descending})",
    "sort(ints, ints, 1, {.values = {floats, floats}})", "load_balance(ints, 1, ints, 1, {.rank_of = ints})",
    "select(floats, floats, counts, 1, {.predicate = Predicate::equal(0.5)})", "argsort(floats, longs, 1)",
    "partition(ints, ints, ints, counts, 1, {.predicate = Predicate::less(3)})", "expand(ints, 1, flags, flags, 1)",
    "three_way_partition(ints, ints, ints, ints, counts, 1, {.parts = Parts::around(7)})", "made(ints, ints)",
    "made(ints, ints, stream)", "made(ints, ints, Workspace(), stream)", "plan<float>(1, Op::max)(floats, floats)",
    "plan<int>(1, {.captured_launches = 0})", "describe<int>(1)", "sort_plan<float>(1).describe()",
]  # fmt: skip
USED = """#pragma once
#include <functional>
#include <vector>
#include <scantune/runtime.hpp>
using namespace scantune::runtime;
extern int* ints;
extern float* floats;
extern short* shorts;
extern long long* longs;
extern char* characters;
extern bool* flags;
extern std::uint64_t* counts;
extern const long long* const_longs;
extern signed char* bytes;
extern CUstream_st* stream;
extern const Buffer<int> buffer;
extern const std::vector<int> vector;
extern const ScanPlan<int> made;
enum { kMany = 1000 };
"""


def said_of(calls: list[str], compiler: str, scratch: Path) -> str:
    """Return what a compiler says of functions that make one call each, on lines of their own."""
    source = scratch / "used.hpp"
    source.write_text(USED + "".join(f"inline void call{n}() {{ {call}; }}\n" for n, call in enumerate(calls)))
    only = ["-x", "cu", "-c", "-o", str(scratch / "used.o"), "--Werror=all-warnings"]
    flags = only if compiler == NVCC else ["-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused-value"]
    flags += ["-ferror-limit=0"] if compiler == "clang++" else []
    return compile_alone(source, scratch, compiler, "-std=c++20", *flags, f"-I{PUBLIC_INCLUDE}")


@pytest.mark.parametrize("compiler", [GXX, "clang++"])
def test_mistakes_are_told_in_one_sentence_each(compiler: str, tmp_path: Path) -> None:
    said = said_of([call for call, _ in MISTAKES], compiler, tmp_path)
    first = USED.count("\n") + 1
    for place, (call, _) in enumerate(MISTAKES):
        assert re.search(rf"used\.hpp:{first + place}\b", said), f"{call}: {said}"
    for sentence in {sentence for _, sentence in MISTAKES}:
        times = sum(sentence == told for _, told in MISTAKES)
        assert len(re.findall(rf"error:[^\n]*{re.escape(sentence)}", said)) == times, f"{sentence}: {said}"
    assert len(re.findall(r"\berror: ", said)) == len(MISTAKES), said


# nvcc stops at the first function that it cannot instantiate, so each takes a run of its own.
@needs_nvcc
@pytest.mark.parametrize("place", [0, 9, 20])
def test_mistakes_are_told_in_one_sentence_where_there_is_nvcc(place: int, tmp_path: Path) -> None:
    call, sentence = MISTAKES[place]
    said = said_of([call], NVCC, tmp_path)
    assert sentence in said
    assert len(re.findall(r"\berror: ", said)) == 1, said


@pytest.mark.parametrize("compiler", CPP_COMPILERS, ids=lambda compiler: Path(compiler).name)
def test_what_is_mistaken_for_it_is_taken(compiler: str, tmp_path: Path) -> None:
    assert said_of(RIGHT, compiler, tmp_path) == ""
