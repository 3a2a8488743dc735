#include "device/cuda/graph_timer.h"

#include "device/cuda/driver.h"

namespace scantune {
namespace {

class Event {
 public:
  explicit Event(const CudaContext& context) : context_(context) {
    context.check(Driver::instance().cuEventCreate(&event_, CU_EVENT_DEFAULT), "cuEventCreate");
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { Driver::instance().cuEventDestroy(event_); }

  void record(Stream stream) const {
    context_.check(Driver::instance().cuEventRecord(event_, stream), "cuEventRecord");
  }
  void synchronize() const { context_.check(Driver::instance().cuEventSynchronize(event_), "cuEventSynchronize"); }
  double us_since(const Event& earlier) const {
    float ms = 0;
    context_.check(Driver::instance().cuEventElapsedTime(&ms, earlier.event_, event_), "cuEventElapsedTime");
    return 1000.0 * static_cast<double>(ms);
  }

 private:
  const CudaContext& context_;
  CUevent event_ = nullptr;
};

class Graph {
 public:
  Graph(const CudaContext& context, Stream stream, const std::function<void(Stream)>& enqueue) : context_(context) {
    const Driver& driver = Driver::instance();
    capture(stream, enqueue);
    const CUresult result = driver.cuGraphInstantiate(&executable_, graph_, 0);
    if (result != CUDA_SUCCESS) driver.cuGraphDestroy(graph_);
    context_.check(result, "cuGraphInstantiate");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    Driver::instance().cuGraphExecDestroy(executable_);
    Driver::instance().cuGraphDestroy(graph_);
  }

  void upload(Stream stream) const {
    context_.check(Driver::instance().cuGraphUpload(executable_, stream), "cuGraphUpload");
  }
  void launch(Stream stream) const {
    context_.check(Driver::instance().cuGraphLaunch(executable_, stream), "cuGraphLaunch");
  }

 private:
  void capture(Stream stream, const std::function<void(Stream)>& enqueue) {
    const Driver& driver = Driver::instance();
    context_.check(driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
    try {
      enqueue(stream);
    } catch (...) {
      driver.cuStreamEndCapture(stream, &graph_);
      if (graph_) driver.cuGraphDestroy(graph_);
      throw;
    }
    context_.check(driver.cuStreamEndCapture(stream, &graph_), "cuStreamEndCapture");
  }

  const CudaContext& context_;
  CUgraph graph_ = nullptr;
  CUgraphExec executable_ = nullptr;
};

}  // namespace

double time_graph_us(const CudaContext& context, Stream stream, const std::function<void(Stream)>& enqueue,
                     int replays) {
  const Graph graph(context, stream, enqueue);
  const Event start(context), stop(context);
  graph.upload(stream);
  graph.launch(stream);
  start.record(stream);
  for (int replay = 0; replay < replays; ++replay) graph.launch(stream);
  stop.record(stream);
  stop.synchronize();
  return stop.us_since(start) / replays;
}

}  // namespace scantune
