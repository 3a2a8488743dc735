"""An installed scantune serves programs in C and C++ from any place, through CMake or pkg-config."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")
COMMAND = ROOT / ".venv/bin/scantune"  # what an installation links to
CONSUMER = Path(__file__).parent / "consumer"
PARENT = Path(__file__).parent / "parent"
# One program of each language and standard; the build itself builds and runs all of them.
EXAMPLES = [ROOT / "docs/examples" / name for name in ("scan.c", "scan.cpp", "compaction_cxx11.cpp")]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]

pytestmark = pytest.mark.timeout(300)


def run(command: list[str | Path], environment: dict[str, str], given: str | None = None) -> str:
    """Return what the command prints; fail with all of it if the command fails."""
    result = subprocess.run(command, env=environment, input=given, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{shlex.join(map(str, command))}\n{result.stdout}{result.stderr}"
    return result.stdout


def cxx() -> str:
    """Return the C++ compiler that the build uses."""
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)
    assert found
    return found.group(1)


def standard(example: Path) -> str:
    """Return the oldest standard that a C++ program is written in."""
    return "c++11" if example.stem.endswith("_cxx11") else "c++20"


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a user without files or settings, on the host device. Kernels are compiled once."""
    home = tmp_path_factory.mktemp("home")
    return {"PATH": os.environ["PATH"], "HOME": str(home), "SCANTUNE_DEVICE": "host"}


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory, environment: dict[str, str]) -> Path:
    """Return an installed tree that was moved after it was installed."""
    folder = tmp_path_factory.mktemp("prefix")
    run(
        ["make", "-C", ROOT, "-o", "setup-user", "install", f"BUILD={BUILD}", f"PREFIX={folder}/installed"], environment
    )
    return (folder / "installed").rename(folder / "moved")


@pytest.fixture(scope="session")
def library(prefix: Path) -> Path:
    return next(prefix.rglob("libscantune.so"))


