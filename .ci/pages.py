"""Makes the documentation site of the pages as the forge shows them: `make docs`.

    .ci/pages.py FOLDER    writes FOLDER/pages, and of them FOLDER/site; fails on any warning

The pages are those of docs/, the front page is README.md, and the reference is made here: a page for each public
header, one of the families of kernels, and one of the commands. Links to pages stay links; links to other files of the
project become their paths. Pictures in two colours follow the site's switch, and cells of numbers do not break.
Zensical does the rest and needs no network. It checks links between pages; tests/structure checks those to pictures and
other files.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path, PurePosixPath

from api_reference import reference
from command_reference import command_reference
from family_reference import family_reference

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = "docs/mkdocs.yml"

# Pages that stand outside docs/, and where the site has them.
ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}

# Each of these headers has a page; one page has the commands, and one the families of kernels.
INCLUDE = "runtime/include/"
REFERENCE = "reference/"
COMMANDS = f"{REFERENCE}commands.md"
FAMILIES = f"{REFERENCE}families.md"

LINK = re.compile(r"(?P<before>!?\[(?P<label>[^\]]*)\]\()(?P<target>[^)\s]+)(?P<after>\))")
ATTRIBUTE = re.compile(r"(?P<before>\b(?:src|srcset|href)=\")(?P<target>[^\"\s]+)(?P<after>\")")
ADDRESS = re.compile(r"[a-z][a-z+.-]*:|//")


FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)

# The forge chooses by the reader's system, and the site by its switch.
PICTURE = re.compile(
    r'<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="(?P<dark>[^"]*)">\s*'
    r'<img (?P<before>[^>]*)src="(?P<light>[^"]*)"(?P<after>[^>]*)>\s*</picture>'
)
NUMBERS = re.compile(r"(?<=\| )[*~<>+−-]*\d[^|`]{0,30}(?= \|)")  # cells that begin with a number


def links(text: str) -> list[str]:
    """Return the targets of a page's links and pictures, but for web addresses."""
    found = [match["target"] for pattern in (LINK, ATTRIBUTE) for match in pattern.finditer(FENCE.sub("", text))]
    return [target for target in found if not ADDRESS.match(target)]


def resolved(page: str, target: str) -> tuple[str, str]:
    """Return the path in the project that a link of a page leads to, and the anchor there."""
    path, _, anchor = target.partition("#")
    return (os.path.normpath(PurePosixPath(page).parent / path) if path else page), anchor


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, on the forge and on the site."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*?)\s*$", FENCE.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found.add(re.sub(r"[^\w\- ]", "", words).lower().replace(" ", "-"))
    return found


def places(paths: list[str]) -> dict[str, str]:
    """Return the place in the site of each file of the project."""
    site = {path: path.removeprefix("docs/") for path in paths if path.startswith("docs/") and path != SETTINGS}
    site |= {path: place for path, place in ELSEWHERE.items() if path in paths}
    headers = [path for path in paths if path.startswith(INCLUDE)]
    return site | {path: f"{REFERENCE}{PurePosixPath(path).name}.md" for path in headers}


def settings(text: str, site: dict[str, str]) -> str:
    """Return the settings with each pattern in the navigation replaced by the headers whose pages it matches."""

    def listed(match: re.Match[str]) -> str:
        indent, title, pattern = match.groups()
        headers = {path: place for path, place in sorted(site.items()) if PurePosixPath(place).match(pattern)}
        lines = [f"{indent}    - {path.removeprefix(INCLUDE)}: {place}" for path, place in headers.items()]
        return "\n".join([f"{indent}- {title}:", *lines])

    return re.sub(rf"^( *)- (.*): ({REFERENCE}\*.*)$", listed, text, flags=re.MULTILINE)


def site_text(page: str, text: str, site: dict[str, str]) -> str:
    """Return the text of a page with its links as they are where the site has it."""

    def changed(match: re.Match[str]) -> str:
        path, anchor = resolved(page, match["target"])
        if path == page or ADDRESS.match(match["target"]):
            return match.group()
        if path in site:
            place = os.path.relpath(site[path], PurePosixPath(site[page]).parent)
            return match["before"] + place + (f"#{anchor}" if anchor else "") + match["after"]
        label = match.groupdict().get("label") or ""
        return label if path.endswith(label.strip("`")) else f"{label} (`{path}`)"

    parts = FENCE.split(text)  # every other one is code
    parts[::2] = [for_the_site(LINK.sub(changed, ATTRIBUTE.sub(changed, part))) for part in parts[::2]]
    return "".join(parts)


def for_the_site(text: str) -> str:
    """Return text with pictures that follow the site's switch, and cells of numbers on one line each."""
    img = r'<img \g<before>src="\g<{0}>#only-{0}"\g<after>>'
    text = PICTURE.sub(img.format("light") + "\n" + img.format("dark"), text)
    return NUMBERS.sub(lambda match: match.group().replace(" ", "\N{NO-BREAK SPACE}"), text)


def navigation_faults(settings: str, there: set[str]) -> list[str]:
    """Return what is wrong with the navigation to the pages that are there, which Zensical does not check."""
    listed = set(re.findall(r"^ *- .*: (\S+\.md)$", settings, re.MULTILINE))
    return [
        *(f"{SETTINGS} has no line for {place}" for place in sorted(there - listed)),
        *(f"{SETTINGS} names {place}, which is not there" for place in sorted(listed - there)),
    ]


def project_files() -> list[str]:
    """Return the files that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]


def write_pages(folder: Path) -> list[str]:
    """Write what Zensical reads: settings, and the pages with the files beside them. Return what is wrong with them."""
    shutil.rmtree(folder / "pages", ignore_errors=True)
    site = places(project_files())
    (folder / "pages" / REFERENCE).mkdir(parents=True)
    for path, place in site.items():
        target = folder / "pages" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.startswith(INCLUDE):
            target.write_text(reference(path.removeprefix(INCLUDE), (ROOT / path).read_text()))
        elif path.endswith(".md"):
            target.write_text(site_text(path, (ROOT / path).read_text(), site))
        else:
            shutil.copy(ROOT / path, target)
    (folder / "pages" / COMMANDS).write_text(command_reference(ROOT))
    (folder / "pages" / FAMILIES).write_text(family_reference(ROOT))
    text = settings((ROOT / SETTINGS).read_text(), site)
    (folder / "mkdocs.yml").write_text(text)
    return navigation_faults(text, {str(page.relative_to(folder / "pages")) for page in folder.rglob("*.md")})


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    if faults := write_pages(folder):
        print("\n".join(faults), file=sys.stderr)
        return 1
    shutil.rmtree(folder / "site", ignore_errors=True)
    build = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file", folder / "mkdocs.yml"]
    ended = subprocess.run(build, check=False, capture_output=True, text=True)
    if ended.returncode:
        print(ended.stdout, ended.stderr, sep="", file=sys.stderr)
        return 1
    print(f"docs: {folder / 'site'}/index.html; to search too: python3 -m http.server -d {folder / 'site'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
