// What one thread has written to shared memory since its last fence_shared_for_bulk: bulk copies need not see it.
//
// Shared memory is ordinary memory here, so a thread's writes are known only as what has changed while it ran. That is
// too much work to do for every thread; a CTA watches one, and over many seeds each has its turn.
#pragma once

#include <vector>

#include "config/types.h"

namespace scantune {

class UnfencedWrites {
 public:
  struct HiddenByte {
    u32 offset;
    unsigned char seen;  // instead of what is there
  };

  void watch(unsigned char* begin, u32 bytes);           // from now on, these bytes; the thread may be running
  void resume();                                         // the thread goes on
  void note();                                           // the thread has run
  void fence();                                          // copies see what it has written so far
  void replaced(const unsigned char* begin, u32 bytes);  // a copy has written there, after note()

  // What a copy that is issued now need not see, as offsets from begin. After note().
  std::vector<HiddenByte> hidden(const unsigned char* begin, u32 bytes) const;

 private:
  void note(u32 byte);

  unsigned char* begin_ = nullptr;
  std::vector<unsigned char> known_;   // the bytes when the thread last went on, and what it has changed since
  std::vector<unsigned char> before_;  // what hidden bytes were before the thread changed them
  std::vector<bool> is_hidden_;
};

}  // namespace scantune
