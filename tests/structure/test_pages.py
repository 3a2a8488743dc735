"""The documentation site: pages as the forge shows them, and the reference of the public headers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import api_reference
import counts
import pages
import pytest
from tree import ROOT
from typer.main import get_command

from scantune.cli.app import app

HEADER = """// What a shop sells.
#pragma once

#include <string>

namespace shop {

namespace detail {

int hidden(int x) { return x; }

}  // namespace detail

class Thing;

// A thing<T> of count_of() items, or sell<int>() none.
// It defines
//     int price(int)
template <class T>
class Thing {
  static_assert(sizeof(T) == 4, "small");

 public:
  explicit Thing(int n) : n_(n) { static_cast<void>(n_); }  // throws nothing
  explicit Thing(int n, int more)
      : n_(n + more) {}
  Thing(const char*) {
    static_assert(!sizeof(T), "a text is no number");
  }
  // How many.
  int count_of() const { return n_; }

 protected:
  void grow();

 private:
  int n_ = 0;
};

// Sells.
inline bool sell(const Thing<int>& thing, int price = {}) {
  return thing.count_of() > price;
}
bool sell(int price);

}  // namespace shop
"""

PAGE = """# shop.hpp

What a shop sells.

## Thing

A thing&lt;T> of `count_of()` items, or `sell<int>()` none.
It defines

```cpp
int price(int)
```

```cpp
template <class T>
class Thing {
 public:
  explicit Thing(int n);  // throws nothing
  explicit Thing(int n, int more);
  // How many.
  int count_of() const;
};
```

## sell

Sells.

```cpp
bool sell(const Thing<int>& thing, int price = {});
```

