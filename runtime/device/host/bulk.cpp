// Bulk copies, which read and write late.
#include <algorithm>
#include <cstring>

#include "device/host/machine.h"

namespace scantune {
namespace {

constexpr u32 kVectorBytes = 16;
constexpr u32 kWatchedBytes = 4096;  // more would take too long to look through at every switch

}  // namespace

// Writes before the first barrier or bulk operation of a CTA are not told apart.
void Machine::watch_writes(Cta& cta) {
  if (cta.watched != nullptr) return;
  watching_ = true;
  cta.watched = &cta.threads[random_.below(cta.thread_count)];
  const u32 bytes = cta.watched->shared_bytes, watched = std::min(bytes, kWatchedBytes);
  const u32 first = random_.below((bytes - watched) / kVectorBytes + 1) * kVectorBytes;
  cta.unfenced.watch(cta.watched->shared + first, watched);
}

void Machine::switch_watched(const CudaThread& next) {
  if (current_ != nullptr && current_->warp->cta->watched == current_) note_writes(*current_->warp->cta);
  if (next.warp->cta->watched == &next) note_writes(*next.warp->cta);
}

void Machine::note_writes(Cta& cta) { cta.unfenced.catch_up(cta.watched == current_); }

void Machine::fence_for_copies(host::Site site) {
  CudaThread& thread = *current_;
  Cta& cta = *thread.warp->cta;
  thread.site = site;
  access_point();
  watch_writes(cta);
  cta.fenced_for_copies = true;
  if (cta.watched != &thread) return;
  note_writes(cta);
  cta.unfenced.fence();
}

void Machine::check_copy(const void* shared, const void* global, u32 bytes, host::Site site) {
  const u64 addresses = reinterpret_cast<u64>(shared) | reinterpret_cast<u64>(global);
  if (bytes == 0 || bytes % kVectorBytes != 0)
    fail_here("copies in bulk a number of bytes that is not a multiple of 16", site);
  if (addresses % kVectorBytes != 0) fail_here("copies in bulk at an address that is not a multiple of 16", site);
  if (!in_shared(shared, bytes, kVectorBytes)) fail_here("copies in bulk outside its shared memory", site);
  check_global(global, bytes, site);
}

// Nothing is read, so it may come before the grid before this one has ended.
void Machine::check_prefetch(const void* global, u32 bytes, host::Site site) {
  const auto misuse = [&](const char* what) {
    fail({.what = what, .thread = current_, .site = site, .address = global});
  };
  if (bytes == 0 || bytes % kVectorBytes != 0) misuse("prefetches a number of bytes that is not a multiple of 16:");
  if (reinterpret_cast<u64>(global) % kVectorBytes != 0)
    misuse("prefetches from an address that is not a multiple of 16:");
  if (!find_allocation(global, bytes)) misuse("prefetches global memory out of bounds:");
}

BulkCopy& Machine::issue(BulkCopy::Direction direction, void* shared, void* global, u32 bytes, host::Site site) {
  CudaThread& thread = *current_;
  Cta& cta = *thread.warp->cta;
  thread.site = site;
  access_point();
  watch_writes(cta);
  check_copy(shared, global, bytes, site);
  note_writes(cta);
  copies_.push_back({.direction = direction,
                     .grid = cta.grid,
                     .cta_serial = cta.serial,
                     .cta = &cta,
                     .issuer = &thread,
                     .group = thread.open_group,
                     .barrier = 0,
                     .shared = static_cast<unsigned char*>(shared),
                     .global = static_cast<unsigned char*>(global),
                     .bytes = bytes,
                     .site = site,
                     .due = step_ + copy_time()});
  return copies_.back();
}

// The newest copy may read at once.
void Machine::begin_copy() {
  const u64 due = copies_.back().due;
  copies_due_ = std::min(copies_due_, due);
  if (due == step_) advance_copy(copies_.size() - 1);
}

void Machine::load_in_bulk(void* shared, const void* global, u32 bytes, u64* barrier, host::Site site) {
  BulkCopy& copy = issue(BulkCopy::Direction::load, shared, const_cast<void*>(global), bytes, site);
  Cta& cta = *copy.cta;
  copy.barrier = find_barrier(barrier, site);
  if (!cta.barriers[copy.barrier].serves_copies)
    fail({.what = "loads in bulk to a barrier without fence_barrier_init:",
          .thread = current_,
          .site = site,
          .barrier = &cta.barriers[copy.barrier]});
  cta.loads_in_bulk = true;
  std::memset(copy.shared, static_cast<int>(random_.below(256)), bytes);
  cta.unfenced.replaced(copy.shared, bytes);
  begin_copy();
}

void Machine::store_in_bulk(void* global, const void* shared, u32 bytes, host::Site site) {
  BulkCopy& copy = issue(BulkCopy::Direction::store, const_cast<void*>(shared), global, bytes, site);
  Cta& cta = *copy.cta;
  if (!cta.fenced_for_copies && !cta.loads_in_bulk)
    fail_here("stores in bulk what no thread has shown to bulk copies with fence_shared_for_bulk", site);
  copy.hidden = cta.unfenced.hidden(copy.shared, bytes);
  copy.issuer->stored_groups = copy.group + 1;
  begin_copy();
}

void Machine::commit_copies(host::Site site) {
  current_->site = site;
  ++current_->open_group;
}

void Machine::wait_for_copies(u32 unfinished_groups, bool written, host::Site site) {
  CudaThread& thread = *current_;
  thread.site = site;
  access_point();
  if (thread.open_group <= unfinished_groups) return;
  thread.waited_groups = thread.open_group - unfinished_groups;
  thread.waiting = written ? Waiting::copies_written : Waiting::copies_read;
  if (!copies_finished(thread)) give_way();
  thread.waiting = Waiting::nothing;
  thread.read_groups = std::max(thread.read_groups, thread.waited_groups);
}

bool Machine::copies_finished(const CudaThread& thread) const {
  return std::none_of(copies_.begin(), copies_.end(), [&](const BulkCopy& copy) {
    return copy.direction == BulkCopy::Direction::store && copy.issuer == &thread &&
           copy.cta_serial == thread.viewer.cta && copy.group < thread.waited_groups &&
           (thread.waiting == Waiting::copies_written || !copy.has_read);
  });
}

void Machine::check_copies_read(const CudaThread& thread) {
  if (thread.stored_groups > thread.read_groups)
    fail({.what = "ends before its bulk stores have read shared memory: bulk_commit and bulk_wait_read or bulk_wait "
                  "are missing after the last",
          .thread = &thread,
          .site = thread.site});
}

// A CTA ends.
void Machine::check_copies_arrived(const Cta& cta) {
  for (const BulkCopy& copy : copies_) {
    if (copy.cta_serial != cta.serial) continue;
    if (copy.direction == BulkCopy::Direction::load)
      fail({.what = "ended before its bulk load into shared memory", .thread = copy.issuer, .site = copy.site});
    if (copy.direction == BulkCopy::Direction::send)
      fail({.what = "sends to a peer that exits without waiting for it:",
            .thread = copy.issuer,
            .site = copy.site,
            .cta = &cta});
  }
}

void Machine::advance_due_copies() {
  for (std::size_t index = copies_.size(); index-- > 0;)
    if (copies_[index].due <= step_) advance_copy(index);
  copies_due_ = kNever;
  for (const BulkCopy& copy : copies_) copies_due_ = std::min(copies_due_, copy.due);
}

void Machine::advance_any_copy() { advance_copy(random_.below(static_cast<u32>(copies_.size()))); }

void Machine::advance_copy(std::size_t index) {
  ++progress_;
  BulkCopy& copy = copies_[index];
  if (!copy.has_read) {
    read_source(copy);
    copy.due = step_ + copy_time();
    copies_due_ = std::min(copies_due_, copy.due);
    if (copy.direction == BulkCopy::Direction::store) wake_issuer(copy);
    return;
  }
  std::swap(copy, copies_.back());
  const BulkCopy done = std::move(copies_.back());
  copies_.pop_back();
  write_destination(done);
  if (done.direction == BulkCopy::Direction::store) wake_issuer(done);
}

void Machine::read_source(BulkCopy& copy) {
  const unsigned char* const source = copy.direction == BulkCopy::Direction::load ? copy.global : copy.shared;
  copy.data.assign(source, source + copy.bytes);
  for (const UnfencedWrites::HiddenByte& byte : copy.hidden) copy.data[byte.offset] = byte.seen;
  copy.has_read = true;
}

void Machine::write_destination(const BulkCopy& copy) {
  if (copy.direction == BulkCopy::Direction::store)
    return memory_.write_in_bulk(copy.cta_serial, copy.global, copy.data.data(), copy.bytes);
  Cta& cta = *copy.cta;
  note_writes(cta);
  std::memcpy(copy.shared, copy.data.data(), copy.bytes);
  cta.unfenced.replaced(copy.shared, copy.bytes);
  BarrierState& barrier = cta.barriers[copy.barrier];
  if (const char* const problem = barrier.take(copy.bytes))
    return fail({.what = problem, .thread = copy.issuer, .site = copy.site, .barrier = &barrier});
  end_phase_if_complete(cta, barrier);
}

void Machine::wake_issuer(const BulkCopy& copy) {
  CudaThread& thread = *copy.issuer;
  if (copy.cta_serial != copy.cta->serial) return;  // it has ended, and another CTA has its place
  if (thread.waiting != Waiting::copies_read && thread.waiting != Waiting::copies_written) return;
  if (copies_finished(thread)) wake(*thread.warp, thread.lane_bit);
}

void Machine::finish_copies(u32 grid) {
  for (std::size_t index = copies_.size(); index-- > 0;)
    if (index < copies_.size() && copies_[index].grid == grid) advance_copy(index);
}

}  // namespace scantune
