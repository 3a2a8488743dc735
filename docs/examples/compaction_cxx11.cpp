// The exclusive sum of a compaction for C++11 to C++17: a plan by the C interface, freed with its owner.
#include <scantune/scantune.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

void check(scantune_status status) {
  if (status != SCANTUNE_OK) throw std::runtime_error(scantune_error_message());
}

struct Destroy {
  void operator()(scantune_plan* plan) const { scantune_plan_destroy(plan); }
  void operator()(scantune_buffer* buffer) const { scantune_buffer_destroy(buffer); }
};
using Plan = std::unique_ptr<scantune_plan, Destroy>;
using Memory = std::unique_ptr<scantune_buffer, Destroy>;

// A plan that tells where each kept item goes, from n flags that are bytes of 0 or 1.
Plan plan_of_places(std::uint64_t n) {
  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.n = n;
  request.input_type = SCANTUNE_U8;
  request.output_type = SCANTUNE_U32;
  request.kind = SCANTUNE_EXCLUSIVE;
  scantune_plan* plan = nullptr;
  check(scantune_plan_create(&request.head, &plan));
  return Plan(plan);
}

Memory memory(std::uint64_t bytes) {
  scantune_buffer* buffer = nullptr;
  check(scantune_buffer_create(bytes, SCANTUNE_CURRENT_GPU, &buffer));
  return Memory(buffer);
}

int main() {
  std::vector<std::uint8_t> flags;
  for (int i = 0; i < 10000; ++i) flags.push_back(i * 7919 % 1009 > 500);
  std::vector<std::uint32_t> places(flags.size());

  const Plan plan = plan_of_places(flags.size());
  const Memory d_flags = memory(flags.size()), d_places = memory(4 * flags.size());
  check(scantune_buffer_upload(d_flags.get(), flags.data(), flags.size()));
  scantune_arrays arrays = SCANTUNE_ARRAYS_INIT;
  arrays.of[SCANTUNE_INPUT] = scantune_buffer_data(d_flags.get());
  arrays.of[SCANTUNE_OUTPUT] = scantune_buffer_data(d_places.get());
  check(scantune_plan_run(plan.get(), &arrays, nullptr, nullptr));
  check(scantune_buffer_download(d_places.get(), places.data(), 4 * places.size()));

  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < flags.size(); kept += flags[i++])
    if (places[i] != kept) return 1;
  std::printf("%u of %zu items are kept\n", static_cast<unsigned>(kept), flags.size());
  return 0;
}
