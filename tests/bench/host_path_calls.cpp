#include "host_path_calls.h"

#include "bare_launches.h"
#include "driver_check.h"
#include "scantune/runtime.hpp"
#ifdef SCANTUNE_BENCH_CUB_COMPARED
#include "cub_name.h"
#include "cub_scan.h"
#include "cuda_check.h"
#endif

namespace scantune::bench {
namespace {

struct Place {
  explicit Place(u64 n) : n(n), device(cuda_device()), input(n), output(n) {
    SCANTUNE_BENCH_DRIVER(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  }

  u64 n;
  std::shared_ptr<Device> device;
  runtime::Buffer<i32> input, output;
  Stream stream = nullptr;
};

#ifdef SCANTUNE_BENCH_CUB_COMPARED
HostCall cub_call(const std::shared_ptr<Place>& place, const CubScans& scans) {
  const CubScan scan = scans.find({.n = place->n});
  std::size_t bytes = 0;
  SCANTUNE_BENCH_CHECK(scan(nullptr, bytes, nullptr, nullptr, place->n, nullptr, place->stream));
  const auto temporary = std::make_shared<runtime::Buffer<std::byte>>(bytes);
  return {cub_name(scans.version), [=] {
            std::size_t given = bytes;
            SCANTUNE_BENCH_CHECK(scan(temporary->data(), given, place->input.data(), place->output.data(), place->n,
                                      nullptr, place->stream));
          }};
}
#endif

}  // namespace

std::vector<HostCall> calls_of_scans(u64 n) {
  const auto place = std::make_shared<Place>(n);
  const auto bare = std::make_shared<BareLaunches>(*place->device, ScanRequest{.n = n}, place->input.data(),
                                                   place->output.data(), place->stream);
  std::vector<HostCall> calls = {
      {"bare launch", [=] { bare->enqueue(); }},
      {"plan", [=, plan = runtime::plan<i32>(n)] { plan(place->input.data(), place->output.data(), place->stream); }},
      {"scan()", [=] { runtime::scan(place->input.data(), place->output.data(), n, {.stream = place->stream}); }}};
#ifdef SCANTUNE_BENCH_CUB_COMPARED
  calls.push_back(cub_call(place, cub_scans<CubBuild::toolkit, ValueType::i32>()));
#ifdef SCANTUNE_BENCH_NEWEST_CUB
  calls.push_back(cub_call(place, cub_scans<CubBuild::newest, ValueType::i32>()));
#endif
#endif
  return calls;
}

std::vector<HostCall> questions_to_the_driver() {
  const auto place = std::make_shared<Place>(1024);
  return {{"nothing", [] {}},
          {"which context is current",
           [] {
             CUcontext current = nullptr;
             SCANTUNE_BENCH_DRIVER(cuCtxGetCurrent(&current));
           }},
          {"which device it is", [] { static_cast<void>(cuda_device()); }},
          {"whose memory it is",
           [=] { static_cast<void>(place->device->pointer_fault(place->input.data(), sizeof(i32), sizeof(i32))); }},
          {"whose stream it is", [=] { static_cast<void>(place->device->stream_fault(place->stream)); }},
          {"whether the stream is captured, and its id",
           [=] { static_cast<void>(place->device->stream_state(place->stream)); }}};
}

}  // namespace scantune::bench
