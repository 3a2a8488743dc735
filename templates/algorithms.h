// Every algorithm with its families. A new family adds its config header and its name here; its kernels are in the file
// that the header names. A new algorithm adds its request's header here. The first algorithm is the default.
#pragma once

#include "copy/config/copy.h"
#include "copy/config/copy_strided.h"
#include "copy/config/copy_vectors.h"
#include "gallery/batch.h"
#include "gallery/brent_kung.h"
#include "gallery/chained.h"
#include "gallery/converted.h"
#include "gallery/fenwick.h"
#include "gallery/hybrid.h"
#include "gallery/kogge_stone.h"
#include "gallery/naive_global.h"
#include "gallery/quadratic.h"
#include "gallery/reduce_then_scan.h"
#include "gallery/scan_then_add.h"
#include "gallery/serial.h"
#include "gallery/shared_double.h"
#include "gallery/shared_single.h"
#include "gallery/sum_atomic.h"
#include "gallery/sum_batch.h"
#include "gallery/sum_two_pass.h"
#include "gallery/sum_two_pass_warp.h"
#include "gallery/sum_vector.h"
#include "gallery/vector.h"
#include "gallery/warp_shuffle.h"
#include "gallery/work_efficient.h"
#include "gallery/work_inefficient.h"
#include "load_balance/config/load_balance.h"
#include "load_balance/config/load_balance_merge.h"
#include "reduce/config/reduce_atomic.h"
#include "reduce/config/reduce_block.h"
#include "reduce/config/reduce_columns.h"
#include "reduce/config/reduce_gather.h"
#include "reduce/config/reduce_last_block.h"
#include "reduce/config/reduce_rows.h"
#include "reduce/config/reduce_segments.h"
#include "reduce/config/reduce_short_rows.h"
#include "reduce/config/reduce_two_pass.h"
#include "scan/config/lookback.h"
#include "scan/config/lookback_segments.h"
#include "scan/config/one_shot.h"
#include "scan/config/pipelined.h"
#include "scan/config/scan.h"
#include "scan/config/scan_columns.h"
#include "scan/config/scan_rows.h"
#include "scan/config/scan_segments.h"
#include "scan/config/scan_short_rows.h"
#include "scan/config/single_block.h"
#include "scan/config/three_phase.h"
#include "select/config/select.h"
#include "select/config/select_lookback.h"
#include "select/config/select_ring.h"
#include "select/config/select_two_pass.h"
#include "sort/config/sort.h"
#include "sort/config/sort_block.h"
#include "sort/config/sort_cluster.h"
#include "sort/config/sort_fill.h"
#include "sort/config/sort_merge.h"
#include "sort/config/sort_onesweep.h"
#include "sort/config/sort_segments.h"
#include "top_k/config/top_k.h"
#include "top_k/config/top_k_rows.h"
#include "top_k/config/top_k_tiles.h"

namespace scantune {

template <class Request, class... Configs>
struct FamiliesOf {};

template <class... Families>
struct AlgorithmList {};

using AllAlgorithms = AlgorithmList<
    FamiliesOf<ScanRequest, SingleBlockConfig, OneShotConfig, LookbackConfig, PipelinedConfig, ThreePhaseConfig,
               ScanRowsConfig, ScanShortRowsConfig, ScanColumnsConfig, ScanSegmentsConfig, LookbackSegmentsConfig,
               NaiveGlobalConfig, SharedSingleConfig, SharedDoubleConfig, WarpShuffleConfig, BatchConfig, VectorConfig,
               KoggeStoneConfig, BrentKungConfig, HybridConfig, WorkInefficientConfig, WorkEfficientConfig,
               ConvertedConfig, ScanThenAddConfig, ReduceThenScanConfig, ChainedConfig, FenwickConfig, SerialConfig,
               QuadraticConfig>,
    FamiliesOf<ReduceRequest, ReduceBlockConfig, ReduceAtomicConfig, ReduceGatherConfig, ReduceLastBlockConfig,
               ReduceTwoPassConfig, ReduceRowsConfig, ReduceShortRowsConfig, ReduceColumnsConfig, ReduceSegmentsConfig,
               SumTwoPassConfig, SumTwoPassWarpConfig, SumAtomicConfig, SumBatchConfig, SumVectorConfig>,
    FamiliesOf<CopyRequest, CopyVectorsConfig, CopyStridedConfig>,
    FamiliesOf<SelectRequest, SelectLookbackConfig, SelectTwoPassConfig, SelectRingConfig>,
    FamiliesOf<LoadBalanceRequest, LoadBalanceMergeConfig>,
    FamiliesOf<SortRequest, SortBlockConfig, SortClusterConfig, SortOnesweepConfig, SortFillConfig, SortSegmentsConfig,
               SortMergeConfig>,
    FamiliesOf<TopKRequest, TopKRowsConfig, TopKTilesConfig>>;

}  // namespace scantune
