// scantune's runtime: prefix scans that run the kernel tuned for this GPU and this N.
//
//   #include <scantune/runtime.hpp>
//   namespace runtime = scantune::runtime;
//   runtime::scan(d_in, d_out, n);                                             // inclusive sum, default stream
//   auto plan = runtime::plan<float>(n, {.op = runtime::Op::max});
//   plan(d_in, d_out, stream);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "config/request.h"
#include "scantune/error.hpp"

struct CUstream_st;

namespace scantune {
class Device;
}

namespace scantune::runtime {

// A cudaStream_t or CUstream; null is the legacy default stream. The host device runs every call at once and ignores
// it.
using Stream = CUstream_st*;

using scantune::Determinism;
using scantune::ForwardProgress;
using scantune::Kind;

// The associative operator of a scan.
class Op {
 public:
  static const Op sum;  // integers wrap
  static const Op max;  // NaN propagates; -0 orders below +0

  constexpr Operator value() const { return value_; }

 private:
  constexpr explicit Op(Operator value) : value_(value) {}
  Operator value_;
};
inline constexpr Op Op::sum{Operator::sum};
inline constexpr Op Op::max{Operator::max};

template <class T>
struct ScanOptions {
  Op op = Op::sum;
  Kind kind = Kind::inclusive;
  std::optional<T> init = std::nullopt;  // combined before the first item; exclusive scans default to the op's identity
  Stream stream = nullptr;               // of scan(); a plan takes its stream per call
  Determinism determinism = Determinism::unconstrained;
  ForwardProgress forward_progress = ForwardProgress::in_order;
  // Launches of one plan that may be captured into CUDA graphs and alive at the same time. Each has a workspace of its
  // own, at most 1 % of the input's bytes and usually far less, which belongs to the graph that it was captured into:
  // two executables of that graph, or two child nodes made of it, must not run at the same time. plan() allocates all
  // of them at once, so that a capture allocates nothing; 0 saves that memory where nothing is captured. scan()
  // allocates each when a first capture needs it.
  int captured_launches = 4;
};

namespace detail {

template <class T>
constexpr ValueType value_type_of() {
  static_assert(std::is_arithmetic_v<T>, "scantune scans integers and floating-point numbers");
  if constexpr (std::is_floating_point_v<T>) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    return sizeof(T) == 4 ? ValueType::f32 : ValueType::f64;
  } else {
    constexpr ValueType kSigned[] = {ValueType::i8, ValueType::i16, ValueType::i32, ValueType::i64};
    constexpr ValueType kUnsigned[] = {ValueType::u8, ValueType::u16, ValueType::u32, ValueType::u64};
    constexpr int index = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[index] : kUnsigned[index];
  }
}

template <class T>
T identity_of(Op op) {
  if (op.value() == Operator::sum) return T(0);
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

class PlanState;
std::shared_ptr<PlanState> make_plan(const ScanRequest& request, const void* init, int captured_launches);
void run_plan(PlanState& plan, const void* input, void* output, Stream stream);
std::string describe_plan(const PlanState& plan);
// Plans of scan() are remembered per thread by request.
void scan(const ScanRequest& request, const void* input, void* output, const void* init, int captured_launches,
          Stream stream);

template <class T>
ScanRequest request_of(std::uint64_t n, const ScanOptions<T>& options) {
  constexpr ValueType type = value_type_of<T>();
  return {.input_type = type,
          .accumulator_type = type,
          .output_type = type,
          .op = options.op.value(),
          .kind = options.kind,
          .init = options.init.has_value() || options.kind == Kind::exclusive ? Init::value : Init::none,
          .determinism = options.determinism,
          .forward_progress = options.forward_progress,
          .n = n};
}

template <class T>
T init_of(const ScanOptions<T>& options) {
  return options.init.value_or(identity_of<T>(options.op));
}

}  // namespace detail

// A scan of exactly n items, ready to launch: kernels chosen, compiled and loaded. Copies share one state. Any number
// of threads may call one plan, or several, on one stream or on many. Calls on one stream share its workspace, one
// after another: a plan of one launch takes no lock; one of several launches makes others of its stream wait until all
// are enqueued.
template <class T>
class Plan {
 public:
  // Scans input[0, n) into output[0, n) on the stream. The pointers may be equal, but must not overlap otherwise; each
  // must be a multiple of sizeof(T). Allocation-free once the stream has been used before; may be captured into a
  // graph. Checks arithmetic only (null, alignment, overlap); a wrong pointer is the caller's.
  void operator()(const T* input, T* output, Stream stream = nullptr) const {
    detail::run_plan(*state_, input, output, stream);
  }

