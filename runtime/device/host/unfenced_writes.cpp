#include "device/host/unfenced_writes.h"

#include <algorithm>
#include <cstring>

namespace scantune {
namespace {

constexpr u32 kWord = 4;

}  // namespace

void UnfencedWrites::watch(unsigned char* begin, u32 bytes) {
  begin_ = begin;
  known_.assign(begin, begin + bytes);
  before_.resize(bytes);
  is_hidden_.assign(bytes, false);
}

void UnfencedWrites::catch_up(bool thread_ran) {
  constexpr u32 kStep = 4 * kWord;
  const u32 bytes = static_cast<u32>(known_.size());
  for (u32 first = 0; first < bytes; first += kStep) {
    if (std::memcmp(&known_[first], begin_ + first, std::min(kStep, bytes - first)) == 0) continue;
    for (u32 word = first; word < std::min(first + kStep, bytes); word += kWord)
      note_word(word, std::min(kWord, bytes - word), thread_ran);
  }
}

// Others write whole words, some of whose bytes may stay as they were.
void UnfencedWrites::note_word(u32 first, u32 bytes, bool by_thread) {
  if (std::memcmp(&known_[first], begin_ + first, bytes) == 0) return;
  for (u32 byte = first; byte < first + bytes; ++byte) {
    const bool hides = by_thread && known_[byte] != begin_[byte];
    if (hides && !is_hidden_[byte]) before_[byte] = known_[byte];
    is_hidden_[byte] = hides || (by_thread && is_hidden_[byte]);
    known_[byte] = begin_[byte];
  }
}

void UnfencedWrites::fence() { std::fill(is_hidden_.begin(), is_hidden_.end(), false); }

void UnfencedWrites::replaced(const unsigned char* begin, u32 bytes) {
  const u64 first = reinterpret_cast<u64>(begin) - reinterpret_cast<u64>(begin_);
  for (u64 byte = first; byte != first + bytes; ++byte) {
    if (byte >= known_.size()) continue;  // an offset before the first byte wraps around, and is skipped too
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
