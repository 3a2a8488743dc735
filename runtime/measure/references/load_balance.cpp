#include <algorithm>
#include <cstring>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/drawn_segments.h"
#include "measure/references/exact_reference.h"
#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

constexpr u64 kOfValues = 0xba97;  // a seed apart from that of the offsets

DrawnSegments segments_of(const InputSpec& spec) {
  return {typed<LoadBalanceRequest>(spec.request).segments, spec.request.n, spec.seed,
          spec.pattern == InputPattern::specials};
}

u64 item_bytes_of(const LoadBalanceRequest& request) { return static_cast<u64>(request.output_bytes()); }

// What every item is to get, made of its segment when it is asked for.
class BalancedItems final : public ExactReference {
 public:
  explicit BalancedItems(const KnownInput& input)
      : ExactReference(input),
        segments_(segments_of(input.spec)),
        request_(typed<LoadBalanceRequest>(input.spec.request)) {}

  u64 bytes() const override { return sizeof *this; }

 private:
  void make(const KnownInput&, OperandRole role, u64 first, std::span<std::byte> out) const override {
    const u64 bytes = item_bytes(), count = out.size() / bytes;
    const bool are_ranks = role == OperandRole::indices || request_.assigned == Assigned::ranks;
    parallel_for(ceil_div(count, kChunkItems), [&](u64 chunk) {
      const u64 begin = first + chunk * kChunkItems, end = std::min(first + count, begin + kChunkItems);
      segments_.visit_items(begin, end, [&](u64 segment, u64 first_item, u64 end_item) {
        for (u64 item = std::max(first_item, begin); item < std::min(end_item, end); ++item) {
          std::byte* const to = &out[(item - first) * bytes];
          const u64 number = are_ranks ? item - first_item : segment;
          if (request_.writes_values())
            fill_random(spec().seed + kOfValues, segment, static_cast<int>(bytes), to);
          else
            std::memcpy(to, &number, bytes);  // little-endian: its first bytes are those of fewer bits
        }
      });
    });
  }

  DrawnSegments segments_;
  LoadBalanceRequest request_;
};

class LoadBalanceReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<LoadBalanceRequest>(); }

  bool has(InputPattern pattern, const Request&) const override {
    return pattern == InputPattern::exact || pattern == InputPattern::specials;
  }

  // The last offset is the number of items, so none of these is the beginning of a longer input.
  void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const override {
    const auto request = typed<LoadBalanceRequest>(spec.request);
    const auto bytes = static_cast<u64>(request.input_bytes());
    const u64 count = out.size() / bytes;
    segments_of(spec).visit_segments(first, first + count, [&](u64 segment, u64 first_item, u64) {
      std::memcpy(&out[(segment - first) * bytes], &first_item, bytes);
    });
    if (first + count > request.segments) std::memcpy(&out[(request.segments - first) * bytes], &request.n, bytes);
  }

  void fill_beside(const InputSpec& spec, OperandRole, u64 first, std::span<std::byte> out) const override {
    const u64 bytes = item_bytes_of(typed<LoadBalanceRequest>(spec.request));
    for (u64 done = 0; done < out.size(); done += bytes)
      fill_random(spec.seed + kOfValues, first + done / bytes, static_cast<int>(bytes), &out[done]);
  }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    return std::make_unique<BalancedItems>(input);
  }
};

}  // namespace

const AlgorithmReference& reference_of_load_balance() {
  static const LoadBalanceReference kLoadBalance;
  return kLoadBalance;
}

}  // namespace scantune