  // Which config runs, from which record, and why.
  std::string describe() const { return detail::describe_plan(*state_); }

 private:
  explicit Plan(std::shared_ptr<detail::PlanState> state) : state_(std::move(state)) {}
  template <class U>
  friend Plan<U> plan(std::uint64_t n, const ScanOptions<std::type_identity_t<U>>& options);
  std::shared_ptr<detail::PlanState> state_;
};

// Throws RequestError when no kernel solves the problem, and other scantune::Errors when one cannot be had.
template <class T>
Plan<T> plan(std::uint64_t n, const ScanOptions<std::type_identity_t<T>>& options = {}) {
  const T init = detail::init_of(options);
  return Plan<T>(detail::make_plan(detail::request_of(n, options), &init, options.captured_launches));
}

// Scans input[0, n) into output[0, n), both in memory of the device. In place if they are equal. Returns as soon as the
// work is in the stream. Throws before anything is launched if an argument is wrong.
template <class T>
void scan(const T* input, T* output, std::uint64_t n, const ScanOptions<std::type_identity_t<T>>& options = {}) {
  const T init = detail::init_of(options);
  detail::scan(detail::request_of(n, options), input, output, &init, options.captured_launches, options.stream);
}

// As scan(), without running it: which config runs for n items, from which record, and why.
template <class T>
std::string describe(std::uint64_t n, const ScanOptions<std::type_identity_t<T>>& options = {}) {
  auto captured_nowhere = options;
  captured_nowhere.captured_launches = 0;  // nothing runs: no workspace is needed
  return plan<T>(n, captured_nowhere).describe();
}

// Gives back what the runtime keeps for a stream that is about to be destroyed, for use by other streams. No scan may
// be running on it or be made meanwhile. Throws RequestError while the stream is being captured.
void release(Stream stream);

// Memory of the device that scans run on: the GPU of the current context, or the host device.
class RawBuffer {
 public:
  explicit RawBuffer(std::uint64_t bytes);
  ~RawBuffer();
  RawBuffer(RawBuffer&& other) noexcept;
  RawBuffer& operator=(RawBuffer&& other) noexcept;
  void* data() const { return data_; }
  void upload(const void* source, std::uint64_t bytes);         // synchronous
  void download(void* destination, std::uint64_t bytes) const;  // synchronous; waits for scans on the device

 private:
  void check_fits(std::uint64_t bytes) const;

  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

template <class T>
class Buffer {
 public:
  // Throws RequestError when the size overflows, OutOfMemoryError.
  explicit Buffer(std::uint64_t items) : raw_(bytes_of(items)), items_(items) {}
  template <class Range>
    requires requires(const Range& values) {
      { values.data() } -> std::same_as<const T*>;
      values.size();
    }
  explicit Buffer(const Range& values) : Buffer(values.size()) {
    raw_.upload(values.data(), items_ * sizeof(T));
  }
  T* data() const { return static_cast<T*>(raw_.data()); }
  std::uint64_t size() const { return items_; }
  void upload(const T* source) { raw_.upload(source, items_ * sizeof(T)); }
  void download(T* destination) const { raw_.download(destination, items_ * sizeof(T)); }

 private:
  static std::uint64_t bytes_of(std::uint64_t items) {
    if (items > std::numeric_limits<std::uint64_t>::max() / sizeof(T))
      throw RequestError("a buffer of " + std::to_string(items) + " items of " + std::to_string(sizeof(T)) +
                         " bytes is larger than any memory");
    return items * sizeof(T);
  }

  RawBuffer raw_;
  std::uint64_t items_;
};

}  // namespace scantune::runtime
