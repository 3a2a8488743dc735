"""The rule that comments, messages and pages use the words of the field."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from tree import CPP_SUFFIXES, Tree

# What no text says, as whole words of either case, and what it says instead. A use that is meant has an exception in
# its pattern, or `words: ok` in its line.
WORDS = {
    r"(?<!left )(?:(?<![\"'`])behind|behind(?![\"'`]))(?! an? (?:vector )?boundary)": "after, past, under",
    r"in front of": "before",
    r"stands?(?!(?: in)? for\b|-| still)|stood": "is, are",
    r"lies?|lay": "is, are; apart, contiguous",
    r"go(?:es)? with(?! the)": "move with, belong to, match",
    r"(?:has|have|is|are|be) (?-i:none)": "has no X, is not an X; empty, unused, null",
    r"of (?:no|0) items": "if n is 0, empty",
    r"what (?:it|they|there) (?:is|are|has|have|goes?)(?! for\b)": "its name",
    r"(?<!there )(?:is|are) no(?! (?:(?:long|larg|light|lat|slow|fast|earli)er|more|less|better|worse)\b)": "is not a",
    r"(?:tells?|told|telling) (?:\w+ )?apart": "distinguish",
    r"but for": "except",
    r"anew": "again",
    r"seldom": "rarely",
}
MEANT = "words: ok"
PATTERNS = {re.compile(rf"\b(?:{words})\b".replace(" ", r"\s"), re.IGNORECASE): hint for words, hint in WORDS.items()}

_FLAGS = re.DOTALL | re.MULTILINE
_CPP = re.compile(r'//.*?$|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', _FLAGS)
_PYTHON = re.compile(r'#.*?$|"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', _FLAGS)
_LEADER = re.compile(r"^\s*(?://|/?\*|#)", re.MULTILINE)


def texts_use_the_words_of_the_field(tree: Tree) -> list[str]:
    return [f"{path}:{finding}" for path, text in sorted(tree.items()) for finding in _findings(_kind(path), text)]


def _kind(path: str) -> str:
    """Return how a file is read; "" for one that is not checked."""
    top = path.split("/")[0]
    if path.endswith(".md"):
        is_page = top == "docs" and not path.startswith("docs/experiments/")  # which tell what was written then
        return "page" if is_page or path in ("README.md", "CONTRIBUTING.md") else ""
    if path.endswith(CPP_SUFFIXES) and top in ("runtime", "templates", "docs"):
        return "template" if top == "templates" else "C++"
    return "Python" if path.endswith(".py") and top == "tuner" else ""


@cache
def _findings(kind: str, text: str) -> list[str]:
    prose, lines = _prose(kind, text) if kind else "", text.split("\n")
    found = (
        (prose.count("\n", 0, match.start()), " ".join(match[0].split()), instead)
        for pattern, instead in PATTERNS.items()
        for match in pattern.finditer(prose)
    )
    return [
        f"{line + 1}: '{words}'; write: {instead}" for line, words, instead in sorted(found) if MEANT not in lines[line]
    ]


def _prose(kind: str, text: str) -> str:
    """Return the comments and strings of code, or a page without its code: each word in its line, one blank apart."""
    prose = _page(text) if kind == "page" else _pieces(kind, text)
    return re.sub(r" *\n *", "\n", re.sub(r"[ \t]+", " ", prose))


def _page(text: str) -> str:
    return re.sub(r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), text, flags=_FLAGS)


def _pieces(kind: str, text: str) -> str:
    pieces, end = [], 0
    for match in (_PYTHON if kind == "Python" else _CPP).finditer(text):
        is_string = match[0][0] in "\"'"
        if kind == "template" and is_string:
            continue  # an edit of a string would change the hash that tuning records name
        piece = match[0].strip("\"'") if is_string and " " in match[0] else match[0]
        pieces += ["\n" * text.count("\n", end, match.start()) or " ", _LEADER.sub("", piece)]
        end = match.end()
    return "".join(pieces)


RULES: tuple[Callable[[Tree], list[str]], ...] = (texts_use_the_words_of_the_field,)
