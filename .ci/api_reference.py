"""The reference of the public headers as Markdown: each declaration with the comment before it, without bodies.

It reads C and C++ only in the layout that clang-format gives to this project's headers.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

NAMES = (
    r"#define (\w+)",
    r"typedef[^;{]*\(\*(\w+)\)",
    r"typedef (?:enum|struct) (\w+)",
    r"typedef[^;]*\b(\w+);",
    r"(?:^|[>\n])\s*(?:enum class|enum|struct|class)\s+(\w+)",
    r"\busing (\w+) =",
    r"\b(\w+)\(",
)
# Text of a sentence that looks like code: paths of headers, calls, names with '_' or '::', options of commands, and
# what is quoted.
CODE = re.compile(
    r"(?<![\w/])(?:\w+/)+\w+\.h\b|"
    r"(?<!\w)'(?:scantune|__device__) [^']*'|"
    r"(?<![\w:])(?:\w+::)*\w+(?:<[\w, ]+>)?\([\w, ]*\)|(?<![\w:])\$?\w*(?:_|::)[\w:]*\w|(?<![\w-])--[a-z][\w-]*"
)
# Members that no program uses, and overloads that only say what is wrong with a call.
NOT_FOR_PROGRAMS = re.compile(r"^friend|^static_assert|\{\s*(?:static_assert\(!|detail::explain_mistake)")


@dataclass(frozen=True)
class Chunk:
    """A declaration with the comment before it; either may be empty."""

    comment: list[str]
    declaration: str

    @property
    def name(self) -> str:
        code = without_comments(self.declaration)
        return next(found.group(1) for pattern in NAMES if (found := re.search(pattern, code)))


def reference(header: str, text: str) -> str:
    """Return the page of a header, which is included by the name `header`."""
    fence = "cpp" if header.endswith(".hpp") else "c"
    parts = [f"# {header}"]
    name = ""
    for chunk in public_chunks(text):
        if chunk.declaration and chunk.name != name:
            name = chunk.name
            parts.append(f"## {name}")
        parts += prose(chunk.comment, fence)
        if chunk.declaration:
            parts.append(f"```{fence}\n{without_bodies(chunk.declaration)}\n```")
    if not name:
        parts.append("It declares nothing for programs to use.")
    return "\n\n".join(parts) + "\n"


def public_chunks(text: str) -> Iterator[Chunk]:
    """Yield the header's own comment and then its declarations, but for those in a namespace called detail."""
    head, guard, text = re.split(r"^#(pragma once|ifndef \w+_H)$", text, maxsplit=1, flags=re.MULTILINE)
    yield Chunk(bare(head.splitlines()), "")
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text.replace("\\\n", " "), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^/\* clang-format \w+ \*/\n|^/\*.*\*/\n(?=#include)", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(#define \w+(?:\([\w, ]*\))?) .*[({].*", r"\1 ...", text, flags=re.MULTILINE)
    # Macros of C headers are for programs, but for the guard and SCANTUNE_API; those of C++ headers are not.
    left_out = r"#(?!define (?!\w+_(?:H|API)\b))" if guard != "pragma once" else "#"
    lines = [line for line in text.splitlines() if not re.match(rf"{left_out}|SCANTUNE_EXPLAIN_", line)]
    if any(line.startswith("namespace ") for line in lines):
        lines = list(_in_public_namespaces(lines))
    for chunk in chunks(lines):
        if not re.match(r"inline constinit|(class|struct) \w+;", chunk.declaration):
            yield chunk


def _in_public_namespaces(lines: Iterable[str]) -> Iterator[str]:
    opened: list[str] = []
    for line in lines:
        if found := re.match(r"namespace ([\w:]+) \{", line):
            opened.append(found.group(1))
        elif line.startswith("}  // namespace"):
            opened.pop()
        elif opened and not opened[-1].endswith("detail"):
            yield line


def chunks(lines: Iterable[str]) -> Iterator[Chunk]:
    """Split the lines of one scope. A comment before a blank line stands for itself."""
    comment: list[str] = []
    declaration = ""
    in_comment = False  # whether a C comment of several lines goes on
    for line in lines:
        if not declaration and (in_comment or line.startswith(("//", "/*"))):
            comment.append(line)
            in_comment = not line.startswith("//") and "*/" not in line
        elif declaration or line.strip():
            declaration += line + "\n"
            if _is_complete(without_comments(declaration).rstrip()):
                yield Chunk(bare(comment), declaration.rstrip())
                comment, declaration = [], ""
        elif comment:
            yield Chunk(bare(comment), "")
            comment = []
    if declaration:
        raise ValueError(f"a declaration without an end:\n{declaration}")


def _is_complete(code: str) -> bool:
    if code.startswith("#define"):
        return True
    if any(code.count(a) != code.count(b) for a, b in ("()", "{}")):
        return False
    return code.endswith(";") or (code.endswith("}") and _body_start(code) is not None)


def without_bodies(declaration: str) -> str:
    """Return a declaration as its users need it: a function without its body, a class without its private part."""
    code = without_comments(declaration)
    if re.match(r"(template <.*>\s+)?(class|struct) [^;(]*\{", code):
        return _public_part(declaration)
    start = _body_start(code)
    if start is None:
        return declaration.removeprefix("SCANTUNE_API ")
    signature = re.split(r"(?<=\))\s+: ", code[:start])[0].rstrip()
    remark = re.search(r"\}(  //[^\n]*)$", declaration)
    return signature.removeprefix("inline ") + ";" + (remark.group(1) if remark else "")


def _public_part(declaration: str) -> str:
    head, opening, body = re.split(r"(?<=\{)(.*)\n", declaration, maxsplit=1)
    is_class = re.search(r"^class ", head, re.MULTILINE) is not None
    is_public = not is_class
    members = []
    for line in body.splitlines()[:-1]:
        if label := re.match(r" (public|protected|private):$", line):
            is_public = label.group(1) == "public"
        elif is_public:
            members.append(line[2:])
    shown = [head + opening, *([" public:"] if is_class else [])]
    for chunk in chunks(members):
        if not NOT_FOR_PROGRAMS.search(chunk.declaration):
            text = "\n".join([*(f"// {line}" for line in chunk.comment), without_bodies(chunk.declaration)])
            shown.append(textwrap.indent(text, "  "))
    return "\n".join([*shown, "};"])


def _body_start(code: str) -> int | None:
    """Return where the body of a function begins; None for what is no function with a body."""
    if re.match(r"\s*(template <.*>\s+)?(typedef|enum|using|class|struct)\b[^(]*\{", code):
        return None
    parentheses = braces = 0
    for place, char in enumerate(code):
        parentheses += (char == "(") - (char == ")")
        if char == "{" and parentheses == 0:
            if not braces and not re.search(r"requires(\s*\([^()]*\))?\s*$", code[:place]):
                return place if "(" in code[:place] else None
            braces += 1  # the brace of a requires-expression
        elif char == "}" and parentheses == 0:
            braces -= 1
    return None


def without_comments(text: str) -> str:
    """Return C or C++ with blanks for its comments, so that places stay."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", lambda found: re.sub(r"[^\n]", " ", found.group()), text, flags=re.DOTALL)


def bare(comment: list[str]) -> list[str]:
    """Return the lines of a comment without what marks them as one."""
    return [re.sub(r"^(//|/\*| \*(?!/)) ?|\s*\*/$", "", line) for line in comment if line.strip()]


def prose(comment: list[str], fence: str) -> Iterator[str]:
    """Yield a comment as paragraphs of Markdown. What is indented by two columns or more is code."""
    for is_code, group in groupby(comment, lambda line: line.startswith("  ")):
        text = "\n".join(group).strip("\n")
        if is_code:
            yield f"```{fence}\n{textwrap.dedent(text)}\n```"
        elif text:
            yield sentences(text)


def sentences(text: str) -> str:
    """Return the Markdown of sentences of a comment or a help, on a page in a folder of the site's."""
    text = CODE.sub(
        lambda code: "`" + code.group().strip("'") + "`", re.sub(r"\bdocs/([\w-]+)\.md", r"[\1](../\1.md)", text)
    )
    parts = re.split(r"(`[^`]*`)", text)  # every other one is code
    parts[::2] = [part.replace("<", "&lt;").replace("*", r"\*") for part in parts[::2]]
    return "".join(parts)
