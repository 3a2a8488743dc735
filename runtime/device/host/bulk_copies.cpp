#include "device/host/bulk_copies.h"

#include <algorithm>
#include <cstring>

namespace scantune {
namespace {

constexpr u32 kVectorBytes = 16;

}  // namespace

void BulkCopies::reset() {
  copies_.clear();
  due_ = kNever;
}

void BulkCopies::fence(host::Site site) {
  const CudaThread& thread = scheduler_.begin_operation(site);
  Cta& cta = *thread.warp->cta;
  watched_.watch(cta);
  ctas_[cta.slot].has_fenced = true;
  if (!watched_.watches(thread)) return;
  watched_.catch_up(cta, &thread);
  watched_.fence(cta);
}

void BulkCopies::check(const void* shared, const void* global, u32 bytes, host::Site site) {
  const u64 addresses = reinterpret_cast<u64>(shared) | reinterpret_cast<u64>(global);
  if (bytes == 0 || bytes % kVectorBytes != 0)
    failures_.fail_here("copies in bulk a number of bytes that is not a multiple of 16", site);
  if (addresses % kVectorBytes != 0)
    failures_.fail_here("copies in bulk at an address that is not a multiple of 16", site);
  if (!scheduler_.current().has_in_shared(shared, bytes, kVectorBytes))
    failures_.fail_here("copies in bulk outside its shared memory", site);
  global_.check(global, bytes, site);
}

// A prefetch reads nothing, so it may come before the previous grid has ended.
void BulkCopies::prefetch(const void* global, u32 bytes, host::Site site) {
  const auto misuse = [&](const char* what) {
    failures_.fail({.what = what, .thread = &scheduler_.current(), .site = site, .address = global});
  };
  if (bytes == 0 || bytes % kVectorBytes != 0) misuse("prefetches a number of bytes that is not a multiple of 16:");
  if (reinterpret_cast<u64>(global) % kVectorBytes != 0)
    misuse("prefetches from an address that is not a multiple of 16:");
  if (!global_.allocated(global, bytes)) misuse("prefetches global memory out of bounds:");
}

BulkCopy& BulkCopies::issue(BulkCopy::Direction direction, void* shared, void* global, u32 bytes, host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  Cta& cta = *thread.warp->cta;
  watched_.watch(cta);
  check(shared, global, bytes, site);
  watched_.catch_up(cta, &thread);
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
                     .due = scheduler_.step() + draw_time()});
  return copies_.back();
}

void BulkCopies::begin_newest() {
  const u64 due = copies_.back().due;
  due_ = std::min(due_, due);
  if (due == scheduler_.step()) advance(copies_.size() - 1);
}

void BulkCopies::load(void* shared, const void* global, u32 bytes, u64* barrier, host::Site site) {
  BulkCopy& copy = issue(BulkCopy::Direction::load, shared, const_cast<void*>(global), bytes, site);
  Cta& cta = *copy.cta;
  copy.barrier =
      barriers_.find_for_copies(cta, barrier, "loads in bulk to a barrier without fence_barrier_init:", site);
  ctas_[cta.slot].has_loaded = true;
  std::memset(copy.shared, static_cast<int>(choices_.random.below(256)), bytes);
  watched_.replaced(cta, copy.shared, bytes);
  begin_newest();
}

void BulkCopies::store(void* global, const void* shared, u32 bytes, host::Site site) {
  BulkCopy& copy = issue(BulkCopy::Direction::store, const_cast<void*>(shared), global, bytes, site);
  const Cta& cta = *copy.cta;
  if (!ctas_[cta.slot].has_fenced && !ctas_[cta.slot].has_loaded)
    failures_.fail_here("stores in bulk what no thread has shown to bulk copies with fence_shared_for_bulk", site);
  copy.hidden = watched_.hidden(cta, copy.shared, bytes);
  copy.issuer->stored_groups = copy.group + 1;
  begin_newest();
}

// A value under way is a copy that has read its source.
void BulkCopies::send(Cta& to, u32 barrier, unsigned char* place, const void* in, u32 bytes, host::Site site) {
  const auto* const value = static_cast<const unsigned char*>(in);
  copies_.push_back({.direction = BulkCopy::Direction::send,
                     .has_read = true,
                     .grid = to.grid,
                     .cta_serial = to.serial,
                     .cta = &to,
                     .issuer = &scheduler_.current(),
                     .group = 0,
                     .barrier = barrier,
                     .shared = place,
                     .global = nullptr,
                     .bytes = bytes,
                     .site = site,
                     .due = scheduler_.step() + draw_time(),
                     .data = {value, value + bytes}});
  begin_newest();
}

