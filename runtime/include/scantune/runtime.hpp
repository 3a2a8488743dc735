// scantune's runtime: prefix scans that run the kernel tuned for this GPU and this n.
//
//   #include <scantune/runtime.hpp>
//   namespace runtime = scantune::runtime;
//   runtime::scan(d_in, d_out, n);                                             // inclusive sum, default stream
//   runtime::scan(d_flags, d_offsets, n, {.kind = runtime::Kind::exclusive});  // i8 in, i32 out
//   auto plan = runtime::plan<float>(n, runtime::Op::max);
//   plan(d_in, d_out, stream);
//   runtime::reduce(d_in, d_sum, n);                                           // reduce.hpp has reductions
//   runtime::select(d_in, d_out, d_count, n);                                  // select.hpp has selections
//   runtime::load_balance(d_offsets, segments, d_segment_of, n);               // load_balance.hpp
//   runtime::sort(d_keys, d_out, n);                                           // sort.hpp
//
// Items are integers of 8 to 64 bits, float, double, half-precision numbers (f16 and bf16 of types.hpp, __half,
// __nv_bfloat16, _Float16), and, with an operator of the caller's own, structs of up to 32 bytes. All functions may be
// called from any thread. The rules for streams, plans and graphs are in docs/concurrency.md.
#pragma once

#include "scantune/cxx20.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "scantune/buffer.hpp"
#include "scantune/initial_value.hpp"
#include "scantune/log.hpp"
#include "scantune/map.hpp"
#include "scantune/memory.hpp"
#include "scantune/op.hpp"
#include "scantune/status.hpp"
#include "scantune/types.hpp"

struct CUstream_st;

namespace scantune::runtime {

// A cudaStream_t or CUstream; null is the legacy default stream. The host device runs every call at once and ignores
// it.
using Stream = CUstream_st*;

enum class Kind { inclusive = SCANTUNE_INCLUSIVE, exclusive = SCANTUNE_EXCLUSIVE };

// The order in which items are combined. In reverse each result combines its item and those behind it, from the last
// one on, as the results of forward for the items in the other order would be, themselves in the other order.
enum class Direction { forward = SCANTUNE_FORWARD, reverse = SCANTUNE_REVERSE };

enum class Determinism {
  unconstrained = SCANTUNE_UNCONSTRAINED,
  run_to_run = SCANTUNE_RUN_TO_RUN  // equal inputs give equal bits on every run of one device and config
};

enum class ForwardProgress {
  in_order = SCANTUNE_IN_ORDER,     // relies on CTAs starting in blockIdx order, as every library scan does
  documented = SCANTUNE_DOCUMENTED  // relies only on what the programming model guarantees
};

// A hint for the choice of the config: the surroundings in which the scan is to be fast. Where one has no tuning
// records, those of the other serve.
enum class Latency {
  back_to_back = SCANTUNE_BACK_TO_BACK,  // between other scans, which overlap with it
  isolated = SCANTUNE_ISOLATED           // between kernels that end before it starts and start after it ends
};

// Rows whose items lie anywhere: item i of row r of plane p is at input + p * plane_stride + r * row_stride +
// i * item_stride, in items, which may be negative. So columns are rows with a row_stride of 1, and planes of rows
// are those along any axis of an array. A stride of the input that is 0 follows from the others: an item_stride is 1, a
// row_stride |item_stride| * length, and a plane_stride that, or |row_stride| * count if that is more. One of the
// output is that of the input. Results of reductions lie one behind the other.
struct Rows {
  std::uint64_t count = 0;   // of a plane
  std::uint64_t length = 0;  // items of a row
  std::int64_t row_stride = 0, item_stride = 0;
  std::int64_t out_row_stride = 0, out_item_stride = 0;
  std::uint64_t planes = 1;
  std::int64_t plane_stride = 0, out_plane_stride = 0;
};

// How the items are cut into sequences. Each is a scan or reduction of its own, which begins from the initial value, if
// there is one.
class Segments {
 public:
  constexpr Segments() = default;  // all items are one sequence

