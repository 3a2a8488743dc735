#include "launch/capture_reserve.h"

#include <string>

#include "scantune/error.hpp"

namespace scantune {

std::shared_ptr<CaptureReserve> CaptureReserve::make(std::shared_ptr<WorkspacePool> pool, const WorkspaceNeed& need,
                                                     int launches) {
  std::shared_ptr<CaptureReserve> reserve(new CaptureReserve(std::move(pool)));
  reserve->free_.reserve(static_cast<std::size_t>(launches));
  for (int launch = 0; launch < launches; ++launch) {
    reserve->places_.push_back(std::make_unique<Place>());
    reserve->places_.back()->block = reserve->pool_->acquire(need);
    reserve->free_.push_back(reserve->places_.back().get());
  }
  return reserve;
}

CaptureReserve::~CaptureReserve() {
  for (const auto& place : places_)
    if (place->block.memory != nullptr) pool_->give_back(place->block);
}

void* CaptureReserve::take(Device& device, void* graph) {
  Place* place = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      place = free_.back();
      free_.pop_back();
    }
  }
  if (place == nullptr)
    throw RequestError("the stream is being captured and the plan reserved only " + std::to_string(places_.size()) +
                       " workspaces, all held by living graphs: raise ScanOptions::captured_launches");
  place->reserve = shared_from_this();
  void* const memory = place->block.memory;
  try {
    device.retain_until_graph_dies(graph, &give_back, place);
  } catch (...) {
    give_back(place);
    throw;
  }
  return memory;
}

void CaptureReserve::give_back(void* token) {
  Place* const place = static_cast<Place*>(token);
  const std::shared_ptr<CaptureReserve> reserve = std::move(place->reserve);  // may be the last reference
  const std::lock_guard lock(reserve->mutex_);
  reserve->free_.push_back(place);  // within the capacity reserved
}

}  // namespace scantune
