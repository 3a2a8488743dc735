#include "launch/arguments.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "scantune/error.hpp"

namespace scantune {
namespace {

struct Range {
  std::uintptr_t first;
  std::uintptr_t bytes;
};

Range range_of(const void* pointer, int item_bytes, u64 n) {
  return {reinterpret_cast<std::uintptr_t>(pointer),
          static_cast<std::uintptr_t>(n) * static_cast<unsigned>(item_bytes)};
}

struct Ranges {
  Range input, output, init;

  Ranges(const ScanRequest& request, const ScanPointers& pointers)
      : input(range_of(pointers.input, request.input_bytes(), request.n)),
        output(range_of(pointers.output, request.output_bytes(), request.n)),
        init(range_of(pointers.init_memory, request.accumulator_bytes(), 1)) {}
};

std::string hex(std::uintptr_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string to_string(Range range) { return '[' + hex(range.first) + ", +" + std::to_string(range.bytes) + " bytes)"; }

bool is_aligned(Range range, int alignment) { return range.first % static_cast<unsigned>(alignment) == 0; }

bool wraps(Range range) { return range.first > std::numeric_limits<std::uintptr_t>::max() - range.bytes; }

bool is_plausible(Range range, int alignment) {
  return range.first != 0 && is_aligned(range, alignment) && !wraps(range);
}

std::string range_problem(const char* name, Range range, int alignment, u64 n) {
  const std::string argument = std::string(name) + " is ";
  if (range.first == 0) return argument + "null, and n is " + std::to_string(n);
  if (!is_aligned(range, alignment))
    return argument + hex(range.first) + ", which is not a multiple of the " + std::to_string(alignment) +
           " bytes that its type is aligned to";
  if (wraps(range))
    return argument + hex(range.first) + ", and the " + std::to_string(range.bytes) +
           " bytes from there pass the end of the address space";
  return {};
}

bool overlap(Range a, Range b) { return a.first < b.first + b.bytes && b.first < a.first + a.bytes; }

// Scanning in place is fine: every item is read before its result is written over it.
bool overlap_badly(Range input, Range output) {
  const bool in_place = input.first == output.first && input.bytes == output.bytes;
  return !in_place && overlap(input, output);
}

// What is wrong with a pointer by itself, naming the argument; empty if nothing is.
std::string address_problem(const ScanRequest& request, const Ranges& ranges) {
  const auto problem_with = [&](const char* name, Range range, ValueType type) {
    return range_problem(name, range, request.alignment_of(type), request.n);
  };
  if (auto problem = problem_with("input", ranges.input, request.input_type); !problem.empty()) return problem;
  if (auto problem = problem_with("output", ranges.output, request.output_type); !problem.empty()) return problem;
  if (request.init != Init::memory) return {};
  return problem_with("device_init", ranges.init, request.accumulator_type);
}

// An error's text about ranges that overlap.
std::string overlap_problem(const Ranges& ranges) {
  if (overlap_badly(ranges.input, ranges.output))
    return "input " + to_string(ranges.input) + " and output " + to_string(ranges.output) +
           " overlap: they must be the same range or lie apart";
  return "device_init " + to_string(ranges.init) + " lies in the output " + to_string(ranges.output) +
         ", which is written before it is read";
}

bool init_is_plausible(const ScanRequest& request, const Ranges& ranges) {
  return is_plausible(ranges.init, request.alignment_of(request.accumulator_type)) &&
         !overlap(ranges.init, ranges.output);
}

}  // namespace

bool arguments_are_plausible(const ScanRequest& request, const ScanPointers& pointers) {
  const Ranges ranges(request, pointers);
  return is_plausible(ranges.input, request.alignment_of(request.input_type)) &&
         is_plausible(ranges.output, request.alignment_of(request.output_type)) &&
         !overlap_badly(ranges.input, ranges.output) &&
         (request.init != Init::memory || init_is_plausible(request, ranges));
}

void refuse_arguments(Device& device, const ScanRequest& request, const ScanPointers& pointers, Stream stream) {
  const Ranges ranges(request, pointers);
  std::string problem = address_problem(request, ranges);
  if (problem.empty()) problem = device.argument_problem(NamedArguments(request, pointers).list(), stream);
  if (problem.empty()) problem = overlap_problem(ranges);
  throw RequestError(to_string(request) + ": " + problem);
}

std::string size_problem(const ScanRequest& request) {
  const int widest = std::max(request.input_bytes(), request.output_bytes());
  if (request.n <= std::numeric_limits<u64>::max() / static_cast<unsigned>(widest)) return {};
  return "n is " + std::to_string(request.n) + ", which is more items than fit in the address space";
}

}  // namespace scantune
