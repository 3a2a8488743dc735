// Times work on a GPU by replaying a CUDA graph of it between two events.
#pragma once

#include <functional>

#include "device/cuda/context.h"
#include "device/device.h"

namespace scantune {

// The mean microseconds of one replay of the work that enqueue puts into the stream. The context must be current, and
// the stream idle and unused by others. An untimed replay comes first: the timed ones queue up after it, so that none
// waits for the CPU. Throws DeviceError; an exception of enqueue passes through.
double time_graph_us(const CudaContext& context, Stream stream, const std::function<void(Stream)>& enqueue,
                     int replays);

}  // namespace scantune
