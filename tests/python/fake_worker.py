"""A worker without a device: a synthetic space whose times are known, and faults that a test chooses.

FAKE_WORKER_FAULTS is a JSON object: which fault befalls which configs, given as the parameters they must have, e.g.
{"crash": {"block_threads": 512}, "hang": {...}, "start": "die"}. FAKE_WORKER_LOG collects every request. Both are read
from the environment, as a real worker's options are.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import sys
import time

TYPE_CHECKING = False  # typing takes a quarter of its start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Table = dict[str, tuple[str, list[Any]]]  # role and values of each parameter
    Legality = Callable[[dict[str, Any]], bool]

FAMILIES: dict[str, Table] = {
    "single_block": {
        "block_threads": ("primary", [64, 128, 256]),
        "items_per_thread": ("primary", [1, 4, 16]),
        "pdl": ("secondary", [0, 1]),
    },
    "lookback": {
        "block_threads": ("primary", [128, 256, 512]),
        "items_per_thread": ("primary", [4, 8, 16, 32]),
        "layout": ("primary", ["direct", "striped", "warp_transposed"]),
        "window": ("secondary", [1, 8, 32]),
    },
}
GALLERY: dict[str, Table] = {  # families of scans that are tried only where they are named, and those of sums
    "kogge_stone": {"block_threads": ("primary", [64, 128, 256])},
    "brent_kung": {"block_threads": ("primary", [64, 128, 256])},
}
SUMS: dict[str, Table] = {"sum_two_pass": GALLERY["kogge_stone"], "sum_vector": GALLERY["kogge_stone"]}
COPY_TABLE: Table = {"block_threads": ("primary", [128, 256, 512]), "vectors": ("primary", [1, 2, 4])}
FAMILIES_OF: dict[str, dict[str, Table]] = {
    "scan": FAMILIES | GALLERY, "reduce": {"reduce_block": COPY_TABLE} | SUMS, "copy": {"copy_vectors": COPY_TABLE},
    "row_sum": {"row_warps": COPY_TABLE},
}  # fmt: skip
DEFAULTS = {
    **{name: {"block_threads": 128} for name in (*GALLERY, *SUMS)},
    **{name: {"block_threads": 256, "vectors": 1} for name in ("reduce_block", "copy_vectors", "row_warps")},
    "single_block": {"block_threads": 256, "items_per_thread": 4, "pdl": 1},
    "lookback": {"block_threads": 256, "items_per_thread": 16, "layout": "striped", "window": 32},
}
TYPES = ("i8", "i16", "i32", "i64", "f16", "f32", "f64", "custom")
ACCUMULATORS = {"i8": "i32", "i16": "i32", "f16": "f32"}  # of types that do not accumulate in themselves
OPERATORS = ("sum", "min", "max", "bit_xor", "custom_cheap", "custom_moderate", "custom_expensive")
LATENCY = {"latency": ("back_to_back", "isolated")}
EXTENTS = ("rows", "columns")  # beside n; a scan has the one that its segments name
OPTIONS_OF = {  # members of a request that are options, the value by default first
    "scan": {
        "direction": ("forward", "reverse"),
        "n_source": ("call", "memory"),
        "segments": ("none", *EXTENTS),
        "determinism": ("unconstrained", "run_to_run"),
        "forward_progress": ("in_order", "documented"),
        **LATENCY,
    },
    "reduce": {"position": ("none", "first"), **LATENCY},
}
OTHERS_OF = {"scan": {"kind": "inclusive", "init": "none"}, "reduce": {"init": "value"}}
BITS_ONLY = "bit_xor is for integers"
MISTAKE = "MISTAKE"  # in an operator's source: it does not compile,
FOR_LARGE = "IN LARGE BLOCKS"  # or not there
FAULTS = json.loads(os.environ.get("FAKE_WORKER_FAULTS", "{}"))
TEMPLATES = os.environ.get("FAKE_WORKER_TEMPLATES", "a" * 64)  # hash of all families that FAULTS do not name
NOISE = float(os.environ.get("FAKE_WORKER_NOISE", "0.002"))


class Refusal(Exception):
    def __init__(self, kind: str, message: str, fatal: bool = False) -> None:
        super().__init__(message)
        self.error = {"kind": kind, "message": message, **({"fatal": True} if fatal else {})}


def true_us(request: dict[str, Any], config: dict[str, Any]) -> float:
    """Return the time without noise, which is best at one corner of the space; which one depends on N."""
    p, n = config["parameters"], request["n"]
    if "vectors" in p:
        best_threads = 128 if n <= 2**12 else 512
        return (2 + n / 200_000) * (1 + abs(p["block_threads"] - best_threads) / 500) / p["vectors"]
    if config["family"] == "single_block":
        return (1 + n / 2000) * (1 + abs(p["block_threads"] - 128) / 500) * (1.1 - 0.1 * p["pdl"])
    if is_gallery(config["family"]):
        return (2 + n / 1000) * (1 + abs(p["block_threads"] - 64) / 500)
    best_items = 8 if n <= 2**19 else 32
    shape = 1 + 0.02 * abs(p["items_per_thread"] - best_items) + abs(p["block_threads"] - 512) / 2000
    layout = {"direct": 1.3, "striped": 1.1, "warp_transposed": 1.0}[p["layout"]]
    return (3 + n / 100_000) * shape * layout * {1: 1.05, 8: 0.95, 32: 1.0}[p["window"]]


def invalid_reason(request: dict[str, Any], config: dict[str, Any]) -> str | None:
    table = FAMILIES_OF[algorithm_of(request)].get(config.get("family", ""))
    parameters = config.get("parameters", {})
    if not table or parameters.keys() != table.keys():
        return "unknown family or parameters"
    if reason := unsupported_reason(request, config["family"]):
        return reason
    if request["n"] < FAULTS.get("least_n", {}).get(config["family"], 0):
        return f"{config['family']} is for more items"
    if parameters["block_threads"] * parameters.get("items_per_thread", 1) > 8192:
        return "the tile does not fit in shared memory"
    return None


def unsupported_reason(request: dict[str, Any], family: str) -> str | None:
    if family == "single_block" and request["n"] > 2**17:
        return "single_block scans at most 131072 items"
    if family in GALLERY and row_items(request) > 1024:
        return f"{family} scans rows of at most 1,024 items"
    if family in SUMS and request["input_type"].startswith("f"):
        return "a float sum depends on the order"
    return None


def row_items(request: dict[str, Any]) -> int:
    return int(request["n"] // next((request[name] for name in EXTENTS if name in request), 1))


def algorithm_of(request: dict[str, Any]) -> str:
    return str(request["algorithm"])


def resolved(request: dict[str, Any]) -> dict[str, Any]:
    """Return the request with all that may be left out. Refuses what no family can do."""
    algorithm = algorithm_of(request)
    if algorithm not in OPTIONS_OF:
        return resolved_of_two_types(request)
    options = OPTIONS_OF[algorithm]
    output = request.get("output_type", request["input_type"])
    defaults = {
        "accumulator_type": ACCUMULATORS.get(output, output), "output_type": output, "op": "sum",
        **OTHERS_OF[algorithm], **{name: values[0] for name, values in options.items()},
    }  # fmt: skip
    full = {**defaults, **request}
    for role in ("input_type", "accumulator_type", "output_type"):
        struct = re.fullmatch(r"custom([0-9]+)", full[role])
        if not (1 <= int(struct[1]) <= 32 if struct else full[role] in TYPES[:-1]):
            raise Refusal("bad_request", f"request.{role} {full[role]!r} is unknown")
    if full["op"].partition(":")[0] not in OPERATORS:
        raise Refusal("bad_request", f"request.op {full['op']!r} is unknown")
    for name, values in options.items():
        if full[name] not in values:
            raise Refusal("bad_request", f"request.{name} must be one of {', '.join(values)}; found {full[name]}")
    extents = {full.get("segments")} & {*EXTENTS}
    if full.keys() - defaults.keys() - {"algorithm", "input_type", "n", "operator"} != extents:
        raise Refusal("bad_request", "request has an unknown member")
    if full["op"] == "bit_xor" and full["accumulator_type"].startswith("f"):
        raise Refusal("unsupported", BITS_ONLY)
    if full["input_type"].startswith("f") and not full["accumulator_type"].startswith("f"):
        raise Refusal("unsupported", "floating-point items need a floating-point accumulator")
    check_operator(full)
    return full


def resolved_of_two_types(request: dict[str, Any]) -> dict[str, Any]:
    """Return what resolved() does for the algorithms that combine nothing, or sum rows."""
    described = next(one for one in algorithms() if one["name"] == request["algorithm"])
    extents = [extent["name"] for extent in described["extents"]]
    full = {"output_type": request["input_type"], **request}
    if full.keys() != {"algorithm", "input_type", "output_type", "n", *extents}:
        raise Refusal("bad_request", "request has an unknown member, or lacks one")
    if full["input_type"][0] != full["output_type"][0]:
        raise Refusal("unsupported", "no family converts so")
    if full.get("rows", 0) > full["n"]:
        raise Refusal("unsupported", "there are more rows than items")
    return full


def check_operator(request: dict[str, Any]) -> None:
    if request.get("position") == "first" and request["op"] not in ("min", "max"):
        raise Refusal("unsupported", "a minimum or a maximum alone has a position")
    operator = request.get("operator", {})
    if operator and not request["op"].startswith("custom_"):
        raise Refusal("bad_request", "request.operator is for custom operators")
    if not {"name", "source", "alignment"} >= operator.keys():
        raise Refusal("bad_request", "request.operator has an unknown member")


def family_message(name: str, table: Table, default: dict[str, Any], is_legal: Legality) -> dict[str, Any]:
    """Return a family as `space` lists it: secondary parameters depart from the default config alone."""
    rows = []
    for row in itertools.product(*(range(len(values)) for _, values in table.values())):
        parameters = {key: values[index] for (key, (_, values)), index in zip(table.items(), row, strict=True)}
        departing = [key for key in table if parameters[key] != default[key]]
        secondary = [key for key in departing if table[key][0] == "secondary"]
        if (not secondary or len(departing) == 1) and is_legal({"family": name, "parameters": parameters}):
            rows.append(list(row))
    described = [{"name": key, "role": role, "values": values} for key, (role, values) in table.items()]
    return {
        "name": name, "template_hash": FAULTS.get("templates", {}).get(name, TEMPLATES), "parameters": described,
        "configs": rows, "default": {"family": name, "parameters": default},
    }  # fmt: skip


def space(request: dict[str, Any], gallery: bool = False) -> dict[str, Any]:
    full = resolved(request)
    asked = {
        name: table for name, table in FAMILIES_OF[algorithm_of(request)].items() if gallery or not is_gallery(name)
    }
    refused = {name: reason for name in asked if (reason := unsupported_reason(request, name))}
    families = [
        family_message(name, table, DEFAULTS[name], lambda config: invalid_reason(request, config) is None)
        for name, table in asked.items()
        if name not in refused
    ]
    library = [one["name"] for one in families if not is_gallery(one["name"])]
    chosen = "single_block" if library[0] == "single_block" and request["n"] <= 8192 else library[-1]
    default = {"family": chosen, "parameters": DEFAULTS[chosen]}
    n_step = row_items(full) if full["algorithm"] == "scan" and "rows" in full else full.get("columns", 1)
    told = {"problem": canonical(full), "shape": shape(full), "n_step": n_step}
    told |= {"refused": refused} if gallery else {}
    return {"families": families, "default_config": default, "request": full, **told}


def shape(full: dict[str, Any]) -> str:
    """Return the extents as a database keeps them."""
    told = {name: full[name] for name in EXTENTS if name in full}
    if full["algorithm"] == "scan" and "rows" in told:
        told = {"row_items": full["n"] // told["rows"]}
    classes = {name: size.bit_length() - 1 for name, size in told.items()}
    return json.dumps(classes, separators=(",", ":")) if classes else ""


def canonical(full: dict[str, Any]) -> str:
    """Return the request as a database keeps it."""
    options = OPTIONS_OF.get(full["algorithm"], {})
    defaults = {"op": "sum", "kind": "inclusive", **{name: values[0] for name, values in options.items()}}
    types = ("input_type", "accumulator_type", "output_type")
    members = {name: full[name] for name in types if name in full} | {
        name: full[name] for name, default in defaults.items() if full.get(name, default) != default
    }
    return json.dumps(members, separators=(",", ":"))


def suffers(fault: str, method: str, config: dict[str, Any]) -> bool:
    """Return whether a config suffers a fault; its condition names parameters, and perhaps family and method."""
    condition = dict(FAULTS.get(fault) or {"family": "none"})
    if condition.pop("method", method) != method or condition.pop("family", config["family"]) != config["family"]:
        return False
    return all(config["parameters"].get(name) == value for name, value in condition.items())


def misbehave(method: str, config: dict[str, Any]) -> None:
    if suffers("crash", method, config):
        print("segmentation fault, as asked for", file=sys.stderr, flush=True)
        os.abort()
    if suffers("no_memory", method, config):
        raise Refusal("device_error", "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY")
    if suffers("no_disk", method, config):
        raise Refusal("compile_error", "kernel.cpp:1: fatal error: error writing to kernel.o: No space left on device")
    if suffers("killed_compiler", method, config):
        raise Refusal("compile_error", f"did not compile ({FAULTS['signal']} signal terminated program c++):")
    if suffers("hang", method, config):
        time.sleep(3600)
    if suffers("garbage", method, config):
        print("I am not JSON", flush=True)
        time.sleep(3600)


def check_source(source: str, parameters: dict[str, Any]) -> None:
    for number, text in enumerate(source.splitlines(), 1):
        if MISTAKE in text and (FOR_LARGE not in text or parameters["block_threads"] == 512):
            raise Refusal("compile_error", f"operator.cu({number}): error: in {text!r}")


def compile_config(params: dict[str, Any]) -> dict[str, Any]:
    misbehave("compile", params["config"])
    if suffers("compile_error", "compile", params["config"]):
        raise Refusal("compile_error", "error: expected a ';'")
    check_source(params["request"].get("operator", {}).get("source", ""), params["config"]["parameters"])
    return {"key": "0" * 64, "cached": False, "compile_ms": 1.5, "log": ""}


def verify(params: dict[str, Any]) -> dict[str, Any]:
    misbehave("verify", params["config"])
    if suffers("wrong_result", "verify", params["config"]):
        found = FAULTS.get("wrong_text", "expected 3, found 4")
        raise Refusal("wrong_result", f"n = {params['request']['n']}: index 17: {found}")
    if suffers("wrong_at_full_n", "verify", params["config"]) and params["request"]["n"] > 2**18:
        raise Refusal("wrong_result", "only many tiles show it")
    return {"checks": 24}


def measure(params: dict[str, Any]) -> dict[str, Any]:
    request, policy = params["request"], params["policy"]
    if request["n"] > FAULTS.get("most_items", 2**62):
        raise Refusal("device_error", "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY")
    drift = random.uniform(1.0, float(FAULTS.get("drift", 1.0)))
    measurements: list[dict[str, Any]] = []
    dead = False
    for config in params["configs"]:
        misbehave("measure", config)
        dead = dead or suffers("poison", "measure", config)
        if dead:
            error = {"kind": "launch_error", "message": "an illegal memory access was encountered", "fatal": True}
            measurements.append({"error": error})
            continue
        median = true_us(request, config) * drift * random.uniform(1 - NOISE, 1 + NOISE)
        if suffers("lie", "measure", config):
            median = -1.0
        if suffers("too_fast", "measure", config):
            median = 0.2
        if suffers("impossible", "measure", config):
            median = 1e-300
        one = {"median_us": median, "spread": NOISE, "samples": policy["rounds"], "launches_per_sample": 9}
        if params.get("samples"):
            one["samples_us"] = [median] * policy["rounds"]
        measurements.append({**one, "sm_clock_mhz": None, "probe_only": False})
    has_ceiling = policy["ceiling"] and algorithm_of(request) != "reduce"  # a copy would write as much as it reads
    ceiling = request["n"] / 400_000 + 0.5 if has_ceiling else None
    return {"measurements": measurements, "ceiling_us": ceiling}


def hello(device: str) -> dict[str, Any]:
    if device.startswith("cuda") and not FAULTS.get("gpu"):
        raise Refusal("device_error", "libcuda.so.1 was not found: no NVIDIA driver is installed")
    identity = {"arch": "host", "name": os.environ.get("FAKE_WORKER_NAME", "Fake CPU"), "sm_count": 8}
    if device.startswith("cuda"):
        identity = {"arch": FAULTS["gpu"], "name": "Fake GPU", "sm_count": 132}
    if "peak" in FAULTS:
        identity["peak_gigabytes_per_second"] = FAULTS["peak"]
    versions = {"version": "0.1.0", "compiler_version": "g++ 12", "driver_version": "none"}
    return {
        "protocol": FAULTS.get("protocol", 4),
        "template_hash": TEMPLATES,
        **versions,
        "device": identity,
        "algorithms": [one for one in algorithms() if one["name"] not in FAULTS.get("without", [])],
        "families": [
            {**family_table(name, table), "algorithm": algorithm}
            for algorithm, families in FAMILIES_OF.items()
            for name, table in families.items()
        ],
    }


def work(request: dict[str, Any], family: str) -> dict[str, Any]:
    """Return what a run of a family of the gallery costs; nothing of others."""
    n, items = request["n"], row_items(request)
    if family in SUMS:
        return {"work": {"operations": n - 1, "steps": (n - 1).bit_length(), "bytes": 4 * n + 4}}
    if family not in GALLERY:
        return {}
    steps = (items - 1).bit_length()
    of_row = items * steps - 2**steps + 1 if family == "kogge_stone" else 2 * items - 2 - steps
    factor = 1 if family == "kogge_stone" else 2
    return {"work": {"operations": n // items * of_row, "steps": factor * steps, "bytes": 8 * n}}


def algorithms() -> list[dict[str, Any]]:
    """Return scans, which may be of rows or columns; reductions; copies, which combine nothing; and sums of rows."""
    operands = [
        {"name": role, "role": role, "type": f"{role}_type", "extent": "n"} for role in ("input", "output")
    ]  # fmt: skip
    types = [type_member("input_type"), type_member("output_type")]
    rows = [operands[0], {**operands[1], "extent": "rows"}]
    return [
        {
            "name": "scan", "members": members("scan"), "operands": operands,
            "extents": [
                {
                    "name": "rows", "stored_as": "row_items", "meaning": "How many items a row has.",
                    "where": {"segments": "rows"},
                },
                {"name": "columns", "meaning": "Columns, side by side.", "where": {"segments": "columns"}},
            ],
        },
        {
            "name": "reduce", "members": members("reduce"), "extents": [],
            "operands": [operands[0], {**operands[1], "extent": "one"}],
        },
        {"name": "copy", "members": types, "extents": [], "operands": operands},
        {
            "name": "row_sum", "members": types, "extents": [{"name": "rows", "meaning": "How many rows there are."}],
            "operands": rows,
        },
    ]  # fmt: skip


def type_member(name: str) -> dict[str, Any]:
    return {
        "name": name, "spelling": "value_type", "match": "width", "is_option": False, "values": list(TYPES),
        "default": None, "meaning": "",
    }  # fmt: skip


def members(algorithm: str) -> list[dict[str, Any]]:
    """Return the members of a request."""
    options = OPTIONS_OF[algorithm]
    known = {"op": (OPERATORS, "value_operator")}
    if "kind" in OTHERS_OF[algorithm]:
        known["kind"] = (("inclusive", "exclusive"), "token")
    known |= {name: (values, "token") for name, values in options.items()}
    types = [type_member(name) for name in ("input_type", "accumulator_type", "output_type")]
    return types + [
        {
            "name": name, "spelling": spelling, "match": "served" if name == "kind" else "nearest",
            "is_option": name in options,
            "values": list(values), "default": values[0], "meaning": "",
        }
        for name, (values, spelling) in known.items()
    ]  # fmt: skip


def is_gallery(family: str) -> bool:
    return family in GALLERY or family in SUMS


def family_table(name: str, table: Table) -> dict[str, Any]:
    """Return its standing and what earlier rows mean.

    FAULTS say which parameters count as added later, and which were removed.
    """
    added, former = FAULTS.get("added", {}).get(name, {}), FAULTS.get("former", {}).get(name, [])
    parameters = [{"name": key, **({"absent_means": added[key]} if key in added else {})} for key in table]
    standing = "gallery" if is_gallery(name) else "library"
    return {"name": name, "standing": standing, "parameters": parameters, "former_values": former}


def built_in() -> dict[str, Any]:
    """Return one record of a GPU that is not here."""
    request = {"input_type": "i32", "accumulator_type": "i32", "output_type": "i32"}
    config = {**DEFAULTS["lookback"], "layout": "direct"}
    return {
        "records": [
            {
                "arch": "sm_90", "device_name": "Far GPU", "sm_count": 132, "algorithm": "scan", "request": request,
                "n": 4096, "family": "lookback", "config": config, "template_hash": "a" * 64,
                "median_us": 1.5, "default_us": 3.0, "finished_at": "2026-01-01T00:00:00Z", "spread": 0.01,
                "ceiling_us": None, "effort": "normal", "tool_version": "0.1.0", "compiler_version": "NVRTC 13.0",
                "driver_version": "13.0",
            }
        ]
    }  # fmt: skip


def answer(device: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "hello":
        return {**hello(device), **({"device": params["device"]} if "device" in params else {})}
    if method == "built_in":
        return built_in()
    if method == "space":
        found = space(params["request"], params.get("gallery", False))
        if params.get("configs") is False:
            found["families"] = [{**family, "configs": []} for family in found["families"]]
        return found
    if method == "validate":
        reason = invalid_reason(params["request"], params["config"])
        if reason is not None:
            return {"valid": False, "reason": reason}
        return {"valid": True, **work(params["request"], params["config"]["family"])}
    if method == "select":
        resolved(params["request"])
        family = [name for name in FAMILIES_OF[algorithm_of(params["request"])] if not is_gallery(name)][-1]
        config = {"family": family, "parameters": {**DEFAULTS[family], **FAULTS.get("selected", {})}}
        rejected = [{"row": "i32 sum n=256", "reason": "unknown family"}]
        record = {
            "device": {"arch": "host", "name": "Fake CPU", "sm_count": 8}, "algorithm": "scan", "request": "{}",
            "shape": "", "n": params["request"]["n"], "serves": [2048, 4096], "median_us": 5.0,
            "default_us": FAULTS.get("default_us", 6.0), "layer": "user",
            "database": FAULTS.get("database", "tuning.db"),
            "finished_at": "2026-01-02T03:04:05Z", "origin": None,
        }  # fmt: skip
        next_one = {
            "config": {"family": family, "parameters": DEFAULTS[family]}, "origin": "default", "record": None,
            "reason": "no other tuning record serves, so the default would",
        }  # fmt: skip
        return {
            "config": config, "origin": "exact_n", "reason": "a record of this N", "record": record,
            "rejected": rejected, **({"runner_up": next_one} if params.get("runner_up") else {}),
        }  # fmt: skip
    if method == "races":
        if not device.startswith("host"):
            raise Refusal("unsupported", "kernels with a race run on the host device alone")
        return {"races": [race(params["schedules"])]}
    return {"compile": compile_config, "verify": verify, "measure": measure}[method](params)


def race(schedules: int) -> dict[str, Any]:
    """Return a race that the third schedule shows first, or what FAULTS say of it."""
    first = {"seed": 3, "schedule": "seed 3 (1 resident CTA)", "fault": "item 2 should be 6, found 7"}
    told = {"wrong": 60, "wrong_of_family": 0, "first": first, **FAULTS.get("race", {})}
    return {"name": "racing", "family": "kogge_stone", "flaw": "no barrier", "n": 100, "schedules": schedules, **told}


def log(method: str, params: dict[str, Any]) -> None:
    path = os.environ.get("FAKE_WORKER_LOG")
    if path:
        with open(path, "a", encoding="utf-8") as file:  # noqa: PTH123
            file.write(json.dumps({"pid": os.getpid(), "method": method, **params}) + "\n")


def main() -> None:
    device = sys.argv[sys.argv.index("--device") + 1]
    if FAULTS.get("start") == "die":
        print("cannot load libmissing.so", file=sys.stderr)
        sys.exit(127)
    random.seed(" ".join(sys.argv[1:]))
    for line in sys.stdin:
        request = json.loads(line)
        log(request["method"], request["params"])
        reply: dict[str, Any] = {"id": request["id"] + int(FAULTS.get("wrong_id", 0))}
        try:
            result = answer(device, request["method"], request["params"])
            reply.update(ok=True, result=result)
        except Refusal as refusal:
            reply.update(ok=False, error=refusal.error)
        print(json.dumps(reply), flush=True)
