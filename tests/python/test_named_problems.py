"""Problems from options: what may be combined, and what the worker decides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from examples import DEVICES, PROBLEMS, SCAN, scan
from scantune.cli.filter import Filter
from scantune.cli.named_problems import NamedProblems, OwnOperator
from scantune.errors import UsageError
from scantune.model.algorithms import Algorithms
from scantune.model.device import Device, Hello
from scantune.model.operator_source import OperatorSource
from scantune.model.problem import Problem
from scantune.model.stated_problem import Types
from scantune.worker.client import Worker
from scantune.worker.evaluation import Evaluator, Timeouts

N = 4096


def problems(worker: Worker, types: Sequence[str], ops: Sequence[str]) -> list[Problem]:
    named = NamedProblems(types, ops)
    return named.problems(worker.hello(), Evaluator(worker, Timeouts()), [N], lambda note: None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i32", "i32 sum"),
        ("i8", "i8:i32:i8 sum"),
        ("i8:i64", "i8:i64:i64 sum"),
        ("f16:f32", "f16:f32:f32 sum"),
        ("i8:i64:i32", "i8:i64:i32 sum"),
        ("i32:i32:i32", "i32 sum"),
    ],
)
def test_accumulator_is_the_one_named_or_the_workers(worker: Worker, text: str, expected: str) -> None:
    (problem,) = problems(worker, [text], ["sum"])
    assert str(problem) == expected


def test_types_read_as_input_accumulator_and_output() -> None:
    input_type, accumulator_type, output_type = (member.name for member in SCAN.types)
    assert Types.parse("i8:i64:i32").members_of(SCAN) == {
        input_type: "i8", accumulator_type: "i64", output_type: "i32",
    }  # fmt: skip
    assert Types.parse("i8:i32").members_of(SCAN) == {input_type: "i8", output_type: "i32"}
    assert Types.parse("i8").members_of(SCAN) == {input_type: "i8"}


def test_every_operator_meets_every_type_once(worker: Worker) -> None:
    found = problems(worker, ["i32", "i32:i32:i32", "f32"], ["sum", "max"])
    assert list(map(str, found)) == ["i32 sum", "f32 sum", "i32 max", "f32 max"]


def test_struct_meets_the_class_of_an_operator(worker: Worker) -> None:
    (problem,) = problems(worker, ["custom12"], ["custom_moderate"])
    assert (problem, problem.bytes_moved(10)) == (scan("custom12", "custom_moderate"), 240)


def test_all_is_every_built_in_type_that_the_operator_is_for(worker: Worker) -> None:
    found = [problem.types["input_type"] for problem in problems(worker, ["all"], ["sum"])]
    assert found == ["i8", "i16", "i32", "i64", "f16", "f32", "f64"] == worker.hello().algorithms["scan"].built_in_types
    assert [problem.types["input_type"] for problem in problems(worker, ["all"], ["bit_xor"])] == [
        "i8",
        "i16",
        "i32",
        "i64",
    ]


@pytest.mark.parametrize(
    ("types", "ops", "words"),
    [
        (
            ["u128"],
            ["sum"],
            "--type u128: the type u128 is unknown; the worker knows i8, i16, i32, i64, f16, f32, f64, and",
        ),
        (["i8:u128"], ["sum"], "--type i8:u128: the type u128 is unknown"),
        (["i8:"], ["sum"], "--type i8:: the type  is unknown"),
        (["custom"], ["custom_cheap"], "the type custom is unknown; .* custom8 for one of 8 bytes"),
        (["custom0"], ["custom_cheap"], "the type custom0 is unknown"),
        (["custom33"], ["custom_cheap"], "custom33 custom_cheap of 2.12 items cannot be tuned: .*'custom33'"),
        (["i8:i8:i8:i8"], ["sum"], "scan has 3 types, written input:accumulator:output; name the first only"),
        (
            ["i32"],
            ["average"],
            "--op: the operator average is unknown; the worker knows sum, min, max, .*custom_moderate",
        ),
        (["i32"], ["sum:mine"], "--op: 'sum:mine': only a custom operator has a name"),
        (["i32"], ["custom_cheap:a b"], "'a b' is not a name for an operator"),
        (
            ["custom8"],
            ["sum"],
            r"custom8 is a struct, which --op sum cannot .*\(custom_cheap, custom_moderate, custom_expensive\)",
        ),
        (["f32:i32"], ["sum"], "f32:i32 sum of 2.12 items cannot be tuned: floating-point items need"),
        (["f32"], ["bit_xor"], "f32 bit_xor of 2.12 items cannot be tuned: bit_xor is for integers"),
        (["all"], ["custom_dear"], "the operator custom_dear is unknown"),
    ],
)
def test_what_the_worker_cannot_scan_is_refused_with_what_it_knows(
    worker: Worker, types: list[str], ops: list[str], words: str
) -> None:
    with pytest.raises(UsageError) as caught:
        problems(worker, types, ops)
    assert re.search(words, str(caught.value)), caught.value


def with_types(hello: Hello, types: tuple[str, ...]) -> Hello:
    scans = hello.algorithms["scan"]
    members = [replace(one, values=types) if one.name == "input_type" else one for one in scans.members]
    return replace(hello, algorithms=Algorithms(scan=replace(scans, members=tuple(members))))


def test_operator_that_is_for_none_of_all_types_is_refused(worker: Worker) -> None:
    notes: list[str] = []
    only_floats = with_types(worker.hello(), ("f16", "f32"))
    with pytest.raises(UsageError, match="no kernel supports any of the types with these options"):
        NamedProblems(["all"], ["bit_xor"]).problems(only_floats, Evaluator(worker, Timeouts()), [N], notes.append)
    assert notes == ["left out, because no kernel supports them: f16 bit_xor, f32 bit_xor"]


def test_guarantee_that_the_worker_does_not_know_is_refused_for_all_types(worker: Worker) -> None:
    named = NamedProblems(["all"], ["sum"], (("determinism", "mostly"),))
    with pytest.raises(UsageError, match="determinism must be one of"):
        named.problems(worker.hello(), Evaluator(worker, Timeouts()), [N], lambda note: None)


NAMED = "custom32 custom_expensive:Affine_pair-2.0"


@pytest.mark.parametrize(
    ("types", "ops", "expected"),
    [
        ([], [], list(map(str, PROBLEMS))),
        (["all"], [], list(map(str, PROBLEMS))),
        (["i8:i32"], [], [str(PROBLEMS[2])]),
        (["i8:i32:i32"], ["sum"], [str(PROBLEMS[2])]),
        (["i8:i64:i32"], [], []),
        (["i8"], [], []),
        (["f16", "custom8"], [], ["f16:f32:f16 product documented", "custom8 custom_moderate"]),
        ([], ["custom_expensive"], [NAMED]),
        ([], ["custom_expensive:Affine_pair-2.0"], [NAMED]),
        ([], ["custom_expensive:other"], []),
        (["i32"], ["max"], []),
    ],
)
def test_filter_takes_types_and_operators_as_they_are_printed(
    types: list[str], ops: list[str], expected: list[str]
) -> None:
    assert [str(problem) for problem in PROBLEMS if Filter(types, ops).admits(problem)] == expected


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "affine.cu"
    path.write_text("Value combine(Value earlier, Value later);")
    return path


def test_own_operator_has_its_class_and_name(path: Path) -> None:
    text = path.read_text()
    plain = OwnOperator(path, "affine").checked(["custom8"], [])
    assert plain == (["custom_moderate:affine"], OperatorSource(text, path))
    full = OwnOperator(path, "affine", cost="cheap", alignment_bytes=4).checked(["custom8"], [])
    assert full == (["custom_cheap:affine"], OperatorSource(text, path, 4))


def test_source_and_alignment_make_the_digest(path: Path) -> None:
    sources = [OperatorSource(text, path, alignment) for text in ("x", "x ") for alignment in (None, 4)]
    assert len({source.digest for source in sources}) == len(sources)
    assert OperatorSource("x", path).digest == OperatorSource("x", Path("moved.cu")).digest


@pytest.mark.parametrize(
    ("own", "types", "ops", "words"),
    [
        ({"name": "affine"}, ["custom8"], [], "--name affine describes .* add --operator FILE, or leave out --name"),
        ({"cost": "cheap"}, ["custom8"], [], "--cost cheap describes .* add --operator FILE, or leave out --cost"),
        ({"alignment_bytes": 4}, ["custom8"], [], "--alignment 4 describes .* or leave out --alignment"),
        (
            {},
            ["custom8"],
            ["custom_cheap:a"],
            "--op custom_cheap:a names .*--operator FILE --name a' tunes it",
        ),
        ({"path": "affine.cu"}, ["custom8"], [], "needs --name NAME: its records are stored under that name"),
        ({"path": "affine.cu", "name": ""}, ["custom8"], [], "needs --name NAME"),
        ({"path": "affine.cu", "name": "a b"}, ["custom8"], [], "--name: 'a b' is not a name .*1 to 64 letters"),
        ({"path": "affine.cu", "name": "a" * 65}, ["custom8"], [], "is not a name"),
        ({"path": "affine.cu", "name": "a"}, [], [], "needs --type, the type of its Value: .* custom8 for a struct"),
        ({"path": "affine.cu", "name": "a"}, ["f32"], ["sum"], "--op sum contradict each other: .* leave out --op"),
        ({"path": "missing.cu", "name": "a"}, ["f32"], [], "--operator .*missing.cu: cannot be read: No such file"),
        ({"path": ".", "name": "a"}, ["f32"], [], "cannot be read: Is a directory"),
        (
            {"path": "empty.cu", "name": "a"},
            ["f32"],
            [],
            "empty.cu: empty; it must define '__device__ Value combine",
        ),
        ({"path": "binary.cu", "name": "a"}, ["f32"], [], "binary.cu: not UTF-8 text: .* at byte 0"),
    ],
)
def test_wrong_combination_says_which_option_why_and_what_to_do(
    tmp_path: Path, path: Path, own: dict[str, object], types: list[str], ops: list[str], words: str
) -> None:
    (tmp_path / "empty.cu").write_text(" \n")
    (tmp_path / "binary.cu").write_bytes(b"\xff\xfe")
    if "path" in own:
        own = {**own, "path": tmp_path / str(own["path"])}
    with pytest.raises(UsageError) as caught:
        OwnOperator(**own).checked(types, ops)  # type: ignore[arg-type]
    assert re.search(words, str(caught.value)), caught.value


def test_unknown_cost_is_refused_with_the_classes_that_there_are(worker: Worker, path: Path) -> None:
    ops, source = OwnOperator(path, "affine", "dear").checked(["custom8"], [])
    named = NamedProblems(["custom8"], ops, source=source)
    with pytest.raises(UsageError, match=r"--cost: the operator custom_dear is unknown; .*custom_cheap, custom_mod"):
        named.problems(worker.hello(), Evaluator(worker, Timeouts(), source), [N], lambda note: None)


def test_filter_takes_devices_by_arch_and_name() -> None:
    def admitted(**chosen: str) -> list[Device]:
        return [device for device in DEVICES if Filter(**chosen).admits_device(device)]

    assert admitted() == DEVICES
    assert admitted(arch="sm_90") == DEVICES[:2]
    assert admitted(device="nvidia h200") == DEVICES[:1]
    assert admitted(arch="host", device="NVIDIA H200") == []


@pytest.mark.parametrize(
    "wanted",
    [
        Filter(["i33"], []),
        Filter([], ["sum:mine"]),
        Filter(arch="sm90"),
        Filter(["a:b:c:d"], []),
        Filter(algorithm="a b"),
    ],
)
def test_filter_that_no_record_can_pass_is_refused(wanted: Filter) -> None:
    with pytest.raises(UsageError):
        wanted.check()
