#include "device/host/unfenced_writes.h"

#include <algorithm>
#include <cstring>

namespace scantune {

void UnfencedWrites::watch(unsigned char* begin, u32 bytes) {
  begin_ = begin;
  known_.assign(begin, begin + bytes);
  before_.resize(bytes);
  is_hidden_.assign(bytes, false);
}

void UnfencedWrites::resume() { std::memcpy(known_.data(), begin_, known_.size()); }

void UnfencedWrites::note() {
  constexpr u32 kStep = 16;
  const u32 bytes = static_cast<u32>(known_.size());
  for (u32 first = 0; first < bytes; first += kStep) {
    const u32 count = std::min(kStep, bytes - first);
    if (std::memcmp(&known_[first], begin_ + first, count) == 0) continue;
    for (u32 byte = first; byte < first + count; ++byte) note(byte);
  }
}

void UnfencedWrites::note(u32 byte) {
  if (known_[byte] == begin_[byte]) return;
  if (!is_hidden_[byte]) before_[byte] = known_[byte];
  is_hidden_[byte] = true;
  known_[byte] = begin_[byte];
}

void UnfencedWrites::fence() {
  note();
  std::fill(is_hidden_.begin(), is_hidden_.end(), false);
}

void UnfencedWrites::replaced(const unsigned char* begin, u32 bytes) {
  const u64 first = reinterpret_cast<u64>(begin) - reinterpret_cast<u64>(begin_);
  for (u64 byte = first; byte != first + bytes; ++byte) {
    if (byte >= known_.size()) continue;  // before the first too, which wraps
    known_[byte] = begin_[byte];
    is_hidden_[byte] = false;
  }
}

std::vector<UnfencedWrites::HiddenByte> UnfencedWrites::hidden(const unsigned char* begin, u32 bytes) const {
  std::vector<HiddenByte> result;
  for (u32 offset = 0; offset < bytes; ++offset) {
    const u64 byte = reinterpret_cast<u64>(begin) + offset - reinterpret_cast<u64>(begin_);
    if (byte < known_.size() && is_hidden_[byte]) result.push_back({offset, before_[byte]});
  }
  return result;
}

}  // namespace scantune
