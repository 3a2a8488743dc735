"""scantune's C interface for Python: structs and constants as its headers declare them, and calls of its functions."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

_HEADERS = Path(__file__).resolve().parents[2] / "runtime/include/scantune"
_TEXT = re.sub(r"/\*.*?\*/", "", "".join(path.read_text() for path in sorted(_HEADERS.glob("*.h"))), flags=re.DOTALL)
_NUMBERS = {
    "size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64, "int64_t": ctypes.c_int64, "uint32_t": ctypes.c_uint32,
    "int32_t": ctypes.c_int32,
}  # fmt: skip

CONSTANTS = {name: int(number) for name, number in re.findall(r"\bSCANTUNE_(\w+) = (\d+)", _TEXT)}
CONSTANTS |= {name: int(number) for name, number in re.findall(r"#define SCANTUNE_(\w+) (\d+)\n", _TEXT)}


def _type_of(declared: str, name: str, many: str) -> tuple[str, Any]:
    if declared == "const char*":
        kind: Any = ctypes.c_char_p
    elif declared.endswith("*"):
        kind = ctypes.c_void_p
    else:
        kind = _NUMBERS.get(declared) or (struct(declared) if f"}} {declared};" in _STRUCTS else ctypes.c_int)
    count = many.removeprefix("SCANTUNE_")
    return name, kind * (int(count) if count.isdigit() else CONSTANTS[count]) if many else kind


_STRUCTS = "".join(re.findall(r"typedef struct \w+ \{.*?\} \w+;", _TEXT, re.DOTALL))
_MADE: dict[str, type[ctypes.Structure]] = {}


def struct(name: str) -> type[ctypes.Structure]:
    """Return a struct of the headers."""
    if name not in _MADE:
        found = re.search(rf"typedef struct {name} \{{(.*?)\}} {name};", _STRUCTS, re.DOTALL)
        assert found is not None, name
        members = re.findall(r"^\s*((?:const )?\w+(?:\s*\*)?)\s*(\w+)(?:\[(\w+)\])?;", found[1], re.MULTILINE)
        _MADE[name] = type(name, (ctypes.Structure,), {"_fields_": [_type_of(*member) for member in members]})
    return _MADE[name]


class Library:
    """A loaded libscantune. What fails raises a RuntimeError with the library's message."""

    def __init__(self, path: Path) -> None:
        self.loaded = ctypes.CDLL(str(path.resolve()))
        for name in ("scantune_error_message", "scantune_plan_description", "scantune_version"):
            getattr(self.loaded, name).restype = ctypes.c_char_p
        self.loaded.scantune_plan_workspace_bytes.restype = ctypes.c_uint64
        self.loaded.scantune_buffer_data.restype = ctypes.c_void_p

    def request(self, algorithm: str, **members: Any) -> Any:
        """Return a request with these members, of its own or of its head, and all others at their defaults."""
        made: Any = struct(f"scantune_{algorithm}_request")()
        size = ctypes.c_size_t(ctypes.sizeof(made))
        self.check(self.loaded.scantune_request_init(ctypes.byref(made), CONSTANTS[algorithm.upper()], size))
        own = {name for name, *_ in made._fields_}
        for name, value in members.items():
            setattr(made if name in own else made.head, name, value)
        return made

    def made_plan(self, request: Any) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        self.check(self.loaded.scantune_plan_create(ctypes.byref(request), ctypes.byref(made)))
        return made

    def run_plan(
        self, plan: ctypes.c_void_p, stream: ctypes.c_void_p, workspace: tuple[int, int] | None = None, **of: int
    ) -> None:
        """Run the plan on arrays by the names of their roles, as addresses, and in a workspace: address and bytes."""
        arrays: Any = struct("scantune_arrays")(CONSTANTS["ROLES"])
        for role, address in of.items():
            arrays.of[CONSTANTS[role.upper()]] = address
        room = ctypes.byref(struct("scantune_workspace")(*workspace)) if workspace else None
        self.check(self.loaded.scantune_plan_run(plan, ctypes.byref(arrays), room, stream))

    def workspace_bytes(self, plan: ctypes.c_void_p) -> int:
        return int(self.loaded.scantune_plan_workspace_bytes(plan))

    def describe(self, plan: ctypes.c_void_p) -> str:
        return str(self.loaded.scantune_plan_description(plan).decode())

    def destroy(self, plan: ctypes.c_void_p) -> None:
        self.loaded.scantune_plan_destroy(plan)

    def check(self, status: int) -> None:
        if status != 0:
            raise RuntimeError(self.loaded.scantune_error_message().decode())
