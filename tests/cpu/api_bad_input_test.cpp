// Wrong arguments of scans and reductions, in C and in C++, and the message about each. tests/structure checks that no
// argument of any function is left out.
#include <gtest/gtest.h>

#include <cctype>
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

Outcome c_scan(Arguments& with) {
  return of_c(scantune_scan(&with.scan, address(with.input), address(with.output), with.on()));
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
    EXPECT_EQ(scantune_buffer_create(16, SCANTUNE_CURRENT_GPU, &buffer), SCANTUNE_OK);
    const std::unique_ptr<scantune_buffer, decltype(&scantune_buffer_destroy)> owner(buffer, &scantune_buffer_destroy);
    return of_c(call(buffer));
  };
}

int kSomewhere = 0;

Call c_wrap(void* memory, u64 bytes) {
  return [=](Arguments&) {
    scantune_buffer* made = nullptr;
    return of_c(scantune_buffer_wrap(memory, bytes, SCANTUNE_CURRENT_GPU, &made));
  };
}

Calls c_scan_with(const Spoil& spoil) { return {spoiled(spoil, c_scan), spoiled(spoil, c_run)}; }

Calls c_problem(const std::function<void(scantune_scan_request&)>& spoil) {
  const Spoil in_arguments = [=](Arguments& with) { spoil(with.scan); };
  return both({spoiled(in_arguments, c_scan)}, c_request(in_arguments, of_nothing_else));
}

// A scan by keys that a function compares.
Calls c_keyed(const std::function<void(scantune_scan_request&, scantune_function& equal)>& spoil) {
  return c_request(
      [=](Arguments& with) {
        with.keys = kFlags;
        with.function.role = SCANTUNE_FUNCTION_EQUAL;
        with.function.source = "bool equal(Value, Value)";
        with.scan.segments = SCANTUNE_BY_KEYS;
        with.scan.key_type = SCANTUNE_I32;
        with.scan.equal = &with.function;
        spoil(with.scan, with.function);
      },
      of_nothing_else);
}

Calls c_reductions(const std::function<void(scantune_reduce_request&)>& spoil) {
  return c_request([=](Arguments& with) { spoil(with.reduce); }, of_sum);
}

// A request of so many items, with arrays so far apart that it is the grid that ends first.
Call too_many_tiles(const Spoil& prepare) {
  return spoiled(
      [=](Arguments& with) {
        prepare(with);
        with.request->n = u64{1} << 50;
        with.output = std::uintptr_t{1} << 60;
        if (with.count != 0) with.count = std::uintptr_t{1} << 62;
      },
      c_run);
}

// A request of a scan, and one of a reduction, which has members of the same names.
template <class Spoiled>
Calls c_combining(const Spoiled& spoil) {
  return both(c_problem(spoil), c_reductions(spoil));
}

Calls c_segments(const std::function<void(scantune_reduce_request&)>& spoil) {
  return c_request([=](Arguments& with) { spoil(with.reduce); }, of_bounds);
}
Calls c_scanned_segments(const std::function<void(scantune_scan_request&)>& spoil) {
  return c_request([=](Arguments& with) { spoil(with.scan); }, of_scanned_bounds);
}
Calls c_places(const std::function<void(scantune_reduce_request&)>& spoil) {
  return c_request([=](Arguments& with) { spoil(with.reduce); }, of_maximum);
}

// Requests with a load and a store, of which one is spoiled, as is the first request.
Calls c_maps(
    const std::function<void(scantune_scan_request&, scantune_function& load, scantune_function& store)>& spoil) {
  const Spoil of_scan = [=](Arguments& with) {
    with.scan.load = &with.load;
    with.scan.store = &with.store;
    spoil(with.scan, with.load, with.store);
  };
  const Spoil of_reduction = [=](Arguments& with) {
    of_scan(with);
    const scantune_scan_request& scan = with.scan;
    scantune_reduce_request& reduce = with.reduce;
    reduce.input_type = scan.input_type;
    reduce.accumulator_type = scan.accumulator_type;
    reduce.output_type = scan.output_type;
    reduce.custom_bytes = scan.custom_bytes;
    reduce.custom_alignment = scan.custom_alignment;
    reduce.segments = scan.segments;
    reduce.rows = scan.rows;
    reduce.row_stride = scan.row_stride;
    reduce.load = scan.load;
    reduce.store = scan.store;
  };
  return both(c_request(of_scan, of_nothing_else), c_request(of_reduction, of_sum));
}

Calls c_custom(const std::function<void(scantune_function&)>& spoil) {
  return c_request(
      [=](Arguments& with) {
        with.scan.op = SCANTUNE_CUSTOM;
        with.scan.kind = SCANTUNE_EXCLUSIVE;
        with.scan.combine = &with.combine;
        spoil(with.combine);
      },
      of_nothing_else);
}

// The request that a head begins, of no items.
void take_no_items(scantune_head& head) {
  head.n = 0;
  if (head.algorithm == SCANTUNE_TOP_K) reinterpret_cast<scantune_top_k_request&>(head).k = 0;
}

// Requests of each algorithm that takes structs, of structs of a size and an alignment.
Calls c_structs(std::uint32_t bytes, std::uint32_t alignment) {
  const auto take = [=](auto& request, scantune_type& type) {
    type = SCANTUNE_CUSTOM_TYPE;
    request.custom_bytes = bytes;
    request.custom_alignment = alignment;
  };
  const Spoil of_scan = [=](Arguments& with) {
    take(with.scan, with.scan.input_type);
    with.scan.output_type = SCANTUNE_CUSTOM_TYPE;
    with.scan.op = SCANTUNE_CUSTOM;
    with.scan.combine = &with.combine;
    with.combine.identity_type = SCANTUNE_CUSTOM_TYPE;
  };
  return all_of(
      {c_request(of_scan, of_nothing_else),
       c_request([=](Arguments& with) { take(with.select, with.select.input_type); }, of_flags),
       c_request([=](Arguments& with) { take(with.balance, with.balance.output_type); }, of_values),
       c_request([=](Arguments& with) { take(with.sort, with.sort.value_type); }, of_sort(SCANTUNE_SORTED_PAIRS))});
}

template <class T = int>
Calls options(const runtime::ScanOptions<T>& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::scan(static_cast<const T*>(address(with.input)), static_cast<T*>(address(with.output)), n, wrong);
          }),
          cpp([=](Arguments&) { runtime::plan<T>(n, wrong); }),
          cpp([=](Arguments&) { runtime::describe<T>(n, wrong); })};
}

template <class T = int>
Calls reduce_options(const runtime::ReduceOptions<T>& wrong, u64 n = kItems) {
  return {cpp([=](Arguments& with) {
            runtime::reduce(static_cast<const T*>(address(with.input)), static_cast<T*>(address(with.output)), n,
                            wrong);
          }),
          cpp([=](Arguments&) { runtime::reduce_plan<T>(n, wrong); })};
}

Calls total_options(const runtime::SegmentTotalOptions<int>& wrong, u64 n = kItems) {
  const auto keys = [] { return static_cast<std::uint16_t*>(address(kFlags)); };
  const auto keys_out = [] { return static_cast<std::uint16_t*>(address(kSecond)); };
  const auto flags = [] { return static_cast<std::uint8_t*>(address(kFlags)); };
  const auto count = [] { return static_cast<std::uint64_t*>(address(kCount)); };
  return {cpp([=](Arguments& a) { runtime::reduce_by_key(a.in(), keys(), keys_out(), a.out(), count(), n, wrong); }),
          cpp([=](Arguments& a) { runtime::segmented_reduce(a.in(), flags(), a.out(), count(), n, wrong); }),
          cpp([=](Arguments&) { runtime::reduce_by_key_plan<int, std::uint16_t>(n, wrong); }),
          cpp([=](Arguments&) { runtime::flagged_reduce_plan<int, std::uint8_t>(n, wrong); })};
}

