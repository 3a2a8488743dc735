// Wrong arguments of scans and reductions, in C and in C++, and the message about each. tests/structure checks that no
// argument of any function is left out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api_bad_arguments.h"
#include "scantune/runtime.hpp"

namespace scantune::testing {
namespace {

struct Pair {
  int first, second;
};

enum Level { kBelowZero = -1 };

struct EndlessValues {
  const long long* data() const { return nullptr; }
  u64 size() const { return ~u64{0}; }
};

Outcome c_scan(Arguments& with) { return of_c(scantune_scan(&with.problem, with.in(), with.out(), with.on())); }

Outcome c_reduce(Arguments& with) { return of_c(scantune_reduce(&with.problem, with.in(), with.out(), with.on())); }

Outcome c_arg_reduce(Arguments& with) {
  return of_c(scantune_arg_reduce(&with.problem, with.in(), with.out(), with.at(), with.on()));
}

template <PlanCreate kCreate = scantune_plan_create>
Outcome c_plan_create(Arguments& with) {
  scantune_plan* plan = nullptr;
  const Outcome outcome = of_c(kCreate(&with.problem, &plan));
  EXPECT_EQ(plan == nullptr, outcome.status != SCANTUNE_OK);
  scantune_plan_destroy(plan);
  return outcome;
}
constexpr auto c_reduce_plan_create = c_plan_create<scantune_reduce_plan_create>;
constexpr auto c_arg_plan_create = c_plan_create<scantune_arg_reduce_plan_create>;

// Runs a plan whose problem was right when it was made.
Call c_plan_run(const Spoil& spoil, PlanCreate create = scantune_plan_create) {
  return [=](Arguments& with) {
    const PlanOwner plan = made_plan(with, create);
    spoil(with);
    return of_c(scantune_plan_run(plan.get(), with.in(), with.out(), with.on()));
  };
}

Call c_plan_run_arg(const Spoil& spoil, PlanCreate create = scantune_arg_reduce_plan_create) {
  return [=](Arguments& with) {
    with.problem.op = SCANTUNE_MAX;
    const PlanOwner plan = made_plan(with, create);
    spoil(with);
    return of_c(scantune_plan_run_arg(plan.get(), with.in(), with.out(), with.at(), with.on()));
  };
}

std::vector<Call> c_allocator(const std::function<void(scantune_allocator&)>& spoil) {
  return {[=](Arguments&) {
    scantune_allocator allocator = SCANTUNE_ALLOCATOR_INIT;
    allocator.allocate = [](void*, std::uint64_t, std::int32_t) -> void* { return nullptr; };
    allocator.deallocate = [](void*, void*, std::uint64_t, std::int32_t) {};
    spoil(allocator);
    return of_c(scantune_set_allocator(&allocator));
  }};
}

Call c_buffer(const std::function<scantune_status(scantune_buffer*)>& call) {
  return [=](Arguments&) {
    scantune_buffer* buffer = nullptr;
    EXPECT_EQ(scantune_buffer_create(16, &buffer), SCANTUNE_OK);
    const std::unique_ptr<scantune_buffer, decltype(&scantune_buffer_destroy)> owner(buffer, &scantune_buffer_destroy);
    return of_c(call(buffer));
  };
}

void cpp_scan(Arguments& with) {
  runtime::scan(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), kItems, {.stream = with.stream});
}

void cpp_reduce(Arguments& with) {
  runtime::reduce(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), kItems, {.stream = with.stream});
}

void cpp_argmin(Arguments& with) {
  runtime::argmin(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.at(), kItems,
                  {.stream = with.stream});
}

void cpp_argmax(Arguments& with) {
  runtime::argmax(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.at(), kItems,
                  {.stream = with.stream});
}

Calls c_scan_with(const Spoil& spoil) { return {spoiled(spoil, c_scan)}; }

Calls c_problem(const std::function<void(scantune_problem&)>& spoil) {
  const Spoil in_arguments = [=](Arguments& with) { spoil(with.problem); };
  return {spoiled(in_arguments, c_scan), spoiled(in_arguments, c_plan_create<>)};
}

// A problem with a load and a store, of which one is spoiled.
Calls c_maps(const std::function<void(scantune_problem&, scantune_map& load, scantune_map& store)>& spoil) {
  const Spoil in_arguments = [=](Arguments& with) {
    with.load.source = "int load(int)";
    with.store.source = "int store(int)";
    with.problem.load = &with.load;
    with.problem.store = &with.store;
    spoil(with.problem, with.load, with.store);
  };
  return {spoiled(in_arguments, c_scan), spoiled(in_arguments, c_plan_create<>), spoiled(in_arguments, c_reduce),
          spoiled(in_arguments, c_reduce_plan_create)};
}

Calls c_custom(const std::function<void(scantune_custom_operator&)>& spoil) {
  const Spoil in_arguments = [=](Arguments& with) {
    with.problem.op = SCANTUNE_CUSTOM;
    with.problem.kind = SCANTUNE_EXCLUSIVE;
    with.problem.custom = &with.custom;
    spoil(with.custom);
  };
  return {spoiled(in_arguments, c_scan), spoiled(in_arguments, c_plan_create<>)};
}

Calls c_struct(std::uint32_t bytes, std::uint32_t alignment) {
  const Spoil spoil = [=](Arguments& with) {
    with.problem.input_type = with.problem.output_type = SCANTUNE_CUSTOM_TYPE;
    with.problem.op = SCANTUNE_CUSTOM;
    with.problem.custom = &with.custom;
    with.custom.value_type = SCANTUNE_CUSTOM_TYPE;
    with.custom.value_bytes = bytes;
    with.custom.value_alignment = alignment;
  };
  return {spoiled(spoil, c_scan), spoiled(spoil, c_plan_create<>)};
}

// Calls with wrong pointers that arithmetic finds, which a plan's call refuses too.
Calls arithmetic(const Spoil& spoil) {
  return {spoiled(spoil, c_scan), c_plan_run(spoil), cpp([=](Arguments& with) {
            spoil(with);
            cpp_scan(with);
          }),
          cpp([=](Arguments& with) {
            const auto plan = runtime::plan<int>(kItems);
            spoil(with);
            plan(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.stream);
          })};
}

Call cpp_spoiled(const Spoil& spoil, void (*call)(Arguments&)) {
  return cpp([=](Arguments& with) {
    spoil(with);
    call(with);
  });
}

Calls arithmetic_of_reductions(const Spoil& spoil) {
  return {spoiled(spoil, c_reduce), c_plan_run(spoil, scantune_reduce_plan_create), cpp_spoiled(spoil, cpp_reduce),
          cpp([=](Arguments& with) {
            const auto plan = runtime::reduce_plan<int>(kItems);
            spoil(with);
            plan(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.stream);
          })};
}

// Spoils what asks for the place of a maximum.
Spoil of_maximum(const Spoil& spoil) {
  return [=](Arguments& with) {
    with.problem.op = SCANTUNE_MAX;
    spoil(with);
  };
}

Calls arithmetic_of_places(const Spoil& spoil) {
  return {spoiled(of_maximum(spoil), c_arg_reduce), c_plan_run_arg(spoil), cpp_spoiled(spoil, cpp_argmin),
          cpp_spoiled(spoil, cpp_argmax), cpp([=](Arguments& with) {
            const auto plan = runtime::arg_plan<int>(kItems, runtime::Op::min);
            spoil(with);
            plan(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.at(), with.stream);
          })};
}

// Runs of plans in a workspace of the caller's, which the problem needs.
Calls in_workspace(const Spoil& spoil) {
  static constexpr u64 kTiles = u64{1} << 20;  // items of a scan of many tiles, or of a reduction by many CTAs
  const Spoil far = [=](Arguments& with) {
    with.problem.n = kTiles;
    with.input = std::uintptr_t{1} << 40;
    with.output = std::uintptr_t{1} << 41;
    with.index = std::uintptr_t{1} << 42;
  };
  const auto of_c_plan = [=](PlanCreate create, auto run) {
    return [=](Arguments& with) {
      far(with);
      with.problem.captured_launches = 0;
      const PlanOwner plan = made_plan(with, create);
      EXPECT_GT(scantune_plan_workspace_bytes(plan.get()), 0u);
      spoil(with);
      return of_c(run(plan.get(), with));
    };
  };
  const auto run = [](scantune_plan* plan, const Arguments& with) {
    return scantune_plan_run_in(plan, with.in(), with.out(), address(with.workspace), with.workspace_bytes, with.on());
  };
  const auto run_arg = [](scantune_plan* plan, const Arguments& with) {
    return scantune_plan_run_arg_in(plan, with.in(), with.out(), with.at(), address(with.workspace),
                                    with.workspace_bytes, with.on());
  };
  const Call of_places = of_c_plan(scantune_arg_reduce_plan_create, run_arg);
  return {of_c_plan(scantune_plan_create, run), of_c_plan(scantune_reduce_plan_create, run),
          [=](Arguments& with) {
            with.problem.op = SCANTUNE_MIN;
            return of_places(with);
          },
          cpp([=](Arguments& with) {
            far(with);
            const auto plan = runtime::plan<int>(kTiles, {.captured_launches = 0});
            EXPECT_GT(plan.workspace_bytes(), 0u);
            spoil(with);
            plan(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.room(), with.stream);
          }),
          cpp([=](Arguments& with) {
            far(with);
            const auto plan = runtime::arg_plan<int>(kTiles, runtime::Op::min, {.captured_launches = 0});
            EXPECT_GT(plan.workspace_bytes(), 0u);
            spoil(with);
            plan(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.at(), with.room(),
                 with.stream);
          })};
}

// Those of scans, which need more than one multiple of the alignment.
Calls scan_in_workspace(const Spoil& spoil) {
  const Calls all = in_workspace(spoil);
  return {all[0], all[3]};
}

