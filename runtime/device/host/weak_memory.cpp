#include "device/host/weak_memory.h"

#include <algorithm>

namespace scantune {

void WeakMemory::reset(u32 queues, u32 capacity, u32 stale_percent, Random& random) {
  buckets_.assign(kBuckets, {});
  stores_.resize(std::max<std::size_t>(stores_.size(), queues));
  for (u32 queue = 0; queue < queues; ++queue) stores_[queue].next = stores_[queue].previous = queue;
  free_.clear();
  for (u32 index = static_cast<u32>(stores_.size()); index-- > queues;) free_.push_back(index);
  waiting_.clear();
  history_.resize(kHistory);
  history_count_ = 0;
  capacity_ = capacity;
  stale_percent_ = stale_percent;
  now_ = 0;
  polled_changes_ = 0;
  random_ = &random;
}

void WeakMemory::open(u32 queue) {
  Store& end = stores_[queue];
  // The old stores stay a ring of their own.
  stores_[end.previous].next = end.next;
  stores_[end.next].previous = end.previous;
  end.next = end.previous = queue;
}

void WeakMemory::load_slowly(const Viewer& viewer, void* out, const unsigned char* address, u32 bytes,
                             bool may_be_stale) {
  const Bucket& bucket = bucket_of(address);
  const unsigned char* const granule = granule_of(address);
  alignas(16) unsigned char image[kGranuleBytes];
  __builtin_memcpy(image, granule, kGranuleBytes);
  if (bucket.written > viewer.view) {
    if (may_be_stale) {
      look_back_in_time(viewer, bucket, granule, image);
    } else {
      mark_seen(viewer, bucket, granule);
    }
  }

  // Forward from the waiting stores that the thread sees; the newest counts.
  u32 forwarded = 0;
  for (u32 index = bucket.newest; index != kNone; index = stores_[index].older) {
    const Store& store = stores_[index];
    if (granule_of(store.address) != granule || !sees(viewer, store)) continue;
    const u32 offset = static_cast<u32>(store.address - granule);
    for (u32 byte = 0; byte < store.bytes; ++byte)
      if ((forwarded >> (offset + byte) & 1) == 0) image[offset + byte] = store.value[byte];
    forwarded |= ((1u << store.bytes) - 1) << offset;
  }
  copy(out, image + (address - granule), bytes);
}

// Replaces image by what the granule held before some of the writes that the thread need not have seen. Writes of its
// own CTA count as seen.
void WeakMemory::look_back_in_time(const Viewer& viewer, const Bucket& bucket, const unsigned char* granule,
                                   unsigned char* image) {
  for (u32 number = bucket.overwritten; number != 0 && number + kHistory > history_count_;) {
    const Overwritten& before = history_[number % kHistory];
    if (before.time <= viewer.view) return;
    if (before.granule == granule) {
      if (before.cta == viewer.cta || !random_->chance(stale_percent_)) return;
      __builtin_memcpy(image, before.value, kGranuleBytes);
    }
    number = before.earlier;
  }
}

// A thread's later stores to a place follow what its CTA has read there.
void WeakMemory::mark_seen(const Viewer& viewer, const Bucket& bucket, const unsigned char* granule) {
  for (u32 number = bucket.overwritten; number != 0 && number + kHistory > history_count_;) {
    Overwritten& before = history_[number % kHistory];
    if (before.time <= viewer.view) return;
    if (before.granule == granule) before.seen |= 1u << viewer.queue;
    number = before.earlier;
  }
}

bool WeakMemory::comes_before_others(const Store& store) {
  const Bucket& bucket = bucket_of(store.address);
  if (bucket.written <= store.view || bucket.overwritten == 0) return false;
  const unsigned char* const granule = granule_of(store.address);
  for (u32 number = bucket.overwritten; number != 0 && number + kHistory > history_count_;) {
    const Overwritten& before = history_[number % kHistory];
    if (before.time <= store.view) return false;
    if (before.granule == granule) {
      // A thread that works with an atomic's result has seen it, so what follows comes after.
      const bool ordered = before.cta == store.cta || before.atomic || (before.seen >> store.queue & 1) != 0;
      const bool same_place = before.first < store.address + store.bytes && store.address < before.first + before.bytes;
      if (ordered) return false;
      if (same_place) return random_->chance(stale_percent_);
    }
    number = before.earlier;
  }
  return false;
}

void WeakMemory::store(const Viewer& viewer, unsigned char* address, const void* in, u32 bytes) {
  const u32 index = take_entry();
  Store& store = stores_[index];
  store.address = address;
  store.cta = viewer.cta;
  store.grid = viewer.grid;
  store.thread = static_cast<u16>(viewer.thread);
  store.bytes = static_cast<u8>(bytes);
  store.reach = Reach::thread;
  store.queue = viewer.queue;
  store.view = viewer.view;
  copy(store.value, in, bytes);
  link(index, viewer.queue);
  if (waiting_.size() > capacity_) drain_one();
}

u32 WeakMemory::fetch_add(const Viewer& viewer, unsigned char* address, u32 value) {
  drain_own(viewer, address);
  u32 old;
  __builtin_memcpy(&old, address, sizeof old);
  const u32 sum = old + value;
  write(address, &sum, sizeof sum, viewer.cta, true);
  return old;
}

u64 WeakMemory::compare_exchange(const Viewer& viewer, unsigned char* address, u64 expected, u64 desired) {
  drain_own(viewer, address);
  u64 old;
  __builtin_memcpy(&old, address, sizeof old);
  if (old == expected) write(address, &desired, sizeof desired, viewer.cta, true);
  return old;
}

// A thread's own stores to a place come before its later operations there.
void WeakMemory::drain_own(const Viewer& viewer, const unsigned char* address) {
  for (u32 index = bucket_of(address).newest; index != kNone;) {
    const u32 older = stores_[index].older;
    if (granule_of(stores_[index].address) == granule_of(address) && sees(viewer, stores_[index])) {
      drain(index);
      index = bucket_of(address).newest;  // draining takes older ones along
    } else {
      index = older;
    }
  }
}

void WeakMemory::show_to_warp(u32 queue, u32 first_thread, u32 mask) {
  for (u32 index = stores_[queue].previous; index != queue && stores_[index].reach != Reach::cta;
       index = stores_[index].previous) {
    Store& store = stores_[index];
    const u32 lane = store.thread - first_thread;
    if (lane < 32 && (mask >> lane & 1) != 0) store.reach = std::max(store.reach, Reach::warp);
  }
}

void WeakMemory::show_to_cta(u32 queue) {
  // Everything before the last barrier is visible already.
  for (u32 index = stores_[queue].previous; index != queue && stores_[index].reach != Reach::cta;
       index = stores_[index].previous)
    stores_[index].reach = Reach::cta;
}

void WeakMemory::show_to_cta(const Viewer& viewer) {
  for (u32 index = stores_[viewer.queue].previous; index != viewer.queue && stores_[index].reach != Reach::cta;
       index = stores_[index].previous)
    if (sees(viewer, stores_[index])) stores_[index].reach = Reach::arrived;
}

void WeakMemory::write_in_bulk(u32 cta, unsigned char* address, const unsigned char* in, u32 bytes) {
  for (u32 offset = 0; offset < bytes; offset += kGranuleBytes)
    write(address + offset, in + offset, kGranuleBytes, cta);
}

void WeakMemory::drain_visible(const Viewer& viewer) {
  for (u32 index = stores_[viewer.queue].next; index != viewer.queue;) {
    if (!sees(viewer, stores_[index])) {
      index = stores_[index].next;
      continue;
    }
    drain(index);
    index = stores_[viewer.queue].next;  // draining takes older ones along
  }
}

void WeakMemory::drain_one() { drain(waiting_[random_->below(static_cast<u32>(waiting_.size()))]); }

void WeakMemory::drain_grid(u32 grid) {
  // The loop runs backwards: what moves into a freed place comes from the end and has been looked at.
  for (std::size_t place = waiting_.size(); place-- > 0;) {
    if (place < waiting_.size() && stores_[waiting_[place]].grid == grid) drain(waiting_[place]);
  }
}

u32 WeakMemory::take_entry() {
  if (free_.empty()) {
    const u32 size = static_cast<u32>(stores_.size());
    stores_.resize(size + 1024);
    for (u32 index = size + 1024; index-- > size;) free_.push_back(index);
  }
  const u32 index = free_.back();
  free_.pop_back();
  return index;
}

void WeakMemory::link(u32 index, u32 queue) {
  Store& store = stores_[index];
  Bucket& bucket = bucket_of(store.address);
  store.newer = kNone;
  store.older = bucket.newest;
  if (bucket.newest != kNone) stores_[bucket.newest].newer = index;
  bucket.newest = index;

  store.next = queue;
  store.previous = stores_[queue].previous;
  stores_[store.previous].next = index;
  stores_[queue].previous = index;

  store.place = static_cast<u32>(waiting_.size());
  waiting_.push_back(index);
}

void WeakMemory::unlink(u32 index) {
  const Store& store = stores_[index];
  if (store.older != kNone) stores_[store.older].newer = store.newer;
  (store.newer != kNone ? stores_[store.newer].older : bucket_of(store.address).newest) = store.older;

  stores_[store.previous].next = store.next;
  stores_[store.next].previous = store.previous;

  stores_[waiting_.back()].place = store.place;
  waiting_[store.place] = waiting_.back();
  waiting_.pop_back();
  free_.push_back(index);
}

void WeakMemory::drain(u32 index) {
  drain_before(index);
  const Store& store = stores_[index];
  if (!comes_before_others(store)) write(store.address, store.value, store.bytes, store.cta);
  unlink(index);
}

// Stores of one CTA to one place become visible in the order in which they were made.
void WeakMemory::drain_before(u32 index) {
  while (true) {
    u32 oldest = index;
    for (u32 older = stores_[index].older; older != kNone; older = stores_[older].older)
      if (stores_[older].cta == stores_[index].cta &&
          granule_of(stores_[older].address) == granule_of(stores_[index].address))
        oldest = older;
    if (oldest == index) return;
    const Store& store = stores_[oldest];
    if (!comes_before_others(store)) write(store.address, store.value, store.bytes, store.cta);
    unlink(oldest);
  }
}

void WeakMemory::write(unsigned char* address, const void* in, u32 bytes, u32 cta, bool atomic) {
  Bucket& bucket = bucket_of(address);
  bucket.written = ++now_;
  if (stale_percent_ != 0) {
    const u32 number = ++history_count_;
    Overwritten& before = history_[number % kHistory];
    before.granule = granule_of(address);
    before.time = now_;
    before.cta = cta;
    before.earlier = bucket.overwritten;
    before.seen = 0;
    before.atomic = atomic;
    before.first = address;
    before.bytes = bytes;
    __builtin_memcpy(before.value, before.granule, kGranuleBytes);
    bucket.overwritten = number;
  }
  copy(address, in, bytes);
  polled_changes_ += bucket.watched;
}

}  // namespace scantune
