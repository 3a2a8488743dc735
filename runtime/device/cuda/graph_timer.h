// Times work on a GPU by replaying a CUDA graph of it between two events.
#pragma once

#include <functional>

#include "device/cuda/context.h"
#include "device/device.h"

namespace scantune {

// The mean microseconds of one replay of what enqueue puts into the stream. The context must be current; the stream
// must be idle and of no other use meanwhile. One replay goes before, untimed: the timed ones then queue up behind it,
// so that none waits for the CPU. Throws DeviceError; an exception of enqueue passes through.
double time_graph_us(const CudaContext& context, Stream stream, const std::function<void(Stream)>& enqueue,
                     int replays);

}  // namespace scantune