void BulkCopies::commit(host::Site site) {
  CudaThread& thread = scheduler_.current();
  thread.site = site;
  ++thread.open_group;
}

void BulkCopies::wait(u32 unfinished_groups, bool written, host::Site site) {
  CudaThread& thread = scheduler_.begin_operation(site);
  if (thread.open_group <= unfinished_groups) return;
  thread.waited_groups = thread.open_group - unfinished_groups;
  thread.waiting = written ? Waiting::copies_written : Waiting::copies_read;
  if (!finished_for(thread)) scheduler_.give_way();
  thread.waiting = Waiting::nothing;
  thread.read_groups = std::max(thread.read_groups, thread.waited_groups);
}

bool BulkCopies::finished_for(const CudaThread& thread) const {
  return std::none_of(copies_.begin(), copies_.end(), [&](const BulkCopy& copy) {
    return copy.direction == BulkCopy::Direction::store && copy.issuer == &thread &&
           copy.cta_serial == thread.viewer.cta && copy.group < thread.waited_groups &&
           (thread.waiting == Waiting::copies_written || !copy.has_read);
  });
}

void BulkCopies::check_read(const CudaThread& thread) {
  if (thread.stored_groups > thread.read_groups)
    failures_.fail(
        {.what = "ends before its bulk stores have read shared memory: bulk_commit and bulk_wait_read or bulk_wait "
                 "are missing after the last",
         .thread = &thread,
         .site = thread.site});
}

// Checks a CTA that ends.
void BulkCopies::check_arrived(const Cta& cta) {
  for (const BulkCopy& copy : copies_) {
    if (copy.cta_serial != cta.serial) continue;
    if (copy.direction == BulkCopy::Direction::load)
      failures_.fail(
          {.what = "ended before its bulk load into shared memory", .thread = copy.issuer, .site = copy.site});
    if (copy.direction == BulkCopy::Direction::send)
      failures_.fail({.what = "sends to a peer that exits without waiting for it:",
                      .thread = copy.issuer,
                      .site = copy.site,
                      .cta = &cta});
  }
}

void BulkCopies::advance_all_due() {
  for (std::size_t index = copies_.size(); index-- > 0;)
    if (copies_[index].due <= scheduler_.step()) advance(index);
  due_ = kNever;
  for (const BulkCopy& copy : copies_) due_ = std::min(due_, copy.due);
}

void BulkCopies::advance_any() { advance(choices_.random.below(static_cast<u32>(copies_.size()))); }

void BulkCopies::advance(std::size_t index) {
  scheduler_.note_progress();
  BulkCopy& copy = copies_[index];
  if (!copy.has_read) {
    read_source(copy);
    copy.due = scheduler_.step() + draw_time();
    due_ = std::min(due_, copy.due);
    if (copy.direction == BulkCopy::Direction::store) wake_issuer(copy);
    return;
  }
  std::swap(copy, copies_.back());
  const BulkCopy done = std::move(copies_.back());
  copies_.pop_back();
  write_destination(done);
  if (done.direction == BulkCopy::Direction::store) wake_issuer(done);
}

void BulkCopies::read_source(BulkCopy& copy) {
  const unsigned char* const source = copy.direction == BulkCopy::Direction::load ? copy.global : copy.shared;
  copy.data.assign(source, source + copy.bytes);
  for (const UnfencedWrites::HiddenByte& byte : copy.hidden) copy.data[byte.offset] = byte.seen;
  copy.has_read = true;
}

void BulkCopies::write_destination(const BulkCopy& copy) {
  if (copy.direction == BulkCopy::Direction::store)
    return memory_.write_in_bulk(copy.cta_serial, copy.global, copy.data.data(), copy.bytes);
  Cta& cta = *copy.cta;
  watched_.catch_up(cta, fibres_.current());
  std::memcpy(copy.shared, copy.data.data(), copy.bytes);
  watched_.replaced(cta, copy.shared, copy.bytes);
  barriers_.take(cta, copy.barrier, copy.bytes, *copy.issuer, copy.site);
}

void BulkCopies::wake_issuer(const BulkCopy& copy) {
  CudaThread& thread = *copy.issuer;
  if (copy.cta_serial != copy.cta->serial) return;  // it has ended, and another CTA has its place
  if (thread.waiting != Waiting::copies_read && thread.waiting != Waiting::copies_written) return;
  if (finished_for(thread)) scheduler_.wake(*thread.warp, thread.lane_bit);
}

void BulkCopies::finish(u32 grid) {
  for (std::size_t index = copies_.size(); index-- > 0;)
    if (index < copies_.size() && copies_[index].grid == grid) advance(index);
}

}  // namespace scantune