  // Rows of `length` items each, one after the other in memory. There n is count * length.
  static constexpr Segments rows(std::uint64_t count, std::uint64_t length) {
    return rows({.count = count, .length = length});
  }
  // There n is planes * count * length.
  static constexpr Segments rows(const Rows& rows) { return {SCANTUNE_ROWS, rows}; }
  // Columns of `length` items each, side by side: items of a column are `count` items apart. There, too, n is
  // count * length.
  static constexpr Segments columns(std::uint64_t count, std::uint64_t length) {
    return {SCANTUNE_COLUMNS, {.count = count, .length = length}};
  }

  constexpr scantune_segments kind() const { return kind_; }
  constexpr std::uint64_t count() const { return rows_.count; }
  constexpr std::uint64_t length() const { return rows_.length; }
  constexpr const Rows& placed() const { return rows_; }  // columns, too

 private:
  constexpr Segments(scantune_segments kind, const Rows& rows) : kind_(kind), rows_(rows) {}

  scantune_segments kind_ = SCANTUNE_NO_SEGMENTS;
  Rows rows_ = {};  // none where there are no segments
};

// Acc: the type that items are combined in.
template <class Acc>
struct ScanOptions {
  Op op = Op::sum;
  Kind kind = Kind::inclusive;
  Direction direction = Direction::forward;  // not reverse with device_n
  // The initial value, combined before the first item; at most one of the two may be given. device_init lies in memory
  // of the device, outside the output, and is read when the scan runs, in the stream's order. Exclusive scans without
  // either start from op's identity, which leaves every item as it is: the minimum of std::int8_t items starts from
  // 127.
  InitialValue<Acc> init = {};
  const Acc* device_init = nullptr;
  const Acc* device_inits = nullptr;  // in place of it, one for each row or column, in their order
  Stream stream = nullptr;            // scan() runs on it; a plan takes its stream per call
  Determinism determinism = Determinism::unconstrained;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  Latency latency = Latency::back_to_back;
  // Launches of one plan that may be captured into CUDA graphs and alive at the same time. Each has a workspace of its
  // own, at most 1 % of the input's bytes (an eighth of large columns) and usually far less, which belongs to the graph
  // that it was captured into: two executables of that graph, or two child nodes made of it, must not run at the same
  // time. plan() allocates all of them at once, so that a capture allocates nothing; 0 saves that memory where nothing
  // is captured. scan() allocates each when a first capture needs it.
  int captured_launches = 4;
  // The config that runs in place of the one that would be chosen, as JSON: {"family": "lookback", "parameters":
  // {"block_threads": 256}}. Parameters that are left out have the family's default for this problem. Where it is
  // empty, the library chooses. A config that cannot run the problem is a RequestError, and one that does not compile a
  // CompileError: no other takes its place.
  std::string config = {};
  // Segments::rows(count, length), or Segments::columns(count, length): each row or column is a scan of its own.
  Segments segments = {};
  // How many items there are, in memory of the device, outside the output; null: as many as the call says. It is read
  // when the scan runs, in the stream's order, so it may change between replays of one graph. The call's n is the most
  // that are scanned, and what input and output have room for. Nothing is written behind the items that are scanned.
  // Not with segments.
  const std::uint64_t* device_n = nullptr;
  // Where the scan writes 1 if *device_n is more than n, and else 0; or null.
  std::uint32_t* device_clamped = nullptr;
  // What items go through before they are combined, and results before they are stored. With a load the input may be of
  // any type, whatever the accumulator is, and with a store the output. Those that take an index do not go with
  // strides.
  Map load = {};
  Map store = {};
};

template <class Acc>
struct ReduceOptions;

namespace detail {

template <class Acc>
void check_identity(const scantune_custom_operator& custom) {
  constexpr scantune_type type = type_of<Acc>();
  const bool same_struct = custom.value_bytes == sizeof(Acc) && custom.value_alignment == alignof(Acc);
  if (custom.value_type == type && (type != SCANTUNE_CUSTOM_TYPE || same_struct)) return;
  throw RequestError("the identity given to Op::custom() is " +
                     type_name(custom.value_type, custom.value_bytes, custom.value_alignment) +
                     ", and the accumulator is " + type_name(type, sizeof(Acc), alignof(Acc)) +
                     ": pass an identity of the accumulator's type, or name another accumulator, as in "
                     "scan<In, Out, Acc>()");
}

// The config as C takes it, null where none is given.
inline const char* checked_config(const std::string& config) {
  if (config.empty()) return nullptr;
  if (config.find('\0') != std::string::npos) throw RequestError("config holds a null character; it must be JSON");
  return config.c_str();
}

// Throws RequestError unless n items are rows or columns of that length. There may be none of them, or none in them:
// then nothing is scanned.
inline void check_segments(const Segments& segments, std::uint64_t n) {
  const std::uint64_t count = segments.count(), length = segments.length(), planes = segments.placed().planes;
  const auto fail = [&](const std::string& why) {
    throw RequestError(std::string("segments is Segments::") +
                       (segments.kind() == SCANTUNE_ROWS ? "rows(" : "columns(") + std::to_string(count) + ", " +
                       std::to_string(length) + (planes == 1 ? ")" : "), in " + std::to_string(planes) + " planes") +
                       ", " + why);
  };
  if ((count != 0 && length > UINT64_MAX / count) || (count * length != 0 && planes > UINT64_MAX / (count * length)))
    fail("which are 2^64 items or more: pass fewer or shorter ones");
  if (planes * count * length != n)
    fail("which are " + std::to_string(planes * count * length) + " items, and n is " + std::to_string(n) +
         ": n must be " + (planes == 1 ? "" : "planes * ") + "count * length");
}

// The problem points into the options, which must outlive it.
template <class In, class Out, class Acc>
scantune_problem problem_of(std::uint64_t n, const ScanOptions<Acc>& options) {
  check_types<In, Acc, Out>();
  scantune_problem problem = SCANTUNE_PROBLEM_INIT;
  problem.n = n;
  problem.input_type = type_of<In>();
  problem.accumulator_type = type_of<Acc>();
  problem.output_type = type_of<Out>();
  problem.op = options.op.value();
  problem.kind = static_cast<scantune_kind>(options.kind);
  problem.determinism = static_cast<scantune_determinism>(options.determinism);
  problem.forward_progress = static_cast<scantune_forward_progress>(options.forward_progress);
  problem.direction = static_cast<scantune_direction>(options.direction);
  problem.latency = static_cast<scantune_latency>(options.latency);
  problem.init = options.init.get();
  problem.device_init = options.device_init;
  problem.device_inits = options.device_inits;
  problem.custom = options.op.custom_operator();
  problem.captured_launches = options.captured_launches;
  problem.config = checked_config(options.config);
  problem.segments = options.segments.kind();
  if (problem.segments == SCANTUNE_ROWS) {  // most calls have none, and pay for no strides
    const Rows& placed = options.segments.placed();
    problem.rows = placed.planes * placed.count;
    problem.row_stride = placed.row_stride;
    problem.item_stride = placed.item_stride;
    problem.out_row_stride = placed.out_row_stride;
    problem.out_item_stride = placed.out_item_stride;
    problem.planes = placed.planes == 1 ? 0 : placed.planes;
    problem.plane_stride = placed.plane_stride;
    problem.out_plane_stride = placed.out_plane_stride;
  }
  problem.columns = problem.segments == SCANTUNE_COLUMNS ? options.segments.count() : 0;
  problem.device_n = options.device_n;
  problem.device_clamped = options.device_clamped;
  problem.load = options.load.get();
  problem.store = options.store.get();
  problem.item_bytes = mapped_struct_bytes<In, Acc, Out>();
  problem.item_alignment = mapped_struct_alignment<In, Acc, Out>();
  check_maps<In, Acc, Out>(problem.load != nullptr, problem.store != nullptr);
  if (problem.segments != SCANTUNE_NO_SEGMENTS) check_segments(options.segments, n);
  if (problem.custom != nullptr) check_identity<Acc>(*problem.custom);
  return problem;
}

}  // namespace detail

// A scan or reduction of exactly n items, or with device_n of at most n, ready to launch: kernels chosen, compiled and
// loaded. Copies share one state. Any number of threads may call one plan, or several, on one stream or on many. Calls
// on one stream share its workspace, one after another: a plan of one launch takes no lock; one of several launches
// makes others of its stream wait until all are enqueued.
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
class Plan {
 public:
  // Scans input[0, n) into output[0, n) on the stream, or reduces it to output[0], or to one result for each row or
  // column; rows with strides lie where these say. Input and output of a scan may be one range of memory, and those
  // with strides lie in each other's gaps, but no item may lie in another; each must be a multiple of its type's
  // alignment. The call allocates nothing once the stream has been used, and may be captured into a graph. It checks
  // what arithmetic can (null, alignment, overlap), but not whether the memory is there.
  void operator()(const In* input, Out* output, Stream stream = nullptr) const {
    detail::check(scantune_plan_run(state_.get(), input, output, stream));
  }
  // The same in the caller's workspace: the library allocates nothing for the run and keeps nothing for its stream, and
  // a capture takes none of captured_launches. What has to be zero there is zeroed in the stream, before the scan. A
  // workspace serves one run at a time: runs enqueued one after another in one stream may share it, and a graph needs
  // it at every replay. Calls from several threads with one workspace must take turns. Throws RequestError when it is
  // null, too small, misaligned or overlaps what the run reads or writes.
  void operator()(const In* input, Out* output, const Workspace& workspace, Stream stream = nullptr) const {
    detail::check(scantune_plan_run_in(state_.get(), input, output, workspace.memory, workspace.bytes, stream));
  }

