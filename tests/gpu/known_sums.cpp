#include "known_sums.h"

#include <algorithm>

#include "space/space.h"

namespace scantune {
namespace {

constexpr int kThreads = 256;  // threads in a CTA of the kernels below
constexpr u64 kMostBlocks = 1024;

// These kernels compute the sum of all items up to and including one. It is a hash, plus a slope where the sums must
// rise because items are narrower than the sums, or have no sign.
constexpr const char* kKernels = R"(
constexpr u32 kThreads = 256;

SCANTUNE_DEVICE u64 sum_through(u64 seed, u64 index) {
  u64 hash = seed * 0x9e3779b97f4a7c15 + index * 0xd1342543de82ef95;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return kSlope * (index + 1) + ((hash ^ (hash >> 31)) & kMask);
}

template <class T>
SCANTUNE_DEVICE T number(u64 bits) {
  if constexpr (kFloating) return convert<T>(static_cast<f64>(static_cast<i64>(bits)));
  else return static_cast<T>(bits);
}

template <class T>
SCANTUNE_DEVICE i64 integer(T number) {
  if constexpr (kFloating) return static_cast<i64>(convert<f64>(number));
  else return static_cast<i64>(number);
}

template <class Visit>
SCANTUNE_DEVICE void for_each_index(u64 n, const Visit& visit) {
  for (u64 index = u64{block_rank()} * kThreads + thread_rank(); index < n; index += u64{block_count()} * kThreads)
    visit(index);
}

SCANTUNE_KERNEL(fill, kThreads, 1) {
  const u64 seed = arguments.extents[0];
  for_each_index(arguments.n, [&](u64 index) {
    const u64 before = index == 0 ? 0 : sum_through(seed, index - 1);
    store_global<CacheHint::normal>(arguments.operand<Item>(OperandRole::output) + index,
                                    number<Item>(sum_through(seed, index) - before));
  });
}

SCANTUNE_KERNEL(check, kThreads, 1) {
  const u64 seed = arguments.extents[0];
  u64* const wrong = static_cast<u64*>(arguments.workspace);
  for_each_index(arguments.n, [&](u64 index) {
    const i64 expected = integer(number<Result>(sum_through(seed, index)));
    const i64 found = integer(load_global<CacheHint::normal>(arguments.operand<const Result>(OperandRole::input) + index));
    if (expected == found || fetch_add(reinterpret_cast<u32*>(wrong), 1) != 0) return;
    store_global<CacheHint::normal>(wrong + 1, seed);
    store_global<CacheHint::normal>(wrong + 2, index);
    store_global<CacheHint::normal>(wrong + 3, static_cast<u64>(expected));
    store_global<CacheHint::normal>(wrong + 4, static_cast<u64>(found));
  });
}
)";

// The number of bits of integers whose differences the type holds, whatever their sign. f32 and f64 also hold the sum
// of eight such differences, which are not neighbours where a kernel adds up aggregates by lanes.
int bits_of(ValueType type) {
  if (type == ValueType::f16) return 10;
  if (type == ValueType::bf16) return 7;
  if (type == ValueType::f32) return 20;
  if (type == ValueType::f64) return 49;
  return 8 * size_of(type) - 2;
}

std::string shape_of_sums(const ScanRequest& request) {
  const bool floating = is_floating(request.accumulator_type);
  const bool wraps = !floating && request.output_bytes() <= request.input_bytes();
  const bool rises = !floating && !wraps;
  const int bits = std::min(bits_of(request.input_type), bits_of(request.output_type));
  const u64 mask = wraps ? ~u64{0} : (u64{1} << bits) - 1;
  return "constexpr u64 kMask = " + std::to_string(mask) + "u, kSlope = " + std::to_string(rises ? mask : 0) +
         "u;\nconstexpr bool kFloating = " + (floating ? "true" : "false") + ";\n";
}

}  // namespace

Verdict::Verdict(Device& device) : device_(device), words_(device, sizeof(Wrong)) {
  device.zero(words_.data(), sizeof(Wrong));
}

Verdict::Wrong Verdict::wrong() const {
  Wrong wrong;
  device_.download(&wrong, words_.data(), sizeof wrong);
  return wrong;
}

std::string Verdict::problem() const {
  const Wrong some = wrong();
  if (some.results == 0) return {};
  return "item " + std::to_string(some.index) + " of seed " + std::to_string(some.seed) + " should be " +
         std::to_string(some.expected) + ", found " + std::to_string(some.found);
}

Instantiation KnownSums::kernels(const ScanRequest& request) {
  return {std::string("#include \"core/machine/status.h\"\n#include \"core/parts/convert.h\"\nusing namespace "
                      "scantune;\nusing Item = ") +
              token(request.input_type) + ";\nusing Result = " + token(request.output_type) + ";\n" +
              shape_of_sums(request) + kKernels,
          {"core/machine/status.h", "core/parts/convert.h"},
          {"fill", "check"},
          "items and sums of " + to_string(request)};
}

KnownSums::KnownSums(Device& device, const ScanRequest& request) : device_(device) {
  const Instantiation source = kernels(request);
  const int shared_bytes[] = {0, 0};
  module_ = device.load(device.compiler().compile(source, device.identity().arch), source.kernels, shared_bytes);
}

void KnownSums::launch(int kernel, u64 n, u64 seed, KernelArguments arguments, Stream stream) const {
  const u64 blocks = std::min(kMostBlocks, ceil_div(n, u64{kThreads}));
  device_.launch(
      *module_,
      {.kernel = kernel, .grid_blocks = static_cast<u32>(blocks), .block_threads = kThreads, .n = n, .extents = {seed}},
      arguments, stream);
}

void KnownSums::fill(void* items, u64 n, u64 seed, Stream stream) const {
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::output, items);
  launch(0, n, seed, arguments, stream);
}

void KnownSums::check(const void* results, u64 n, u64 seed, const Verdict& verdict, Stream stream) const {
  KernelArguments arguments{};
  arguments.set_operand(OperandRole::input, results);
  arguments.workspace = verdict.data();
  launch(1, n, seed, arguments, stream);
}

}  // namespace scantune