```cpp
bool sell(int price);
```
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site."""
    folder = tmp_path_factory.mktemp("docs")
    built = subprocess.run(
        [sys.executable, ROOT / ".ci/pages.py", folder], capture_output=True, text=True, check=False, timeout=60
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


def test_the_reference_shows_declarations_with_their_comments_and_no_bodies() -> None:
    assert api_reference.reference("shop.hpp", HEADER) == PAGE


def test_a_declaration_without_an_end_is_no_page() -> None:
    with pytest.raises(ValueError, match="without an end"):
        api_reference.reference("shop.hpp", HEADER.replace("  return thing.count_of() > price;\n}", ""))


def test_links_between_pages_stay_and_others_become_paths() -> None:
    site = {"README.md": "index.md", "docs/tuning.md": "tuning.md", "docs/pictures/a.svg": "pictures/a.svg"}
    text = (
        "[a](docs/tuning.md#b) ![p](docs/pictures/a.svg) [`db/schema.sql`](db/schema.sql) [all](db) [x](https://x.y)\n"
        '<img src="docs/pictures/a.svg">\n```\n[a](docs/tuning.md)\n```\n'
    )
    assert pages.site_text("README.md", text, site) == (
        "[a](tuning.md#b) ![p](pictures/a.svg) `db/schema.sql` all (`db`) [x](https://x.y)\n"
        '<img src="pictures/a.svg">\n```\n[a](docs/tuning.md)\n```\n'
    )


def test_pictures_in_two_colours_follow_the_switch_of_the_site() -> None:
    text = (
        '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="a-dark.svg">\n'
        '  <img alt="A" src="a.svg" width="600">\n</picture>\n'
    )
    site = {f"docs/{place}": place for place in ("a.md", "a.svg", "a-dark.svg")}
    assert pages.site_text("docs/a.md", text, site) == (
        '<img alt="A" src="a.svg#only-light" width="600">\n<img alt="A" src="a-dark.svg#only-dark" width="600">\n'
    )


def test_cells_of_numbers_do_not_break() -> None:
    text = "| i8 sum | 6.5 µs, **1.90**, 51 % | 2 |\n| a 1 | `2 b` | **1** ms |\n6 µs\n"
    assert pages.for_the_site(text) == (
        "| i8 sum | 6.5\xa0µs,\xa0**1.90**,\xa051\xa0% | 2 |\n| a 1 | `2 b` | **1**\xa0ms |\n6 µs\n"
    )


def test_pages_that_the_navigation_lacks_or_invents_are_told() -> None:
    faults = pages.navigation_faults("nav:\n  - A: a.md\n  - B:\n      - C: b/c.md\n", {"a.md", "b/d.md"})
    assert faults == ["docs/mkdocs.yml has no line for b/d.md", "docs/mkdocs.yml names b/c.md, which is not there"]


def test_the_site_builds_without_a_warning_and_holds_every_page(site: Path) -> None:
    built = {str(path.relative_to(site).with_suffix("")) for path in site.rglob("*.html")}
    docs = ROOT / "docs"
    assert built >= {str(path.relative_to(docs).with_suffix("")) for path in docs.rglob("*.md")} | {"contributing"}


def test_the_site_asks_no_other_server_for_anything(site: Path) -> None:
    loaded = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|srcset|href)=\"?(?:https?:)?//[^>]*>")
    assert [tag for page in site.rglob("*.html") for tag in loaded.findall(page.read_text())] == []


def compiler_says(option: list[str], language: str, header: str) -> str:
    """Return what clang prints of a public header for an option."""
    source, include = f"#include <scantune/{header}>\n", f"-I{ROOT / pages.INCLUDE}"
    command = ["clang++", "-x", language, "-fsyntax-only", include, *option, "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.fixture(scope="module")
def reference_pages(site: Path) -> dict[str, str]:
    """Return the pages of the headers by their names, in Markdown."""
    folder = site.parent / "pages" / pages.REFERENCE
    return {path.stem: path.read_text() for path in folder.glob("*.h*.md")}


def headed(text: str) -> set[str]:
    return set(re.findall(r"^## (\w+)$", text, re.MULTILINE))


def test_every_public_header_has_a_page_in_the_navigation(site: Path, reference_pages: dict[str, str]) -> None:
    headers = {path.name for path in (ROOT / pages.INCLUDE / "scantune").iterdir()}
    assert set(reference_pages) == headers
    front = (site / "index.html").read_text()
    assert [name for name in headers if f'href="./reference/{name}.html"' not in front] == []


def test_the_reference_has_every_name_that_a_compiler_sees(reference_pages: dict[str, str]) -> None:
    texts = {name: text for name, text in reference_pages.items() if name.endswith(".h")}
    seen = compiler_says(["-std=c11", "-Xclang", "-ast-list"], "c", "scantune.h").splitlines()
    has_all(seen, r"(scantune_\w+)(?:::(\w+))?", texts)
    texts = {name: text for name, text in reference_pages.items() if name.endswith(".hpp")}
    seen = compiler_says(["-std=c++20", "-Xclang", "-ast-list"], "c++", "runtime.hpp").splitlines()
    headers = "".join(path.read_text() for path in (ROOT / pages.INCLUDE / "scantune").glob("*.hpp"))
    parameters = {name for line in re.findall(r"template <.*>", headers) for name in re.findall(r"\w+(?=[,> =])", line)}
    names = [name for name in seen if name.split("::")[-1] not in parameters and "::detail" not in name]
    has_all(names, r"scantune::(?:runtime::)?(?!runtime$)(\w+)(?:::(\w+))?", texts)


def has_all(seen: list[str], pattern: str, texts: dict[str, str]) -> None:
    """Fail unless pages have a section for each name that matches, with the members that a struct has."""
    found = [match.groups() for name in dict.fromkeys(seen) if (match := re.fullmatch(pattern, name))]
    sections = {
        name: section
        for text in texts.values()
        for name, section in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    }
    assert len(found) > 50
    assert [name for name, _ in found if name not in sections] == []
    structs = {name for name, section in sections.items() if re.search(rf"^(typedef )?struct {name}\b", section, re.M)}
    assert structs
    members = [(name, member) for name, member in found if member and name in structs]
    assert [one for one in members if not re.search(rf"\b{one[1]}\b", sections[one[0]])] == []


def test_the_reference_has_every_macro_that_c_programs_may_use(reference_pages: dict[str, str]) -> None:
    seen = re.findall(r"^#define (SCANTUNE_\w+)", compiler_says(["-dM", "-E"], "c", "scantune.h"), re.MULTILINE)
    macros = {name for name in seen if not name.endswith(("_H", "_API"))}
    assert macros
    assert macros <= set().union(*map(headed, reference_pages.values()))


def test_the_reference_has_every_command_and_option(site: Path) -> None:
    text = (site.parent / "pages" / pages.COMMANDS).read_text()
    sections = dict(re.findall(r"^## (scantune.*?)\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL))
    groups: list[tuple[str, Any]] = [("scantune", get_command(app))]
    for path, command in groups:
        options = [name for one in command.params for name in (*one.opts, *one.secondary_opts) if name.startswith("-")]
        listed = "\n".join(re.findall(r"^- `(.*?)`: ", sections[path], re.MULTILINE))
        assert [name for name in options if not re.search(rf"(?<![\w-]){name}(?![\w-])", listed)] == []
        assert [one.help for one in command.params if not one.help] == []
        if hasattr(command, "list_commands"):
            groups += [(f"{path} {name}", command.get_command(None, name)) for name in command.list_commands(None)]
    assert sorted(sections) == sorted(path for path, _ in groups)


def test_every_family_of_the_library_has_a_section_with_text_and_its_parameters(site: Path) -> None:
    text = (site.parent / "pages" / pages.FAMILIES).read_text()
    sections = dict(re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    declared = {
        name: header.read_text()
        for header in (ROOT / "templates").glob("*/config/*.h")
        for name in re.findall(r'kName = "(\w+)"', header.read_text())
        if "struct Family<" in header.read_text()
    }
    assert declared
    for name, header in declared.items():
        about, _, table = sections[name].partition("| parameter ")
        assert len(about.split()) > 15, name
        assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE), name
        for parameter in re.findall(r"SCANTUNE_PARAMETER\(\w+, (\w+),", header):
            assert re.search(rf"^\| `{parameter}` \| `\w+.*` \| \S", table, re.MULTILINE), (name, parameter)


def test_a_page_with_too_much_of_anything_is_told() -> None:
    text = "Of 1,024 items 3.5 %\nare f16.\n"
    assert counts.counts(text) == {"lines": 2, "words": 7, "written words": 7, "numbers": 3}
    limits = counts.LIMITS["README.md"]
    assert counts.excesses("README.md", "word " * limits["words"]) == []
    for text in ("\n" * (limits["lines"] + 1), "word " * (limits["words"] + 1), "1 " * (limits["numbers"] + 1)):
        assert len(counts.excesses("README.md", text)) == 1


def test_pages_that_are_too_long_together_are_told() -> None:
    pages = "docs/**/*.md"
    half = "word " * (counts.LIMITS[pages]["written words"] // 2)
    assert counts.excesses(pages, half, half) == []
    assert len(counts.excesses(pages, half, half, "word")) == 1


def test_neither_figures_nor_code_count_as_written() -> None:
    text = (
        "One.\n<!-- figures: all -->\n| 1 | 2 |\n<!-- end of figures -->\n\n```cpp\nint main() {}\n```\n\n"
        "Two.\n\n<!-- work -->\n| 3 |\n<!-- end of work -->\n\n    four\n"
    )
    assert counts.counts(text)["written words"] == len(["One.", "Two.", "four"])


def test_pages_of_families_are_not_written_by_hand() -> None:
    found = {str(page.relative_to(ROOT)) for page in counts.written_by_hand(ROOT, "docs/**/*.md")}
    assert {"docs/architecture.md", "docs/gallery/races.md", "docs/experiments/sort.md"} <= found
    assert "docs/gallery/serial.md" not in found
