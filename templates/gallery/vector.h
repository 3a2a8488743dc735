// vector: as batch, with the items of a thread loaded and stored by 16 bytes at once (int4). One instruction moves as
// much as four did, so that more bytes are in flight. It is the last step of the ladder.
//
// Vectors begin at multiples of 16 bytes. If a row does not, or does not fill a thread's vectors, items are loaded one
// by one.
#pragma once

#include "gallery/batch.h"

namespace scantune {

struct VectorConfig {
  static constexpr int kMostItemsPerThread = 16;

  int block_threads = 256;   // threads of a CTA
  int items_per_thread = 4;  // neighbouring items each thread scans in registers (batchSize)

  constexpr bool operator==(const VectorConfig&) const = default;
};

template <>
struct Family<VectorConfig> : BlockedFamily<VectorConfig, BatchScan> {
  static constexpr const char* kName = "vector";
  static constexpr const char* kConfigName = "VectorConfig";
  static constexpr const char* kHeader = "gallery/vector.h";
  static constexpr const char* const kKernels[] = {"vector"};

  static constexpr const char* unsupported_reason(const ScanRequest& request, int sm) {
    if (!items_fill_vectors(request) || vector_items(request) > most_items_per_thread(16, request))
      return "the items do not fill vectors of 16 bytes, or a thread cannot hold a vector of them";
    return BlockedFamily::unsupported_reason(request, sm);
  }

  static constexpr VectorConfig default_config(const ScanRequest& request, int) {
    VectorConfig config;
    config.block_threads = kWarpThreads;
    config.items_per_thread = vector_items(request) < 4 ? most_items_per_thread(4, request) : vector_items(request);
    while (config.block_threads < kMaxBlockThreads && row_capacity(config) < row_items(request))
      config.block_threads *= 2;
    while (row_capacity(config) < row_items(request)) config.items_per_thread *= 2;
    return config;
  }

  static constexpr const char* invalid_reason(const VectorConfig& config, const ScanRequest& request, int sm) {
    if (config.items_per_thread % vector_items(request) != 0)
      return "items_per_thread must be a multiple of the items in 16 bytes of input and of output";
    return BlockedFamily::invalid_reason(config, request, sm);
  }

#ifndef __CUDACC_RTC__
  static constexpr Parameter<VectorConfig> kParameters[] = {
      SCANTUNE_PARAMETER(VectorConfig, block_threads, primary, 32, 64, 128, 256, 512, 1024),
      SCANTUNE_PARAMETER(VectorConfig, items_per_thread, primary, 4, 8, 16),
  };
#endif

 private:
  // Items of a vector, on the side that has more.
  static constexpr int vector_items(const ScanRequest& request) {
    const int in = request.input_bytes(), out = request.output_bytes();
    return kVectorAlignmentBytes / (in < out ? in : out);
  }
};

}  // namespace scantune

#ifdef SCANTUNE_KERNELS

namespace scantune {

// How a thread's items come and go: by vectors where that is possible.
struct ByVectors {
  template <class Item>
  struct alignas(kVectorAlignmentBytes) Vector {
    Item items[kVectorAlignmentBytes / sizeof(Item)];
  };

  template <class Problem, int kItems>
  SCANTUNE_DEVICE static void load(typename Problem::Input (&items)[kItems], const Row<Problem>& row, u32 first,
                                   u32 mine) {
    using V = Vector<typename Problem::Input>;
    const auto* const from = row.input() + first;
    if (mine < kItems || !is_aligned(from)) return OneByOne::load<Problem, kItems>(items, row, first, mine);
#pragma unroll
    for (u32 vector = 0; vector < kItems * sizeof(items[0]) / sizeof(V); ++vector) {
      const V loaded = scantune::load_global<CacheHint::normal>(reinterpret_cast<const V*>(from) + vector);
      scantune::copy_bytes(items + vector * (sizeof(V) / sizeof(items[0])), &loaded, sizeof(V));
    }
  }
  template <class Problem, int kItems>
  SCANTUNE_DEVICE static void store(const typename Problem::Output (&items)[kItems], const Row<Problem>& row, u32 first,
                                    u32 mine) {
    using V = Vector<typename Problem::Output>;
    auto* const to = row.output() + first;
    if (mine < kItems || !is_aligned(to)) return OneByOne::store<Problem, kItems>(items, row, first, mine);
#pragma unroll
    for (u32 vector = 0; vector < kItems * sizeof(items[0]) / sizeof(V); ++vector) {
      V stored;
      scantune::copy_bytes(&stored, items + vector * (sizeof(V) / sizeof(items[0])), sizeof(V));
      scantune::store_global<CacheHint::normal>(reinterpret_cast<V*>(to) + vector, stored);
    }
  }

 private:
  SCANTUNE_DEVICE static bool is_aligned(const void* address) {
    return reinterpret_cast<u64>(address) % kVectorAlignmentBytes == 0;
  }
};

template <class Problem, VectorConfig kConfig>
SCANTUNE_DEVICE void vector(const KernelArguments& arguments) {
  scantune::scan_batches<Problem, kConfig, ByVectors>(arguments);
}

}  // namespace scantune

#endif
