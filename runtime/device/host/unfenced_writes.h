// The writes of one thread to shared memory since its last fence_shared_for_bulk: bulk copies need not see them.
//
// Shared memory is ordinary memory here, so a thread's writes are found by comparing memory before and after it ran.
// That is too slow for every thread: a CTA watches one, and over many seeds each thread is watched.
#pragma once

#include <vector>

#include "core/contract/types.h"

namespace scantune {

class UnfencedWrites {
 public:
  struct HiddenByte {
    u32 offset;
    unsigned char seen;  // what copies see instead of what is there
  };

  void watch(unsigned char* begin, u32 bytes);  // watches these bytes from now on

  // Records changes since the last call, made while the thread ran or while it did not. Call it when the thread starts
  // or stops running, and before any of the functions below.
  void catch_up(bool thread_ran);

  void fence();                                          // the thread's fence: copies see its writes so far
  void replaced(const unsigned char* begin, u32 bytes);  // a copy has just written there

  // The bytes that a copy issued now need not see, as offsets from begin.
  std::vector<HiddenByte> hidden(const unsigned char* begin, u32 bytes) const;

 private:
  void note_word(u32 first, u32 bytes, bool by_thread);

  unsigned char* begin_ = nullptr;
  std::vector<unsigned char> known_;   // the bytes at the last call
  std::vector<unsigned char> before_;  // what hidden bytes were before the thread changed them
  std::vector<bool> is_hidden_;
};

}  // namespace scantune
