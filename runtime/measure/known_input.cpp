#include "measure/known_input.h"

#include <algorithm>
#include <cstring>

#include "measure/parallel.h"

namespace scantune {
namespace {

constexpr u64 kCopiedBytes = u64{256} << 10;  // bytes that one thread copies at a time

}  // namespace

KnownItems::KnownItems(const InputSpec& spec) : items_(Operands(spec.request).of(OperandRole::input).bytes()) {
  fill_input_on_all_cores(spec, 0, items_);
}

std::span<const std::byte> KnownInput::kept(u64 first, u64 bytes) const {
  return known->items().subspan(first * item_bytes(), bytes);
}

std::span<const std::byte> KnownInput::items(u64 first, std::span<std::byte> scratch) const {
  if (known != nullptr) return kept(first, scratch.size());
  fill_input(spec, first, scratch);
  return scratch;
}

void KnownInput::write(u64 first, std::span<std::byte> out) const {
  if (known == nullptr) return fill_input_on_all_cores(spec, first, out);
  const auto from = kept(first, out.size());
  parallel_for(ceil_div<u64>(out.size(), kCopiedBytes), [&](u64 part) {
    const u64 begin = part * kCopiedBytes;
    std::memcpy(out.data() + begin, from.data() + begin, std::min<u64>(kCopiedBytes, out.size() - begin));
  });
}

bool KnownInput::equals(u64 first, std::span<const std::byte> found) const {
  if (known != nullptr) return equal_on_all_cores(kept(first, found.size()), found);
  std::vector<std::byte> made(found.size());
  fill_input_on_all_cores(spec, first, made);
  return equal_on_all_cores(made, found);
}

}  // namespace scantune
