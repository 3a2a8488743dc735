// The attributes of a launch other than its sizes: overlap with the previous kernel, and clusters.
#pragma once

#include "core/contract/launch.h"
#include "device/cuda/driver.h"

namespace scantune {

class LaunchAttributes {
 public:
  explicit LaunchAttributes(const Launch& launch) {
    if (launch.pdl) {
      CUlaunchAttribute& overlap = list_[count_++];
      overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
      overlap.value.programmaticStreamSerializationAllowed = 1;
    }
    if (launch.cluster_blocks > 1) {
      CUlaunchAttribute& cluster = list_[count_++];
      cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      cluster.value.clusterDim = {static_cast<unsigned int>(launch.cluster_blocks), 1, 1};
    }
  }

  CUlaunchAttribute* list() { return list_; }
  unsigned int count() const { return count_; }

 private:
  CUlaunchAttribute list_[2] = {};
  unsigned int count_ = 0;
};

}  // namespace scantune