@pytest.mark.parametrize(
    ("languages", "target"),
    [("C", "scantune::scantune"), ("C;CXX", "scantune::scantune"), ("C;CXX", "scantune::scantune_static")],
)
def test_a_cmake_project_finds_the_package_and_its_programs_run(
    languages: str, target: str, prefix: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    programs, build = tmp_path / "programs", tmp_path / "build"
    programs.mkdir()
    for example in EXAMPLES:
        (programs / example.name).symlink_to(example)
    settings = [f"-DLANGUAGES={languages}", f"-DPROGRAMS={programs}", f"-DCMAKE_PREFIX_PATH={prefix}"]
    settings += [f"-DTARGET={target}"]
    run(
        ["cmake", "-S", CONSUMER, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={cxx()}", *settings],
        environment,
    )
    run(["cmake", "--build", build], environment)
    printed = run(["ctest", "--test-dir", build, "--no-tests=error", "--output-on-failure"], environment)
    wanted = [path for path in EXAMPLES if path.suffix == ".c" or "CXX" in languages]
    assert f"0 tests failed out of {len(wanted)}" in printed


def test_cmake_finds_it_for_programs_of_each_version_that_it_serves(
    prefix: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    (version,) = prefix.rglob("scantuneConfigVersion.cmake")
    asked = tmp_path / "asked.cmake"
    asked.write_text(
        "foreach(PACKAGE_FIND_VERSION 0.2 0.3 0.3.0 0.3.1 0.4 1.0)\n"
        f'include("{version}")\nlist(APPEND served "${{PACKAGE_VERSION_COMPATIBLE}}")\nendforeach()\n'
        'message(NOTICE "${served}")\n'
    )
    served = run(["sh", "-c", f"cmake -P {shlex.quote(str(asked))} 2>&1"], environment)
    assert served.strip() == "FALSE;TRUE;TRUE;FALSE;FALSE;FALSE"  # this is 0.3.0


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_pkg_config_says_how_to_build_a_program(
    example: Path, library: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    search = environment | {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig")}
    flags = shlex.split(run(["pkg-config", "--cflags", "--libs", "scantune"], search))
    compiler = ["cc", "-std=c11"] if example.suffix == ".c" else [cxx(), f"-std={standard(example)}"]
    run([*compiler, *WARNINGS, example, *flags, "-o", tmp_path / "program"], environment)
    run([tmp_path / "program"], environment | {"LD_LIBRARY_PATH": str(library.parent)})


def test_a_program_with_the_rpath_that_the_page_shows_finds_the_library(
    library: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    page = (ROOT / "docs/coming-from-cub.md").read_text()
    (line,) = re.findall(r"^ {4}g\+\+( .*-rpath,.* -o app)$", page, re.MULTILINE)
    (tmp_path / "app.cpp").symlink_to(ROOT / "docs/examples/compaction.cpp")
    search = environment | {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig")}
    run(["sh", "-c", f"cd {shlex.quote(str(tmp_path))} && {cxx()}{line}"], search)
    assert "are kept" in run([tmp_path / "app"], environment)


def test_the_library_exports_the_functions_of_its_c_header_and_nothing_else(
    library: Path, environment: dict[str, str]
) -> None:
    header = (ROOT / "runtime/include/scantune/scantune.h").read_text()
    declared = set(re.findall(r"^SCANTUNE_API [^;(]*?\b(scantune_\w+)\(", header, re.MULTILINE))
    exported = run(["nm", "-D", "--defined-only", "--format=posix", library], environment)
    assert {line.split()[0] for line in exported.splitlines()} == declared


def test_installed_headers_include_only_each_other_and_the_standard_library(prefix: Path) -> None:
    include = prefix / "include"
    for header in include.rglob("*"):
        for name in (
            re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', header.read_text(), re.MULTILINE) if header.is_file() else ()
        ):
            standard = re.fullmatch(r"[a-z_]+|std\w+\.h", name)
            assert standard or (name.startswith("scantune/") and (include / name).is_file()), f"{header}: {name}"


def test_only_what_users_need_is_installed(prefix: Path) -> None:
    allowed = re.compile(
        r"bin/scantune(-worker)?|include/scantune/\w+\.hp*|lib\w*/libscantune\.(a|so[.\d]*)|"
        r"share/doc/scantune/(LICENSE|THIRD_PARTY_NOTICES\.txt|(concurrency|trust)\.md)|"
        r"lib\w*/(pkgconfig/scantune\.pc|cmake/scantune/scantuneConfig[-\w]*\.cmake)"
    )
    files = [str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir()]
    assert [file for file in files if not allowed.fullmatch(file)] == []


def test_the_notices_that_licenses_ask_for_are_installed_beside_the_binaries(prefix: Path) -> None:
    for name in ("LICENSE", "THIRD_PARTY_NOTICES.txt"):
        assert (prefix / "share/doc/scantune" / name).read_bytes() == (ROOT / name).read_bytes()


def test_no_installed_text_names_the_folders_of_build_or_installation(prefix: Path) -> None:
    for file in prefix.rglob("*"):
        if file.suffix in (".cmake", ".pc", ".h", ".hpp"):
            for folder in (ROOT, BUILD, prefix.parent):
                assert str(folder) not in file.read_text(), file


def test_no_installed_program_holds_the_folders_of_build_or_source(prefix: Path, library: Path) -> None:
    for program in (library, prefix / "bin/scantune-worker"):
        for folder in (ROOT, BUILD.resolve()):
            assert os.fsencode(folder) not in program.read_bytes(), f"{program} holds {folder}"


def test_the_installed_worker_answers(prefix: Path, environment: dict[str, str]) -> None:
    worker = [prefix / "bin/scantune-worker", "--device", "host"]
    answer = json.loads(run(worker, environment, given='{"id": 1, "method": "hello", "params": {}}\n'))
    assert answer["ok"]
    assert answer["result"]["device"]["arch"] == "host"


def test_the_command_that_messages_name_is_installed(prefix: Path, environment: dict[str, str]) -> None:
    assert (prefix / "bin/scantune").readlink() == COMMAND
    assert run([prefix / "bin/scantune", "--version"], environment).startswith("scantune ")


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """Return where `make install` puts the command, in a prefix of the test's own."""
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin/scantune"


def link(command: Path, *settings: str) -> str:
    """Run what `make install` does after CMake has installed, and return what it says."""
    idle = command.parent / "idle"
    idle.mkdir()
    (idle / "cmake").symlink_to("/bin/true")
    prefix = command.parents[1]
    install = ["make", "--no-print-directory", "-C", ROOT, "-o", "setup-user", "install", f"PREFIX={prefix}", *settings]
    return run(install, {"PATH": f"{idle}:{os.environ['PATH']}"})


def test_install_links_the_command_to_the_checkout_that_installs(command: Path) -> None:
    command.symlink_to("/of/another/checkout/.venv/bin/scantune")
    assert link(command) == f"-- Linked: {command}, to the tuner of this checkout\n"
    assert command.readlink() == COMMAND


@pytest.mark.parametrize("target", ["", "/bin/true", "/that/is/not/there/scantune"])
def test_install_leaves_alone_what_is_no_link_to_a_checkout(command: Path, target: str) -> None:
    if target:
        command.symlink_to(target)
    else:
        command.write_text("another program")
    assert link(command) == f"-- Left alone: {command}; the tuner of this checkout is {COMMAND}\n"
    assert command.readlink() == Path(target) if target else command.read_text() == "another program"


def test_an_installation_that_is_packaged_has_no_link_to_a_checkout(command: Path, tmp_path: Path) -> None:
    stage = tmp_path / "stage"
    packaged = Path(f"{stage}{command}")
    packaged.parent.mkdir(parents=True)
    assert link(command, f"DESTDIR={stage}") == f"-- Left alone: {packaged}; the tuner of this checkout is {COMMAND}\n"
    assert [path for path in (packaged, command) if os.path.lexists(path)] == []


def test_a_project_that_holds_the_source_keeps_its_own_settings(environment: dict[str, str], tmp_path: Path) -> None:
    cache = (BUILD / "CMakeCache.txt").read_text()
    found = dict(re.findall(r"^(SCANTUNE_CUDA_INCLUDE_DIR|CMAKE_PREFIX_PATH):\w+=(.*)$", cache, re.MULTILINE))
    settings = [f"-DSCANTUNE_SOURCE={ROOT}", f"-DCMAKE_CXX_COMPILER={cxx()}", *(f"-D{k}={v}" for k, v in found.items())]
    run(["cmake", "-S", PARENT, "-B", tmp_path, "-G", "Ninja", *settings], environment)
