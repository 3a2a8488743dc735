// Every algorithm with its families. Adding a family: its config header and its name here, its kernels in the file that
// it names. Adding an algorithm adds its request's header here. The first one is meant where nobody names one.
#pragma once

#include "config/copy.h"
#include "config/copy_vectors.h"
#include "config/lookback.h"
#include "config/one_shot.h"
#include "config/pipelined.h"
#include "config/scan.h"
#include "config/single_block.h"
#include "config/three_phase.h"

namespace scantune {

template <class Request, class... Configs>
struct FamiliesOf {};

template <class... Families>
struct AlgorithmList {};

using AllAlgorithms = AlgorithmList<
    FamiliesOf<ScanRequest, SingleBlockConfig, OneShotConfig, LookbackConfig, PipelinedConfig, ThreePhaseConfig>,
    FamiliesOf<CopyRequest, CopyVectorsConfig>>;

}  // namespace scantune
