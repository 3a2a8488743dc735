// The memory model of the host device, which is weaker than a CPU's, as a GPU's is:
// - a store waits in a buffer, seen by its own thread only, until something makes it visible or it drains by itself, in
//   no particular order; a barrier shows it to the threads that met there, a fence or release to everyone;
// - a plain load may see an older value than memory holds, back to the last time that its thread synchronised;
// - a store may come before another CTA's to the same place, so that it is never seen, if its thread has neither seen
//   that one nor synchronised since.
// CTAs of one cluster see each other's writes like any two. Their barrier shows nothing, and what they send each other
// does not pass here.
#pragma once

#include <vector>

#include "device/host/random.h"

namespace scantune {

// Who accesses memory, and since when it has not synchronised.
struct Viewer {
  u32 cta;     // serial number of the CTA, never reused within a run
  u32 queue;   // the queue of the CTA's waiting stores, as open() took it
  u32 grid;    // index of the launch
  u32 thread;  // rank in the CTA
  u32 view;    // writes up to this time are seen
};

class WeakMemory {
 public:
  // Forgets everything. queues is the number of CTAs that may be open at a time.
  void reset(u32 queues, u32 capacity, u32 stale_percent, Random& random);
  void open(u32 queue);  // a new CTA takes the queue; what is left of the old one's stores drains on

  // bytes is 1, 2, 4, 8 or 16, and the address a multiple of it.
  void load(const Viewer& viewer, void* out, const unsigned char* address, u32 bytes, bool may_be_stale) {
    const Bucket& bucket = bucket_of(address);
    if (bucket.newest == kNone && bucket.written <= viewer.view) return copy(out, address, bytes);
    load_slowly(viewer, out, address, bytes, may_be_stale);
  }
  void store(const Viewer& viewer, unsigned char* address, const void* in, u32 bytes);
  u32 fetch_add(const Viewer& viewer, unsigned char* address, u32 value);
  u64 compare_exchange(const Viewer& viewer, unsigned char* address, u64 expected, u64 desired);

  void show_to_warp(u32 queue, u32 first_thread, u32 mask);  // after a barrier of these lanes
  void show_to_cta(u32 queue);                               // after a barrier of the CTA
  void show_to_cta(const Viewer& viewer);                    // what this thread sees: it has arrived at a barrier
  void drain_visible(const Viewer& viewer);                  // a fence: what the thread sees, everyone sees
  void write_in_bulk(u32 cta, unsigned char* address, const unsigned char* in, u32 bytes);  // granules
  void drain_one();  // drains any store; something must be waiting
  void drain_grid(u32 grid);
  bool waiting() const { return !waiting_.empty(); }

  u32 now() const { return now_; }  // number of writes so far
  // Marks what a spin loop looks at; polled_changes() counts writes to marked places.
  void watch(const void* address) { bucket_of(address).watched = true; }
  u32 polled_changes() const { return polled_changes_; }

 private:
  static constexpr u32 kNone = ~0u;
  static constexpr u32 kBuckets = 4096;
  static constexpr u32 kGranuleBytes = 16;  // every access is within one granule
  static constexpr u32 kHistory = 4096;     // writes that stale loads can miss

  // arrived: the CTA sees it, but perhaps not what came before it.
  enum class Reach : u8 { thread, warp, arrived, cta };

  struct Store {
    unsigned char* address;
    u32 cta, grid, queue;
    u32 newer, older;    // in the bucket
    u32 next, previous;  // in the CTA's queue, a ring
    u32 place;           // in waiting_
    u32 view;            // the view of its thread when it was made
    u16 thread;
    u8 bytes;
    Reach reach;
    alignas(8) unsigned char value[kGranuleBytes];
  };
  struct Bucket {
    u32 newest = kNone;   // waiting store
    u32 written = 0;      // time of the last write
    u32 overwritten = 0;  // its number in the history, from 1
    bool watched = false;
  };
  struct Overwritten {
    unsigned char* granule;
    const unsigned char* first;  // the first of the bytes written
    u32 bytes;
    u32 time, cta;
    u32 earlier;  // number of the one before in the bucket; 0: none
    u32 seen;     // queues of the CTAs that have read the new value, a bit each
    bool atomic;
    unsigned char value[kGranuleBytes];
  };

  static unsigned char* granule_of(const void* address) {
    return reinterpret_cast<unsigned char*>(reinterpret_cast<u64>(address) & ~static_cast<u64>(kGranuleBytes - 1));
  }
  static u32 hash(const void* address) {
    return static_cast<u32>((reinterpret_cast<u64>(address) >> 4) * 0x9e3779b97f4a7c15 >> 52);
  }
  Bucket& bucket_of(const void* address) { return buckets_[hash(address)]; }

  static void copy(void* out, const void* in, u32 bytes) {
    switch (bytes) {
      case 4:
        __builtin_memcpy(out, in, 4);
        break;
      case 8:
        __builtin_memcpy(out, in, 8);
        break;
      case 16:
        __builtin_memcpy(out, in, 16);
        break;
      default:
        __builtin_memcpy(out, in, bytes);
    }
  }

  static bool sees(const Viewer& viewer, const Store& store) {
    return store.cta == viewer.cta && (store.reach >= Reach::arrived || store.thread == viewer.thread ||
                                       (store.reach == Reach::warp && store.thread / 32 == viewer.thread / 32));
  }

  void load_slowly(const Viewer& viewer, void* out, const unsigned char* address, u32 bytes, bool may_be_stale);
  void look_back_in_time(const Viewer& viewer, const Bucket& bucket, const unsigned char* granule,
                         unsigned char* image);
  u32 take_entry();
  void link(u32 index, u32 queue);
  void unlink(u32 index);
  void drain(u32 index);
  void drain_own(const Viewer& viewer, const unsigned char* address);  // before an atomic operation there
  void drain_before(u32 index);
  bool comes_before_others(const Store& store);
  void mark_seen(const Viewer& viewer, const Bucket& bucket, const unsigned char* granule);
  void write(unsigned char* address, const void* in, u32 bytes, u32 cta, bool atomic = false);

  std::vector<Bucket> buckets_;
  std::vector<Store> stores_;  // the first ones are the queues' ends
  std::vector<u32> free_;
  std::vector<u32> waiting_;
  std::vector<Overwritten> history_;
  u32 history_count_ = 0;
  u32 capacity_ = 0;
  u32 stale_percent_ = 0;
  u32 now_ = 0;
  u32 polled_changes_ = 0;
  Random* random_ = nullptr;
};

}  // namespace scantune
