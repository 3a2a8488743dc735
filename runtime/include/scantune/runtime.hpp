// scantune's runtime: kernels that are tuned for this GPU and this n, run by one call.
//
//   #include <scantune/runtime.hpp>
//   namespace runtime = scantune::runtime;
//   runtime::scan(d_in, d_out, n);                                // scan.hpp: an inclusive sum on the default stream
//   runtime::reduce(d_in, d_sum, n);                              // reduce.hpp
//   runtime::select(d_in, d_out, d_count, n);                     // select.hpp
//   runtime::load_balance(d_offsets, segments, d_segment_of, n);  // load_balance.hpp
//   runtime::sort(d_keys, d_out, n);                              // sort.hpp
//
// Each function has a plan, as runtime::plan<float>(n), which is made once and called often, and whose describe() says
// which config runs.
//
// Arguments have one order: what is read, what is always written, the count or index of that, and n. What is written
// only if asked for is an option, as the indices of a sort. Options come last and have names, in one order: what the
// problem is, more arrays, then stream, determinism, forward_progress, latency, captured_launches, device and config.
//
// Items are integers of 8 to 64 bits, float, double, half-precision numbers (f16 and bf16 of types.hpp, __half,
// __nv_bfloat16, _Float16), and, with an operator of the caller's own, structs of up to 32 bytes. All functions may be
// called from any thread. The rules for streams, plans and graphs are in docs/concurrency.md.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include "scantune/buffer.hpp"
#include "scantune/load_balance.hpp"
#include "scantune/log.hpp"
#include "scantune/memory.hpp"
#include "scantune/reduce.hpp"
#include "scantune/scan.hpp"
#include "scantune/select.hpp"
#include "scantune/sort.hpp"

namespace scantune::runtime {

// Gives back what the runtime keeps for a stream of the device that is about to be destroyed, for use by other streams.
// No scan may be running on it or be made meanwhile. Throws RequestError while the stream is being captured.
inline void release(Stream stream, Device device = Device::current_gpu) {
  detail::check(scantune_release(stream, static_cast<scantune_device>(device)));
}

}  // namespace scantune::runtime

#endif
