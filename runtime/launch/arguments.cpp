#include "launch/arguments.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>

namespace scantune {
namespace {

struct Range {
  std::uintptr_t first;
  std::uintptr_t bytes;
};

Range range_of(const void* pointer, ValueType type, u64 n) {
  return {reinterpret_cast<std::uintptr_t>(pointer),
          static_cast<std::uintptr_t>(n) * static_cast<unsigned>(size_of(type))};
}

std::string hex(const void* pointer) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(pointer)));
  return text;
}

bool is_aligned(const void* pointer, ValueType type) {
  return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<unsigned>(size_of(type)) == 0;
}

bool wraps(Range range) { return range.first > std::numeric_limits<std::uintptr_t>::max() - range.bytes; }

std::string pointer_problem(const char* name, const void* pointer, ValueType type, u64 n) {
  const std::string argument = std::string(name) + " is ";
  if (pointer == nullptr) return argument + "null, and n is " + std::to_string(n);
  if (!is_aligned(pointer, type))
    return argument + hex(pointer) + ", which is not a multiple of the " + std::to_string(size_of(type)) +
           " bytes of " + Tokens<ValueType>::kNames[static_cast<int>(type)];
  if (wraps(range_of(pointer, type, n)))
    return argument + hex(pointer) + ", and " + std::to_string(n) +
           " items from there pass the end of the address space";
  return {};
}

// Scanning in place is fine: every item is read before its result is written over it.
bool overlap_badly(Range input, Range output) {
  if (input.first == output.first && input.bytes == output.bytes) return false;
  return input.first < output.first + output.bytes && output.first < input.first + input.bytes;
}

}  // namespace

bool arguments_are_plausible(const ScanRequest& request, const void* input, const void* output) {
  const Range in = range_of(input, request.input_type, request.n);
  const Range out = range_of(output, request.output_type, request.n);
  return input != nullptr && output != nullptr && is_aligned(input, request.input_type) &&
         is_aligned(output, request.output_type) && !wraps(in) && !wraps(out) && !overlap_badly(in, out);
}

std::string arguments_problem(const ScanRequest& request, const void* input, const void* output) {
  if (auto problem = pointer_problem("input", input, request.input_type, request.n); !problem.empty()) return problem;
  if (auto problem = pointer_problem("output", output, request.output_type, request.n); !problem.empty())
    return problem;
  const Range in = range_of(input, request.input_type, request.n);
  const Range out = range_of(output, request.output_type, request.n);
  if (overlap_badly(in, out))
    return "input [" + hex(input) + ", +" + std::to_string(in.bytes) + " bytes) and output [" + hex(output) + ", +" +
           std::to_string(out.bytes) + " bytes) overlap: they must be the same range or lie apart";
  return {};
}

std::string size_problem(const ScanRequest& request) {
  const int widest = std::max(request.input_bytes(), request.output_bytes());
  if (request.n <= std::numeric_limits<u64>::max() / static_cast<unsigned>(widest)) return {};
  return "n is " + std::to_string(request.n) + ", which is more items than fit in the address space";
}

}  // namespace scantune
