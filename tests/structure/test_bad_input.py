"""The table of bad input covers every argument that the public headers declare."""

from __future__ import annotations

import re

from headers import OPTION_STRUCTS, PUBLIC, PUBLIC_C, PUBLIC_CPP, PUBLIC_INCLUDE, without_comments
from tree import ROOT

ERRORS = ROOT / PUBLIC_INCLUDE / "scantune/error.hpp"  # users catch these and do not make them
BAD_INPUT = "".join(
    (ROOT / f"tests/cpu/api_{name}_test.cpp").read_text()
    for name in ("arrays", "bad_input", "bad_selection", "bad_balance", "sort", "top_k")
)


def c_arguments(header: str) -> set[tuple[str, str]]:
    """Return (function, parameter) of all functions with a status, and (struct, member) of all structs."""
    text = without_comments(header)
    found = set()
    for function, parameters in re.findall(r"scantune_status (\w+)\((?!void\))([^)]*)\)", text):
        found |= {(function, parameter.split()[-1].lstrip("*")) for parameter in parameters.split(",")}
    for members, struct in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, re.DOTALL):
        names = (member.split()[-1].lstrip("*").partition("[")[0] for member in members.split(";") if member.strip())
        found |= {(struct, name) for name in names}
    return found


def cpp_members(header: str, struct: str) -> set[tuple[str, str]]:
    """Return (struct, member) of a plain struct, but for its constants."""
    body = re.search(rf"struct {struct} \{{(.*?)^\}};", without_comments(header), re.DOTALL | re.MULTILINE)
    assert body is not None
    members = re.sub(r"^  static [^;]*;", "", body[1], flags=re.MULTILINE)
    return {(struct, member) for member in re.findall(r"(\w+)(?: = [^;]*)?;", members)}


PRIVATE = re.compile(
    r"^namespace (?:\w+::)*detail \{.*?^\}  // namespace|^ (?:private|protected):.*?^(?=\};)", re.DOTALL | re.MULTILINE
)
CLASS = re.compile(r"^(?:class|struct) (\w+)[^;{]*\{(.*?)^\};", re.DOTALL | re.MULTILINE)
# clang-format puts what a namespace declares at the start of a line, and what a class declares two columns on.
FUNCTION = r"^{}(?! |return|static_assert)[^\n(;=]*?(operator\(\)|\w+)\(([^()]+)\)(?! = delete)[^;{{]*[;{{]"
OPTIONS = {"options"}  # parameters whose members are rows of their own


def parameters_of(declaration: str) -> list[str]:
    """Return the names in a list of parameters, without those of options."""
    without_templates = re.sub(r"<[^,]*?(?:<[^<>]*>)?[^<>]*>", "", declaration)
    names = [re.sub(r"\s*=.*", "", one).split()[-1].lstrip("&*") for one in without_templates.split(",")]
    return [name for name in names if name.isidentifier() and name not in OPTIONS]


def cpp_arguments(header: str) -> set[tuple[str, str]]:
    """Return (function, parameter) of every function that a C++ header gives to its users."""
    public = without_comments(PRIVATE.sub("", header))
    found = set()
    for scope, text, indent in [("runtime", CLASS.sub("", public), ""), *((*c, "  ") for c in CLASS.findall(public))]:
        for function, parameters in re.findall(FUNCTION.format(indent), text, re.MULTILINE):
            name = scope if function == scope else f"{scope}::{function}"
            found |= {(name, parameter) for parameter in parameters_of(parameters)}
    return found


# Arguments of which no value is wrong: heads, whose members have rows of their own, what the library passes on, and
# where a result may go.
NEVER_WRONG = {
    *((f"scantune_{name}_request", "head") for name in ("scan", "reduce", "select", "load_balance", "sort", "top_k")),
    *((options, "capacity") for options in ("SegmentTotalOptions", "RunLengthOptions")),
    ("RunLengthDecodeOptions", "device_runs"),
    ("scantune_allocator", "user"),
    ("scantune_trim", "freed_bytes"),
    ("Op::custom", "state"),
    ("UserFunction", "state"),
    *((f"{rule}::source", "state") for rule in ("Predicate", "Parts", "Equality")),
    *((f"Map::{kind}", "state") for kind in ("source", "indexed", "generated", "writing")),
}
# Overloads that only say what is mistaken.
MISTAKEN = re.compile(
    r"^SCANTUNE_EXPLAIN_MISTAKES\w*\(\w+\)$|^#define SCANTUNE_EXPLAIN(?:[^\n]*\\\n)*[^\n]*$"
    r"|^ *template <[^>]*Arguments>\n +requires detail::Mistaken.*?^ *\}$",
    re.DOTALL | re.MULTILINE,
)


def declared() -> set[tuple[str, str]]:
    """Return every argument of the library's functions that may be wrong."""
    cpp = {path.name: MISTAKEN.sub("", path.read_text()) for path in PUBLIC}
    return (
        {argument for path in PUBLIC_C for argument in c_arguments(cpp[path.name])}
        | {
            member
            for struct in (*OPTION_STRUCTS, "KeyBits", "CustomOptions")
            for member in cpp_members("".join(cpp.values()), struct)
        }
        | {argument for path in PUBLIC_CPP if path != ERRORS for argument in cpp_arguments(cpp[path.name])}
    ) - NEVER_WRONG


def covered(table: str) -> set[tuple[str, str]]:
    rows = re.findall(r'^    \{"([^"]+)",\s+"([^"]+)",', table, re.MULTILINE)
    return {(entry, name) for entries, names in rows for entry in entries.split() for name in names.split()}


def test_bad_input_of_every_argument_is_in_the_table_and_of_no_other() -> None:
    assert declared() == covered(BAD_INPUT)


def test_functions_of_a_cpp_header_are_found() -> None:
    header = """
namespace scantune::runtime {
namespace detail {
void hidden(int a);
}  // namespace detail
template <class T>
class Thing {
  static_assert(sizeof(T) > 0, "never");
 public:
  explicit Thing(std::uint64_t items) : items_(items) {}
  int operator()(const std::vector<int>& from, T* to = nullptr) const { return call(from); }
  int size() const { return 0; }
  Thing(const Thing&) = delete;
 private:
  void kept(int b);
};
template <class In, class Acc>
Plan<In, Acc> make(std::uint64_t n, const Options<std::type_identity_t<In>, Acc>& options = {}) {
  return call(n);
}
}  // namespace scantune::runtime
"""
    assert cpp_arguments(header) == {
        ("Thing", "items"),
        ("Thing::operator()", "from"),
        ("Thing::operator()", "to"),
        ("runtime::make", "n"),
    }


def test_an_argument_that_the_table_leaves_out_is_noticed() -> None:
    table = BAD_INPUT.replace('"captured_launches", ', '"launches", ')
    structs = (
        *("scantune_head", "ScanOptions", "ReduceOptions", "ArgOptions"),
        *("SelectOptions", "FlaggedOptions", "UniqueOptions", "ThreeWayOptions"),
        *("SortOptions", "ArgsortOptions", "SegmentTotalOptions", "SegmentedReduceOptions", "SegmentedScanOptions"),
        *("SegmentedSortOptions", "SegmentedArgsortOptions", "RunLengthOptions", "TopKOptions", "ArgtopKOptions"),
        *("SegmentedTopKOptions", "SegmentedArgtopKOptions"),
    )
    missing = {(struct, "captured_launches") for struct in structs}
    assert declared() - covered(table) == missing
