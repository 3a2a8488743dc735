#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstring>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/drawn_offsets.h"
#include "measure/references/exact_reference.h"
#include "measure/references/sort_inputs.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

// The sort whose first results are those of the request.
SortRequest sort_of(const TopKRequest& request) {
  return {.input_type = request.input_type, .order = request.order, .n = request.n};
}

// The bits of +infinity where NaNs come last, else 0.
u64 infinity_of(const TopKRequest& request) {
  if (request.nan_order != NanOrder::last) return 0;
  const int sign = 8 * request.input_bytes() - 1, fraction = significant_bits(request.input_type) - 1;
  return (u64{1} << sign) - (u64{1} << fraction);
}

// How many results memory asks for: none, one, some, as many as there may be, or more.
u64 k_in_memory(const TopKRequest& request, const InputSpec& spec) {
  const u64 some = request.k / 2 + request.k % 2;
  const u64 more = request.k_source == CountSource::memory_32 ? request.k + 1 : (u64{1} << 32) + some;
  const std::array drawn{u64{0}, u64{1}, some, request.k, more};
  static_assert(std::tuple_size_v<decltype(drawn)> == kDrawsOfK);
  return drawn[(spec.seed + request.n) % drawn.size()];
}
u64 results_of_each(const TopKRequest& request, const InputSpec& spec) {
  return request.reads_k() ? std::min(request.k, k_in_memory(request, spec)) : request.k;
}

// A key by which it is compared, and its place among all.
struct Ranked {
  u64 rank, index;

  auto operator<=>(const Ranked&) const = default;
};

// The first so many of those that are added.
class FirstOnes {
 public:
  explicit FirstOnes(u64 count) : count_(count) {}

  void add(Ranked added) {
    if (count_ == 0 || (is_full_ && added > last_)) return;
    all_.push_back(added);
    if (all_.size() >= 2 * count_ + kRoom) drop_others();
  }

  const std::vector<Ranked>& in_order() {
    drop_others();
    std::ranges::sort(all_);
    return all_;
  }

 private:
  static constexpr u64 kRoom = 64;  // so that few are not compared again and again

  void drop_others() {
    if (all_.size() < count_ || count_ == 0) return;
    const auto last = all_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
    std::ranges::nth_element(all_, last);
    last_ = *last;
    is_full_ = true;
    all_.resize(count_);
  }

  u64 count_;
  std::vector<Ranked> all_;
  bool is_full_ = false;
  Ranked last_{};
};

// The results of a top-k, as indices that are computed once.
class FirstItems final : public ExactReference {
 public:
  explicit FirstItems(const KnownInput& input)
      : ExactReference(input),
        request_(typed<TopKRequest>(input.spec.request)),
        keys_(input.spec, sort_of(request_)),
        infinity_(infinity_of(request_)),
        taken_(results_of_each(request_, input.spec)),
        sequences_(sequences_of(request_, input.spec)),
        indices_(request_.results(), kNone) {
    if (taken_ == 0) return;
    std::vector<Items> parts;
    std::vector<u64> first_parts;  // of each sequence, and after the last one
    for (const Items& its : sequences_) {
      first_parts.push_back(parts.size());
      for (u64 begin = its.begin; begin < its.end; begin += kPartItems)
        parts.push_back({begin, std::min(begin + kPartItems, its.end)});
    }
    first_parts.push_back(parts.size());
    std::vector<std::vector<Ranked>> of_parts(parts.size());
    parallel_for(parts.size(), [&](u64 part) { of_parts[part] = first_of(parts[part]); });
    parallel_for(sequences_.size(), [&](u64 number) {
      FirstOnes first(taken_);
      for (u64 part = first_parts[number]; part < first_parts[number + 1]; ++part)
        for (const Ranked& added : of_parts[part]) first.add(added);
      std::vector<Ranked> results = first.in_order();
      if (request_.result_order == ResultOrder::by_index) std::ranges::sort(results, {}, &Ranked::index);
      std::ranges::transform(results, indices_.begin() + static_cast<std::ptrdiff_t>(number * request_.k),
                             &Ranked::index);
    });
  }

  u64 bytes() const override {
    return sizeof *this + sequences_.size() * sizeof(Items) + indices_.size() * sizeof(u64);
  }

 private:
  static constexpr u64 kPartItems = u64{1} << 20;
  static constexpr u64 kNone = ~u64{0};  // where nothing is written
  using Items = DrawnOffsets::Items;

  // What has results of its own: rows, segments, or all items.
  static std::vector<Items> sequences_of(const TopKRequest& request, const InputSpec& spec) {
    std::vector<Items> sequences;
    if (request.has_offsets()) {
      sequences.resize(request.segment_count);
      DrawnOffsets(request, spec).visit(0, request.segment_count, [&](u64 segment, const Items& its) {
        sequences[segment] = its;
      });
      return sequences;
    }
    const u64 length = std::max<u64>(row_items(request), 1);
    for (u64 begin = 0; begin < request.n; begin += length)
      sequences.push_back({begin, std::min(begin + length, request.n)});
    return sequences;
  }

