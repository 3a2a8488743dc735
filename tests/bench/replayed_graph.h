// Launches captured into a CUDA graph, and how long replaying it takes.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace scantune::bench {

class ReplayedGraph {
 public:
  // enqueue(stream, launch) puts launch 0, 1, ... into the stream.
  ReplayedGraph(cudaStream_t stream, int launches, const std::function<void(cudaStream_t, int)>& enqueue);
  ~ReplayedGraph();
  ReplayedGraph(ReplayedGraph&& other) noexcept;
  ReplayedGraph(const ReplayedGraph&) = delete;
  ReplayedGraph& operator=(const ReplayedGraph&) = delete;

  void replay() const;
  // The microseconds that one launch takes on average in one replay. Another replay runs before it, so that the GPU
  // never waits for the CPU within the time taken.
  double time_us() const;

 private:
  cudaStream_t stream_;
  int launches_;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace scantune::bench
