"""Rules about the structure of the project. Each returns what breaks it, or nothing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from itertools import pairwise
from pathlib import PurePosixPath

import pages
import release_rules
import words
from pages import resolved
from tree import CPP_SUFFIXES, Tree, under

TOP_LEVEL = {
    "templates", "tuner", "runtime", "db", "tests", "docs",
    "CMakeLists.txt", "pyproject.toml", "Makefile",
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "SECURITY.md",
    "THIRD_PARTY_NOTICES.txt",
}  # fmt: skip

# Names that may be known in one place only, with the pattern of a line that knows them. A place is a folder, and
# so many of its files.
_MOST_FILES = {"import optuna": 3}
_MOST_FILES_OF_OTHERS = 2
CONFINED = {
    "nvrtc.h": r'^\s*#\s*include\s*[<"]nvrtc\.h[>"]',
    "cuda.h": r'^\s*#\s*include\s*[<"]cuda\.h[>"]',
    "SQLite's header": r'^\s*#\s*include\s*[<"](sqlite3\.h|SQLiteCpp/)',
    "Boost.Context": r'^\s*#\s*include\s*[<"]boost/context/',
    "getenv": r"\bgetenv\(",
    "import sqlite3": r"^\s*(import|from)\s+sqlite3\b",
    "import optuna": r"^\s*(import|from)\s+optuna\b",
    "the network": r"^\s*(import|from)\s+(urllib\.(request|error)|http|socket|ssl|ftplib|requests|httpx)\b",
}

# The rooms that each room of the tuner imports. They are above it here, so that imports form no circle. "" stands for
# the files beside the rooms, and the version.
BESIDE_ROOMS = {"_native", "array_library", "errors", "extension", "input_files", "paths", "storage_url"}
TUNER_ROOMS: dict[str, set[str]] = {
    "": set(),
    "compute": {""},
    "model": {""},
    "worker": {"", "model"},
    "store": {"", "model"},
    "report": {"model", "worker"},
    "compare": {"", "model", "worker", "store", "report"},
    "search": {"", "model", "worker", "store", "compare"},
    "cli": {"", "model", "worker", "store", "report", "compare", "search"},
    "__main__": {"", "cli"},
}

# The rooms of the core of the templates, and those of each algorithm. Each may include what comes before it. No
# algorithm includes another, so that an edit of one ages no record of the others. The gallery stands on scans and
# reductions.
CORE = ("core/contract", "core/machine", "core/parts")
ALGORITHM_ROOMS = ("config", "parts", "kernels")

# The programs of docs/examples that each page shows, and the headers of templates of which it shows a part. The
# page of a family of the gallery shows parts of its header.
SHOWN_EXAMPLES = {
    "README.md": {"scan.cpp"},
    "docs/c-api.md": {"scan.c", "select.c"},
    "docs/coming-from-cub.md": {"compaction.cpp", "compaction_cxx11.cpp"},
    "docs/getting-started.md": {"scan.cpp"},
    "docs/load-balance.md": {"load_balance.cpp"},
    "docs/maps.md": {"maps.cpp"},
    "docs/predicate-with-state.md": {"cub_in_range.cu", "in_range.cpp"},
    "docs/reduce.md": {"reduce.cpp"},
    "docs/select.md": {"select.cpp"},
    "docs/sort.md": {"sort.cpp"},
    "docs/top-k.md": {"top_k.cpp"},
    "docs/types.md": {"recurrence.cpp"},
    "docs/uses.md": {"csr_row_pointers.cpp"},
}

# Rules are asked again and again of trees of which one file differs: a text is parsed once.
anchors, links = cache(pages.anchors), cache(pages.links)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def top_level_holds_only_what_is_agreed(tree: Tree) -> list[str]:
    names = {path.split("/")[0] for path in tree}
    return [f"{name} does not belong at the top" for name in sorted(names - TOP_LEVEL) if not name.startswith(".")]


def each_dependency_is_confined_to_one_place(tree: Tree) -> list[str]:
    broken = []
    for name, pattern in CONFINED.items():
        line = re.compile(pattern, re.MULTILINE)
        users = [path for path, text in under(tree, "templates", "runtime", "tuner") if line.search(text)]
        folders = {str(PurePosixPath(path).parent) for path in users}
        if len(folders) != 1 or len(users) > _MOST_FILES.get(name, _MOST_FILES_OF_OTHERS):
            broken.append(f"{name} should be used in one place, and is in {users or 'none'}")
    return broken


def templates_include_only_templates(tree: Tree) -> list[str]:
    return [
        f"{path} includes {name}"
        for path, text in under(tree, "templates", suffixes=CPP_SUFFIXES)
        for quote, name in INCLUDE.findall(text)
        if quote == "<" or f"templates/{name}" not in tree
    ]


def library_does_not_stand_on_the_gallery(tree: Tree) -> list[str]:
    return [
        f"{path} includes {name}, which is there to be read"
        for path, text in under(tree, "runtime", suffixes=CPP_SUFFIXES)
        for _, name in INCLUDE.findall(text)
        if name.startswith("gallery/")
    ]


def rooms_of_the_templates_include_as_agreed(tree: Tree) -> list[str]:
    def room_of(name: str) -> str:
        return "/".join(name.split("/")[:-1])

    def includes(room: str, other: str) -> bool:
        first, _, part = room.partition("/")
        if room == other:
            return True
        if room in CORE:
            return other in CORE[: CORE.index(room)]
        if room == "gallery":
            return other in CORE or re.fullmatch("(scan|reduce)/(config|parts)", other) is not None
        if room == "":  # the list of algorithms
            return other == "gallery" or other.endswith("/config")
        if part == "config":
            return other == "core/contract"
        return part in ALGORITHM_ROOMS and (
            other in CORE or other in [f"{first}/{one}" for one in ALGORITHM_ROOMS[: ALGORITHM_ROOMS.index(part)]]
        )

    rooms = re.compile(rf"{'|'.join(CORE)}|gallery|(?!core/)\w+/({'|'.join(ALGORITHM_ROOMS)})")
    paths = [path.removeprefix("templates/") for path, _ in under(tree, "templates")]
    nowhere = [path for path in paths if path != "algorithms.h" and not rooms.fullmatch(room_of(path))]
    return [f"templates/{path} is in no room" for path in nowhere] + [
        f"{path} includes {name}, which '{room}' may not"
        for path, text in under(tree, "templates", suffixes=CPP_SUFFIXES)
        for _, name in INCLUDE.findall(text)
        if not includes(room := room_of(path.removeprefix("templates/")), room_of(name))
    ]


def ptx_stands_in_one_room(tree: Tree) -> list[str]:
    assembly = re.compile(r"\b(asm|__asm__|__asm)\b\s*(volatile|goto)?\s*\(")
    home = "templates/core/machine/"
    users = [path for path, text in under(tree, "templates", "runtime") if assembly.search(without_comments(text))]
    if not users:
        return [f"no inline assembly was found, not even in {home}"]
    return [f"inline assembly belongs in {home} alone, and is in {path}" for path in users if not path.startswith(home)]


def db_holds_only_data(tree: Tree) -> list[str]:
    return [
        f"{path} is not data"
        for path, _ in under(tree, "db")
        if not path.endswith((".sql", ".csv", ".json", ".json.gz", ".jsonl", ".md"))
    ]


def library_opens_no_connection(tree: Tree) -> list[str]:
    network = re.compile(
        r"^\s*#\s*include\s*<(sys/socket|netdb|netinet/\w+|arpa/inet|curl/\w+|openssl/\w+)\.h>", re.MULTILINE
    )
    return [
        f"{path} opens a connection, as `scantune db sync` alone may"
        for path, text in under(tree, "runtime")
        if network.search(text)
    ]


def runtime_knows_neither_tuner_nor_tests(tree: Tree) -> list[str]:
    known = re.compile(r"^.*(include|add_subdirectory|SOURCE_DIR).*\b(tuner|tests)/.*$", re.MULTILINE)
    return [
        f"{path}: {match.group(0).strip()}" for path, text in under(tree, "runtime") for match in known.finditer(text)
    ]


def rooms_of_the_runtime_include_each_other_one_way(tree: Tree) -> list[str]:
    included: dict[str, dict[str, str]] = {}  # by room, the rooms that it includes, each with an include
    for path, text in under(tree, "runtime", suffixes=CPP_SUFFIXES):
        room = path.split("/")[1]
        for _, name in INCLUDE.findall(text):
            other = name.split("/")[0]
            if f"runtime/{name}" in tree and other != room:
                included.setdefault(room, {})[other] = f"{path} includes {name}"
    try:
        TopologicalSorter(included).prepare()
    except CycleError as error:
        circle = error.args[1]  # a list in which each room is included by the next
        return ["; ".join(included[room][other] for other, room in pairwise(circle))]
    return []


def tuner_leaves_the_gpu_to_the_worker(tree: Tree) -> list[str]:
    gpu = re.compile(
        r"^\s*(?:import|from)\s+(ctypes(?!\.util)|cffi|cuda|cupy|numba|pycuda|pynvml|torch)\b", re.MULTILINE
    )
    return [
        f"{path} imports {match.group(1)}"
        for path, text in under(tree, "tuner", suffixes=(".py",))
        for match in gpu.finditer(text)
    ]


def rooms_of_the_tuner_import_as_agreed(tree: Tree) -> list[str]:
    broken, used = [], set()
    for path, text in under(tree, "tuner/scantune", suffixes=(".py",)):
        package = ".".join(PurePosixPath(path).parent.parts[1:])
        room = _room(f"{package}.{PurePosixPath(path).stem}")
        for name in _imported(text, package):
            arrow = room, _room(name)
            used.add(arrow)
            if arrow[0] != arrow[1] and arrow[1] not in TUNER_ROOMS.get(room, ()):
                broken.append(f"{path} imports {name}, which '{room}' may not")
    agreed = {(room, other) for room, others in TUNER_ROOMS.items() for other in others}
    return broken + [f"'{room}' imports nothing of '{other}'" for room, other in sorted(agreed - used)]


def _room(name: str) -> str:
    """Return the room of a module, or of what it defines, by its dotted name; new files beside the rooms have none."""
    first, _, rest = name.removeprefix("scantune.").partition(".")
    return first if first in TUNER_ROOMS or (rest and first not in BESIDE_ROOMS) else ""


@cache
def _imported(text: str, package: str) -> tuple[str, ...]:
    """Return what _names_imported() yields."""
    return tuple(_names_imported(text, package))


def _names_imported(text: str, package: str) -> Iterator[str]:
    """Yield the dotted names that a module of the package imports from the tuner, anywhere in it."""
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            names = [f"{module}.{alias.name}" for alias in node.names]
        yield from (name for name in names if name.startswith("scantune."))


def tests_carry_a_known_label(tree: Tree) -> list[str]:
    labels = {"cpu", "nvrtc", "host", "gpu", "long", "gpu_long"}
    return [
        f"{path}: label {label}"
        for path, text in under(tree, "tests", suffixes=("CMakeLists.txt",))
        for label in re.findall(r"^\s*scantune_test\([^)]*?\bLABEL\s+([\w$;{}]+)", text, re.MULTILINE)
        if label not in labels
    ]


def no_file_names_a_private_path(tree: Tree) -> list[str]:
    private = re.compile(r"(?<![\w.$}])/(work|root|farm|home/\w+|Users/\w+|tmp/build)[/-]\S*")
    return [f"{path}: {match.group(0)}" for path, text in sorted(tree.items()) for match in private.finditer(text)]


def pages_show_the_examples(tree: Tree) -> list[str]:
    examples = {text: PurePosixPath(path).name for path, text in under(tree, "docs/examples")}
    headers = [(PurePosixPath(path).name, text) for path, text in under(tree, "templates")]

    def name_of(block: str) -> str:
        """Return the example, or the header of which the block is an excerpt."""
        parts_of = (name for name, text in headers if block in text)
        return examples.get(block) or next(parts_of, "a program that is no example")

    def of_family(page: str) -> set[str]:
        """Return the header of the gallery of which a page is the page."""
        name = f"{PurePosixPath(page).stem}.h"
        return {name} if page == f"docs/gallery/{name[:-2]}.md" and f"templates/gallery/{name}" in tree else set()

    broken = []
    for page in ("README.md", *(path for path, _ in under(tree, "docs", suffixes=(".md",)))):
        blocks = re.findall(r"^```(?:c|cpp|cuda)\n(.*?)^```$", tree[page], re.MULTILINE | re.DOTALL)
        shown = set(map(name_of, blocks))
        agreed = SHOWN_EXAMPLES.get(page, set()) | of_family(page)
        broken += [f"{page} does not show {name}" for name in sorted(agreed - shown)]
        broken += [f"{page} shows {name}" for name in sorted(shown - agreed)]
    return broken


def concurrency_page_names_tests_that_exist(tree: Tree) -> list[str]:
    tests = {
        f"{suite}.{name}"
        for _, text in under(tree, "tests", suffixes=CPP_SUFFIXES)
        for suite, name in re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", text, re.MULTILINE)
    }
    _, _, rules = tree["docs/concurrency.md"].partition("\n## ")
    broken, numbers = [], []
    for rule in re.split(r"\n(?=- )|\n\n", re.sub(r"^## .*$", "", "## " + rules, flags=re.MULTILINE)):
        parts = re.fullmatch(r"- \*\*(\w\d+)\.\*\* (.*?)\n    - Tests: (.*)", rule.strip(), re.DOTALL)
        if parts:
            number, sentence, named = parts.groups()
            numbers.append(number)
            broken += [f"{number} is more than one sentence" for _ in re.findall(r"\.\s+[A-Z]", sentence)]
            broken += [
                f"{number} names {test}, which is no test"
                for test in re.split(r",\s+", named)
                if test.strip("`") not in tests
            ]
        elif rule.strip():
            broken.append(f"a rule needs a number, a sentence and its tests: {rule.strip()}")
    return broken + [f"{number} is used twice" for number in sorted(set(numbers)) if numbers.count(number) > 1]


def documents_name_files_that_exist(tree: Tree) -> list[str]:
    """A page names a file by the end of its path with a folder; one in <brackets> or CAPITALS stands for others."""
    named = re.compile(r"`((?:[a-z0-9_]+/)+(?:[a-z0-9_]+|\{[a-z_,]+\})\.(?:h|hpp|cpp|py|sql|jsonl|txt))`")
    broken = []
    for page in (path for path in tree if path.endswith(".md")):
        names = {
            re.sub(r"\{.*\}", part, name)
            for name in named.findall(tree[page])
            for part in (re.findall(r"\{(.*)\}", name) or [""])[0].split(",")
        }
        broken += [
            f"{page} names {name}, which does not exist"
            for name in sorted(names)
            if not any(f"/{path}".endswith(f"/{name}") for path in tree)
        ]
    return broken


def links_lead_to_files_and_headings_that_exist(tree: Tree) -> list[str]:
    broken = []
    headings = {path: anchors(text) for path, text in tree.items() if path.endswith(".md")}
    for page in headings:
        for target in links(tree[page]):
            path, anchor = resolved(page, target)
            if path not in tree and not any(file.startswith(f"{path}/") for file in tree):
                broken.append(f"{page} links to {target}, which does not exist")
            elif anchor and anchor not in headings.get(path, ()):
                broken.append(f"{page} links to {target}, and {path} has no such heading")
    return broken


def experiments_are_told_alike(tree: Tree) -> list[str]:
    """Each entry has date and commit, what was expected, seen and done, in short lines, and a link in the index."""
    broken = []
    index = "docs/experiments/index.md"
    for page, text in under(tree, "docs/experiments", suffixes=(".md",)):
        prose = (re.sub(r"\]\([^)]*\)", "]", line) for line in text.splitlines() if not line.startswith("|"))
        broken += [f"{page} has more than 100 columns: {line}" for line in prose if len(line) > 100]
        dates = []
        for entry in re.split(r"^## ", text, flags=re.MULTILINE)[1:] if page != index else ():
            title, _, told = entry.partition("\n\n")
            parts = [part for part in ("Expected", "Seen", "So") if told.count(f"\n\n*{part}.* ") != 1]
            broken += [f"{page}: {title} needs one paragraph of *{part}.*" for part in parts]
            dated = re.match(r"(\d{4}-\d\d-\d\d), commits? ([0-9a-f]{7})\b", told)
            if dated is None:
                broken.append(f"{page}: {title} begins with no date and commit")
                continue
            dates.append(dated[1])
            (anchor,) = anchors(f"# {title}")
            link = rf"^- \[[^\]]+\]\({re.escape(PurePosixPath(page).name)}#{re.escape(anchor)}\)"
            if not re.search(link, tree[index], re.MULTILINE):
                broken.append(f"the index has no link to {title} in {page}")
        broken += [f"{page} is not in the order of dates"] * (dates != sorted(dates))
    return broken


def a_page_maps_the_folders(tree: Tree) -> list[str]:
    page = "docs/architecture.md"
    map_section = tree[page].partition("\n## Map\n")[2].partition("\n## ")[0]
    mapped = set(re.findall(r"^ {4}(\S+/) ", map_section, re.MULTILINE))
    folders = {f"{parent}/" for path in tree for parent in PurePosixPath(path).parents}
    top = {f"{path.split('/')[0]}/" for path in tree if "/" in path and not path.startswith(".")}
    gone = [f"{page} maps {folder}, which does not exist" for folder in sorted(mapped - folders)]
    unmapped = [folder for folder in sorted(top) if not any(name.startswith(folder) for name in mapped)]
    return gone + [f"{page} does not map {folder}" for folder in unmapped]


def a_page_lists_the_environment_variables(tree: Tree) -> list[str]:
    page = "docs/troubleshooting.md"
    used = {
        name
        for _, text in under(tree, "runtime", "tuner", suffixes=(*CPP_SUFFIXES, ".py"))
        for name in re.findall(r"""["'](SCANTUNE_[A-Z0-9_]+)["']""", text)
    }
    # Messages name the constants of the C API.
    headers = "".join(text for path, text in tree.items() if path.startswith("runtime/include/scantune/"))
    used -= set(re.findall(r"\b(SCANTUNE_[A-Z0-9_]+) = \d", headers))
    listed = set(re.findall(r"^\| `(SCANTUNE_[A-Z0-9_]+)", tree[page], re.MULTILINE))
    missing = [f"{page} does not list {name}" for name in sorted(used - listed)]
    return missing + [f"{page} lists {name}, which nothing reads" for name in sorted(listed - used)]


