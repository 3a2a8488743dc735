#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/select_inputs.h"
#include "measure/value_types.h"
#include "scantune/error.hpp"

namespace scantune {
namespace {

// The results of a selection, made chunk by chunk of the input when they are asked for.
class SelectedItems final : public Reference {
 public:
  explicit SelectedItems(const KnownInput& input)
      : input_(input.spec),
        request_(typed<SelectRequest>(input.spec.request)),
        kept_before_(ceil_div(request_.n, kChunkItems) + 1) {
    parallel_for(kept_before_.size() - 1, [&](u64 chunk) {
      const auto kept = chunk_of(input, chunk).kept;
      kept_before_[chunk + 1] = std::accumulate(kept.begin(), kept.end(), u64{0});
    });
    std::partial_sum(kept_before_.begin(), kept_before_.end(), kept_before_.begin());
  }

  u64 item_bytes() const override {
    return static_cast<u64>(request_.writes_items() ? request_.input_bytes() : request_.index_bytes());
  }
  u64 bytes() const override { return sizeof *this + kept_before_.capacity() * sizeof(u64); }

  u64 written(const RequestOperand& operand) const override {
    if (operand.role == OperandRole::count) return 1;
    return operand.role == OperandRole::rejected ? request_.n - kept_before_.back() : kept_before_.back();
  }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    std::vector<std::byte> expected(found.size());
    expect_of(input_, OperandRole::output, first, expected);
    const auto [wrong, its] = std::ranges::mismatch(expected, found);
    if (wrong == expected.end()) return std::nullopt;
    const u64 item = static_cast<u64>(wrong - expected.begin()) / item_bytes();
    const ValueType type = request_.writes_items() ? request_.input_type : request_.index_type;
    return Mismatch{first + item, spell_value(input_.spec.request, type, expected.data() + item * item_bytes()),
                    spell_value(input_.spec.request, type, found.data() + item * item_bytes())};
  }

  void expect(const KnownInput& input, std::span<std::byte> output) const override {
    expect_of(input, OperandRole::output, 0, output.first(kept_before_.back() * item_bytes()));
  }

  void expect_beside(OperandRole role, u64 first, std::span<std::byte> expected) const override {
    if (role == OperandRole::count)
      std::memcpy(expected.data(), &kept_before_.back(), expected.size());
    else
      expect_of(input_, role, first, expected);
  }

 private:
  struct Chunk {
    std::vector<std::byte> items;
    std::vector<unsigned char> kept;
  };

  u64 chunk_items(u64 chunk) const { return std::min(kChunkItems, request_.n - chunk * kChunkItems); }

  Chunk chunk_of(const KnownInput& input, u64 chunk) const {
    const u64 first = chunk * kChunkItems, bytes = input.item_bytes(), before_bytes = chunk > 0 ? bytes : 0;
    std::vector<std::byte> scratch(before_bytes + chunk_items(chunk) * bytes);
    const auto made = input.items(first - (chunk > 0), scratch);
    Chunk result{{made.begin() + static_cast<std::ptrdiff_t>(before_bytes), made.end()}, {}};
    result.kept = kept_items(input.spec, first, result.items, chunk > 0 ? made.data() : nullptr);
    return result;
  }

  // Results of an operand before a chunk's first one.
  u64 results_before(OperandRole role, u64 chunk) const {
    const u64 kept = kept_before_[chunk];
    return role == OperandRole::rejected ? std::min(chunk * kChunkItems, request_.n) - kept : kept;
  }

  void expect_of(const KnownInput& input, OperandRole role, u64 first, std::span<std::byte> out) const {
    const u64 bytes = std::max<u64>(result_bytes(role), 1);  // nobody asks for values of none
    const u64 end = first + out.size() / bytes;
    // The first chunk for which this holds; it holds for all behind it.
    const auto first_where = [&](const auto& holds) {
      u64 begin = 0, behind = kept_before_.size() - 1;
      while (begin < behind) {
        const u64 middle = begin + (behind - begin) / 2;
        if (holds(middle))
          behind = middle;
        else
          begin = middle + 1;
      }
      return begin;
    };
    const u64 begin_chunk = first_where([&](u64 chunk) { return results_before(role, chunk + 1) > first; });
    const u64 end_chunk = first_where([&](u64 chunk) { return results_before(role, chunk) >= end; });
    parallel_for(end_chunk - std::min(begin_chunk, end_chunk), [&](u64 place) {
      const u64 chunk = begin_chunk + place;
      u64 result = results_before(role, chunk);
      const Chunk made = chunk_of(input, chunk);
      std::vector<std::byte> values;
      if (role == OperandRole::values_output) {
        values.resize(chunk_items(chunk) * bytes);
        fill_beside_selection(input.spec, OperandRole::values, chunk * kChunkItems, values);
      }
      for (u64 item = 0; item < made.kept.size(); ++item) {
        if ((made.kept[item] != 0) == (role == OperandRole::rejected)) continue;
        if (result >= first && result < end) {
          const u64 index = chunk * kChunkItems + item;  // little-endian, so its first bytes are those of fewer bits
          const auto* const from = writes_indices(role) ? reinterpret_cast<const std::byte*>(&index)
                                   : values.empty()     ? &made.items[item * bytes]
                                                        : &values[item * bytes];
          std::copy_n(from, bytes, &out[(result - first) * bytes]);
        }
        ++result;
      }
    });
  }

  bool writes_indices(OperandRole role) const {
    return role == OperandRole::position || (role == OperandRole::output && !request_.writes_items());
  }
  u64 result_bytes(OperandRole role) const {
    if (writes_indices(role)) return static_cast<u64>(request_.index_bytes());
    return static_cast<u64>(role == OperandRole::values_output ? request_.value_bytes() : request_.input_bytes());
  }

  KnownInput input_;  // without its items
  SelectRequest request_;
  std::vector<u64> kept_before_;  // each chunk, and behind the last
};

class SelectReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<SelectRequest>(); }

  bool has(InputPattern pattern, const Request&) const override { return pattern != InputPattern::rounding; }
  void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const override {
    fill_selection_input(spec, first, out);
  }
  void fill_beside(const InputSpec& spec, OperandRole role, u64 first, std::span<std::byte> out) const override {
    fill_beside_selection(spec, role, first, out);
  }
  void fill_init(const Request& request, unsigned char* init) const override { fill_selection_constant(request, init); }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    return std::make_unique<SelectedItems>(input);
  }
};

}  // namespace

const AlgorithmReference& reference_of_select() {
  static const SelectReference kSelect;
  return kSelect;
}

}  // namespace scantune
