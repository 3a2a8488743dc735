// The builds of CUB that are compared.
#pragma once

namespace scantune::bench {

// The CUB that cub_scan.cu and cub_reduce.cu are compiled with.
enum class CubBuild {
  toolkit,   // CUB of the CUDA toolkit
  newest,    // CUB of a newer CCCL
  lookahead  // the same, its scans forced to the persistent algorithm that it chooses on newer architectures only
};

}  // namespace scantune::bench