Calls offset_scan_options(const runtime::SegmentedScanOptions<int>& wrong, u64 n = kItems, u64 segments = kSegments) {
  const auto begins = [] { return static_cast<const int*>(address(kFlags)); };
  const auto ends = [] { return static_cast<const int*>(address(kValues)); };
  return {cpp([=](Arguments& a) { runtime::segmented_scan(a.in(), begins(), a.out(), n, segments, wrong); }),
          cpp([=](Arguments& a) { runtime::segmented_scan(a.in(), begins(), ends(), a.out(), n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_scan_plan<int, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_scan_ranges_plan<int, int>(n, segments, wrong); })};
}

Calls offset_options(const runtime::SegmentedReduceOptions<int>& wrong, u64 n = kItems, u64 segments = kSegments) {
  const auto begins = [] { return static_cast<const int*>(address(kFlags)); };
  const auto ends = [] { return static_cast<const int*>(address(kValues)); };
  return {cpp([=](Arguments& a) { runtime::segmented_reduce(a.in(), begins(), a.out(), n, segments, wrong); }),
          cpp([=](Arguments& a) { runtime::segmented_reduce(a.in(), begins(), ends(), a.out(), n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_reduce_plan<int, int>(n, segments, wrong); }),
          cpp([=](Arguments&) { runtime::segmented_reduce_ranges_plan<int, int>(n, segments, wrong); })};
}

Calls run_options(const runtime::RunLengthOptions& wrong, u64 n = kItems) {
  const auto lengths = [] { return static_cast<std::uint32_t*>(address(kSecond)); };
  const auto count = [] { return static_cast<std::uint64_t*>(address(kCount)); };
  return {cpp([=](Arguments& a) { runtime::run_length_encode(a.in(), a.out(), lengths(), count(), n, wrong); }),
          cpp([=](Arguments&) { runtime::run_length_encode_plan<int>(n, wrong); })};
}

Calls decoded(const runtime::RunLengthDecodeOptions& wrong, u64 runs = kSegments, u64 n = kItems) {
  return {cpp([=](Arguments& a) {
    runtime::run_length_decode(a.in(), static_cast<std::uint32_t*>(address(kValues)), runs,
                               static_cast<std::uint64_t*>(address(kSecond)), a.out(), n, wrong);
  })};
}

// One of the arrays is null.
Calls null_of_decoded(int null) {
  return {cpp([=](Arguments& a) {
    const auto at = [=](int place, std::uintptr_t where) { return address(place == null ? 0 : where); };
    runtime::run_length_decode(static_cast<const int*>(at(0, a.input)), static_cast<std::uint32_t*>(at(1, kValues)),
                               kSegments, static_cast<std::uint64_t*>(at(2, kSecond)),
                               static_cast<int*>(at(3, a.output)), kItems);
  })};
}
Calls null_of_counted(int null) {
  return {cpp([=](Arguments& a) {
    const auto at = [=](int place, std::uintptr_t where) { return address(place == null ? 0 : where); };
    runtime::unique_counts(static_cast<const int*>(at(0, a.input)), static_cast<int*>(at(1, kSecond)),
                           static_cast<int*>(at(2, a.output)), static_cast<std::uint32_t*>(at(3, kValues)),
                           static_cast<std::uint64_t*>(at(4, kCount)), kItems);
  })};
}

// Each of the arrays is null in turn.
Calls null_runs() {
  Calls calls;
  for (int null = 0; null < 4; ++null)
    calls.push_back(cpp([=](Arguments& a) {
      const auto at = [=](int place, std::uintptr_t where) { return address(place == null ? 0 : where); };
      runtime::run_length_encode(static_cast<const int*>(at(0, a.input)), static_cast<int*>(at(1, a.output)),
                                 static_cast<std::uint32_t*>(at(2, kSecond)),
                                 static_cast<std::uint64_t*>(at(3, kCount)), kItems);
    }));
  return calls;
}

Calls arg_options(const runtime::ArgOptions& wrong, u64 n = kItems) {
  const auto index = [] { return static_cast<std::uint64_t*>(address(kIndex)); };
  return {cpp([=](Arguments& with) { runtime::argmin(with.in(), with.out(), index(), n, wrong); }),
          cpp([=](Arguments& with) { runtime::argmax(with.in(), with.out(), index(), n, wrong); }),
          cpp([=](Arguments&) { runtime::arg_plan<int>(n, runtime::Op::max, wrong); })};
}

// A scan of T in its accumulator, and a plan of it.
template <class T, class Value>
Calls with_init(Value value) {
  return {cpp([=](Arguments& with) {
            runtime::scan(static_cast<const T*>(address(with.input)), static_cast<T*>(address(with.output)), kItems,
                          {.init = value});
          }),
          cpp([=](Arguments&) { runtime::plan<T>(kItems, {.init = value}); })};
}

template <class T>
Calls custom_operator(const std::function<runtime::Op()>& make) {
  return {cpp([=](Arguments& with) {
    runtime::scan(static_cast<const T*>(address(with.input)), static_cast<T*>(address(with.output)), kItems,
                  {.op = make()});
  })};
}

// Scans and runs of a plan whose request has pointers that only the run can find wrong.
Calls with_pointers(const std::function<void(scantune_scan_request&)>& set) {
  const Spoil spoil = [=](Arguments& with) { set(with.scan); };
  return {spoiled(spoil, c_scan), spoiled(spoil, c_run), c_plan_run(of_nothing_else, spoil)};
}

// A run by arrays of as many roles as their count says, of which this library does not know the last.
Call with_count(u64 count) {
  return [=](Arguments& with) {
    struct {
      scantune_arrays known;
      const void* unknown;
    } newer = {with.arrays(), address(kFlags)};
    newer.known.count = count;
    return of_c(scantune_run(with.request, &newer.known, with.on()));
  };
}

const std::uint64_t* n_at(std::uintptr_t where) { return static_cast<const std::uint64_t*>(address(where)); }
std::uint32_t* flag_at(std::uintptr_t where) { return static_cast<std::uint32_t*>(address(where)); }

const std::string kTooLong(65, 'x');
constexpr auto kNoDevice = static_cast<runtime::Device>(2);

// clang-format off
const std::vector<BadInput> kBadInput = {
    // The problem.
    {"scantune_head", "struct_bytes", "another version's", c_heads([](auto& h) { h.struct_bytes = 8; }), {"struct_bytes is 8", "_REQUEST_INIT"}},
    {"scantune_head", "struct_bytes", "of no version", c_problem([](auto& p) { p.head.struct_bytes = 260; }), {"struct_bytes is 260", "the oldest that it serves 256"}},
    {"scantune_head", "struct_bytes", "out of all range", c_heads([](auto& h) { h.struct_bytes = ~std::size_t{0} - 7; }), {"struct_bytes is 18446744073709551608"}},
    {"scantune_head", "struct_bytes", "more than any version's", c_heads([](auto& h) { h.struct_bytes = 520; }), {"struct_bytes is 520"}},
    {"scantune_head", "n", "more items than an address space", c_heads([](auto& h) { h.n = ~u64{0}; }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_head", "n", "more items than a grid can have", {too_many_tiles(of_nothing_else), too_many_tiles(of_selection), too_many_tiles(of_long_segments)}, {"no kernel does", "more tiles than a grid"}},
    {"scantune_scan_request scantune_reduce_request scantune_select_request scantune_load_balance_request scantune_sort_request scantune_top_k_request", "input_type", "left out", c_requests([](auto& r) { r.input_type = SCANTUNE_DEFAULT_TYPE; }), {"input_type is SCANTUNE_DEFAULT_TYPE: name the type"}},
    {"scantune_scan_request scantune_reduce_request scantune_select_request scantune_load_balance_request scantune_sort_request scantune_top_k_request", "input_type", "no type", c_requests([](auto& r) { write(r.input_type, 14); }), {"input_type is 14", "1 to 13"}},
    {"scantune_scan_request", "input_type", "floating-point items for an integer accumulator", c_problem([](auto& p) { p.input_type = SCANTUNE_F32; p.accumulator_type = SCANTUNE_I32; }), {"f32 to i32 in i32", "floating-point accumulator"}},
    {"scantune_scan_request scantune_reduce_request", "accumulator_type", "no type", c_combining([](auto& p) { write(p.accumulator_type, -1); }), {"accumulator_type is -1"}},
    {"scantune_scan_request", "accumulator_type", "too narrow", c_problem([](auto& p) { p.accumulator_type = SCANTUNE_I8; }), {"accumulator type must be"}},
    {"scantune_scan_request scantune_reduce_request", "output_type", "no type", c_combining([](auto& p) { write(p.output_type, 1 << 30); }), {"output_type is 1073741824"}},
    {"scantune_scan_request", "output_type", "integers of a floating-point accumulator", c_problem([](auto& p) { p.accumulator_type = SCANTUNE_F64; }), {"output type must be a floating-point type"}},
    {"scantune_scan_request scantune_reduce_request", "op", "no operator", c_combining([](auto& p) { write(p.op, 8); }), {"op is 8", "scantune_operator"}},
    {"scantune_scan_request", "op", "bits of floating-point numbers", c_problem([](auto& p) { p.input_type = p.output_type = SCANTUNE_F32; p.op = SCANTUNE_XOR; }), {"f32 inclusive bit_xor", "for integers"}},
    {"scantune_scan_request", "op", "bits of no floating-point numbers", c_problem([](auto& p) { p.head.n = 0; p.input_type = p.output_type = SCANTUNE_F64; p.op = SCANTUNE_OR; }), {"f64 inclusive bit_or of 0 items", "for integers"}},
    {"scantune_scan_request", "op", "a struct's sum", c_problem([](auto& p) { p.input_type = p.output_type = SCANTUNE_CUSTOM_TYPE; p.custom_bytes = p.custom_alignment = 4; }), {"custom type needs a custom operator"}},
    {"scantune_scan_request", "kind", "no kind", c_problem([](auto& p) { write(p.kind, 2); }), {"kind is 2", "0 to 1"}},
    {"scantune_head", "determinism", "no determinism", c_heads([](auto& h) { write(h.determinism, -7); }), {"determinism is -7"}},
    {"scantune_head", "forward_progress", "no forward progress", c_heads([](auto& h) { write(h.forward_progress, 2); }), {"forward_progress is 2"}},
    {"scantune_head", "latency", "no latency", c_heads([](auto& h) { write(h.latency, 2); }), {"latency is 2", "scantune_latency"}},
    {"scantune_scan_request scantune_reduce_request", "init", "beside device_init", c_combining([](auto& p) { p.init = &p; p.device_init = address(0x5000); }), {"init and device_init are both given", "leave the other NULL"}},
    {"scantune_scan_request", "device_init", "misaligned", with_pointers([](auto& p) { p.device_init = address(0x5002); }), {"device_init is 0x5002", "multiple of the 4 bytes"}},
    {"scantune_scan_request", "device_init", "at the end of memory", with_pointers([](auto& p) { p.device_init = address(kEnd - 3); }), {"device_init", "end of the address space"}},
    {"scantune_scan_request", "device_init", "in the output", with_pointers([](auto& p) { p.device_init = address(kOutput + 4 * kItems - 4); }), {"device_init [0x90007cc, +4 bytes) is in the output [0x9000000"}},
    {"scantune_scan_request", "device_init", "memory of the host", {spoiled([](Arguments& a) { a.scan.device_init = address(kHost); }, c_scan), spoiled([](Arguments& a) { a.scan.device_init = address(kHost); }, c_plan_create)}, {"device_init", "memory of the host"}},
    {"scantune_scan_request scantune_reduce_request", "combine", "left out", c_combining([](auto& p) { p.op = SCANTUNE_CUSTOM; }), {"combine is NULL"}},
    {"scantune_scan_request", "combine", "with a built-in operator", {spoiled([](Arguments& a) { a.scan.combine = &a.combine; }, c_scan)}, {"combine is given, but op is sum"}},
    {"scantune_head", "captured_launches", "negative", c_heads([](auto& h) { h.captured_launches = -1; }), {"captured_launches is -1", "between 0 and"}},
    {"scantune_head", "captured_launches", "negative, of no items", c_heads([](auto& h) { take_no_items(h); h.captured_launches = -1; }), {"captured_launches is -1", "between 0 and"}},
    {"scantune_head", "captured_launches", "too many", c_heads([](auto& h) { h.captured_launches = 1 << 20; }), {"captured_launches is 1048576"}},

    {"scantune_head", "config", "empty", c_heads([](auto& h) { h.config = ""; }), {"config is empty", "NULL to have one chosen"}},
    {"scantune_head", "config", "no JSON", c_heads([](auto& h) { h.config = "lookback"; }), {"config is \"lookback\"", "must be JSON such as {\"family\": \""}},
    {"scantune_head", "config", "no object", c_heads([](auto& h) { h.config = "[256]"; }), {"config is \"[256]\"", "must be JSON"}},
    {"scantune_head", "config", "without a family", c_heads([](auto& h) { h.config = "{\"block_threads\": 256}"; }), {"config.family must name a family of ", "found none"}},
    {"scantune_head", "config", "of an unknown family", c_heads([](auto& h) { h.config = "{\"family\": \"one_pass\"}"; }), {"config.family must name a family of ", "found \"one_pass\""}},
    {"scantune_head", "config", "of another algorithm's family", c_heads([](auto& h) { h.config = "{\"family\": \"copy_vectors\"}"; }), {"config.family must name a family of ", "found \"copy_vectors\""}},
    {"scantune_head", "config", "of a family that cannot run so many items", c_problem([](auto& p) { p.head.n = 1 << 24; p.head.config = "{\"family\": \"single_block\"}"; }), {"config: single_block cannot run i32 inclusive sum of 16777216 items: "}},
    {"scantune_head", "config", "with an unknown parameter", c_problem([](auto& p) { p.head.config = "{\"family\": \"lookback\", \"threads\": 256}"; }), {"config: lookback has no parameter \"threads\"", "the default is lookback{block_threads="}},
    {"scantune_head", "config", "with a member beside the parameters", c_problem([](auto& p) { p.head.config = "{\"family\": \"lookback\", \"parameters\": {}, \"block_threads\": 256}"; }), {"config: it has an unknown member \"block_threads\""}},
    {"scantune_head", "config", "with a number for a token", c_problem([](auto& p) { p.head.config = "{\"family\": \"lookback\", \"layout\": 1}"; }), {"config: lookback.layout cannot be 1; it is one of "}},
    {"scantune_head", "config", "with a fraction", c_problem([](auto& p) { p.head.config = "{\"family\": \"lookback\", \"block_threads\": 256.5}"; }), {"config: lookback.block_threads cannot be 256.5; it is an integer, such as "}},
    {"scantune_head", "config", "that is not legal", c_problem([](auto& p) { p.head.config = "{\"family\": \"lookback\", \"block_threads\": 0}"; }), {"config: lookback{block_threads=0", "cannot run i32 inclusive sum of 500 items: ", "the default is lookback{"}},
    {"scantune_head", "config", "that is not legal, of no items", c_problem([](auto& p) { p.head.n = 0; p.head.config = "{\"family\": \"lookback\", \"block_threads\": 0}"; }), {"config: lookback{block_threads=0"}},
    {"scantune_scan_request scantune_reduce_request", "segments", "no segments", c_combining([](auto& p) { write(p.segments, 7); p.rows = 10; }), {"segments is 7", "scantune_segments", "0 to 6"}},
    {"scantune_scan_request", "key_type", "left out", c_problem([](auto& p) { p.segments = SCANTUNE_BY_KEYS; }), {"key_type is SCANTUNE_DEFAULT_TYPE"}},
    {"scantune_scan_request", "key_type", "no type", c_keyed([](auto& p, auto&) { write(p.key_type, 77); }), {"key_type is 77"}},
    {"scantune_scan_request", "equal", "left out, of structs", c_keyed([](auto& p, auto&) { p.key_type = SCANTUNE_CUSTOM_TYPE; p.key_bytes = 12; p.key_alignment = 4; p.equal = nullptr; }), {"equal is NULL, and key_type is SCANTUNE_CUSTOM_TYPE: structs have no equality of their own"}},
    {"scantune_scan_request", "equal", "without keys", c_keyed([](auto& p, auto&) { p.segments = SCANTUNE_BY_FLAGS; p.key_type = SCANTUNE_DEFAULT_TYPE; }), {"equal is given, and segments is not SCANTUNE_BY_KEYS: leave it NULL"}},
    {"scantune_scan_request", "equal", "of one sequence", c_keyed([](auto& p, auto&) { p.segments = SCANTUNE_NO_SEGMENTS; p.key_type = SCANTUNE_DEFAULT_TYPE; }), {"equal is given, and segments is not SCANTUNE_BY_KEYS: leave it NULL"}},
    {"scantune_scan_request", "key_bytes", "of structs, none", c_keyed([](auto& p, auto&) { p.key_type = SCANTUNE_CUSTOM_TYPE; p.key_alignment = 4; }), {"key_bytes is 0; a custom type has 1 to 32 bytes"}},
    {"scantune_scan_request", "key_bytes", "of structs, too many", c_keyed([](auto& p, auto&) { p.key_type = SCANTUNE_CUSTOM_TYPE; p.key_bytes = 36; p.key_alignment = 4; }), {"key_bytes is 36; a custom type has 1 to 32 bytes"}},
    {"scantune_scan_request", "key_bytes", "of numbers", c_keyed([](auto& p, auto&) { p.key_bytes = 4; }), {"key_bytes is 4; it must be 0 unless key_type is SCANTUNE_CUSTOM_TYPE"}},
    {"scantune_scan_request", "key_bytes", "of one sequence", c_problem([](auto& p) { p.key_bytes = 4; }), {"key_bytes is 4; it must be 0 unless key_type is SCANTUNE_CUSTOM_TYPE"}},
    {"scantune_scan_request", "key_alignment", "no divisor", c_keyed([](auto& p, auto&) { p.key_type = SCANTUNE_CUSTOM_TYPE; p.key_bytes = 12; p.key_alignment = 8; }), {"key_alignment is 8; it must be 1, 2, 4, 8 or 16, and divide key_bytes, which is 12"}},
    {"scantune_scan_request", "key_alignment", "of numbers", c_keyed([](auto& p, auto&) { p.key_alignment = 4; }), {"key_alignment is 4; it must be 0 unless key_type is SCANTUNE_CUSTOM_TYPE"}},
    {"scantune_arrays", "of", "misaligned keys, of structs", {spoiled([](Arguments& a) { static const scantune_function kEqual = [] { scantune_function equal = SCANTUNE_FUNCTION_INIT; equal.role = SCANTUNE_FUNCTION_EQUAL; equal.source = "struct Value { int a, b, c; }; bool equal(Value, Value)"; return equal; }(); a.scan.segments = SCANTUNE_BY_KEYS; a.scan.key_type = SCANTUNE_CUSTOM_TYPE; a.scan.key_bytes = 12; a.scan.key_alignment = 4; a.scan.equal = &kEqual; a.keys = kFlags + 2; }, c_run)}, {"keys is 0x2000002, which is not a multiple of the 4 bytes"}},
    {"scantune_function", "struct_bytes", "of an equality, left out", c_keyed([](auto&, auto& equal) { equal.struct_bytes = 0; }), {"equal->struct_bytes is 0", "SCANTUNE_FUNCTION_INIT"}},
    {"scantune_function", "role", "of an equality, a predicate", c_keyed([](auto&, auto& equal) { equal.role = SCANTUNE_FUNCTION_KEEP; }), {"equal->role is SCANTUNE_FUNCTION_KEEP; it must be one that equal takes: SCANTUNE_FUNCTION_EQUAL"}},
    {"scantune_function", "source", "of an equality, left out", c_keyed([](auto&, auto& equal) { equal.source = nullptr; }), {"equal->source is NULL; it must define bool equal(Value, Value)"}},
    {"scantune_function", "state", "of an equality, left out", c_keyed([](auto&, auto& equal) { equal.state_bytes = 8; }), {"equal->state is NULL, and state_bytes is 8: point it to the state"}},
    {"scantune_scan_request", "key_type", "without keys", c_problem([](auto& p) { p.segments = SCANTUNE_BY_FLAGS; p.key_type = SCANTUNE_I32; }), {"key_type is ", "segments is not SCANTUNE_BY_KEYS"}},
    {"scantune_scan_request", "key_type", "of one sequence", c_problem([](auto& p) { p.key_type = SCANTUNE_I32; }), {"key_type is ", "segments is not SCANTUNE_BY_KEYS"}},
    {"scantune_scan_request", "spare", "not 0", c_problem([](auto& p) { p.spare = 1; }), {"spare is 1"}},
    {"scantune_scan_request", "segments", "by flags, of a call without flags", {spoiled([](Arguments& a) { a.scan.segments = SCANTUNE_BY_FLAGS; }, c_scan)}, {"segments is by flags, bits, keys or offsets, and this function takes input and output alone: call scantune_run()"}},
    {"scantune_scan_request", "device_inits", "of segments by bits in reverse", c_problem([](auto& p) { p.segments = SCANTUNE_BY_BITS; p.direction = SCANTUNE_REVERSE; p.device_inits = n_at(0x5000); }), {"not known where a reverse scan begins", "pass one in init or device_init, or leave direction out"}},
    {"scantune_scan_request", "accumulator_type", "too wide for a mark", c_problem([](auto& p) { p.segments = SCANTUNE_BY_FLAGS; p.input_type = p.output_type = p.accumulator_type = SCANTUNE_CUSTOM_TYPE; p.custom_bytes = 32; p.custom_alignment = 8; p.op = SCANTUNE_CUSTOM; static const scantune_function kWide = [] { scantune_function one = SCANTUNE_FUNCTION_INIT; one.source = "struct Value { double x[4]; }; Value combine(Value a, Value) { return a; }"; return one; }(); p.combine = &kWide; }), {"accumulators have at most 24"}},
    {"scantune_scan_request", "results", "no such", c_problem([](auto& p) { p.segments = SCANTUNE_BY_FLAGS; write(p.results, 2); }), {"results is 2", "scantune_results"}},
    {"scantune_scan_request", "results", "totals of one sequence", c_problem([](auto& p) { p.results = SCANTUNE_TOTALS; }), {"totals are those of segments by flags, bits or keys"}},
    {"scantune_scan_request", "kind", "exclusive, of totals", c_problem([](auto& p) { p.segments = SCANTUNE_BY_FLAGS; p.results = SCANTUNE_TOTALS; p.kind = SCANTUNE_EXCLUSIVE; }), {"the total of a segment has all of its items"}},
    {"scantune_scan_request", "direction", "reverse, of totals", c_problem([](auto& p) { p.segments = SCANTUNE_BY_FLAGS; p.results = SCANTUNE_TOTALS; p.direction = SCANTUNE_REVERSE; }), {"totals come in the order of the items"}},
    {"scantune_scan_request", "count_type", "without totals", c_problem([](auto& p) { p.count_type = SCANTUNE_U32; }), {"count_type is ", "results is not SCANTUNE_TOTALS"}},
    {"scantune_scan_request", "count_type", "too narrow", c_problem([](auto& p) { p.segments = SCANTUNE_BY_FLAGS; p.results = SCANTUNE_TOTALS; p.count_type = SCANTUNE_U32; p.head.n = u64{1} << 32; }), {"count_type is "}},
    {"scantune_scan_request", "capacity", "without totals", c_problem([](auto& p) { static const std::uint64_t kRoom = 1; p.segments = SCANTUNE_BY_FLAGS; p.capacity = &kRoom; }), {"capacity is given, and results is not SCANTUNE_TOTALS"}},
    {"scantune_arrays", "of", "by a function that passes none", {spoiled([](Arguments& a) { a.scan.segments = SCANTUNE_BY_FLAGS; }, c_scan)}, {"segments is by flags, bits, keys or offsets, and this function takes input and output alone: call scantune_run()"}},
    {"scantune_scan_request scantune_reduce_request", "rows", "left out", c_combining([](auto& p) { p.segments = SCANTUNE_ROWS; }), {"rows is 0, segments is SCANTUNE_ROWS, and n is 500", "how many rows"}},
    {"scantune_scan_request", "rows", "of one sequence", c_problem([](auto& p) { p.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS", "leave rows at 0"}},
    {"scantune_scan_request", "rows", "of another length", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 7; }), {"n is 500, which is not a multiple of rows, which is 7"}},
    {"scantune_scan_request", "rows", "more than items", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 501; }), {"n is 500, which is not a multiple of rows"}},
    {"scantune_scan_request", "rows", "of columns", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_scan_request", "rows", "of one sequence of no items", c_problem([](auto& p) { p.head.n = 0; p.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_scan_request scantune_reduce_request", "columns", "left out", c_combining([](auto& p) { p.segments = SCANTUNE_COLUMNS; }), {"columns is 0, segments is SCANTUNE_COLUMNS, and n is 500", "how many columns"}},
    {"scantune_scan_request", "columns", "of one sequence", c_problem([](auto& p) { p.columns = 10; }), {"columns is 10, and segments is not SCANTUNE_COLUMNS", "leave columns at 0"}},
    {"scantune_scan_request", "columns", "of rows", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.columns = 10; }), {"columns is 10, and segments is not SCANTUNE_COLUMNS"}},
    {"scantune_scan_request", "columns", "of another length", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 7; }), {"n is 500, which is not a multiple of columns, which is 7", "equal length"}},
    {"scantune_scan_request", "columns", "more than items", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 501; }), {"n is 500, which is not a multiple of columns"}},
    {"scantune_scan_request", "segments", "columns, beside a config for one sequence", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 10; p.head.config = "{\"family\": \"lookback\"}"; }), {"lookback cannot run i32 inclusive sum of 500 items, 10 columns"}},
    {"scantune_scan_request", "segments", "of no items, beside a config for one sequence", c_problem([](auto& p) { p.head.n = 0; p.segments = SCANTUNE_ROWS; p.rows = 7; p.head.config = "{\"family\": \"single_block\"}"; }), {"single_block cannot run i32 inclusive sum", "not row by row"}},
    {"scantune_run scantune_plan_create", "request", "of another number of columns", both(c_reductions([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 7; }), c_places([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 7; })), {"n is 500, which is not a multiple of columns, which is 7"}},
    {"scantune_scan_request", "segments", "beside a config for one sequence", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.head.config = "{\"family\": \"single_block\"}"; }), {"single_block cannot run i32 inclusive sum of 500 items, 10 rows", "not row by row"}},

    {"scantune_scan_request", "direction", "no direction", c_problem([](auto& p) { write(p.direction, 2); }), {"direction is 2", "scantune_direction", "0 to 1"}},
    {"scantune_scan_request", "direction", "reverse, with n in memory", c_problem([](auto& p) { p.direction = SCANTUNE_REVERSE; p.device_n = n_at(0x5000); }), {"not known where a reverse scan begins", "leave device_n out, or direction"}},
    {"scantune_scan_request scantune_reduce_request", "item_stride", "of one sequence", c_combining([](auto& p) { p.item_stride = 2; }), {"strides are given, and segments is not SCANTUNE_ROWS", "columns are rows whose row_stride is 1"}},
    {"scantune_scan_request scantune_reduce_request", "row_stride", "of columns", c_combining([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 10; p.row_stride = 200; }), {"strides are given, and segments is not SCANTUNE_ROWS"}},
    {"scantune_reduce_request", "segments", "by flags, bits or keys", both(c_reductions([](auto& p) { p.segments = SCANTUNE_BY_FLAGS; }), c_reductions([](auto& p) { p.segments = SCANTUNE_BY_BITS; })), {"segments are by rows, columns or offsets", "totals of a scan"}},
    {"scantune_reduce_request", "segments", "by keys, of no items", c_reductions([](auto& p) { p.segments = SCANTUNE_BY_KEYS; p.head.n = 0; }), {"segments are by rows, columns or offsets", "totals of a scan"}},
    {"scantune_scan_request", "item_stride", "so great that rows overflow", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.item_stride = std::int64_t{1} << 62; }), {"row_stride is left out, and would be 4611686018427387904 * 50", "overflows 64 bits"}},
    {"scantune_scan_request", "item_stride", "the least number", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.item_stride = -(std::int64_t{1} << 62) * 2; }), {"row_stride is left out, and would be -9223372036854775808 * 50", "overflows 64 bits"}},
    {"scantune_scan_request", "row_stride", "the least number", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.row_stride = -(std::int64_t{1} << 62) * 2; p.plane_stride = 1; }), {"row_stride is -9223372036854775808, and 10 times as much is farther than 64 bits count bytes"}},
    {"scantune_scan_request", "row_stride", "so great that places overflow", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.row_stride = std::int64_t{1} << 58; }), {"row_stride is 288230376151711744, and 10 times as much", "farther than 64 bits count bytes"}},
    {"scantune_scan_request", "out_row_stride", "shorter than a row", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.out_row_stride = 30; }), {"out_item_stride is 1 and out_row_stride 30", "two results of 10 rows of 50 items may share a place"}},
    {"scantune_scan_request", "out_item_stride", "so long that rows meet", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.out_item_stride = 2; }), {"out_item_stride is 2 and out_row_stride 50", "may share a place"}},
    {"scantune_scan_request scantune_reduce_request", "planes", "no divisor of the rows", c_combining([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.planes = 3; }), {"planes is 3, and rows 10, which is not a multiple"}},
    {"scantune_scan_request scantune_reduce_request", "plane_stride", "of one sequence", c_combining([](auto& p) { p.plane_stride = 2; }), {"strides are given, and segments is not SCANTUNE_ROWS"}},
    {"scantune_scan_request", "plane_stride", "so great that places overflow", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.planes = 2; p.plane_stride = std::int64_t{1} << 60; }), {"plane_stride is 1152921504606846976, and 2 times as much", "farther than 64 bits count bytes"}},
    {"scantune_scan_request", "out_plane_stride", "shorter than a plane", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.planes = 2; p.out_plane_stride = 200; }), {"out_row_stride is 50 and out_plane_stride 200", "may share a place"}},
    {"scantune_scan_request", "out_row_stride", "another than that of the input, in place", {spoiled([](Arguments& a) { a.scan.segments = SCANTUNE_ROWS; a.scan.rows = 10; a.scan.row_stride = 110; a.scan.out_row_stride = 120; a.output = a.input; }, c_scan)}, {"overlap, and items of one may be in the other", "row_stride 110, item_stride 1, out_row_stride 120, out_item_stride 1", "with the same strides, or not overlap"}},
    {"scantune_run scantune_plan_create", "request", "with strides of no rows", both(c_reductions([](auto& p) { p.item_stride = 2; }), c_places([](auto& p) { p.item_stride = 2; })), {"strides are given, and segments is not SCANTUNE_ROWS"}},
    {"scantune_scan_request scantune_reduce_request", "load", "with an index, of rows with strides", c_maps([](auto& p, auto& load, auto&) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.row_stride = 200; load.role = SCANTUNE_FUNCTION_MAP_INDEXED; }), {"load takes the index of an item, and items of rows with strides have none", "leave the strides out"}},
    {"scantune_scan_request", "load", "in the place of the input", c_scan_with([](Arguments& a) { a.load.source = "int load(unsigned long long)"; a.load.role = SCANTUNE_FUNCTION_GENERATE; a.scan.load = &a.load; }), {"input is given, and the request has output alone: leave SCANTUNE_INPUT NULL"}},
    {"scantune_scan_request scantune_reduce_request", "store", "with an index, of rows with strides", c_maps([](auto& p, auto&, auto& store) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.row_stride = 200; store.role = SCANTUNE_FUNCTION_MAP_INDEXED; }), {"store takes the index of a result, and results of rows with strides have none"}},
    {"scantune_scan_request", "store", "in the place of the output", c_scan_with([](Arguments& a) { a.store.source = "void store(int)"; a.store.role = SCANTUNE_FUNCTION_WRITE; a.scan.store = &a.store; }), {"output is given, and the request has input alone: leave SCANTUNE_OUTPUT NULL"}},
    {"scantune_reduce_request", "store", "that writes, of both extremes", c_request([](Arguments& a) { a.reduce.store = &a.store; a.store.role = SCANTUNE_FUNCTION_WRITE; }, of_extremes), {"a store that writes by itself is not told which extreme it is given: let it return an item, or ask for one extreme"}},
    {"scantune_reduce_request", "index_type", "of positions that a store takes", c_request([](Arguments& a) { a.reduce.store = &a.store; a.reduce.index_type = SCANTUNE_U32; }, of_maximum), {"index_type is given, and store takes the positions"}},
    {"scantune_arrays", "of", "indices, beside a store that takes them", c_arrays(of_nothing_else, after(of_maximum, [](Arguments& a) { a.reduce.store = &a.store; })), {"indices is given, and the request has input and output alone: leave SCANTUNE_INDICES NULL"}},
    {"scantune_scan_request", "custom_bytes", "of numbers", c_maps([](auto& p, auto&, auto&) { p.custom_bytes = 4; }), {"custom_bytes is 4; it must be 0 unless a type is SCANTUNE_CUSTOM_TYPE"}},
    {"scantune_scan_request", "custom_bytes", "left out", c_maps([](auto& p, auto&, auto&) { p.accumulator_type = SCANTUNE_I32; p.input_type = SCANTUNE_CUSTOM_TYPE; p.custom_alignment = 4; }), {"custom_bytes is 0; a custom type has 1 to 32 bytes"}},
    {"scantune_scan_request", "custom_alignment", "no divisor", c_maps([](auto& p, auto&, auto&) { p.accumulator_type = SCANTUNE_I32; p.output_type = SCANTUNE_CUSTOM_TYPE; p.custom_bytes = 12; p.custom_alignment = 8; }), {"custom_alignment is 8; it must be 1, 2, 4, 8 or 16, and divide custom_bytes, which is 12"}},
    {"scantune_function", "struct_bytes", "left out", c_maps([](auto&, auto& load, auto&) { load.struct_bytes = 0; }), {"load->struct_bytes is 0", "scantune_function", "SCANTUNE_FUNCTION_INIT"}},
    {"scantune_function", "role", "of the other map", c_maps([](auto&, auto& load, auto&) { load.role = SCANTUNE_FUNCTION_WRITE; }), {"load->role is SCANTUNE_FUNCTION_WRITE; it must be one that load takes: SCANTUNE_FUNCTION_MAP, SCANTUNE_FUNCTION_MAP_INDEXED, SCANTUNE_FUNCTION_GENERATE"}},
    {"scantune_function", "role", "of the other map, of a store", c_maps([](auto&, auto&, auto& store) { store.role = SCANTUNE_FUNCTION_GENERATE; }), {"store->role is SCANTUNE_FUNCTION_GENERATE; it must be one that store takes"}},
    {"scantune_function", "role", "no kind", c_maps([](auto&, auto& load, auto&) { constexpr int kNoKind = 77; std::memcpy(&load.role, &kNoKind, sizeof kNoKind); }), {"load->role is 77; it must be one that load takes"}},
    {"scantune_function", "source", "left out", c_maps([](auto&, auto&, auto& store) { store.source = nullptr; }), {"store->source is NULL; it must define Result store(Value)"}},
    {"scantune_function", "source", "empty", c_maps([](auto&, auto& load, auto&) { load.source = ""; }), {"load->source is empty; it must define Result load(Value)"}},
    {"scantune_function", "state", "left out", c_maps([](auto&, auto& load, auto&) { load.state_bytes = 8; }), {"load->state is NULL, and state_bytes is 8: point it to the state"}},
    {"scantune_function", "state_bytes", "left out", c_maps([](auto&, auto&, auto& store) { store.state = &store; }), {"store->state_bytes is 0, and state is given"}},
    {"scantune_function", "state_bytes", "too many", c_maps([](auto&, auto& load, auto&) { load.state = &load; load.state_bytes = 33; }), {"load->state_bytes is 33; a state has at most 32 bytes: pass what is larger in memory of the device"}},
    {"scantune_scan_request", "device_inits", "beside init", c_problem([](auto& p) { static const int init = 5; p.segments = SCANTUNE_ROWS; p.rows = 10; p.init = &init; p.device_inits = n_at(0x5000); }), {"device_inits and init are both given"}},
    {"scantune_scan_request", "device_inits", "beside device_init", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.device_init = n_at(0x5000); p.device_inits = n_at(0x6000); }), {"device_inits and device_init are both given"}},
    {"scantune_scan_request", "device_inits", "of one sequence", c_problem([](auto& p) { p.device_inits = n_at(0x5000); }), {"device_inits is given, and segments is SCANTUNE_NO_SEGMENTS", "pass one value in init or device_init"}},
    {"scantune_scan_request", "device_inits", "misaligned", with_pointers([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.device_inits = n_at(0x5002); }), {"device_inits is 0x5002", "multiple of the 4 bytes"}},
    {"scantune_scan_request", "device_inits", "that end in the output", with_pointers([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.device_inits = n_at(kOutput - 36); }), {"device_inits [0x8ffffdc, +40 bytes) is in the output [0x9000000"}},

    {"scantune_scan_request", "device_n", "misaligned", with_pointers([](auto& p) { p.device_n = n_at(0x5004); }), {"device_n is 0x5004", "multiple of the 8 bytes"}},
    {"scantune_scan_request", "device_n", "at the end of memory", with_pointers([](auto& p) { p.device_n = n_at(kEnd - 7); }), {"device_n", "end of the address space"}},
    {"scantune_scan_request", "device_n", "in the output", with_pointers([](auto& p) { p.device_n = n_at(kOutput + 4 * kItems - 8); }), {"device_n [0x90007c8, +8 bytes) is in the output [0x9000000", "it must be outside"}},
    {"scantune_scan_request", "device_n", "memory of the host", {spoiled([](Arguments& a) { a.scan.device_n = n_at(kHost); }, c_scan), spoiled([](Arguments& a) { a.scan.device_n = n_at(kHost); }, c_plan_create)}, {"device_n: ", "memory of the host"}},
    {"scantune_scan_request", "device_n", "with rows", c_problem([](auto& p) { p.segments = SCANTUNE_ROWS; p.rows = 10; p.device_n = n_at(0x5000); }), {"n in device memory is not known when the items are cut into rows", "leave device_n out"}},
    {"scantune_scan_request", "device_n", "with columns", c_problem([](auto& p) { p.segments = SCANTUNE_COLUMNS; p.columns = 10; p.device_n = n_at(0x5000); }), {"n in device memory is not known when the items are cut", "leave device_n out"}},
    {"scantune_scan_request", "device_n", "beside a config that goes by the launch", c_problem([](auto& p) { p.device_n = n_at(0x5000); p.head.config = "{\"family\": \"kogge_stone\"}"; }), {"kogge_stone cannot run i32 inclusive sum, memory n source of 500 items", "do not read it from memory"}},
    {"scantune_scan_request", "device_n", "of more items than an address space", c_problem([](auto& p) { p.head.n = ~u64{0}; p.device_n = n_at(0x5000); }), {"n is 18446744073709551615", "more items than fit"}},
    {"scantune_scan_request", "device_clamped", "without device_n", c_problem([](auto& p) { p.device_clamped = flag_at(0x6000); }), {"device_clamped is given, and device_n is NULL", "pass both or neither"}},
    {"scantune_scan_request", "device_clamped", "misaligned", with_pointers([](auto& p) { p.device_n = n_at(0x5000); p.device_clamped = flag_at(0x6002); }), {"device_clamped is 0x6002", "multiple of the 4 bytes"}},
    {"scantune_scan_request", "device_clamped", "in the output", with_pointers([](auto& p) { p.device_n = n_at(0x5000); p.device_clamped = flag_at(kOutput); }), {"device_clamped [0x9000000, +4 bytes) is in the output"}},
    {"scantune_scan_request", "device_clamped", "in the input", with_pointers([](auto& p) { p.device_n = n_at(0x5000); p.device_clamped = flag_at(kInput + 4); }), {"input [0x1000000, +2000 bytes) and device_clamped [0x1000004, +4 bytes) overlap"}},
    {"scantune_scan_request", "device_clamped", "in device_n", with_pointers([](auto& p) { p.device_n = n_at(0x5000); p.device_clamped = flag_at(0x5004); }), {"device_n [0x5000, +8 bytes) is in the device_clamped [0x5004"}},
    {"scantune_scan_request", "device_clamped", "memory of the host", {spoiled([](Arguments& a) { a.scan.device_n = n_at(0x5000); a.scan.device_clamped = flag_at(kHost); }, c_scan), spoiled([](Arguments& a) { a.scan.device_n = n_at(0x5000); a.scan.device_clamped = flag_at(kHost); }, c_plan_create)}, {"device_clamped: ", "memory of the host"}},

    // A custom operator.
    {"scantune_function", "struct_bytes", "left out", c_custom([](auto& c) { c.struct_bytes = 0; }), {"combine->struct_bytes is 0", "SCANTUNE_FUNCTION_INIT"}},
    {"scantune_function", "source", "null", c_custom([](auto& c) { c.source = nullptr; }), {"combine->source is NULL", "combine"}},
    {"scantune_function", "source", "empty", c_custom([](auto& c) { c.source = ""; }), {"combine->source is empty"}},
    {"scantune_function", "identity", "left out where it is needed", c_custom([](auto& c) { c.identity = nullptr; c.identity_type = SCANTUNE_DEFAULT_TYPE; }), {"combine->identity is NULL", "init or device_init"}},
    {"scantune_function", "identity_type", "no type", c_custom([](auto& c) { write(c.identity_type, 77); }), {"combine->identity_type is 77"}},
    {"scantune_function", "identity_type", "not the accumulator's", c_custom([](auto& c) { c.identity_type = SCANTUNE_F32; }), {"combine->identity_type is f32, and the accumulator is i32"}},
    {"scantune_scan_request scantune_reduce_request scantune_select_request scantune_load_balance_request scantune_sort_request scantune_top_k_request", "custom_bytes", "of a built-in type", c_requests([](auto& r) { r.custom_bytes = 4; }), {"custom_bytes is 4", "must be 0"}},
    {"scantune_scan_request scantune_reduce_request scantune_select_request scantune_load_balance_request scantune_sort_request scantune_top_k_request", "custom_alignment", "of a built-in type", c_requests([](auto& r) { r.custom_alignment = 4; }), {"custom_alignment is 4", "must be 0"}},
    {"scantune_scan_request scantune_select_request scantune_load_balance_request scantune_sort_request", "custom_bytes", "none", c_structs(0, 4), {"custom_bytes is 0", "1 to 32"}},
    {"scantune_scan_request scantune_select_request scantune_load_balance_request scantune_sort_request", "custom_bytes", "too many", c_structs(33, 1), {"custom_bytes is 33"}},
    {"scantune_scan_request scantune_select_request scantune_load_balance_request scantune_sort_request", "custom_bytes", "out of all range", c_structs(~0u, 1), {"custom_bytes is 4294967295"}},
    {"scantune_scan_request scantune_select_request scantune_load_balance_request scantune_sort_request", "custom_alignment", "none", c_structs(8, 0), {"custom_alignment is 0"}},
    {"scantune_scan_request scantune_select_request scantune_load_balance_request scantune_sort_request", "custom_alignment", "no power of two", c_structs(12, 3), {"custom_alignment is 3", "1, 2, 4, 8 or 16"}},
    {"scantune_scan_request scantune_select_request scantune_load_balance_request scantune_sort_request", "custom_alignment", "that does not divide the size", c_structs(12, 8), {"custom_alignment is 8", "divide custom_bytes, which is 12"}},
    {"scantune_scan_request scantune_select_request scantune_load_balance_request scantune_sort_request", "custom_alignment", "too wide", c_structs(32, 32), {"custom_alignment is 32"}},
    {"scantune_function", "cost", "no cost", c_custom([](auto& c) { write(c.cost, 3); }), {"combine->cost is 3"}},
    {"scantune_function", "name", "empty", c_custom([](auto& c) { c.name = ""; }), {"combine->name is ''"}},
    {"scantune_function", "name", "with a space", c_custom([](auto& c) { c.name = "two words"; }), {"combine->name is 'two words'"}},
    {"scantune_function", "name", "too long", c_custom([](auto& c) { c.name = kTooLong.c_str(); }), {"combine->name is 'xxx", "1 to 64"}},
    {"scantune_function", "state", "left out", c_custom([](auto& c) { c.state_bytes = 8; }), {"combine->state is NULL, and state_bytes is 8: point it to the state"}},
    {"scantune_function", "state_bytes", "left out", c_custom([](auto& c) { c.state = &c; }), {"combine->state_bytes is 0, and state is given"}},
    {"scantune_function", "state_bytes", "too many", c_custom([](auto& c) { c.state = &c; c.state_bytes = 33; }), {"combine->state_bytes is 33; a state has at most 32 bytes: pass what is larger in memory of"}},
    {"scantune_function", "state_bytes", "out of all range", c_custom([](auto& c) { c.state = &c; c.state_bytes = ~0u; }), {"combine->state_bytes is 4294967295"}},

    // Functions in C.
    {"scantune_request_init", "request", "null", {[](Arguments&) { return of_c(scantune_request_init(nullptr, SCANTUNE_SCAN, sizeof(scantune_scan_request))); }}, {"request is NULL"}},
    {"scantune_request_init", "algorithm", "none", {[](Arguments& a) { return of_c(scantune_request_init(a.request, static_cast<scantune_algorithm>(7), sizeof a.scan)); }}, {"algorithm is 7; it must be a scantune_algorithm, 1 to 6"}},
    {"scantune_request_init", "struct_bytes", "another version's", {[](Arguments& a) { return of_c(scantune_request_init(a.request, SCANTUNE_SCAN, 8)); }}, {"struct_bytes is 8"}},
    {"scantune_scan", "request", "null", {[](Arguments& a) { return of_c(scantune_scan(nullptr, a.in(), a.out(), nullptr)); }}, {"request is NULL"}},
    {"scantune_scan", "request", "of another algorithm", {[](Arguments& a) { a.scan.head.algorithm = SCANTUNE_SORT; return c_scan(a); }}, {"algorithm is 5, and this function scans", "scantune_run()"}},
    {"scantune_head", "algorithm", "none", c_heads([](auto& h) { write(h.algorithm, 0); }), {"algorithm is 0; it must be a scantune_algorithm, 1 to 6", "start from the _INIT macro"}},
    {"scantune_head", "device", "none", c_heads([](auto& h) { write(h.device, 1); }), {"device is 1", "scantune_device", "-1 to 0"}},
    {"scantune_head", "spare", "not 0", all_of({c_heads([](auto& h) { h.spare[0] = 1; }), c_heads([](auto& h) { h.spare[1] = 1; }), c_heads([](auto& h) { h.spare[2] = 1; }), c_heads([](auto& h) { h.spare[3] = 1; })}), {"head.spare is 1", "must be 0"}},
    {"scantune_select_request scantune_top_k_request", "spare", "not 0", c_requests([](auto& r) requires requires { r.spare; } { r.spare = 7; }), {"spare is 7", "must be 0"}},
    {"scantune_reduce_request", "position", "none", c_reductions([](auto& p) { write(p.position, 3); }), {"position is 3", "scantune_position"}},
    {"scantune_reduce_request", "extremes", "no extremes", c_places([](auto& p) { write(p.extremes, 2); }), {"extremes is 2", "scantune_extremes"}},
    {"scantune_reduce_request", "extremes", "both, without a position", c_reductions([](auto& p) { p.extremes = SCANTUNE_BOTH_EXTREMES; }), {"both extremes have positions"}},
    {"scantune_reduce_request", "extremes", "both, of a maximum", c_places([](auto& p) { p.op = SCANTUNE_MAX; p.extremes = SCANTUNE_BOTH_EXTREMES; }), {"op must be min"}},
    {"scantune_reduce_request", "less", "without a position", c_request([](Arguments& a) { a.function.role = SCANTUNE_FUNCTION_LESS; a.reduce.less = &a.function; }, of_sum), {"less is given, and position is SCANTUNE_NO_POSITION"}},
    {"scantune_reduce_request", "less", "of another role", c_request([](Arguments& a) { a.reduce.less = &a.function; }, of_maximum), {"less->role is SCANTUNE_FUNCTION_KEEP; it must be one that less takes: SCANTUNE_FUNCTION_LESS"}},
    {"scantune_reduce_request", "less", "without a source", c_request([](Arguments& a) { a.function.role = SCANTUNE_FUNCTION_LESS; a.function.source = ""; a.reduce.less = &a.function; }, of_maximum), {"less->source is empty; it must define bool less(Value, Value)"}},
    {"scantune_reduce_request", "less", "none, of structs", c_request([](Arguments& a) { a.reduce.input_type = a.reduce.output_type = SCANTUNE_CUSTOM_TYPE; a.reduce.custom_bytes = 8; a.reduce.custom_alignment = 4; }, of_maximum), {"structs are in no order: pass a less of your own"}},
    {"scantune_scan_request", "offset_type", "none of offsets", c_scanned_segments([](auto& p) { p.offset_type = SCANTUNE_F32; }), {"offset_type is 11; offsets are integers of 4 or 8 bytes"}},
    {"scantune_scan_request", "offset_type", "too narrow for n", c_scanned_segments([](auto& p) { p.head.n = (u64{1} << 31); }), {"offset_type is i32, and n is 2147483648, which offsets of that type cannot reach: pass 64 bits"}},
    {"scantune_scan_request", "offset_type", "without offsets", c_problem([](auto& p) { p.offset_type = SCANTUNE_I64; }), {"offset_type is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_scan_request", "offset_form", "none", c_scanned_segments([](auto& p) { write(p.offset_form, 2); }), {"offset_form is 2", "scantune_offset_form"}},
    {"scantune_scan_request", "offset_form", "without offsets", c_problem([](auto& p) { p.offset_form = SCANTUNE_BEGINS_AND_ENDS; }), {"offset_form is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_scan_request", "segment_count", "left out", c_scanned_segments([](auto& p) { p.segment_count = 0; }), {"there are items and no segments to hold them"}},
    {"scantune_scan_request", "segment_count", "without offsets", c_problem([](auto& p) { p.segment_count = 4; }), {"segment_count is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_scan_request", "segment_count", "more than fit in memory", c_scanned_segments([](auto& p) { p.segment_count = u64{1} << 63; }), {"segment_count is ", "more items than fit in the address space"}},
    {"scantune_scan_request", "device_segment_count", "without offsets", c_problem([](auto& p) { p.device_segment_count = address(0x5000); }), {"device_segment_count is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_scan_request", "device_segment_count", "in the output", {spoiled([](Arguments& a) { of_scanned_bounds(a); a.scan.device_segment_count = address(kOutput); }, c_run), c_plan_run(of_nothing_else, [](Arguments& a) { of_scanned_bounds(a); a.scan.device_segment_count = address(kOutput); })}, {"device_segment_count [0x9000000, +8 bytes) is in the output"}},
    {"scantune_scan_request", "segment_count_type", "without a count in memory", c_scanned_segments([](auto& p) { p.segment_count_type = SCANTUNE_U32; }), {"segment_count_type is given, and device_segment_count is NULL"}},
    {"scantune_scan_request", "segment_count_type", "too narrow", c_scanned_segments([](auto& p) { p.device_segment_count = address(0x5000); p.segment_count_type = SCANTUNE_I16; }), {"segment_count_type is i16; it must be an integer of 4 or 8 bytes"}},
    {"scantune_scan_request", "check", "no choice", c_scanned_segments([](auto& p) { p.check = 2; }), {"check is 2; it must be 0 or 1"}},
    {"scantune_scan_request", "check", "without offsets", c_problem([](auto& p) { p.check = 1; }), {"check is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_scan_request", "device_n", "with offsets", c_scanned_segments([](auto& p) { p.device_n = n_at(0x5000); }), {"offsets say which items are scanned: leave device_n out"}},
    {"scantune_scan_request", "results", "totals of segments by offsets", c_scanned_segments([](auto& p) { p.results = SCANTUNE_TOTALS; }), {"totals are those of segments by flags, bits or keys"}},
    {"scantune_reduce_request", "offset_type", "none of offsets", c_segments([](auto& p) { p.offset_type = SCANTUNE_F32; }), {"offset_type is 11; offsets are integers of 4 or 8 bytes"}},
    {"scantune_reduce_request", "offset_type", "too narrow for n", c_segments([](auto& p) { p.head.n = (u64{1} << 31); }), {"offset_type is i32, and n is 2147483648, which offsets of that type cannot reach: pass 64 bits"}},
    {"scantune_reduce_request", "offset_type", "without offsets", c_reductions([](auto& p) { p.offset_type = SCANTUNE_I64; }), {"offset_type is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_reduce_request", "offset_form", "none", c_segments([](auto& p) { write(p.offset_form, 2); }), {"offset_form is 2", "scantune_offset_form"}},
    {"scantune_reduce_request", "offset_form", "without offsets", c_reductions([](auto& p) { p.offset_form = SCANTUNE_BEGINS_AND_ENDS; }), {"offset_form is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_reduce_request", "segment_count", "left out", c_segments([](auto& p) { p.segment_count = 0; }), {"there are items and no segments to hold them"}},
    {"scantune_reduce_request", "segment_count", "without offsets", c_reductions([](auto& p) { p.segment_count = 4; }), {"segment_count is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_reduce_request", "segment_count", "more than fit in memory", c_segments([](auto& p) { p.segment_count = u64{1} << 63; }), {"segment_count is ", "more items than fit in the address space"}},
    {"scantune_reduce_request", "device_segment_count", "without offsets", c_reductions([](auto& p) { p.device_segment_count = address(0x5000); }), {"device_segment_count is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_reduce_request", "device_segment_count", "in the output", {spoiled([](Arguments& a) { of_bounds(a); a.reduce.device_segment_count = address(kOutput); }, c_run), c_plan_run(of_nothing_else, [](Arguments& a) { of_bounds(a); a.reduce.device_segment_count = address(kOutput); })}, {"device_segment_count [0x9000000, +8 bytes) is in the output"}},
    {"scantune_reduce_request", "device_inits", "beside init", c_segments([](auto& p) { p.init = &p; p.device_inits = address(0x5000); }), {"device_inits and init are both given"}},
    {"scantune_reduce_request", "device_inits", "without offsets", c_reductions([](auto& p) { p.device_inits = address(0x5000); }), {"device_inits is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_reduce_request", "segment_count_type", "without a count in memory", c_segments([](auto& p) { p.segment_count_type = SCANTUNE_U32; }), {"segment_count_type is given, and device_segment_count is NULL"}},
    {"scantune_reduce_request", "segment_count_type", "too narrow", c_segments([](auto& p) { p.device_segment_count = address(0x5000); p.segment_count_type = SCANTUNE_I16; }), {"segment_count_type is i16; it must be an integer of 4 or 8 bytes"}},
    {"scantune_reduce_request", "check", "no choice", c_segments([](auto& p) { p.check = 2; }), {"check is 2; it must be 0 or 1"}},
    {"scantune_reduce_request", "check", "without offsets", c_reductions([](auto& p) { p.check = 1; }), {"check is given, and segments is not SCANTUNE_BY_OFFSETS"}},
    {"scantune_reduce_request", "rows", "beside offsets", c_segments([](auto& p) { p.rows = 10; }), {"rows is 10, and segments is not SCANTUNE_ROWS"}},
    {"scantune_reduce_request", "combine", "of segments, with nothing for an empty one", c_request([](Arguments& a) { a.reduce.op = SCANTUNE_CUSTOM; a.combine.identity = nullptr; a.combine.identity_type = SCANTUNE_DEFAULT_TYPE; a.reduce.combine = &a.combine; }, of_bounds), {"a segment may be empty, and there is no initial value to be its result: pass the operator's identity, or set init or device_init"}},
    {"scantune_reduce_request", "index_type", "without a position", c_reductions([](auto& p) { p.index_type = SCANTUNE_U64; }), {"index_type is given, and position is SCANTUNE_NO_POSITION: leave it SCANTUNE_DEFAULT_TYPE"}},
    {"scantune_scan_request", "n_type", "without device_n", c_problem([](auto& p) { p.n_type = SCANTUNE_U64; }), {"n_type is given, and device_n is NULL: leave it SCANTUNE_DEFAULT_TYPE"}},
    {"scantune_reduce_request", "index_type", "too narrow", c_places([](auto& p) { p.index_type = SCANTUNE_I16; }), {"index_type is i16; it must be an integer of 4 or 8 bytes: SCANTUNE_U64, SCANTUNE_I64, SCANTUNE_U32 or SCANTUNE_I32"}},
    {"scantune_reduce_request", "index_type", "with fewer indices than items", c_places([](auto& p) { p.head.n = (u64{1} << 31) + 1; p.index_type = SCANTUNE_I32; }), {"index_type is i32, and indices may reach 2147483648: ask for 8 bytes"}},
    {"scantune_reduce_request", "index_type", "unsigned, with fewer indices than items", c_places([](auto& p) { p.head.n = (u64{1} << 32) + 1; p.index_type = SCANTUNE_U32; }), {"index_type is u32, and indices may reach 4294967296: ask for 8 bytes"}},
    {"scantune_scan_request", "n_type", "too narrow", c_problem([](auto& p) { p.device_n = n_at(0x5000); p.n_type = SCANTUNE_U8; }), {"n_type is u8; it must be an integer of 4 or 8 bytes"}},
    {"scantune_scan_request", "n_type", "no type", c_problem([](auto& p) { p.device_n = n_at(0x5000); write(p.n_type, 99); }), {"n_type is 99; it must be an integer of 4 or 8 bytes"}},
    {"scantune_scan_request", "n_type", "whose negative numbers would be some items", c_problem([](auto& p) { p.head.n = u64{1} << 31; p.device_n = n_at(0x5000); p.n_type = SCANTUNE_I32; }), {"n_type is i32, and n may reach 2147483648: ask for 8 bytes"}},
    {"UserFunction", "role", "none", options<int>({.load = runtime::UserFunction(static_cast<runtime::UserFunction::Role>(99), "int load(int)")}), {"load is a function of role 99: pass one by Map::source()"}},
    {"UserFunction", "source", "with a null character", {cpp([](Arguments&) { runtime::UserFunction(runtime::UserFunction::Role::keep, kWithNull); })}, {"null character at position 6"}},
    {"scantune_plan_create", "plan", "null", {[](Arguments& a) { return of_c(scantune_plan_create(a.request, nullptr)); }}, {"plan is NULL: pass where the plan is to go"}},
    {"scantune_plan_run", "plan", "null", {[](Arguments& a) { const auto arrays = a.arrays(); return of_c(scantune_plan_run(nullptr, &arrays, nullptr, nullptr)); }}, {"plan is NULL: pass what scantune_plan_create() made"}},
    {"scantune_run scantune_plan_run", "arrays", "null", {[](Arguments& a) { return of_c(scantune_run(a.request, nullptr, nullptr)); }, [](Arguments& a) { return of_c(scantune_plan_run(made_plan(a).get(), nullptr, nullptr, nullptr)); }}, {"arrays is NULL; it must point to a scantune_arrays"}},
    {"scantune_arrays", "count", "none", {with_count(0)}, {"arrays.count is 0, so that no array is given: start from SCANTUNE_ARRAYS_INIT"}},
    {"scantune_arrays", "count", "more than there ever are", {with_count(65), with_count(~u64{0})}, {"arrays.count is ", "it must be 1 to 14, or that of a newer header: start from SCANTUNE_ARRAYS_INIT"}},
    {"scantune_arrays", "count", "with a role of a newer header", {with_count(15)}, {"arrays.count is 15, and the array of role 14 is given, which this library does not know"}},
    {"scantune_arrays", "of", "a role that the request does not have", c_arrays([](Arguments& a) { a.flags = kFlags; }, of_nothing_else), {"i32 inclusive sum of 500 items: flags is given, and the request has input and output alone: leave SCANTUNE_FLAGS NULL"}},
    {"scantune_release", "stream", "being captured", {[](Arguments& a) { a.device->begin_capture(a.stream, 1); return of_c(scantune_release(a.stream, SCANTUNE_CURRENT_GPU)); }}, {"being captured"}},
    {"scantune_release", "stream", "of another context", {[](Arguments& a) { a.device->streams.at(a.stream).problem = "it is another's"; return of_c(scantune_release(a.stream, SCANTUNE_CURRENT_GPU)); }}, {"stream: it is another's"}},
    {"scantune_buffer_create", "bytes", "more than there are", {[](Arguments&) { scantune_buffer* made = nullptr; return of_c(scantune_buffer_create(~u64{0}, SCANTUNE_CURRENT_GPU, &made)); }}, {"out of memory"}, SCANTUNE_OUT_OF_MEMORY},
    {"scantune_buffer_create", "device", "none", {[](Arguments&) { scantune_buffer* made = nullptr; scantune_device none; write(none, 3); return of_c(scantune_buffer_create(16, none, &made)); }}, {"device is 3", "scantune_device"}},
    {"scantune_buffer_create", "buffer", "null", {[](Arguments&) { return of_c(scantune_buffer_create(16, SCANTUNE_CURRENT_GPU, nullptr)); }}, {"buffer is NULL"}},
    {"scantune_buffer_wrap", "memory", "null", {c_wrap(nullptr, 16)}, {"memory is NULL: pass memory of the host"}},
    {"scantune_buffer_wrap", "memory", "for a GPU", {c_wrap(&kSomewhere, sizeof kSomewhere)}, {"memory of the host is wrapped for the host device alone", "scantune_buffer_create"}},
    {"scantune_buffer_wrap", "bytes", "past the end of the address space", {c_wrap(&kSomewhere, ~u64{0})}, {"bytes is 18446744073709551615", "pass the end of the address space"}},
    {"scantune_buffer_wrap", "device", "none", {[](Arguments&) { scantune_buffer* made = nullptr; scantune_device none; write(none, 3); return of_c(scantune_buffer_wrap(&kSomewhere, 4, none, &made)); }}, {"device is 3", "scantune_device"}},
    {"scantune_buffer_wrap", "buffer", "null", {[](Arguments&) { return of_c(scantune_buffer_wrap(&kSomewhere, 4, SCANTUNE_HOST_DEVICE, nullptr)); }}, {"buffer is NULL"}},
    {"scantune_buffer_upload", "buffer", "null", {[](Arguments&) { return of_c(scantune_buffer_upload(nullptr, "", 1)); }}, {"buffer is NULL"}},
    {"scantune_buffer_upload", "source", "null", {c_buffer([](auto* b) { return scantune_buffer_upload(b, nullptr, 16); })}, {"source is NULL", "bytes is 16"}},
    {"scantune_buffer_upload", "bytes", "too many", {c_buffer([](auto* b) { return scantune_buffer_upload(b, "", 17); })}, {"bytes is 17", "holds 16"}},
    {"scantune_buffer_download", "buffer", "null", {[](Arguments& a) { return of_c(scantune_buffer_download(nullptr, &a, 1)); }}, {"buffer is NULL"}},
    {"scantune_buffer_download", "destination", "null", {c_buffer([](auto* b) { return scantune_buffer_download(b, nullptr, 16); })}, {"destination is NULL"}},
    {"scantune_buffer_download", "bytes", "too many", {c_buffer([](auto* b) { char to[17]; return scantune_buffer_download(b, to, 17); })}, {"bytes is 17"}},

    // Arrays; tests/cpu/api_arrays_test.cpp has those of all functions.
    {"scantune_scan", "input", "null", c_scan_with([](Arguments& a) { a.input = 0; }), {"i32 inclusive sum of 500 items: input is null, and n is 500: pass memory of the device"}},
    {"scantune_scan", "input", "misaligned", c_scan_with([](Arguments& a) { a.input += 2; }), {"input is 0x1000002, which is not a multiple of the 4 bytes that its type is aligned to"}},
    {"scantune_scan", "output", "at the end of memory", c_scan_with([](Arguments& a) { a.output = kEnd - 3; }), {"output is 0xfffffffffffffffc, and the 2000 bytes from there pass the end of the address space"}},
    {"scantune_scan", "output", "behind the start of the input", c_scan_with([](Arguments& a) { a.output = kInput + 4; }), {"input [0x1000000, +2000 bytes) and output [0x1000004, +2000 bytes) overlap: they must be the same range or not overlap"}},
    {"scantune_scan", "output", "the input, with items of another size", c_scan_with([](Arguments& a) { a.scan.input_type = SCANTUNE_I8; a.output = a.input; }), {"input [0x1000000, +500 bytes) and output [0x1000000, +2000 bytes) overlap: they must not overlap"}},
    {"scantune_scan", "output", "memory of the host", c_scan_with([](Arguments& a) { a.output = kHost; }), {"i32 inclusive sum of 500 items: output: is memory of the host"}},

    // Reductions, in C and in C++.
    {"scantune_run scantune_plan_create", "request", "null", {[](Arguments& a) { const auto arrays = a.arrays(); return of_c(scantune_run(nullptr, &arrays, nullptr)); }, [](Arguments&) { scantune_plan* plan = nullptr; return of_c(scantune_plan_create(nullptr, &plan)); }}, {"request is NULL"}},
    {"scantune_run scantune_plan_create", "request", "bits of floating-point numbers", c_reductions([](auto& p) { p.input_type = p.output_type = SCANTUNE_F32; p.op = SCANTUNE_XOR; }), {"f32 bit_xor", "for integers"}},
    {"scantune_run scantune_plan_create", "request", "init beside device_init", c_reductions([](auto& p) { p.init = &p; p.device_init = address(0x5000); }), {"init and device_init are both given", "leave the other NULL"}},
    {"scantune_run scantune_plan_create", "request", "no items, and nothing to start from", c_request([](Arguments& a) { a.reduce.op = SCANTUNE_CUSTOM; a.reduce.head.n = 0; a.combine.identity = nullptr; a.combine.identity_type = SCANTUNE_DEFAULT_TYPE; a.reduce.combine = &a.combine; }, of_sum), {"n is 0", "no identity", "device_init"}},
    {"scantune_reduce_request", "device_init", "in the output", {spoiled([](Arguments& a) { of_sum(a); a.reduce.device_init = address(kOutput); }, c_run), c_plan_run(of_nothing_else, [](Arguments& a) { of_sum(a); a.reduce.device_init = address(kOutput); })}, {"device_init [0x9000000, +4 bytes) is in the output"}},
    {"scantune_reduce_request", "device_init", "on the host, of no items", c_reductions([](auto& p) { p.head.n = 0; p.device_init = address(kHost); }), {"device_init", "memory of the host"}},
    {"scantune_run scantune_plan_create", "request", "of a sum", c_places([](auto& p) { p.op = SCANTUNE_SUM; }), {"i32 sum", "only a minimum or a maximum has a position"}},
    {"scantune_run scantune_plan_create", "request", "with an init", c_places([](auto& p) { p.init = &p.head.n; }), {"an initial value has no position"}},
    {"scantune_run scantune_plan_create", "request", "with a device_init", c_places([](auto& p) { p.device_init = address(0x5000); }), {"an initial value has no position"}},

    // Allocators.
    {"scantune_allocator", "struct_bytes", "left out", c_allocator([](auto& a) { a.struct_bytes = 0; }), {"struct_bytes is 0", "scantune_allocator", "SCANTUNE_ALLOCATOR_INIT"}},
    {"scantune_allocator", "allocate", "null", c_allocator([](auto& a) { a.allocate = nullptr; }), {"allocate is NULL", "set no allocator"}},
    {"scantune_allocator", "deallocate", "null", c_allocator([](auto& a) { a.deallocate = nullptr; }), {"deallocate is NULL", "set no allocator"}},
    {"scantune_set_allocator", "allocator", "of a newer header", {[](Arguments&) { struct { scantune_allocator known = {sizeof(scantune_allocator) + 8, [](void*, std::uint64_t, std::int32_t) -> void* { return nullptr; }, [](void*, void*, std::uint64_t, std::int32_t) {}, nullptr}; std::uint64_t unknown = 1; } newer; return of_c(scantune_set_allocator(&newer.known)); }}, {"struct_bytes is 40", "newer header"}},
    {"runtime::set_allocator", "allocator", "without deallocate", {cpp([](Arguments&) { runtime::set_allocator({[](std::uint64_t, int) -> void* { return nullptr; }, {}}); })}, {"allocator.deallocate is empty", "reset_allocator()"}},
    {"runtime::set_allocator", "allocator", "without allocate", {cpp([](Arguments&) { runtime::set_allocator({}); })}, {"allocator.allocate is empty"}},

    // C++ alone.
    {"runtime::scan runtime::plan runtime::describe", "n", "more items than an address space", options<int>({}, ~u64{0}), {"more items than fit"}},
    {"ScanOptions", "op", "bits of floating-point numbers", options<float>({.op = runtime::Op::bit_and}), {"f32 inclusive bit_and", "for integers"}},
    {"ScanOptions", "op", "of a struct, built in", options<Affine>({}), {"custom type needs a custom operator"}},
    {"ScanOptions", "kind", "no kind", options<int>({.kind = static_cast<runtime::Kind>(9)}), {"kind is 9"}},
    {"runtime::scan runtime::plan runtime::describe", "op", "bits of floating-point numbers", {cpp([](Arguments& a) { runtime::scan(static_cast<const float*>(address(a.input)), static_cast<float*>(address(a.output)), kItems, runtime::Op::bit_and); }), cpp([](Arguments&) { runtime::plan<float>(kItems, runtime::Op::bit_and); }), cpp([](Arguments&) { runtime::describe<float>(kItems, runtime::Op::bit_and); })}, {"f32 inclusive bit_and", "for integers"}},
    {"InitialValue", "value", "negative, of an unsigned accumulator", with_init<std::uint8_t>(-1), {"init is -1, and the accumulator, u32, holds 0 to 4294967295"}},
    {"InitialValue", "value", "wider than the accumulator", with_init<int>(std::int64_t{1} << 31), {"init is 2147483648, and the accumulator, i32, holds -2147483648 to 2147483647", "scan<In, Out, Acc>()"}},
    {"InitialValue", "value", "less than the accumulator's least", with_init<int>(-(std::int64_t{1} << 31) - 1), {"init is -2147483649"}},
    {"InitialValue", "value", "of an enumeration, wider than the accumulator", with_init<unsigned>(kBelowZero), {"init is -1"}},
    {"InitialValue", "value", "an integer that a float rounds", with_init<runtime::f16>((1 << 24) + 1), {"init is 16777217, and the accumulator, f32, holds integers of 24 bits"}},
    {"InitialValue", "value", "an integer that a double rounds", with_init<double>(~u64{0}), {"init is 18446744073709551615", "f64"}},
    {"InitialValue", "value", "a double that a float would turn into infinity", with_init<float>(-1e300), {"init is -1e+300, and the accumulator, f32, holds numbers up to 3.40282e+38"}},
    {"ScanOptions", "init", "beside device_init", options<int>({.init = 1, .device_init = static_cast<const int*>(address(0x5000))}), {"init and device_init are both given", "leave the other NULL"}},
    {"ScanOptions", "device_init", "memory of the host", options<int>({.device_init = static_cast<const int*>(address(kHost))}), {"device_init: ", "memory of the host"}},
    {"ScanOptions SegmentTotalOptions", "equality", "without keys", both(options<int>({.equality = runtime::Equality::source("bool equal(int, int)")}), {cpp([](Arguments& a) { runtime::segmented_scan(a.in(), static_cast<const std::uint8_t*>(address(kFlags)), a.out(), kItems, {.equality = runtime::Equality::source("bool equal(int, int)")}); }), cpp([](Arguments&) { runtime::flagged_reduce_plan<int, std::uint8_t>(kItems, {.equality = runtime::Equality::source("bool equal(int, int)")}); })}), {"equality is given, and this function has no keys that it could compare: leave it out"}},
    {"ScanOptions SegmentTotalOptions RunLengthOptions", "equality", "left out, of structs", {cpp([](Arguments&) { runtime::scan_by_key_plan<int, Affine>(kItems); }), cpp([](Arguments&) { runtime::reduce_by_key_plan<int, Affine>(kItems); }), cpp([](Arguments&) { runtime::run_length_encode_plan<Affine>(kItems); })}, {"keys are structs, which have no equality of their own: pass .equality, as in Equality::source(text)"}},
    {"ScanOptions SegmentTotalOptions RunLengthOptions", "equality", "a predicate", {cpp([](Arguments&) { runtime::scan_by_key_plan<int, int>(kItems, {.equality = runtime::Predicate::source("bool keep(int)")}); }), cpp([](Arguments&) { runtime::reduce_by_key_plan<int, int>(kItems, {.equality = runtime::Predicate::source("bool keep(int)")}); }), cpp([](Arguments&) { runtime::run_length_encode_plan<int>(kItems, {.equality = runtime::Predicate::source("bool keep(int)")}); })}, {"equality is a function by Predicate::source(): pass one by Equality::source()"}},
    {"ScanOptions", "load", "empty", options<int>({.load = runtime::Map::source("")}), {"load->source is empty"}},
    {"ScanOptions", "load", "that is a store", options<int>({.load = runtime::Map::writing("void store(int)")}), {"load is a function by Map::writing(): pass one by Map::source() or Map::indexed() or Map::generated()"}},
    {"ScanOptions", "store", "that is a load", options<int>({.store = runtime::Map::generated("int load(int)")}), {"store is a function by Map::generated(): pass one by "}},
    {"ReduceOptions", "load", "that is a store", reduce_options<int>({.load = runtime::Predicate::source("bool keep(int)")}), {"load is a function by Predicate::source(): pass one by "}},
    {"ReduceOptions", "store", "empty", reduce_options<int>({.store = runtime::Map::source("")}), {"store->source is empty; it must define Result store(Value)"}},
    {"Map::source Map::indexed Map::generated Map::writing", "source", "with a null character", {cpp([](Arguments&) { runtime::Map::source(kWithNull); }), cpp([](Arguments&) { runtime::Map::source(kWithNull, 1); }), cpp([](Arguments&) { runtime::Map::indexed(kWithNull); }), cpp([](Arguments&) { runtime::Map::generated(kWithNull); }), cpp([](Arguments&) { runtime::Map::writing(kWithNull, 1); })}, {"the source of a function holds a null character at position 6"}},
    {"ScanOptions", "device_inits", "of one sequence", options<int>({.device_inits = static_cast<const int*>(address(0x5000))}), {"device_inits is given, and segments is SCANTUNE_NO_SEGMENTS"}},
    {"ScanOptions", "direction", "no direction", options<int>({.direction = static_cast<runtime::Direction>(9)}), {"direction is 9"}},
    {"ScanOptions", "determinism", "no determinism", options<int>({.determinism = static_cast<runtime::Determinism>(9)}), {"determinism is 9"}},
    {"ScanOptions", "forward_progress", "no forward progress", options<int>({.forward_progress = static_cast<runtime::ForwardProgress>(9)}), {"forward_progress is 9"}},
    {"ScanOptions", "latency", "no latency", options<int>({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"ScanOptions ReduceOptions ArgOptions", "captured_launches", "negative", {cpp([](Arguments&) { runtime::plan<int>(kItems, {.captured_launches = -1}); }), cpp([](Arguments&) { runtime::reduce_plan<int>(kItems, {.captured_launches = -1}); }), cpp([](Arguments&) { runtime::arg_plan<int>(kItems, runtime::Op::min, {.captured_launches = -1}); })}, {"captured_launches is -1"}},
    {"ScanOptions ReduceOptions ArgOptions SelectOptions ExpandOptions ArgsortOptions", "stream", "of a plan", {cpp([](Arguments& a) { runtime::plan<int>(kItems, {.stream = a.stream}); }), cpp([](Arguments& a) { runtime::reduce_plan<int>(kItems, {.stream = a.stream}); }), cpp([](Arguments& a) { runtime::arg_plan<int>(kItems, runtime::Op::min, {.stream = a.stream}); }), cpp([](Arguments& a) { runtime::select_plan<int>(kItems, {.stream = a.stream}); }), cpp([](Arguments& a) { runtime::expand_plan<int, int>(kSegments, kItems, {.stream = a.stream}); }), cpp([](Arguments& a) { runtime::sort_plan<int>(kItems, {.stream = a.stream}); })}, {"stream is given, and a plan takes its stream with each call: pass it there"}},
    {"ScanOptions ReduceOptions ArgOptions SelectOptions FlaggedOptions UniqueOptions ThreeWayOptions LoadBalanceOptions ExpandOptions SortOptions ArgsortOptions", "device", "no device", all_of({options<int>({.device = kNoDevice}), reduce_options({.device = kNoDevice}), arg_options({.device = kNoDevice}), {cpp([](Arguments&) { runtime::select_plan<int>(kItems, {.device = kNoDevice}); }), cpp([](Arguments&) { runtime::select_flagged_plan<int>(kItems, {.device = kNoDevice}); }), cpp([](Arguments&) { runtime::unique_consecutive_plan<int>(kItems, {.device = kNoDevice}); }), cpp([](Arguments&) { runtime::three_way_partition_plan<int>(kItems, {.parts = runtime::Parts::around(7), .device = kNoDevice}); }), cpp([](Arguments& a) { runtime::load_balance(a.in(), kSegments, a.out(), kItems, {.device = kNoDevice}); }), cpp([](Arguments&) { runtime::expand_plan<int, int>(kSegments, kItems, {.device = kNoDevice}); }), cpp([](Arguments& a) { runtime::sort(a.in(), a.out(), kItems, {.device = kNoDevice}); }), cpp([](Arguments&) { runtime::argsort_plan<int>(kItems, {.device = kNoDevice}); })}}), {"device is 2", "scantune_device"}},
    {"ScanOptions", "config", "of an unknown family", options<int>({.config = "{\"family\": \"one_pass\"}"}), {"config.family", "found \"one_pass\""}},
    {"ScanOptions ReduceOptions ArgOptions", "segments", "of other items than n", both(both(options<int>({.segments = runtime::Segments::rows(7, 100)}), reduce_options({.segments = runtime::Segments::rows(7, 100)})), arg_options({.segments = runtime::Segments::rows(7, 100)})), {"segments is Segments::rows(7, 100), which are 700 items, and n is 500", "n must be count * length"}},
    {"ScanOptions", "segments", "columns of other items than n", options<int>({.segments = runtime::Segments::columns(7, 100)}), {"segments is Segments::columns(7, 100), which are 700 items, and n is 500", "count * length"}},
    {"ReduceOptions ArgOptions", "segments", "with strides of the output", both(reduce_options({.segments = runtime::Segments::rows({.count = 10, .length = 50, .out_row_stride = 200})}), arg_options({.segments = runtime::Segments::rows({.count = 10, .length = 50, .out_row_stride = 200})})), {"out_row_stride is 200", "results of a reduction are dense"}},
    {"Segments::rows", "rows", "in planes, of other items than n", options<int>({.segments = runtime::Segments::rows({.count = 5, .length = 50, .planes = 3})}), {"segments is Segments::rows(5, 50), in 3 planes, which are 750 items, and n is 500", "n must be planes * count * length"}},
    {"Segments::rows", "rows", "in so many planes that the product overflows", options<int>({.segments = runtime::Segments::rows({.count = u64{1} << 30, .length = u64{1} << 30, .planes = 16})}, 0), {"in 16 planes, which are 2^64 items or more"}},
    {"Segments::rows", "rows", "with strides under which two results coincide", options<int>({.segments = runtime::Segments::rows({.count = 10, .length = 50, .row_stride = 50, .item_stride = 1, .out_row_stride = 2, .out_item_stride = 4})}), {"out_row_stride is 2 and out_item_stride 4", "may share a place"}},
    {"Segments::rows", "rows", "in planes that lie in each other", options<int>({.segments = runtime::Segments::rows({.count = 5, .length = 50, .planes = 2, .plane_stride = 250, .out_plane_stride = 200})}), {"out_row_stride is 50 and out_plane_stride 200"}},
    {"Segments::rows", "count", "none, of some items", options<int>({.segments = runtime::Segments::rows(0, 100)}), {"Segments::rows(0, 100), which are 0 items, and n is 500"}},
    {"Segments::rows", "length", "none, of some items", options<int>({.segments = runtime::Segments::rows(10, 0)}), {"Segments::rows(10, 0), which are 0 items, and n is 500"}},
    {"Segments::rows", "length", "so great that the product overflows", options<int>({.segments = runtime::Segments::rows(u64{1} << 33, u64{1} << 31)}, 0), {"which are 2^64 items or more", "fewer or shorter"}},
    {"Segments::columns", "count", "none, of some items", options<int>({.segments = runtime::Segments::columns(0, 100)}), {"Segments::columns(0, 100), which are 0 items, and n is 500"}},
    {"Segments::columns", "length", "none, of some items", options<int>({.segments = runtime::Segments::columns(10, 0)}), {"Segments::columns(10, 0), which are 0 items, and n is 500"}},
    {"Segments::columns", "length", "so great that the product overflows", options<int>({.segments = runtime::Segments::columns(u64{1} << 33, u64{1} << 31)}, 0), {"Segments::columns(8589934592, 2147483648), which are 2^64 items or more"}},
    {"ScanOptions ReduceOptions ArgOptions", "config", "with a null character", both(both(options<int>({.config = kWithNull}), reduce_options({.config = kWithNull})), arg_options({.config = kWithNull})), {"config holds a null character"}},
    {"ReduceOptions ArgOptions", "config", "of a scan's family", both(reduce_options({.config = "{\"family\": \"lookback\"}"}), arg_options({.config = "{\"family\": \"lookback\"}"})), {"config.family", "found \"lookback\""}},
    {"runtime::reduce runtime::reduce_plan", "n", "more items than an address space", reduce_options({}, ~u64{0}), {"more items than fit"}},
    {"runtime::argmin runtime::argmax runtime::arg_plan", "n", "more items than an address space", arg_options({}, ~u64{0}), {"more items than fit"}},
    {"runtime::reduce runtime::reduce_plan", "op", "bits of floating-point numbers", {cpp([](Arguments& a) { runtime::reduce(static_cast<const float*>(address(a.input)), static_cast<float*>(address(a.output)), kItems, runtime::Op::bit_or); }), cpp([](Arguments&) { runtime::reduce_plan<float>(kItems, runtime::Op::bit_or); })}, {"f32 bit_or", "for integers"}},
    {"ArgOptions", "position", "no position", arg_options({.position = static_cast<runtime::Position>(9)}), {"position is 9", "scantune_position"}},
    {"ArgOptions", "position", "none", arg_options({.position = static_cast<runtime::Position>(0)}), {"index_type is given, and position is SCANTUNE_NO_POSITION"}},
    {"ArgOptions", "less", "a predicate", arg_options({.less = runtime::Predicate::source("bool keep")}), {"less is a function by Predicate::source(): pass one by Less::source()"}},
    {"Less::source", "source", "with a null character", {cpp([](Arguments&) { runtime::Less::source(kWithNull); }), cpp([](Arguments&) { runtime::Less::source(kWithNull, 1); })}, {"the source of a function holds a null character at position 6"}},
    {"Less::source", "state", "left out on the way", {cpp([](Arguments& a) { scantune_function less = *runtime::Less::source("bool less", 7).get(); less.state = nullptr; a.function = less; of_maximum(a); a.reduce.less = &a.function; scantune_plan* plan = nullptr; if (scantune_plan_create(a.request, &plan) != SCANTUNE_OK) throw RequestError(scantune_error_message()); })}, {"less->state is NULL, and state_bytes is 4: point it to the state"}},
    {"ArgOptions", "load", "that is a store", arg_options({.load = runtime::Map::writing("")}), {"load is a function by Map::writing(): pass one by Map::source()"}},
    {"ArgOptions", "store", "with a pointer to an index", arg_options({.store = runtime::Map::source("int store(int, unsigned long long)")}), {"index_type is given, and store takes the positions"}},
    {"ArgOptions", "store", "left out, and no pointer to an index", {cpp([](Arguments& a) { runtime::argmin(a.in(), a.out(), kItems, {}); }), cpp([](Arguments& a) { runtime::argmax(a.in(), a.out(), kItems, {}); }), cpp([](Arguments& a) { runtime::arg_minmax(a.in(), a.out(), a.out(), kItems, {}); }), cpp([](Arguments&) { runtime::stored_arg_plan<int, int>(kItems, runtime::Op::max, {}); }), cpp([](Arguments&) { runtime::stored_arg_minmax_plan<int, int>(kItems, {}); })}, {"store is left out, and so is the pointer to an index: pass one of the two"}},
    {"runtime::stored_arg_plan runtime::stored_arg_minmax_plan", "n", "more items than an address space", {cpp([](Arguments&) { runtime::stored_arg_plan<int, int>(~u64{0}, runtime::Op::max, {.store = runtime::Map::source("int store(int, unsigned long long)")}); }), cpp([](Arguments&) { runtime::stored_arg_minmax_plan<int, int>(~u64{0}, {.store = runtime::Map::source("int store(int, unsigned long long)")}); })}, {"more items than fit"}},
    {"runtime::argmin runtime::argmax", "output", "null, of a store that returns", {cpp([](Arguments& a) { runtime::argmin(a.in(), static_cast<int*>(nullptr), kItems, {.store = runtime::Map::source("int store(int, unsigned long long)")}); }), cpp([](Arguments& a) { runtime::argmax(a.in(), static_cast<int*>(nullptr), kItems, {.store = runtime::Map::source("int store(int, unsigned long long)")}); })}, {"output is null"}},
    {"runtime::stored_arg_plan", "op", "a sum", {cpp([](Arguments&) { runtime::stored_arg_plan<int, int>(kItems, runtime::Op::sum, {.store = runtime::Map::source("int store(int, unsigned long long)")}); })}, {"only a minimum or a maximum has a position"}},
    {"Less::source", "source", "empty", arg_options({.less = runtime::Less::source("")}), {"less->source is empty"}},
    {"runtime::scan_by_key runtime::scan_by_key_plan runtime::segmented_scan runtime::flagged_scan_plan", "n", "more items than an address space", {cpp([](Arguments& a) { runtime::scan_by_key(a.in(), a.in(), a.out(), ~u64{0}); }), cpp([](Arguments&) { runtime::scan_by_key_plan<int, int>(~u64{0}); }), cpp([](Arguments& a) { runtime::segmented_scan(a.in(), static_cast<const bool*>(address(kFlags)), a.out(), ~u64{0}); }), cpp([](Arguments&) { runtime::flagged_scan_plan<int>(~u64{0}); })}, {"more items than fit"}},
    {"runtime::segmented_scan runtime::segmented_scan_plan runtime::segmented_scan_ranges_plan", "n", "with offsets, more items than an address space", offset_scan_options({}, ~u64{0}), {"n is 18446744073709551615, which offsets of that type cannot reach"}},
    {"runtime::segmented_scan runtime::segmented_scan_plan runtime::segmented_scan_ranges_plan", "segment_count", "none", offset_scan_options({}, kItems, 0), {"there are items and no segments to hold them"}},
    {"SegmentedScanOptions", "op", "whose identity is of another type", offset_scan_options({.op = runtime::Op::custom("Value combine", 0.0f)}), {"identity given to Op::custom() is f32, and the accumulator is i32"}},
    {"SegmentedScanOptions", "kind", "none", offset_scan_options({.kind = static_cast<runtime::Kind>(2)}), {"kind is 2"}},
    {"SegmentedScanOptions", "direction", "none", offset_scan_options({.direction = static_cast<runtime::Direction>(2)}), {"direction is 2"}},
    {"SegmentedScanOptions", "load", "a predicate", offset_scan_options({.load = runtime::Predicate::source("bool keep(int)")}), {"load is a function by Predicate::source(): pass one by "}},
    {"SegmentedScanOptions", "store", "empty", offset_scan_options({.store = runtime::Map::source("")}), {"store->source is empty"}},
    {"SegmentedScanOptions", "init device_inits", "both", offset_scan_options({.init = 1, .device_inits = static_cast<const int*>(address(0x5000))}), {"device_inits and init are both given"}},
    {"SegmentedScanOptions", "device_init", "memory of the host", offset_scan_options({.device_init = static_cast<const int*>(address(kHost))}), {"device_init: ", "memory of the host"}},
    {"SegmentedScanOptions", "device_segment_count", "memory of the host", offset_scan_options({.device_segment_count = n_at(kHost)}), {"device_segment_count: ", "memory of the host"}},
    {"SegmentedScanOptions", "check stream", "of a plan, and its stream", {cpp([](Arguments& a) { runtime::segmented_scan_plan<int, int>(kItems, kSegments, {.check = true, .stream = a.stream}); })}, {"stream is given, and a plan takes its stream with each call"}},
    {"SegmentedScanOptions", "determinism", "none", offset_scan_options({.determinism = static_cast<runtime::Determinism>(9)}), {"determinism is 9"}},
    {"SegmentedScanOptions", "latency", "no latency", offset_scan_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"SegmentedScanOptions", "captured_launches", "negative", offset_scan_options({.captured_launches = -1}), {"captured_launches is -1"}},
    {"SegmentedScanOptions", "device", "none", offset_scan_options({.device = static_cast<runtime::Device>(3)}), {"device is 3"}},
    {"SegmentedScanOptions", "config", "of another shape's family", offset_scan_options({.config = "{\"family\": \"scan_rows\"}"}), {"scan_rows"}},
    {"runtime::segmented_reduce runtime::segmented_reduce_plan runtime::segmented_reduce_ranges_plan", "n", "more items than an address space", offset_options({}, ~u64{0}), {"n is 18446744073709551615, which offsets of that type cannot reach"}},
    {"runtime::segmented_reduce runtime::segmented_reduce_plan runtime::segmented_reduce_ranges_plan", "segment_count", "none", offset_options({}, kItems, 0), {"there are items and no segments to hold them"}},
    {"SegmentedReduceOptions", "op", "whose identity is of another type", offset_options({.op = runtime::Op::custom("Value combine", 0.0f)}), {"identity given to Op::custom() is f32, and the accumulator is i32"}},
    {"SegmentedReduceOptions", "load", "a predicate", offset_options({.load = runtime::Predicate::source("bool keep(int)")}), {"load is a function by Predicate::source(): pass one by "}},
    {"SegmentedReduceOptions", "store", "empty", offset_options({.store = runtime::Map::source("")}), {"store->source is empty"}},
    {"SegmentedReduceOptions", "init device_inits", "both", offset_options({.init = 1, .device_inits = static_cast<const int*>(address(0x5000))}), {"device_inits and init are both given"}},
    {"SegmentedReduceOptions", "device_init", "memory of the host", offset_options({.device_init = static_cast<const int*>(address(kHost))}), {"device_init: ", "memory of the host"}},
    {"SegmentedReduceOptions", "device_segment_count", "memory of the host", offset_options({.device_segment_count = n_at(kHost)}), {"device_segment_count: ", "memory of the host"}},
    {"SegmentedReduceOptions", "check stream", "of a plan, and its stream", {cpp([](Arguments& a) { runtime::segmented_reduce_plan<int, int>(kItems, kSegments, {.check = true, .stream = a.stream}); })}, {"stream is given, and a plan takes its stream with each call"}},
    {"SegmentedReduceOptions", "latency", "no latency", offset_options({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"SegmentedReduceOptions", "captured_launches", "negative", offset_options({.captured_launches = -1}), {"captured_launches is -1"}},
    {"SegmentedReduceOptions", "device", "none", offset_options({.device = static_cast<runtime::Device>(3)}), {"device is 3"}},
    {"SegmentedReduceOptions", "config", "of a scan's family", offset_options({.config = "{\"family\": \"lookback\"}"}), {"config.family", "found \"lookback\""}},
    {"runtime::run_length_decode", "values", "null", null_of_decoded(0), {"values is null"}},
    {"runtime::run_length_decode", "lengths", "null", null_of_decoded(1), {"lengths is null"}},
    {"runtime::run_length_decode", "offsets", "null", null_of_decoded(2), {"offsets is null"}},
    {"runtime::run_length_decode", "output", "null", null_of_decoded(3), {"output is null"}},
    {"runtime::run_length_decode", "runs", "none", decoded({}, 0), {"runs is 0, and n is not: pass how many runs there are"}},
    {"runtime::run_length_decode", "n", "more items than an address space", decoded({}, kSegments, ~u64{0}), {"n is 18446744073709551615, more items than fit"}},
    {"RunLengthDecodeOptions", "latency", "no latency", decoded({.latency = static_cast<runtime::Latency>(9)}), {"latency is 9"}},
    {"RunLengthDecodeOptions", "stream", "being captured", {cpp([](Arguments& a) { a.device->begin_capture(a.stream, 1); runtime::run_length_decode(a.in(), static_cast<std::uint32_t*>(address(kValues)), kSegments, static_cast<std::uint64_t*>(address(kSecond)), a.out(), kItems, {.stream = a.stream}); })}, {"being captured"}},
    {"RunLengthDecodeOptions", "device", "none", decoded({.device = static_cast<runtime::Device>(3)}), {"device is 3"}},
    {"runtime::unique_counts", "input", "null", null_of_counted(0), {"input is null"}},
    {"runtime::unique_counts", "sorted", "null", null_of_counted(1), {"sorted is null"}},
    {"runtime::unique_counts", "values lengths count", "null", both(null_of_counted(2), both(null_of_counted(3), null_of_counted(4))), {" is null"}},
    {"runtime::unique_counts", "n", "more items than an address space", {cpp([](Arguments& a) { runtime::unique_counts(a.in(), a.out(), a.out(), static_cast<std::uint32_t*>(address(kValues)), static_cast<std::uint64_t*>(address(kCount)), ~u64{0}); })}, {"more items than fit"}},
    {"runtime::reduce_by_key runtime::reduce_by_key_plan runtime::segmented_reduce runtime::flagged_reduce_plan runtime::run_length_encode runtime::run_length_encode_plan", "n", "more items than an address space", both(total_options({}, ~u64{0}), run_options({}, ~u64{0})), {"more items than fit"}},
    {"runtime::run_length_encode", "input values lengths count", "null", null_runs(), {" is null, and n is 500: pass memory of the device"}},
    {"SegmentTotalOptions", "op", "bits of floating-point numbers", {cpp([](Arguments&) { runtime::reduce_by_key_plan<float, int>(kItems, {.op = runtime::Op::bit_or}); })}, {"f32", "bit_or", "for integers"}},
    {"SegmentTotalOptions", "load", "a predicate", total_options({.load = runtime::Predicate::source("bool keep(int)")}), {"load is a function by Predicate::source(): pass one by "}},
    {"SegmentTotalOptions", "store", "empty", total_options({.store = runtime::Map::source("")}), {"store->source is empty"}},
    {"SegmentTotalOptions", "init", "beside device_init", total_options({.init = 1, .device_init = static_cast<const int*>(address(0x5000))}), {"init and device_init are both given", "leave the other NULL"}},
    {"SegmentTotalOptions", "device_inits", "memory of the host", total_options({.device_inits = static_cast<const int*>(address(kHost))}), {"device_inits: ", "memory of the host"}},
    {"SegmentTotalOptions", "device_init", "memory of the host", total_options({.device_init = static_cast<const int*>(address(kHost))}), {"device_init: ", "memory of the host"}},
    {"SegmentTotalOptions RunLengthOptions", "device_n", "memory of the host", both(total_options({.device_n = n_at(kHost)}), run_options({.device_n = n_at(kHost)})), {"device_n: ", "memory of the host"}},
    {"SegmentTotalOptions RunLengthOptions", "device_clamped", "without device_n", both(total_options({.device_clamped = flag_at(0x5000)}), run_options({.device_clamped = flag_at(0x5000)})), {"device_clamped is given, and device_n is NULL"}},
    {"SegmentTotalOptions RunLengthOptions", "stream", "of a plan", {cpp([](Arguments& a) { runtime::reduce_by_key_plan<int, int>(kItems, {.stream = a.stream}); }), cpp([](Arguments& a) { runtime::run_length_encode_plan<int>(kItems, {.stream = a.stream}); })}, {"stream is given, and a plan takes its stream with each call"}},
    {"SegmentTotalOptions RunLengthOptions", "forward_progress", "no forward progress", both(total_options({.forward_progress = static_cast<runtime::ForwardProgress>(9)}), run_options({.forward_progress = static_cast<runtime::ForwardProgress>(9)})), {"forward_progress is 9"}},
    {"SegmentTotalOptions RunLengthOptions", "latency", "no latency", both(total_options({.latency = static_cast<runtime::Latency>(9)}), run_options({.latency = static_cast<runtime::Latency>(9)})), {"latency is 9"}},
    {"SegmentTotalOptions RunLengthOptions", "captured_launches", "negative", both(total_options({.captured_launches = -1}), run_options({.captured_launches = -1})), {"captured_launches is -1"}},
    {"SegmentTotalOptions RunLengthOptions", "device", "none", both(total_options({.device = static_cast<runtime::Device>(3)}), run_options({.device = static_cast<runtime::Device>(3)})), {"device is 3"}},
    {"SegmentTotalOptions RunLengthOptions", "config", "of a selection's family", both(total_options({.config = "{\"family\": \"select_lookback\"}"}), run_options({.config = "{\"family\": \"select_lookback\"}"})), {"config.family", "found \"select_lookback\""}},
    {"runtime::arg_minmax runtime::arg_minmax_plan", "n", "more items than an address space", {cpp([](Arguments& a) { runtime::arg_minmax(a.in(), a.out(), static_cast<std::uint64_t*>(address(kIndex)), static_cast<int*>(address(kSecond)), static_cast<std::uint64_t*>(address(kValues)), ~u64{0}); }), cpp([](Arguments&) { runtime::arg_minmax_plan<int>(~u64{0}); })}, {"more items than fit"}},
    {"runtime::arg_plan", "op", "a sum", {cpp([](Arguments&) { runtime::arg_plan<int>(kItems, runtime::Op::sum); })}, {"only a minimum or a maximum has a position"}},
    {"runtime::arg_plan", "op", "of the caller's own", {cpp([](Arguments&) { runtime::arg_plan<int>(kItems, runtime::Op::custom("Value combine", 0)); })}, {"only a minimum or a maximum has a position"}},
    {"ReduceOptions", "op", "of a struct, built in", reduce_options<Affine>({}), {"custom type needs a custom operator"}},
    {"ReduceOptions", "op", "whose identity is of another type", reduce_options({.op = runtime::Op::custom("Value combine", 0.0f)}), {"identity given to Op::custom() is f32, and the accumulator is i32"}},
    {"ScanOptions", "device_n", "memory of the host", options<int>({.device_n = n_at(kHost)}), {"device_n: ", "memory of the host"}},
    {"ScanOptions", "device_n", "with rows", options<int>({.segments = runtime::Segments::rows(10, 50), .device_n = n_at(0x5000)}), {"n in device memory is not known when the items are cut into rows"}},
    {"ScanOptions", "device_clamped", "without device_n", options<int>({.device_clamped = flag_at(0x6000)}), {"device_clamped is given, and device_n is NULL"}},
    {"ReduceOptions", "init", "beside device_init", reduce_options({.init = 1, .device_init = static_cast<const int*>(address(0x5000))}), {"init and device_init are both given", "leave the other NULL"}},
    {"ReduceOptions", "device_init", "memory of the host", reduce_options({.device_init = static_cast<const int*>(address(kHost))}), {"device_init: ", "memory of the host"}},
    {"ReduceOptions ArgOptions", "latency", "no latency", both(reduce_options({.latency = static_cast<runtime::Latency>(9)}), arg_options({.latency = static_cast<runtime::Latency>(9)})), {"latency is 9"}},
    {"Op::custom", "source", "empty", custom_operator<int>([] { return runtime::Op::custom("", 0); }), {"combine->source is empty"}},
    {"Op::custom", "source", "with a null character", custom_operator<int>([] { return runtime::Op::custom(kWithNull, 0); }), {"source", "null character at position 6"}},
    {"Op::custom", "identity", "of another number's type", custom_operator<int>([] { return runtime::Op::custom("Value combine", 0.0f); }), {"identity given to Op::custom() is f32, and the accumulator is i32"}},
    {"Op::custom", "identity", "a number, for a struct", custom_operator<Affine>([] { return runtime::Op::custom("Value combine", 0); }), {"is i32, and the accumulator is a struct of 12 bytes aligned to 4"}},
    {"Op::custom", "identity", "of another struct's size", custom_operator<Affine>([] { return runtime::Op::custom("Value combine", Pair{}); }), {"is a struct of 8 bytes"}},
    {"Op::custom", "identity", "none, of an exclusive scan", {cpp([](Arguments& a) { runtime::scan(a.in(), a.out(), kItems, {.op = runtime::Op::custom("Value combine", runtime::Op::no_identity), .kind = runtime::Kind::exclusive}); })}, {"combine->identity is NULL, and the first result starts from it: pass it, or set init or device_init"}},
    {"Op::custom", "identity", "none, of a reduction of nothing", reduce_options({.op = runtime::Op::custom("Value combine", runtime::Op::no_identity)}, 0), {"n is 0, and the operator has no identity: pass it, or set init or device_init"}},
    {"Op::custom", "identity", "none, of a reduction of empty rows", reduce_options({.op = runtime::Op::custom("Value combine", runtime::Op::no_identity), .segments = runtime::Segments::rows(3, 0)}, 0), {"a row without items, and no initial value"}},
    {"CustomOptions", "name", "with a space", custom_operator<int>([] { return runtime::Op::custom("Value combine", 0, {.name = "two words"}); }), {"combine->name is 'two words'"}},
    {"CustomOptions", "name", "with a null character", custom_operator<int>([] { return runtime::Op::custom("Value combine", 0, {.name = kWithNull}); }), {"name", "null character"}},
    {"CustomOptions", "cost", "no cost", custom_operator<int>([] { return runtime::Op::custom("Value combine", 0, {.cost = static_cast<runtime::Cost>(9)}); }), {"combine->cost is 9"}},
    {"Log", "take", "empty", {cpp([](Arguments&) { runtime::Log log{nullptr}; })}, {"receives the remarks is empty"}},
    {"scantune_release runtime::release", "device", "no device", {[](Arguments& a) { scantune_device none; write(none, 2); return of_c(scantune_release(a.on(), none)); }, cpp([](Arguments&) { runtime::release(nullptr, kNoDevice); })}, {"device is 2", "scantune_device"}},
    {"Buffer", "device", "no device", {cpp([](Arguments&) { runtime::Buffer<int>(4, kNoDevice); })}, {"device is 2"}},
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
  expect_right(
      {c_scan_with([](Arguments&) {}), c_heads([](auto&) {}), c_custom([](auto&) {}), c_reductions([](auto&) {}),
       c_places([](auto&) {}), reduce_options({}), arg_options({}), c_structs(12, 4), c_keyed([](auto&, auto&) {}),
       with_pointers([](auto& p) { p.device_init = address(0x5000); }), options<int>({}), with_pointers([](auto& p) {
         p.device_n = n_at(0x5000);
         p.device_clamped = flag_at(0x6000);
       }),
       custom_operator<Affine>([] { return runtime::Op::custom("Value combine", Affine{}); })});
}

TEST(SpoiledInputs, NameTheStructThatIsOfNoVersion) {
  const auto device = std::make_shared<FakeDevice>();
  const std::pair<Spoil, const char*> kStructs[] = {{of_nothing_else, "scan"},
                                                    {of_sum, "reduce"},
                                                    {of_selection, "select"},
                                                    {of_segments, "load_balance"},
                                                    {of_sort(SCANTUNE_SORTED_KEYS), "sort"}};
  for (const auto& [prepare, name] : kStructs) {
    Arguments with(device);
    prepare(with);
    with.request->struct_bytes = 0;
    std::string constant = name;
    for (char& letter : constant) letter = static_cast<char>(std::toupper(letter));
    const std::string said = c_run(with).text;
    EXPECT_TRUE(contains(said, "struct_bytes is 0")) << said;
    EXPECT_TRUE(contains(said, "scantune_" + std::string(name) + "_request")) << said;
    EXPECT_TRUE(contains(said, "SCANTUNE_" + constant + "_REQUEST_INIT")) << said;
  }
}

}  // namespace
}  // namespace scantune::testing
