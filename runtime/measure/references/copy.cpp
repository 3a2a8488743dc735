#include <algorithm>
#include <atomic>
#include <cmath>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

class CopiedItems final : public Reference {
 public:
  explicit CopiedItems(const KnownInput& input) : input_(input.spec), copy_(typed<CopyRequest>(input.spec.request)) {}

  u64 item_bytes() const override { return static_cast<u64>(copy_.output_bytes()); }
  u64 bytes() const override { return sizeof *this; }

  std::optional<Mismatch> check(u64 first, std::span<const std::byte> found) const override {
    const u64 count = found.size() / item_bytes();
    std::atomic<u64> first_wrong = count;
    parallel_for(ceil_div(count, kChunkItems), [&](u64 chunk) {
      const u64 begin = chunk * kChunkItems, items = std::min(kChunkItems, count - begin);
      if (begin >= first_wrong.load(std::memory_order_relaxed)) return;
      const std::vector<std::byte> expected = copied(input_, first + begin, items);
      const auto part = found.subspan(begin * item_bytes(), expected.size());
      const auto [wrong, unused] = std::ranges::mismatch(expected, part);
      if (wrong == expected.end()) return;
      const u64 index = begin + static_cast<u64>(wrong - expected.begin()) / item_bytes();
      for (u64 known = first_wrong.load(); index < known && !first_wrong.compare_exchange_weak(known, index);) {
      }
    });
    if (first_wrong == count) return std::nullopt;
    const std::vector<std::byte> expected = copied(input_, first + first_wrong, 1);
    return Mismatch{
        first + first_wrong, spell_value(input_.spec.request, copy_.output_type, expected.data()),
        spell_value(input_.spec.request, copy_.output_type, found.data() + first_wrong.load() * item_bytes())};
  }

  void expect(const KnownInput& input, std::span<std::byte> output) const override {
    parallel_for(ceil_div(copy_.n, kChunkItems), [&](u64 chunk) {
      const u64 begin = chunk * kChunkItems;
      std::ranges::copy(copied(input, begin, std::min(kChunkItems, copy_.n - begin)),
                        output.begin() + static_cast<std::ptrdiff_t>(begin * item_bytes()));
    });
  }

 private:
  std::vector<std::byte> copied(const KnownInput& input, u64 first, u64 items) const {
    const auto input_bytes = static_cast<u64>(copy_.input_bytes());
    std::vector<std::byte> scratch(items * input_bytes);
    const auto made = input.items(first, scratch);
    std::vector<std::byte> output(items * item_bytes());
    if (!copy_.converts()) {
      std::ranges::copy(made, output.begin());
      return output;
    }
    for (u64 item = 0; item < items; ++item)
      convert(copy_.input_type, made.data() + item * input_bytes, copy_.output_type,
              output.data() + item * item_bytes());
    return output;
  }

  KnownInput input_;  // without its items
  CopyRequest copy_;
};

class CopyReference final : public AlgorithmReference {
 public:
  const AlgorithmModel& algorithm() const override { return algorithm_of<CopyRequest>(); }

  bool has(InputPattern pattern, const Request&) const override { return pattern == InputPattern::exact; }

  // Writes any bits, but finite numbers where they are converted: nothing says which NaN one becomes.
  void fill_input(const InputSpec& spec, u64 first, std::span<std::byte> out) const override {
    const auto copy = typed<CopyRequest>(spec.request);
    const int bytes = copy.input_bytes();
    const bool as_numbers = copy.converts() && is_floating(copy.input_type);
    for (std::size_t done = 0; done < out.size(); done += static_cast<std::size_t>(bytes)) {
      const u64 index = first + done / static_cast<std::size_t>(bytes);
      if (as_numbers) {
        const u64 bits = random_bits(spec.seed, index);
        put_floating(copy.input_type, std::ldexp(static_cast<i64>(bits), static_cast<int>(bits % 16) - 60), &out[done]);
      } else {
        fill_random(spec.seed, index, bytes, &out[done]);
      }
    }
  }

  std::unique_ptr<const Reference> reference(const KnownInput& input) const override {
    return std::make_unique<CopiedItems>(input);
  }
  CheckKernels check_kernels(const Request&) const override { return {"copy/kernels/check_copy.h", {"check_chunks"}}; }
};

}  // namespace

const AlgorithmReference& reference_of_copy() {
  static const CopyReference kCopy;
  return kCopy;
}

}  // namespace scantune
