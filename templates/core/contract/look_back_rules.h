// The rules of configs whose CTAs look back over the descriptors of earlier tiles.
#pragma once

#include "core/contract/combining.h"
#include "core/contract/cta.h"
#include "core/contract/tile_order.h"

namespace scantune {

// Null if the look-back of such a config is legal under that guarantee, else why not.
template <class Config>
constexpr const char* invalid_look_back_reason(const Config& config, ForwardProgress forward_progress) {
  if (config.window < 1 || config.window > 128) return "window must be between 1 and 128";
  if (config.window > kWarpThreads && config.window % kWarpThreads != 0)
    return "a window above 32 must be a multiple of 32";
  if (config.first_delay_ns < 0 || config.first_delay_ns > 2000) return "first_delay_ns must be between 0 and 2000";
  if (config.poll_delay_ns < 0 || config.poll_delay_ns > 2000) return "poll_delay_ns must be between 0 and 2000";
  if (config.tile_order == TileOrder::block_index && forward_progress == ForwardProgress::documented)
    return "tile_order block_index relies on an undocumented order of CTAs";
  return nullptr;
}

}  // namespace scantune
