#include "python/request_run.h"

#include <nanobind/nanobind.h>

#include <vector>

#include "python/description.h"
#include "python/host_memory.h"
#include "scantune/status.hpp"

namespace scantune::python {

void run(scantune_head& head, std::initializer_list<ArrayInRole> arrays, std::uint64_t stream) {
  const nanobind::gil_scoped_release others_may_run;
  head.captured_launches = kCapturedLaunches;
  std::vector<HostMemory> memory;
  memory.reserve(arrays.size());
  scantune_arrays pointers = SCANTUNE_ARRAYS_INIT;
  for (const auto& [role, array] : arrays) {
    if (array == nullptr) continue;
    memory.emplace_back(*array);
    pointers.of[role] = array->first;
    head.device = device_of(*array);
  }
  describe(head);
  runtime::detail::check(scantune_run(&head, &pointers, reinterpret_cast<scantune_stream>(stream)));
}

}  // namespace scantune::python
