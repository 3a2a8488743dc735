"""The documentation site: pages as the forge shows them, and the reference of the public headers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import api_reference
import counts
import pages
import pytest
from tree import ROOT

HEADER = """// What a shop sells.
#pragma once

#include <string>

namespace shop {

namespace detail {

int hidden(int x) { return x; }

}  // namespace detail

// A thing<T> of count_of() items, or sell<int>() none.
// It defines
//     int price(int)
template <class T>
class Thing {
  static_assert(sizeof(T) == 4, "small");

 public:
  explicit Thing(int n) : n_(n) { static_cast<void>(n_); }  // throws nothing
  // How many.
  int count_of() const { return n_; }

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

PAGE = """# C++ reference

## shop.hpp

What a shop sells.

### Thing

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
  // How many.
  int count_of() const;
};
```

### sell

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
    assert api_reference.reference("C++ reference", {"shop.hpp": HEADER}) == PAGE


def test_a_declaration_without_an_end_is_no_page() -> None:
    with pytest.raises(ValueError, match="without an end"):
        api_reference.reference(
            "C++ reference", {"shop.hpp": HEADER.replace("  return thing.count_of() > price;\n}", "")}
        )


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


def test_the_site_builds_without_a_warning_and_holds_every_page(site: Path) -> None:
    built = {str(path.relative_to(site).with_suffix("")) for path in site.rglob("*.html")}
    docs = ROOT / "docs"
    assert built >= {str(path.relative_to(docs).with_suffix("")) for path in docs.rglob("*.md")} | {"contributing"}


def test_the_site_asks_no_other_server_for_anything(site: Path) -> None:
    loaded = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|srcset|href)=\"?(?:https?:)?//[^>]*>")
    assert [tag for page in site.rglob("*.html") for tag in loaded.findall(page.read_text())] == []


def test_the_reference_names_all_that_the_library_exports(site: Path) -> None:
    listed = (ROOT / "tests/install/abi.txt").read_text()
    functions = set(re.findall(r"^symbol (\w+)$", listed, re.MULTILINE))
    assert functions
    assert functions <= set(re.findall(r'<h3 id="(\w+)"', (site / "api-c.html").read_text()))


def test_a_page_with_too_much_of_anything_is_told() -> None:
    assert counts.counts("Of 1,024 items 3.5 %\nare f16.\n") == {"lines": 2, "words": 7, "numbers": 3}
    limits = counts.LIMITS["README.md"]
    assert counts.excesses("README.md", "word " * limits["words"]) == []
    for text in ("\n" * (limits["lines"] + 1), "word " * (limits["words"] + 1), "1 " * (limits["numbers"] + 1)):
        assert len(counts.excesses("README.md", text)) == 1
