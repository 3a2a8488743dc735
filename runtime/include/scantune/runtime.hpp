// scantune's runtime: kernels tuned for this GPU and this n, run by one call.
//
//   #include <scantune/runtime.hpp>
//   namespace runtime = scantune::runtime;
//   runtime::scan(d_in, d_out, n);                                // scan.hpp: an inclusive sum on the default stream
//   runtime::reduce(d_in, d_sum, n);                              // reduce.hpp
//   runtime::select(d_in, d_out, d_count, n);                     // select.hpp
//   runtime::load_balance(d_offsets, segments, d_segment_of, n);  // load_balance.hpp
//   runtime::sort(d_keys, d_out, n);                              // sort.hpp
//   runtime::top_k(d_keys, d_out, n, k);                          // top_k.hpp: the k greatest
//
// Each function has a plan, such as runtime::plan<float>(n), which is created once and called often. Its describe()
// says which config runs.
//
// Arguments have one order: inputs, outputs, their count or index, n. An output that is written only on request, such
// as the indices of a sort, is an option. Options come last, by name, in one order: the problem's, more arrays, then
// stream, determinism, forward_progress, latency, captured_launches, device and config.
//
// Items are integers of 8 to 64 bits, float, double, half-precision numbers (f16 and bf16 of types.hpp, __half,
// __nv_bfloat16, _Float16), and, with a custom operator, structs of up to 32 bytes. All functions may be called from
// any thread. docs/concurrency.md has the rules for streams, plans and graphs.
#pragma once

#include "scantune/cxx20.hpp"
#ifdef SCANTUNE_CXX20

#include "scantune/buffer.hpp"
#include "scantune/load_balance.hpp"
#include "scantune/log.hpp"
#include "scantune/memory.hpp"
#include "scantune/reduce.hpp"
#include "scantune/runs.hpp"
#include "scantune/scan.hpp"
#include "scantune/segmented_sort.hpp"
#include "scantune/segmented_top_k.hpp"
#include "scantune/segments.hpp"
#include "scantune/select.hpp"
#include "scantune/sort.hpp"
#include "scantune/top_k.hpp"

namespace scantune::runtime {

// Releases what the runtime keeps for a stream of the device, for use by other streams. Call it before you destroy the
// stream. No call may use the stream at the same time, and none of its work may still run. Throws RequestError while
// the stream is being captured.
inline void release(Stream stream, Device device = Device::current_gpu) {
  detail::check(scantune_release(stream, static_cast<scantune_device>(device)));
}

// Reads the tuning databases again: later calls use what the tuner has saved since. scantune_reload() has the rules.
inline void reload() { detail::check(scantune_reload()); }

// Writes counted calls to the file of SCANTUNE_RECORD now. scantune_record_flush() has the rules.
inline void record_flush() { detail::check(scantune_record_flush()); }

}  // namespace scantune::runtime

#endif
