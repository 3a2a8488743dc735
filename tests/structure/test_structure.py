"""The tree keeps its structure: which file includes which, where things are, and what pages say about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
import release_rules
import rules
import tree
import words
from tree import Tree

Rule = Callable[[Tree], list[str]]

# For each rule, what breaks it: files that appear, change (a callable), or go (None).
VIOLATIONS: list[tuple[Rule, str, str | Callable[[str], str] | None]] = [
    (rules.top_level_holds_only_what_is_agreed, "scripts/build.sh", "make\n"),
    (rules.each_dependency_is_confined_to_one_place, "runtime/launch/plan_extra.cpp", "#include <cuda.h>\n"),
    (rules.each_dependency_is_confined_to_one_place, "runtime/launch/plan_extra.cpp", '#  include "nvrtc.h"\n'),
    (rules.each_dependency_is_confined_to_one_place, "runtime/worker/extra.cpp", "#include <SQLiteCpp/Database.h>\n"),
    (rules.each_dependency_is_confined_to_one_place, "runtime/jit/extra.h", "#include <boost/context/fiber.hpp>\n"),
    (rules.each_dependency_is_confined_to_one_place, "tuner/scantune/extra/study.py", "from optuna import Trial\n"),
    (rules.each_dependency_is_confined_to_one_place, "tuner/scantune/search/extra.py", "import optuna\n"),
    (rules.each_dependency_is_confined_to_one_place, "tuner/scantune/extra/copy.py", "import sqlite3\n"),
    (rules.each_dependency_is_confined_to_one_place, "tuner/scantune/store/extra.py", "import sqlite3\n"),
    (
        rules.each_dependency_is_confined_to_one_place,
        "tuner/scantune/cli/extra.py",
        "from urllib.request import urlopen\n",
    ),
    (rules.library_opens_no_connection, "runtime/select/extra.cpp", "#include <sys/socket.h>\n"),
    (rules.templates_include_only_templates, "templates/scan/kernels/extra.h", "#include <type_traits>\n"),
    (rules.templates_include_only_templates, "templates/scan/kernels/extra.h", '#include "space/space.h"\n'),
    (rules.library_does_not_stand_on_the_gallery, "runtime/space/extra.h", '#include "gallery/batch.h"\n'),
    (rules.rooms_of_the_templates_include_as_agreed, "templates/scan/parts/extra.h", '#include "gallery/batch.h"\n'),
    (
        rules.rooms_of_the_templates_include_as_agreed,
        "templates/select/kernels/extra.h",
        '#include "reduce/parts/share_reduce.h"\n',
    ),
    (
        rules.rooms_of_the_templates_include_as_agreed,
        "templates/sort/config/extra.h",
        '#include "core/machine/warp.h"\n',
    ),
    (
        rules.rooms_of_the_templates_include_as_agreed,
        "templates/core/machine/extra.h",
        '#include "core/parts/convert.h"\n',
    ),
    (
        rules.rooms_of_the_templates_include_as_agreed,
        "templates/core/parts/extra.h",
        '#include "scan/config/scan.h"\n',
    ),
    (rules.rooms_of_the_templates_include_as_agreed, "templates/scan/misc/extra.h", "#pragma once\n"),
    (rules.rooms_of_the_templates_include_as_agreed, "templates/extra.h", "#pragma once\n"),
    (rules.ptx_stands_in_one_room, "templates/scan/kernels/extra.h", 'void f() { asm volatile("nop;"); }\n'),
    (rules.db_holds_only_data, "db/migrate.py", "print()\n"),
    (rules.runtime_knows_neither_tuner_nor_tests, "runtime/select/extra.cpp", '#include "tests/edge_sizes.h"\n'),
    (rules.runtime_knows_neither_tuner_nor_tests, "runtime/extra.cmake", "add_subdirectory(../tuner/native)\n"),
    (rules.rooms_of_the_runtime_include_each_other_one_way, "runtime/jit/extra.h", '#include "device/device.h"\n'),
    (rules.rooms_of_the_runtime_include_each_other_one_way, "runtime/support/extra.h", '#include "c_api/status.h"\n'),
    (rules.tuner_leaves_the_gpu_to_the_worker, "tuner/scantune/extra.py", "import ctypes\n"),
    (
        rules.rooms_of_the_tuner_import_as_agreed,
        "tuner/scantune/model/extra.py",
        "def f():\n    from scantune.store import archive\n",
    ),
    (rules.rooms_of_the_tuner_import_as_agreed, "tuner/scantune/store/extra.py", "import scantune.worker.client\n"),
    (rules.rooms_of_the_tuner_import_as_agreed, "tuner/scantune/worker/extra.py", "from ..cli import terminal\n"),
    (rules.rooms_of_the_tuner_import_as_agreed, "tuner/scantune/paths.py", "from scantune import model\n"),
    (rules.rooms_of_the_tuner_import_as_agreed, "tuner/scantune/extra/room.py", "from scantune.model import cell\n"),
    (rules.rooms_of_the_tuner_import_as_agreed, "tuner/scantune/__main__.py", None),
    (rules.tests_carry_a_known_label, "tests/extra/CMakeLists.txt", "scantune_test(x LABEL slow SOURCES x.cpp)\n"),
    (rules.no_file_names_a_private_path, "docs/extra.md", "It lies in /ro" + "ot/.cache/scantune.\n"),
    (rules.pages_show_the_examples, "docs/examples/scan.cpp", lambda text: text + "// More.\n"),
    (rules.pages_show_the_examples, "docs/examples/scan.c", lambda text: text + "/* More. */\n"),
    (rules.pages_show_the_examples, "README.md", lambda text: text + "```cpp\nint main() {}\n```\n"),
    (rules.pages_show_the_examples, "templates/gallery/serial.h", lambda text: text.replace("T sum", "T total")),
    (rules.pages_show_the_examples, "docs/gallery/serial.md", lambda text: text.replace("T sum", "T total")),
    (rules.pages_show_the_examples, "docs/tuning.md", lambda text: text + "```cpp\nint main() {}\n```\n"),
    (rules.pages_show_the_examples, "docs/c-api.md", lambda text: text.replace("```c\n", "```\n")),
    (
        rules.concurrency_page_names_tests_that_exist,
        "docs/concurrency.md",
        lambda text: text.replace("`Plans.", "`Plan."),
    ),
    (
        rules.concurrency_page_names_tests_that_exist,
        "docs/concurrency.md",
        lambda text: text + "- **Z1.** Nothing proves this.\n",
    ),
    (rules.concurrency_page_names_tests_that_exist, "docs/concurrency.md", lambda text: text + "\nNor that.\n"),
    (
        rules.concurrency_page_names_tests_that_exist,
        "docs/concurrency.md",
        lambda text: text.replace("**P2.**", "**P1.**"),
    ),
    (
        rules.concurrency_page_names_tests_that_exist,
        "docs/concurrency.md",
        lambda text: text.replace("on one stream or on many.", "on one stream or on many. This comes free."),
    ),
    (rules.concurrency_page_names_tests_that_exist, "tests/cpu/concurrency_test.cpp", None),
    (
        rules.documents_name_files_that_exist,
        "docs/architecture.md",
        lambda text: text.replace("`db/schema.sql`", "`db/schemas.sql`"),
    ),
    (
        rules.documents_name_files_that_exist,
        "docs/architecture.md",
        lambda text: text + "see `select/{rules,rulers}.cpp`\n",
    ),
    (rules.links_lead_to_files_and_headings_that_exist, "README.md", lambda text: text + "[gone](docs/gone.md)\n"),
    (rules.links_lead_to_files_and_headings_that_exist, "README.md", lambda text: text + '<img src="docs/gone.svg">\n'),
    (rules.links_lead_to_files_and_headings_that_exist, "docs/tuning.md", None),
    (
        rules.links_lead_to_files_and_headings_that_exist,
        "docs/sharing.md",
        lambda text: text.replace("\n## Layers\n", "\n## Strata\n"),
    ),
    (
        rules.experiments_are_told_alike,
        "docs/experiments/ring.md",
        lambda text: text.replace("\n*So.* Kept, as", "\nAs"),
    ),
    (rules.experiments_are_told_alike, "docs/experiments/ring.md", lambda text: text + f"\n{'long ' * 25}\n"),
    (rules.experiments_are_told_alike, "docs/experiments/ring.md", lambda text: text.replace("\n2026-11-21,", "\n", 1)),
    (
        rules.experiments_are_told_alike,
        "docs/experiments/tuner.md",
        lambda text: text + text[text.index("\n## ") :],
    ),
    (
        rules.experiments_are_told_alike,
        "docs/experiments/index.md",
        lambda text: text.replace("(ring.md#refill-at-once)", "(ring.md)"),
    ),
    (
        rules.a_page_maps_the_folders,
        "docs/architecture.md",
        lambda text: text.replace(" templates/sort/ ", " templates/none/ "),
    ),
    (rules.a_page_maps_the_folders, "docs/architecture.md", lambda text: text.replace("    db/ ", "    ")),
    (rules.a_page_lists_the_environment_variables, "runtime/extra.cpp", 'getenv("SCANTUNE_UNKNOWN");\n'),
    (
        rules.a_page_lists_the_environment_variables,
        "docs/troubleshooting.md",
        lambda text: text + "\n| `SCANTUNE_UNUSED` | x |\n",
    ),
    (rules.the_makefile_declares_a_target_once, "Makefile", lambda text: text + "\nkills: setup\n\t@true\n"),
    (rules.the_makefile_declares_a_target_once, "Makefile", lambda text: text + "\n.PHONY: kills\n"),
    (rules.the_makefile_declares_a_target_once, "Makefile", lambda text: text.replace(" clean\n", " clean clean\n", 1)),
    (release_rules.all_files_name_one_version, "CITATION.cff", "version: 0.0.1\n"),
    (
        release_rules.each_version_has_words_for_its_tag,
        "CHANGELOG.md",
        lambda text: text.replace("\n## 0.2.0", "\n## 0.2.1\n\n## 0.2.0"),
    ),
    (
        release_rules.what_is_linked_in_has_a_notice,
        "runtime/CMakeLists.txt",
        lambda text: text.replace("foreach(archive ", "foreach(archive zstd "),
    ),
    (
        release_rules.what_is_linked_in_has_a_notice,
        "runtime/CMakeLists.txt",
        lambda text: text + "find_package(fmt REQUIRED)\n",
    ),
    (
        release_rules.the_page_of_the_package_has_no_relative_links,
        "tuner/README.md",
        lambda text: text + "[pages](../docs/tuning.md)\n",
    ),
    (words.texts_use_the_words_of_the_field, "runtime/select/extra.h", "// Rows that are contiguous lie one behind\n"),
    (
        words.texts_use_the_words_of_the_field,
        "runtime/select/extra.cpp",
        'throw Error("the item in "\n  "front of it");\n',
    ),
    (words.texts_use_the_words_of_the_field, "templates/scan/parts/extra.h", "// This is\n// no family.\n"),
    (words.texts_use_the_words_of_the_field, "tuner/scantune/extra.py", 'raise ValueError("it is no word")\n'),
    (words.texts_use_the_words_of_the_field, "docs/sharing.md", lambda text: text + "\nIt is made anew.\n"),
    (words.texts_use_the_words_of_the_field, "docs/examples/extra.cpp", "// What it is.\n"),
]


@pytest.fixture(scope="module")
def project() -> Tree:
    return tree.project()


@pytest.fixture(scope="module")
def broken_by(project: Tree) -> Callable[[Rule], list[str]]:
    """Return a function that returns what breaks a rule in the project as it is, which is found out once."""
    return cache(lambda rule: rule(project))


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_the_project_keeps_the_rule(broken_by: Callable[[Rule], list[str]], rule: Rule) -> None:
    assert broken_by(rule) == []


def test_rooms_of_the_tuner_import_only_rooms_above_them() -> None:
    above: set[str] = set()
    for room, imported in rules.TUNER_ROOMS.items():
        assert imported <= above, room
        above.add(room)


@pytest.mark.parametrize(("rule", "path", "change"), VIOLATIONS, ids=lambda value: getattr(value, "__name__", ""))
def test_a_violation_is_noticed(
    project: Tree,
    broken_by: Callable[[Rule], list[str]],
    rule: Rule,
    path: str,
    change: str | Callable[[str], str] | None,
) -> None:
    broken = dict(project)
    if change is None:
        del broken[path]
    else:
        broken[path] = change if isinstance(change, str) else change(project[path])
    assert broken != project
    assert rule(broken) != broken_by(rule)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "runtime/select/extra.h",
            "// It stands for 2 bytes behind a boundary, and there is no row.\nint stands = lies();\n",
        ),
        ("runtime/select/extra.h", "// The word behind is meant.  words: ok\n"),
        ("templates/scan/parts/extra.h", 'return "its rows lie apart";\n'),
        ("tuner/scantune/extra.py", "if found is None:  # nothing was found\n    pass\n"),
        ("tests/cpu/extra.cpp", "// What it is.\n"),
        ("docs/extra.md", "Text.\n\n```\nno text: it is made anew\n```\n"),
        ("docs/experiments/extra.md", "It is made anew.\n"),
        ("CHANGELOG.md", "It is made anew.\n"),
    ],
)
def test_words_that_are_meant_are_left_alone(path: str, text: str) -> None:
    assert words.texts_use_the_words_of_the_field({path: text}) == []


def test_every_rule_has_a_violation() -> None:
    assert {rule for rule, _, _ in VIOLATIONS} == set(rules.RULES)
