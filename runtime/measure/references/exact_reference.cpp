#include "measure/references/exact_reference.h"

#include <cstdio>
#include <cstring>
#include <vector>

#include "measure/parallel.h"

namespace scantune {
namespace {

std::string bits_at(const std::byte* item, u64 bytes) {
  u64 bits = 0;
  std::memcpy(&bits, item, bytes);
  char text[2 + 2 * sizeof bits + 1];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}

}  // namespace

std::optional<Mismatch> ExactReference::check(u64 first, std::span<const std::byte> found) const {
  std::vector<std::byte> expected(found.size());
  make(input_, OperandRole::output, first, expected);
  auto mismatch = first_mismatch(spec().request, output_, first, expected, found);
  if (mismatch && mismatch->expected == mismatch->found) {  // NaNs, which differ in their bits
    const u64 place = (mismatch->index - first) * item_bytes();
    mismatch->expected += " of bits " + bits_at(&expected[place], item_bytes());
    mismatch->found += " of bits " + bits_at(&found[place], item_bytes());
  }
  return mismatch;
}

void ExactReference::expect(const KnownInput& input, std::span<std::byte> output) const {
  make(input, OperandRole::output, 0, output.first(written(output_) * item_bytes()));
}

}  // namespace scantune