  // How many bytes of workspace one run needs; 0 where it needs none, and then any workspace will do.
  std::uint64_t workspace_bytes() const { return scantune_plan_workspace_bytes(state_.get()); }

  // Which config runs, from which record, and why.
  std::string describe() const { return scantune_plan_description(state_.get()); }

 private:
  explicit Plan(scantune_plan* state) : state_(state, &scantune_plan_destroy) {}
  template <class I, class O, class A>
  friend Plan<I, O, A> plan(std::uint64_t n, const ScanOptions<std::type_identity_t<A>>& options);
  template <class I, class O, class A>
  friend Plan<I, O, A> reduce_plan(std::uint64_t n, const ReduceOptions<std::type_identity_t<A>>& options);

  std::shared_ptr<scantune_plan> state_;
};

// Throws RequestError when no kernel solves the problem, and another scantune::Error when the kernel cannot be compiled
// or loaded.
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
Plan<In, Out, Acc> plan(std::uint64_t n, const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  const scantune_problem problem = detail::problem_of<In, Out, Acc>(n, options);
  scantune_plan* state = nullptr;
  detail::check(scantune_plan_create(&problem, &state));
  return Plan<In, Out, Acc>(state);
}
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
Plan<In, Out, Acc> plan(std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  return plan<In, Out, Acc>(n, ScanOptions<Acc>{.op = op});
}

// Scans input[0, n) into output[0, n), both in memory of the device, or rows where their strides say; in place if they
// are one range. Returns as soon as the work is in the stream. Throws before anything is launched if an argument is
// wrong.
template <class In, class Out, class Acc = default_accumulator_t<In, Out>>
void scan(const In* input, Out* output, std::uint64_t n, const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  const scantune_problem problem = detail::problem_of<In, Out, Acc>(n, options);
  detail::check(scantune_scan(&problem, input, output, options.stream));
}
template <class In, class Out, class Acc = default_accumulator_t<In, Out>>
void scan(const In* input, Out* output, std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  scan<In, Out, Acc>(input, output, n, ScanOptions<Acc>{.op = op});
}

// Says which config scan() would run for n items, from which record, and why.
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
std::string describe(std::uint64_t n, const ScanOptions<std::type_identity_t<Acc>>& options = {}) {
  auto captured_nowhere = options;
  captured_nowhere.captured_launches = 0;  // nothing runs, so no workspace is needed
  return plan<In, Out, Acc>(n, captured_nowhere).describe();
}
template <class In, class Out = In, class Acc = default_accumulator_t<In, Out>>
std::string describe(std::uint64_t n, const Op& op) {
  detail::check_unmapped<In, Acc, Out>();
  return describe<In, Out, Acc>(n, ScanOptions<Acc>{.op = op});
}

// Gives back what the runtime keeps for a stream that is about to be destroyed, for use by other streams. No scan may
// be running on it or be made meanwhile. Throws RequestError while the stream is being captured.
inline void release(Stream stream) { detail::check(scantune_release(stream)); }

}  // namespace scantune::runtime

#include "scantune/load_balance.hpp"
#include "scantune/reduce.hpp"
#include "scantune/select.hpp"
#include "scantune/sort.hpp"
