#include "python/runs.h"

#include "python/request_run.h"

namespace scantune::python {
namespace {

constexpr const char* kOne = "__device__ Result load(unsigned long long) { return 1; }";

scantune_scan_request request_for(const Array& keys, const CountedResults& results) {
  scantune_scan_request request = SCANTUNE_SCAN_REQUEST_INIT;
  request.head.n = keys.size();
  request.head.determinism = SCANTUNE_RUN_TO_RUN;
  request.segments = SCANTUNE_BY_KEYS;
  request.key_type = keys.type->type;
  request.results = SCANTUNE_TOTALS;
  request.count_type = results.count().type->type;
  request.capacity = &results.room();
  return request;
}

}  // namespace

void encode_runs(const Array& keys, const CountedResults& results, std::size_t lengths) {
  scantune_scan_request request = request_for(keys, results);
  request.input_type = request.output_type = SCANTUNE_I64;
  scantune_function one = SCANTUNE_FUNCTION_INIT;
  one.role = SCANTUNE_FUNCTION_GENERATE;
  one.source = kOne;
  request.load = &one;
  run(request.head,
      {{SCANTUNE_KEYS, &keys},
       {SCANTUNE_KEYS_OUTPUT, &results[0]},
       {SCANTUNE_OUTPUT, &results[lengths]},
       {SCANTUNE_COUNT, &results.count()}},
      results.stream());
}

void reduce_runs(const Array& keys, const Array& x, const Combination& combination, const CountedResults& results) {
  scantune_scan_request request = request_for(keys, results);
  combination.put_into(request);
  run(request.head,
      {{SCANTUNE_INPUT, &x},
       {SCANTUNE_KEYS, &keys},
       {SCANTUNE_KEYS_OUTPUT, &results[0]},
       {SCANTUNE_OUTPUT, &results[1]},
       {SCANTUNE_COUNT, &results.count()}},
      results.stream());
}

}  // namespace scantune::python