Calls reductions_shown_by_the_driver(const Spoil& spoil) {
  return {spoiled(spoil, c_reduce), cpp_spoiled(spoil, cpp_reduce), spoiled(of_maximum(spoil), c_arg_reduce),
          cpp_spoiled(spoil, cpp_argmin), cpp_spoiled(spoil, cpp_argmax)};
}

Calls c_reductions(const std::function<void(scantune_problem&)>& spoil) {
  const Spoil in_arguments = [=](Arguments& with) { spoil(with.problem); };
  return {spoiled(in_arguments, c_reduce), spoiled(in_arguments, c_reduce_plan_create)};
}

Calls c_places(const std::function<void(scantune_problem&)>& spoil) {
  const Spoil in_arguments = of_maximum([=](Arguments& with) { spoil(with.problem); });
  return {spoiled(in_arguments, c_arg_reduce), spoiled(in_arguments, c_arg_plan_create)};
}

// Calls with wrong pointers and streams that only the driver knows to be wrong.
Calls shown_by_the_driver(const Spoil& spoil) {
  return {spoiled(spoil, c_scan), cpp([=](Arguments& with) {
            spoil(with);
            cpp_scan(with);
          })};
}

template <class T = int>
Calls options(const runtime::ScanOptions<T>& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::scan(static_cast<const T*>(with.in()), static_cast<T*>(with.out()), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::plan<T>(n, wrong); }),
          cpp([=](Arguments&) { runtime::describe<T>(n, wrong); })};
}

template <class T = int>
Calls reduce_options(const runtime::ReduceOptions<T>& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::reduce(static_cast<const T*>(with.in()), static_cast<T*>(with.out()), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::reduce_plan<T>(n, wrong); }),
          cpp([=](Arguments&) { runtime::describe_reduce<T>(n, wrong); })};
}

Calls arg_options(const runtime::ArgOptions& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::argmin(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.at(), n, wrong);
          }),
          cpp([=](Arguments& with) {
            runtime::argmax(static_cast<const int*>(with.in()), static_cast<int*>(with.out()), with.at(), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::arg_plan<int>(n, runtime::Op::max, wrong); })};
}

// A scan of T in its accumulator, and a plan of it.
template <class T, class Value>
Calls with_init(Value value) {
  return {cpp([=](Arguments& with) {
            runtime::scan(static_cast<const T*>(with.in()), static_cast<T*>(with.out()), kItems, {.init = value});
          }),
          cpp([=](Arguments&) { runtime::plan<T>(kItems, {.init = value}); })};
}

template <class T>
Calls custom_operator(const std::function<runtime::Op()>& make) {
  return {cpp([=](Arguments& with) {
    runtime::scan(static_cast<const T*>(with.in()), static_cast<T*>(with.out()), kItems, {.op = make()});
  })};
}

// A call that reads its initial value from an address.
Spoil device_init_at(std::uintptr_t where) {
  return [=](Arguments& with) { with.problem.device_init = address(where); };
}

Call c_plan_run_with_init_at(std::uintptr_t where) {
  const Call run = c_plan_run([](Arguments&) {});
  return [=](Arguments& with) {
    device_init_at(where)(with);
    return run(with);
  };
}

Calls init_in_memory(std::uintptr_t where) {
  return {spoiled(device_init_at(where), c_scan), c_plan_run_with_init_at(where)};
}

// Scans and runs of a plan whose problem has pointers that only the run can find wrong.
Calls with_pointers(const std::function<void(scantune_problem&)>& set) {
  const Spoil spoil = [=](Arguments& with) { set(with.problem); };
  const Call run = c_plan_run([](Arguments&) {});
  return {spoiled(spoil, c_scan), [=](Arguments& with) {
            spoil(with);
            return run(with);
          }};
}

const std::uint64_t* n_at(std::uintptr_t where) { return static_cast<const std::uint64_t*>(address(where)); }
std::uint32_t* flag_at(std::uintptr_t where) { return static_cast<std::uint32_t*>(address(where)); }

const std::string kTooLong(65, 'x');