  std::vector<Ranked> first_of(const Items& items) const {
    FirstOnes first(taken_);
    for (u64 index = items.begin; index < items.end; ++index) first.add({rank(index), index});
    return first.in_order();
  }

  void make(const KnownInput&, OperandRole role, u64 first, std::span<std::byte> out) const override {
    const bool are_keys = role == OperandRole::output && request_.writes_keys();
    const u64 bytes = static_cast<u64>(are_keys ? request_.input_bytes() : request_.value_bytes());
    for (u64 item = 0; item < out.size() / bytes; ++item) {
      const u64 index = indices_[first + item];
      std::byte* const place = &out[item * bytes];
      if (index == kNone) {
        std::fill_n(place, bytes, kUnwritten);
      } else if (role == OperandRole::values_output) {
        put_sorted_value(spec(), static_cast<int>(bytes), index, place);
      } else if (are_keys) {
        keys_.put(index, place);
      } else {
        const u64 number = index - sequences_[(first + item) / request_.k].begin;
        std::memcpy(place, &number, bytes);  // little-endian: its first bytes are those of fewer bits
      }
    }
  }

  // NaNs that come last are equal.
  u64 rank(u64 index) const {
    if (infinity_ == 0) return keys_.rank(index);
    std::array<std::byte, sizeof(u64)> key{};
    keys_.put(index, key.data());
    const u64 sign = u64{1} << (8 * request_.input_bytes() - 1);
    const bool is_nan = (std::bit_cast<u64>(key) & ~sign) > infinity_;
    return is_nan ? kNone : keys_.rank(index);
  }

  TopKRequest request_;
  DrawnKeys keys_;
  u64 infinity_;  // its bits; 0 where NaNs are in the total order
  u64 taken_;     // results, of each row or segment
  std::vector<Items> sequences_;
  std::vector<u64> indices_;
};

class TopKReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<TopKRequest>(); }

  bool has(InputPattern pattern, const Request&) const override { return pattern != InputPattern::rounding; }

  void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const override {
    const auto request = typed<TopKRequest>(spec.request);
    const DrawnKeys keys(spec, sort_of(request));
    const auto bytes = static_cast<u64>(request.input_bytes());
    for (u64 item = 0; item < out.size() / bytes; ++item) keys.put(first + item, &out[item * bytes]);
  }

  void fill_beside(const InputSpec& spec, OperandRole role, u64 first, std::span<std::byte> out) const override {
    const auto request = typed<TopKRequest>(spec.request);
    if (role == OperandRole::k) {
      const u64 k = k_in_memory(request, spec);
      std::memcpy(out.data(), &k, out.size());
      return;
    }
    if (role != OperandRole::values) return DrawnOffsets(request, spec).fill(role, first, out);
    fill_sorted_values(spec, request.value_bytes(), first, out);
  }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    return std::make_unique<FirstItems>(input);
  }

  // A record for one order, of keys or of results, for one k, be it in memory or not, for some rows or for some offsets
  // serves the others.
  std::vector<RequestVariant> also_served(const Request& request) const override {
    const auto own = typed<TopKRequest>(request);
    auto other = own;
    other.order = own.order == Order::ascending ? Order::descending : Order::ascending;
    other.result_order = own.result_order == ResultOrder::by_key ? ResultOrder::by_index : ResultOrder::by_key;
    if (is_floating(own.input_type))
      other.nan_order = own.nan_order == NanOrder::last ? NanOrder::total_order : NanOrder::last;
    other.k = own.k / 2 + 1;
    other.k_source = own.reads_k() ? CountSource::call : CountSource::memory;
    if (own.has_offsets()) {
      other.offset_type = OffsetType::i64;
      other.offset_form = OffsetForm::begins_and_ends;
      other.count_source = CountSource::memory;
    }
    std::vector<RequestVariant> served{{other, Variant::any}};
    if (own.has_offsets()) {
      auto apart = own;
      apart.offset_form = OffsetForm::begins_and_ends;
      apart.offset_type = OffsetType::u32;
      apart.count_source = apart.k_source = CountSource::memory_32;
      add_with_other(&TopKRequest::segment_count, {{1, Variant::any}, {33, Variant::aligned}}, apart, served);
    }
    if (own.segments == Segments::rows) {
      auto rows = own;
      rows.k_source = CountSource::memory_32;
      add_with_other(&TopKRequest::rows, {{1, Variant::aligned}, {33, Variant::any}}, rows, served);
    }
    return served;
  }
};

}  // namespace

const AlgorithmReference& reference_of_top_k() {
  static const TopKReference kTopK;
  return kTopK;
}

}  // namespace scantune