def the_makefile_declares_a_target_once(tree: Tree) -> list[str]:
    """Make takes the last recipe of a target, and says so only in a warning; of .PHONY it says nothing."""
    declared = [
        name
        for names in re.findall(r"^(?!\.PHONY)([\w./-][\w./ -]*?) *::?(?![:=])", tree["Makefile"], re.MULTILINE)
        for name in names.split()
    ]
    phony = re.findall(r"^\.PHONY *:(.*)$", tree["Makefile"].replace("\\\n", " "), re.MULTILINE)
    lists = {"the Makefile": declared, "its .PHONY": " ".join(phony).split()}
    return [
        f"{place} declares {name} {count} times"
        for place, names in lists.items()
        for name, count in Counter(names).items()
        if count > 1
    ]


@cache
def without_comments(cpp: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", cpp, flags=re.DOTALL)


RULES: tuple[Callable[[Tree], list[str]], ...] = (
    top_level_holds_only_what_is_agreed,
    each_dependency_is_confined_to_one_place,
    templates_include_only_templates,
    library_does_not_stand_on_the_gallery,
    rooms_of_the_templates_include_as_agreed,
    ptx_stands_in_one_room,
    db_holds_only_data,
    library_opens_no_connection,
    runtime_knows_neither_tuner_nor_tests,
    rooms_of_the_runtime_include_each_other_one_way,
    tuner_leaves_the_gpu_to_the_worker,
    rooms_of_the_tuner_import_as_agreed,
    tests_carry_a_known_label,
    no_file_names_a_private_path,
    pages_show_the_examples,
    concurrency_page_names_tests_that_exist,
    documents_name_files_that_exist,
    links_lead_to_files_and_headings_that_exist,
    experiments_are_told_alike,
    a_page_maps_the_folders,
    a_page_lists_the_environment_variables,
    the_makefile_declares_a_target_once,
    *release_rules.RULES,
    *words.RULES,
)
