// Every family. Adding one: its config header here, its kernels in the file that it names.
#pragma once

#include "config/lookback.h"
#include "config/one_shot.h"
#include "config/pipelined.h"
#include "config/single_block.h"
#include "config/three_phase.h"

namespace scantune {

template <class... Configs>
struct FamilyList {};

using AllFamilies = FamilyList<SingleBlockConfig, OneShotConfig, LookbackConfig, PipelinedConfig, ThreePhaseConfig>;

}  // namespace scantune
