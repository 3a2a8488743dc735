#include <algorithm>
#include <cmath>
#include <vector>

#include "measure/parallel.h"
#include "measure/references/algorithm_reference.h"
#include "measure/references/exact_reference.h"
#include "measure/references/random_bits.h"
#include "measure/value_types.h"

namespace scantune {
namespace {

class CopiedItems final : public ExactReference {
 public:
  explicit CopiedItems(const KnownInput& input)
      : ExactReference(input), copy_(typed<CopyRequest>(input.spec.request)) {}

  u64 bytes() const override { return sizeof *this; }

 private:
  void make(const KnownInput& input, OperandRole, u64 first, std::span<std::byte> out) const override {
    const u64 count = out.size() / item_bytes();
    parallel_for(ceil_div(count, kChunkItems), [&](u64 chunk) {
      const u64 begin = chunk * kChunkItems, items = std::min(kChunkItems, count - begin);
      copy_part(input, first + begin, out.subspan(begin * item_bytes(), items * item_bytes()));
    });
  }

  void copy_part(const KnownInput& input, u64 first, std::span<std::byte> out) const {
    const auto input_bytes = static_cast<u64>(copy_.input_bytes());
    const u64 items = out.size() / item_bytes();
    std::vector<std::byte> scratch(items * input_bytes);
    const auto made = input.items(first, scratch);
    if (!copy_.converts())
      std::ranges::copy(made, out.begin());
    else
      for (u64 item = 0; item < items; ++item)
        convert(copy_.input_type, &made[item * input_bytes], copy_.output_type, &out[item * item_bytes()]);
  }

  CopyRequest copy_;
};

// What the array of a strided output holds, with its gaps.
class PlacedItems final : public ExactReference {
 public:
  explicit PlacedItems(const KnownInput& input)
      : ExactReference(input), array_(Operands(input.spec.request).of(OperandRole::output).bytes(), kUnwritten) {
    const auto copy = typed<CopyRequest>(input.spec.request);
    const u64 length = copy.n / copy.sequences();
    const auto place = [&](const Strides& strides, u64 sequence, u64 item) {
      return strides.begin(sequence, copy.layout.plane_sequences) + static_cast<i64>(item) * strides.item;
    };
    const auto lowest = [&](OperandRole role) { return Operands(input.spec.request).of(role).lowest; };
    const i64 in_lowest = lowest(OperandRole::input), out_lowest = lowest(OperandRole::output);
    parallel_for(ceil_div(copy.n, kChunkItems), [&](u64 chunk) {
      for (u64 index = chunk * kChunkItems; index < std::min(copy.n, (chunk + 1) * kChunkItems); ++index) {
        const u64 sequence = index / length, item = index % length;
        const auto from = static_cast<u64>(place(copy.layout.input, sequence, item) - in_lowest);
        const auto to = static_cast<u64>(place(copy.layout.output, sequence, item) - out_lowest);
        const std::span<std::byte> written(&array_[to * item_bytes()], item_bytes());
        if (const auto made = input.items(from, written); made.data() != written.data())
          std::ranges::copy(made, written.begin());
      }
    });
  }

  u64 bytes() const override { return sizeof *this + array_.size(); }

 private:
  void make(const KnownInput&, OperandRole, u64 first, std::span<std::byte> out) const override {
    std::copy_n(&array_[first * item_bytes()], out.size(), out.begin());
  }

  std::vector<std::byte> array_;
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
    if (input.spec.request.layout.is_strided()) return std::make_unique<PlacedItems>(input);
    return std::make_unique<CopiedItems>(input);
  }
  CheckKernels check_kernels(const Request& request) const override {
    if (request.layout.is_strided()) return {};  // its chunks are contiguous
    return {"copy/kernels/check_copy.h", {"check_chunks"}};
  }
};

}  // namespace

const AlgorithmReference& reference_of_copy() {
  static const CopyReference kCopy;
  return kCopy;
}

}  // namespace scantune
