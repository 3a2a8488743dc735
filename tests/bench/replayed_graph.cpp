#include "replayed_graph.h"

#include <utility>

#include "cuda_check.h"

namespace scantune::bench {
namespace {

struct Events {
  Events() {
    SCANTUNE_BENCH_CHECK(cudaEventCreate(&start));
    SCANTUNE_BENCH_CHECK(cudaEventCreate(&stop));
  }
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
};

// The graph of what `enqueue` puts into the stream. The stream is usable again if `enqueue` throws.
cudaGraph_t captured(cudaStream_t stream, const std::function<void()>& enqueue) {
  cudaGraph_t graph = nullptr;
  SCANTUNE_BENCH_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    enqueue();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    throw;
  }
  SCANTUNE_BENCH_CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

}  // namespace

ReplayedGraph::ReplayedGraph(cudaStream_t stream, int launches, const std::function<void(cudaStream_t, int)>& enqueue)
    : stream_(stream), launches_(launches) {
  cudaGraph_t graph = captured(stream, [&] {
    for (int launch = 0; launch < launches; ++launch) enqueue(stream, launch);
  });
  SCANTUNE_BENCH_CHECK(cudaGraphInstantiate(&executable_, graph, 0));
  SCANTUNE_BENCH_CHECK(cudaGraphDestroy(graph));
  SCANTUNE_BENCH_CHECK(cudaGraphUpload(executable_, stream));
}

ReplayedGraph::~ReplayedGraph() {
  if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
}

ReplayedGraph::ReplayedGraph(ReplayedGraph&& other) noexcept
    : stream_(other.stream_), launches_(other.launches_), executable_(std::exchange(other.executable_, nullptr)) {}

void ReplayedGraph::replay() const { SCANTUNE_BENCH_CHECK(cudaGraphLaunch(executable_, stream_)); }

double ReplayedGraph::time_us() const {
  static const Events kEvents;  // live as long as the process
  replay();
  SCANTUNE_BENCH_CHECK(cudaEventRecord(kEvents.start, stream_));
  replay();
  SCANTUNE_BENCH_CHECK(cudaEventRecord(kEvents.stop, stream_));
  SCANTUNE_BENCH_CHECK(cudaEventSynchronize(kEvents.stop));
  float ms = 0;
  SCANTUNE_BENCH_CHECK(cudaEventElapsedTime(&ms, kEvents.start, kEvents.stop));
  return 1000.0 * static_cast<double>(ms) / launches_;
}

}  // namespace scantune::bench
