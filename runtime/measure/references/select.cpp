#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/exact_reference.h"
#include "measure/references/select_inputs.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

// The results of a selection, made chunk by chunk of the input when they are asked for.
class SelectedItems final : public ExactReference {
 public:
  explicit SelectedItems(const KnownInput& input)
      : ExactReference(input),
        request_(typed<SelectRequest>(input.spec.request)),
        chunks_(ceil_div(request_.n, kChunkItems)) {
    for (int part = 0; part < request_.parts(); ++part) before_[part].resize(chunks_ + 1);
    parallel_for(chunks_, [&](u64 chunk) {
      for (const unsigned char part : chunk_of(input, chunk).parts) ++before_[part][chunk + 1];
    });
    for (std::vector<u64>& counts : before_) std::partial_sum(counts.begin(), counts.end(), counts.begin());
  }

  u64 bytes() const override { return sizeof *this + before_.size() * (chunks_ + 1) * sizeof(u64); }

  u64 written(const RequestOperand& operand) const override {
    if (operand.role == OperandRole::count) return operand.items;
    u64 items = 0;
    for (const int part : parts_in(operand.role)) items += before_[part].back();
    return std::min(items, operand.items);
  }

 private:
  struct Chunk {
    std::vector<std::byte> items;
    std::vector<unsigned char> parts;
  };

  // The parts whose items an operand has, in order.
  std::span<const int> parts_in(OperandRole role) const {
    static constexpr int kAll[] = {0, 1, 2};
    const auto all = std::span(kAll).first(static_cast<std::size_t>(request_.parts()));
    if (role == OperandRole::rejected) return all.last(1);
    if (role == OperandRole::second) return all.subspan(1, 1);
    return role == OperandRole::output && request_.has_one_output() ? all : all.first(1);
  }

  u64 chunk_items(u64 chunk) const { return std::min(kChunkItems, request_.n - chunk * kChunkItems); }

  Chunk chunk_of(const KnownInput& input, u64 chunk) const {
    const u64 first = chunk * kChunkItems, bytes = input.item_bytes(), before_bytes = chunk > 0 ? bytes : 0;
    std::vector<std::byte> scratch(before_bytes + chunk_items(chunk) * bytes);
    const auto made = input.items(first - (chunk > 0), scratch);
    Chunk result{{made.begin() + static_cast<std::ptrdiff_t>(before_bytes), made.end()}, {}};
    result.parts = parts_of_items(input.spec, first, result.items, chunk > 0 ? made.data() : nullptr);
    return result;
  }

  void make(const KnownInput& input, OperandRole role, u64 first, std::span<std::byte> out) const override {
    if (role == OperandRole::count) {
      const u64 counts[] = {before_[0].back(), before_[1].back()};
      put_low_bytes(std::span(counts).subspan(first), bytes_of(request_.count_width), out);
      return;
    }
    const u64 bytes = std::max<u64>(result_bytes(role), 1);  // nobody asks for values of none
    u64 begin = 0;                                           // of the part among the operand's items
    for (const int part : parts_in(role)) {
      const u64 end = begin + before_[part].back(), asked_end = first + out.size() / bytes;
      const u64 from = std::max(first, begin), to = std::min(asked_end, end);
      if (from < to) {
        const auto its_out = out.subspan((from - first) * bytes, (to - from) * bytes);
        const bool is_reversed = part == 1 && request_.rejected == Rejected::behind_reversed;
        make_part(input, role, part, is_reversed ? end - to : from - begin, its_out);
        if (is_reversed) reverse_items(its_out, bytes);
      }
      begin = end;
    }
  }

  static void reverse_items(std::span<std::byte> items, u64 bytes) {
    for (u64 first = 0, last = items.size() / bytes - 1; first < last; ++first, --last)
      std::swap_ranges(&items[first * bytes], &items[first * bytes] + bytes, &items[last * bytes]);
  }

  void make_part(const KnownInput& input, OperandRole role, int part, u64 first, std::span<std::byte> out) const {
    const u64 bytes = result_bytes(role), end = first + out.size() / bytes;
    // The chunks that have results from the first to the last one.
    const auto& before = before_[part];
    const auto begin_chunk = static_cast<u64>(std::ranges::upper_bound(before, first) - before.begin() - 1);
    const auto end_chunk = static_cast<u64>(std::ranges::lower_bound(before, end) - before.begin());
    parallel_for(end_chunk - begin_chunk, [&](u64 place) {
      const u64 chunk = begin_chunk + place;
      u64 result = before[chunk];
      const Chunk made = chunk_of(input, chunk);
      std::vector<std::byte> values;
      if (role == OperandRole::values_output) {
        values.resize(chunk_items(chunk) * bytes);
        fill_beside_selection(input.spec, OperandRole::values, chunk * kChunkItems, values);
      }
      for (u64 item = 0; item < made.parts.size(); ++item) {
        if (made.parts[item] != part) continue;
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
    return role == OperandRole::indices || (role == OperandRole::output && !request_.writes_items());
  }
  u64 result_bytes(OperandRole role) const {
    if (writes_indices(role)) return static_cast<u64>(request_.index_bytes());
    return static_cast<u64>(role == OperandRole::values_output ? request_.value_bytes() : request_.input_bytes());
  }

  SelectRequest request_;
  u64 chunks_;
  std::array<std::vector<u64>, 3> before_;  // of each part, the items before each chunk, and in all
};

class SelectReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<SelectRequest>(); }

  bool has(InputPattern pattern, const Request&) const override {
    return pattern == InputPattern::exact || pattern == InputPattern::specials;
  }
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

  // Calls with little room, of which several tiles have too many items.
  std::vector<RequestVariant> also_served(const Request& request) const override {
    auto limited = typed<SelectRequest>(request);
    limited.room = OutputRoom::limited;
    limited.capacity = std::min<u64>(request.n / 3, 1021);
    limited.second_capacity = limited.capacity / 2;
    limited.rejected_capacity = limited.capacity / 2 + 3;
    if (unsupported_reason(limited) != nullptr) return {};
    return {{limited, Variant::any}};
  }
};

}  // namespace

const AlgorithmReference& reference_of_select() {
  static const SelectReference kSelect;
  return kSelect;
}

}  // namespace scantune