// clang-format off
const std::vector<BadInput> kBadInput = {
    // The problem.
    {"scantune_problem", "struct_bytes", "another version's", c_problem([](auto& p) { p.struct_bytes = 8; }), {"struct_bytes is 8", "SCANTUNE_PROBLEM_INIT"}},
    {"scantune_problem", "struct_bytes", "of no version", c_problem([](auto& p) { p.struct_bytes = 76; }), {"struct_bytes is 76", "the oldest that it serves 72"}},
    {"scantune_problem", "struct_bytes", "out of all range", c_problem([](auto& p) { p.struct_bytes = ~std::size_t{0} - 7; }), {"struct_bytes is 18446744073709551608"}},
    {"scantune_problem", "struct_bytes", "more than any version's", c_problem([](auto& p) { p.struct_bytes = 264; }), {"struct_bytes is 264"}},
    {"scantune_problem", "n", "more items than an address space", c_problem([](auto& p) { p.n = ~u64{0}; }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_problem", "n", "more items than a grid can have", {spoiled([](Arguments& a) { a.problem.n = u64{1} << 50; a.output = std::uintptr_t{1} << 60; }, c_scan)}, {"no kernel does", "more tiles than a grid"}},
    {"scantune_problem", "input_type", "left out", c_problem([](auto& p) { p.input_type = SCANTUNE_DEFAULT_TYPE; }), {"input_type is 0", "scantune_type"}},
    {"scantune_problem", "input_type", "no type", c_problem([](auto& p) { write(p.input_type, 14); }), {"input_type is 14", "1 to 13"}},
    {"scantune_problem", "input_type", "floating-point items for an integer accumulator", c_problem([](auto& p) { p.input_type = SCANTUNE_F32; p.accumulator_type = SCANTUNE_I32; }), {"f32 to i32 in i32", "floating-point accumulator"}},
    {"scantune_problem", "accumulator_type", "no type", c_problem([](auto& p) { write(p.accumulator_type, -1); }), {"accumulator_type is -1"}},
    {"scantune_problem", "accumulator_type", "too narrow", c_problem([](auto& p) { p.accumulator_type = SCANTUNE_I8; }), {"accumulator type must be"}},
    {"scantune_problem", "output_type", "no type", c_problem([](auto& p) { write(p.output_type, 1 << 30); }), {"output_type is 1073741824"}},
    {"scantune_problem", "output_type", "integers of a floating-point accumulator", c_problem([](auto& p) { p.accumulator_type = SCANTUNE_F64; }), {"output type must be a floating-point type"}},
    {"scantune_problem", "op", "no operator", c_problem([](auto& p) { write(p.op, 8); }), {"op is 8", "scantune_operator"}},
    {"scantune_problem", "op", "bits of floating-point numbers", c_problem([](auto& p) { p.input_type = p.output_type = SCANTUNE_F32; p.op = SCANTUNE_XOR; }), {"f32 inclusive bit_xor", "for integers"}},
    {"scantune_problem", "op", "bits of no floating-point numbers", c_problem([](auto& p) { p.n = 0; p.input_type = p.output_type = SCANTUNE_F64; p.op = SCANTUNE_OR; }), {"f64 inclusive bit_or of 0 items", "for integers"}},
    {"scantune_problem", "op", "a struct's sum", c_problem([](auto& p) { p.input_type = p.output_type = SCANTUNE_CUSTOM_TYPE; }), {"custom type needs a custom operator"}},
    {"scantune_problem", "kind", "no kind", c_problem([](auto& p) { write(p.kind, 2); }), {"kind is 2", "0 to 1"}},
    {"scantune_problem", "determinism", "no determinism", c_problem([](auto& p) { write(p.determinism, -7); }), {"determinism is -7"}},
    {"scantune_problem", "forward_progress", "no forward progress", c_problem([](auto& p) { write(p.forward_progress, 2); }), {"forward_progress is 2"}},
    {"scantune_problem", "latency", "no latency", c_problem([](auto& p) { write(p.latency, 2); }), {"latency is 2", "scantune_latency"}},
    {"scantune_problem", "init", "beside device_init", c_problem([](auto& p) { p.init = &p; p.device_init = address(0x5000); }), {"init and device_init are both given"}},
    {"scantune_problem", "device_init", "misaligned", init_in_memory(0x5002), {"device_init is 0x5002", "multiple of the 4 bytes"}},
    {"scantune_problem", "device_init", "at the end of memory", init_in_memory(kEnd - 3), {"device_init", "end of the address space"}},
    {"scantune_problem", "device_init", "in the output", init_in_memory(kOutput + 4 * kItems - 4), {"device_init [0x9000f9c, +4 bytes) lies in the output [0x9000000"}},
    {"scantune_problem", "device_init", "memory of the host", {spoiled(device_init_at(kHost), c_scan), spoiled(device_init_at(kHost), c_plan_create<>)}, {"device_init", "memory of the host"}},
    {"scantune_problem", "custom", "left out", c_problem([](auto& p) { p.op = SCANTUNE_CUSTOM; }), {"custom is NULL"}},
    {"scantune_problem", "custom", "with a built-in operator", {spoiled([](Arguments& a) { a.problem.custom = &a.custom; }, c_scan)}, {"custom is given, but op is sum"}},
    {"scantune_problem", "captured_launches", "negative", c_problem([](auto& p) { p.captured_launches = -1; }), {"captured_launches is -1", "between 0 and"}},
    {"scantune_problem", "captured_launches", "negative, of no items", c_problem([](auto& p) { p.n = 0; p.captured_launches = -1; }), {"captured_launches is -1", "between 0 and"}},
    {"scantune_problem", "captured_launches", "too many", c_problem([](auto& p) { p.captured_launches = 1 << 20; }), {"captured_launches is 1048576"}},

    {"scantune_problem", "config", "empty", c_problem([](auto& p) { p.config = ""; }), {"config is empty", "NULL to have one chosen"}},
    {"scantune_problem", "config", "no JSON", c_problem([](auto& p) { p.config = "lookback"; }), {"config is \"lookback\"", "must be JSON such as {\"family\": \"lookback\""}},
    {"scantune_problem", "config", "no object", c_problem([](auto& p) { p.config = "[256]"; }), {"config is \"[256]\"", "must be JSON"}},
    {"scantune_problem", "config", "without a family", c_problem([](auto& p) { p.config = "{\"block_threads\": 256}"; }), {"config.family must name a family of scan: ", "lookback", "found none"}},
    {"scantune_problem", "config", "of an unknown family", c_problem([](auto& p) { p.config = "{\"family\": \"one_pass\"}"; }), {"config.family", "single_block", "found \"one_pass\""}},
    {"scantune_problem", "config", "of another algorithm's family", c_problem([](auto& p) { p.config = "{\"family\": \"copy_vectors\"}"; }), {"config.family must name a family of scan", "found \"copy_vectors\""}},
    {"scantune_problem", "config", "of a family that cannot run so many items", c_problem([](auto& p) { p.n = 1 << 24; p.config = "{\"family\": \"single_block\"}"; }), {"config: single_block cannot run i32 inclusive sum of 16777216 items: "}},
    {"scantune_problem", "config", "with an unknown parameter", c_problem([](auto& p) { p.config = "{\"family\": \"lookback\", \"threads\": 256}"; }), {"config: lookback has no parameter \"threads\"", "the default is lookback{block_threads="}},
    {"scantune_problem", "config", "with a member beside the parameters", c_problem([](auto& p) { p.config = "{\"family\": \"lookback\", \"parameters\": {}, \"block_threads\": 256}"; }), {"config: it has an unknown member \"block_threads\""}},
    {"scantune_problem", "config", "with a number for a token", c_problem([](auto& p) { p.config = "{\"family\": \"lookback\", \"layout\": 1}"; }), {"config: lookback.layout cannot be 1; it is one of "}},
    {"scantune_problem", "config", "with a fraction", c_problem([](auto& p) { p.config = "{\"family\": \"lookback\", \"block_threads\": 256.5}"; }), {"config: lookback.block_threads cannot be 256.5; it is an integer, such as "}},
    {"scantune_problem", "config", "that is not legal", c_problem([](auto& p) { p.config = "{\"family\": \"lookback\", \"block_threads\": 0}"; }), {"config: lookback{block_threads=0", "cannot run i32 inclusive sum of 1000 items: ", "the default is lookback{"}},
    {"scantune_problem", "config", "that is not legal, of no items", c_problem([](auto& p) { p.n = 0; p.config = "{\"family\": \"lookback\", \"block_threads\": 0}"; }), {"config: lookback{block_threads=0"}},
    {"scantune_problem", "segments", "no segments", c_problem([](auto& p) { write(p.segments, 3); p.rows = 10; }), {"segments is 3", "scantune_segments", "0 to 2"}},
    {"scantune_problem", "rows", "left out", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; }), {"rows is 0, segments is SCANTUNE_ROWS, and n is 1000", "how many rows"}},
    {"scantune_problem", "rows", "of one sequence", c_problem([](auto& p) { p.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS", "leave rows at 0"}},
    {"scantune_problem", "rows", "of another length", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 7; }), {"n is 1000, which is no multiple of rows, which is 7"}},
    {"scantune_problem", "rows", "more than items", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 1001; }), {"n is 1000, which is no multiple of rows"}},
    {"scantune_problem", "rows", "of columns", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_problem", "rows", "of one sequence of no items", c_problem([](auto& p) { p.n = 0; p.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_problem", "columns", "left out", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; }), {"columns is 0, segments is SCANTUNE_COLUMNS, and n is 1000", "how many columns"}},
    {"scantune_problem", "columns", "of one sequence", c_problem([](auto& p) { p.columns = 10; }), {"columns is 10, and segments is not SCANTUNE_COLUMNS", "leave columns at 0"}},
    {"scantune_problem", "columns", "of rows", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.columns = 10; }), {"columns is 10, and segments is not SCANTUNE_COLUMNS"}},
    {"scantune_problem", "columns", "of another length", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 7; }), {"n is 1000, which is no multiple of columns, which is 7", "equal length"}},
    {"scantune_problem", "columns", "more than items", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 1001; }), {"n is 1000, which is no multiple of columns"}},
    {"scantune_problem", "segments", "columns, beside a config for one sequence", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 10; p.config = "{\"family\": \"lookback\"}"; }), {"lookback cannot run i32 inclusive sum of 1000 items, 10 columns"}},
    {"scantune_problem", "segments", "of no items, beside a config for one sequence", c_problem([](auto& p) { p.n = 0; p.segments = SCANTUNE_ROWS; p.rows = 7; p.config = "{\"family\": \"lookback\"}"; }), {"lookback cannot run i32 inclusive sum", "not row by row"}},
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "of another number of columns", both(c_reductions([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 7; }), c_places([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 7; })), {"n is 1000, which is no multiple of columns, which is 7"}},
    {"scantune_problem", "segments", "beside a config for one sequence", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.config = "{\"family\": \"lookback\"}"; }), {"lookback cannot run i32 inclusive sum of 1000 items, 10 rows", "not row by row"}},

    {"scantune_problem", "direction", "no direction", c_problem([](auto& p) { write(p.direction, 2); }), {"direction is 2", "scantune_direction", "0 to 1"}},
    {"scantune_problem", "direction", "reverse, with n in memory", c_problem([](auto& p) { p.direction = SCANTUNE_REVERSE; p.device_n = n_at(0x5000); }), {"not known where a reverse scan begins", "leave device_n out, or direction"}},
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "in reverse", both(c_reductions([](auto& p) { p.direction = SCANTUNE_REVERSE; }), c_places([](auto& p) { p.direction = SCANTUNE_REVERSE; })), {"direction is SCANTUNE_REVERSE", "leave it SCANTUNE_FORWARD"}},
    {"scantune_problem", "item_stride", "of one sequence", c_problem([](auto& p) { p.item_stride = 2; }), {"strides are given, and segments is not SCANTUNE_ROWS", "columns are rows whose row_stride is 1"}},
    {"scantune_problem", "row_stride", "of columns", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 10; p.row_stride = 200; }), {"strides are given, and segments is not SCANTUNE_ROWS"}},
    {"scantune_problem", "item_stride", "so great that rows overflow", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.item_stride = std::int64_t{1} << 62; }), {"row_stride is left out, and would be 4611686018427387904 * 100", "overflows 64 bits"}},
    {"scantune_problem", "item_stride", "the least number", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.item_stride = -(std::int64_t{1} << 62) * 2; }), {"row_stride is left out, and would be -9223372036854775808 * 100", "overflows 64 bits"}},
    {"scantune_problem", "row_stride", "the least number", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.row_stride = -(std::int64_t{1} << 62) * 2; p.plane_stride = 1; }), {"row_stride is -9223372036854775808, and 10 times as much is farther than 64 bits count bytes"}},
    {"scantune_problem", "row_stride", "so great that places overflow", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.row_stride = std::int64_t{1} << 58; }), {"row_stride is 288230376151711744, and 10 times as much", "farther than 64 bits count bytes"}},
    {"scantune_problem", "out_row_stride", "shorter than a row", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.out_row_stride = 50; }), {"out_item_stride is 1 and out_row_stride 50", "two results of 10 rows of 100 items may lie in one place"}},
    {"scantune_problem", "out_item_stride", "so long that rows meet", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.out_item_stride = 2; }), {"out_item_stride is 2 and out_row_stride 100", "may lie in one place"}},
    {"scantune_problem", "planes", "no divisor of the rows", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.planes = 3; }), {"planes is 3, and rows 10, which is no multiple"}},
    {"scantune_problem", "plane_stride", "of one sequence", c_problem([](auto& p) { p.plane_stride = 2; }), {"strides are given, and segments is not SCANTUNE_ROWS"}},
    {"scantune_problem", "plane_stride", "so great that places overflow", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.planes = 2; p.plane_stride = std::int64_t{1} << 60; }), {"plane_stride is 1152921504606846976, and 2 times as much", "farther than 64 bits count bytes"}},
    {"scantune_problem", "out_plane_stride", "shorter than a plane", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.planes = 2; p.out_plane_stride = 200; }), {"out_row_stride is 100 and out_plane_stride 200", "may lie in one place"}},
    {"scantune_problem", "out_row_stride", "another than that of the input, in place", {spoiled([](Arguments& a) { a.problem.segments = SCANTUNE_ROWS; a.problem.rows = 10; a.problem.row_stride = 110; a.problem.out_row_stride = 120; a.output = a.input; }, c_scan)}, {"overlap, and items of the one may lie in the other", "row_stride 110, item_stride 1, out_row_stride 120, out_item_stride 1", "with the same strides, or lie apart"}},
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "with strides of the output", both(c_reductions([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.out_row_stride = 200; }), c_places([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.out_row_stride = 200; })), {"out_row_stride is 200", "results of a reduction lie one behind the other"}},
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "with strides of no rows", both(c_reductions([](auto& p) { p.item_stride = 2; }), c_places([](auto& p) { p.item_stride = 2; })), {"strides are given, and segments is not SCANTUNE_ROWS"}},
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "with initial values of rows", both(c_reductions([](auto& p) { p.device_inits = n_at(0x5000); }), c_places([](auto& p) { p.device_inits = n_at(0x5000); })), {"device_inits is given; a reduction begins every row from the same value"}},
    {"scantune_problem", "load", "with an index, of rows with strides", c_maps([](auto& p, auto& load, auto&) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.row_stride = 200; load.kind = SCANTUNE_MAP_INDEXED; }), {"load takes the index of an item, and items of rows with strides have none", "leave the strides out"}},
    {"scantune_problem", "load", "in the place of the input", c_scan_with([](Arguments& a) { a.load.source = "int load(unsigned long long)"; a.load.kind = SCANTUNE_MAP_GENERATED; a.problem.load = &a.load; }), {"input is given, and load makes items of their indices alone: pass NULL"}},
    {"scantune_problem", "store", "with an index, of rows with strides", {c_scan_with([](Arguments& a) { a.store.source = "int store(int)"; a.store.kind = SCANTUNE_MAP_INDEXED; a.problem.store = &a.store; a.problem.segments = SCANTUNE_ROWS; a.problem.rows = 10; a.problem.row_stride = 200; })}, {"store takes the index of a result, and results of rows with strides have none"}},
    {"scantune_problem", "store", "in the place of the output", c_scan_with([](Arguments& a) { a.store.source = "void store(int)"; a.store.kind = SCANTUNE_MAP_WRITING; a.problem.store = &a.store; }), {"output is given, and store writes results by itself: pass NULL"}},
    {"scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "with a store", c_places([](auto& p) { static const scantune_map store = {sizeof(scantune_map), "int store(int)", SCANTUNE_MAP_ITEM, 0, nullptr}; p.store = &store; }), {"store takes one value", "leave store out"}},
    {"scantune_problem", "item_bytes", "of numbers", c_maps([](auto& p, auto&, auto&) { p.item_bytes = 4; }), {"item_bytes is 4; it must be 0 unless a map takes or makes a struct that is not the accumulator"}},
    {"scantune_problem", "item_bytes", "left out", c_maps([](auto& p, auto&, auto&) { p.accumulator_type = SCANTUNE_I32; p.input_type = SCANTUNE_CUSTOM_TYPE; p.item_alignment = 4; }), {"item_bytes is 0; a custom type has 1 to 32 bytes"}},
    {"scantune_problem", "item_alignment", "no divisor", c_maps([](auto& p, auto&, auto&) { p.accumulator_type = SCANTUNE_I32; p.output_type = SCANTUNE_CUSTOM_TYPE; p.item_bytes = 12; p.item_alignment = 8; }), {"item_alignment is 8; it must be 1, 2, 4, 8 or 16, and divide item_bytes, which is 12"}},
    {"scantune_map", "struct_bytes", "left out", c_maps([](auto&, auto& load, auto&) { load.struct_bytes = 0; }), {"load->struct_bytes is 0", "scantune_map", "SCANTUNE_MAP_INIT"}},
    {"scantune_map", "kind", "of the other map", c_maps([](auto&, auto& load, auto&) { load.kind = SCANTUNE_MAP_WRITING; }), {"load->kind is SCANTUNE_MAP_WRITING, which is for store"}},
    {"scantune_map", "kind", "of the other map, of a store", c_maps([](auto&, auto&, auto& store) { store.kind = SCANTUNE_MAP_GENERATED; }), {"store->kind is SCANTUNE_MAP_GENERATED, which is for load"}},
    {"scantune_map", "kind", "no kind", c_maps([](auto&, auto& load, auto&) { constexpr int kNoKind = 7; std::memcpy(&load.kind, &kNoKind, sizeof kNoKind); }), {"load->kind is 7; it must be a scantune_map_kind, 0 to 3"}},
    {"scantune_map", "source", "left out", c_maps([](auto&, auto&, auto& store) { store.source = nullptr; }), {"store->source is NULL; it must define Result store(Value)"}},
    {"scantune_map", "source", "empty", c_maps([](auto&, auto& load, auto&) { load.source = ""; }), {"load->source is empty; it must define Result load(Value)"}},
    {"scantune_map", "state", "left out", c_maps([](auto&, auto& load, auto&) { load.state_bytes = 8; }), {"load->state is NULL, and load->state_bytes is 8: point it to the state"}},
    {"scantune_map", "state_bytes", "left out", c_maps([](auto&, auto&, auto& store) { store.state = &store; }), {"store->state_bytes is 0, and store->state is given"}},
    {"scantune_map", "state_bytes", "too many", c_maps([](auto&, auto& load, auto&) { load.state = &load; load.state_bytes = 33; }), {"load->state_bytes is 33; a state has at most 32 bytes: pass what is larger in memory of the device"}},
    {"scantune_problem", "device_inits", "beside init", c_problem([](auto& p) { static const int init = 5; p.segments = SCANTUNE_ROWS; p.rows = 10; p.init = &init; p.device_inits = n_at(0x5000); }), {"device_inits and init are both given"}},
    {"scantune_problem", "device_inits", "beside device_init", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.device_init = n_at(0x5000); p.device_inits = n_at(0x6000); }), {"device_inits and device_init are both given"}},
    {"scantune_problem", "device_inits", "of one sequence", c_problem([](auto& p) { p.device_inits = n_at(0x5000); }), {"device_inits is given, and segments is SCANTUNE_NO_SEGMENTS", "pass one value in init or device_init"}},
    {"scantune_problem", "device_inits", "misaligned", with_pointers([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.device_inits = n_at(0x5002); }), {"device_inits is 0x5002", "multiple of the 4 bytes"}},
    {"scantune_problem", "device_inits", "that end in the output", with_pointers([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.device_inits = n_at(kOutput - 36); }), {"device_inits [0x8ffffdc, +40 bytes) lies in the output [0x9000000"}},

    {"scantune_problem", "device_n", "misaligned", with_pointers([](auto& p) { p.device_n = n_at(0x5004); }), {"device_n is 0x5004", "multiple of the 8 bytes"}},
    {"scantune_problem", "device_n", "at the end of memory", with_pointers([](auto& p) { p.device_n = n_at(kEnd - 7); }), {"device_n", "end of the address space"}},
    {"scantune_problem", "device_n", "in the output", with_pointers([](auto& p) { p.device_n = n_at(kOutput + 4 * kItems - 8); }), {"device_n [0x9000f98, +8 bytes) lies in the output [0x9000000", "it must lie outside"}},
    {"scantune_problem", "device_n", "memory of the host", {spoiled([](Arguments& a) { a.problem.device_n = n_at(kHost); }, c_scan), spoiled([](Arguments& a) { a.problem.device_n = n_at(kHost); }, c_plan_create<>)}, {"device_n: ", "memory of the host"}},
    {"scantune_problem", "device_n", "with rows", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.device_n = n_at(0x5000); }), {"n in device memory is not known when the items are cut into rows", "leave device_n out"}},
    {"scantune_problem", "device_n", "with columns", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 10; p.device_n = n_at(0x5000); }), {"n in device memory is not known when the items are cut", "leave device_n out"}},
    {"scantune_problem", "device_n", "beside a config that goes by the launch", c_problem([](auto& p) { p.device_n = n_at(0x5000); p.config = "{\"family\": \"kogge_stone\"}"; }), {"kogge_stone cannot run i32 inclusive sum, memory n source of 1000 items", "do not read it from memory"}},
    {"scantune_problem", "device_n", "of more items than an address space", c_problem([](auto& p) { p.n = ~u64{0}; p.device_n = n_at(0x5000); }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_problem", "device_clamped", "without device_n", c_problem([](auto& p) { p.device_clamped = flag_at(0x6000); }), {"device_clamped is given, and device_n is NULL", "pass both or none"}},
    {"scantune_problem", "device_clamped", "misaligned", with_pointers([](auto& p) { p.device_n = n_at(0x5000); p.device_clamped = flag_at(0x6002); }), {"device_clamped is 0x6002", "multiple of the 4 bytes"}},
    {"scantune_problem", "device_clamped", "in the output", with_pointers([](auto& p) { p.device_n = n_at(0x5000); p.device_clamped = flag_at(kOutput); }), {"device_clamped [0x9000000, +4 bytes) lies in the output"}},
    {"scantune_problem", "device_clamped", "in the input", with_pointers([](auto& p) { p.device_n = n_at(0x5000); p.device_clamped = flag_at(kInput + 4); }), {"input [0x1000000, +4000 bytes) and device_clamped [0x1000004, +4 bytes) overlap"}},
    {"scantune_problem", "device_clamped", "in device_n", with_pointers([](auto& p) { p.device_n = n_at(0x5000); p.device_clamped = flag_at(0x5004); }), {"device_n [0x5000, +8 bytes) lies in the device_clamped [0x5004"}},
    {"scantune_problem", "device_clamped", "memory of the host", {spoiled([](Arguments& a) { a.problem.device_n = n_at(0x5000); a.problem.device_clamped = flag_at(kHost); }, c_scan), spoiled([](Arguments& a) { a.problem.device_n = n_at(0x5000); a.problem.device_clamped = flag_at(kHost); }, c_plan_create<>)}, {"device_clamped: ", "memory of the host"}},

    // A custom operator.
    {"scantune_custom_operator", "struct_bytes", "left out", c_custom([](auto& c) { c.struct_bytes = 0; }), {"custom.struct_bytes is 0", "SCANTUNE_CUSTOM_OPERATOR_INIT"}},
    {"scantune_custom_operator", "source", "null", c_custom([](auto& c) { c.source = nullptr; }), {"custom.source is NULL", "combine"}},
    {"scantune_custom_operator", "source", "empty", c_custom([](auto& c) { c.source = ""; }), {"custom.source is empty"}},
    {"scantune_custom_operator", "identity", "left out where it is needed", c_custom([](auto& c) { c.identity = nullptr; }), {"custom.identity is NULL", "init or device_init"}},
    {"scantune_custom_operator", "value_type", "no type", c_custom([](auto& c) { write(c.value_type, 77); }), {"custom.value_type is 77"}},
    {"scantune_custom_operator", "value_type", "not the accumulator's", c_custom([](auto& c) { c.value_type = SCANTUNE_F32; }), {"custom.value_type is f32, and the accumulator is i32"}},
    {"scantune_custom_operator", "value_bytes", "of a built-in type", c_custom([](auto& c) { c.value_bytes = 4; }), {"custom.value_bytes is 4", "must be 0"}},
    {"scantune_custom_operator", "value_bytes", "none", c_struct(0, 4), {"custom.value_bytes is 0", "1 to 32"}},
    {"scantune_custom_operator", "value_bytes", "too many", c_struct(33, 1), {"custom.value_bytes is 33"}},
    {"scantune_custom_operator", "value_bytes", "out of all range", c_struct(~0u, 1), {"custom.value_bytes is 4294967295"}},
    {"scantune_custom_operator", "value_alignment", "of a built-in type", c_custom([](auto& c) { c.value_alignment = 4; }), {"custom.value_alignment is 4"}},
    {"scantune_custom_operator", "value_alignment", "none", c_struct(8, 0), {"custom.value_alignment is 0"}},
    {"scantune_custom_operator", "value_alignment", "no power of two", c_struct(12, 3), {"custom.value_alignment is 3", "1, 2, 4, 8 or 16"}},
    {"scantune_custom_operator", "value_alignment", "that does not divide the size", c_struct(12, 8), {"custom.value_alignment is 8", "divide value_bytes, which is 12"}},
    {"scantune_custom_operator", "value_alignment", "too wide", c_struct(32, 32), {"custom.value_alignment is 32"}},
    {"scantune_custom_operator", "cost", "no cost", c_custom([](auto& c) { write(c.cost, 3); }), {"custom.cost is 3"}},
    {"scantune_custom_operator", "name", "empty", c_custom([](auto& c) { c.name = ""; }), {"custom.name is ''"}},
    {"scantune_custom_operator", "name", "with a space", c_custom([](auto& c) { c.name = "two words"; }), {"custom.name is 'two words'"}},
    {"scantune_custom_operator", "name", "too long", c_custom([](auto& c) { c.name = kTooLong.c_str(); }), {"custom.name is 'xxx", "1 to 64"}},
    {"scantune_custom_operator", "state", "left out", c_custom([](auto& c) { c.state_bytes = 8; }), {"custom.state is NULL, and custom.state_bytes is 8: point it to the state"}},
    {"scantune_custom_operator", "state_bytes", "left out", c_custom([](auto& c) { c.state = &c; }), {"custom.state_bytes is 0, and custom.state is given"}},
    {"scantune_custom_operator", "state_bytes", "too many", c_custom([](auto& c) { c.state = &c; c.state_bytes = 33; }), {"custom.state_bytes is 33; a state has at most 32 bytes: pass what is larger in memory of"}},
    {"scantune_custom_operator", "state_bytes", "out of all range", c_custom([](auto& c) { c.state = &c; c.state_bytes = ~0u; }), {"custom.state_bytes is 4294967295"}},

    // Functions in C.
    {"scantune_problem_init", "problem", "null", {[](Arguments&) { return of_c(scantune_problem_init(nullptr, sizeof(scantune_problem))); }}, {"problem is NULL"}},
    {"scantune_problem_init", "struct_bytes", "another version's", {[](Arguments& a) { return of_c(scantune_problem_init(&a.problem, 8)); }}, {"struct_bytes is 8"}},
    {"scantune_scan", "problem", "null", {[](Arguments& a) { return of_c(scantune_scan(nullptr, a.in(), a.out(), nullptr)); }}, {"problem is NULL"}},
    {"scantune_plan_create", "problem", "null", {[](Arguments&) { scantune_plan* plan = nullptr; return of_c(scantune_plan_create(nullptr, &plan)); }}, {"problem is NULL"}},
    {"scantune_plan_create", "plan", "null", {[](Arguments& a) { return of_c(scantune_plan_create(&a.problem, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run", "plan", "null", {[](Arguments& a) { return of_c(scantune_plan_run(nullptr, a.in(), a.out(), nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run", "stream", "captured without a reserve", {[](Arguments& a) { a.problem.n = 1 << 20; a.problem.captured_launches = 0; return c_plan_run([](Arguments& b) { b.output = std::uintptr_t{1} << 40; b.device->begin_capture(b.stream, 1); })(a); }}, {"being captured", "captured_launches"}},
    {"scantune_release", "stream", "being captured", {[](Arguments& a) { a.device->begin_capture(a.stream, 1); return of_c(scantune_release(a.stream)); }}, {"being captured"}},
    {"scantune_release", "stream", "of another context", {[](Arguments& a) { a.device->streams.at(a.stream).problem = "it is another's"; return of_c(scantune_release(a.stream)); }}, {"stream: it is another's"}},
    {"scantune_buffer_create", "bytes", "more than there are", {[](Arguments&) { scantune_buffer* made = nullptr; return of_c(scantune_buffer_create(~u64{0}, &made)); }}, {"out of memory"}, SCANTUNE_OUT_OF_MEMORY},
    {"scantune_buffer_create", "buffer", "null", {[](Arguments&) { return of_c(scantune_buffer_create(16, nullptr)); }}, {"buffer is NULL"}},
    {"scantune_buffer_upload", "buffer", "null", {[](Arguments&) { return of_c(scantune_buffer_upload(nullptr, "", 1)); }}, {"buffer is NULL"}},
    {"scantune_buffer_upload", "source", "null", {c_buffer([](auto* b) { return scantune_buffer_upload(b, nullptr, 16); })}, {"source is NULL", "bytes is 16"}},
    {"scantune_buffer_upload", "bytes", "too many", {c_buffer([](auto* b) { return scantune_buffer_upload(b, "", 17); })}, {"bytes is 17", "holds 16"}},
    {"scantune_buffer_download", "buffer", "null", {[](Arguments& a) { return of_c(scantune_buffer_download(nullptr, &a, 1)); }}, {"buffer is NULL"}},
    {"scantune_buffer_download", "destination", "null", {c_buffer([](auto* b) { return scantune_buffer_download(b, nullptr, 16); })}, {"destination is NULL"}},
    {"scantune_buffer_download", "bytes", "too many", {c_buffer([](auto* b) { char to[17]; return scantune_buffer_download(b, to, 17); })}, {"bytes is 17"}},

    // Pointers and streams of scan() and of plans, in C and in C++.
    {"scantune_scan scantune_plan_run runtime::scan Plan::operator()", "input", "null", arithmetic([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1000"}},
    {"scantune_scan scantune_plan_run runtime::scan Plan::operator()", "input", "misaligned", arithmetic([](Arguments& a) { a.input += 2; }), {"input is 0x1000002", "multiple of the 4 bytes"}},
    {"scantune_scan scantune_plan_run runtime::scan Plan::operator()", "input", "at the end of memory", arithmetic([](Arguments& a) { a.input = kEnd - 4 * kItems + 5; }), {"input", "end of the address space"}},
    {"scantune_scan scantune_plan_run runtime::scan Plan::operator()", "output", "null", arithmetic([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"scantune_scan scantune_plan_run runtime::scan Plan::operator()", "output", "misaligned", arithmetic([](Arguments& a) { a.output += 1; }), {"output is 0x9000001"}},
    {"scantune_scan scantune_plan_run runtime::scan Plan::operator()", "output", "at the end of memory", arithmetic([](Arguments& a) { a.output = kEnd - 4 * kItems + 5; }), {"output", "end of the address space"}},
    {"scantune_scan scantune_plan_run runtime::scan Plan::operator()", "output", "behind the start of the input", arithmetic([](Arguments& a) { a.output = kInput + 4; }), {"input [0x1000000, +4000 bytes) and output [0x1000004", "overlap"}},
    {"scantune_scan scantune_plan_run runtime::scan Plan::operator()", "output", "before the end of the input", arithmetic([](Arguments& a) { a.input = kOutput + 4 * kItems - 4; }), {"overlap"}},
    {"scantune_scan", "output", "the input, with items of another size", c_scan_with([](Arguments& a) { a.problem.input_type = SCANTUNE_I8; a.output = a.input; }), {"+1000 bytes) and output", "+4000 bytes) overlap"}},
    {"scantune_scan runtime::scan", "input", "memory of the host", shown_by_the_driver([](Arguments& a) { a.input = kHost; }), {"input: ", "memory of the host"}},
    {"scantune_scan runtime::scan", "output", "memory of the host", shown_by_the_driver([](Arguments& a) { a.output = kHost; }), {"output: ", "memory of the host"}},
    {"scantune_scan ScanOptions", "stream", "of another context", shown_by_the_driver([](Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: ", "another context"}},
    {"scantune_scan ScanOptions", "stream", "captured, of an unknown problem", shown_by_the_driver([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"being captured", "make a plan before"}},

    // Reductions, in C and in C++.
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "null", {[](Arguments& a) { return of_c(scantune_reduce(nullptr, a.in(), a.out(), nullptr)); }, [](Arguments& a) { return of_c(scantune_arg_reduce(nullptr, a.in(), a.out(), a.at(), nullptr)); }, [](Arguments&) { scantune_plan* plan = nullptr; return of_c(scantune_reduce_plan_create(nullptr, &plan)); }, [](Arguments&) { scantune_plan* plan = nullptr; return of_c(scantune_arg_reduce_plan_create(nullptr, &plan)); }}, {"problem is NULL"}},
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "exclusive", both(c_reductions([](auto& p) { p.kind = SCANTUNE_EXCLUSIVE; }), c_places([](auto& p) { p.kind = SCANTUNE_EXCLUSIVE; })), {"kind is SCANTUNE_EXCLUSIVE", "SCANTUNE_INCLUSIVE"}},
    {"scantune_reduce scantune_reduce_plan_create", "problem", "bits of floating-point numbers", c_reductions([](auto& p) { p.input_type = p.output_type = SCANTUNE_F32; p.op = SCANTUNE_XOR; }), {"f32 bit_xor", "for integers"}},
    {"scantune_reduce scantune_reduce_plan_create", "problem", "init beside device_init", c_reductions([](auto& p) { p.init = &p; p.device_init = address(0x5000); }), {"init and device_init are both given"}},
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "with a device_n", both(c_reductions([](auto& p) { p.device_n = n_at(0x5000); }), c_places([](auto& p) { p.device_n = n_at(0x5000); })), {"device_n is given; a reduction takes its n from the call", "leave it NULL"}},
    {"scantune_reduce scantune_reduce_plan_create scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "with a device_clamped", both(c_reductions([](auto& p) { p.device_clamped = flag_at(0x5000); }), c_places([](auto& p) { p.device_clamped = flag_at(0x5000); })), {"device_clamped is given; a reduction takes its n from the call", "leave it NULL"}},
    {"scantune_reduce scantune_reduce_plan_create", "problem", "no items, and nothing to start from", {spoiled([](Arguments& a) { a.problem.op = SCANTUNE_CUSTOM; a.problem.n = 0; a.custom.identity = nullptr; a.problem.custom = &a.custom; }, c_reduce), spoiled([](Arguments& a) { a.problem.op = SCANTUNE_CUSTOM; a.problem.n = 0; a.custom.identity = nullptr; a.problem.custom = &a.custom; }, c_reduce_plan_create)}, {"n is 0", "no identity", "device_init"}},
    {"scantune_reduce", "problem", "device_init in the output", {spoiled(device_init_at(kOutput), c_reduce), [](Arguments& a) { device_init_at(kOutput)(a); return c_plan_run([](Arguments&) {}, scantune_reduce_plan_create)(a); }}, {"device_init [0x9000000, +4 bytes) lies in the output"}},
    {"scantune_reduce", "problem", "device_init on the host, of no items", {spoiled([](Arguments& a) { a.problem.n = 0; a.problem.device_init = address(kHost); }, c_reduce), spoiled([](Arguments& a) { a.problem.n = 0; a.problem.device_init = address(kHost); }, c_reduce_plan_create)}, {"device_init", "memory of the host"}},
    {"scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "no items", c_places([](auto& p) { p.n = 0; }), {"n is 0", "nothing has a position"}},
    {"scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "of a sum", c_places([](auto& p) { p.op = SCANTUNE_SUM; }), {"i32 sum", "only a minimum or a maximum has a position"}},
    {"scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "with an init", c_places([](auto& p) { p.init = &p.n; }), {"an initial value has no position"}},
    {"scantune_arg_reduce scantune_arg_reduce_plan_create", "problem", "with a device_init", c_places([](auto& p) { p.device_init = address(0x5000); }), {"an initial value has no position"}},
    {"scantune_reduce_plan_create scantune_arg_reduce_plan_create", "plan", "null", {[](Arguments& a) { return of_c(scantune_reduce_plan_create(&a.problem, nullptr)); }, [](Arguments& a) { a.problem.op = SCANTUNE_MIN; return of_c(scantune_arg_reduce_plan_create(&a.problem, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_arg", "plan", "null", {[](Arguments& a) { return of_c(scantune_plan_run_arg(nullptr, a.in(), a.out(), a.at(), nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_arg", "plan", "without an index", {c_plan_run_arg([](Arguments&) {}, scantune_plan_create), c_plan_run_arg([](Arguments&) {}, scantune_reduce_plan_create)}, {"no index to write", "scantune_arg_reduce_plan_create()"}},
    {"scantune_plan_run_arg", "plan", "without an index, of no items", {[](Arguments& a) { a.problem.n = 0; return c_plan_run_arg([](Arguments&) {}, scantune_plan_create)(a); }}, {"no index to write"}},
    {"scantune_plan_run", "plan", "with an index", {spoiled([](Arguments& a) { a.problem.op = SCANTUNE_MAX; }, [](Arguments& a) { return c_plan_run([](Arguments&) {}, scantune_arg_reduce_plan_create)(a); })}, {"scantune_plan_run_arg()"}},
    {"scantune_plan_run_arg ArgPlan::operator()", "stream", "captured without a reserve", {[](Arguments& a) { a.problem.n = 1 << 20; a.problem.captured_launches = 0; return c_plan_run_arg([](Arguments& b) { b.device->begin_capture(b.stream, 1); })(a); }, cpp([](Arguments& a) { const auto plan = runtime::arg_plan<int>(1 << 20, runtime::Op::max, {.captured_launches = 0}); a.device->begin_capture(a.stream, 1); plan(static_cast<const int*>(a.in()), static_cast<int*>(a.out()), a.at(), a.stream); })}, {"being captured", "captured_launches"}},
    {"scantune_reduce scantune_plan_run runtime::reduce Plan::operator()", "input", "null", arithmetic_of_reductions([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1000"}},
    {"scantune_reduce scantune_plan_run runtime::reduce Plan::operator()", "input", "misaligned", arithmetic_of_reductions([](Arguments& a) { a.input += 2; }), {"input is 0x1000002", "multiple of the 4 bytes"}},
    {"scantune_reduce scantune_plan_run runtime::reduce Plan::operator()", "output", "null", arithmetic_of_reductions([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"scantune_reduce scantune_plan_run runtime::reduce Plan::operator()", "output", "misaligned", arithmetic_of_reductions([](Arguments& a) { a.output += 2; }), {"output is 0x9000002"}},
    {"scantune_reduce scantune_plan_run runtime::reduce Plan::operator()", "output", "at the end of memory", arithmetic_of_reductions([](Arguments& a) { a.output = kEnd - 3; }), {"output", "end of the address space"}},
    {"scantune_reduce scantune_plan_run runtime::reduce Plan::operator()", "output", "the first item", arithmetic_of_reductions([](Arguments& a) { a.output = a.input; }), {"input [0x1000000, +4000 bytes) and output [0x1000000, +4 bytes) overlap", "must lie apart"}},
    {"scantune_arg_reduce scantune_plan_run_arg runtime::argmin runtime::argmax ArgPlan::operator()", "input", "null", arithmetic_of_places([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1000"}},
    {"scantune_arg_reduce scantune_plan_run_arg runtime::argmin runtime::argmax ArgPlan::operator()", "input", "misaligned", arithmetic_of_places([](Arguments& a) { a.input += 2; }), {"input is 0x1000002"}},
    {"scantune_arg_reduce scantune_plan_run_arg", "output", "null", arithmetic_of_places([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"runtime::argmin runtime::argmax ArgPlan::operator()", "value", "the last item", arithmetic_of_places([](Arguments& a) { a.output = kInput + 4 * kItems - 4; }), {"input [0x1000000, +4000 bytes) and output [0x1000f9c, +4 bytes) overlap"}},
    {"scantune_arg_reduce scantune_plan_run_arg runtime::argmin runtime::argmax ArgPlan::operator()", "index", "null", arithmetic_of_places([](Arguments& a) { a.index = 0; }), {"index is null"}},
    {"scantune_arg_reduce scantune_plan_run_arg runtime::argmin runtime::argmax ArgPlan::operator()", "index", "misaligned", arithmetic_of_places([](Arguments& a) { a.index += 4; }), {"index is 0xb000004", "multiple of the 8 bytes"}},
    {"scantune_arg_reduce scantune_plan_run_arg runtime::argmin runtime::argmax ArgPlan::operator()", "index", "in the input", arithmetic_of_places([](Arguments& a) { a.index = kInput + 8; }), {"input [0x1000000, +4000 bytes) and index [0x1000008, +8 bytes) overlap", "must lie apart"}},
    {"scantune_arg_reduce scantune_plan_run_arg runtime::argmin runtime::argmax ArgPlan::operator()", "index", "around the value", arithmetic_of_places([](Arguments& a) { a.output = kIndex + 4; }), {"index [0xb000000, +8 bytes)", "output [0xb000004, +4 bytes)", "must lie apart"}},
    {"scantune_reduce runtime::reduce scantune_arg_reduce runtime::argmin runtime::argmax", "input", "memory of the host", reductions_shown_by_the_driver([](Arguments& a) { a.input = kHost; }), {"input: ", "memory of the host"}},
    {"scantune_reduce runtime::reduce scantune_arg_reduce", "output", "memory of the host", reductions_shown_by_the_driver([](Arguments& a) { a.output = kHost; }), {"output: ", "memory of the host"}},
    {"scantune_arg_reduce runtime::argmin runtime::argmax", "index", "memory of the host", {spoiled([](Arguments& a) { a.problem.op = SCANTUNE_MIN; a.index = kHost; }, c_arg_reduce), cpp_spoiled([](Arguments& a) { a.index = kHost; }, cpp_argmin), cpp_spoiled([](Arguments& a) { a.index = kHost; }, cpp_argmax)}, {"index: ", "memory of the host"}},
    {"scantune_reduce ReduceOptions scantune_arg_reduce ArgOptions", "stream", "of another context", reductions_shown_by_the_driver([](Arguments& a) { a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: ", "another context"}},
    {"scantune_reduce ReduceOptions scantune_arg_reduce ArgOptions", "stream", "captured, of an unknown problem", reductions_shown_by_the_driver([](Arguments& a) { a.device->begin_capture(a.stream, 1); }), {"being captured", "make a plan before"}},

    // Workspaces of the caller's, in C and in C++.
    {"scantune_plan_run_in scantune_plan_run_arg_in Plan::operator() ArgPlan::operator()", "workspace", "null", in_workspace([](Arguments& a) { a.workspace = 0; }), {"1048576 items: workspace is null, and one run needs ", "pass memory of the device"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in Plan::operator() ArgPlan::operator()", "workspace", "misaligned", in_workspace([](Arguments& a) { a.workspace += 128; }), {"workspace is 0xd000080, which is not a multiple of 256 bytes"}},
    {"scantune_plan_run_in Plan::operator()", "workspace", "at the end of memory", scan_in_workspace([](Arguments& a) { a.workspace = kEnd - 255; }), {"workspace [0xffffffffffffff00, +", "passes the end of the address space"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in Plan::operator() ArgPlan::operator()", "workspace", "in the input", in_workspace([](Arguments& a) { a.workspace = a.input + 4096; }), {"workspace [0x10000001000, +", " and input [0x10000000000, +4194304 bytes) overlap: they must lie apart"}},
    {"scantune_plan_run_in Plan::operator()", "workspace", "that ends in the input", scan_in_workspace([](Arguments& a) { a.workspace = a.input - 256; }), {" and input [0x10000000000, +4194304 bytes) overlap"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in Plan::operator() ArgPlan::operator()", "workspace", "around the output", in_workspace([](Arguments& a) { a.workspace = a.output; }), {"workspace [0x20000000000, +", " and output [0x20000000000, +", "overlap"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in", "workspace_bytes", "too few", in_workspace([](Arguments& a) { a.workspace_bytes = 100; }), {"workspace_bytes is 100, and one run needs ", "ask the plan for workspace_bytes"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in Plan::operator()", "input", "null", in_workspace([](Arguments& a) { a.input = 0; }), {"input is null, and n is 1048576"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in Plan::operator()", "output", "null", in_workspace([](Arguments& a) { a.output = 0; }), {"output is null"}},
    {"scantune_plan_run_arg_in", "index", "null", {in_workspace([](Arguments& a) { a.index = 0; })[2]}, {"index is null"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in", "stream", "of another context, beside an overlap", in_workspace([](Arguments& a) { a.output = a.input + 4; a.device->streams.at(a.stream).problem = "it belongs to another context"; }), {"stream: it belongs to another context"}},
    {"scantune_plan_run_in scantune_plan_run_arg_in", "plan", "null", {[](Arguments& a) { return of_c(scantune_plan_run_in(nullptr, a.in(), a.out(), nullptr, 0, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run_arg_in(nullptr, a.in(), a.out(), a.at(), nullptr, 0, nullptr)); }}, {"plan is NULL"}},
    {"scantune_plan_run_in", "plan", "with an index", {[](Arguments& a) { a.problem.op = SCANTUNE_MAX; const PlanOwner plan = made_plan(a, scantune_arg_reduce_plan_create); return of_c(scantune_plan_run_in(plan.get(), a.in(), a.out(), nullptr, 0, nullptr)); }}, {"scantune_plan_run_arg_in()"}},
    {"scantune_plan_run_arg_in", "plan", "without an index", {[](Arguments& a) { const PlanOwner plan = made_plan(a, scantune_plan_create); return of_c(scantune_plan_run_arg_in(plan.get(), a.in(), a.out(), a.at(), nullptr, 0, nullptr)); }}, {"no index to write"}},

    // Allocators.
    {"scantune_allocator", "struct_bytes", "left out", c_allocator([](auto& a) { a.struct_bytes = 0; }), {"struct_bytes is 0", "scantune_allocator", "SCANTUNE_ALLOCATOR_INIT"}},
    {"scantune_allocator", "allocate", "null", c_allocator([](auto& a) { a.allocate = nullptr; }), {"allocate is NULL", "set no allocator"}},
    {"scantune_allocator", "deallocate", "null", c_allocator([](auto& a) { a.deallocate = nullptr; }), {"deallocate is NULL", "set no allocator"}},
    {"scantune_set_allocator", "allocator", "of a newer header", {[](Arguments&) { struct { scantune_allocator known = {sizeof(scantune_allocator) + 8, [](void*, std::uint64_t, std::int32_t) -> void* { return nullptr; }, [](void*, void*, std::uint64_t, std::int32_t) {}, nullptr}; std::uint64_t unknown = 1; } newer; return of_c(scantune_set_allocator(&newer.known)); }}, {"struct_bytes is 40", "newer header"}},
    {"runtime::set_allocator", "allocator", "without deallocate", {cpp([](Arguments&) { runtime::set_allocator({[](std::uint64_t, int) -> void* { return nullptr; }, {}}); })}, {"allocator.deallocate is empty", "reset_allocator()"}},
    {"runtime::set_allocator", "allocator", "without allocate", {cpp([](Arguments&) { runtime::set_allocator({}); })}, {"allocator.allocate is empty"}},

    // C++ alone.
    {"Plan::operator()", "stream", "captured without a reserve", {cpp([](Arguments& a) { const auto plan = runtime::plan<int>(1 << 20, {.captured_launches = 0}); a.device->begin_capture(a.stream, 1); plan(static_cast<const int*>(a.in()), static_cast<int*>(address(std::uintptr_t{1} << 40)), a.stream); })}, {"captured_launches"}},
    {"runtime::scan runtime::plan runtime::describe", "n", "more items than an address space", options<int>({}, ~u64{0}), {"more items than fit"}},
    {"ScanOptions", "op", "bits of floating-point numbers", options<float>({.op = runtime::Op::bit_and}), {"f32 inclusive bit_and", "for integers"}},
    {"ScanOptions", "op", "of a struct, built in", options<Affine>({}), {"custom type needs a custom operator"}},
    {"ScanOptions", "kind", "no kind", options<int>({.kind = static_cast<runtime::Kind>(9)}), {"kind is 9"}},
    {"runtime::scan runtime::plan runtime::describe", "op", "bits of floating-point numbers", {cpp([](Arguments& a) { runtime::scan(static_cast<const float*>(a.in()), static_cast<float*>(a.out()), kItems, runtime::Op::bit_and); }), cpp([](Arguments&) { runtime::plan<float>(kItems, runtime::Op::bit_and); }), cpp([](Arguments&) { runtime::describe<float>(kItems, runtime::Op::bit_and); })}, {"f32 inclusive bit_and", "for integers"}},
    {"InitialValue", "value", "negative, of an unsigned accumulator", with_init<std::uint8_t>(-1), {"init is -1, and the accumulator, u32, holds 0 to 4294967295"}},
    {"InitialValue", "value", "wider than the accumulator", with_init<int>(std::int64_t{1} << 31), {"init is 2147483648, and the accumulator, i32, holds -2147483648 to 2147483647", "scan<In, Out, Acc>()"}},
    {"InitialValue", "value", "less than the accumulator's least", with_init<int>(-(std::int64_t{1} << 31) - 1), {"init is -2147483649"}},
    {"InitialValue", "value", "of an enumeration, wider than the accumulator", with_init<unsigned>(kBelowZero), {"init is -1"}},
    {"InitialValue", "value", "an integer that a float rounds", with_init<runtime::f16>((1 << 24) + 1), {"init is 16777217, and the accumulator, f32, holds integers of 24 bits"}},
    {"InitialValue", "value", "an integer that a double rounds", with_init<double>(~u64{0}), {"init is 18446744073709551615", "f64"}},
    {"InitialValue", "value", "a double that a float would turn into infinity", with_init<float>(-1e300), {"init is -1e+300, and the accumulator, f32, holds numbers up to 3.40282e+38"}},
    {"ScanOptions", "init", "beside device_init", options<int>({.init = 1, .device_init = static_cast<const int*>(address(0x5000))}), {"init and device_init are both given"}},
    {"ScanOptions", "device_init", "memory of the host", options<int>({.device_init = static_cast<const int*>(address(kHost))}), {"device_init: ", "memory of the host"}},
    {"ScanOptions", "load", "empty", options<int>({.load = runtime::Map::source("")}), {"load->source is empty"}},
    {"ScanOptions", "load", "that is a store", options<int>({.load = runtime::Map::writing("void store(int)")}), {"load->kind is SCANTUNE_MAP_WRITING, which is for store"}},
    {"ScanOptions", "store", "that is a load", options<int>({.store = runtime::Map::generated("int load(int)")}), {"store->kind is SCANTUNE_MAP_GENERATED, which is for load"}},
    {"ReduceOptions", "load", "that is a store", reduce_options<int>({.load = runtime::Map::writing("void store(int)")}), {"load->kind is SCANTUNE_MAP_WRITING, which is for store"}},
    {"ReduceOptions", "store", "empty", reduce_options<int>({.store = runtime::Map::source("")}), {"store->source is empty; it must define Result store(Value)"}},
    {"Map::source Map::indexed Map::generated Map::writing", "source", "with a null character", {cpp([](Arguments&) { runtime::Map::source(kWithNull); }), cpp([](Arguments&) { runtime::Map::source(kWithNull, 1); }), cpp([](Arguments&) { runtime::Map::indexed(kWithNull); }), cpp([](Arguments&) { runtime::Map::generated(kWithNull); }), cpp([](Arguments&) { runtime::Map::writing(kWithNull, 1); })}, {"the source of a map holds a null character at position 6"}},
    {"ScanOptions", "device_inits", "of one sequence", options<int>({.device_inits = static_cast<const int*>(address(0x5000))}), {"device_inits is given, and segments is SCANTUNE_NO_SEGMENTS"}},
    {"ScanOptions", "direction", "no direction", options<int>({.direction = static_cast<runtime::Direction>(9)}), {"direction is 9"}},
    {"ScanOptions", "determinism", "no determinism", options<int>({.determinism = static_cast<runtime::Determinism>(9)}), {"determinism is 9"}},
    {"ScanOptions", "forward_progress", "no forward progress", options<int>({.forward_progress = static_cast<runtime::ForwardProgress>(9)}), {"forward_progress is 9"}},
    {"ScanOptions", "latency", "no latency", options<int>({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"ScanOptions ReduceOptions ArgOptions", "captured_launches", "negative", {cpp([](Arguments&) { runtime::plan<int>(kItems, {.captured_launches = -1}); }), cpp([](Arguments&) { runtime::reduce_plan<int>(kItems, {.captured_launches = -1}); }), cpp([](Arguments&) { runtime::arg_plan<int>(kItems, runtime::Op::min, {.captured_launches = -1}); })}, {"captured_launches is -1"}},
    {"ScanOptions", "config", "of an unknown family", options<int>({.config = "{\"family\": \"one_pass\"}"}), {"config.family", "found \"one_pass\""}},
    {"ScanOptions ReduceOptions ArgOptions", "segments", "of other items than n", both(both(options<int>({.segments = runtime::Segments::rows(7, 100)}), reduce_options({.segments = runtime::Segments::rows(7, 100)})), arg_options({.segments = runtime::Segments::rows(7, 100)})), {"segments is Segments::rows(7, 100), which are 700 items, and n is 1000", "n must be count * length"}},
    {"ScanOptions", "segments", "columns of other items than n", options<int>({.segments = runtime::Segments::columns(7, 100)}), {"segments is Segments::columns(7, 100), which are 700 items, and n is 1000", "count * length"}},
    {"ReduceOptions ArgOptions", "segments", "with strides of the output", both(reduce_options({.segments = runtime::Segments::rows({.count = 10, .length = 100, .out_row_stride = 200})}), arg_options({.segments = runtime::Segments::rows({.count = 10, .length = 100, .out_row_stride = 200})})), {"out_row_stride is 200", "results of a reduction lie one behind the other"}},
    {"Segments::rows", "rows", "in planes, of other items than n", options<int>({.segments = runtime::Segments::rows({.count = 5, .length = 50, .planes = 3})}), {"segments is Segments::rows(5, 50), in 3 planes, which are 750 items, and n is 1000", "n must be planes * count * length"}},
    {"Segments::rows", "rows", "in so many planes that the product overflows", options<int>({.segments = runtime::Segments::rows({.count = u64{1} << 30, .length = u64{1} << 30, .planes = 16})}, 0), {"in 16 planes, which are 2^64 items or more"}},
    {"Segments::rows", "rows", "with strides under which two results coincide", options<int>({.segments = runtime::Segments::rows({.count = 10, .length = 100, .row_stride = 100, .item_stride = 1, .out_row_stride = 2, .out_item_stride = 4})}), {"out_row_stride is 2 and out_item_stride 4", "may lie in one place"}},
    {"Segments::rows", "rows", "in planes that lie in each other", options<int>({.segments = runtime::Segments::rows({.count = 5, .length = 100, .planes = 2, .plane_stride = 500, .out_plane_stride = 400})}), {"out_row_stride is 100 and out_plane_stride 400"}},
    {"Segments::rows", "count", "none, of some items", options<int>({.segments = runtime::Segments::rows(0, 100)}), {"Segments::rows(0, 100), which are 0 items, and n is 1000"}},
    {"Segments::rows", "length", "none, of some items", options<int>({.segments = runtime::Segments::rows(10, 0)}), {"Segments::rows(10, 0), which are 0 items, and n is 1000"}},
    {"Segments::rows", "length", "so great that the product overflows", options<int>({.segments = runtime::Segments::rows(u64{1} << 33, u64{1} << 31)}, 0), {"which are 2^64 items or more", "fewer or shorter"}},
    {"Segments::rows", "length", "none, of a minimum's place", arg_options({.segments = runtime::Segments::rows(10, 0)}, 0), {"a row without items"}},
    {"Segments::columns", "count", "none, of some items", options<int>({.segments = runtime::Segments::columns(0, 100)}), {"Segments::columns(0, 100), which are 0 items, and n is 1000"}},
    {"Segments::columns", "length", "none, of some items", options<int>({.segments = runtime::Segments::columns(10, 0)}), {"Segments::columns(10, 0), which are 0 items, and n is 1000"}},
    {"Segments::columns", "length", "so great that the product overflows", options<int>({.segments = runtime::Segments::columns(u64{1} << 33, u64{1} << 31)}, 0), {"Segments::columns(8589934592, 2147483648), which are 2^64 items or more"}},
    {"ScanOptions ReduceOptions ArgOptions", "config", "with a null character", both(both(options<int>({.config = kWithNull}), reduce_options({.config = kWithNull})), arg_options({.config = kWithNull})), {"config holds a null character"}},
    {"ReduceOptions ArgOptions", "config", "of a scan's family", both(reduce_options({.config = "{\"family\": \"lookback\"}"}), arg_options({.config = "{\"family\": \"lookback\"}"})), {"config.family", "found \"lookback\""}},
    {"runtime::reduce runtime::reduce_plan runtime::describe_reduce", "n", "more items than an address space", reduce_options({}, ~u64{0}), {"more items than fit"}},
    {"runtime::argmin runtime::argmax runtime::arg_plan", "n", "more items than an address space", arg_options({}, ~u64{0}), {"more items than fit"}},
    {"runtime::argmin runtime::argmax runtime::arg_plan", "n", "none", arg_options({}, 0), {"n is 0", "nothing has a position"}},
    {"runtime::reduce runtime::reduce_plan", "op", "bits of floating-point numbers", {cpp([](Arguments& a) { runtime::reduce(static_cast<const float*>(a.in()), static_cast<float*>(a.out()), kItems, runtime::Op::bit_or); }), cpp([](Arguments&) { runtime::reduce_plan<float>(kItems, runtime::Op::bit_or); })}, {"f32 bit_or", "for integers"}},
    {"runtime::arg_plan", "op", "a sum", {cpp([](Arguments&) { runtime::arg_plan<int>(kItems, runtime::Op::sum); })}, {"only a minimum or a maximum has a position"}},
    {"runtime::arg_plan", "op", "of the caller's own", {cpp([](Arguments&) { runtime::arg_plan<int>(kItems, runtime::Op::custom("Value combine", 0)); })}, {"only a minimum or a maximum has a position"}},
    {"ReduceOptions", "op", "of a struct, built in", reduce_options<Affine>({}), {"custom type needs a custom operator"}},
    {"ReduceOptions", "op", "whose identity is of another type", reduce_options({.op = runtime::Op::custom("Value combine", 0.0f)}), {"identity given to Op::custom() is f32, and the accumulator is i32"}},
    {"ScanOptions", "device_n", "memory of the host", options<int>({.device_n = n_at(kHost)}), {"device_n: ", "memory of the host"}},
    {"ScanOptions", "device_n", "with rows", options<int>({.segments = runtime::Segments::rows(10, 100), .device_n = n_at(0x5000)}), {"n in device memory is not known when the items are cut into rows"}},
    {"ScanOptions", "device_clamped", "without device_n", options<int>({.device_clamped = flag_at(0x6000)}), {"device_clamped is given, and device_n is NULL"}},
    {"ReduceOptions", "init", "beside device_init", reduce_options({.init = 1, .device_init = static_cast<const int*>(address(0x5000))}), {"init and device_init are both given"}},
    {"ReduceOptions", "device_init", "memory of the host", reduce_options({.device_init = static_cast<const int*>(address(kHost))}), {"device_init: ", "memory of the host"}},
    {"ReduceOptions ArgOptions", "latency", "no latency", both(reduce_options({.latency = static_cast<runtime::Latency>(9)}), arg_options({.latency = static_cast<runtime::Latency>(9)})), {"latency is 9"}},
    {"Op::custom", "source", "empty", custom_operator<int>([] { return runtime::Op::custom("", 0); }), {"custom.source is empty"}},
    {"Op::custom", "source", "with a null character", custom_operator<int>([] { return runtime::Op::custom(kWithNull, 0); }), {"source", "null character at position 6"}},
    {"Op::custom", "identity", "of another number's type", custom_operator<int>([] { return runtime::Op::custom("Value combine", 0.0f); }), {"identity given to Op::custom() is f32, and the accumulator is i32"}},
    {"Op::custom", "identity", "a number, for a struct", custom_operator<Affine>([] { return runtime::Op::custom("Value combine", 0); }), {"is i32, and the accumulator is a struct of 12 bytes aligned to 4"}},
    {"Op::custom", "identity", "of another struct's size", custom_operator<Affine>([] { return runtime::Op::custom("Value combine", Pair{}); }), {"is a struct of 8 bytes"}},
    {"CustomOptions", "name", "with a space", custom_operator<int>([] { return runtime::Op::custom("Value combine", 0, {.name = "two words"}); }), {"custom.name is 'two words'"}},
    {"CustomOptions", "name", "with a null character", custom_operator<int>([] { return runtime::Op::custom("Value combine", 0, {.name = kWithNull}); }), {"name", "null character"}},
    {"CustomOptions", "cost", "no cost", custom_operator<int>([] { return runtime::Op::custom("Value combine", 0, {.cost = static_cast<runtime::Cost>(9)}); }), {"custom.cost is 9"}},
    {"Log", "take", "empty", {cpp([](Arguments&) { runtime::Log log{nullptr}; })}, {"take the remarks is empty"}},
    {"runtime::release", "stream", "being captured", {cpp([](Arguments& a) { a.device->begin_capture(a.stream, 1); runtime::release(a.stream); })}, {"being captured"}},
    {"Buffer", "values", "more bytes than 64 bits count", {cpp([](Arguments&) { runtime::Buffer<long long> buffer{EndlessValues()}; })}, {"larger than any memory"}},
    {"Buffer", "items", "more bytes than 64 bits count", {cpp([](Arguments&) { runtime::Buffer<long long>((u64{1} << 61) + 1); })}, {"larger than any memory"}},
    {"Buffer", "items", "more than there is memory", {cpp([](Arguments&) { runtime::Buffer<long long>(u64{1} << 60); })}, {"out of memory"}, SCANTUNE_OUT_OF_MEMORY},
    {"Buffer::upload", "source", "null", {cpp([](Arguments&) { runtime::Buffer<int>(4).upload(nullptr); })}, {"source is NULL"}},
    {"Buffer::download", "destination", "null", {cpp([](Arguments&) { runtime::Buffer<int>(4).download(nullptr); })}, {"destination is NULL"}},
};
// clang-format on

class BadInputs : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, AreRefusedWithTheirNameBeforeAnythingIsLaunchedOrAllocated) { expect_refused(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Table, BadInputs, ::testing::ValuesIn(kBadInput));

TEST(SpoiledInputs, AreRightUntilARowSpoilsThem) {
  expect_right({c_scan_with([](Arguments&) {}), arithmetic([](Arguments&) {}), c_custom([](auto&) {}),
                arithmetic_of_reductions([](Arguments&) {}), in_workspace([](Arguments&) {}),
                arithmetic_of_places([](Arguments&) {}), c_reductions([](auto&) {}), c_places([](auto&) {}),
                reduce_options({}), arg_options({}), c_struct(12, 4), init_in_memory(0x5000), options<int>({}),
                with_pointers([](auto& p) {
                  p.device_n = n_at(0x5000);
                  p.device_clamped = flag_at(0x6000);
                }),
                custom_operator<Affine>([] { return runtime::Op::custom("Value combine", Affine{}); })});
}

}  // namespace
}  // namespace scantune::testing
