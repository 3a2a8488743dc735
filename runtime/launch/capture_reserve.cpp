#include "launch/capture_reserve.h"

#include <string>

#include "scantune/error.hpp"

namespace scantune {

CaptureReserve::CaptureReserve(std::shared_ptr<WorkspacePool> pool, const WorkspaceNeed& need, int most)
    : pool_(std::move(pool)), need_(need), places_(static_cast<std::size_t>(most)) {
  free_.reserve(places_.size());
  for (std::size_t place = places_.size(); place > 0; --place) free_.push_back(&places_[place - 1]);
}

std::shared_ptr<CaptureReserve> CaptureReserve::make(std::shared_ptr<WorkspacePool> pool, const WorkspaceNeed& need,
                                                     int most, int ahead) {
  std::shared_ptr<CaptureReserve> reserve(new CaptureReserve(std::move(pool), need, most));
  for (int place = 0; place < ahead; ++place)
    reserve->places_[static_cast<std::size_t>(place)].block = reserve->pool_->acquire(need);
  return reserve;
}

CaptureReserve::~CaptureReserve() {
  for (const Place& place : places_)
    if (place.block.memory != nullptr) pool_->give_back(place.block);
}

WorkspaceBlock CaptureReserve::take(Device& device, void* graph) {
  Place* const place = take_free();
  if (place == nullptr)
    throw RequestError("the stream is being captured and the plan reserved only " + std::to_string(places_.size()) +
                       " workspaces, all held by living graphs: raise captured_launches of its options");
  place->reserve = shared_from_this();
  try {
    if (place->block.memory == nullptr) place->block = pool_->acquire(need_);
  } catch (...) {
    give_back(place);
    throw;
  }
  const WorkspaceBlock block = place->block;
  device.retain_until_graph_dies(graph, &give_back, place);  // gives the place back even if it throws
  return block;
}

// Takes the place that was given back last, so that a block is used again before another is allocated.
CaptureReserve::Place* CaptureReserve::take_free() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return nullptr;
  Place* const place = free_.back();
  free_.pop_back();
  return place;
}

void CaptureReserve::give_back(void* token) {
  Place* const place = static_cast<Place*>(token);
  const std::shared_ptr<CaptureReserve> reserve = std::move(place->reserve);  // may be the last reference
  const std::lock_guard lock(reserve->mutex_);
  reserve->free_.push_back(place);  // within the capacity reserved
}

}  // namespace scantune
